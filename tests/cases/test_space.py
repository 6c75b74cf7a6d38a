#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Flows in space on coarse meshes: square duct, film in a turned frame, quarter of a round silo, and problems
that no case has: a cone with walls that rub, a box in any frame, a bin with its outlet off the middle.

    test_space.py SABLIER_BINARY
"""
import math
import os

from case_run import ROOT, Tests

tests = Tests()


def duct():
    """Q of a fine computation of the section alone; the force on the walls is the weight of the fluid."""
    for bingham, discharge, bound in ((0.2, 0.286690, 2e-3), (0.4, 0.060741, 2e-2)):
        summary = tests.run(f"duct, Bi = {bingham}", "duct", f"material.bingham={bingham}", "solver.tolerance=1e-4")
        tests.below(4 * summary["probes"]["discharge"] / discharge - 1, bound, "  discharge / reference - 1")
        tests.below(summary["probes"]["drag"][2] / 0.3 - 1, 1e-9, "  force along the walls / weight - 1")
    summary = tests.run("duct, stopped", "duct", "material.bingham=0.54", "solver.tolerance=1e-4")
    tests.check(summary["solver"]["at_rest"], "  Bi = 0.54, above 2/(2 + sqrt(pi)): at rest")


def film():
    """The film is in the space: it comes out to the tolerance, in a frame along no axis."""
    summary = tests.run("film", "film/space.yaml")
    tests.below(summary["errors"]["relative_L2"], 1e-6, "  velocity, error in L2")


def silo():
    """A quarter of the round silo against its meridian, three steps from rest: grains at rest fall alike."""
    time = ("time.end=0.3", "time.steady=0", "time.window=0.1", "output.every=0")
    space = tests.run("quarter", "silo-space", *time)
    axis = tests.run("meridian", "silo-round", "mesh.parameters.across=10", "mesh.parameters.h=1", "time.order=1",
                     "time.step=0.1", *time)
    tests.below(4 * space["probes"]["discharge"] / axis["probes"]["discharge"] - 1, 0.10,
                "  discharge / that of the meridian - 1")
    # gravity is carried by the walls or accelerates the grains: the ledger closes, what is held is nearly all
    tests.below(4 * space["probes"]["held"][2] / axis["probes"]["held"][0] - 1, 0.03, "  load on the walls likewise")
    # about an axis the sum of radial forces is not of the body; in space the two components are alike
    tests.below(space["probes"]["held"][0] / space["probes"]["held"][1] - 1, 0.05, "  both planes of symmetry alike")
    for name in ("load.csv", "load.vtu", "axis.csv"):
        tests.check(os.path.exists(os.path.join(tests.path("quarter"), "profiles", name)), f"  profiles/{name}")


def cone():
    """Walls with friction on a cone of OpenCASCADE: the meridian of it has the same discharge, load and heat."""
    space = tests.run("cone", "../tests/cases/cone.yaml")["probes"]
    mesh = os.path.join(ROOT, "meshes", "hopper.geo")
    axis = tests.run("cone, meridian", "hopper", "geometry=axisymmetric", "time.order=1", "time.step=0.1", "time.end=0.3", "time.steady=0",
                     "time.window=0.1", f"mesh.file={mesh}",
                     "mesh.parameters={D: 1, W: 3, H: 1.5, angle: 20, h: 0.5, across: 4}")["probes"]
    for name, bound in (("discharge", 0.02), ("rubbed", 0.03)):
        tests.below(4 * space[name] / axis[name] - 1, bound, f"  {name} / that of the meridian - 1")
    tests.below(4 * space["held"][2] / axis["held"][0] - 1, 0.01, "  load of the wall likewise")
    tests.below(space["inflow"] / space["discharge"] + 1, 0.02, "  what enters leaves")
    tests.below(space["x"][0] / space["y"][1] - 1, 0.01, "  both planes of symmetry alike")


def turn(v, angle=math.radians(67), k=(1 / 3, 2 / 3, 2 / 3)):
    """v turned about k [Rodrigues]."""
    along = sum(a * b for a, b in zip(k, v))
    across = (k[1] * v[2] - k[2] * v[1], k[2] * v[0] - k[0] * v[2], k[0] * v[1] - k[1] * v[0])
    return [math.cos(angle) * v[i] + math.sin(angle) * across[i] + (1 - math.cos(angle)) * along * k[i]
            for i in range(3)]


def tilted():
    """No frame is preferred: edges and corners of slip planes along no axis; the walls carry the weight of 2."""
    gravity = (0.3, 0.1, -0.9)
    walls = ("plane", "front", "back", "left", "right")
    here = tests.run("box", "../tests/cases/tilted.yaml")["probes"]
    there = tests.run("box, tilted", "../tests/cases/tilted.yaml", "mesh.parameters.angle=67",
                      "gravity=[%r, %r, %r]" % tuple(turn(gravity)))["probes"]
    tests.check(here["discharge"] > 0.5, "  it flows")
    for name in ("discharge", "inflow"):
        tests.below(there[name] / here[name] - 1, 1e-9, f"  {name}, tilted / upright - 1")
    for name in walls:
        tests.below(math.dist(there[name], turn(here[name])), 1e-9, f"  force on {name}, tilted - turned")
    tests.below(math.dist([sum(here[name][i] for name in walls) for i in range(3)], [2 * g for g in gravity]), 1e-9,
                "  forces on the walls - weight")


def bin_off_middle():
    """Forces and mass, and the mirror image, which has another mesh."""
    walls = ("bottom", "left", "right", "front", "back")
    one = tests.run("bin", "../tests/cases/bin.yaml")["probes"]
    two = tests.run("bin, mirror image", "../tests/cases/bin.yaml", "mesh.parameters.x=2.8")["probes"]
    for probes in (one, two):
        total = [sum(probes[name][i] for name in walls) for i in range(3)]
        tests.below(math.dist(total, (0, 0, -36)), 1e-6, "  forces on the walls - weight")
    tests.below(two["discharge"] / one["discharge"] - 1, 0.05, "  discharge of the image / discharge - 1")
    tests.below((one["left"][0] + two["right"][0]) / one["right"][0], 0.03, "  load of the wall nearby and of its image")
    tests.below((one["right"][0] + two["left"][0]) / one["right"][0], 0.03, "  load of the far wall and of its image")


duct()
film()
silo()
cone()
tilted()
bin_off_middle()
tests.end()
