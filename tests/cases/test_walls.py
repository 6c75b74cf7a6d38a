#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Walls with friction: Janssen's column, the ends of friction in a silo, mass and funnel flow, resume.

    test_walls.py SABLIER_BINARY
"""
import csv
import math
import os
import re
import shutil
import subprocess
import sys

from case_run import ROOT, Tests

tests = Tests()


def rows(name, probe="load"):
    with open(os.path.join(tests.path(name), "profiles", probe + ".csv"), encoding="utf-8") as file:
        return [{k: float(v) for k, v in row.items()} for row in csv.DictReader(file)]


def text(name):
    """The loads, and all steps with their probes, iterations and certificates, to the last bit."""
    both = ""
    for part in ("profiles/load.csv", "history.csv"):
        with open(os.path.join(tests.path(name), part), encoding="utf-8") as file:
            both += file.read()
    return both


def janssen_of(K, taper, depth, steps=400):
    """Janssen's pressure in a column that widens: d(a sigma)/dz = a - r (mu_w - taper), r = K sigma."""
    def slope(z, q):
        a = 1 + taper * z
        return a - K * q / a * (0.1 - taper)
    q, h = 0.0, depth / steps
    for k in range(steps):
        q += h * slope((k + 0.5) * h, q + h / 2 * slope(k * h, q))
    return K * q / (1 + taper * depth)


def balanced(summary, probe="load"):
    """Gravity = inertia + the forces on all entries, vectors."""
    balance = summary["wall_loads"][probe]["balance"]
    parts = [[v] if not isinstance(v, list) else v for v in
             (balance["gravity"], balance["inertia"], *balance["forces"].values())]
    size = max(abs(x) for part in parts for x in part)
    for i in range(len(parts[0])):
        tests.below((parts[0][i] - sum(part[i] for part in parts[1:])) / size, 1e-8, "  forces in balance")
    tests.below(balance["defect"], 1e-8, "  and the run says so")
    return balance


def roughness(values):
    """rms of what a parabola through five neighbours leaves, relative."""
    left = [1 - sum(c * v for c, v in zip((-3, 12, 17, 12, -3), values[i - 2:i + 3])) / 35 / values[i]
            for i in range(2, len(values) - 2)]
    return (sum(x * x for x in left) / len(left)) ** 0.5


def janssen():
    """The formula with the exact mean K, far from the top and from the waves of the bottom."""
    for taper, K, rough in (("0.2", 0.5418, 0.005), ("-0.2", 1.8190, 0.015)):
        summary = tests.run(f"janssen {taper}", "janssen", "mesh.parameters.taper=" + taper)
        slope = math.tan(math.radians(float(taper)))
        error = [row["normal"] / janssen_of(K, slope, 24 - row["y"]) - 1
                 for row in rows(f"janssen {taper}") if 12 <= row["y"] <= 16]
        tests.below(sum(error) / len(error), 0.01, "  wall pressure against Janssen's, mean")
        tests.below((sum(e * e for e in error) / len(error)) ** 0.5, rough, "  and rms")
        load = summary["wall_loads"]["load"]
        tests.below(load["K"] / K - 1, 0.01, "  K")
        tests.below(roughness([row["normal"] for row in rows(f"janssen {taper}") if 4 <= row["y"] <= 20]), 0.01,
                    "  roughness of the wall pressure, rms")
        tests.check(load["determined"] > 0.98, "  all of the wall slides")
        forces = -summary["probes"]["floor"][1] - summary["probes"]["held"][1]
        tests.below(forces / load["weight"] - 1, 1e-6, "  floor and wall carry the weight")
        balanced(summary)
        tests.below(load["bottom"] / -summary["probes"]["floor"][1] - 1, 1e-9, "  the bottom is that of the floor")
        # the mean vertical stress is that on the floor there, and no entry is left out
        width = 1 + slope * 24
        tests.below(load["vertical"] * width / load["bottom"] - 1, 0.01, "  vertical stress at the floor")


