# SPDX-License-Identifier: GPL-3.0-or-later
"""Plane triangles on axes: colours, what does not yield, what is empty, streamlines, arrows.

The triangles are quadratic: each is cut into small flat ones before it is drawn.
"""
import numpy
from matplotlib.collections import LineCollection
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.tri import Triangulation

from .style import GREY, INK

SMALL = 4          # parts of a side
MANY = 150000      # small triangles: fewer parts beyond
PIXELS = 600       # of the raster along the longer side, from which streamlines and arrows are taken


class Section:
    """Fields in a plane (sablier.Fields of the plane, of a meridian, a slice) ready to be drawn."""

    def __init__(self, fields):
        self.fields = fields
        self.parts = max(1, min(SMALL, int((MANY / len(fields.x)) ** 0.5)))
        self.shapes, self.small = fields.refine(self.parts)
        self.place = (self.shapes @ fields.x).reshape(-1, 2)
        self.mesh = Triangulation(*self.place.T, self.small)
        self.low, self.high = self.place.min(axis=0), self.place.max(axis=0)
        self.size = (self.high - self.low).max()
        self._raster = None

    def at_points(self, value):
        """Values [cells][6] at the small points."""
        return (value @ self.shapes.T).ravel()

    def linear(self, value):
        """Values [cells][3] of corners at the small points."""
        corner = self.shapes @ numpy.array([[1, 0, 0], [0, 1, 0], [0, 0, 1], [.5, .5, 0], [0, .5, .5], [.5, 0, .5]])
        return (value @ corner.T).ravel()

    def colours(self, axes, where, value, norm, map_):
        if where == "cell":
            return axes.tripcolor(self.mesh, facecolors=numpy.repeat(value, self.parts ** 2), norm=norm, cmap=map_,
                                  rasterized=True)
        return axes.tripcolor(self.mesh, self.at_points(value), norm=norm, cmap=map_, shading="gouraud", rasterized=True)

    # --- zones: what does not yield, what is empty

    def filled(self):
        """Share of each triangle that is full; None where nothing moves through the mesh."""
        return numpy.clip(self.fields.cell["fill"], 0, 1) if "fill" in self.fields.cell else None

    def zone(self, share):
        """A zone given by its share [cells] of each triangle: (values at small points, level) with the zone below the
        level. The rim is smooth, and the zone has the area of the shares: which of the triangles on the rim
        belong to it is a matter of chance, how many is not."""
        value = self.fields.recovered(1 - share)
        return self.linear(value), self.fields.level_of(value, float(share @ self.fields.areas()))

    def rigid(self):
        """The zone of the law points that do not flow, or None."""
        if "yielded" not in self.fields.cell:
            return None
        share = 1 - self.fields.cell["yielded"]
        full = self.filled()
        share = share if full is None else numpy.where(full > 0.5, share, 0)
        return self.zone(share) if share.max() > 0.3 else None

    def empty(self):
        full = self.filled()
        return None if full is None or full.min() > 0.5 else self.zone((full < 0.5).astype(float))

    def shade(self, axes, zone, how, line=1.0):
        """Draw a zone as "grey", "hatch" or "white"; the entry of a legend."""
        value, level = zone
        levels = [value.min() - 1, level]
        style = {"grey": {"colors": [GREY]}, "hatch": {"colors": "none", "hatches": ["/////"]},
                 "white": {"colors": ["white"]}}[how]
        axes.tricontourf(self.mesh, value, levels=levels, **style)
        axes.tricontour(self.mesh, value, levels=[level], colors=INK, linewidths=0.7 * line)
        if how == "white":
            return None
        return Patch(facecolor=GREY if how == "grey" else "none", edgecolor=INK, linewidth=0.7 * line,
                     hatch="/////" if how == "hatch" else None, label="unyielded")

    def outline(self, axes, line=1.0):
        """The boundary of the domain, with curved sides."""
        fields = self.fields
        corners = fields.corners()
        sides = numpy.sort(numpy.stack([corners[:, [0, 1]], corners[:, [1, 2]], corners[:, [2, 0]]], axis=1)
                           .reshape(-1, 2), axis=1)
        _, first, count = numpy.unique(sides, axis=0, return_index=True, return_counts=True)
        which = first[count == 1]
        curve = fields.x[which[:, None] // 3, numpy.array([[0, 3, 1], [1, 4, 2], [2, 5, 0]])[which % 3]]
        quarter = numpy.einsum("qa,sai->sqi", [[.375, .75, -.125], [-.125, .75, .375]], curve)  # P2 at the quarters
        axes.add_collection(LineCollection(
            numpy.stack([curve[:, 0], quarter[:, 0], curve[:, 1], quarter[:, 1], curve[:, 2]], axis=1), colors=INK,
            linewidths=1.2 * line, capstyle="round"))

    # --- the flow

    def raster(self):
        """Velocity on a regular grid: (step, [rows][columns][2]), nan outside the domain and where it is empty."""
        if self._raster is not None:
            return self._raster
        step = self.size / PIXELS
        columns, rows = (numpy.floor((self.high - self.low) / step).astype(int) + 1)
        flow = numpy.full((rows, columns, 2), numpy.nan)
        keep = numpy.ones(len(self.small), dtype=bool)
        empty = self.empty()
        if empty is not None:
            keep = empty[0][self.small].mean(axis=1) > empty[1]
        corner = (self.place[self.small[keep]] - self.low) / step  # [triangles][3][2], in pixels
        value = self.shapes @ self.fields.flow
        value = value.reshape(-1, 2)[self.small[keep]]
        first = numpy.ceil(corner.min(axis=1) - 1e-9).astype(int)
        last = numpy.floor(corner.max(axis=1) + 1e-9).astype(int)
        a, b = corner[:, 1] - corner[:, 0], corner[:, 2] - corner[:, 0]
        area = a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0]
        wide = last - first
        for j in range(wide[:, 1].max() + 1):
            for i in range(wide[:, 0].max() + 1):
                some = numpy.flatnonzero((wide[:, 0] >= i) & (wide[:, 1] >= j) & (numpy.abs(area) > 1e-12))
                pixel = first[some] + [i, j]
                way = pixel - corner[some, 0]
                r = (way[:, 0] * b[some, 1] - way[:, 1] * b[some, 0]) / area[some]
                s = (a[some, 0] * way[:, 1] - a[some, 1] * way[:, 0]) / area[some]
                inside = (r > -1e-6) & (s > -1e-6) & (r + s < 1 + 1e-6) & (pixel[:, 0] < columns) & (pixel[:, 1] < rows)
                some, pixel, r, s = some[inside], pixel[inside], r[inside, None], s[inside, None]
                flow[pixel[:, 1], pixel[:, 0]] = (1 - r - s) * value[some, 0] + r * value[some, 1] + s * value[some, 2]
        self._raster = step, flow
        return self._raster

    def arrows(self, axes, line=1.0, number=22):
        """Arrows on a regular grid, `number` along the longer side. None across a flow that goes through the plane, where
        what lies in it is what the solver has left."""
        step, flow = self.raster()
        each = PIXELS // number
        start = [(n - 1) % each // 2 for n in flow.shape[:2]]
        j, i = numpy.meshgrid(*(numpy.arange(s, n, each) for s, n in zip(start, flow.shape[:2])), indexing="ij")
        velocity = flow[j, i].reshape(-1, 2)
        place = self.low + step * numpy.stack([i, j], axis=-1).reshape(-1, 2)
        speed = numpy.linalg.norm(velocity, axis=1)
        there = numpy.isfinite(speed)
        most = numpy.linalg.norm(self.fields.flow, axis=2).max()
        if not there.any() or most <= 0.02 * self.fields.scalar("speed")[1].max():
            return None
        scale = numpy.quantile(speed[there], 0.98) or most
        there &= speed > 2e-2 * scale
        velocity *= numpy.minimum(1, scale / numpy.maximum(speed, 1e-300))[:, None]  # a corner may be much faster
        axes.quiver(*place[there].T, *velocity[there].T, color=INK, width=0.0035 * line, pivot="mid", angles="xy",
                    scale_units="xy", scale=scale / (1.2 * each * step), headwidth=4, headlength=5)
        return Line2D([], [], color=INK, linewidth=0.8 * line, label="velocity", marker=">", markersize=4 * line)

    def streamlines(self, axes, line=1.0, number=12):
        """Lines of equal stream function where there is one, with equal fluxes between them; trajectories where the
        flow changes its volume."""
        psi, gap = self.fields.stream_function()
        if self.filled() is None and gap < 1e-3 and numpy.isfinite(psi).all():
            return self.contours(axes, psi, line, number)
        lines = self.paths(number)
        if not lines:
            return None
        axes.add_collection(LineCollection(lines, colors=INK, linewidths=0.6 * line, alpha=0.8))
        for path in lines:  # the direction, in the middle of each
            half = len(path) // 2
            axes.annotate("", path[half + 1], path[half - 1], arrowprops={
                "arrowstyle": "-|>", "color": INK, "linewidth": 0, "mutation_scale": 6 * line, "shrinkA": 0, "shrinkB": 0})
        return Line2D([], [], color=INK, linewidth=0.6 * line, label="streamlines")

    def paths(self, number):
        """Trajectories; of a mirrored section those of its half, twice."""
        half = getattr(self.fields, "half", None)
        if half is not None:
            lines = Section(half).paths(number)
            return lines + [path * [-1, 1] for path in lines]
        across = (self.high - self.low).min() / self.size * PIXELS
        lines = trajectories(*self.raster(), int(max(8, min(PIXELS / (2 * number), 0.6 * across / number))))
        return [self.low + path for path in lines]

    def contours(self, axes, psi, line, number):
        value = (psi[:, None] + self.fields.flux(self.shapes)).ravel()
        low, high = value.min(), value.max()
        if not high > low:
            return None
        # psi is continuous: one point where triangles meet, so that lines do not break there
        places = numpy.round(self.place / (1e-8 * self.size)).astype(numpy.int64)
        _, first, same = numpy.unique(places, axis=0, return_index=True, return_inverse=True)
        joined = Triangulation(*self.place[first].T, same.ravel()[self.small])
        # not at an end of the range: there it is the wall
        levels = low + (high - low) * (numpy.arange(number) + 0.5) / number
        axes.tricontour(joined, value[first], levels=levels, colors=INK, linewidths=0.6 * line, linestyles="solid",
                        alpha=0.8)
        return Line2D([], [], color=INK, linewidth=0.6 * line, label="streamlines, equal fluxes between")


def trajectories(step, flow, apart):
    """Lines along a velocity [rows][columns][2] on a grid of that step, from its first point on, about `apart` pixels from
    each other and never nearer than half of that."""
    rows, columns = flow.shape[:2]
    speed = numpy.linalg.norm(flow, axis=2)
    if not numpy.isfinite(speed).any() or numpy.nanmax(speed) <= 0:
        return []
    slow = 1e-2 * numpy.nanquantile(speed, 0.99)
    j, i = numpy.meshgrid(numpy.arange(apart // 2, rows, apart), numpy.arange(apart // 2, columns, apart), indexing="ij")
    seed = numpy.stack([i.ravel(), j.ravel()], axis=1)
    seed = seed[speed[seed[:, 1], seed[:, 0]] > slow].astype(float)
    forth, back = follow(flow, seed, slow, 1.0), follow(flow, seed, slow, -1.0)
    paths = []
    for k in range(len(seed)):
        path = numpy.concatenate([back[k][:0:-1], forth[k]])
        paths.append((path, len(back[k]) - 1))
    near, far = (numpy.zeros((rows, columns), dtype=bool) for _ in range(2))
    chosen = []
    for path, at in sorted(paths, key=lambda p: -len(p[0])):
        pixel = numpy.round(path).astype(int)
        if far[pixel[at, 1], pixel[at, 0]]:
            continue
        taken = near[pixel[:, 1], pixel[:, 0]]
        before, behind = numpy.flatnonzero(taken[:at]), numpy.flatnonzero(taken[at:])
        path = path[before[-1] + 1 if len(before) else 0:at + behind[0] if len(behind) else len(path)]
        if len(path) < 3 * apart:
            continue
        chosen.append(step * path)
        for mask, radius in ((near, apart / 2), (far, apart)):
            stamp(mask, path, radius)
    return chosen


def follow(flow, seed, slow, sign):
    """Paths from all seeds at once, by the midpoint rule in steps of a pixel, until they leave the domain, stand still,
    or come back to where they began."""
    place, alive = seed.copy(), numpy.ones(len(seed), dtype=bool)
    steps, lengths = [seed.copy()], numpy.ones(len(seed), dtype=int)
    for n in range(6 * PIXELS):
        one = direction(flow, place[alive], slow)
        two = direction(flow, place[alive] + 0.5 * sign * one, slow)
        there = numpy.isfinite(two).all(axis=1) & numpy.isfinite(one).all(axis=1)
        if n > 20:  # closed
            there &= numpy.linalg.norm(place[alive] - seed[alive], axis=1) > 0.75
        indices = numpy.flatnonzero(alive)
        alive[indices[~there]] = False
        if not there.any():
            break
        place[indices[there]] += sign * two[there]
        lengths[indices[there]] += 1
        steps.append(place.copy())
    steps = numpy.stack(steps, axis=1)
    return [steps[k, :lengths[k]] for k in range(len(seed))]


def direction(flow, place, slow):
    """Of the velocity, bilinear between pixels that are inside; nan outside and where it is slow."""
    rows, columns = flow.shape[:2]
    good = numpy.isfinite(place).all(axis=1)
    place = numpy.where(good[:, None], place, 0.0)
    corner = numpy.floor(place).astype(int)
    good &= (corner >= 0).all(axis=1) & (corner[:, 0] < columns - 1) & \
        (corner[:, 1] < rows - 1)
    corner = numpy.where(good[:, None], corner, 0)
    part = place - corner
    total, weight = numpy.zeros((len(place), 2)), numpy.zeros(len(place))
    for a in (0, 1):
        for b in (0, 1):
            value = flow[corner[:, 1] + b, corner[:, 0] + a]
            share = (part[:, 0] if a else 1 - part[:, 0]) * (part[:, 1] if b else 1 - part[:, 1])
            share = numpy.where(numpy.isfinite(value[:, 0]), share, 0)
            total += share[:, None] * numpy.nan_to_num(value)
            weight += share
    good &= weight > 0.5
    speed = numpy.linalg.norm(total, axis=1)
    good &= speed > slow * weight
    return numpy.where(good[:, None], total / numpy.where(speed > 0, speed, 1)[:, None], numpy.nan)


def stamp(mask, path, radius):
    """Mark the pixels within a radius of a path."""
    rows, columns = mask.shape
    reach = numpy.arange(-int(radius), int(radius) + 1)
    dx, dy = (d.ravel() for d in numpy.meshgrid(reach, reach))
    disc = dx ** 2 + dy ** 2 <= radius ** 2
    pixel = numpy.unique(numpy.round(path).astype(int), axis=0)
    x = (pixel[:, :1] + dx[disc]).ravel()
    y = (pixel[:, 1:] + dy[disc]).ravel()
    inside = (x >= 0) & (x < columns) & (y >= 0) & (y < rows)
    mask[y[inside], x[inside]] = True
