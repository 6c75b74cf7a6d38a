#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The cases of grains, small: exact places, orders, balances, published values.

    test_grains.py SABLIER_BINARY
"""
import csv
import json
import math
import os
import subprocess

from case_run import ROOT, Tests

import sablier  # of postproc

tests = Tests()
STEP = "time.step="


def exact_place(angle, friction, time):
    """Along the slope, of a disc of radius, mass and gravity 1 released at a gap of 1 (docs/theory.md, 12.4)."""
    s, c = math.sin(angle), math.cos(angle)
    impact = math.sqrt(2 / c)
    after, normal, along, x = time - impact, -c * impact, s * impact, 0.5 * s * impact ** 2
    if friction >= math.tan(angle) / 3:
        return x + 2 / 3 * (along * after + 0.5 * s * after ** 2)
    return x + (along + friction * normal) * after + 0.5 * (s - friction * c) * after ** 2


def walls_shown(name, cells, places):
    """walls_NNNN.vtu: {number of the wall: (its force in history.csv, its cells)}, {number: (axis, coordinate)}."""
    corners, data = sablier.Grains(tests.path(name)).walls()
    with open(tests.path(f"{name}/history.csv"), encoding="utf-8") as stream:
        row = list(csv.DictReader(stream))[-1]
    for wall, (probe, count) in cells.items():
        of = data["wall"] == wall
        tests.check(of.sum() == count, f"  wall {wall} has {count} cells: {of.sum()}")
        for k in range(corners.shape[2]):
            force = float(row[f"{probe}_{'xyz'[k]}"])
            tests.below(data["force"][of, k].sum() - force, 1e-12 * (1 + abs(force)), f"  force {'xyz'[k]} on its cells, off {probe}")
    for wall, (axis, place) in places.items():
        tests.below(abs(corners[data["wall"] == wall][:, :, axis] - place).max(), 1e-9, f"  wall {wall} is at {'xyz'[axis]} = {place:.6g}")
    return corners, data


def slope():
    """One disc: the gap of the relaxed law, order 1 of all laws, rolling, and an error that SCoPI stores."""
    summary = tests.run("slope", "grain-slope")
    place = summary["probes"].get("place", [9, 9])
    tests.below(place[1] - 1 - 6.003e-3, 1e-6, "  gap of the relaxed law - 6.003e-3")
    tests.below(summary["probes"].get("force", [9, 9])[1] + math.cos(math.pi / 6), 1e-8, "  normal force + cos 30")
    for law in ("relaxed", "fixed-point", "coulomb"):
        for friction in (0, 0.1, 1):
            error = []
            for step in (0.05, 0.0125):
                summary = tests.run(f"slope {law} {friction} {step}", "grain-slope", f"{STEP}{step}", f"time.window={step}",
                                    f"grains.law={law}", f"walls.plane.friction={friction}")
                place = summary["probes"].get("place", [9, 9])
                error.append(abs(place[0] - exact_place(math.pi / 6, friction, 5)))
            order = math.log2(error[0] / error[1]) / 2
            tests.check(0.85 < order < 1.15, f"  order of the place {order:.3f}, error {error[0]:.3e}")
            if law == "coulomb":
                tests.below(place[1] - 1, 1e-9, "  no gap")
    summary = tests.run("slope stored", "grain-slope", STEP + "0.01", "time.window=0.01", "time.end=10")
    place, x = summary["probes"].get("place", [9, 9]), exact_place(math.pi / 6, 0.1, 10.01)
    error = math.hypot(place[0] - x, place[1] - 1) / math.hypot(x, 1)
    tests.below(error / 1.01117e-3 - 1, 1e-4, "  relative error of SCoPI's own test, off 1.01117e-3")


def column():
    """A small column: it spreads, nothing overlaps, no energy is made, and the floor carries all of it at the end."""
    summary = tests.run("column", "grain-column", "grains.fill.grid=[8, 8]", "time.end=8", "time.window=2", "output.every=4",
                        "grains.friction=0.5", "walls.floor.friction=0.5")
    tests.below(summary.get("grains", {}).get("overlap"), 1e-3, "  overlap")
    tests.below(summary.get("ledger", {}).get("made_share"), 1e-3, "  energy made of nothing")
    tests.below(summary.get("ledger", {}).get("defect"), 1e-9, "  defect of the ledger")
    mass = summary["grains"]["mass"]
    tests.below(summary["probes"]["weight"][1] / mass + 1, 0.05, "  mean force on the floor + weight, in parts of it")
    tests.below(summary["probes"]["weight"][0] / mass, 0.05, "  and along it")
    tests.check(summary["probes"]["high"] - summary["probes"]["low"] > 1.3 * 8 / 3, "  it has spread")
    with open(tests.path("column/history.csv"), encoding="utf-8") as stream:
        last = list(csv.DictReader(stream))[-1]
    shown = max(float(last["residual"]), float(last["compaction"]))
    tests.below(shown / summary["solver"]["merit"] - 1, 1e-8, "  what decides is in the history, off the merit")
    tests.check(summary["solver"].get("gap", 1) <= shown * (1 + 1e-8), "  also where it is the gap")


def box():
    """27 spheres at rest in a box: their weight is on the floor and the walls."""
    summary = tests.run("box", "grain-box", "grains.fill.grid=[3, 3, 3]", "time.end=15", "output.every=15", "walls.east.point=[3.75, 0, 0]",
                        "walls.north.point=[0, 3.75, 0]", "walls.west.friction=0", "walls.east.friction=0",
                        "walls.south.friction=0", "walls.north.friction=0")
    mass = summary["grains"]["mass"]
    tests.below(summary["probes"]["energy"] / mass, 3e-3, "  kinetic energy")
    tests.below(summary["probes"]["weight"][2] / mass + 1, 0.02, "  force on the floor + weight, walls without friction")
    tests.below(summary["grains"]["overlap"], 2e-3, "  overlap")
    corners, data = walls_shown("box", {1: ("weight", 2)}, {0: (0, 3.75), 1: (2, 0), 4: (0, 0)})
    tests.check(len(corners) == 10 and corners[data["wall"] == 0][:, :, 1].max() > 3, "  planes as far as the spheres")


def cube():
    """Outer iterations of the fixed point: 3.5 at friction 0.1 and 8 at 1 in the source, for 512 spheres and more."""
    mean = {}
    for friction in ("0.1", "1"):
        summary = tests.run(f"cube {friction}", "grain-cube", "grains.fill.grid=[5, 5, 5]", "time.end=2.5", "time.window=1.5",
                            "output.every=0", f"grains.friction={friction}", f"walls.floor.friction={friction}")
        tests.below(summary["grains"]["overlap"], 1e-2, "  overlap")
        mean[friction] = summary["grains"]["programs"]
    tests.check(1.5 < mean["0.1"] < 6 and mean["0.1"] < mean["1"] < 13, f"  relaxed programs in a step {mean}")


def ellipses():
    """A small column of ellipses on beads: they overlap by no more than what turning makes, no friction takes energy."""
    summary = tests.run("ellipses", "grain-ellipses", "grains.fill.grid=[4, 5]", "time.end=1.6", "output.every=0",
                        "solver.tolerance=1e-5", "walls.floor.segment=[[-10, 0], [16, 0]]")
    tests.below(summary["ledger"]["defect"], 1e-9, "  defect of the ledger")
    tests.below(summary["ledger"]["friction"] / summary["ledger"]["gravity"], 1e-4, "  friction, in parts of the work")
    tests.below(summary["ledger"]["made_share"], 5e-3, "  energy made of nothing")
    tests.below(summary["grains"]["overlap"], 5e-3, "  overlap, in parts of the smaller axis")


def chute():
    """Discs down a slope that repeats itself: weight and floor make the momentum, along the slope too."""
    summary = tests.run("chute", "grain-chute", "grains.fill.grid=[19, 3]", "time.end=10", "time.window=5", "output.every=10")
    with open(tests.path("chute/history.csv"), encoding="utf-8") as stream:
        rows = [{k: float(v) for k, v in row.items()} for row in csv.DictReader(stream)]
    mass = summary["grains"]["mass"]
    for axis, gravity in (("x", 0.37461), ("y", -0.92718)):
        moves = (rows[-1][f"centre_{axis}"] - rows[-2][f"centre_{axis}"]) / 0.1 - (2 if axis == "x" else 0)
        pushed = sum(gravity - row[f"force_{axis}"] / mass for row in rows) * 0.1
        tests.below(moves - pushed, 0.05, f"  velocity of the centre along {axis}, off that of weight and floor")
    with open(tests.path("chute/profiles/fraction.csv"), encoding="utf-8") as file:
        solid = [float(row["fraction"]) for row in csv.DictReader(file)]
    tests.below(sum(solid) * 0.25 * 24 / mass - 1, 0.2, "  fraction of solid over a height, off what is there")
    tests.check(rows[-1]["centre_x"] > 11, f"  the centre went on across the seam: {rows[-1]['centre_x']:.2f}")
    tests.below(summary["grains"]["overlap"], 1e-3, "  overlap")
    corners, _ = walls_shown("chute", {0: ("force", 24 * 12)}, {})
    tests.below(corners[:, :, 1].max(), 1e-9, "  beads as the discs they are: the highest point")


def nut():
    """A shaken box: the floor does work, energy is accounted for, no grain passes it."""
    summary = tests.run("nut", "brazil-nut", "time.end=8.4", "output.every=4.2", "probes.left={force: left}",
                        "probes.right={force: right}", "probes.moves={grains: momentum}")
    tests.below(summary["ledger"]["defect"], 1e-9, "  defect of the ledger")
    tests.check(summary["ledger"]["walls"] > 10, "  the floor does work")
    tests.below(summary["grains"]["overlap"], 1e-2, "  overlap")
    with open(tests.path("nut/history.csv"), encoding="utf-8") as stream:
        rows = [{k: float(v) for k, v in row.items()} for row in csv.DictReader(stream)]
    mass, step = summary["grains"]["mass"], 0.1
    corners, _ = walls_shown("nut", {0: ("weight", 1), 1: ("left", 1), 2: ("right", 1)}, {1: (0, 0), 2: (0, 8)})
    tests.below(corners[0, :, 1].max() - 1.2 * math.sin(1.5 * 8.4), 1e-3, "  the floor has moved to")
    pushed = -sum(row[w + "_y"] * step for row in rows for w in ("weight", "left", "right")) - mass * 8.4
    tests.below(pushed / rows[-1]["moves_y"] - 1, 1e-9, "  impulses of walls and weight against the momentum at the end")
    result = sablier.Result(tests.path("nut"))
    tests.check(len(result.times) == 3 and result.grains(0).x[0, 1] == 1.5 < result.grains().x[0, 1],
                f"  its frames in Python: {result.times}")


def rest():
    """A disc at rest on a slope: by every method the same, the first step from nothing."""
    for method in ("pg", "apgd", "aspg", "dr", "ipm", "gs", "pdas"):
        summary = tests.run(f"rest {method}", "grain-rest", f"solver.method={method}")
        place, force = (summary["probes"].get(k, [9, 9]) for k in ("place", "force"))
        tests.below(place[0] - 0.25 * 0.05 ** 2 * 20 * 21, 1e-12, "  place along the slope - exact steps")
        tests.below(place[1] - 1, 1e-10, "  and off it")
        tests.below(force[1] + math.cos(math.pi / 6), 1e-8, "  normal force + cos 30")
    sweeps = {m: tests.run(f"rest first {m}", "grain-rest", f"solver.method={m}", "time.end=0.05", "solver.tolerance=1e-3")["solver"]["inner"]
              for m in ("pg", "apgd", "gs")}
    tests.check(sweeps["pg"] > sweeps["apgd"] > sweeps["gs"] > 0, f"  iterations of the first step {sweeps}")


def thrown():
    """A point mass: where it rests, order 1; the heights of two laws fall by 2^1.5; it hops by the relaxed law. A bar whose tip is stopped."""
    place = []
    for step in (0.1, 0.05):
        summary = tests.run(f"thrown {step}", "grain-thrown", f"{STEP}{step}")
        tests.check(summary.get("warnings") == [], f"  no warning: {summary.get('warnings')}")
        place.append(summary["probes"].get("place", [9, 9])[0])
    tests.below(2 * place[1] - place[0] - 15.9, 1e-6, "  where it rests, extrapolated, - 15.9")
    tests.below((15.9 - place[0]) / (15.9 - place[1]) - 2, 1e-3, "  order 1: ratio of the errors - 2")
    apart = []
    for k in range(4):
        step = 0.1 / 2 ** k
        y = []
        for law in ("coulomb", "relaxed"):
            name = f"thrown {law} {step}"
            tests.run(name, "grain-thrown", f"{STEP}{step}", f"grains.law={law}", "time.end=4")
            with open(tests.path(name + "/history.csv"), encoding="utf-8") as file:
                y.append([float(row["place_y"]) for row in csv.DictReader(file)])
        apart.append(math.dist(*y) / 2 ** k)
    for value, known in zip(apart, (2.578e-1, 8.672e-2, 3.037e-2, 1.068e-2)):
        tests.below(value / known - 1, 1e-3, f"  heights of both laws, off {known}")
    tests.below(apart[2] / apart[3] / math.sqrt(8) - 1, 1e-2, "  their ratio, off 2^1.5")
    tests.run("hop", "grain-thrown", "grains.fill.file=touching.csv", "grains.law=relaxed", "time.end=4", f"{STEP}0.01")
    with open(tests.path("hop/history.csv"), encoding="utf-8") as file:
        high = max(float(row["place_y"]) for row in csv.DictReader(file)) - 1
    tests.below(high / (0.5 * (0.9 / 1.09) ** 2) - 1, 0.02, "  it hops to (mu v/(1 + mu^2))^2/2")
    velocity = tests.run("painleve", "grain-thrown/painleve.yaml")["probes"].get("velocity", [9, 9])
    tests.below(math.hypot(velocity[0] + 1.2, velocity[1] - 1.2), 1e-2, "  a tip that is stopped: velocity - (-1.2, 1.2)")
    force = tests.run("below", "grain-thrown/painleve.yaml", "walls.plane.friction=1.4")["probes"].get("force", [9, 9])
    tests.below(force[1] / -49.05 - 1, 1e-3, "  one that slides on: force off -49.05")


def active():
    """Contacts without friction: active sets, sweeps and gradients agree; plain sweeps are more than conjugate ones, projections more than both."""
    ball = tests.run("ball", "grain-active/ball.yaml", "time.end=0.02")["probes"].get("place", [9, 9, 9])
    tests.below(ball[0] - 0.01 - 1.5 * 0.02, 1e-12, "  way of the ball - speed * time")
    tests.below(ball[2] - 0.01, 1e-12, "  its height")
    found, energy = {}, {}
    for method in ("pdas", "gs", "pg", "aspg", "dr-aa"):
        summary = tests.run(f"active {method}", "grain-active", f"solver.method={method}", "time.end=0.01", "time.window=5e-5", "output.every=0")
        found[method], energy[method] = summary["solver"].get("inner", 0), summary["probes"].get("energy", 9)
        tests.below(energy[method] / energy["pdas"] - 1, 1e-7, "  kinetic energy, off that of pdas")
        tests.below(summary["grains"]["overlap"], 1e-7, "  overlap")
    tests.check(energy["pdas"] > 1e5 and found["pg"] > 2 * found["pdas"] and found["pdas"] > found["gs"] > 0, f"  iterations {found}")


def profile_of(folder, name, fields, rows):
    os.makedirs(f"{folder}/profiles", exist_ok=True)
    with open(f"{folder}/profiles/{name}.csv", "w", encoding="utf-8") as file:
        csv.writer(file).writerows([("s", "x", "y", *fields), *rows])


def made(folder, summary, case, history):
    """The files of a result that say what is known."""
    os.makedirs(folder)
    with open(f"{folder}/summary.json", "w", encoding="utf-8") as file:
        json.dump({"good": True, "status": "finished", "warnings": [], **summary}, file)
    with open(f"{folder}/case.resolved.yaml", "w", encoding="utf-8") as file:
        file.write(case)
    with open(f"{folder}/history.csv", "w", encoding="utf-8") as file:
        csv.writer(file).writerows(history)


def table_of(name, points):
    with open(tests.path(f"{name}/results.csv"), "w", encoding="utf-8") as file:
        csv.writer(file).writerows([("point", "status", "exit", "left_out"), *((p, "finished", "1" if why else "0", why) for p, why in points)])


def script(name, *arguments):
    return subprocess.run([os.path.join(ROOT, "postproc", name), *arguments], capture_output=True, text=True, check=False)


def layer(name, number, pace=1.0, stops=False, push=1.0):
    """A run of a layer 10 high on a slope of 20 degrees, with Bagnold's profile of this inertial number."""
    slope, fraction, high = math.radians(20), 0.8, 10
    folder = tests.path(f"slopes/points/{name}")
    x, history = 0.0, [("time", "centre_x")]
    for step in range(1, 101):
        x += 0.1 * (0.0 if stops and step > 90 else 2.0 * (pace if step > 75 else 1.0))
        history.append((0.1 * step, x))
    made(folder, {"grains": {"radius_min": 0.4, "radius_max": 0.6}, "window": {"length": 5.0}, "probes": {"force": [push * math.tan(slope), -1]}},
         'gravity: ["sin(20*pi/180)", "-cos(20*pi/180)"]\n', history)
    heights = [0.05 * i for i in range(281)]
    depth = [max(high - y, 0.0) for y in heights]
    scale = 2 / 3 * number * math.sqrt(fraction * math.cos(slope))
    profile_of(folder, "velocity", ("velocity_x", "velocity_y"), [(y, 0, y, scale * (high ** 1.5 - d ** 1.5), 0) for y, d in zip(heights, depth)])
    profile_of(folder, "fraction", ("fraction",), [(y, 0, y, fraction if d > 0 else 0) for y, d in zip(heights, depth)])
    profile_of(folder, "pressure", ("pressure",), [(y, 0, y, fraction * math.cos(slope) * d) for y, d in zip(heights, depth)])


