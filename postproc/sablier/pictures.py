# SPDX-License-Identifier: GPL-3.0-or-later
"""Pictures of fields: what `sablier-picture` draws of a frame and `sablier-movie` of all of them."""
import os
import sys
import textwrap

import numpy

from . import files
from .discs import Discs
from .fields import Carriers, Fields, Wall, frames
from .files import Failure
from .grains import has_grains
from .section import Section
from .style import INK, Units, check_colours, pyplot, quantity_of

from matplotlib.colors import LogNorm, Normalize  # noqa: E402
from matplotlib.lines import Line2D  # noqa: E402
from matplotlib.patches import Patch  # noqa: E402

BODY = 15000  # small triangles of a surface in space


def arguments(parser):
    """What is drawn, and how; the same of pictures and films."""
    parser.add_argument("--field", metavar="NAME",
                        help="speed, shear_rate, pressure, velocity_x, stress_XY, ... (an unknown "
                             "name lists them all); default speed, of a wall normal")
    parser.add_argument("--mirror", action="store_true",
                        help="both halves: of a meridian section, or of a plane one whose axis is its left side")
    parser.add_argument("--slice", metavar="PLANE",
                        help="in space: x=0.5, or a point and a normal as 0,0,0:1,-1,0; default: "
                             "the surface of the domain")
    parser.add_argument("--coarse", action="store_true", help="of grains: their fields on the mesh")
    parser.add_argument("--wall", metavar="NAME",
                        help="in space: the stress of the traction probe of that name")
    parser.add_argument("--view", type=float, nargs=2, default=(25, -60),
                        metavar=("ELEVATION", "TURN"), help="of a surface, in degrees")
    parser.add_argument("--range", type=float, nargs=2, metavar=("LOW", "HIGH"),
                        help="of the colours; default: all but the extreme 1 %% of the area")
    parser.add_argument("--log", action="store_true", help="logarithmic colours")
    parser.add_argument("--flow", choices=("streamlines", "arrows", "none"),
                        help="default: streamlines; arrows where a surface moves")
    parser.add_argument("--lines", type=int, default=12, help="streamlines across; default %(default)s")
    parser.add_argument("--rigid", choices=("grey", "hatch", "off"), default="grey",
                        help="how unyielded zones are shown; default %(default)s")
    parser.add_argument("--grains", choices=("on", "off"), default="on",
                        help="the points that carry a moving surface; default %(default)s")
    parser.add_argument("--colours", default="viridis", metavar="MAP",
                        help="of Matplotlib; default %(default)s, which survives grey and colour blindness")
    parser.add_argument("--title", help="default: that of the case, none on paper")


def check(options):
    """Complain before the work."""
    if not check_colours(options.colours):
        print(f"warning: the lightness of '{options.colours}' goes up and down: it misleads in grey, and those who see "
              "colours otherwise; viridis and cividis do not", file=sys.stderr)
    if options.range and not options.range[0] < options.range[1]:
        raise Failure(f"--range: {options.range[0]:g} is not below {options.range[1]:g}")
    if options.lines < 1:
        raise Failure("--lines: one at least")


def parse_slice(text):
    """x=0.5, or px,py,pz:nx,ny,nz: a point of the plane and its normal."""
    axis, equal, value = text.partition("=")
    try:
        if equal and axis in ("x", "y", "z"):
            normal = numpy.eye(3)["xyz".index(axis)]
            return float(value) * normal, normal
        point, normal = (numpy.array([float(v) for v in part.split(",")])
                         for part in text.split(":"))
        if len(point) == len(normal) == 3:
            return point, normal
    except ValueError:
        pass
    raise Failure(f"--slice {text}: give x=0.5, or a point and a normal as 0,0,0:1,-1,0")


def draw(directory, index=-1, style="page", **options):
    """A Matplotlib figure of a result; options are those of `sablier-picture`: field="shear_rate", mirror=True ..."""
    import argparse

    from .style import Style

    parser = argparse.ArgumentParser()
    arguments(parser)
    chosen = parser.parse_args([])
    for name, value in options.items():
        if not hasattr(chosen, name):
            raise Failure(f"a picture has no option '{name}'; it has: {', '.join(sorted(vars(chosen)))}")
        setattr(chosen, name, value)
    picture = of(os.fspath(directory), chosen, Style(style).apply())
    fields = picture.fields(index)
    return picture.figure(fields, picture.norm([picture.range_of(fields)]), index=index)


def of(directory, options, style):
    """What draws a result: of a flow, or of rigid grains."""
    check(options)
    return (Discs if has_grains(directory) and not options.coarse else Picture)(directory, options, style)


