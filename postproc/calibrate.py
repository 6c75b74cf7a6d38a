#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Draw what `sablier calibrate` has found: measurements with their sigma, the model, and what is left.

    postproc/calibrate.py out/calibrate                      writes out/calibrate/calibrate.png
    postproc/calibrate.py out/calibrate --out fit.pdf --xlabel "$D$" --ylabel "$Q$"

From calibrate.json and calibrate_points.csv. The upper panel has the values, the lower one the residuals in
units of sigma, or of y where no sigma is known; grey bars are the noise of the runs.
"""
import argparse
import json
import math
import os

import numpy

import sablier
from sablier import style
from sablier.style import COLOUR


def read(directory):
    """(calibrate.json, columns of calibrate_points.csv)."""
    path = os.path.join(directory, "calibrate.json")
    if not os.path.isfile(path):
        raise sablier.Failure(f"'{directory}' holds no calibration: calibrate.json is missing")
    with open(path, encoding="utf-8") as file:
        try:
            return json.load(file), sablier.table(os.path.join(directory, "calibrate_points.csv"))
        except ValueError as problem:
            raise sablier.Failure(f"{path} is damaged: {problem}") from problem


def estimate(name, one):
    """'friction = 0.412 ± 0.011', rounded to what the interval allows."""
    name = name.split(".")[-1]
    if one["low"] is None:
        return f"{name} = {one['value']:.4g} (at its bound)"
    half = (one["high"] - one["low"]) / 2
    places = max(0, min(6, 1 - math.floor(math.log10(half)))) if half > 0 else 4
    return f"{name} = {one['value']:.{places}f} ± {half:.{places}f}"


def draw(options):
    picture = options.out or os.path.join(options.calibration, "calibrate.png")
    sablier.check_picture(picture)
    found, points = read(options.calibration)
    order = numpy.argsort(points["x"], kind="stable")
    x, y, model, left, noise = (numpy.asarray(points[name], dtype=float)[order] for name in
                                ("x", "y", "model", "residual", "noise"))
    known = "chi_square" in found
    sigma = numpy.asarray(points["sigma"], dtype=float)[order] if known else numpy.zeros_like(y)
    figure, (values, rest) = style.use(options).panels(2, height=0.85)
    text = ", ".join(estimate(*pair) for pair in found["parameters"].items())
    values.errorbar(x, y, yerr=sigma if known else None, fmt="o", color=COLOUR[0], markersize=4.5, capsize=2, linewidth=1,
                    label="measured")
    values.plot(x, model, color=COLOUR[1], linewidth=1.2, label=text)
    unit = sigma if known else numpy.ones_like(y)
    rest.axhline(0.0, color="0.6", linewidth=0.8)
    rest.errorbar(x, numpy.zeros_like(y), yerr=noise / unit, fmt="none", ecolor="0.75", elinewidth=5)
    rest.errorbar(x, left / unit, yerr=numpy.ones_like(y) if known else None, fmt="o", color=COLOUR[0], markersize=4.5, capsize=2,
                  linewidth=1)
    name = options.ylabel or found["y"]
    values.set(xlabel=options.xlabel or found["x"], ylabel=name)
    rest.set(xlabel=options.xlabel or found["x"], ylabel="residual / sigma" if known else f"residual of {name}")
    style.legend(values, columns=1)
    if known:
        rest.set_title(f"$\\chi^2$ = {found['chi_square']:.3g}, {found['freedom']} degrees of freedom")
    sablier.save(figure, picture, options.dpi)
    print(text)
    for note in found["notes"]:
        print(f"note: {note}")
    print(f"{picture}: written")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("calibration", help="output directory of `sablier calibrate`")
    parser.add_argument("--out", help=".png, .pdf or .svg to write; default DIR/calibrate.png")
    parser.add_argument("--xlabel", help="default: the key")
    parser.add_argument("--ylabel", help="default: the probe")
    style.arguments(parser)
    draw(parser.parse_args())


if __name__ == "__main__":
    sablier.script(main)
