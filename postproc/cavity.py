#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Figures of a lid-driven cavity: centre of the vortex, dead zone, central velocity, drag.

    postproc/cavity.py out/cavity [OTHER_RESULT...]

The centre of the vortex is where the velocity vanishes and the stream function is extreme. The dead
zone is what hangs together with the bottom through triangles without a point that yields; its rim
creeps, so that the largest velocity below a given height is printed too. With more than one result,
the largest difference of nodal velocities from the first is printed, where the meshes are the same.
"""
import argparse

import numpy

import sablier


def dead_zone(fields):
    """Triangles that are joined to the bottom by sides of unyielded triangles."""
    corners = fields.corners()
    rigid = fields.cell["yielded"] == 0
    bottom = fields.x[:, :3, 1].min()
    at_bottom = (numpy.abs(fields.x[:, :3, 1] - bottom) < 1e-9).sum(axis=1) == 2
    sides = numpy.sort(numpy.concatenate([corners[:, [0, 1]], corners[:, [1, 2]],
                                          corners[:, [2, 0]]]), axis=1)
    cells = numpy.tile(numpy.arange(len(corners)), 3)
    order = numpy.lexsort(sides.T)
    same = (sides[order][1:] == sides[order][:-1]).all(axis=1)
    left, right = cells[order][:-1][same], cells[order][1:][same]
    dead = rigid & at_bottom
    while True:
        grown = dead.copy()
        numpy.logical_or.at(grown, left, dead[right])
        numpy.logical_or.at(grown, right, dead[left])
        grown &= rigid
        if (grown == dead).all():
            return dead
        dead = grown


def measure(directory, below, first):
    summary, fields = sablier.summary(directory), sablier.Fields(directory)
    solver = summary["solver"]
    print(f"{directory}: {summary['status']}, {summary['mesh']['elements']} triangles, "
          f"{solver['method']} with {solver['linear']}, {solver['inner']} steps, "
          f"{summary['cpu']['total']:.1f} s CPU")
    print(f"  power gap       {solver['gap']:.2e}")
    _, places, psi = fields.stagnation_points()
    centre = numpy.abs(psi).argmax()
    print(f"  vortex centre   ({places[centre, 0]:.4f}, {places[centre, 1]:.4f}), "
          f"psi = {psi[centre]:.6f}")
    speed = fields.scalar("speed")[1]
    dead = dead_zone(fields)
    if dead.any():
        print(f"  dead zone       area {fields.areas()[dead].sum():.4f}, "
              f"max |u| = {speed[dead].max():.2e}, "
              f"max |Dev D(u)| = {fields.point['shear_rate'][dead].max():.2e}")
    else:
        print("  dead zone       none")
    deep = fields.x[:, :3, 1].max(axis=1) <= below + 1e-9
    if deep.any():
        print(f"  below y = {below:<5g} max |u| = {speed[deep].max():.2e}")
    if "vertical" in summary["probes"]:
        _, line = sablier.profile(directory, "vertical")
        least = line["velocity_x"].argmin()
        print(f"  least u_x       {line['velocity_x'][least]:.5f} at y = {line['y'][least]:g} "
              "on the vertical profile")
    if "drag" in summary["probes"]:
        drag = summary["probes"]["drag"]
        print(f"  force on lid    {drag[0]:.6f} along it; "
              f"power {solver['dissipation']:.6f} dissipated")
    if first is not None and first.x.shape == fields.x.shape and (first.x == fields.x).all():
        difference = numpy.abs(fields.point["velocity"] - first.point["velocity"]).max()
        print(f"  differs by      max |u - u'| = {difference:.2e} from the first")
    return fields


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("result", nargs="+", help="result directories of `sablier run`")
    parser.add_argument("--below", type=float, default=0.04, metavar="Y",
                        help="height below which the material should stand still; "
                             "default %(default)s")
    options = parser.parse_args()
    first = None
    for directory in options.result:
        fields = measure(directory, options.below, first)
        first = first or fields


if __name__ == "__main__":
    sablier.script(main)
