#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Draw a study of walls with friction, whose runs have a probe wall_load.

    walls.py STUDY OUT.png [--probe NAME]

Over wall friction alone: discharge and loads. Over angle and wall friction: a chart of mass and funnel flow, as
Jenike's, each point with its least ratio of slip to mean velocity.
"""
import argparse
import csv
import json
import os

import sablier
from sablier import style

MARKS = {"mass": ("o", "#0072b2"), "mixed": ("D", "#009e73"), "funnel": ("s", "#d55e00"), "rest": ("x", "#202020")}


def read(study, probe):
    """A row per run: friction, angle or None, discharge, and the figures of the wall load."""
    path = os.path.join(study, "results.csv")
    if not os.path.isfile(path):
        raise sablier.Failure(f"'{study}' holds no study: results.csv is missing")
    with open(path, encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    result = []
    for row in rows:
        with open(os.path.join(study, "points", row["point"], "summary.json"), encoding="utf-8") as file:
            summary = json.load(file)
        friction = next(float(v) for k, v in row.items() if k.endswith("wall.friction"))
        angle = next((float(v) for k, v in row.items() if k.endswith(".angle")), None)
        result.append((friction, angle, summary["probes"]["discharge"], summary["wall_loads"][probe]))
    return result


def draw_loads(runs, look):
    figure, (left, right) = look.panels(2, height=0.8)
    runs = sorted((run for run in runs if run[0] <= 1), key=lambda run: run[0])
    x = [run[0] for run in runs]
    left.plot(x, [run[2] for run in runs], "o-", color=style.COLOUR[0])
    left.set_ylabel("discharge")
    for key, scale, mark, text in (("bottom_share", False, "o-", "bottom / weight"),
                                   ("wall_friction", True, "s-", "friction of vertical walls / weight"),
                                   ("determined", False, "^:", "part of the wall that slides")):
        values = [run[3][key] / (run[3]["weight"] if scale else 1) for run in runs if run[3][key] is not None]
        if len(values) == len(x):
            right.plot(x, values, mark, label=text, color=style.COLOUR["os^".index(mark[0])])
    style.legend(right, columns=1)
    for axes in (left, right):
        axes.set_xlabel("wall friction")
    return figure


def draw_chart(runs, look):
    figure, (axes,) = look.panels(height=0.75)
    for friction, angle, _, load in runs:
        mark, colour = MARKS.get(load["flow"], MARKS["rest"])
        axes.plot(angle, friction, mark, color=colour, ms=9)
        axes.annotate(f"{load['slip_ratio']:.2f}", (angle, friction), xytext=(7, 4), textcoords="offset points",
                      fontsize=8)
    for flow in sorted({run[3]["flow"] for run in runs}):
        axes.plot([], [], MARKS.get(flow, MARKS["rest"])[0], color=MARKS.get(flow, MARKS["rest"])[1],
                  label=flow + " flow")
    axes.set_xlabel("angle of the hopper wall with the vertical, degrees")
    axes.set_ylabel("wall friction")
    axes.margins(0.15)
    style.legend(axes)
    return figure


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("study")
    parser.add_argument("out")
    parser.add_argument("--probe", default="load", help="the wall load (default: load)")
    style.arguments(parser)
    args = parser.parse_args()
    sablier.check_picture(args.out)
    runs, look = read(args.study, args.probe), style.use(args)
    figure = draw_chart(runs, look) if runs[0][1] is not None else draw_loads(runs, look)
    sablier.save(figure, args.out, args.dpi)
    print(f"{args.out}: {len(runs)} runs of {args.study}")


if __name__ == "__main__":
    sablier.script(main)
