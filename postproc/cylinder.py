#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Flow around a cylinder: balance of forces, wake, drag coefficient, and their pictures.

    postproc/cylinder.py out/cylinder-slip [OTHER_RESULT...]
    postproc/cylinder.py out/cylinder-slip --fields fields.png --around around.png
    postproc/cylinder.py out/drag/*/ --drag drag.png

For results on meshes/cylinder.geo: half a channel of width 1 along y, with the probes `inflow`
(flux through the top) and `drag` (force on the cylinder). Forces are printed for the whole
cylinder, twice those of the half. U is the mean velocity upstream, Fr = U / sqrt(D), and

    C_D = F_D / (U^2 D / 2)

with F_D the total force, or that of the contacts alone where there are probes `contact` and
`viscous` (the small rest is the weight that the nodes of the cylinder carry themselves). The slope
of log C_D over log Fr is a least-squares fit; its uncertainty is the standard error of that fit.
"""
import argparse
import math
import os
import re

import numpy

import sablier
from sablier import Failure, style
from sablier.section import Section
from sablier.style import COLOUR, MARKER, pyplot

HALF_WIDTH = 0.5


class Channel:
    """A result, and what its mesh tells about channel and cylinder."""

    def __init__(self, directory):
        self.name = os.path.basename(os.path.normpath(directory))
        self.directory = directory
        self.summary = sablier.summary(directory)
        self.fields = sablier.Fields(directory)
        x = self.fields.x.reshape(-1, 2)
        self.length = numpy.ptp(x[:, 1])
        on_axis = numpy.unique(x[numpy.abs(x[:, 0]) < 1e-9 * self.length, 1])
        gaps = numpy.diff(on_axis)
        if len(gaps) == 0 or abs(x[:, 0].max() - HALF_WIDTH) > 1e-9:
            raise Failure(f"'{directory}' is no half channel of meshes/cylinder.geo")
        widest = gaps.argmax()  # the axis is interrupted by the cylinder
        self.diameter = float(gaps[widest])
        self.centre = float(on_axis[widest] + gaps[widest] / 2)
        probes = self.summary["probes"]
        if "inflow" not in probes or "drag" not in probes:
            raise Failure(f"'{directory}' has no probes `inflow` and `drag`")
        self.velocity = -probes["inflow"] / HALF_WIDTH  # the flux is outward
        self.force = -2 * probes["drag"][1]
        self.contact = None
        if "contact" in probes and "viscous" in probes:
            self.contact = -2 * probes["contact"][1]

    def pressure_outside(self):
        """boundaries.bottom.pressure of the resolved case, or nan."""
        with open(os.path.join(self.directory, "case.resolved.yaml"), encoding="utf-8") as file:
            found = re.search(r"^ *bottom: \{pressure: \"?([-+.\de]+)", file.read(), re.MULTILINE)
        return float(found.group(1)) if found else math.nan

    def drag(self, force):
        return force / (0.5 * self.velocity ** 2 * self.diameter)

    def polar(self, x):
        """Distance from the cylinder in diameters, angle from the nose (top) in degrees."""
        place = x - [0, self.centre]
        return (numpy.linalg.norm(place, axis=-1) / self.diameter - 0.5,
                numpy.degrees(numpy.arctan2(place[..., 0], place[..., 1])))


def area(fields):
    """Area of the quadratic triangles themselves: 1/2 the integral of x dy - y dx around each."""
    point = numpy.array([-1, 0, 1]) * 0.6 ** 0.5 / 2 + 0.5
    weight = numpy.array([5, 8, 5]) / 18
    shape = numpy.stack([(1 - point) * (1 - 2 * point), 4 * point * (1 - point),
                         point * (2 * point - 1)], axis=1)
    slope = numpy.stack([4 * point - 3, 4 - 8 * point, 4 * point - 1], axis=1)
    total = 0.0
    for side in ([0, 3, 1], [1, 4, 2], [2, 5, 0]):
        place, along = shape @ fields.x[:, side], slope @ fields.x[:, side]
        total += 0.5 * ((place[..., 0] * along[..., 1] - place[..., 1] * along[..., 0])
                        @ weight).sum()
    return total


def wake(channel):
    """Triangles joined to the rear of the cylinder on which the pressure is nothing (below 1e-6 of
    the largest): their number, area in the whole channel, length behind the cylinder, and largest
    pressure."""
    fields = channel.fields
    pressure, corners = fields.cell["pressure"], fields.corners()
    far, angle = channel.polar(fields.x[:, :3])
    empty = pressure < 1e-6 * pressure.max()
    inside = empty & ((far < 1e-6) & (angle > 120)).any(axis=1)
    while True:  # spread over common corners
        touched = numpy.zeros(corners.max() + 1, dtype=bool)
        touched[corners[inside]] = True
        grown = empty & touched[corners].any(axis=1)
        if (grown == inside).all():
            break
        inside = grown
    if not inside.any():
        return 0, 0.0, 0.0, math.nan
    low = fields.x[inside, :3, 1].min()
    return (int(inside.sum()), float(2 * fields.areas()[inside].sum()),
            float(channel.centre - channel.diameter / 2 - low), float(pressure[inside].max()))


def nose(channel):
    """Rigid triangles joined to the front of the cylinder: area, height above the cylinder, largest
    speed; of the whole channel."""
    fields = channel.fields
    rigid, corners = fields.cell["yielded"] < 0.5, fields.corners()
    far, angle = channel.polar(fields.x[:, :3])
    middle = fields.x[:, :3].mean(axis=1)
    beside = (middle[:, 1] > channel.centre) & (channel.polar(middle)[0] < 1)  # not the plug above
    inside = rigid & ((far < 1e-6) & (angle < 60)).sum(axis=1).astype(bool)
    sides = numpy.sort(numpy.concatenate([corners[:, [0, 1]], corners[:, [1, 2]],
                                          corners[:, [2, 0]]]), axis=1)
    cells = numpy.tile(numpy.arange(len(corners)), 3)
    order = numpy.lexsort(sides.T)
    same = (sides[order][1:] == sides[order][:-1]).all(axis=1)
    left, right = cells[order][:-1][same], cells[order][1:][same]
    while True:
        grown = inside.copy()
        numpy.logical_or.at(grown, left, inside[right])
        numpy.logical_or.at(grown, right, inside[left])
        grown &= rigid & beside
        grown |= inside
        if (grown == inside).all():
            break
        inside = grown
    if not inside.any():
        return 0.0, 0.0, 0.0
    top = fields.x[inside, :3, 1].max()
    return (float(2 * fields.areas()[inside].sum()),
            float(top - channel.centre - channel.diameter / 2),
            float(fields.scalar("speed")[1][inside].max()))


def measure(channel):
    summary, fields = channel.summary, channel.fields
    solver, probes = summary["solver"], summary["probes"]
    print(f"{channel.directory}: {summary['status']}{', at rest' if solver['at_rest'] else ''}, "
          f"{summary['mesh']['elements']} triangles, {solver['method']}, {solver['outer']} "
          f"iterations, gap {solver['gap']:.1e}, {summary['cpu']['total']:.1f} s CPU")
    space = 2 * area(fields)
    exact = channel.length - math.pi * channel.diameter ** 2 / 4
    outside = channel.pressure_outside()
    print(f"  cylinder        D = {channel.diameter:g} in a channel of length {channel.length:g}, "
          f"p_ext = {outside:g}")
    print(f"  area            {space:.10f}, {space - exact:+.1e} from that with a true circle")
    parts = "" if channel.contact is None else \
        f", of which contacts {channel.contact:.8f}, viscous {-2 * probes['viscous'][1]:.8f}"
    print(f"  force           {channel.force:.8f}{parts}")
    on_side = -2 * probes["on_side"][1] if "on_side" in probes else math.nan
    print(f"  balance         force + that on the sides - (area - p_ext) = "
          f"{channel.force + on_side - space + outside:.1e}; sides {on_side:.8f}")
    if solver["at_rest"]:
        return
    parts = "" if channel.contact is None else \
        f" ({channel.drag(channel.contact):.5f} of contacts)"
    print(f"  U               {channel.velocity:.7f}, Fr = "
          f"{channel.velocity / channel.diameter ** 0.5:.5f}, "
          f"C_D = {channel.drag(channel.force):.5f}{parts}")
    pressure, place = fields.cell["pressure"], fields.x[:, :3].mean(axis=1)
    far, angle = channel.polar(place)
    for text, cells in (("largest p       ", pressure > 0),
                        ("where it yields ", fields.cell["yielded"] == 1)):
        most = numpy.where(cells, pressure, 0).argmax()
        print(f"  {text}{pressure[most]:.4f}, {far[most]:.3f} D from the cylinder, "
              f"{angle[most]:.1f} degrees from the nose")
    tip = (angle < 5) & (far < 1) & (fields.cell["yielded"] == 1)
    most = numpy.where(tip, pressure, 0).argmax()
    print(f"  on the axis     {pressure[most]:.4f} at most where it yields, "
          f"{far[most]:.3f} D ahead")
    rear = (angle > 150) & (far < 0.05)
    print(f"  at the rear     p below {pressure[rear].max() / pressure.max():.1e} of the largest "
          "(within 0.05 D, beyond 150 degrees)")
    number, size, length, _ = wake(channel)
    print(f"  empty wake      {number} triangles with p below 1e-6 of the largest: "
          f"area {size:.4f}, length {length / channel.diameter:.2f} D")
    size, height, speed = nose(channel)
    print(f"  rigid nose      area {size:.5f}, height {height / channel.diameter:.3f} D, "
          f"largest speed {speed / channel.velocity:.1e} U")


def fit(x, y):
    """Slope of log y over log x by least squares, and its standard error."""
    if len(x) < 3:
        return math.nan, math.nan
    x, y = numpy.log(x), numpy.log(y)
    centred = x - x.mean()
    slope = (centred @ y) / (centred @ centred)
    rest = y - y.mean() - slope * centred
    return float(slope), float((rest @ rest / (len(x) - 2) / (centred @ centred)) ** 0.5)


def draw_drag(channels, picture, look):
    sablier.check_picture(picture)
    moving = [c for c in channels if not c.summary["solver"]["at_rest"]
              and c.summary["status"] == "converged" and c.velocity > 0]
    if not moving:
        raise Failure("--drag: none of these results flows and has converged")
    figure, axes = look.panels(2, height=0.85, sharey=True)
    for i, diameter in enumerate(sorted({round(c.diameter, 9) for c in moving})):
        mine = sorted((c for c in moving if abs(c.diameter - diameter) < 1e-8),
                      key=lambda c: c.velocity)
        speed = numpy.array([c.velocity for c in mine])
        for kind, face in (("total", COLOUR[i % 5]), ("contacts", "white")):
            if kind == "contacts" and mine[0].contact is None:
                continue
            force = numpy.array([c.force if kind == "total" else c.contact for c in mine])
            drag = force / (0.5 * speed ** 2 * diameter)
            slope, error = fit(speed, drag)
            print(f"D = {diameter:g}, {kind}: {len(mine)} flows, "
                  f"U {speed[0]:.4g} to {speed[-1]:.4g}, slope {slope:.3f} +- {error:.3f}, "
                  f"F_D / D {force.min() / diameter:.4f} to {force.max() / diameter:.4f}")
            for panel, x in zip(axes, (speed / diameter ** 0.5, speed)):
                panel.loglog(x, drag, color=COLOUR[i % 5], marker=MARKER[i % 5],
                             markerfacecolor=face, linewidth=0.8,
                             linestyle="-" if kind == "total" else ":",
                             label=f"$D = {diameter:g}$, {kind}")
    for panel, label in zip(axes, (r"Froude number $\mathrm{Fr} = U/\sqrt{D}$",
                                   r"upstream velocity $U$")):
        low, high = panel.get_xlim()
        x = numpy.array([low, high])
        top = min(line.get_ydata()[0] * line.get_xdata()[0] ** 2 for line in panel.lines)
        panel.loglog(x, 0.6 * top / x ** 2, color="#888888", linewidth=0.8, linestyle="--",
                     label="slope $-2$")
        panel.set_xlim(low, high)
        panel.set_xlabel(label)
    axes[0].set_ylabel("$C_D$")
    style.legend(axes[0], columns=2)
    sablier.save(figure, picture)
    print(f"{picture}: {len(moving)} flows")


def draw_around(channels, picture, look):
    """Normal stress on the cylinder, from the profile `around`, and the pressure of the triangles
    that touch it."""
    sablier.check_picture(picture)
    figure, (axes,) = look.panels()
    for i, channel in enumerate(channels):
        label = "" if len(channels) == 1 else f", $p_{{ext}} = {channel.pressure_outside():g}$"
        _, rows = sablier.profile(channel.directory, "around")
        _, angle = channel.polar(numpy.stack([rows["x"], rows["y"]], axis=1))
        axes.plot(angle, rows["normal"], color=COLOUR[i % 5], linewidth=1.2,
                  label="normal stress, total" + label)
        axes.plot(angle, rows["shear"], color=COLOUR[i % 5], linewidth=0.9, linestyle="--",
                  label="shear stress, total" + label)
        far, angle = channel.polar(channel.fields.x)
        on = (far[:, :3] < 1e-6).sum(axis=1) == 2
        middle = numpy.array([channel.polar(x[:3][f[:3] < 1e-6].mean(axis=0))[1]
                              for x, f in zip(channel.fields.x[on], far[on])])
        order = middle.argsort()
        axes.plot(middle[order], channel.fields.cell["pressure"][on][order], color=COLOUR[i % 5],
                  linestyle="none", marker=MARKER[i % 5], markersize=3, markerfacecolor="white",
                  label="pressure of grains" + label)
    axes.axhline(0, color="#202020", linewidth=0.6)
    axes.set_xlabel("angle from the nose (degrees)")
    axes.set_ylabel("stress")
    axes.set_xlim(0, 180)
    axes.set_xticks(range(0, 181, 30))
    style.legend(axes)
    sablier.save(figure, picture)
    print(f"{picture}: stresses around the cylinder")


def draw_fields(channel, picture, look, above, below):
    """Four panels as in figure 6.9 of the thesis, the half mirrored to the whole channel."""
    sablier.check_picture(picture)
    fields = channel.fields.mirrored()
    section = Section(fields)
    pressure = "pressure_recovered" if "pressure_recovered" in fields.point else "pressure"
    height = 1.6 + 2.0 * (above + below) * channel.diameter
    figure, axes = pyplot.subplots(1, 4, figsize=(9.6 * look.scale, height * look.scale), layout="constrained", sharey=True)
    for axis, name in zip(axes, ("speed", pressure, "shear_rate", "yielded")):
        where, value = fields.scalar(name)
        most = numpy.quantile(value, 0.98) if name == "shear_rate" else 1.0 if name == "yielded" else value.max()
        if name == "yielded":
            rigid = section.rigid()
            legend = [section.shade(axis, rigid, "grey", look.line)] if rigid is not None else []
            section.streamlines(axis, look.line)
            figure.colorbar(shown, ax=axis, location="top", fraction=0.05, pad=0.02).ax.set_visible(False)  # its room
            axis.legend(handles=legend, loc="lower center", bbox_to_anchor=(0.5, 1.0), frameon=False)
        else:
            shown = section.colours(axis, where, value, pyplot.Normalize(0, most), "viridis")
            bar = figure.colorbar(shown, ax=axis, location="top", fraction=0.05, pad=0.02,
                                  extend="max" if name == "shear_rate" else "neither")
            bar.set_label(style.label_of(name))
        section.outline(axis, look.line)
        axis.set_aspect("equal")
        axis.set_xlim(-HALF_WIDTH, HALF_WIDTH)
        axis.set_ylim(channel.centre - below * channel.diameter,
                      channel.centre + above * channel.diameter)
        axis.set_xlabel("$x$")
    axes[0].set_ylabel("$y$")
    sablier.save(figure, picture, colours="viridis")
    print(f"{picture}: fields of {channel.directory}")


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("result", nargs="+", help="result directories of `sablier run`")
    parser.add_argument("--drag", metavar="PICTURE", help="C_D over Fr and U, with the slopes")
    parser.add_argument("--around", metavar="PICTURE", help="stresses around the cylinder")
    parser.add_argument("--fields", metavar="PICTURE",
                        help="speed, pressure, shear rate and yielded zones of the first result")
    parser.add_argument("--above", type=float, default=4, metavar="N",
                        help="diameters above the centre in --fields; default %(default)s")
    parser.add_argument("--below", type=float, default=4, metavar="N",
                        help="diameters below it; default %(default)s")
    style.arguments(parser)
    options = parser.parse_args()
    look = style.use(options)
    channels = [Channel(directory) for directory in options.result]
    if not options.drag:
        for channel in channels:
            measure(channel)
    if options.drag:
        draw_drag(channels, options.drag, look)
    if options.around:
        draw_around(channels, options.around, look)
    if options.fields:
        draw_fields(channels[0], options.fields, look, options.above, options.below)


if __name__ == "__main__":
    sablier.script(main)