def radial():
    """Jenike's field: stress on the wall and speed along it over that of the axis."""
    summary = tests.run("radial", "radial", "mesh.parameters.n=4")
    sys.path.insert(0, os.path.join(ROOT, "cases", "radial"))
    import field
    stress, speed = field.wall_values(0.3, field.solve(0.3, 25, 0.1))
    fits = field.polynomials(0.3, field.solve(0.3, 25, 0.1))
    with open(os.path.join(ROOT, "cases", "radial", "case.yaml"), encoding="utf-8") as file:
        case = file.read()
    tests.check(all("%.8g" % value in case for fit, _ in fits.values() for value in abs(fit)),
                "  the case has the polynomials of field.py")
    with open(os.path.join(tests.path("radial"), "profiles", "axis.csv"), encoding="utf-8") as file:
        axis = [(float(row["y"]), -float(row["velocity_y"])) for row in csv.DictReader(file)]

    def on_axis(r):
        k = max(i for i, (y, _) in enumerate(axis[:-1]) if y <= r)
        (a, u), (b, v) = axis[k], axis[k + 1]
        return (u * a * (b - r) + v * b * (r - a)) / (b - a) / r  # r u is nearly constant
    off = [(row["normal"] / r / stress - 1, abs(row["slip"]) / on_axis(r) / speed - 1)
           for row in rows("radial") for r in (math.hypot(row["x"], row["y"]),) if 1.2 < r < 3.8]
    tests.below(max(abs(a) for a, _ in off), 5e-3, "  stress on the wall")
    tests.below(max(abs(b) for _, b in off), 1.5e-2, "  speed of the wall over that of the axis")
    tests.below(summary["errors"].get("relative_L2"), 5e-3, "  velocity")


def couette():
    """The four regimes of shear along a wall."""
    regimes = (("slips and shears", "0.2", "0.5", "0", "0.6+2*y"), ("sticks and shears", "0.6", "0.5", "0", "2*y"),
               ("slides as a plug", "0.2", "0.25", "0", "0.1"), ("on a belt", "0.2", "0.5", "0.7", "1.3+2*y"))
    for name, friction, T, speed, exact in regimes:
        summary = tests.run(name, "couette", "mesh.parameters.n=2", "boundaries.bottom.wall.friction=" + friction,
                            f"boundaries.top.traction=[{T}, -1]", "boundaries.bottom.wall.speed=" + speed,
                            f"exact.velocity=['{exact}', 0]")
        tests.below(summary["errors"].get("relative_Linf"), 1e-8, "  velocity")
        tests.below(abs(summary["probes"]["held"][0] - float(T)) + abs(summary["probes"]["held"][1] + 1), 1e-7,
                    "  force on the wall")


def by_hand():
    """postproc/hand.py: Walker's slices with the F of Jenike's field, which is exact; it needs a result."""
    def script(*args):
        return subprocess.run([sys.executable, os.path.join(ROOT, "postproc", "hand.py"), *args], capture_output=True,
                              text=True, check=False)
    done = script(tests.path("radial"))
    found = re.search(r"F = p_n/p_v = ([\d.]+), Walker's ([\d.]+)", done.stdout)
    tests.check(done.returncode == 0 and found is not None, "hand.py: " + done.stderr.strip())
    if found is not None:
        sys.path.insert(0, os.path.join(ROOT, "cases", "radial"))
        import field
        stress, beta = field.wall_values(0.3, field.solve(0.3, 25, 0.1))[0] / math.cos(math.radians(25)), math.radians(25)
        exact = 2 * stress / (stress * (1 + 0.1 / math.tan(beta)) - 1)
        tests.below(float(found.group(1)) / exact - 1, 0.01, "  F of the wedge against that of the radial field")
        tests.below(float(found.group(2)) / 1.3782 - 1, 1e-4, "  Walker's")
    tests.check("Janssen" in script(tests.path("janssen 0.2")).stdout, "  a bin")
    refused = script(tests.path("in space"))
    tests.check(refused.returncode == 1 and "of the plane" in refused.stderr, "  not in space: " + refused.stderr.strip())
    refused = script(tests.path("radial"), "--probe", "lod")
    tests.check(refused.returncode == 1 and "hand.py: error: " in refused.stderr and "lod.csv" in refused.stderr, "  no such probe: " + refused.stderr.strip())


