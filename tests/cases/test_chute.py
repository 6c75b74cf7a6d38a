#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""mu(I) on a chute: Bagnold's profile, and the way to it from rest.

    test_chute.py SABLIER_BINARY
"""
import csv
import math
import os

import numpy

from case_run import Tests

tests = Tests()
SLOPE, STATIC, DYNAMIC, I0, GRAIN = math.radians(26), 0.38, 0.64, 0.279, 0.05


def reference(end, step, cells=200):
    """Flux of a layer from rest, u_t = sin + (mu(I) p)_y, at all steps: P1 in the depth with lumped
    mass, BDF2, Newton's method on a tridiagonal system."""
    h = 1 / cells
    middle = (numpy.arange(cells) + 0.5) * h
    pressure = (1 - middle) * math.cos(SLOPE)
    root = I0 / GRAIN * numpy.sqrt(pressure)
    mass = numpy.full(cells, h)  # of the nodes 1 .. cells; u = 0 at the bottom
    mass[-1] = h / 2
    u = numpy.zeros(cells)
    old, flux = u, []
    for k in range(round(end / step)):
        a, carried = (1, u) if k == 0 else (1.5, (4 * u - old) / 3)
        old, v = u, u.copy()
        for _ in range(50):
            rate = numpy.diff(numpy.concatenate([[0], v])) / h
            stress = pressure * (STATIC + (DYNAMIC - STATIC) * rate / (root + rate))
            slope = pressure * (DYNAMIC - STATIC) * root / (root + rate) ** 2 / h
            beyond = numpy.append(stress[1:], 0)
            residual = mass * (a / step * (v - carried) - math.sin(SLOPE)) + stress - beyond
            matrix = numpy.diag(mass * a / step + slope + numpy.append(slope[1:], 0))
            matrix -= numpy.diag(slope[1:], 1) + numpy.diag(slope[1:], -1)
            change = numpy.linalg.solve(matrix, residual)
            v = v - change
            if abs(change).max() < 1e-12:
                break
        u = v
        flux.append(h * (u.sum() - u[-1] / 2))
    return numpy.array(flux)


def creeping():
    """Bagnold's profile at the default tolerance and a tight one; factorisations stay few."""
    for n, tolerance, bound, most in (("8", "3e-2", 1e-2, 12), ("16", "3e-2", 1e-2, 12),
                                      ("8", "1e-4", 5e-3, 18), ("16", "1e-4", 3e-3, 18)):
        summary = tests.run(f"chute {n} {tolerance}", "chute", "mesh.parameters.n=" + n,
                            "solver.tolerance=" + tolerance)
        tests.below(summary["errors"].get("relative_L2"), bound, "  velocity, L2 error")
        tests.below(summary["solver"].get("factorisations"), most, "  factorisations")
    # mu_s p + (mu_d - mu_s) p d/(I0 sqrt(p)/2 + d|D|) |D| written as a viscosity is the same law
    same = tests.run("viscosity", "chute", "solver.tolerance=1e-5",
                     "material={friction: 0.38, reynolds: 1, viscosity: '(0.64-0.38)*pressure*0.05"
                     "/(0.279*sqrt(pressure)+2*shear_rate*0.05)'}")
    law = tests.run("mu_i", "chute", "solver.tolerance=1e-5")
    tests.below(same["probes"].get("flux", 9) / law["probes"].get("flux", 1) - 1, 1e-4,
                "  flux of the viscosity against that of mu(I)")


def fluxes(name):
    with open(os.path.join(tests.path(name), "history.csv"), encoding="utf-8") as file:
        return numpy.array([float(row["flux"]) for row in csv.DictReader(file)])


def inertial():
    """From rest against the flow in one dimension, and no drift away from the exact profile."""
    exact = reference(10, 0.1)
    for tolerance, bound in (("3e-2", 0.05), ("1e-4", 5e-3)):
        name = f"from rest {tolerance}"
        tests.run(name, "chute/inertial.yaml", "time.end=10", "solver.tolerance=" + tolerance)
        found = fluxes(name)
        tests.below(float(abs(found / exact - 1)[9:].max()), bound, "  flux, t = 1 to 10")
    with open(os.path.join(tests.path("from rest 3e-2"), "history.csv"), encoding="utf-8") as file:
        work = [float(row["factorisations"]) for row in csv.DictReader(file)]
    tests.below(sum(work) / len(work), 5, "  factorisations per step")
    formula = ("2/3*sqrt(cos(26*pi/180))/0.05*0.279*(tan(26*pi/180)-0.38)/(0.64-tan(26*pi/180))"
               "*(1-(1-y)^1.5)")
    summary = tests.run("from the profile", "chute/inertial.yaml", "time.end=10",
                        f"initial.velocity=['{formula}', 0]", f"exact.velocity=['{formula}', 0]")
    tests.below(summary["errors"].get("relative_L2"), 0.02, "  velocity after 10, L2 error")


def layer():
    """Constant friction: the error of many steps with one sign must not add up."""
    for reynolds, friction in ((10, 0.5), (100, 0.3)):
        name = f"layer {reynolds} {friction}"
        tests.run(name, "chute/layer.yaml", f"material.reynolds={reynolds}", "time.end=20",
                  f"material.friction={friction}")
        slope = math.radians(28)
        force = reynolds * (math.sin(slope) - friction * math.cos(slope))
        time = 0.1 * numpy.arange(1, 201)
        exact = force / 3
        for k in range(50):
            a = (k + 0.5) * math.pi
            exact = exact - 2 * force / a ** 4 * numpy.exp(-a * a * time / reynolds)
        tests.below(float(abs(fluxes(name) / exact - 1)[9:].max()), 0.01, "  flux, t = 1 to 20")


creeping()
inertial()
layer()
tests.end()
