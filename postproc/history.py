#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Draw a probe of one or more inertial runs against time.

    postproc/history.py out/silo discharge.png --column discharge --scale 2
    postproc/history.py out/a out/b both.png --column discharge --label "D = 1" --label "D = 2"

Reads history.csv. The last window, over which the results are means, is shaded.
"""
import argparse
import os

import numpy

import sablier
from sablier import Failure, style



def read(directory, column):
    columns = sablier.table(os.path.join(directory, "history.csv"))
    if column not in columns:
        raise Failure(f"history.csv of '{directory}' has no '{column}'; it has: "
                      + ", ".join(columns))
    return columns["time"], columns[column]


def draw(options):
    sablier.check_picture(options.picture)
    labels = options.label or (options.result if len(options.result) > 1 else [None])
    if len(labels) != len(options.result):
        raise Failure(f"{len(labels)} labels for {len(options.result)} results")
    look = style.use(options)
    figure, (axis,) = look.panels()
    for i, (directory, label) in enumerate(zip(options.result, labels)):
        time, value = read(directory, options.column)
        value = options.scale * value
        axis.plot(time, value, label=label, **look.line_of(i))
        rows = sablier.summary(directory).get("window", {}).get("rows", 1)
        last = value[-rows:]
        print(f"{directory}: {options.column} = {numpy.mean(last):.6g} over the last "
              f"{len(last)} steps, deviation {numpy.std(last, ddof=1) if len(last) > 1 else 0:.1e}")
        if len(options.result) == 1:
            axis.axvspan(time[-rows], time[-1], color="#eeeeee", zorder=0)
    axis.set_xlabel("$t$")
    axis.set_ylabel(options.name or options.column)
    axis.set_ylim(bottom=0)
    if any(labels):
        style.legend(axis)
    sablier.save(figure, options.picture, options.dpi)


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("result", nargs="+", help="result directories of `sablier run`")
    parser.add_argument("picture", help=".png, .pdf or .svg to write")
    parser.add_argument("--column", default="discharge", help="of history.csv; %(default)s")
    parser.add_argument("--scale", type=float, default=1.0, help="factor of the values; "
                                                                 "2 for the whole of a half silo")
    parser.add_argument("--name", help="of the axis")
    parser.add_argument("--label", action="append", help="of each result, in their order")
    style.arguments(parser)
    draw(parser.parse_args())


if __name__ == "__main__":
    sablier.script(main)
