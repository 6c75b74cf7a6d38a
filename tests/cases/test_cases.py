#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The cases of cases/ on coarse meshes: exact solutions and their orders, balances, agreement.

    test_cases.py SABLIER_BINARY
"""
import math

import numpy

from case_run import Tests
import cavity as cavity_figures  # of postproc
import sablier

tests = Tests()
N = "mesh.parameters.n="
H = "mesh.parameters.h="


def rest():
    """Nothing moves, and the walls carry the weight of the box, 1."""
    for h in ("0.25", "0.125"):
        summary = tests.run(f"rest {h}", "rest", H + h)
        tests.check(summary["solver"].get("at_rest") is True, "  it is at rest")
        tests.below(summary["errors"].get("Linf"), 1e-6, "  largest velocity")
        probes = summary["probes"]
        walls = numpy.sum([probes[w] for w in ("on_top", "on_side", "on_bottom")], axis=0)
        tests.below(float(walls[0]), 1e-10, "  sum of the forces on the walls, across")
        tests.below(float(walls[1] + 1), 1e-10, "  sum of the forces on the walls + weight")


def poiseuille():
    # the plug ends on lines of this mesh: P2 holds the exact profile
    aligned = (N + "8", "mesh.parameters.structured=1")
    summary = tests.run("poiseuille aligned", "poiseuille", *aligned)
    tests.below(summary["errors"].get("relative_Linf"), 1e-6, "  velocity, largest error")
    tests.below(summary["errors"].get("relative_H1"), 1e-6, "  velocity, H1 error")
    tests.below(summary["probes"].get("flux", 9) - 5 / 24, 1e-7, "  flux - 5/24")
    tests.below(summary["probes"].get("centre", [9])[0] - 0.125, 1e-7, "  plug velocity - 1/8")
    tests.below(plug_shear("poiseuille aligned"), 1e-6, "  shear rate in the plug")
    # the case must feel its law: u is proportional to Re, and depends on Bi
    for key, velocity in (("reynolds=1.02", 1.02 / 8), ("bingham=0.49", 0.51 ** 2 / 2)):
        summary = tests.run(f"poiseuille {key}", "poiseuille", *aligned, "material." + key)
        tests.below(summary["probes"].get("centre", [9])[0] - velocity, 1e-4,
                    f"  plug velocity - {velocity:.5f}")
    # it ends inside triangles: order 3/2 in H1, because u'' jumps there
    errors = []
    for n in ("8", "16"):
        summary = tests.run(f"poiseuille {n}", "poiseuille", N + n)
        errors.append([summary["errors"].get(k) for k in ("relative_L2", "relative_H1")])
    tests.below(errors[0][0], 1e-2, "  velocity, L2 error at n = 8")
    tests.below(errors[1][0], 1.5e-3, "  velocity, L2 error at n = 16")
    tests.check(errors[1][1] < 0.5 * errors[0][1], "  the H1 error halves at least")
    # Bi >= 1: nothing moves
    summary = tests.run("poiseuille stopped", "poiseuille", N + "8", "material.bingham=1.05",
                        "exact.velocity=[0, 0]")
    tests.check(summary["solver"].get("at_rest") is True, "  it is at rest")
    tests.below(summary["errors"].get("Linf"), 1e-6, "  largest velocity")
    summary = tests.run("closed", "poiseuille/closed.yaml", N + "8")
    tests.below(summary["errors"].get("relative_L2"), 5e-3, "  velocity, L2 error")


def plug_shear(name):
    fields = sablier.Fields(tests.path(name))
    inside = numpy.abs(fields.x[:, :3, 1]).max(axis=1) < 0.5 + 1e-9
    return float(fields.point["shear_rate"][inside].max())


def film():
    weight = [math.sin(math.pi / 6), -math.cos(math.pi / 6)]
    for structured in ("1", "0"):
        summary = tests.run(f"film {structured}", "film",
                            f"mesh.parameters.structured={structured}")
        tests.below(summary["errors"].get("relative_Linf"), 3e-5, "  velocity, largest error")
        tests.below(summary["errors"].get("relative_pressure_L2"), 3e-5, "  pressure, L2 error")
        force = numpy.subtract(summary["probes"].get("force", [9, 9]), weight)
        tests.below(float(numpy.abs(force).max()), 1e-10, "  force on the bottom - weight")
    summary = tests.run("film stopped", "film", "material.friction=0.7", "exact={}")
    tests.check(summary["solver"].get("at_rest") is True, "  tan(30 deg) < 0.7: it is at rest")


def bagnold():
    errors = []
    for n in ("8", "16", "32"):
        summary = tests.run(f"bagnold {n}", "film/bagnold.yaml", N + n)
        error = summary["errors"]
        errors.append([error.get(k, math.inf) for k in ("relative_Linf", "relative_L2")])
        tests.below(summary.get("viscosity_iterations"), 15, "  fixed-point iterations")
    tests.below(errors[0][0], 2e-3, "  velocity, largest error at n = 8")
    for k, name, least in ((0, "largest", 1.3), (1, "L2", 1.7)):
        for coarse, fine in zip(errors, errors[1:]):
            order = math.log2(coarse[k] / fine[k])
            tests.check(order > least, f"  velocity, order of the {name} error: {order:.2f} "
                                       f"(above {least})")


def cavity():
    # methods agree on the same discrete problem
    fields = {}
    for name, method in (("apgd", "apgd"), ("aspg", "aspg"), ("pg", "pg"),
                         ("cadoux-apgd", "cadoux-apgd"), ("mumps", "apgd")):
        summary = tests.run(name, "cavity", H + "0.25", "solver.tolerance=1e-6",
                            "solver.max_iterations=2000", "solver.method=" + method,
                            "solver.linear=" + ("mumps" if name == "mumps" else "cholmod"))
        fields[name] = sablier.Fields(tests.path(name)).point["velocity"]
        power, drag = summary["solver"]["dissipation"], summary["probes"]["drag"][0]
        tests.below((power + drag) / power, 1e-6, "  power of the lid against dissipation")
    # aspg is apgd where the step is known, up to rounding; a convex program is one for cadoux
    for name, bound in (("aspg", 1e-6), ("cadoux-apgd", 1e-10), ("mumps", 1e-10), ("pg", 1e-5)):
        tests.below(float(numpy.abs(fields[name] - fields["apgd"]).max()), bound,
                    f"  {name}: largest difference of velocity from apgd")
    # figures of the flow, against those on the finer mesh of the page; projections give sharp zones
    for bingham, height, tolerance in (("0", 0.765, "1e-4"), ("2", 0.8155, "1e-5"),
                                       ("20", 0.900, "1e-5")):
        name = f"cavity {bingham}"
        tests.run(name, "cavity", H + "0.1", "material.bingham=" + bingham,
                  "solver.method=apgd", "solver.tolerance=" + tolerance)
        flow = sablier.Fields(tests.path(name))
        _, places, psi = flow.stagnation_points()
        centre = places[numpy.abs(psi).argmax()]
        tests.below(float(centre[0] - 0.5), 2e-3, "  centre of the vortex, x - 1/2")
        tests.below(float(centre[1] - height), 4e-3, f"  centre of the vortex, y - {height}")
        dead = cavity_figures.dead_zone(flow)
        if bingham == "0":
            tests.check(not dead.any(), "  a Newtonian fluid has no dead zone")
            continue
        area = flow.areas()[dead].sum()
        least, deep = {"2": (0.08, 0.04), "20": (0.3, 0.2)}[bingham]
        tests.check(area > least, f"  dead zone: area {area:.3f} (above {least})")
        speed = flow.scalar("speed")[1]
        tests.below(float(speed[dead].max()), 1e-5, "  dead zone: largest velocity")
        deep_cells = flow.x[:, :3, 1].max(axis=1) < deep
        tests.below(float(speed[deep_cells].max()), 1e-6, f"  largest velocity below y = {deep}")


def bubbles():
    """The element p2b on the meshes as they are: no worse than p2 on three times the triangles."""
    errors = {}
    for element in ("p2", "p2b"):
        summary = tests.run(f"poiseuille {element}", "poiseuille", "mesh.element=" + element)
        errors[element] = summary["errors"]["relative_H1"]
    tests.below(errors["p2b"], errors["p2"], "  velocity, H1 error: p2b against p2, split mesh")
    summary = tests.run("film p2b", "film", "mesh.parameters.structured=0", "mesh.element=p2b",
                        "solver.tolerance=3e-7")
    tests.below(summary["errors"]["relative_L2"], 3e-6, "  velocity, L2 error")
    tests.below(summary["errors"]["relative_pressure_L2"], 3e-6, "  pressure, L2 error")
    tests.below(summary["probes"]["force"][0] - 0.5, 1e-10, "  force on the bottom - weight")
    summary = tests.run("rest p2b", "rest", "mesh.element=p2b")
    tests.check(summary["solver"].get("at_rest") is True, "  it is at rest")
    walls = sum(summary["probes"][w][1] for w in ("on_top", "on_side", "on_bottom"))
    tests.below(walls + 1, 1e-10, "  sum of the forces on the walls + weight")
    tests.run("cavity p2b", "cavity", H + "0.1", "mesh.element=p2b")
    flow = sablier.Fields(tests.path("cavity p2b"))
    _, places, psi = flow.stagnation_points()
    tests.below(float(places[numpy.abs(psi).argmax()][1] - 0.8155), 4e-3, "  height of the vortex")


for test in (rest, poiseuille, film, bagnold, cavity, bubbles):
    try:
        test()
    except Exception as problem:  # the other cases still count
        tests.check(False, f"{test.__name__}: {type(problem).__name__}: {problem}")
tests.end()
