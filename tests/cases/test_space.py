#!/usr/bin/python3
"""Flows in space on coarse meshes: square duct, film in a turned frame, quarter of a round silo.

    test_space.py SABLIER_BINARY
"""
import os

from case_run import Tests

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


duct()
film()
silo()
tests.end()
