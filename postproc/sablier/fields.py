# SPDX-License-Identifier: GPL-3.0-or-later
"""The fields of a result as quadratic triangles or tetrahedra.

    fields = sablier.Fields("out/cavity")
    where, speed = fields.scalar("speed")                            # "point", [cells][6]
    cut = sablier.Fields("out/silo").slice([0, 0, 0], [1, 0, 0])     # of a run in space: triangles
"""
import os
import xml.etree.ElementTree

import numpy

from .files import AXES, Failure, check_result, summary


def shape(r, s):
    """The six P2 functions at reference points, [points][6], in VTK's order of nodes."""
    t = 1 - r - s
    return numpy.stack([t * (2 * t - 1), r * (2 * r - 1), s * (2 * s - 1),
                        4 * t * r, 4 * r * s, 4 * s * t], axis=-1)


def shape_gradient(r, s):
    """Their derivatives in r and s, [points][2][6]."""
    t, zero = 1 - r - s, 0 * r
    dr = [1 - 4 * t, 4 * r - 1, zero, 4 * (t - r), 4 * s, -4 * s]
    ds = [1 - 4 * t, zero, 4 * s - 1, -4 * r, 4 * r, 4 * (t - s)]
    return numpy.stack([numpy.stack(dr, axis=-1), numpy.stack(ds, axis=-1)], axis=-2)


TENSOR = ("XX", "YY", "ZZ", "XY", "YZ", "XZ")
ROUND_TENSOR = ("RR", "ZZ", "TT", "RZ", "ZT", "RT")  # TT is the hoop stress
EDGES = {6: ((0, 1), (1, 2), (2, 0)),  # whose middles follow the corners, in VTK's order
         10: ((0, 1), (1, 2), (2, 0), (0, 3), (1, 3), (2, 3))}
FACES = ((0, 2, 1, 6, 5, 4), (0, 1, 3, 4, 8, 7), (1, 2, 3, 5, 9, 8), (0, 3, 2, 7, 9, 6))


def simplex_shape(place, nodes):
    """P2 functions [...][nodes] at barycentric coordinates [...][corners], in VTK's order."""
    corner = place * (2 * place - 1)
    middle = [4 * place[..., a] * place[..., b] for a, b in EDGES[nodes]]
    return numpy.concatenate([corner, numpy.stack(middle, axis=-1)], axis=-1)


