#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Draw the law of a study: discharge against width of the outlet, points with error bars and fits.

    postproc/beverloo.py out/beverloo                      writes out/beverloo/beverloo.png
    postproc/beverloo.py out/beverloo --out beverloo.pdf --xlabel "$D$" --ylabel "$Q$"

From results.csv and fit.json of `sablier study`. The left panel shows y against x; the right one
y^(1/(d - 1/2)), in which the law of Beverloo is a straight line that meets the axis at k grain, or both
logarithms for a power law. Hollow points are left out of the fit; those far above the others are not
drawn, but named.
"""
import argparse
import csv
import json
import math
import os

import numpy

import sablier
from sablier import style
from sablier.style import COLOUR, MARKER



def read(directory):
    """(rows of results.csv, fit.json)."""
    table, law = os.path.join(directory, "results.csv"), os.path.join(directory, "fit.json")
    if not os.path.isfile(table):
        raise sablier.Failure(f"'{directory}' holds no study: results.csv is missing")
    if not os.path.isfile(law):
        raise sablier.Failure(f"'{directory}' has no fit.json: give the study a `fit`")
    with open(table, newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    with open(law, encoding="utf-8") as file:
        try:
            fit = json.load(file)
        except ValueError as problem:
            raise sablier.Failure(f"{file.name} is damaged: {problem}") from problem
    for key in (fit["x"], fit["y"]):
        if rows and key not in rows[0]:
            raise sablier.Failure(f"'{table}' has no column '{key}'")
    return rows, fit


def belongs(row, group):
    """Is the row of this group? Numbers compare as such."""
    def same(text, value):
        try:
            return float(text) == float(value)
        except ValueError:
            return text == str(value)

    return all(same(row[key], value) for key, value in group.items())


def points(rows, fit, one):
    """x, y, sigma, good of the rows of a group that have a value; good: in the fit."""
    found = []
    left = {(point["x"], point["y"]) for point in one.get("left_out_points", [])}
    for row in rows:
        if belongs(row, one["group"]) and row[fit["x"]] and row[fit["y"]]:
            sigma = row.get(fit.get("sigma", ""), "")
            x, y = float(row[fit["x"]]), fit["scale"] * float(row[fit["y"]])
            found.append((x, y, abs(fit["scale"]) * float(sigma) if sigma else 0.0, (x, y) not in left))
    return numpy.array(found).reshape(-1, 4).T


def drawable(x, y, sigma, good):
    """Without the points that would leave the others no room."""
    near = (good > 0) | (y < 3 * y[good > 0].max(initial=0)) | (not good.any())
    for place in numpy.flatnonzero(~near):
        print(f"not drawn: x = {x[place]:g}, y = {y[place]:g}")
    return x[near], y[near], sigma[near], good[near]


def law_exponent(one):
    """d - 1/2 of the law of Beverloo: 1.5 of slots, 2.5 of round outlets."""
    return one.get("exponent_law", 1.5)


def curve(fit, one, x):
    if fit["law"] == "beverloo":
        return one["C"]["value"] * numpy.maximum(x - one["k"]["value"] * fit["grain"], 0) ** law_exponent(one)
    return one["a"]["value"] * x ** one["exponent"]["value"]


def interval(estimate, digits=3):
    """'1.40 ± 0.05', rounded to what the interval allows."""
    if estimate["low"] is None:
        return f"{estimate['value']:.{digits}g}"
    half = (estimate["high"] - estimate["low"]) / 2
    places = max(0, min(6, 1 - math.floor(math.log10(half)))) if half > 0 else digits
    return f"{estimate['value']:.{places}f} ± {half:.{places}f}"


def draw(options):
    picture = options.out or os.path.join(options.study, "beverloo.png")
    sablier.check_picture(picture)
    rows, fit = read(options.study)
    beverloo = fit["law"] == "beverloo"
    figure, (left, right) = style.use(options).panels(2, height=0.85)
    for i, one in enumerate(fit["fits"]):
        colour = COLOUR[i % 5]
        x, y, sigma, good = drawable(*points(rows, fit, one))
        name = ", ".join(f"{key.split('.')[-1]} = {value:g}" if isinstance(value, (int, float)) else
                         f"{key.split('.')[-1]} = {value}" for key, value in one["group"].items())
        if "failure" in one:
            text = f"{name}: no fit" if name else "no fit"
        elif beverloo:
            text = f"$C$ = {interval(one['C'])}, $k$ = {interval(one['k'])}"
        else:
            text = f"exponent {interval(one['exponent'])}"
        label = text if not name or "failure" in one else f"{name}: {text}"
        power = 1 / law_exponent(one) if beverloo else 1.0
        shown = numpy.maximum(y, 0) ** power
        bars = power * sigma * numpy.maximum(y, 1e-300) ** (power - 1)  # of y^power
        for axes, ordinate, error in ((left, y, sigma), (right, shown, bars)):
            drawn = False
            for part, face in ((good > 0, colour), (good == 0, "white")):
                if part.any():
                    axes.errorbar(x[part], ordinate[part], yerr=numpy.where(y > 0, error, 0)[part],
                                  fmt=MARKER[i % 5], color=colour, markerfacecolor=face, markersize=4.5,
                                  capsize=2, linewidth=1, label=None if drawn else label)
                    drawn = True
        if "failure" not in one and len(x):
            start = max(0.0, one["k"]["value"] * fit["grain"]) if beverloo else x.min() / 1.2
            line = numpy.linspace(start, 1.05 * x.max(), 200)
            left.plot(line, curve(fit, one, line), color=colour, linewidth=1.1)
            right.plot(line, curve(fit, one, line) ** power, color=colour, linewidth=1.1)
        if beverloo and i < len(options.compare):
            C, k = options.compare[i]
            line = numpy.linspace(max(0.0, k * fit["grain"]), 1.05 * x.max(), 200)
            for axes, exponent in ((left, law_exponent(one)), (right, 1.0)):
                axes.plot(line, C ** (exponent / law_exponent(one)) * (line - k * fit["grain"]) ** exponent, "--",
                          color=colour, linewidth=0.9,
                          label=None if i else f"dashed: {options.compare_name}")
        print(f"{name or fit['y']}: {len(x)} points, {text}")
    xlabel = options.xlabel or fit["x"]
    ylabel = options.ylabel or (f"{fit['scale']:g} {fit['y']}" if fit["scale"] != 1 else fit["y"])
    roots = {f"2/{2 * law_exponent(one):.0f}" for one in fit["fits"]} if beverloo else set()
    root = roots.pop() if len(roots) == 1 else "1/(d-1/2)"
    left.set(xlabel=xlabel, ylabel=ylabel)
    right.set(xlabel=xlabel, ylabel=f"({ylabel})$^{{{root}}}$" if beverloo else ylabel)
    if beverloo:
        left.set_ylim(bottom=0)
        right.set_ylim(bottom=0)
        left.set_xlim(left=0)
        right.set_xlim(left=0)
    else:
        right.set(xscale="log", yscale="log")
    style.legend(left, columns=1)
    if options.title:
        figure.suptitle(options.title)
    sablier.save(figure, picture, options.dpi)
    print(f"{picture}: written")


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("study", help="output directory of `sablier study`")
    parser.add_argument("--out", help=".png, .pdf or .svg to write; default STUDY/beverloo.png")
    parser.add_argument("--xlabel", help="default: the key")
    parser.add_argument("--ylabel", help="default: the probe")
    parser.add_argument("--compare", nargs=2, type=float, action="append", default=[],
                        metavar=("C", "K"), help="draw this law too, dashed; one per group, in order")
    parser.add_argument("--compare-name", default="printed", help="of those laws; %(default)s")
    parser.add_argument("--title")
    style.arguments(parser)
    draw(parser.parse_args())


if __name__ == "__main__":
    sablier.script(main)
