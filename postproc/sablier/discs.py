# SPDX-License-Identifier: GPL-3.0-or-later
"""Pictures of rigid grains: discs, or spheres seen from the side, and the forces between them."""
import numpy
from matplotlib.collections import LineCollection, PatchCollection
from matplotlib.colors import Normalize
from matplotlib.lines import Line2D
from matplotlib.patches import Circle, Ellipse

from .fields import frames
from .files import Failure, summary
from .grains import Grains
from .style import INK, label_of, pyplot

FORCE = "#b02020"


def outline(grains, place, i):
    """A disc, or an ellipse as it is turned."""
    if grains.axes is None:
        return Circle(place[i], grains.radius[i])
    return Ellipse(place[i], 2 * grains.axes[i, 0], 2 * grains.axes[i, 1], angle=grains.angle[i])


class Discs:
    """A result of grains, and what of it is to be drawn; used as pictures.Picture is."""

    def __init__(self, directory, options, style):
        for name in ("mirror", "slice", "wall", "log"):
            if getattr(options, name):
                raise Failure(f"--{name} is not for results of grains")
        self.directory, self.options, self.style = directory, options, style
        self.summary, self.name = summary(directory), options.field or "speed"

    def frames(self):
        return frames(self.directory, "grains")

    def fields(self, index=-1):
        return Grains(self.directory, index)

    def range_of(self, grains):
        value = grains.scalar(self.name)
        if len(value) == 0:
            return 0.0, 0.0, 0.0, 0.0
        if self.options.range:
            return (*self.options.range, value.min(), value.max())
        return min(value.min(), 0), numpy.percentile(value, 99), value.min(), value.max()

    def norm(self, ranges):
        ranges = numpy.array(ranges)
        low, high = ranges[:, 0].min(), ranges[:, 1].max()
        return Normalize(low, high if high > low else low + 1), \
            "max" if ranges[:, 3].max() > high else "neither"

    def place(self, grains):
        """Where discs are drawn: as they are, or spheres seen along a horizontal axis, the nearest last."""
        if grains.dimension == 2:
            return grains.x, numpy.arange(len(grains.x)), ("x", "y")
        turn = numpy.radians(self.options.view[1])
        across = numpy.array([-numpy.sin(turn), numpy.cos(turn), 0])
        depth = grains.x @ numpy.array([numpy.cos(turn), numpy.sin(turn), 0])
        return numpy.stack([grains.x @ across, grains.x[:, 2]], axis=1), numpy.argsort(depth), ("across", "z")

    def bounds(self, grains):
        """Of a film those of its first frame hold for all: see figure()."""
        place, _, _ = self.place(grains)
        low, high = (place - grains.radius[:, None]).min(axis=0), (place + grains.radius[:, None]).max(axis=0)
        corners, _ = grains.walls()
        if grains.dimension == 2 and len(corners) > 0:  # and walls, unless they reach far beyond
            room = 0.25 * (high - low).max()
            low = numpy.maximum(numpy.minimum(low, corners.min(axis=(0, 1))), low - room)
            high = numpy.minimum(numpy.maximum(high, corners.max(axis=(0, 1))), high + room)
        return low, high

    def forces(self, axes, grains):
        """Lines between the centres, as thick as the force is large: force chains. A large one covers half of a grain."""
        lines, force = grains.contacts()
        if len(force) == 0 or grains.dimension != 2:
            return None
        scale = numpy.percentile(force, 98) or 1
        width = grains.radius.mean() * numpy.minimum(force / scale, 1.5)
        size = axes.transData.transform([[1, 0], [0, 0]])
        points = numpy.hypot(*(size[0] - size[1])) * 72 / axes.figure.dpi
        axes.add_collection(LineCollection(lines, colors=FORCE, linewidths=width * points, capstyle="butt", alpha=0.8))
        return Line2D([], [], color=FORCE, linewidth=2, label=f"contact forces, {scale:.3g} at the 98th percentile")

    def figure(self, grains, colours, time=None, index=-1, film=None):
        place, order, names = self.place(grains)
        if len(place) == 0:
            raise Failure(f"'{grains.path}' has no grains: all have left")
        low, high = self.bounds(grains)
        if film is not None:  # a film keeps its axes: all that grains ever reach
            ends = [self.bounds(Grains(self.directory, i)) for i in {0, len(self.frames()) // 2, len(self.frames()) - 1}]
            low = numpy.min([a for a, _ in ends], axis=0)
            high = numpy.max([b for _, b in ends], axis=0)
        wide, tall = high - low
        norm, extend = colours
        width = self.style.scale * (min(6.4, 5.4 * max(0.6, (wide / tall) ** 0.5)) if wide > tall else 4.8)
        figure, axes = pyplot.subplots(figsize=(width, min(0.8 * width * tall / wide, 6.0 * self.style.scale)
                                                + 0.12 * self.style.size), layout="constrained")
        axes.set_aspect("equal")
        axes.set_xlim(low[0] - 0.01 * wide, high[0] + 0.01 * wide)
        axes.set_ylim(low[1] - 0.01 * tall, high[1] + 0.01 * tall)
        discs = PatchCollection([outline(grains, place, i) for i in order], cmap=self.options.colours, norm=norm,
                                edgecolors=INK, linewidths=0.2 * self.style.line)
        discs.set_array(grains.scalar(self.name)[order])
        axes.add_collection(discs)
        if grains.dimension == 2:
            axes.add_collection(LineCollection(grains.walls()[0], colors=INK, linewidths=2 * self.style.line))
        figure.colorbar(discs, ax=axes, label=label_of(self.name), shrink=0.8, extend=extend)
        figure.canvas.draw()
        chains = self.forces(axes, grains)
        if chains is not None:
            axes.legend(handles=[chains], loc="lower left", bbox_to_anchor=(0, 1.0), frameon=False)
        axes.set_xlabel(f"${names[0]}$" if len(names[0]) == 1 else names[0])
        axes.set_ylabel(f"${names[1]}$")
        title = self.options.title if self.options.title is not None else \
            self.summary.get("title", "") if self.style.title else ""
        if time is not None:
            title += (": " if title else "") + f"$t$ = {time:.3g}"
        axes.set_title(title, fontsize=1.1 * self.style.size, pad=6 if chains is None else 2.6 * self.style.size)
        axes.locator_params(axis="x", nbins=6)
        return figure