class Fields:
    """The fields of one time: the last of fields.pvd, or number `index` of it.

    geometry  "plane", "axisymmetric" (x is r, y is z) or "space"
    axes      names of the coordinates: ("x", "y"), ("r", "z"), ("x", "y", "z")
    x         [cells][6][2]               nodes of the triangles: corners, then middles of sides
              [cells][10][3]              in space: tetrahedra likewise
    point     {name: [cells][6](, components)}
    cell      {name: [cells]}
    flow      [cells][6][2]               velocity in the plane of the picture; none in space
    """

    def __init__(self, directory, index=-1):
        self.path, self.time = vtu_file(directory, index)
        self.geometry = summary(directory).get("geometry", "plane")
        self.read("tetra10" if self.geometry == "space" else "triangle6")
        self.axes = AXES[self.geometry]
        self.tensor = ROUND_TENSOR if self.geometry == "axisymmetric" else TENSOR
        if self.geometry != "space":
            self.x = self.x[:, :, :2]
            self.flow = self.point["velocity"][:, :, :2]

    def read(self, kind):
        import meshio

        try:
            mesh = meshio.read(self.path)
        except (Exception, SystemExit) as problem:  # meshio ends the program on some files
            raise Failure(f"cannot read '{self.path}': {problem}") from problem
        cells = mesh.cells_dict.get(kind)
        if cells is None:
            raise Failure(f"'{self.path}' has no quadratic "
                          + ("triangles" if kind == "triangle6" else "tetrahedra"))
        self.x = mesh.points[cells]
        # meshio gives a scalar as [points] or [points][1]
        self.point = {name: value[cells].squeeze(axis=2) if value.shape[1:] == (1,) else
                      value[cells] for name, value in mesh.point_data.items()}
        self.cell = {name: value[kind].ravel() for name, value in mesh.cell_data_dict.items()}

    def names(self):
        """Everything scalar() knows."""
        names = []
        for name, value in self.point.items():
            if name == "velocity":
                names += ["speed"] + [f"velocity_{axis}" for axis in AXES[self.geometry]]
            elif value.ndim == 3 and value.shape[2] == 3:  # of a wall
                names += [name] + [f"{name}_{axis}" for axis in AXES[self.geometry]]
            elif value.ndim == 3:
                names += [f"{name}_{component}" for component in self.tensor[:value.shape[2]]]
            else:
                names.append(name)
        return names + list(self.cell)

    def scalar(self, name):
        """("point", [cells][6]) or ("cell", [cells]) of a scalar field; of a vector its length."""
        if name == "velocity":
            name = "speed"
        if name not in self.names():
            raise Failure(f"there is no field '{name}'; there are: {', '.join(self.names())}")
        if name in self.cell:
            return "cell", self.cell[name]
        if name == "speed":
            return "point", numpy.linalg.norm(self.point["velocity"], axis=2)
        if name in self.point and self.point[name].ndim == 3:
            return "point", numpy.linalg.norm(self.point[name], axis=2)
        if name in self.point:
            return "point", self.point[name]
        base, _, component = name.rpartition("_")
        axis = AXES[self.geometry].index(component) if component in AXES[self.geometry] \
            else self.tensor.index(component)
        return "point", self.point[base][:, :, axis]

    # --- pieces of it: the same fields on other triangles

    def piece(self, x, cells, shapes=None):
        """These cells, with values at their own nodes, or at points by `shapes` [cells][k][nodes]."""
        part = Fields.__new__(Fields)
        part.__dict__.update(self.__dict__)
        part.x = x
        part.point = {name: value[cells] if shapes is None else
                      numpy.einsum("cka,ca...->ck...", shapes, value[cells])
                      for name, value in self.point.items()}
        part.cell = {name: value[cells] for name, value in self.cell.items()}
        return part

    def mirrored(self):
        """Both halves of a section; the left one at negative x or r."""
        turned = [0, 2, 1, 5, 4, 3]
        cells = numpy.arange(len(self.x))
        both = self.piece(numpy.concatenate([self.x, self.x[:, turned] * [-1, 1]]),
                          numpy.concatenate([cells, cells]))
        for name, value in self.point.items():
            both.point[name] = numpy.concatenate([value, value[:, turned]])
        both.flow = numpy.concatenate([self.flow, self.flow[:, turned] * [-1, 1]])
        both.half = self
        return both

    def slice(self, origin, normal):
        """The triangles in which a plane cuts the tetrahedra, with quadratic values: exact in
        straight ones. Its coordinates are two axes of the plane, z upward where there is one."""
        normal = numpy.asarray(normal, float)
        if not normal.any():
            raise Failure("the normal of the slice is zero")
        normal /= numpy.linalg.norm(normal)
        up = numpy.eye(3)[1 if abs(normal[2]) > 0.9 else 2]
        up = up - up @ normal * normal
        up /= numpy.linalg.norm(up)
        right = numpy.cross(up, normal)
        right *= numpy.sign(right[numpy.abs(right).argmax()])
        distance = (self.x[:, :4] - origin) @ normal
        size = numpy.ptp(self.x.reshape(-1, 3), axis=0).max()
        distance[numpy.abs(distance) < 1e-9 * size] = 0.0
        if not (distance < 0).any():  # the plane may be a side of the domain
            distance = -distance
        below = distance < 0
        cells, place = [], []
        for pattern in range(1, 15):
            low = [i for i in range(4) if pattern >> i & 1]
            high = [i for i in range(4) if i not in low]
            which = numpy.flatnonzero((below == [i in low for i in range(4)]).all(axis=1))

            def cut(a, b):
                """Barycentric coordinates of the point between corners a and b."""
                at = numpy.zeros((len(which), 4))
                share = distance[which, a] / (distance[which, a] - distance[which, b])
                at[:, a], at[:, b] = 1 - share, share
                return at

            if len(low) == 2:
                (a, b), (c, d) = low, high
                corners = [(cut(a, c), cut(a, d), cut(b, d)), (cut(a, c), cut(b, d), cut(b, c))]
            else:
                one, others = (low[0], high) if len(low) == 1 else (high[0], low)
                corners = [tuple(cut(one, other) for other in others)]
            for triangle in corners:
                middles = [(triangle[a] + triangle[b]) / 2 for a, b in EDGES[6]]
                cells.append(which)
                place.append(numpy.stack([*triangle, *middles], axis=1))
        cells, place = numpy.concatenate(cells), numpy.concatenate(place)
        if len(cells) == 0:
            raise Failure("the slice does not cut the domain")
        shapes = simplex_shape(place, 10)
        at = numpy.einsum("cka,cai->cki", shapes, self.x[cells])
        part = self.piece(numpy.stack([at @ right, at @ up], axis=2), cells, shapes)
        part.flow = numpy.stack([part.point["velocity"] @ right, part.point["velocity"] @ up], axis=2)
        part.axes = tuple(self.axes[axis.argmax()] if axis.max() > 1 - 1e-12 else
                          "(" + ", ".join(f"{v + 0.0:.3g}" for v in axis) + ")" for axis in (right, up))
        return part

    def surface(self):
        """The sides of tetrahedra that are boundary, as triangles [.][6][3] in space."""
        corners = self.corners()
        sides = numpy.sort(corners[:, [face[:3] for face in FACES]].reshape(-1, 3), axis=1)
        _, first, count = numpy.unique(sides, axis=0, return_index=True, return_counts=True)
        cells, face = numpy.divmod(first[count == 1], 4)
        nodes = numpy.array(FACES)[face]
        part = self.piece(self.x[cells[:, None], nodes], cells)
        part.point = {name: value[cells[:, None], nodes] for name, value in self.point.items()}
        return part

    def areas(self):
        """Areas of the triangles (of their corners), in the plane or in space."""
        a, b = self.x[:, 1] - self.x[:, 0], self.x[:, 2] - self.x[:, 0]
        if self.x.shape[2] == 3:
            return 0.5 * numpy.linalg.norm(numpy.cross(a, b), axis=1)
        return 0.5 * numpy.abs(a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0])

    def refine(self, n):
        """Cut every triangle into n^2 flat ones: (shape functions [k][6], triangles [.][3]).

        shape @ value gives a [cells][6] field at the [cells][k] new points, and shape @ x their
        places; the triangles number these points cell by cell."""
        index = {}
        for j in range(n + 1):
            for i in range(n + 1 - j):
                index[i, j] = len(index)
        small = []
        for j in range(n):
            for i in range(n - j):
                small.append((index[i, j], index[i + 1, j], index[i, j + 1]))
                if i + j < n - 1:
                    small.append((index[i + 1, j], index[i + 1, j + 1], index[i, j + 1]))
        r, s = numpy.array(list(index)).T / n
        start = len(index) * numpy.arange(len(self.x))[:, None, None]
        return shape(r, s), (start + numpy.array(small)).reshape(-1, 3)

    def corners(self):
        """Numbers of the corners, [cells][corners], equal where they are the same place."""
        dim = self.x.shape[2]
        n = 4 if self.x.shape[1] == 10 else 3
        size = numpy.ptp(self.x.reshape(-1, dim), axis=0).max()
        places = numpy.round(self.x[:, :n].reshape(-1, dim) / (1e-8 * size)).astype(numpy.int64)
        return numpy.unique(places, axis=0, return_inverse=True)[1].reshape(-1, n)

    def recovered(self, value):
        """A smooth field of values [cells]: at each corner the plane that fits those of two rings of triangles best,
        weighted by their areas: [cells][3], between the least and the largest value."""
        corners, area = self.corners(), self.areas()
        n = corners.max() + 1
        place = numpy.zeros((n, 2))
        place[corners.ravel()] = self.x[:, :3].reshape(-1, 2)
        middle = self.x[:, :3].mean(axis=1)
        origin, size = middle.mean(axis=0), numpy.ptp(middle, axis=0).max() or 1.0
        (x, y), place = ((middle - origin) / size).T, (place - origin) / size
        moments = area[:, None] * numpy.stack(
            [1 + 0 * x, x, y, x * x, x * y, y * y, value, value * x, value * y], axis=1)
        for _ in range(2):
            at = numpy.stack([numpy.bincount(corners.ravel(), numpy.repeat(m, 3), n) for m in moments.T], axis=1)
            moments = at[corners].sum(axis=1)
        _, mx, my, xx, xy, yy, mean, vx, vy = (at / at[:, :1]).T
        matrix = numpy.stack([xx - mx * mx, xy - mx * my, xy - mx * my, yy - my * my], axis=1).reshape(-1, 2, 2)
        matrix += (1e-3 * numpy.trace(matrix, axis1=1, axis2=2) + 1e-300)[:, None, None] * numpy.eye(2)
        slope = numpy.linalg.solve(matrix, numpy.stack([vx - mean * mx, vy - mean * my], axis=1)[:, :, None])[:, :, 0]
        fit = mean + (slope * (place - numpy.stack([mx, my], axis=1))).sum(axis=1)
        return numpy.clip(fit, value.min(), value.max())[corners]

    def level_of(self, value, area):
        """The level below which a linear field [cells][3] has this area."""
        low, high = value.min(), value.max()
        for _ in range(60):
            level = (low + high) / 2
            low, high = (level, high) if (self.area_below(value, level)) < area else (low, level)
        return level

    def area_below(self, value, level):
        a, b, c = numpy.sort(value, axis=1).T
        part = numpy.where(c <= level, 1.0, 0.0)
        one, two = (a < level) & (b >= level), (b < level) & (c > level)
        part[one] = (level - a[one]) ** 2 / ((b - a) * (c - a))[one]
        part[two] = 1 - (c[two] - level) ** 2 / ((c - a) * (c - b))[two]
        return float(part @ self.areas())

    def measure(self, x):
        """1, or about an axis r, of which the stream function is made (2 pi less than the flux)."""
        return x[..., :1] if self.geometry == "axisymmetric" else numpy.ones_like(x[..., :1])

    def flux(self, shapes):
        """Flux of u across the line from the first corner to the points `shapes`: [cells][k].

        It is int u dy - v dx (times r), by Simpson's rule: exact in a triangle with straight
        sides."""
        # the shape functions halfway: those of half the reference coordinates
        r, s = shapes @ [0, 1, 0, .5, .5, 0], shapes @ [0, 0, 1, 0, .5, .5]
        half, u, x = shape(r / 2, s / 2), self.flow, self.x
        mean = (self.measure(x[:, :1]) * u[:, :1] + 4 * self.measure(half @ x) * (half @ u)
                + self.measure(shapes @ x) * (shapes @ u)) / 6
        way = shapes @ x - x[:, :1]
        return mean[:, :, 0] * way[:, :, 1] - mean[:, :, 1] * way[:, :, 0]

    def stream_function(self):
        """psi at the first corner of every triangle, u = (d psi/dy, -d psi/dx), about an axis
        times 1/r, psi = 0 at the lowest corner of the mesh; and the largest divergence of a
        triangle relative to the range of psi, which tells whether there is such a function."""
        corners = self.corners()
        ends = self.flux(shape(numpy.array([1., 0.]), numpy.array([0., 1.])))
        psi = numpy.full(corners.max() + 1, numpy.nan)
        low = numpy.lexsort((self.x[:, :3, 0].ravel(), self.x[:, :3, 1].ravel()))[0]
        psi[corners.ravel()[low]] = 0.0
        difference = numpy.stack([0 * ends[:, 0], ends[:, 0], ends[:, 1]], axis=1)
        left = numpy.arange(len(corners))
        while len(left):  # spread from triangles with a known corner
            known = ~numpy.isnan(psi[corners[left]])
            ready = known.any(axis=1)
            if not ready.any():
                break  # another piece of the domain
            cells, first = left[ready], known[ready].argmax(axis=1)
            base = psi[corners[cells, first]] - difference[cells, first]
            value = base[:, None] + difference[cells]
            new = numpy.isnan(psi[corners[cells]])
            psi[corners[cells][new]] = value[new]
            left = left[~ready]
        # from corner 1 to corner 2 directly, against the way over corner 0
        u, x = self.measure(self.x) * self.flow, self.x
        mean, way = (u[:, 1] + 4 * u[:, 4] + u[:, 2]) / 6, x[:, 2] - x[:, 1]
        direct = mean[:, 0] * way[:, 1] - mean[:, 1] * way[:, 0]
        residual = numpy.abs(direct - (ends[:, 1] - ends[:, 0])).max()
        span = numpy.nanmax(psi) - numpy.nanmin(psi)
        return psi[corners[:, 0]], residual / span if span > 0 else 0.0

    def stagnation_points(self):
        """Places where the velocity vanishes inside a triangle: (cells, places [.][2], psi)."""
        u = self.flow
        place = numpy.full((len(u), 2), 1 / 3)
        for _ in range(30):  # Newton in all triangles at once
            residual = numpy.einsum("ca,cai->ci", shape(*place.T), u)
            jacobian = numpy.einsum("cja,cai->cij", shape_gradient(*place.T), u)
            determinant = numpy.linalg.det(jacobian)
            good = numpy.abs(determinant) > 1e-300
            step = numpy.zeros_like(place)
            step[good] = numpy.linalg.solve(jacobian[good], residual[good][:, :, None])[:, :, 0]
            place = numpy.clip(place - step, -2, 3)
        inside = good & (numpy.abs(step).max(axis=1) < 1e-9) & (place.min(axis=1) >= -1e-9) & (
            place.sum(axis=1) <= 1 + 1e-9)
        cells = numpy.flatnonzero(inside)
        weights = shape(*place[cells].T)
        psi, _ = self.stream_function()
        piece = self.piece(self.x[cells], cells)  # these triangles only
        piece.flow = self.flow[cells]
        psi = psi[cells] + numpy.array([piece.flux(w[None])[i, 0] for i, w in enumerate(weights)])
        return cells, numpy.einsum("ca,cai->ci", weights, self.x[cells]), psi


