#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The same scene of grains and of a continuum on one axis: discharge, velocity, wall load.

    postproc/twin.py out/twin-silo out/twin-silo-continuum twin.png
    postproc/twin.py out/twin twin.png --table twin.csv

Results and studies, of grains and of a continuum, over the width of the outlet, the parameter D of the mesh. Grains of the same
width are fillings: the standard deviation over them is the error bar of a profile, and, relative, of the discharge at other widths
(never less than that of the mean of six parts of the window); at their own it is that of their mean. Of several continua of the
same width the first counts, and the others are it with one coefficient at an end of its interval and the rest fitted again: the
bar spans all of these ends, relative at all widths.

Grains count per volume and weight of packing, with the fraction of solid between --height and twice that on the axis (probe
`fraction`), or --fraction. Profiles are of the width with several fillings, or of the first that both have, and must be along the
same line. Left out, and named: runs that missed; grains whose window begins before 4 % have left or ends after 60 %. --table writes D,
Q and its deviation, for `sablier fit --group kind`.
"""
import argparse
import csv
import os
import re

import numpy

import sablier
from sablier import Failure, style
from sablier.style import pyplot

COLOUR = {"grains": style.COLOUR[0], "continuum": style.COLOUR[1]}
PARTS = 6


class Run:
    """A result: its outlet, discharge, and profiles."""

    def __init__(self, directory):
        self.directory, self.summary = directory, sablier.summary(directory)
        self.kind = "grains" if "grains" in self.summary else "continuum"
        with open(os.path.join(directory, "case.resolved.yaml"), encoding="utf-8") as file:
            found = re.search(r"^  parameters: \{(.*)\}", file.read(), re.M)
        self.parameter = {k: float(v) for k, v in re.findall(r"(\w+): ([-+.\de]+)", found[1])} if found else {}
        if not {"D", "W", "H"} <= set(self.parameter):
            raise Failure(f"the mesh of '{directory}' lacks one of the parameters D, W, H")
        self.outlet = self.parameter["D"]
        probes = self.summary.get("probes", {})
        if "discharge" not in probes:
            raise Failure(f"'{directory}' has no probe 'discharge'")
        self.discharge = probes["discharge"]
        history = sablier.table(os.path.join(directory, "history.csv"))
        time, flow = history["time"], history["discharge"]
        self.window = time > time[-1] - self.summary.get("window", {}).get("length", 0.0)
        means = [part.mean() for part in numpy.array_split(flow[self.window], PARTS) if len(part)]
        self.error = numpy.std(means, ddof=1) / numpy.sqrt(len(means)) if len(means) > 1 else 0.0
        self.emptied = None
        if self.kind == "grains":
            gone = numpy.cumsum(history["left"]) / self.summary["grains"]["mass"]
            self.emptied = gone[self.window][[0, -1]] if self.window.any() else numpy.array([0.0, gone[-1]])

    def mistake(self):
        """Why this run says nothing; "" if it does."""
        if not self.summary.get("good", False):
            return "; ".join(self.summary.get("warnings", [])) or self.summary["status"]
        if self.emptied is not None and (self.emptied[0] < 0.04 or self.emptied[1] > 0.6):
            return f"its window begins when {100 * self.emptied[0]:.0f} % have left and ends at {100 * self.emptied[1]:.0f} %"
        return ""

    def profile(self, name):
        columns = sablier.profile(self.directory, name)[1]
        field = next((c for c in ("velocity_z", "velocity_y") if c in columns), [c for c in columns if not c.endswith("_deviation")][-1])
        place = numpy.array([columns[c] for c in ("x", "y")])
        return place, columns[field], field

    def names(self):
        return [n for n, v in self.summary["probes"].items() if isinstance(v, str)]


def read(directory, everything=False):
    """The runs of a result or a study that count; the others are named."""
    table = os.path.join(directory, "results.csv")
    if os.path.isfile(table):
        with open(table, newline="", encoding="utf-8") as file:
            points = list(csv.DictReader(file))
        for row in points:
            if row["left_out"] or row["exit"] != "0":
                print(f"left out: {row['point']}: {row['left_out'] or row['status']}")
        there = [os.path.join(directory, "points", row["point"]) for row in points if not row["left_out"] and row["exit"] == "0"]
    else:
        there = [directory]
    runs = []
    for run in (Run(path) for path in there):
        why = "" if everything else run.mistake()
        if why:
            print(f"left out: {run.directory}: {why}")
        else:
            runs.append(run)
    return runs


def several(runs):
    """Those of one width of which there are several, the first one first."""
    outlets = [run.outlet for run in runs]
    widths = {outlet for outlet in outlets if outlets.count(outlet) > 1}
    if len(widths) > 1:
        raise Failure(f"several {runs[0].kind} at more than one width: {', '.join(f'D = {width:g}' for width in sorted(widths))}")
    return [run for run in runs if run.outlet in widths]


def first_ones(runs):
    """The first of each width, by width."""
    return sorted({run.outlet: run for run in reversed(runs)}.values(), key=lambda run: run.outlet)


def solid(runs, options):
    """Fraction of solid that makes volumes of packing of grains."""
    if options.fraction is not None:
        return options.fraction
    values = []
    for run in runs:
        if "fraction" not in run.names():
            raise Failure("the grains have no line probe 'fraction': give --fraction")
        place, value, _ = run.profile("fraction")
        values.append(value[(place[1] > options.height) & (place[1] < 2.0 * options.height)].mean())
    print(f"fraction of solid {numpy.mean(values):.4f}, from {min(values):.4f} to {max(values):.4f}")
    return float(numpy.mean(values))


def ends(best, others, value):
    """What the ends of intervals do to a value (a number or a profile): how far down, how far up."""
    change = numpy.array([value(run) - value(best) for run in others])
    return -numpy.minimum(change, 0.0).min(0), numpy.maximum(change, 0.0).max(0)


def discharge_panel(panel, grains, continuum, fillings, interval, packing):
    """Both over the outlet, as volume of packing. Rows of the table."""
    rows = []
    spread = 0.0
    if len(fillings) > 1:
        flow = numpy.array([run.discharge for run in fillings])
        spread = flow.std(ddof=1) / flow.mean()
        print(f"discharge of {len(flow)} fillings at D = {fillings[0].outlet:g}: {flow.mean():.3f}, deviation {flow.std(ddof=1):.3f} "
              f"({100 * spread:.1f} %)")
    for run in grains:
        run.sigma = max(run.error, spread * run.discharge)
        if len(fillings) > 1 and run.outlet == fillings[0].outlet:
            run.discharge, run.sigma = flow.mean(), spread * flow.mean() / numpy.sqrt(len(flow))
        rows.append({"kind": "grains", "D": run.outlet, "Q": run.discharge / packing, "sigma": run.sigma / packing})
    relative = (0.0, 0.0)
    if interval:
        best = next(run for run in continuum if run.outlet == interval[0].outlet)
        relative = [float(d / best.discharge) for d in ends(best, interval, lambda run: run.discharge)]
        print(f"ends of the intervals change the discharge of the continuum by -{100 * relative[0]:.1f} to +{100 * relative[1]:.1f} %")
    rows += [{"kind": "continuum", "D": run.outlet, "Q": run.discharge, "sigma": max(run.error, 0.5 * sum(relative) * run.discharge)}
             for run in continuum]
    for kind in COLOUR:
        own = [row for row in rows if row["kind"] == kind]
        panel.errorbar([row["D"] for row in own], [row["Q"] for row in own], yerr=[row["sigma"] for row in own], color=COLOUR[kind],
                       fmt="o-" if kind == "continuum" else "s", markersize=4, capsize=2, linewidth=1, label=kind)
    for a in grains:
        for b in continuum:
            if a.outlet == b.outlet:
                window = f", {100 * a.emptied[0]:.0f} to {100 * a.emptied[1]:.0f} % had left"
                print(f"D = {a.outlet:g}: grains {a.discharge:.3f} +/- {a.sigma:.3f} of solid, {a.discharge / packing:.3f} "
                      f"of packing{window}; continuum {b.discharge:.3f} +/- {max(b.error, 0.5 * sum(relative) * b.discharge):.3f}; "
                      f"ratio {a.discharge / packing / b.discharge:.3f}")
    panel.set(xlabel="outlet $D$", ylabel="discharge, volume of packing")
    style.legend(panel)
    return rows


def profile_panel(panel, name, grains, continuum, interval, packing):
    """The mean over the fillings with their deviation; the continuum with what the ends of its intervals do."""
    place, _, field = grains[0].profile(name)
    other = continuum.profile(name)[0]
    if place.shape != other.shape or abs(place - other).max() > 1e-9:
        raise Failure(f"the profile '{name}' of the grains is along another line than that of the continuum")
    factor = packing if field in ("pressure", "shear_stress") else 1.0  # stress of the solid in units of packing
    axis = int(numpy.ptp(place[0]) < numpy.ptp(place[1]))
    s = place[axis]
    all_of = numpy.array([run.profile(name)[1] for run in grains]) / factor
    mean, spread = all_of.mean(0), all_of.std(0, ddof=1) if len(all_of) > 1 else numpy.zeros_like(s)
    value = continuum.profile(name)[1]
    panel.plot(s, mean, color=COLOUR["grains"], linewidth=1.3)
    panel.fill_between(s, mean - spread, mean + spread, color=COLOUR["grains"], alpha=0.25, linewidth=0)
    panel.plot(s, value, color=COLOUR["continuum"], linewidth=1.3)
    if interval:
        down, up = ends(continuum, interval, lambda run: run.profile(name)[1])
        panel.fill_between(s, value - down, value + up, color=COLOUR["continuum"], alpha=0.25, linewidth=0)
    panel.set(xlabel=("$x$", "$y$")[axis], ylabel=style.FIELD.get(field, (field,))[0], title=name)
    at = numpy.linspace(0, len(s) - 1, 7).astype(int)
    for label, numbers in (("at", s), ("grains", mean), ("deviation", spread), ("continuum", value)):
        print(f"    {name + ' ' + label:22}" + " ".join(f"{v:8.3f}" for v in numbers[at]))


def forces(grains, continuum, packing):
    """Mean forces on the walls that both have."""
    for name, value in grains[0].summary["probes"].items():
        if isinstance(value, list) and isinstance(continuum.summary["probes"].get(name), list):
            each = numpy.array([run.summary["probes"][name] for run in grains]) / packing
            spread = each.std(0, ddof=1) if len(each) > 1 else numpy.full(each.shape[1], numpy.nan)
            print(f"force on {name}: grains " + ", ".join(f"{m:.1f} +/- {d:.1f}" for m, d in zip(each.mean(0), spread)) +
                  "; continuum " + ", ".join(f"{v:.1f}" for v in continuum.summary["probes"][name]))


def draw(options):
    sablier.check_picture(options.picture)
    runs = [run for path in options.results for run in read(path, options.all)]
    grains, continuum = ([run for run in runs if run.kind == kind] for kind in COLOUR)
    fillings, interval = several(grains), several(continuum)[1:]
    grains, continuum = first_ones(grains), first_ones(continuum)
    both = [run.outlet for run in grains if any(run.outlet == other.outlet for other in continuum)]
    outlet = fillings[0].outlet if fillings else both[0] if both else None
    if outlet not in both or any(run.outlet != outlet for run in interval):
        raise Failure("grains and continuum (and their variants) have no outlet in common")
    fillings = fillings or [run for run in grains if run.outlet == outlet]
    one = next(run for run in continuum if run.outlet == outlet)
    packing = solid(grains, options)
    names = [name for name in fillings[0].names() if name in one.names()]
    style.Style("page").apply()
    lines = -(-(1 + len(names)) // 3)
    figure, panels = pyplot.subplots(lines, 3, figsize=(11, 3.2 * lines), layout="constrained", squeeze=False)
    panels = panels.flatten()
    for panel in panels[1 + len(names):]:
        panel.set_axis_off()
    rows = discharge_panel(panels[0], grains, continuum, fillings, interval, packing)
    lost = numpy.mean([run.emptied.mean() for run in fillings])
    high = (1 - lost) * fillings[0].summary["grains"]["mass"] / packing / fillings[0].parameter["W"]
    print(f"profiles at D = {outlet:g}, {len(fillings)} filling{'s' if len(fillings) > 1 else ''}; mean height within the window "
          f"{high:.1f}, of the continuum {one.parameter['H']:g}")
    for panel, name in zip(panels[1:], names):
        profile_panel(panel, name, fillings, one, interval, packing)
    forces(fillings, one, packing)
    sablier.save(figure, options.picture)
    print(options.picture)
    if options.table:
        sablier.write_table(options.table, rows)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("results", nargs="+", help="results and studies of grains and of the continuum")
    parser.add_argument("picture", help=".png, .pdf or .svg to write")
    parser.add_argument("--table", help="CSV of discharges to write")
    parser.add_argument("--fraction", type=float, help="of solid in the packing")
    parser.add_argument("--height", type=float, default=10.0, help="fraction of solid from this height to twice it (default: 10)")
    parser.add_argument("--all", action="store_true", help="also runs that missed, and windows of filling and emptying")
    draw(parser.parse_args())


if __name__ == "__main__":
    sablier.script(main)
