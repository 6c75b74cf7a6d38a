#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The silo on a coarse mesh, steady: volume, momentum and energy balance; mu(I); a study of two outlets.

    test_silo.py SABLIER_BINARY
"""
import csv
import json
import os
import re
import subprocess

import numpy

from case_run import ROOT, Tests
import sablier

tests = Tests()
COARSE = ("mesh.parameters.across=8", "mesh.parameters.h=1", "time.step=0.1", "time.window=2.5",
          "solver.tolerance=1e-2", "output.every=0")
PROBES = ("probes.fill={flux: top}", "probes.held={force: wall}", "probes.on_axis={force: axis}",
          "probes.power={integral: gravity_power}",
          "probes.viscous={integral: viscous_dissipation}",
          "probes.friction={integral: friction_dissipation}")
WEIGHT = 32  # 4 x 8, half of the silo
# points and weights of degree 5 on a triangle [Radon 1948]
ROOT15 = 15 ** 0.5
NEAR, FAR = (6 - ROOT15) / 21, (6 + ROOT15) / 21
POINTS = numpy.array([[1 / 3, 1 / 3]] + [p for b in (NEAR, FAR)
                                         for p in ([b, b], [1 - 2 * b, b], [b, 1 - 2 * b])])
WEIGHTS = numpy.array([9 / 40] + 3 * [(155 - ROOT15) / 1200] + 3 * [(155 + ROOT15) / 1200])


def inertia(fields):
    """Integrals over the domain of div u, of the acceleration (u.grad)u, and of its power."""
    shape = sablier.shape(*POINTS.T)
    slope = sablier.shape_gradient(*POINTS.T)
    map_ = numpy.einsum("qja,cai->cqij", slope, fields.x)
    velocity = fields.point["velocity"][..., :2]
    u = numpy.einsum("qa,cai->cqi", shape, velocity)
    grad = numpy.einsum("qja,cai,cqjk->cqik", slope, velocity, numpy.linalg.inv(map_))
    weight = 0.5 * WEIGHTS * numpy.linalg.det(map_)
    acceleration = numpy.einsum("cqik,cqk->cqi", grad, u)
    return (float((weight * numpy.trace(grad, axis1=2, axis2=3)).sum()),
            numpy.einsum("cq,cqi->i", weight, acceleration),
            float((weight * (acceleration * u).sum(axis=2)).sum()))


def entering(fields, height=8):
    """Power that the open top takes from grains that come in there unevenly."""
    at, weight = numpy.array([0.5 - 0.15 ** 0.5, 0.5, 0.5 + 0.15 ** 0.5]), numpy.array([5, 8, 5]) / 18
    shape = numpy.array([(1 - at) * (1 - 2 * at), at * (2 * at - 1), 4 * at * (1 - at)]).T
    fluxes, speeds = [], []
    for i in range(3):
        side = [i, (i + 1) % 3, 3 + i]
        top = (fields.x[:, side, 1] > height - 1e-9).all(axis=1)
        length = numpy.abs(fields.x[top, side[1], 0] - fields.x[top, side[0], 0])
        u = numpy.einsum("qa,cai->cqi", shape, fields.point["velocity"][top][:, side, :2])
        fluxes.append((-numpy.minimum(u[..., 1], 0) * length[:, None] * weight).ravel())
        speeds.append(u.reshape(-1, 2))
    flux, u = numpy.concatenate(fluxes), numpy.concatenate(speeds)
    mean = (flux[:, None] * u).sum(axis=0) / flux.sum()
    return float(0.5 * (flux * ((u - mean) * u).sum(axis=1)).sum())


def balances(name, summary):
    """What must hold in a steady flow, whatever the rheology."""
    probes = summary["probes"]
    history = sablier.table(os.path.join(tests.path(name), "history.csv"))
    growth, force, power = inertia(sablier.Fields(tests.path(name)))
    taken = entering(sablier.Fields(tests.path(name)))
    tests.check(summary["status"] == "steady" and summary["missed"] == 0,
                f"  {summary['status']} after {summary['steps']} steps, {summary['missed']} missed")
    # volume: what goes out more than comes in is expansion, at every step
    out = history["discharge"][-1] + history["fill"][-1]
    tests.below(float(out - growth), 1e-10, "  flux out of outlet and top - expansion inside")
    tests.below(growth / probes["discharge"], 0.05, "  expansion / discharge")
    tests.check(growth > 0, "  the grains expand rather than contract")
    # momentum: walls carry the weight but for what the outflow takes along
    tests.check(force[1] < -0.5, f"  downward momentum leaves: {force[1]:.3f}")
    tests.below(float((WEIGHT + probes["held"][1] + force[1]) / force[1]), 0.03,
                "  (weight - force on the walls) / outflow of momentum - 1")
    tests.below(float((probes["held"][0] + probes["on_axis"][0]) / probes["held"][0]), 0.01,
                "  force on the wall + force on the axis, relative, across")
    tests.below(probes["on_axis"][1], 1e-12, "  a slip wall feels no shear")
    # energy: gravity pays for friction, viscosity, and the energy of what leaves, to the gap
    lost = probes["viscous"] + probes["friction"] + power + taken
    tests.below((probes["power"] - lost) / probes["power"], 5e-3,
                "  (power of gravity - dissipation - outflow of energy) / power of gravity")
    # the walk along trajectories: three feet per point of degree 4 (one in the first step)
    points, feet = 6 * summary["mesh"]["elements"], summary["transport"]
    tests.check(feet["points"] == points * (3 * summary["steps"] - 2),
                f"  {feet['points']} feet in {summary['steps']} steps")
    tests.check(0 < feet["steps_per_point"] < feet["longest"] < 100 and
                0 < feet["left"] < 0.01 * feet["points"],
                f"  sides crossed: {feet['steps_per_point']:.2f}, at most {feet['longest']}; "
                f"{feet['left']} feet come from above the top")
    tests.check(1 < summary["cell_reynolds"] < 100,
                f"  |u| h Re up to {summary['cell_reynolds']:.3g}")


def silo():
    summary = tests.run("silo", "silo", *COARSE, *PROBES)
    balances("silo", summary)
    discharge = summary["probes"]["discharge"]
    tests.below(discharge - 0.5845, 2e-3, "  discharge - 0.5845, of this mesh")
    tests.below(discharge / 0.594 - 1, 0.03, "  discharge / 0.594, of the mesh of the page, - 1")
    flow = sablier.Fields(tests.path("silo"))
    middle = flow.x[:, :3].mean(axis=1)
    speed = numpy.hypot(*flow.point["velocity"][..., :2].transpose(2, 0, 1)).max(axis=1)
    corner = (middle[:, 0] > 3) & (middle[:, 1] < 1)
    tests.check(corner.any() and speed[corner].max() < 1e-2 * speed.max(),
                f"  grains in the corner stand: {speed[corner].max():.1e}")
    tests.check((flow.cell["yielded"][corner] < 0.5).all(), "  and do not yield")
    # the bottom carries the grains above it, 8 units high, and little beside the outlet
    wall = sablier.profile(tests.path("silo"), "load")[1]
    bottom, side = wall["y"] == 0, wall["x"] == 4
    tests.check(wall["normal"][bottom][0] < 0.5 * wall["normal"][bottom].max() and
                8 < wall["normal"][bottom].max() < 12,
                f"  pressure on the bottom: {wall['normal'][bottom][0]:.2f} at the outlet, "
                f"up to {wall['normal'][bottom].max():.2f}")
    tests.check((wall["shear"][side & (wall["y"] > 1)] < 0).all(), "  grains drag the side down")


def volume():
    """At the default tolerance: what the solver makes of volume, beside what the grains do."""
    summary = tests.run("volume", "silo", "mesh.parameters.across=10", "mesh.parameters.h=1.2",
                        "time.steady=0.5", "time.window=2.5", "output.every=0", "probes.fill={flux: top}")
    probes, parts = summary["probes"], summary["volume"]
    tests.below((probes["discharge"] + probes["fill"]) / probes["discharge"] - parts["net"], 1e-9,
                "  fluxes against the balance of volume")
    tests.below(parts["outflow"] / probes["discharge"] - 1, 1e-3, "  outflow / discharge - 1")
    history = sablier.table(os.path.join(tests.path("volume"), "history.csv"))
    window = slice(-summary["window"]["rows"], None)
    for column, part in (("volume_net", "net"), ("volume_parting", "parting"), ("volume_barrier", "barrier"),
                         ("volume_compaction", "compaction")):
        mean = float(history[column][window].mean() / history["outflow"][window].mean())
        tests.below(mean - parts[part], 1e-12, f"  {column} of the history against the summary")
    tests.below(parts["net"] - parts["parting"] - parts["barrier"] + parts["compaction"] - parts["dilatancy"],
                1e-12, "  net - its parts")
    tests.below(parts["net"], 0.02, "  net expansion of the discharge")  # 3.0 % with rho = 1; true is 1.0 %
    tests.check(0.005 < parts["parting"] < 0.02, f"  grains part: {parts['parting']:.4f}")
    tests.below(summary["per_step"]["factorisations"], 4.6, "  factorisations per step")  # one of A


def mu_i():
    summary = tests.run("mu(I)", "silo-mui", *COARSE, *PROBES)
    balances("mu(I)", summary)
    tests.below(summary["probes"]["discharge"] - 0.668, 4e-3, "  discharge - 0.668, of this mesh")
    flow = sablier.Fields(tests.path("mu(I)"))
    mu, number = flow.point["friction"], flow.point["inertial_number"]
    tests.check(mu.min() >= 0.32 and mu.max() <= 0.6 and mu.max() - mu.min() > 0.1,
                f"  friction from {mu.min():.3f} to {mu.max():.3f}")
    # I of the flow gives back the friction it was solved with, at the law points; the values
    # are linear between the corners, which are cut at the bounds in some elements
    law = numpy.array([[2 / 3, 1 / 6, 1 / 6], [1 / 6, 2 / 3, 1 / 6], [1 / 6, 1 / 6, 2 / 3]])
    free = (mu[:, :3].min(axis=1) > 0.3201) & (number[:, :3].min(axis=1) > 0) & (
        number[:, :3].max(axis=1) < 1)
    at, friction = number[free][:, :3] @ law.T, mu[free][:, :3] @ law.T
    difference = numpy.abs(0.32 + 0.28 * at / (0.4 + at) - friction)
    tests.check(free.sum() > 100, f"  {free.sum()} triangles between the bounds")
    tests.below(float(numpy.median(difference)), 1e-3, "  friction - mu(I), median")


def fast():
    """A wide outlet and little viscosity: nothing grows in through the open top."""
    wide = ("mesh.parameters.across=8", "mesh.parameters.h=1", "mesh.parameters.D=3", "time.step=0.1",
            "material.reynolds=1000", "output.every=0", "time.steady=1e-2", "time.window=2")
    summary = tests.run("fast", "silo", *wide, "material.friction=0.3")
    ledger = summary["ledger"]
    tests.below(summary["probes"]["discharge"] - 3.98, 0.05, "  discharge - 3.98, of this mesh")
    tests.below(summary["probes"]["energy"] - 23.1, 0.5, "  kinetic energy - 23.1")
    tests.below(ledger["worst_defect"], 1e-12, "  defect of the ledger, of its worst step")
    tests.below(ledger["made_share"], 1e-3, "  energy made of nothing / work")
    tests.below((ledger["inflow"] + ledger["given"]) / ledger["in"] - 1, 0.05,
                "  taken at the top and brought by the mean / coming in - 1")
    tests.check(0.5 < summary["courant"] < 5, f"  Courant number {summary['courant']:.3g}")
    # long steps of first order do make energy, and the run says so
    summary = tests.run("long steps", "silo", *wide, "material.friction=0.1", "time.order=1",
                        "time.step=0.2", "time.end=6", code=1)
    ledger = summary["ledger"]
    tests.check(summary["missed"] == 0 and ledger["unsound"] == 0 and ledger["made_share"] > 0.01,
                f"  no step missed, but {ledger['made_share']:.2g} of the work is made of nothing")


def study():
    """cases/beverloo/study.yaml with two outlets, one friction and a coarse mesh."""
    with open(os.path.join(ROOT, "cases", "beverloo", "study.yaml"), encoding="utf-8") as file:
        text = file.read()
    for old, new in ((r"base: \.\./silo", f"base: {os.path.join(ROOT, 'cases', 'silo')}"),
                     (r"set: \{", "set: {mesh.parameters: {across: 8, h: 1}, time.window: 2.5, "),
                     (r"material\.friction: \[.*\]", "material.friction: [0.4]"),
                     (r"mesh\.parameters\.D: \[.*\]", "mesh.parameters.D: [0.75, 1.5]")):
        text, count = re.subn(old, new, text)
        tests.check(count == 1, f"study.yaml has one '{old}'")
    path, out = tests.path("study.yaml"), tests.path("beverloo")
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    command = [tests.binary, "study", path, "-o", out, "-q"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    tests.check(done.returncode == 0, f"exit code {done.returncode} {done.stderr.strip()}")
    with open(os.path.join(out, "results.csv"), newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    tests.check([row["status"] for row in rows] == ["steady", "steady"], "  two points, steady")
    small, large = (float(row["probes.discharge"]) for row in rows)
    with open(os.path.join(out, "fit.json"), encoding="utf-8") as file:
        fit = json.load(file)["fits"][0]
    # two points, two unknowns: the fit goes through both
    for D, discharge in ((0.75, small), (1.5, large)):
        law = fit["C"]["value"] * (D - fit["k"]["value"] * 0.0892857) ** 1.5
        tests.below(law / (2 * discharge) - 1, 1e-6, f"  fit at D = {D} / twice the discharge - 1")
    tests.check(1.2 < fit["C"]["value"] < 1.7 and 0 < fit["k"]["value"] < 2,
                f"  C = {fit['C']['value']:.3f}, k = {fit['k']['value']:.2f}")
    again = subprocess.run(command + ["--resume"], capture_output=True, text=True, check=False)
    tests.check(again.returncode == 0, "  --resume finds nothing to do " + again.stderr.strip())


def creeping():
    """Two interior points, one with a symmetric part that lags, one exact, on the same non-associated
    program at friction 0.5: on the Alfeld pair both get to 1e-4, and to the same flow."""
    print("creeping silo, friction 0.5, gap 1e-4")
    discharge = {}
    for method in ("ipm-exact", "ipm-blend"):
        summary = tests.run(method, "../bench/silo.yaml", "mesh.split=alfeld", "mesh.parameters.h=0.6547",
                            f"solver.method={method}", "solver.tolerance=1e-4")
        solver = summary["solver"]
        tests.check(summary["status"] == "converged", f"  {method}: {summary['status']}")
        tests.below(max(solver["gap"], solver["compaction"]), 1e-4, f"  {method}: gap and compaction")
        tests.below(solver["factorisations"], 60, f"  {method}: factorisations")
        discharge[method] = summary["probes"]["discharge"]
    tests.below(discharge["ipm-blend"] / discharge["ipm-exact"] - 1, 1e-4, "  discharges differ by")


for test in (silo, volume, mu_i, fast, study, creeping):
    try:
        test()
    except Exception as problem:  # the other cases still count
        tests.check(False, f"{test.__name__}: {type(problem).__name__}: {problem}")
tests.end()