class Wall(Fields):
    """The stress on a surface, of a traction probe in space: triangles [cells][6][3]."""

    def __init__(self, directory, name):
        check_result(directory)
        self.path = os.path.join(directory, "profiles", name + ".vtu")
        if not os.path.isfile(self.path):
            raise Failure(f"there is no '{self.path}': of a run in space, a traction probe has one")
        self.geometry, self.axes, self.tensor = "space", AXES["space"], TENSOR
        self.read("triangle6")


class Carriers:
    """The points that carry a moving surface, at one time: place [points][2 or 3], velocity, mass."""

    def __init__(self, directory, index=-1):
        import meshio

        try:
            mesh = meshio.read(frames(directory, "grains")[index][0])
        except (Exception, SystemExit) as problem:
            raise Failure(f"cannot read the grains of '{directory}': {problem}") from problem
        dim = 3 if summary(directory).get("geometry") == "space" else 2
        self.place, self.velocity = mesh.points[:, :dim], mesh.point_data["velocity"][:, :dim]
        self.mass = mesh.point_data["mass"].ravel()


def frames(directory, kind="fields"):
    """(file, time) of all entries of fields.pvd, or of grains.pvd."""
    check_result(directory)
    pvd = os.path.join(directory, f"{kind}.pvd")
    try:
        return [(os.path.join(directory, entry.get("file")), float(entry.get("timestep")))
                for entry in xml.etree.ElementTree.parse(pvd).iter("DataSet")]
    except (OSError, xml.etree.ElementTree.ParseError) as problem:
        raise Failure(f"cannot read '{pvd}': {problem}") from problem


def times(directory):
    """Of the fields; grains without a mesh have none, then of the grains."""
    alone = [k for k in ("fields", "grains") if os.path.exists(os.path.join(directory, f"{k}.pvd"))] == ["grains"]
    return [time for _, time in frames(directory, "grains" if alone else "fields")]


def vtu_file(directory, index=-1):
    """(path, time) of a VTU file of fields.pvd."""
    there = frames(directory)
    try:
        return there[index]
    except IndexError as problem:
        raise Failure(f"'{directory}/fields.pvd' has {len(there)} times, there is no number "
                      f"{index}") from problem
