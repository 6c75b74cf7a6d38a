#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Friction over the inertial number, of grains that flow down rough slopes.

    sablier study cases/grain-chute/slopes.yaml -o out/slopes
    postproc/rheology.py out/slopes out/slopes.csv
    sablier fit out/slopes.csv --x mu --y I --law "I0*(x-low)/(high-x)" --start low=0.25,high=0.8,I0=0.5 --bootstrap 1000 -o out/slopes-fit.json
    postproc/rheology.py out/slopes out/slopes.csv --fit out/slopes-fit.json --picture rheology.png

A layer that neither accelerates nor slows down has the same friction mu everywhere, the slope, a tangent, and mu(I) the same inertial
number. With the weight P(y) of what is above, u(y) = u0 + I s(y), s = integral of sqrt(P/density) dy / d: I is the slope of the
straight line of the mean velocity over s. It is taken in the core, --leave diameters from the floor and from the surface, where
grains flow otherwise. A row of the table is a run: slope, mu (of the forces on the floor), I, half the difference of I between the lower and the upper half of the
core, the fraction of solid, the mean pressure of the contacts over P, and the drift of the speed within the window.

Left out, and named: runs that missed; that stopped (slowest below a tenth of the mean speed in the window, or below 0.05); that
still change (drift above --drift of the speed, or force on the floor off the slope by more than 2 %).
"""
import argparse
import csv
import json
import os
import re

import numpy

import sablier
from sablier import Failure, style


def rows_of(directory):
    path = os.path.join(directory, "results.csv")
    if not os.path.isfile(path):
        raise Failure(f"'{directory}' holds no study: results.csv is missing")
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def slope_of(directory):
    """(along, across): the components of gravity, from the case as it was run."""
    with open(os.path.join(directory, "case.resolved.yaml"), encoding="utf-8") as file:
        line = next(line for line in file if line.startswith("gravity:"))
    parts = [a or b for a, b in re.findall(r'"([^"]*)"|([^\[\],\s"]+)', line.partition(":")[2])]
    return [float(sablier.evaluate(part, x=0.0)) for part in parts]


def above(y, value):
    """The integral of a profile from each y up."""
    piece = 0.5 * (value[1:] + value[:-1]) * numpy.diff(y)
    return numpy.concatenate([numpy.cumsum(piece[::-1])[::-1], [0.0]])


def measure(directory, leave):
    """What one run says, and why it is not to be used ("" if it is)."""
    summary, history = sablier.summary(directory), sablier.table(os.path.join(directory, "history.csv"))
    along, down = slope_of(directory)
    down = -down
    grains = summary["grains"]
    size = grains["radius_min"] + grains["radius_max"]  # radii are uniform: the mean diameter
    y, speed = (sablier.profile(directory, "velocity")[1][k] for k in ("y", "velocity_x"))
    fraction = sablier.profile(directory, "fraction")[1]["fraction"]
    contacts = sablier.profile(directory, "pressure")[1]["pressure"]
    weight = above(y, fraction) * down  # density of the solid is 1: the unit of stress
    time, x = history["time"], history["centre_x"]
    window = time > time[-1] - summary["window"]["length"]
    half = window.nonzero()[0][[0, window.sum() // 2, -1]]
    pace = numpy.diff(x[half]) / numpy.diff(time[half])
    mean = numpy.mean(pace)
    force = summary["probes"]["force"]
    mu = -force[0] / force[1]
    row = {"slope": along / down, "mu": mu, "speed": mean, "drift": pace[1] / pace[0] - 1.0 if pace[0] > 0.0 else numpy.nan}
    slowest = numpy.min(numpy.diff(x[window]) / numpy.diff(time[window]))
    if mean < 0.05 or slowest < 0.1 * mean:
        return row, f"it stopped: speed {mean:.2g}, slowest {slowest:.2g}"
    middle = numpy.median(fraction[(y > leave) & (y < 0.5 * y[-1])])
    top = y[fraction > 0.5 * middle].max()
    core = (y > leave) & (y < top - leave)
    if core.sum() < 6:
        return row, f"a layer {top:.1f} high has no core {leave:g} off its floor and its surface"
    root = numpy.sqrt(weight)
    s = numpy.concatenate([[0.0], numpy.cumsum(0.5 * (root[1:] + root[:-1]) * numpy.diff(y))]) / size
    number = numpy.polyfit(s[core], speed[core], 1)[0]
    parts = numpy.array_split(core.nonzero()[0], 2)
    low, high = (numpy.polyfit(s[p], speed[p], 1)[0] for p in parts)
    row.update({"I": number, "I_uneven": 0.5 * (high - low), "fraction": fraction[core].mean(),
                "pressure_ratio": (contacts[core] / weight[core]).mean(), "height": top})
    return row, ""


def usable(row, why, drift):
    if not why and abs(row["drift"]) > drift:
        why = f"its speed changes by {100 * row['drift']:.0f} % within the window"
    if not why and abs(row["mu"] / row["slope"] - 1.0) > 0.02:
        why = f"friction on the floor {row['mu']:.4f} is not the slope {row['slope']:.4f}: it accelerates"
    return why


def draw(options, rows):
    sablier.check_picture(options.picture)
    figure, (law, solid) = style.Style("page").apply().panels(2)
    number = numpy.array([row["I"] for row in rows])
    law.plot(number, [row["mu"] for row in rows], "o", color=style.COLOUR[0], label="one run each")
    if options.fit:
        with open(options.fit, encoding="utf-8") as file:
            found = {k: v["value"] for k, v in json.load(file)["fits"][0]["parameters"].items()}
        x = numpy.linspace(0.0, 1.1 * number.max(), 100)
        law.plot(x, found["low"] + (found["high"] - found["low"]) * x / (found["I0"] + x), **{**style.Style().line_of(1), "label": r"$\mu(I)$"})
    style.legend(law)
    law.set(xlabel="inertial number $I$", ylabel=r"friction $\mu$")
    solid.plot(number, [row["fraction"] for row in rows], "o", color=style.COLOUR[0])
    solid.set(xlabel="inertial number $I$", ylabel="fraction of solid")
    sablier.save(figure, options.picture)
    print(options.picture)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("study", help="result directory of the study")
    parser.add_argument("table", help="CSV to write")
    parser.add_argument("--leave", type=float, default=3.0, help="left out at the floor and at the surface, in diameters (default: 3)")
    parser.add_argument("--drift", type=float, default=0.1, help="largest change of the speed from the first half of the window to the second (default: 0.1)")
    parser.add_argument("--fit", help="JSON of sablier fit, to draw its law")
    parser.add_argument("--picture", help=".png, .pdf or .svg to write")
    options = parser.parse_args()
    kept = []
    for point in rows_of(options.study):
        why = point["left_out"] or ("" if point["exit"] == "0" else point["status"])
        if not why:
            row, why = measure(os.path.join(options.study, "points", point["point"]), options.leave)
            why = usable(row, why, options.drift)
        if why:
            print(f"left out: {point['point']}: {why}")
        else:
            kept.append({"point": point["point"], **row})
    if not kept:
        raise Failure("no run is left")
    sablier.write_table(options.table, kept)
    for row in kept:
        print(f"{row['point']}: mu {row['mu']:.4f} (slope {row['slope']:.4f}), I {row['I']:.4f} +/- {abs(row['I_uneven']):.4f} over the height, "
              f"fraction {row['fraction']:.3f}, pressure/weight {row['pressure_ratio']:.3f}, drift {row['drift']:+.3f}")
    if options.picture:
        draw(options, kept)


if __name__ == "__main__":
    sablier.script(main)
