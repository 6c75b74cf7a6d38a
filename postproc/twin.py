#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Two results of the same scene on one axis: grains and continuum.

    postproc/twin.py out/twin-silo out/twin-silo-continuum twin.png

Every profile that both have is a panel: of a velocity its vertical component, else the field itself; bands are the
deviations over the last window. The numbers that both have, and the wall forces, are printed side by side.
"""
import argparse

import matplotlib
import numpy

import sablier
from sablier import Failure

matplotlib.use("Agg")
import matplotlib.pyplot as pyplot  # noqa: E402
from matplotlib.lines import Line2D  # noqa: E402

COLOUR = ("#1f5fa8", "#c2571a")


def profiles(directories):
    """Names of those that all results have."""
    names = [[n for n, v in sablier.summary(d).get("probes", {}).items() if isinstance(v, str)] for d in directories]
    both = [n for n in names[0] if all(n in other for other in names[1:])]
    if not both:
        raise Failure("the results have no profile in common: give both cases a line probe of the same name")
    return both


def column_of(columns):
    """The field of a profile: of a velocity the component along gravity."""
    return next((c for c in ("velocity_z", "velocity_y") if c in columns),
                [c for c in columns if not c.endswith("_deviation")][-1])


def draw(options):
    sablier.check_picture(options.picture)
    directories = (options.grains, options.continuum)
    names = profiles(directories)
    figure, panels = pyplot.subplots(1, len(names), figsize=(3.2 * len(names), 3.2), layout="constrained", squeeze=False)
    for panel, name in zip(panels[0], names):
        for directory, colour in zip(directories, COLOUR):
            columns = sablier.profile(directory, name)[1]
            field = column_of(columns)
            s, value = columns["s"], columns[field]
            panel.plot(s, value, color=colour, linewidth=1.3, label=sablier.summary(directory).get("title", directory))
            if field + "_deviation" in columns:
                band = columns[field + "_deviation"]
                panel.fill_between(s, value - band, value + band, color=colour, alpha=0.2, linewidth=0)
        panel.set_title(name)
        panel.set_xlabel("along the line")
        panel.set_ylabel(field.replace("_", " "))
    for panel, directory, colour in zip(panels[0][-2:], directories, COLOUR):  # below two panels, as wide as they are
        panel.legend(handles=[Line2D([], [], color=colour, label=sablier.summary(directory).get("title", directory))],
                     loc="upper center", bbox_to_anchor=(0.5, -0.22), frameon=False)
    sablier.save(figure, options.picture, 150, "viridis")
    for probe in sablier.summary(options.grains).get("probes", {}):
        line = []
        for directory in directories:
            summary = sablier.summary(directory)
            value, deviation = (numpy.atleast_1d(summary.get(k, {}).get(probe, numpy.nan)) if not isinstance(
                summary.get(k, {}).get(probe), str) else None for k in ("probes", "deviations"))
            if value is not None and deviation is not None:
                line.append(", ".join(f"{v:.4g} +/- {d:.2g}" for v, d in zip(value, deviation)))
        if len(line) == 2:
            print(f"{probe}: grains {line[0]}; continuum {line[1]}")
    print(f"{options.picture}: {', '.join(names)}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("grains", help="result directory of the grains")
    parser.add_argument("continuum", help="result directory of the continuum")
    parser.add_argument("picture", help=".png, .pdf or .svg to write")
    draw(parser.parse_args())


if __name__ == "__main__":
    sablier.script(main)