def laws():
    """Laws whose friction or viscosity depends on the flow, the other stable pair, and a wall whose friction is a
    formula, all above a wall that slides: exact."""
    changes = "{wall: {friction: '0.6-0.4*min(1,t/300)', drag: 0.5}}"  # it holds the grains first
    for name, bound, exact, *how in (
            ("Bagnold's viscosity", 1e-8, "1+sqrt(8)*y", "material.viscosity=shear_rate", "boundaries.top.traction=[0.7, -1]"),
            ("p2b", 1e-8, "0.6+2*y", "mesh.element=p2b", "mesh.split=none"),
            ("friction formula", 1e-8, "0.6+2*y", "boundaries.bottom=" + changes, "time.end=1000"),
            ("mu(I)", 1e-6, "0.6+3*y", "material={reynolds: inf, mu_i: {static: 0.3, dynamic: 0.7, I0: 0.3, grain: 0.1}}",
             "time.step=20", "time.end=400", "time.window=20", "solver.tolerance=1e-7", "solver.change_tolerance=1e-7")):
        summary = tests.run(name + " above a wall", "couette", "mesh.parameters.n=2", *how, f"exact.velocity=['{exact}', 0]")
        tests.below(summary["errors"].get("relative_Linf"), bound, "  velocity")


def belt():
    """Forces and powers of a belt below grains."""
    summary = tests.run("belt", "belt", "mesh.parameters.n=4")
    probes = summary["probes"]
    total = [sum(probes[name][i] for name in ("belt", "left", "right")) for i in range(2)]
    tests.below(math.hypot(total[0], total[1] + 2), 1e-8, "  forces add up to the weight")
    spent = probes["rubbed"] + probes["viscous"] + probes["sheared"]
    tests.below(-probes["belt"][0] / spent - 1, 1e-4, "  what the belt delivers is dissipated")
    rough = tests.run("belt, not tight", "belt", "mesh.parameters.n=4", "solver.tolerance=1e-3")
    for summary in (summary, rough):
        # exact at every tolerance: what the law is violated by is the gap, in parts of the dissipation
        probes, solver = summary["probes"], summary["solver"]
        spent = probes["rubbed"] + probes["viscous"] + probes["sheared"]
        tests.check(solver["compaction"] == 0, "  nothing is compacted")
        tests.below((-probes["belt"][0] + probes["gravity"] + solver["gap"] * solver["dissipation"]) / spent - 1, 1e-8,
                    "  power delivered = dissipated - gap (gap %.0e)" % solver["gap"])
        balanced(summary)
    sliding = [row["shear"] / row["normal"] for row in rows("belt") if row["mobilised"] > 0.9999]
    tests.check(len(sliding) > 1, "  the belt slides somewhere")
    tests.below(max(abs(ratio + 0.3) for ratio in sliding), 1e-4, "  with its friction")


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


