#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Surfaces that move, on coarse meshes: the column, a heap at rest, a silo that empties, resumed
and threaded runs, what is refused.

    test_surface.py SABLIER_BINARY
"""
import csv
import os
import subprocess

from case_run import ROOT, Tests

tests = Tests()
COARSE = ["mesh.parameters.h=0.25", "mesh.parameters.W=2.8", "time.step=0.06",
          "probes.height.height=[[0, 0], [2.8, 0]]", "probes.height.samples=14"]


def history(name):
    with open(os.path.join(tests.path(name), "history.csv"), encoding="utf-8") as file:
        return [{key: float(value) for key, value in row.items()} for row in csv.DictReader(file)]


def sablier(*arguments):
    return subprocess.run([tests.binary, *arguments], capture_output=True, text=True, check=False)


def column():
    """Mass to rounding, energy that only falls, nothing missed, a front near that of fine meshes."""
    summary = tests.run("column", "column", *COARSE, "time.end=2.4", "output.every=1.2")
    rows = history("column")
    energy = [0.5] + [row["kinetic"] + row["potential"] for row in rows]
    tests.check(summary["missed"] == 0, "column: no step misses its tolerance")
    tests.below(max(abs(row["mass"] + row["lost"] - 1) for row in rows), 1e-13, "column: mass")
    gained = max(b - a for a, b in zip(energy, energy[1:]))
    tests.check(gained < 0, f"column: energy gained in a step, at most {gained:.1e}")
    tests.below(max(abs(row["ledger_defect"]) for row in rows), 1e-12, "column: defect")
    tests.below(max(row["excess"] for row in rows), 5e-3, "column: excess of mass")
    tests.below(rows[-1]["front"] / 2.414 - 1, 0.05, "column: front at 2.4, of that with h = 0.1")
    tests.below(energy[-1] / 0.3209 - 1, 0.03, "column: energy at 2.4, likewise")
    with open(os.path.join(tests.path("column"), "profiles", "height.csv"),
              encoding="utf-8") as file:
        mean = sum(float(row["height"]) for row in csv.DictReader(file)) * 0.2
    tests.below(mean - 1, 1e-6, "column: area under its height")


def heap():
    """A slope of 0.3, below the angle of friction 0.4, whose surface cuts elements: it rests."""
    tests.run("heap", "heap", "time.end=0.4")
    rows = history("heap")
    tests.below(max(row["speed"] for row in rows), 5e-3, "heap: speed, at any time")


def drum():
    """A drum of friction: grains turn with it, then flow; they keep their room, and the ledger closes."""
    summary = tests.run("drum", "drum", "mesh.parameters.h=0.3", "time.step=0.2", "time.end=12",
                        "boundaries.wall.wall.speed=0.2")
    rows = history("drum")
    tests.check(summary["missed"] == 0, "drum: no step misses its tolerance")
    tests.below(max(abs(row["mass"] / rows[0]["mass"] - 1) for row in rows), 1e-13, "drum: mass")
    tests.below(max(row["excess"] for row in rows), 7e-3, "drum: excess of mass")
    tests.below(max(abs(row["ledger_defect"]) for row in rows), 1e-12, "drum: defect")
    radius = [(row["centre_x"] ** 2 + row["centre_y"] ** 2) ** 0.5 for row in rows]
    tests.below(max(abs(r / 0.4244 - 1) for r in radius), 0.02, "drum: radius of the centre")
    lag = max(abs(row["lean"] - row["angle"]) for row in rows if row["time"] < 2)
    tests.below(lag, 1.0, "drum: surface and centre turn together")
    end = [row["angle"] for row in rows if row["time"] > 10]
    tests.check(20 < min(end) and max(end) < 31, f"drum: angle {min(end):.1f} to {max(end):.1f}")


def emptying():
    """What is inside and what has left is what there was; the rate is that of fine meshes."""
    tests.run("emptying", "emptying", "mesh.parameters.h=0.5", "mesh.parameters.across=5",
              "time.step=0.1", "time.end=3")
    rows = history("emptying")
    tests.below(max(abs(row["mass"] + row["left"] + row["over"] - 8) for row in rows), 1e-12,
                "emptying: mass")
    at = {round(row["time"], 6): row["left"] for row in rows}
    tests.below((at[3] - at[2]) / 0.647 - 1, 0.1, "emptying: rate from 2 to 3")


def constant():
    """Above H = W a silo of W = 8 D empties linearly in time; the rate of a fluid goes with the root of its level."""
    tests.run("constant", "emptying", "mesh.parameters={D: 1, W: 8, H: 11, h: 1, across: 4}", "time.step=0.2", "time.end=12.6",
              "output.every=0")
    rows = [row for row in history("constant") if row["mass"] < 42.5]
    time, left = (sum(row[key] for row in rows) / len(rows) for key in ("time", "left"))
    moved = [(row["time"] - time, row["left"] - left) for row in rows]
    slope = sum(t * m for t, m in moved) / sum(t * t for t, m in moved)
    rms = (sum((m - slope * t) ** 2 for t, m in moved) / len(rows)) ** 0.5
    tests.below(rms / (rows[-1]["left"] - rows[0]["left"]), 5e-3, "constant: straight line, of what has left")
    tests.below(slope / 0.664 - 1, 0.03, "constant: rate")
    tests.run("fluid", "emptying", "material.friction=0", "material.reynolds=100", "mesh.parameters.h=0.5",
              "mesh.parameters.across=4", "time.step=0.1", "time.end=5.5", "output.every=0")
    time = {mass: next(row["time"] for row in history("fluid") if row["mass"] <= mass) for mass in (7, 6, 4, 3)}
    ratio = (time[6] - time[7]) / (time[3] - time[4])  # of the rates at the levels 1.75 and 3.25
    tests.below(ratio / (1.75 / 3.25) ** 0.5 - 1, 0.05, "constant: that of a fluid is not")


def same():
    """Interrupted or on two threads, the same bits."""
    short = [*COARSE, "time.end=0.6", "output.every=0.3"]
    tests.run("whole", "column", *short)
    tests.run("parts", "column", *short[:-2], "time.end=0.3", "output.every=0.3")
    case = os.path.join(ROOT, "cases", "column")
    sets = [text for override in short for text in ("--set", override)]
    done = sablier("run", case, "-q", "-o", tests.path("parts"), "--resume", *sets)
    tests.check(done.returncode == 0, "same: resumed " + done.stderr.strip())
    done = sablier("run", case, "-q", "-o", tests.path("threads"), "--threads", "2", *sets)
    tests.check(done.returncode == 0, "same: two threads " + done.stderr.strip())
    for name in "parts", "threads":
        for file in "history.csv", "grains_0001.vtu", os.path.join("profiles", "height.csv"):
            with open(os.path.join(tests.path("whole"), file), "rb") as one, \
                    open(os.path.join(tests.path(name), file), "rb") as other:
                tests.check(one.read() == other.read(), f"same: {file} of {name}")


def gate():
    """Fill, rest, discharge in one run: fed for a time, held by a gate, let out; the same bits across the gate."""
    boundaries = ("{top: {inflow: {velocity: [0, \"t < 0.9 ? -1 : 0\"], fill: 0.9}}, outlet: {slip: true, opens: 2}, "
                  "axis: {slip: true}, wall: {wall: {friction: 0.3}}}")
    sets = ["mesh.parameters={D: 1, W: 2, H: 2, h: 0.5, across: 3}", "initial.fill=\"y < 0.5\"", f"boundaries={boundaries}",
            "time.step=0.2", "time.smallest=0.025", "output.every=1", "probes.fed.fed=top", "probes.push.force=outlet"]
    tests.run("gate", "emptying", *sets, "time.end=2.6")
    rows = history("gate")
    first = rows[0]["mass"] - rows[0]["fed"]
    worst = max(abs(row["mass"] + row["left"] + row["over"] - row["fed"] - first) for row in rows)
    tests.below(worst, 1e-13, "gate: inside + left - fed")
    tests.below(max(abs(row["ledger_defect"]) for row in rows), 1e-12, "gate: defect")
    tests.below(max(abs(row["ledger_in"] - row["ledger_given"]) for row in rows), 0, "gate: what comes in is given")
    fed = sum(row["ledger_in"] for row in rows) / rows[-1]["fed"]
    tests.below(fed - 0.5, 1e-13, "gate: energy of what is fed at speed 1, in parts of its mass: 1/2")
    closed = [row for row in rows if row["time"] < 2.001]
    tests.check(2.0 in [round(row["time"], 9) for row in rows], "gate: a step ends when it opens")
    tests.check(all(row["left"] == 0 for row in closed) and closed[-1]["push_y"] < -0.1, "gate: it holds the grains")
    tests.check(rows[-1]["left"] > 0.01 and rows[-1]["push_y"] == 0, f"gate: then they leave, {rows[-1]['left']:.3f}")
    case = os.path.join(ROOT, "cases", "emptying")
    rest = [text for override in (*sets, "time.end=2.6") for text in ("--set", override)]
    for name, stop in ("gate-at", 2.0), ("gate-after", 2.2):
        tests.run(name, "emptying", *sets, f"time.end={stop}")
        done = sablier("run", case, "-q", "-o", tests.path(name), "--resume", *rest)
        tests.check(done.returncode == 0, f"{name}: resumed " + done.stderr.strip())
    done = sablier("run", case, "-q", "-o", tests.path("gate-threads"), "--threads", "2", *rest)
    tests.check(done.returncode == 0, "gate: two threads " + done.stderr.strip())
    for name in "gate-at", "gate-after", "gate-threads":
        with open(os.path.join(tests.path("gate"), "history.csv"), "rb") as one, \
                open(os.path.join(tests.path(name), "history.csv"), "rb") as other:
            tests.check(one.read() == other.read(), f"gate: history.csv of {name}")


def group():
    """The elements of a group of the mesh are what the formula says."""
    short = [*COARSE, "time.end=0.12"]
    tests.run("formula", "column", *short)
    tests.run("group", "column", *short, "initial.fill={group: grains}")
    tests.check(history("formula") == history("group"), "group: the same as by the formula")


def pace():
    """Steps that follow the grains: on the grid of the longest, at most that far, with the same bits when resumed or on
    two threads; windows are stretches of time."""
    sets = [*COARSE[:2], *COARSE[3:], "time.step=0.2", "time.smallest=0.02", "time.courant=0.2", "output.every=0.2"]
    summary = tests.run("pace", "column", *sets, "time.end=1.4", "time.window=0.4")
    rows = history("pace")
    times = [0] + [row["time"] for row in rows]
    lengths = {row["length"] for row in rows}
    tests.check(lengths <= {0.2, 0.1, 0.05, 0.025} and len(lengths) > 1, f"pace: lengths {lengths}")
    tests.below(max(abs(b - a - row["length"]) for a, b, row in zip(times, times[1:], rows)), 1e-15, "pace: times")
    tests.check({round(0.2 * k, 9) for k in range(8)} <= {round(t, 9) for t in times}, "pace: all multiples of time.step")
    tests.below(max(row["courant"] for row in rows), 1.25 * 0.2, "pace: Courant number of the grains")
    tests.below(max(abs(row["ledger_defect"]) for row in rows), 1e-12, "pace: defect")
    last = [row for row in rows if row["time"] > 1.0001]
    mean = sum(row["length"] * row["front"] for row in last) / sum(row["length"] for row in last)
    tests.below(summary["probes"]["front"] / mean - 1, 1e-14, "pace: mean in time over the window")
    tests.below(summary["window"]["length"] - 0.4, 1e-15, "pace: length of the window")
    case = os.path.join(ROOT, "cases", "column")
    tests.run("pace-parts", "column", *sets, "time.end=0.6", "time.window=0.4")
    rest = [text for override in (*sets, "time.end=1.4", "time.window=0.4") for text in ("--set", override)]
    done = sablier("run", case, "-q", "-o", tests.path("pace-parts"), "--resume", *rest)
    tests.check(done.returncode == 0, "pace: resumed " + done.stderr.strip())
    done = sablier("run", case, "-q", "-o", tests.path("pace-threads"), "--threads", "2", *rest)
    tests.check(done.returncode == 0, "pace: two threads " + done.stderr.strip())
    for name in "pace-parts", "pace-threads":
        for file in "history.csv", "grains_0002.vtu", os.path.join("profiles", "height.csv"):
            with open(os.path.join(tests.path("pace"), file), "rb") as one, \
                    open(os.path.join(tests.path(name), file), "rb") as other:
                tests.check(one.read() == other.read(), f"pace: {file} of {name}")


def refused():
    case = os.path.join(ROOT, "cases", "column")
    for override, sentence in [
            ("material.dilatancy=0.1", "until it depends on their density"),
            ("time.order=2", "order 1 in time only"),
            ("time.smallest=0.1", "is longer than time.step"),
            ("time.courant=0.1", "only has a meaning beside 'smallest'"),
            ("initial.fill=2", "initial.fill"),
            ("initial.fill=\"x < 1 ? 2 : 0\"", "not between 0 and 1"),
            ("initial={}", "needs initial.fill"),
            ("boundaries.top.traction=[0, -1]", "would act on the void"),
            ("boundaries.base.velocity=[0, 0.1]", "goes through the side"),
            ("boundaries.base.opens=0.1", "0.06 or 0.12 would be"),
            ("boundaries.top.opens=0.12", "no wall to take away"),
            ("boundaries.top={inflow: {velocity: [0, -1]}, traction: 0}", "inflow says all there is to say"),
            ("boundaries.top={inflow: {velocity: [0, -1], fill: 2}}", "out of range"),
            ("boundaries.top={inflow: {fill: 1}}", "inflow.velocity: missing"),
            ("initial.fill={group: nothing}", "there are domain, grains"),
            ("probes.flow.flux=right", "use left"),
            ("probes.energy.integral=kinetic_energy", "use grains")]:
        done = sablier("check", case, *[text for o in [*COARSE, override]
                                        for text in ("--set", o)])
        tests.check(done.returncode == 3 and sentence in done.stderr.replace("\n", " "),
                    f"refused: {override}: {done.returncode} {done.stderr.strip()}")
    for override, sentence in [
            ("probes.grains.grains=mass", "add a section `surface`"),
            ("probes.fed.fed=top", "add a section `surface`"),
            ("time.smallest=0.001", "only has a meaning with time.scheme: inertial")]:
        done = sablier("check", os.path.join(ROOT, "cases", "rest"), "--set", override)
        tests.check(done.returncode == 3 and sentence in done.stderr, f"refused: {override}: {done.stderr.strip()}")
    for override, sentence in [
            ("time.smallest=0.01", "section `surface`"),
            ("boundaries.top={inflow: {velocity: [0, -1]}}", "on a mesh that is full give velocity instead"),
            ("boundaries.wall.opens=1", "is for walls that stay")]:
        done = sablier("check", os.path.join(ROOT, "cases", "silo"), "--set", override, "--set", "probes.load.traction=wall")
        tests.check(done.returncode == 3 and sentence in done.stderr.replace("\n", " "),
                    f"refused: {override}: {done.stderr.strip()}")


column()
heap()
drum()
emptying()
constant()
same()
gate()
group()
pace()
refused()
tests.end()