class Picture:
    """A result of a flow, and what of it is to be drawn."""

    def __init__(self, directory, options, style):
        self.directory, self.options, self.style = directory, options, style
        self.summary = files.summary(directory)
        self.units = Units(self.summary)
        name = options.field or ("normal" if options.wall is not None else "speed")
        self.name = "speed" if name == "velocity" else name
        self.moves = os.path.isfile(os.path.join(directory, "grains.pvd"))

    def frames(self):
        return frames(self.directory)

    def fields(self, index=-1):
        """What is to be drawn: plane triangles, or triangles in space; lengths in the units of the axes."""
        options = self.options
        if options.wall is not None:
            found = Wall(self.directory, options.wall)
        else:
            found = Fields(self.directory, index)
            if options.slice is not None and found.geometry != "space":
                raise Failure("--slice is for results with geometry: space")
            if options.mirror and found.geometry == "space":
                raise Failure("--mirror is for plane and axisymmetric results")
            if found.geometry == "space":
                found = found.slice(*parse_slice(options.slice)) if options.slice else found.surface()
            elif options.mirror:
                if found.x[:, :, 0].min() < -1e-9:
                    raise Failure("--mirror is for results that lie on one side of their axis")
                found.x = found.x * self.units.factor("length")
                return found.mirrored()
        found.x = found.x * self.units.factor("length")
        return found

    def scalar(self, fields):
        where, value = fields.scalar(self.name)
        return where, value * self.units.factor(quantity_of(self.name))

    def title(self, time=None):
        if self.options.title is not None:
            said = self.options.title
        else:
            said = self.summary.get("title", "") if self.style.title else ""
        if time is not None:
            said += (": " if said else "") + f"$t$ = {time * self.units.factor('time'):.3g}" + \
                (" s" if self.units.word("time") else "")
        return said

    # --- colours

    def range_of(self, fields):
        """The given range, or all but the extreme 1 % of the area (singular corners): low, high, least, most."""
        where, value = self.scalar(fields)
        if self.options.range:
            return (*self.options.range, value.min(), value.max())
        mean = value if where == "cell" else value[:, 3:].mean(axis=1)
        area = fields.areas()
        if "fill" in fields.cell:
            area = area * (fields.cell["fill"] > 0.5)
        order = numpy.argsort(mean)
        share = numpy.cumsum(area[order])
        if share[-1] > 0:
            low, high = (mean[order][numpy.searchsorted(share / share[-1], part)] for part in (0.01, 0.99))
        else:
            low, high = mean.min(), mean.max()
        if value.min() >= 0 and low < 0.2 * high:
            low = 0.0
        if value.max() <= high + 0.25 * (high - low):
            high = value.max()
        if value.min() >= low - 0.25 * (high - low):
            low = value.min()
        if self.options.log:
            low = max(low, 1e-4 * high)
        return low, high, value.min(), value.max()

    def norm(self, ranges):
        """Of one or more frames: Matplotlib's norm, and which ends of the bar are pointed."""
        ranges = numpy.array(ranges)
        low, high = ranges[:, 0].min(), ranges[:, 1].max()
        least, most = ranges[:, 2].min(), ranges[:, 3].max()
        if high - low <= 1e-12 * max(abs(high), abs(low)):  # one value
            low, high = low - 0.5 * (abs(low) or 1), high + 0.5 * (abs(high) or 1)
        if self.options.log and low <= 0:
            raise Failure("--log needs a field, or a --range, above zero")
        extend = {(0, 0): "neither", (1, 0): "min", (0, 1): "max", (1, 1): "both"}[int(least < low), int(most > high)]
        return (LogNorm if self.options.log else Normalize)(low, high), extend

    # --- figures

    def figure(self, fields, colours, time=None, index=-1, film=None):
        """Of one frame. `colours` of norm(); `film`: what a film adds, called with the axes and the section."""
        if fields.x.shape[2] == 3:
            return self.body(fields, colours, time)
        section, style, options = Section(fields), self.style, self.options
        norm, extend = colours
        wide, tall = section.high - section.low
        width = style.scale * (min(6.4, 5.4 * max(0.6, (wide / tall) ** 0.5)) if wide > tall else 4.8)
        height = min(0.8 * width * tall / wide, 6.0 * style.scale)
        width = min(width, height * wide / tall + 0.17 * style.size)
        figure, axes = pyplot.subplots(figsize=(width, height + 0.095 * style.size), layout="constrained")
        shown = section.colours(axes, *self.scalar(fields), norm, options.colours)
        legend = self.zones(axes, section, film is not None)
        section.outline(axes, style.line)
        if self.moves and options.grains == "on" and options.wall is None and options.slice is None:
            self.draw_grains(axes, index)
        legend += self.flow(axes, section, film is not None)
        if film is not None:
            film(axes, section)
        axes.set_aspect("equal")
        inner = min(width - 0.15 * style.size, height * wide / tall)  # of the axes, in inches
        axes.set_xlim(section.low[0] - 0.01 * wide, section.high[0] + 0.01 * wide)
        axes.set_ylim(section.low[1] - 0.01 * tall, section.high[1] + 0.01 * tall)
        axes.set_xlabel(self.units.axis(fields.axes[0]))
        axes.set_ylabel(self.units.axis(fields.axes[1]))
        for axis, length in ((axes.xaxis, inner), (axes.yaxis, inner * tall / wide)):
            axis.set_major_locator(pyplot.MaxNLocator(max(1, min(8, int(22 * length / style.size))), steps=[1, 2, 5, 10]))
        for side in axes.spines.values():
            side.set_visible(False)
        bar = figure.colorbar(shown, extend=extend, cax=axes.inset_axes(
            [1 + 0.06 * style.scale / inner, 0, 0.14 * style.scale / inner, 1]))
        bar.set_label(self.units.label(self.name))
        if legend:
            figure.supxlabel(" ", fontsize=style.size * 1.5)  # room below the axes
            figure.legend(handles=legend, loc="lower center", ncols=2, frameon=False)
        figure.suptitle("\n".join(textwrap.wrap(self.title(time), max(12, int(120 * width / style.size)))),
                        fontsize=1.1 * style.size)
        return figure

    def zones(self, axes, section, always):
        legend, options = [], self.options
        rigid = section.rigid() if options.rigid != "off" else None
        if rigid is not None:
            legend.append(section.shade(axes, rigid, options.rigid, self.style.line))
        elif always and options.rigid != "off" and "yielded" in section.fields.cell:
            legend.append(Patch(facecolor="#c4c4c4", edgecolor=INK, label="unyielded"))
        empty = section.empty()
        if empty is not None:
            section.shade(axes, empty, "white", self.style.line)
        return legend

    def flow(self, axes, section, always):
        how = self.options.flow or ("arrows" if self.moves else "streamlines")
        drawn = None
        if how == "streamlines":
            drawn = section.streamlines(axes, self.style.line, self.options.lines)
        if drawn is None and how != "none":
            drawn = section.arrows(axes, self.style.line, 36 if self.moves else 22)
        if drawn is None and always and how != "none":
            drawn = Line2D([], [], color=INK, linewidth=0.6, label="velocity" if how == "arrows" else how)
        return [drawn] if drawn is not None else []

    def draw_grains(self, axes, index):
        grains = Carriers(self.directory, index)
        if grains.place.shape[1] == 2 and len(grains.place):
            size = max(0.15, 900 / len(grains.place)) * self.style.scale
            axes.scatter(*(grains.place.T * self.units.factor("length")), s=min(size, 3), c="white", edgecolors=INK,
                         linewidths=0.15, rasterized=True, zorder=1.5)

    def body(self, fields, colours, time=None):
        """Triangles in space, seen from outside: those that look away are left out."""
        from mpl_toolkits.mplot3d.art3d import Poly3DCollection

        where, value = self.scalar(fields)
        norm, extend = colours
        options, style = self.options, self.style
        parts = max(1, min(4, int((BODY / len(fields.x)) ** 0.5)))
        shapes, small = fields.refine(parts)
        place = (shapes @ fields.x).reshape(-1, 3)[small]
        shade = numpy.repeat(value, parts * parts) if where == "cell" else \
            numpy.ravel(value @ shapes.T)[small].mean(axis=1)
        elevation, turn = numpy.radians(options.view)
        eye = numpy.array([numpy.cos(elevation) * numpy.cos(turn),
                           numpy.cos(elevation) * numpy.sin(turn), numpy.sin(elevation)])
        normal = numpy.cross(place[:, 1] - place[:, 0], place[:, 2] - place[:, 0])
        seen = normal @ eye > 0 if options.wall is None else numpy.ones(len(place), dtype=bool)
        low, high = place.reshape(-1, 3).min(axis=0), place.reshape(-1, 3).max(axis=0)
        size = numpy.maximum(high - low, 0.02 * (high - low).max())

        figure = pyplot.figure(figsize=(5.6 * style.scale, 5.0 * style.scale))
        axes = figure.add_subplot(projection="3d", proj_type="ortho")
        colour = pyplot.get_cmap(options.colours)(norm(shade[seen]))
        axes.add_collection3d(Poly3DCollection(place[seen], facecolors=colour, edgecolors=colour,
                                               linewidths=0.3, rasterized=True))
        axes.view_init(*options.view)
        axes.set_box_aspect(size, zoom=0.88)  # room for the labels
        for i, axis in enumerate("xyz"):
            getattr(axes, f"set_{axis}lim")(low[i] - 0.01 * size[i], high[i] + 0.01 * size[i])
            getattr(axes, f"set_{axis}label")(self.units.axis(axis))
            getattr(axes, f"{axis}axis").set_major_locator(
                pyplot.MaxNLocator(4 if i == 2 else 3)
                if high[i] - low[i] > 0.02 * size.max() else pyplot.NullLocator())
        figure.colorbar(pyplot.cm.ScalarMappable(norm, options.colours), ax=axes, extend=extend,
                        shrink=0.7, pad=0.12, label=self.units.label(self.name))
        axes.set_title(self.title(time))
        return figure
