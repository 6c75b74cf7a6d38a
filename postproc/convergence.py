#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Draw how a solve converged: power gap G, compaction rate C, natural residual.

    postproc/convergence.py out/cavity convergence.png
    postproc/convergence.py out/apgd out/pg methods.png        the larger of G and C of each

From convergence.csv, which has a row per outer iteration. A viscosity formula makes a sequence of
cone programs: their work is added up, and each begins with a thin line.
"""
import argparse
import os

import numpy

import sablier
from sablier import style
from sablier.style import COLOUR, MARKER

WORK = {"solves": "solves with the factor of $A$", "inner": "inner iterations",
        "outer": "outer iterations", "cpu": "CPU time (s)"}


def read(directory, work):
    """Columns of convergence.csv, the work summed over cone programs, and where these begin."""
    sablier.check_result(directory)
    rows = sablier.table(os.path.join(directory, "convergence.csv"))
    program, count = rows["viscosity_iteration"], rows[work]
    begins, before = [], 0.0
    total = count.copy()
    for i in range(1, len(count)):
        if program[i] != program[i - 1]:
            before += count[i - 1]
            begins.append(before)
        total[i] = before + count[i]
    return rows, total, begins


def draw(options):
    sablier.check_picture(options.picture)
    if options.label and len(options.label) != len(options.result):
        raise sablier.Failure(f"{len(options.label)} labels for {len(options.result)} results")
    figure, (axes,) = style.use(options).panels()
    for i, directory in enumerate(options.result):
        rows, work, begins = read(directory, options.against)
        solver = sablier.summary(directory)["solver"]
        label = options.label[i] if options.label else solver["method"]
        if len(options.result) == 1:
            for j, (column, text) in enumerate((("gap", "power gap $G$"),
                                                ("compaction", "compaction rate $C$"),
                                                ("natural", "natural residual"))):
                axes.semilogy(work, rows[column], color=COLOUR[j], marker=MARKER[j], markersize=3,
                              linewidth=1.1, label=text)
            for begin in begins:
                axes.axvline(begin, color="#cccccc", linewidth=0.8, zorder=0)
        else:
            axes.semilogy(work, numpy.maximum(rows["gap"], rows["compaction"]), color=COLOUR[i % 5],
                          marker=MARKER[i % 5], markersize=3, linewidth=1.1, label=label)
            axes.set_ylabel(r"$\max(G,\, C)$")
        print(f"{directory}: {label}, {len(work)} outer iterations, "
              f"{work[-1]:.6g} {options.against}, G = {solver['gap']:.3e}")
    limits = {sablier.summary(directory)["solver"].get("tolerance") for directory in options.result} - {None}
    if len(limits) == 1:
        limit = limits.pop()
        axes.axhline(limit, color="#202020", linestyle=(0, (4, 3)), linewidth=0.9)
        axes.annotate("tolerance", (0.01, limit), xycoords=("axes fraction", "data"),
                      xytext=(0, 2), textcoords="offset points", fontsize="small")
    if len(options.result) > 1 and options.log:
        axes.set_xscale("log")
    axes.set_xlabel(WORK[options.against])
    style.legend(axes)
    if options.title:
        figure.suptitle(options.title)
    sablier.save(figure, options.picture, options.dpi)
    print(f"{options.picture}: written")


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("result", nargs="+", help="result directories of `sablier run`")
    parser.add_argument("picture", help=".png, .pdf or .svg to write")
    parser.add_argument("--against", choices=WORK, default="solves",
                        help="the horizontal axis; default %(default)s")
    parser.add_argument("--log", action="store_true", help="logarithmic horizontal axis")
    parser.add_argument("--label", action="append", help="of each result, in their order")
    parser.add_argument("--title")
    style.arguments(parser)
    draw(parser.parse_args())


if __name__ == "__main__":
    sablier.script(main)