def rheology():
    """The inertial number of Bagnold's profile; runs that stop, change, accelerate or missed are named and left out."""
    layer("good", 0.1)
    layer("stopped", 0.1, stops=True)
    layer("faster", 0.1, pace=1.3)
    layer("pushed", 0.1, push=1.05)
    table_of("slopes", [("good", ""), ("stopped", ""), ("faster", ""), ("pushed", ""), ("missed", "3 of 9 steps missed")])
    run = script("rheology.py", tests.path("slopes"), tests.path("rheology.csv"), "--picture", tests.path("rheology.png"))
    tests.check(run.returncode == 0, f"rheology.py {run.stderr[-300:]}")
    for said in ("stopped: it stopped", "faster: its speed changes by", "pushed: friction on the floor 0.3822", "missed: 3 of 9"):
        tests.check(f"left out: {said}" in run.stdout, f"  it says {said}")
    with open(tests.path("rheology.csv"), encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    tests.check(len(rows) == 1 and rows[0]["point"] == "good", "  one run is left")
    tests.below(float(rows[0]["I"]) / 0.1 - 1, 5e-3, "  its inertial number, off that of the profile")
    tests.below(float(rows[0]["I_uneven"]), 5e-4, "  the same over the height")
    tests.below(float(rows[0]["pressure_ratio"]) - 1, 1e-2, "  pressure of the contacts over the weight")


SMALL = ("mesh.parameters.W=16", "mesh.parameters.H=12", "walls.left.point=[-8, 0]", "walls.right.point=[8, 0]", "grains.fill.grid=[12, 8]",
         "grains.fill.low=[-7.38, 0.1]", "output.every=0", "probes.low={line: [[-7, 2], [7, 2]], samples: 5}",
         "probes.high={line: [[-7, 4], [7, 4]], samples: 5}", "probes.across={line: [[-7, 1], [7, 1]], samples: 8, field: pressure}",
         "probes.wall={line: [[-7, 0.5], [-7, 6]], samples: 8, field: pressure}", "probes.axis={line: [[0, 0.5], [0, 6]], samples: 8}")


def twin():
    """The same probes of grains and continuum; coarse: fields of grains that settle on the gate; both drawn."""
    grains = tests.run("twin", "twin-silo", *SMALL, "probes.fraction={line: [[0, 0.5], [0, 5]], samples: 10, field: fraction}", "time.end=9",
                       "time.window=1", "output.every=9")
    tests.check(grains["grains"]["left"] == 0 and grains["probes"]["discharge"] == 0, "  the gate holds")
    with open(tests.path("twin/profiles/fraction.csv"), encoding="utf-8") as file:
        solid = [float(row["fraction"]) for row in csv.DictReader(file)]
    tests.check(0.7 < sum(solid) / len(solid) < 0.9, f"  fraction of solid at rest: {sum(solid) / len(solid):.3f}")
    with open(tests.path("twin/profiles/across.csv"), encoding="utf-8") as file:
        mean = sum(float(row["pressure"]) for row in csv.DictReader(file)) / 8
    # of discs without cohesion at rest, some 4.8 of packing above: at most that weight, and not nothing
    tests.check(0.3 * 4.8 * 0.8 < mean < 1.2 * 4.8 * 0.8, f"  mean pressure at y = 1: {mean:.3f}")
    walls_shown("twin", {0: ("bottom", 6), 2: ("left", 1), 4: ("right", 1)}, {})
    tests.check(len(sablier.Grains(tests.path("twin"), 0).contacts()[0]) == 0, "  no contacts before the first step")
    emptying = tests.run("twin open", "twin-silo", *SMALL, "probes.fraction={line: [[0, 0.5], [0, 5]], samples: 10, field: fraction}",
                         "mesh.parameters.D=6", "mesh.parameters.across=6", "walls.gate.until=3", "time.end=7", "time.window=2")
    tests.check(emptying["grains"]["left"] > 3, f"  and opens: {emptying['grains']['left']:.3g} has left")
    continuum = tests.run("twin continuum", "twin-silo/continuum.yaml", *SMALL[:2], *SMALL[7:], "mesh.parameters.D=6", "mesh.parameters.h=4",
                          "mesh.parameters.across=2", "time.end=0.2", "time.window=0.1")
    tests.check(set(grains["probes"]) - {"fraction"} == set(continuum["probes"]), "  the probes are the same")
    run = script("twin.py", tests.path("twin open"), tests.path("twin continuum"), tests.path("both.png"), "--all", "--height", "1")
    tests.check(run.returncode == 0 and os.path.getsize(tests.path("both.png")) > 1000, f"twin.py {run.stderr[-300:]}")


def filling(folder, kind, outlet, flow, speed, begins=0.0):
    """A run of 100 steps with a discharge, and a straight line of velocity."""
    out = 0.05 if kind == "grains" else 0.0
    history = [("time", "discharge", "left"), *((0.1 * k, flow, 0.1 * begins if k <= 10 else out) for k in range(1, 101))]
    what = {"grains": {"mass": 10.0}} if kind == "grains" else {}
    made(folder, {**what, "window": {"length": 5.0}, "probes": {"discharge": flow, "axis": "profiles/axis.csv"}},
         f"mesh:\n  parameters: {{D: {outlet}, H: 9, W: 4}}\n", history)
    profile_of(folder, "axis", ("velocity_x", "velocity_y"), [(y, 0, y, 0, -speed * y) for y in (0, 1, 2)])


def twin_numbers():
    """Numbers that are known: fillings, windows, and the ends of intervals of a continuum."""
    for name, outlet, flow, begins in (("D=1", 1, 0.8, 0.5), ("D=2", 2, 2.4, 0.5), ("D=3", 3, 9.9, 4.0)):
        filling(tests.path(f"solid/points/{name}"), "grains", outlet, flow, 1.0, begins)
        filling(tests.path(f"both/points/{name}"), "continuum", outlet, 2.0 * flow, 2.0)
    filling(tests.path("both/points/b"), "grains", 2, 2.0, 1.2, 0.5)
    filling(tests.path("both/points/low"), "continuum", 2, 4.8 - 0.3, 1.7)
    filling(tests.path("both/points/high"), "continuum", 2, 4.8 - 0.4, 1.6)
    for name, points in (("solid", ("D=1", "D=2", "D=3")), ("both", ("b", "D=3", "D=2", "D=1", "low", "high"))):
        table_of(name, [(p, "") for p in points])
    asked = (tests.path("solid"), tests.path("both"), tests.path("known.png"), "--fraction", "0.8", "--table", tests.path("known.csv"))
    run = script("twin.py", *asked)
    tests.check(run.returncode == 0, f"twin.py {run.stderr[-300:]}")
    # fillings 2.4 and 2: mean 2.2, deviation 0.2828; ends -0.3 and -0.4 of 4.8: -8.3 %
    for said in ("D=3: its window begins when", "discharge of 2 fillings at D = 2: 2.200, deviation 0.283", "by -8.3 to +0.0 %",
                 "D = 1: grains 0.800 +/- 0.103 of solid, 1.000 of packing", "continuum 1.600 +/- 0.067; ratio 0.625"):
        tests.check(said in run.stdout, f"  it says {said}")
    with open(tests.path("known.csv"), encoding="utf-8") as file:
        rows = {(row["kind"], float(row["D"])): float(row["Q"]) for row in csv.DictReader(file)}
    tests.check(len(rows) == 5 and abs(rows["grains", 2.0] - 2.75) < 1e-12 and rows["continuum", 3.0] == 19.8, "  and writes")
    profile_of(tests.path("both/points/D=2"), "axis", ("velocity_x", "velocity_y"), [(y, 0.1, y, 0, 0) for y in (0, 1, 2)])
    tests.check("along another line" in script("twin.py", *asked).stderr, "  profiles along other lines are refused")


slope()
column()
box()
cube()
ellipses()
chute()
nut()
rest()
thrown()
active()
rheology()
twin()
twin_numbers()
tests.end()
