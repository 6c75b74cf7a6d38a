#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The cases of grains, small: exact places, orders, balances, published values.

    test_grains.py SABLIER_BINARY
"""
import csv
import math
import os
import subprocess

from case_run import ROOT, Tests

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


def box():
    """27 spheres at rest in a box: their weight is on the floor and the walls."""
    summary = tests.run("box", "grain-box", "grains.fill.grid=[3, 3, 3]", "time.end=15", "output.every=0", "walls.east.point=[3.75, 0, 0]",
                        "walls.north.point=[0, 3.75, 0]", "walls.west.friction=0", "walls.east.friction=0",
                        "walls.south.friction=0", "walls.north.friction=0")
    mass = summary["grains"]["mass"]
    tests.below(summary["probes"]["energy"] / mass, 3e-3, "  kinetic energy")
    tests.below(summary["probes"]["weight"][2] / mass + 1, 0.02, "  force on the floor + weight, walls without friction")
    tests.below(summary["grains"]["overlap"], 2e-3, "  overlap")


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
    summary = tests.run("chute", "grain-chute", "grains.fill.grid=[20, 3]", "time.end=10", "time.window=5", "output.every=0")
    with open(tests.path("chute/history.csv"), encoding="utf-8") as stream:
        rows = [{k: float(v) for k, v in row.items()} for row in csv.DictReader(stream)]
    mass = summary["grains"]["mass"]
    for axis, gravity in (("x", 0.37461), ("y", -0.92718)):
        moves = (rows[-1][f"centre_{axis}"] - rows[-2][f"centre_{axis}"]) / 0.1
        pushed = sum(gravity - row[f"force_{axis}"] / mass for row in rows) * 0.1
        tests.below(moves - pushed, 0.05, f"  velocity of the centre along {axis}, off that of weight and floor")
    tests.check(rows[-1]["centre_x"] > 11, f"  the centre went on across the seam: {rows[-1]['centre_x']:.2f}")
    tests.below(summary["grains"]["overlap"], 1e-3, "  overlap")


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
    pushed = -sum(row[w + "_y"] * step for row in rows for w in ("weight", "left", "right")) - mass * 8.4
    tests.below(pushed / rows[-1]["moves_y"] - 1, 1e-9, "  impulses of walls and weight against the momentum at the end")


def twin():
    """The same probes of grains and continuum; coarse: fields of grains that settle on the gate."""
    grains = tests.run("twin", "twin-silo", "grains.fill.grid=[16, 4]", "time.end=9", "time.window=1", "output.every=9")
    tests.check(grains["grains"]["left"] == 0 and grains["probes"]["discharge"] == 0, "  the gate holds")
    opened = tests.run("twin open", "twin-silo", "grains.fill.grid=[16, 4]", "time.end=9", "time.window=5", "output.every=9",
                       "walls.gate.until=3")
    tests.check(opened["grains"]["left"] > 10, f"  and opens: {opened['grains']['left']:.3g} has left")
    tests.below(opened["probes"]["discharge"] * 5 / opened["grains"]["left"] - 1, 0.35, "  discharge of the window, in parts of what left")
    continuum = tests.run("twin continuum", "twin-silo/continuum.yaml", "mesh.parameters.h=5", "mesh.parameters.across=2",
                          "time.end=0.2", "time.window=0.1")
    tests.check(set(grains["probes"]) == set(continuum["probes"]), "  the probes are the same")
    with open(tests.path("twin/profiles/stress.csv"), encoding="utf-8") as table:
        rows = [line.split(",") for line in table.read().split()[1:]]
    mean = sum(float(row[3]) for row in rows) / len(rows)
    # of discs without cohesion at rest, 1.6 below the surface of some 0.8: at most the weight above
    tests.check(-0.2 < mean < 2.5, f"  mean pressure at y = 3: {mean:.3f}")


def made_study(name, head, rows):
    """Files of a study as postproc reads them, with values that are known."""
    for row in rows:
        folder = tests.path(f"{name}/points/{row[0]}")
        os.makedirs(f"{folder}/profiles")
        with open(f"{folder}/summary.json", "w", encoding="utf-8") as file:
            file.write("{}")
        with open(f"{folder}/profiles/axis.csv", "w", encoding="utf-8") as file:
            file.write("s,x,y,velocity_x,velocity_y\n0,0,0,0,-2\n1,0,1,0,-1\n")
    with open(tests.path(f"{name}/results.csv"), "w", encoding="utf-8") as file:
        csv.writer(file).writerows([("point", *head, "probes.discharge", "probes.bottom_y", "status", "exit", "left_out"), *rows])


def twin_friction():
    """Friction read off a straight line: where the mean of the fillings is, and the ends of its interval."""
    head, done = ("mesh.parameters.D", "material.mu_i.static"), ("finished", "0", "")
    made_study("fluid", head, [(f"{d}-{x}", d, x, 10 * d - 10 * x, -100, *done) for d in (1, 2) for x in (0.1, 0.3, 0.5)])
    made_study("solid", ("grains.fill.seed",), [("a", 1, 6.9, -90, *done), ("b", 2, 7.1, -110, *done), ("c", 3, 99, -1, "finished", "1", "missed")])
    # mean 7, deviation 0.1414, n = 2: half = 12.706 * 0.1 = 1.2706, so 0.3 +/- 0.12706
    run = subprocess.run([os.path.join(ROOT, "postproc/twin_friction.py"), tests.path("solid"), tests.path("fluid"), tests.path("twin.png"),
                          "--fraction", "1", "0"], capture_output=True, text=True, check=False)
    tests.check(run.returncode == 0 and os.path.getsize(tests.path("twin.png")) > 1000, f"twin_friction.py {run.stderr[-300:]}")
    for said in ("left out: c (missed)", "discharge: grains 7.000 +/- 1.271", "friction 0.300, from 0.173 to 0.427",
                 ": no friction of this range"):
        tests.check(said in run.stdout, f"  it says {said.strip()}")


slope()
column()
box()
cube()
ellipses()
chute()
nut()
twin()
twin_friction()
tests.end()