HOPPER = ("time.end=1", "time.step=0.1", "time.steady=0", "time.window=0.5",
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
        balance = balanced(summary)
        tests.below(balance["forces"]["wall"][1] - summary["probes"]["held"][1], 1e-12, "  as the force probe says")


ECCENTRIC = """
DefineConstant[h = {0.5, Name "Parameters/h"}];
Point(1) = {0, 0, 0, h}; Point(2) = {0.4, 0, 0, h / 3}; Point(3) = {1.2, 0, 0, h / 3}; Point(4) = {3, 0, 0, h};
Point(5) = {3, 3, 0, h}; Point(6) = {0, 3, 0, h};
Line(1) = {1, 2}; Line(2) = {2, 3}; Line(3) = {3, 4}; Line(4) = {4, 5}; Line(5) = {5, 6}; Line(6) = {6, 1};
Curve Loop(1) = {1 : 6}; Plane Surface(1) = {1};
Physical Curve("floor") = {1, 3}; Physical Curve("outlet") = {2}; Physical Curve("right") = {4};
Physical Curve("top") = {5}; Physical Curve("left") = {6}; Physical Surface("grains") = {1};
"""


def eccentric():
    """A bin with its outlet off the middle: floor with friction, one side rough, one held, loaded above."""
    with open(tests.path("eccentric.geo"), "w", encoding="utf-8") as file:
        file.write(ECCENTRIC)
    with open(tests.path("eccentric.yaml"), "w", encoding="utf-8") as file:
        file.write("""
title: Eccentric bin
geometry: plane
mesh: {file: eccentric.geo, parameters: {h: 0.5}}
material: {friction: 0.4, reynolds: 100}
gravity: [0, -1]
boundaries:
  top:    {traction: [0, -0.2]}
  outlet: {traction: 0}
  left:   {wall: {friction: 0.3}}
  right:  {velocity: [0, 0]}
  floor:  {wall: {friction: 0.5}}
time: {scheme: inertial, order: 2, step: 0.1, end: 6, steady: 0, window: 3}
output: {every: 0}
probes:
  side:  {wall_load: left}
  floor: {wall_load: floor}
  flux:  {flux: outlet}
""")
    summary = tests.run("eccentric", tests.path("eccentric.yaml"))
    for probe in ("side", "floor"):
        balance = balanced(summary, probe)
    forces = balance["forces"]
    tests.check(abs(forces["right"][1]) > 0.05 * 9 and abs(forces["right"][0]) > 0.5, "  the held side bears")
    tests.below(forces["top"][1] - 0.2 * 3, 1e-9, "  the load above is one of the forces")
    tests.check(balance["outflow"][1] < -0.05, "  what leaves takes momentum with it")
    tests.below((balance["inertia"][1] - balance["outflow"][1]) / 9, 0.01,
                "  in the steady state inertia is what leaves")
    side = rows("eccentric", "side")
    low = min(side, key=lambda row: row["y"])
    wall = summary["wall_loads"]
    # above the floor: gravity and load less what both sides bear and what the grains gain
    left = wall["side"]["weight"] + 0.6 + forces["right"][1] + forces["left"][1] + balance["inertia"][1]
    tests.below(wall["side"]["vertical"] * 3 / left - 1, 0.05, "  vertical stress at the foot of the side")
    tests.check(low["vertical"] > 0.5 * wall["side"]["vertical"], "  and in its row")


SPACE = ("material.reynolds=100", "material.friction=0.3", "boundaries.wall.wall.friction=0.2", "solver.tolerance=1e-3")


def space():
    """Wall loads of a round column in space against those about an axis; a box at rest is exact (unit tests)."""
    about = tests.run("about an axis", "janssen", *SPACE, "geometry=axisymmetric",
                      "mesh.parameters={a: 1, H: 4, taper: 2, n: 4}")
    round_ = tests.run("in space", "janssen/space.yaml", *SPACE, "mesh.parameters.n=2")
    a, b = about["wall_loads"]["load"], round_["wall_loads"]["load"]
    for key, factor, bound in (("weight", 4, 2e-3), ("bottom", 4, 5e-3), ("bottom_share", 1, 5e-3), ("wall_friction", 4, 5e-3),
                               ("vertical", 1, 0.01), ("K", 1, 0.01), ("bin_peak", 1, 0.02), ("slip_ratio", 1, 0.01)):
        tests.below(factor * b[key] / a[key] - 1, bound, f"  {key} in space against that about an axis")
    tests.check(a["flow"] == b["flow"] == "mass" and b["determined"] == 1, "  mass flow, all of it slides")
    balanced(about)
    balanced(round_)
    wall = sorted(rows("about an axis"), key=lambda row: row["z"])
    worst, slides = dict.fromkeys(("normal", "vertical", "janssen", "velocity"), 0.0), True
    for row in rows("in space"):
        if not 0.4 < row["z"] < 3.6:
            continue
        k = max(i for i, at in enumerate(wall[:-1]) if at["z"] <= row["z"])
        t = (row["z"] - wall[k]["z"]) / (wall[k + 1]["z"] - wall[k]["z"])
        near = {key: (1 - t) * wall[k][key] + t * wall[k + 1][key] for key in worst}
        for key in worst:
            worst[key] = max(worst[key], abs(row[key] - near[key]) / max(at[key] for at in wall))
        shear = math.hypot(row["shear_x"], row["shear_y"], row["shear_z"])
        slides = slides and abs(shear / row["normal"] - 0.2) < 1e-3 and row["shear_z"] < 0 and row["slip_z"] < 0
    for key, bound in (("normal", 0.03), ("vertical", 0.02), ("janssen", 0.02), ("velocity", 0.005)):
        tests.below(worst[key], bound, f"  {key} of rows, in parts of the largest")
    tests.check(slides, "  they slide down with their friction")


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
    tests.check(text("whole") == text("parts"), "  the same loads and steps")
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


def variants():
    """With walls: p2b, formulas, mu(I), other methods, and two threads, which change no bit."""
    coarse = (*HOPPER, "mesh.parameters.h=0.8", "mesh.parameters.across=3", "time.end=0.3", "time.window=0.2")
    plain = tests.run("plain", "hopper", *coarse)["probes"]["discharge"]
    material = "mu_i: {static: 0.45, dynamic: 0.6, I0: 0.3, grain: 0.05}"
    for name, bound, *how in (("p2b", 0.01, "mesh.element=p2b", "mesh.split=none"),
                              ("friction formula", 1e-12, "boundaries.wall.wall.friction='0.3+0*x'"),
                              ("viscosity formula", 1e-12, "material.viscosity=1+0*shear_rate"),
                              ("mu(I)", 0.1, f"material={{reynolds: 100, {material}}}"),
                              ("ipm-exact", 0.01, "solver.method=ipm-exact"),
                              ("pg-aa", 0.01, "solver.method=pg-aa", "solver.max_iterations=3000")):
        other = tests.run(name, "hopper", *coarse, *how)
        tests.below(other["probes"].get("discharge", 0) / plain - 1, bound, "  discharge against the plain one")
        tests.below(other["ledger"]["worst_defect"], 1e-12, "  ledger")
    command = [tests.binary, "run", os.path.join(ROOT, "cases", "hopper"), "-q", "-o", tests.path("threads"),
               "--threads", "2"]
    for item in coarse:
        command += ["--set", item]
    subprocess.run(command, capture_output=True, text=True, check=False)
    tests.check(text("threads") == text("plain"), "two threads: the same loads and steps")


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
    steady = tests.run("periodic, from rest", "chute/steady.yaml", "time.step=0.5")
    tests.below(steady["errors"].get("relative_L2"), 5e-3, "  Bagnold's profile with inertia, L2")
    tests.below(steady["probes"]["force"][0] / (0.25 * math.sin(math.radians(26))) - 1, 1e-3, "  nothing accelerates")
    tests.below(steady["probes"]["flux"] / chute["probes"]["flux"] - 1, 2e-3, "  the flux of the creeping flow")
    for i, weight in enumerate((math.sin(math.radians(26)), -math.cos(math.radians(26)))):
        tests.below(chute["probes"]["force"][i] - weight, 1e-6, "  the bottom carries the weight")
    done = subprocess.run([tests.binary, "run", os.path.join(ROOT, "cases", "chute", "periodic.yaml"), "-q",
                           "-o", tests.path("mismatch"), "--set", "mesh.parameters.L=2", "--set",
                           "boundaries={left: {periodic: top}, right: {traction: 0}, bottom: {velocity: [0, 0]}}"],
                          capture_output=True, text=True, check=False)
    tests.check(done.returncode == 3 and "boundaries.left.periodic" in done.stderr, done.stderr.strip())


slab()
couette()
laws()
belt()
janssen()
radial()
periodic()
ends_of_friction()
hopper()
eccentric()
space()
by_hand()
variants()
resume()
tests.end()
