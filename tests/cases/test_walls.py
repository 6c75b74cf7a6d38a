#!/usr/bin/python3
"""Walls with friction: Janssen's column, the ends of friction in a silo, mass and funnel flow, resume.

    test_walls.py SABLIER_BINARY
"""
import csv
import math
import os
import shutil
import subprocess

from case_run import ROOT, Tests

tests = Tests()


def rows(name, probe="load"):
    with open(os.path.join(tests.path(name), "profiles", probe + ".csv"), encoding="utf-8") as file:
        return [{k: float(v) for k, v in row.items()} for row in csv.DictReader(file)]


def text(name, probe="load"):
    with open(os.path.join(tests.path(name), "profiles", probe + ".csv"), encoding="utf-8") as file:
        return file.read()


def janssen():
    """The formula with the exact mean K, between the top and the end of the column."""
    for taper, K, bound, rough in (("0.2", 0.5418, 0.01, 0.02), ("-0.2", 1.8190, 0.04, 0.08)):
        summary = tests.run(f"janssen {taper}", "janssen", "mesh.parameters.taper=" + taper)
        error = [row["normal"] / (10 * (1 - math.exp(-0.1 * K * (12 - row["y"])))) - 1
                 for row in rows(f"janssen {taper}") if 0.5 <= row["y"] <= 4]
        tests.below(sum(error) / len(error), bound, "  wall pressure against Janssen's, mean")
        tests.below((sum(e * e for e in error) / len(error)) ** 0.5, rough, "  and rms")
        load = summary["wall_loads"]["load"]
        tests.below(load["K"] / K - 1, 0.02, "  K")
        tests.check(load["determined"] == 1, "  all of the wall slides")
        bottom = -summary["probes"]["floor"][1]
        tests.below((bottom + 0.1 * sum_normal(f"janssen {taper}", taper)) / load["weight"] - 1, 0.02,
                    "  floor and wall carry the weight")


def sum_normal(name, taper):
    """int of the normal stress, by the trapezoidal rule; friction/0.1, and the slope of the wall."""
    table = rows(name)
    slope = math.tan(math.radians(float(taper)))
    total = sum((b["s"] - a["s"]) * (a["normal"] + b["normal"]) / 2 for a, b in zip(table, table[1:]))
    return total * (1 - slope / 0.1) if taper else total


def ends_of_friction():
    """Without friction a wall is slip, with much of it no slip: within 0.1 % of the discharge."""
    coarse = ("time.end=1.5", "time.step=0.1", "time.order=1", "time.steady=0", "time.window=0.5",
              "mesh.parameters={D: 1, W: 3, H: 3, h: 0.6, across: 6}", "output.every=0",
              "solver.tolerance=3e-3", "probes={discharge: {flux: outlet}}")
    for friction, other in (("0", "{slip: true}"), ("10", "{velocity: [0, 0]}")):
        wall = tests.run("wall " + friction, "silo", f"boundaries.wall={{wall: {{friction: {friction}}}}}",
                         *coarse)
        end = tests.run("end " + friction, "silo", "boundaries.wall=" + other, *coarse)
        tests.below(wall["probes"]["discharge"] / end["probes"]["discharge"] - 1, 1e-3,
                    f"  friction {friction} against {other}")


HOPPER = ("time.end=1", "time.steady=0", "time.window=0.5",
          "mesh.parameters={D: 1, W: 3, H: 1.5, angle: 20, h: 0.5, across: 4}")


def hopper():
    """A steep smooth hopper slides as a whole, a flat rough one does not; forces agree."""
    steep = tests.run("steep", "hopper", *HOPPER, "mesh.parameters.angle=15", "boundaries.wall.wall.friction=0.1")
    flat = tests.run("flat", "hopper", *HOPPER, "mesh.parameters.angle=70", "boundaries.wall.wall.friction=0.8")
    tests.check(steep["wall_loads"]["load"]["flow"] == "mass", "  steep and smooth: mass flow")
    tests.check(flat["wall_loads"]["load"]["slip_ratio"] < steep["wall_loads"]["load"]["slip_ratio"],
                "  flat and rough: slower along the wall")
    for summary in (steep, flat):
        tests.check(0 <= summary["solver"]["gap_wall"] <= summary["solver"]["gap"], "  gap of walls is a part")
        tests.check(summary["probes"]["rubbed"] > 0, "  walls dissipate")


def resume():
    """A run that stops and goes on is the one that does not; another wall is refused."""
    whole = tests.run("whole", "hopper", *HOPPER)
    tests.run("parts", "hopper", *HOPPER, "time.end=0.5", "output.checkpoint=0")
    command = [tests.binary, "run", os.path.join(ROOT, "cases", "hopper"), "-q", "-o", tests.path("parts"),
               "--resume"]
    for item in HOPPER:
        command += ["--set", item]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    tests.check(done.returncode == 0, "resume: " + done.stderr.strip())
    tests.check(text("whole") == text("parts"), "  the same loads")
    state = os.path.join(tests.path("whole"), "checkpoint.sab")
    shutil.copy(state, tests.path("state.sab"))
    subprocess.run([tests.binary, "run", os.path.join(ROOT, "cases", "hopper"), "-q", "-o", tests.path("other"),
                    *[x for item in HOPPER for x in ("--set", item)],
                    "--set", "initial.from=" + tests.path("state.sab"), "--set", "time.end=0.2",
                    "--set", "boundaries.wall={velocity: [0, 0]}", "--set", "probes={discharge: {flux: outlet}}"],
                   capture_output=True, text=True, check=False)
    tests.check(not os.path.exists(os.path.join(tests.path("other"), "summary.json")),
                "  a state with walls is refused by a flow without")
    tests.check(whole["mesh"]["wall_points"] > 0, "  points on walls are counted")


def slab():
    """Exact in one step from rest; it rests on a rougher slope."""
    tests.below(tests.run("slab", "slab")["errors"].get("relative_L2"), 1e-6, "  speed of the slab")
    shear = "(1-y)*sin(25*pi/180)"
    rest = tests.run("slab at rest", "slab", "boundaries.bottom.wall.friction=0.4668",
                     "boundaries.left.traction=['(1-y)*cos(25*pi/180)', '-" + shear + "']",
                     "boundaries.right.traction=['-(1-y)*cos(25*pi/180)', '" + shear + "']")
    tests.below(math.hypot(*rest["probes"]["speed"]), 1e-8, "  at 1.001 tan it rests")


def periodic():
    """Bagnold's profile on a chute without ends; sides that do not match are refused."""
    chute = tests.run("periodic", "chute/periodic.yaml")
    tests.below(chute["errors"].get("relative_L2"), 5e-3, "  Bagnold's profile, L2")
    for i, weight in enumerate((math.sin(math.radians(26)), -math.cos(math.radians(26)))):
        tests.below(chute["probes"]["force"][i] - weight, 1e-6, "  the bottom carries the weight")
    done = subprocess.run([tests.binary, "run", os.path.join(ROOT, "cases", "chute", "periodic.yaml"), "-q",
                           "-o", tests.path("mismatch"), "--set", "mesh.parameters.L=2", "--set",
                           "boundaries={left: {periodic: top}, right: {traction: 0}, bottom: {velocity: [0, 0]}}"],
                          capture_output=True, text=True, check=False)
    tests.check(done.returncode == 3 and "boundaries.left.periodic" in done.stderr, done.stderr.strip())


slab()
janssen()
periodic()
ends_of_friction()
hopper()
resume()
tests.end()
