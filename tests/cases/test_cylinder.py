#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Flow around a cylinder on coarse meshes: curved sides, exact balance, wake, drag, rest, plastic limit.

    test_cylinder.py SABLIER_BINARY
"""
import math
import os

import numpy

from case_run import Tests
import cylinder as channels  # of postproc
import sablier

tests = Tests()
COARSE = ("mesh.parameters.h=0.2", "mesh.parameters.n=8")
PRESSURE = "boundaries.bottom.pressure="


def result(name):
    return channels.Channel(tests.path(name))


def slip():
    """The force is the weight of the grains less the pressure from outside; the wake is empty."""
    for pressure in (0.5, 1, 2):
        summary = tests.run(f"slip {pressure}", "cylinder-slip", *COARSE, f"{PRESSURE}{pressure}")
        channel = result(f"slip {pressure}")
        area = 2 * channels.area(channel.fields)
        tests.below((channel.force - area + pressure) / area, 1e-12,
                    "  force - (area - p_ext), relative to the area")
        probes = summary["probes"]
        rest = numpy.subtract(numpy.subtract(probes["drag"], probes["contact"]), probes["viscous"])
        tests.below(float(rest[0]), 1e-10, "  force across - its parts")
        tests.check(-0.01 < rest[1] < 0, f"  the rest is weight at the cylinder: {rest[1]:.2e}")
        pressures = channel.fields.cell["pressure"]
        far, angle = channel.polar(channel.fields.x[:, :3].mean(axis=1))
        rear = pressures[(angle > 150) & (far < 0.2)].max()
        tests.below(float(rear / pressures.max()), 1e-6, "  pressure at the rear / largest")
    # the circle is curved: middles of sides on it, and the area of the fourth order
    far, _ = channel.polar(channel.fields.x)
    on = numpy.abs(far) < 1e-6
    sides = sum((on[:, a] & on[:, b]).sum() for a, b in ((0, 1), (1, 2), (2, 0)))
    tests.check(sides >= 8 and on[:, 3:].sum() == sides,
                f"  {sides} sides on the circle, each with its middle on it")
    tests.below(area - (4 - math.pi / 64), 1e-5, "  area - that around a circle")
    # another diameter and length: the balance holds there too
    tests.run("slip 6", "cylinder-slip", *COARSE, PRESSURE + "3", "mesh.parameters.D=0.5",
              "mesh.parameters.L=6")
    channel = result("slip 6")
    tests.below(channel.diameter - 0.5, 1e-9, "  diameter - 1/2")
    tests.below(channel.force - 2 * channels.area(channel.fields) + 3, 1e-11, "  force - balance")


def drag():
    """C_D falls like 1/Fr^2 or nearly so; sides and cylinder carry the weight; and it stops."""
    speed, force = [], []
    for pressure in ("0", "0.4", "0.65"):  # on the mesh of the case: a coarser one gives -1.78
        name = f"rough {pressure}"
        summary = tests.run(name, "cylinder", PRESSURE + pressure)
        channel = result(name)
        balance = channel.force - 2 * summary["probes"]["on_side"][1] \
            - 2 * channels.area(channel.fields) + float(pressure)
        tests.below(balance, 1e-10, "  force on cylinder and sides - weight + p_ext")
        speed.append(channel.velocity)
        force.append(channel.force)
    tests.check(speed[0] > speed[1] > speed[2] > 0, "  a larger pressure slows it down")
    slope = numpy.polyfit(numpy.log(speed), numpy.log(numpy.divide(force, numpy.square(speed))), 1)[0]
    tests.below(slope + 2, 0.2, "  exponent of C_D over Fr, + 2")
    summary = tests.run("stopped", "cylinder", *COARSE, PRESSURE + "1.3")
    tests.check(summary["solver"].get("at_rest") is True, "  1.3: it is at rest")
    tests.below(summary["probes"]["inflow"], 1e-7, "  flux")


def two_states():
    """At the same pressure a flow and a state of rest: both satisfy the law."""
    pressure = PRESSURE + "0.55"
    tests.run("associated", "cylinder", *COARSE, pressure, "material.dilatancy=0.5",
              "solver.method=auto")
    start = os.path.join(tests.path("associated"), "checkpoint.sab")
    summary = tests.run("rest", "cylinder", *COARSE, pressure, f"initial.from={start}",
                        "solver.tolerance=1e-6")
    tests.check(summary["solver"].get("at_rest") is True, "  from a state of rest: it stays there")
    summary = tests.run("flow", "cylinder", *COARSE, pressure, "solver.tolerance=1e-4")
    tests.below(summary["solver"]["gap"], 1e-4, "  from nothing it flows: power gap")
    tests.check(summary["probes"]["inflow"] < -0.3, f"  flux {summary['probes']['inflow']:.3f}")


def plastic():
    """Force / (yield stress x diameter) falls to 4 sqrt(2) + 2 pi; 16.274, 13.043: finest mesh."""
    limit = 4 * math.sqrt(2) + 2 * math.pi
    ratio = []
    for bingham, value in ((10, 16.274), (100, 13.043), (1000, None)):
        summary = tests.run(f"Bi {bingham}", "cylinder-bingham", f"material.bingham={bingham}",
                            "mesh.parameters.h=0.5", "mesh.parameters.n=32")
        probes = summary["probes"]
        tests.below((probes["drag"][1] + probes["on_box"][1]) / bingham, 1e-10,
                    "  force on cylinder + force on box")
        ratio.append(-2 * probes["drag"][1] / bingham)
        if value is not None:
            tests.below(ratio[-1] / value - 1, 2e-3, f"  force / {value} - 1")
    tests.check(ratio[0] > ratio[1] > ratio[2] > limit, f"  it falls, and stays above {limit:.2f}")
    tests.below(ratio[2] / limit - 1, 0.05, "  force at Bi = 1000 / limit - 1")


for test in (slip, drag, two_states, plastic):
    try:
        test()
    except Exception as problem:  # the other cases still count
        tests.check(False, f"{test.__name__}: {type(problem).__name__}: {problem}")
tests.end()
