#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Hourglass or clepsydra: discharge against the height of the filling, and against the outlet.

    postproc/height.py out/hourglass hourglass.png --law out/beverloo --law out/newtonian

The left panel has a line per friction from results.csv of `sablier study cases/silo/hourglass.yaml`, relative to its
lowest filling; the right one discharges against the outlet of the studies given by --law, both logarithmic, with the
exponent of each line.
"""
import argparse
import csv
import os

import numpy

import sablier
from sablier import Failure, style
from sablier.style import COLOUR, MARKER



def read(directory, x):
    """{friction: (x, 2 discharge)}, sorted."""
    path = os.path.join(directory, "results.csv")
    if not os.path.isfile(path):
        raise Failure(f"'{directory}' holds no study: results.csv is missing")
    lines = {}
    with open(path, newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            if x not in row:
                raise Failure(f"'{path}' has no column '{x}'")
            if row["probes.discharge"]:
                friction = float(row.get("material.friction", 0))
                lines.setdefault(friction, []).append(
                    (float(row[x]), 2 * float(row["probes.discharge"])))
    return {friction: numpy.array(sorted(points)).T for friction, points in lines.items()}


def draw(options):
    sablier.check_picture(options.picture)
    figure, (left, right) = style.use(options).panels(2, height=0.8)
    for i, (friction, (height, q)) in enumerate(read(options.study, "mesh.parameters.H").items()):
        left.plot(height, q / q[0], MARKER[i % 5] + "-", color=COLOUR[i % 5], markersize=4.5,
                  linewidth=1.1, label=f"friction {friction:g}")
        print(f"friction {friction:g}: " + ", ".join(f"H = {h:g}: {v:.4f}" for h, v in zip(height, q))
              + f"; highest to lowest {100 * (q[-1] / q[0] - 1):+.1f} %")
    lines = [line for study in options.law for line in read(study, "mesh.parameters.D").items()]
    for i, (friction, (outlet, q)) in enumerate(lines):
        n = numpy.polyfit(numpy.log(outlet), numpy.log(q), 1)[0]
        right.loglog(outlet, q, MARKER[i % 5] + "-", color=COLOUR[i % 5], markersize=4.5,
                     linewidth=1.1, label=f"friction {friction:g}: {n:.2f}")
        print(f"friction {friction:g}: exponent {n:.3f}")
    left.set(xlabel="$H$", ylabel="$Q(H)\\,/\\,Q(H_{min})$")
    right.set(xlabel="$D$", ylabel="$Q$")
    for axis in (left, right):
        style.legend(axis, columns=2)
    sablier.save(figure, options.picture, options.dpi)
    print(f"{options.picture}: written")


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("study", help="output directory of the study of heights")
    parser.add_argument("picture", help=".png, .pdf or .svg to write")
    parser.add_argument("--law", action="append", default=[], metavar="DIR",
                        help="output directory of a study of outlets")
    style.arguments(parser)
    draw(parser.parse_args())


if __name__ == "__main__":
    sablier.script(main)
