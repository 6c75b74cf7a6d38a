#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The friction of a continuum whose discharge is that of grains, with its interval.

    sablier study cases/twin-silo/study.yaml -o out/twin-continuum
    sablier study cases/twin-silo/grains.yaml -o out/twin-grains
    postproc/twin_friction.py out/twin-grains out/twin-continuum calibration.png

The first result has the same grains filled in several ways, the second the continuum over its friction and one more key,
each value of which is a curve. The measurement is the mean over the fillings with the 95 % interval of Student; the fraction
of solid in the packing (--fraction VALUE DEVIATION) makes volumes and weights of packing of it. Each curve is inverted by its
straight pieces, wherever it passes the mean, and the interval of the friction is that within the measured one. Where it has no
such part friction is no answer; nothing is extrapolated, and runs that are not valid do not count. The picture has the discharge, the forces on the bottom,
and the velocity on the axis, that of the continuum at the friction whose discharge is nearest.
"""
import argparse
import csv
import os

import matplotlib
import numpy

import sablier
from sablier import Failure

matplotlib.use("Agg")
import matplotlib.pyplot as pyplot  # noqa: E402

STUDENT = {2: 12.706, 3: 4.303, 4: 3.182, 5: 2.776, 6: 2.571, 7: 2.447, 8: 2.365}  # 97.5 % of n - 1 degrees
GRAINS, COLOUR = "#1f5fa8", ("#c2571a", "#3f8f4f", "#7a4fa0", "#777777")
OVER, OTHER = "material.mu_i.static", "mesh.parameters.D"


def read(directory):
    """The rows of a study that count; those of runs that are not valid are named."""
    table = os.path.join(directory, "results.csv")
    if not os.path.isfile(table):
        raise Failure(f"'{directory}' holds no study: results.csv is missing")
    with open(table, newline="", encoding="utf-8") as file:
        every = list(csv.DictReader(file))
    rows = [row for row in every if row["status"] == "finished" and row["exit"] == "0"]
    for row in every:
        if row not in rows:
            print(f"left out: {row['point']} ({row['left_out'] or row['status']})")
    if len(rows) < 2:
        raise Failure(f"'{directory}' has {len(rows)} finished points: two at least are needed")
    return rows


def measured(rows, probe, fraction):
    """Mean over the fillings, per fraction of solid, and half its 95 % interval."""
    values = numpy.array([float(row["probes." + probe]) for row in rows])
    if len(values) not in STUDENT:
        raise Failure(f"{len(values)} fillings: between 2 and 8 give a mean with a deviation")
    mean, half = values.mean(), STUDENT[len(values)] * values.std(ddof=1) / numpy.sqrt(len(values))
    return mean / fraction[0], abs(mean) / fraction[0] * numpy.hypot(half / mean, fraction[1] / fraction[0])


def curves(rows, probe):
    """{value of the other key: x, y}, x rising."""
    for key in (OVER, OTHER, "probes." + probe):
        if key not in rows[0]:
            raise Failure(f"the study of the continuum has no column '{key}'")
    found = {}
    for row in rows:
        found.setdefault(row[OTHER], []).append((float(row[OVER]), float(row["probes." + probe])))
    return {name: numpy.array(sorted(points)).T for name, points in sorted(found.items())}


def passes(x, y, level):
    """Everywhere that the straight pieces of a curve pass a level."""
    return [float(a) for a, u in zip(x, y) if u == level] + \
        [float(a + (level - u) * (b - a) / (v - u)) for a, b, u, v in zip(x, x[1:], y, y[1:]) if (u - level) * (v - level) < 0.0]


def within(x, y, low, high):
    """The least and the largest x of a curve between two levels, and whether they are inside its range."""
    places = sorted(passes(x, y, low) + passes(x, y, high) + [float(a) for a, v in zip(x, y) if low <= v <= high])
    return (places[0], places[-1]) if places else None


def answer(x, y, value, half):
    """What a curve says of its x: in words."""
    best, ends = passes(x, y, value), within(x, y, value - half, value + half)
    if ends is None:
        return "no friction of this range"
    open_ended = [f"nothing {word} {limit:g} was run" for word, limit, end in (("below", x[0], ends[0]), ("above", x[-1], ends[1]))
                  if end == limit]
    middle = " or ".join(f"{b:.3f}" for b in best) if best else "none at the mean itself"
    return f"friction {middle}, from {ends[0]:.3f} to {ends[1]:.3f}" + "".join("; " + text for text in open_ended)


def axis_panel(panel, options, grains, continuum, nearest):
    """Mean and spread of the fillings along the axis; the continuum at the friction whose discharge is nearest."""
    lines = [sablier.profile(os.path.join(options.grains, "points", row["point"]), "axis")[1] for row in grains]
    speed = numpy.array([line["velocity_y"] for line in lines])
    panel.errorbar(lines[0]["s"], speed.mean(0), speed.std(0, ddof=1), color=GRAINS, fmt="o", markersize=3, capsize=2)
    for (name, friction), colour in zip(nearest.items(), COLOUR):
        row = next(r for r in continuum if r[OTHER] == name and float(r[OVER]) == friction)
        line = sablier.profile(os.path.join(options.continuum, "points", row["point"]), "axis")[1]
        panel.plot(line["s"], line["velocity_y"], color=colour, label=f"D = {name}, friction {friction:g}")
    panel.set(xlabel="along the axis, from the outlet up", ylabel="vertical velocity")
    panel.legend(loc="upper center", bbox_to_anchor=(0.5, -0.2), frameon=False)


def draw(options):
    sablier.check_picture(options.picture)
    grains, continuum = read(options.grains), read(options.continuum)
    figure, panels = pyplot.subplots(1, 3, figsize=(11, 4), layout="constrained")
    nearest = {}
    for panel, probe, label in zip(panels, ("discharge", "bottom_y"), ("discharge", "vertical force on the bottom")):
        value, half = measured(grains, probe, options.fraction)
        panel.axhspan(value - half, value + half, color=GRAINS, alpha=0.25, linewidth=0)
        panel.axhline(value, color=GRAINS, label="grains, 95 %")
        print(f"{probe}: grains {value:.3f} +/- {half:.3f}")
        for (name, (x, y)), colour in zip(curves(continuum, probe).items(), COLOUR):
            panel.plot(x, y, "o-", color=colour, markersize=3, label=f"continuum, D = {name}")
            print(f"    D = {name}: " + ", ".join(f"{v:.3f}" for v in y) + " at " + ", ".join(f"{v:g}" for v in x)
                  + f": {answer(x, y, value, half)}")
            if probe == "discharge":
                nearest[name] = float(x[numpy.argmin(abs(y - value))])
        panel.set(xlabel="static friction of the continuum", ylabel=label)
        panel.legend(loc="upper center", bbox_to_anchor=(0.5, -0.2), frameon=False)
    axis_panel(panels[2], options, grains, continuum, nearest)
    sablier.save(figure, options.picture, 150, "viridis")
    print(options.picture)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("grains", help="result directory of the study of grains")
    parser.add_argument("continuum", help="result directory of the study of the continuum")
    parser.add_argument("picture", help=".png, .pdf or .svg to write")
    parser.add_argument("--fraction", nargs=2, type=float, default=(0.82, 0.01), metavar=("VALUE", "DEVIATION"),
                        help="of solid in the packing (default: 0.82 0.01)")
    draw(parser.parse_args())


if __name__ == "__main__":
    sablier.script(main)
