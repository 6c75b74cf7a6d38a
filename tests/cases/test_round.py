#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Flows about an axis on coarse meshes: round pipe, round silo, its law of Beverloo, sphere in a tube.

    test_round.py SABLIER_BINARY
"""
import csv
import json
import math
import os
import subprocess

from case_run import ROOT, Tests
import sablier

tests = Tests()
PIPE = math.pi / 8 * (1 - 4 / 3 * 0.5 + 1 / 3 * 0.5 ** 4)  # Buckingham-Reiner, plug up to r = 1/2
SILO = ("mesh.parameters.across=8", "mesh.parameters.h=1.2", "output.every=0")
GROUPS = ("tube", "bottom", "top")


def pipe():
    """Wrong factors of the axis (hoop stress, 2 pi r, the norm of four components) all move Q."""
    for name, case in (("Bingham", "pipe"), ("friction", "pipe/friction.yaml")):
        summary = tests.run(name, case)
        tests.below(summary["probes"]["discharge"] / PIPE - 1, 1e-3, "  discharge / Buckingham-Reiner - 1")
        tests.below(summary["probes"]["drag"][0] / (math.pi / 2) - 1, 1e-9, "  force on the wall / weight - 1")
        # the edge of the plug on lines of the mesh: the space holds the flow
        summary = tests.run(name + ", aligned", case, "mesh.parameters.n=4", "mesh.parameters.structured=1")
        tests.below(summary["errors"]["relative_L2"], 1e-5, "  velocity, error in L2")
    columns = sablier.profile(tests.path("Bingham"), "profile")[1]
    tests.check({"r", "z", "velocity_r", "velocity_z"} <= set(columns), "  profiles say r and z")
    # a body force of 1 shears the wall by 1/2
    summary = tests.run("stopped", "pipe", "material.bingham=0.51", "exact.velocity=[0, 0]")
    tests.check(summary["solver"]["at_rest"], "  Bi = 0.51: at rest")
    summary = tests.run("moving", "pipe", "material.bingham=0.47", "exact.velocity=[0, 0]")
    # s = 2 Bi; no layer at the wall is thinner than a triangle, so that this mesh stops at 0.49 already
    exact = math.pi / 8 * (1 - 4 / 3 * 0.94 + 1 / 3 * 0.94 ** 4)
    tests.below(summary["probes"]["discharge"] / exact - 1, 0.05, "  Bi = 0.47: it flows, discharge / exact - 1")


def creeping():
    """Without inertia an outlet that is small against the silo is the only length: Q = c Re D^4."""
    discharge = [tests.run(f"creeping, D = {D}", "silo-round/creeping.yaml", "mesh.parameters.across=12",
                           "mesh.parameters.h=1", "material.friction=0.4", f"mesh.parameters.D={D}")
                 ["probes"]["discharge"] for D in (0.75, 1.5)]
    tests.below(math.log2(discharge[1] / discharge[0]) - 4, 0.03, "  exponent of D - 4")
    tests.below(discharge[1] / 1.5 ** 4 / 0.0374 - 1, 0.03, "  Q / D^4 / 0.0374, of the page, - 1")


def similar():
    """All lengths four times as large, times twice, Re an eighth: the same flow, whatever the laws are.
    The factors are powers of two, so that a run differs only where the program knows a size of its own."""
    rest = ("time.steady=0", "time.window=1", *SILO[2:])
    one = tests.run("small", "silo-round", *SILO[:2], "time.step=0.1", "time.end=2", *rest)
    four = tests.run("large", "silo-round", "mesh.parameters={D: 8, W: 32, H: 32, h: 4.8, across: 8}",
                     "material.reynolds=12.5", "time.step=0.2", "time.end=4", *rest, "time.window=2",
                     "probes.axis={line: [[0, 0], [0, 32]], samples: 161}",
                     "probes.above={line: [[0, 2], [16, 2]], samples: 161}")
    tests.check(one["mesh"] == four["mesh"], "  the same mesh but for its size")
    tests.below(four["probes"]["discharge"] / one["probes"]["discharge"] / 32 - 1, 1e-6, "  Q / 4^(5/2) / Q - 1")
    tests.below(four["probes"]["held"][0] / one["probes"]["held"][0] / 64 - 1, 1e-6, "  F / 4^3 / F - 1")


def beverloo():
    """The study of the page with two outlets."""
    with open(os.path.join(ROOT, "cases", "beverloo-round", "study.yaml"), encoding="utf-8") as file:
        text = file.read()
    for old, new in (("base: ..", f"base: {os.path.join(ROOT, 'cases')}"), ("[0.4, 0.5]", "[0.4]"),
                     ("[1, 1.25, 1.5, 2, 2.5]", "[1, 2]"),
                     ("set: {", "set: {mesh.parameters: {across: 8, h: 1.2}, time: {step: 0.1, end: 6, steady: 0, "
                                "window: 2}, ")):
        tests.check(text.count(old) == 1, f"study.yaml has one '{old}'")
        text = text.replace(old, new)
    path, out = tests.path("study.yaml"), tests.path("beverloo")
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    done = subprocess.run([tests.binary, "study", path, "-o", out, "-q"], capture_output=True, text=True,
                          check=False)
    tests.check(done.returncode == 0, f"exit code {done.returncode} {done.stderr.strip()}")
    with open(os.path.join(out, "results.csv"), newline="", encoding="utf-8") as file:
        small, large = (float(row["probes.discharge"]) for row in csv.DictReader(file))
    # 2.61 on the mesh of the page: 5/2, and viscosity, which is felt more in the smaller outlet
    exponent = math.log2(large / small)
    tests.check(2.5 < exponent < 2.75, f"  exponent {exponent:.3f} between 2.5 and 2.75")
    with open(os.path.join(out, "fit.json"), encoding="utf-8") as file:
        fit = json.load(file)["fits"][0]
    for D, discharge in ((1, small), (2, large)):  # two points, two unknowns
        law = fit["C"]["value"] * (D - fit["k"]["value"] * 0.0892857) ** 2.5
        tests.below(law / discharge - 1, 1e-6, f"  fit with 5/2 at D = {D} / discharge - 1")
    tests.check(0.7 < fit["C"]["value"] < 1.12, f"  C = {fit['C']['value']:.3f}, below the hourglass 1.12")


def sphere():
    coarse = ("mesh.parameters.n=16", "mesh.parameters.h=0.8")
    forces = tuple(f"probes.{group}={{force: {group}}}" for group in GROUPS)
    narrow = ("mesh.parameters.W=4", "mesh.parameters.reach=2")
    probes = tests.run("Stokes", "sphere", *coarse, *narrow, *forces, "material.bingham=0")["probes"]
    # 1 - 2.104 l + 2.09 l^3 - 0.95 l^5 for l = 1/4 [Faxen]: a formula for an endless tube
    tests.below(-probes["drag"][0] / (3 * math.pi) * 0.5058 - 1, 0.01, "  drag / that of an endless tube - 1")
    tests.below(sum(probes[group][0] for group in GROUPS) / probes["drag"][0] + 1, 1e-8,
                "  force on the tube + force on the sphere, relative")
    # towards the plastic limit, 2 pi R^2 tau_y / F = 0.143 [Beris et al.], from above: layers of one triangle
    fine = ("mesh.parameters.n=64", "mesh.parameters.near=0.05", "mesh.parameters.reach=1",
            "mesh.parameters.W=4", "mesh.parameters.H=4", "mesh.parameters.h=0.4", "solver.tolerance=1e-4")
    limit = []
    for bingham in (100, 3000):
        probes = tests.run(f"Bi = {bingham}", "sphere", *fine, f"material.bingham={bingham}")["probes"]
        limit.append(bingham * math.pi / 2 / -probes["drag"][0])
    tests.check(limit[0] < limit[1] < 0.143, f"  2 pi R^2 tau_y / F grows: {limit[0]:.4f}, {limit[1]:.4f}")
    tests.below(limit[1] / 0.143 - 1, 0.05, "  and is near 0.143")


for test in (pipe, creeping, similar, beverloo, sphere):
    try:
        test()
    except Exception as problem:  # the other cases still count
        tests.check(False, f"{test.__name__}: {type(problem).__name__}: {problem}")
tests.end()
