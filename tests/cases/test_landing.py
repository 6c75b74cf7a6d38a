#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Surfaces that move, on coarse meshes: a block that falls and lands, grains against an obstacle, a
round column, a heap at rest, a run that is killed fifty times.

    test_landing.py SABLIER_BINARY
"""
import csv
import math
import os
import random
import re
import signal
import subprocess

from case_run import ROOT, Tests

tests = Tests()


def history(name):
    with open(os.path.join(tests.path(name), "history.csv"), encoding="utf-8") as file:
        return [{key: float(value) for key, value in row.items()} for row in csv.DictReader(file)]


def common(name, summary, rows, mass):
    """What holds in every run of a moving surface."""
    tests.check(summary["missed"] == 0, f"{name}: no step misses its tolerance")
    kept = max(abs(row["mass"] + row.get("over", 0) - mass) for row in rows)
    tests.below(kept / mass, 1e-13, f"{name}: mass")
    tests.below(max(abs(row["ledger_defect"]) for row in rows), 1e-12 * mass, f"{name}: defect")
    energy = [row["kinetic"] + row["potential"] - sum(r["ledger_lifted"] for r in rows[:k + 1])
              for k, row in enumerate(rows)]
    gained = max(b - a for a, b in zip(energy, energy[1:]))
    tests.below(max(gained, 0) / energy[0], 1e-6, f"{name}: energy gained in a step, the correction aside")
    tests.below(max(row["excess"] for row in rows), 5e-3, f"{name}: excess of mass")


def unaccounted(rows, step, groups, weight, axes):
    """Momentum + impulses of all walls - that of gravity, at all times: the largest per axis. The light mass of the void, 1e-4
    of the density, has momentum too."""
    worst = {axis: 0.0 for axis in axes}
    for axis in axes:
        impulse = 0.0
        for row in rows:
            impulse += step * sum(row[f"{group}_{axis}"] for group in groups)
            pull = -weight * row["time"] if axis in "yz" else 0.0
            worst[axis] = max(worst[axis], abs(row[f"momentum_{axis}"] + impulse - pull))
    return worst


def block():
    """Free fall is exact until the last element above the bottom, it does not rebound, and what is left of the gap is (1 - dense) h."""
    h, dt = 0.2, 0.025
    summary = tests.run("block", "block", f"mesh.parameters.h={h}", "time.end=1.2", "output.every=0", "probes.sides={force: side}")
    rows = history("block")
    common("block", summary, rows, 0.5)
    falling = [row for row in rows if row["time"] ** 2 / 2 < 0.3 - h]
    fall = max(abs(row["centre_y"] - 0.55 + 0.5 * row["time"] * (row["time"] + dt)) for row in falling)
    tests.check(len(falling) > 10, f"block: {len(falling)} steps of free fall")
    tests.below(fall, 1e-4, "block: free fall")
    tests.below(max(abs(row["floor_y"]) for row in falling), 1e-3, "block: force on the bottom meanwhile")
    lifted = sum(max(row["ledger_lifted"], 0) for row in rows) / 0.5
    rise = max(b["centre_y"] - a["centre_y"] for a, b in zip(rows, rows[1:]))
    tests.below(max(rise, 0), lifted + 1e-5, "block: no rebound, rise in a step beyond the correction of places")
    tests.check(0.2475 < rows[-1]["centre_y"] < 0.25 + 0.2 * h, f"block: mean height at the end {rows[-1]['centre_y']:.4f}")
    tests.below(rows[-1]["speed"], 5e-3, "block: at rest")
    tests.below(rows[-1]["floor_y"] + 0.5, 0.01, "block: the bottom bears the weight")
    lost = unaccounted(rows, dt, ["floor", "sides"], 0.5, "xy")
    tests.below(max(lost.values()), 2e-4, "block: impulse of the bottom and change of momentum")


def dam():
    """The impulse of obstacle, base and wall is the change of momentum; at rest the push is between the active and the passive one."""
    step = 0.08
    summary = tests.run("dam", "dam", "mesh.parameters.h=0.2", f"time.step={step}", "time.end=4.8", "output.every=0")
    rows = history("dam")
    common("dam", summary, rows, 1.0)
    lost = unaccounted(rows, step, ["pushed", "base", "wall"], 1.0, "xy")
    tests.below(max(lost.values()), 2e-4, "dam: impulses and change of momentum")
    tests.check(max(row["momentum_x"] for row in rows) > 0.1, "dam: there was some")
    tests.below(max(abs(row["pushed_x"]) for row in rows if row["time"] < 1.2), 1e-4, "dam: nothing before the grains arrive")
    with open(os.path.join(tests.path("dam"), "profiles", "height.csv"), encoding="utf-8") as file:
        height = max(float(row["height"]) for row in csv.DictReader(file) if 1.7 < float(row["x"]) < 2)
    K = 2 * rows[-1]["pushed_x"] / height ** 2
    active = (1 - 0.4) / (1 + 0.4)
    tests.check(active < K < 1 / active, f"dam: pressure coefficient {K:.2f} between {active:.2f} and {1 / active:.2f}")


def column_round():
    """About an axis the same: mass 2 pi int r, and a front near that of a finer mesh."""
    summary = tests.run("round", "column-round", "mesh.parameters.h=0.2", "time.step=0.08", "time.end=4", "output.every=0",
                        "probes.momentum={grains: momentum}", "probes.base={force: base}", "probes.height.samples=15")
    rows = history("round")
    common("round", summary, rows, math.pi)
    lost = unaccounted([{**row, "momentum_y": row["momentum_z"], "base_y": row["base_z"]} for row in rows], 0.08, ["base"], math.pi,
                       "y")
    tests.below(lost["y"] / math.pi, 2e-4, "round: impulse of the base and change of momentum")
    tests.below(rows[-1]["front"] / 2.464 - 1, 0.06, "round: front, of that with h = 0.12")
    with open(os.path.join(tests.path("round"), "profiles", "height.csv"), encoding="utf-8") as file:
        volume = sum(2 * math.pi * float(row["r"]) * 0.2 * float(row["height"]) for row in csv.DictReader(file))
    tests.below(volume / math.pi - 1, 1e-6, "round: volume under its height")


def along():
    """A heap below its angle whose surface lies along sides of the mesh does not move at all; one that is too steep does."""
    for slope, low, high in (0.3, 0, 1e-6), (0.6, 1e-2, 1):
        tests.run(f"slope {slope}", "heap/along.yaml", "mesh.parameters.h=0.25", f"mesh.parameters.slope={slope}", "time.end=0.8",
                  "mesh.parameters.H=1.8", f"initial.fill=\"y < {slope}*(2.4 - x)\"")
        rows = history(f"slope {slope}")
        fastest = max(row["speed"] for row in rows)
        tests.check(low <= fastest < high, f"along: slope {slope}, largest rms speed {fastest:.1e}")
        tests.below(max(abs(row["mass"] / (2.88 * slope) - 1) for row in rows), 1e-13, "along: mass")


def killed():
    """Killed fifty times, after some steps, some while it reads, meshes or writes: the same bits as if left alone."""
    sets = ["mesh.parameters.h=0.3", "time.end=1", "output.every=0.2"]
    tests.run("alone", "block", *sets)
    chance, kills, runs = random.Random(5), 0, 0
    while kills < 50 and runs < 40:
        path = tests.path(f"killed {runs}")
        while not os.path.exists(os.path.join(path, "summary.json")):
            there = any(os.path.exists(os.path.join(path, name)) for name in ("checkpoint.sab", "checkpoint.previous.sab"))
            steps = chance.randint(-3, 12)  # before it has said anything, if negative
            process = subprocess.Popen([tests.binary, "run", os.path.join(ROOT, "cases", "block"), "-v", "-o", path,
                                        *(["--resume"] if there else []), *(t for o in sets for t in ("--set", o))],
                                       stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            for line in process.stdout if steps >= 0 and kills < 50 else ():
                steps -= re.match(r" +\d+ +[\d.]+ +\d+ ", line) is not None
                if steps < 0:
                    break
            if kills < 50:
                process.kill()
            errors = process.communicate(timeout=60)[1]
            kills += process.returncode == -signal.SIGKILL
            if process.returncode not in (0, -signal.SIGKILL):
                tests.check(False, f"killed: exit code {process.returncode} {errors}")
                return
        runs += 1
        for file in "history.csv", "grains_0005.vtu", "fields_0005.vtu":
            with open(os.path.join(tests.path("alone"), file), "rb") as one, open(os.path.join(path, file), "rb") as other:
                if one.read() != other.read():
                    tests.check(False, f"killed: {file} of run {runs} differs")
                    return
    tests.check(kills == 50, f"killed: {kills} times, {runs} runs with the bits of one left alone")


block()
dam()
column_round()
along()
killed()
tests.end()
