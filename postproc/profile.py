#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Draw profiles of one or more results, against the exact solution where the case gives one.

    postproc/profile.py out/film film.png --profile profile
    postproc/profile.py out/a out/b both.png --profile vertical --label "Bi = 2" --label "Bi = 20"

Reads profiles/NAME.csv (a `line` probe) and the formulas of `exact` in case.resolved.yaml, or those
given by --exact. Of a case with units the profile is in SI, unless there is such a formula. The largest difference is printed, and drawn beside the profile.
"""
import argparse

import numpy

import sablier
from sablier import Failure, style
from sablier.style import COLOUR, MARKER


class Line:
    """One profile: a column along the line, and its exact values or None."""

    def __init__(self, directory, options):
        name, columns = sablier.profile(directory, options.profile)
        if "s" not in columns:
            raise Failure(f"profile '{name}' is no line; picture.py draws slices and walls")
        places = [c for c in ("x", "y", "z", "r") if c in columns]
        units = {c.partition(" [")[0]: c for c in columns if c.endswith("]")}  # the same in SI, "velocity_x [m/s]"
        fields = [c for c in columns
                  if c not in ("s", *places) and not c.endswith("_deviation") and " [" not in c]
        column = (options.component or "").partition(" [")[0] or None
        if column is None:
            # the component that is not nearly nothing
            column = max(fields, key=lambda c: numpy.ptp(columns[c]))
        if column not in fields:
            raise Failure(f"profile '{name}' has no '{column}'; it has: {', '.join(fields)}")
        self.column, self.place = column, {c: columns[c] for c in places}
        # the coordinate along which the line runs, or the length
        spans = {axis: numpy.ptp(self.place[axis]) for axis in places}
        straight = [axis for axis in places if all(
            spans[other] < 1e-12 * spans[axis] for other in places if other != axis)]
        self.axis = straight[0] if straight else "s"
        if "r" in places:  # formulas may call it x and y as well
            self.place.update(x=columns["r"], y=columns["z"])
        self.formula = options.exact or sablier.exact_formulas(directory).get(column)
        # in SI where the case has units, unless a formula is compared, which has none
        self.si = not options.plain and self.formula is None and column in units and self.axis in units
        shown = (lambda name: units.get(name, name)) if self.si else (lambda name: name)
        self.names = [shown(column), shown(self.axis)]
        self.along, self.value = columns[shown(self.axis)], columns[shown(column)]
        if options.beside is not None and options.beside not in columns:
            raise Failure(f"profile '{name}' has no '{options.beside}'; it has: {', '.join(fields)}")
        self.beside = None if options.beside is None else columns[shown(options.beside)]

    def exact(self, n=None):
        """Exact values at the samples, or at n points between the ends with their abscissae."""
        if n is None:
            return sablier.evaluate(self.formula, **self.place)
        part = numpy.linspace(0, 1, n)

        def between(a):
            return a[0] + part * (a[-1] - a[0])

        place = {axis: between(value) for axis, value in self.place.items()}
        return between(self.along), sablier.evaluate(self.formula, **place)


def draw(options):
    sablier.check_picture(options.picture)
    lines = [Line(directory, options) for directory in options.result]
    labels = options.label or (options.result if len(lines) > 1 else ["Sablier"])
    if len(labels) != len(lines):
        raise Failure(f"{len(labels)} labels for {len(lines)} results")
    with_error = [line for line in lines if line.formula is not None]
    upright = all(line.axis in ("y", "z") for line in lines)  # draw height upwards

    look = style.use(options)
    figure, axes = look.panels(2 if with_error else 1, height=0.8 if upright else 0.64, sharey=upright)
    main, beside = axes[0], axes[-1]

    def plot(where, along, value, *style, **options):
        where.plot(*((value, along) if upright else (along, value)), *style, **options)

    for i, (line, label) in enumerate(zip(lines, labels)):
        colour, marker = COLOUR[i % 5], MARKER[i % 5]
        if line.formula is None:
            plot(main, line.along, line.value, label=label, color=colour, linewidth=1.3 * look.line,
                 linestyle=look.line_of(i)["linestyle"] if line.beside is None else "-")
            if line.beside is not None:
                plot(main, line.along, line.beside, color=colour, linestyle="--", linewidth=0.9 * look.line,
                     label=f"{options.beside} (dashed)" if i == 0 else None)
            continue
        plot(main, *line.exact(400), color=colour, linewidth=1.1 * look.line,
             label="exact" if line is with_error[0] else None)
        plot(main, line.along, line.value, marker, color=colour, label=label,
             markerfacecolor="white", markevery=max(1, len(line.along) // 25))
        error = line.value - line.exact()
        scale = numpy.abs(line.exact()).max()
        print(f"{options.result[i]}: {line.column} of {len(error)} samples differs by at most "
              f"{numpy.abs(error).max():.3e}"
              + (f", {numpy.abs(error).max() / scale:.3e} of the largest value" if scale else ""))
        plot(beside, line.along, error, label=label, **look.line_of(i))
    if len({tuple(line.names) for line in lines}) > 1:
        raise Failure("some of the results have units, and some have not; use --plain")

    def unit(name):
        return f" [{name.partition(' [')[2]}" if " [" in name else ""

    value = style.label_of(lines[0].column) + unit(lines[0].names[0])
    along = f"${lines[0].axis}$" + unit(lines[0].names[1])
    for axis in axes:
        text = value if axis is main else f"{value} $-$ exact"
        (axis.set_xlabel if upright else axis.set_ylabel)(text)
        if not upright:
            axis.set_xlabel(along)
    if upright:
        main.set_ylabel(along)
    if with_error:
        beside.ticklabel_format(style="sci", scilimits=(-2, 2), useMathText=True)
    style.legend(main)
    if options.title:
        figure.suptitle(options.title)
    sablier.save(figure, options.picture, options.dpi)
    print(f"{options.picture}: {lines[0].names[0]} along {lines[0].names[1]}")


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("result", nargs="+", help="result directories of `sablier run`")
    parser.add_argument("picture", help=".png, .pdf or .svg to write")
    parser.add_argument("--profile", metavar="NAME", help="name of the line probe; needed if the "
                                                          "result has more than one")
    parser.add_argument("--component", metavar="COLUMN",
                        help="velocity_x, pressure, ...; default: the column that varies most")
    parser.add_argument("--beside", metavar="COLUMN", help="another column of the profile, dashed")
    parser.add_argument("--exact", metavar="FORMULA",
                        help="in x and y, or r and z, or x, y, z; default: `exact` of the case, if it has one")
    parser.add_argument("--plain", action="store_true", help="without units, also if the case has some")
    parser.add_argument("--label", action="append", help="of each result, in their order")
    parser.add_argument("--title")
    style.arguments(parser)
    draw(parser.parse_args())


if __name__ == "__main__":
    sablier.script(main)
