"""Read a result directory of Sablier: summary.json, CSV tables, and VTU fields as P2 triangles or
tetrahedra.

The scripts beside this file share it; in your own:

    import sablier_io
    fields = sablier_io.Fields("out/cavity")
    where, speed = fields.scalar("speed")          # "point", [cells][6]
    cut = sablier_io.Fields("out/silo").slice([0, 0, 0], [1, 0, 0])   # of a run in space: triangles
"""
import csv
import json
import os
import re
import sys
import xml.etree.ElementTree

import numpy


class Failure(Exception):
    """A sentence for the user."""


def run(main):
    """Run a script: a Failure becomes one line on stderr and exit code 1."""
    try:
        main()
    except Failure as problem:
        print(f"{os.path.basename(sys.argv[0])}: error: {problem}", file=sys.stderr)
        sys.exit(1)


def check_picture(path):
    """Complain about a picture that could not be written, before the work."""
    folder = os.path.dirname(path) or "."
    if not path.lower().endswith((".png", ".pdf", ".svg")):
        raise Failure(f"'{path}' is no picture: end its name in .png, .pdf or .svg")
    if not os.path.isdir(folder):
        raise Failure(f"there is no directory '{folder}' for the picture")


def save(figure, path, dpi=150, colours=None):
    """Write a Matplotlib figure. A .png drawn with the colour map `colours` gets a palette of it,
    its darker shades (lines drawn over it) and greys: a third of the size."""
    try:
        figure.savefig(path, dpi=dpi, bbox_inches="tight", pad_inches=0.05)
        if path.lower().endswith(".png") and colours is not None:
            import matplotlib.pyplot
            from PIL import Image

            colour = matplotlib.pyplot.get_cmap(colours)
            dark = numpy.array([[0.65, 0.65, 0.65, 1]])
            entries = numpy.concatenate([colour(numpy.linspace(0, 1, 136)),
                                         colour(numpy.linspace(0, 1, 72)) * dark,
                                         numpy.linspace(0, 1, 48)[:, None] * numpy.ones(4)])
            entries = numpy.round(255 * entries[:, :3])
            with Image.open(path) as image:
                pixels = numpy.asarray(image.convert("RGB"))
            there, index = numpy.unique(pixels.reshape(-1, 3), axis=0, return_inverse=True)
            nearest = numpy.concatenate([
                ((part[:, None] - entries) ** 2).sum(axis=2).argmin(axis=1)
                for part in numpy.array_split(there.astype(float), 1 + len(there) // 5000)])
            small = Image.fromarray(
                nearest[index].reshape(pixels.shape[:2]).astype(numpy.uint8), mode="P")
            small.putpalette(entries.astype(numpy.uint8).tobytes())
            small.save(path, optimize=True, dpi=(dpi, dpi))
    except OSError as problem:
        raise Failure(f"cannot write '{path}': {problem.strerror}") from problem


# --- tables ---------------------------------------------------------------------------------------

def check_result(directory):
    if not os.path.isdir(directory):
        raise Failure(f"there is no directory '{directory}'")
    if not os.path.isfile(os.path.join(directory, "summary.json")):
        raise Failure(f"'{directory}' holds no result: summary.json is missing")


def summary(directory):
    """summary.json as a dictionary."""
    check_result(directory)
    with open(os.path.join(directory, "summary.json"), encoding="utf-8") as file:
        try:
            return json.load(file)
        except ValueError as problem:
            raise Failure(f"{file.name} is damaged: {problem}") from problem


def table(path):
    """A CSV with one header line as {column: array}."""
    try:
        with open(path, encoding="utf-8") as file:
            rows = list(csv.reader(file))
        return {name: numpy.array([float(row[i]) for row in rows[1:]])
                for i, name in enumerate(rows[0])}
    except OSError as problem:
        raise Failure(f"cannot read '{path}': {problem.strerror}") from problem
    except (ValueError, IndexError) as problem:
        raise Failure(f"'{path}' is no table of numbers: {problem}") from problem


def profile(directory, name=None):
    """(name, columns) of profiles/NAME.csv; name may be left out if there is only one."""
    check_result(directory)
    folder = os.path.join(directory, "profiles")
    there = sorted(f[:-4] for f in os.listdir(folder) if f.endswith(".csv")) \
        if os.path.isdir(folder) else []
    if not there:
        raise Failure(f"'{directory}' has no profiles: add a `line` probe to the case")
    if name is None and len(there) == 1:
        name = there[0]
    if name not in there:
        raise Failure(("choose a profile with --profile" if name is None
                       else f"there is no profile '{name}'") + f"; there are: {', '.join(there)}")
    return name, table(os.path.join(folder, name + ".csv"))


# --- the exact solution of the case ---------------------------------------------------------------

def axes_of(directory):
    """Names of the coordinates of a result: x y, r z or x y z."""
    return AXES[summary(directory).get("geometry", "plane")]


def exact_formulas(directory):
    """{column: formula} from the `exact` section of case.resolved.yaml; {} if it has none."""
    path = os.path.join(directory, "case.resolved.yaml")
    formulas, inside = {}, False
    if not os.path.isfile(path):
        return formulas
    with open(path, encoding="utf-8") as file:
        for line in file:
            if not line.startswith(" "):
                inside = line.startswith("exact:")
                continue
            key, _, value = line.strip().partition(":")
            if inside and key in ("velocity", "pressure"):
                # one formula, or a list of them; quoted where it is no plain number
                parts = re.findall(r'"([^"]*)"|([^\[\],\s"]+)', value)
                parts = [quoted or plain for quoted, plain in parts]
                names = [key] if key == "pressure" else [
                    f"velocity_{axis}" for axis in axes_of(directory)]
                formulas.update(zip(names, parts))
    return formulas


def evaluate(formula, **variables):
    """A formula of a case file (muParser's syntax, without ?:) at arrays x, y."""
    names = {"pi": numpy.pi, "abs": numpy.abs, "sqrt": numpy.sqrt,
             "min": numpy.minimum, "max": numpy.maximum}
    names.update({f: getattr(numpy, f) for f in (
        "sin", "cos", "tan", "sinh", "cosh", "tanh", "exp", "log", "log2", "log10", "sign",
        "rint")})
    names.update({"ln": numpy.log, "_e": numpy.e, "asin": numpy.arcsin, "acos": numpy.arccos,
                  "atan": numpy.arctan, "atan2": numpy.arctan2})
    names.update(variables)
    try:
        code = compile(formula.replace("^", "**"), formula, "eval")
        unknown = [name for name in code.co_names if name not in names]
        if unknown:
            raise Failure(f"formula '{formula}': what is {unknown[0]}?")
        value = eval(code, {"__builtins__": {}}, names)  # its names have been checked
    except SyntaxError as problem:
        raise Failure(f"cannot read the formula '{formula}'") from problem
    return value + 0.0 * next(iter(variables.values()))


# --- fields ---------------------------------------------------------------------------------------

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


AXES = {"plane": ("x", "y"), "axisymmetric": ("r", "z"), "space": ("x", "y", "z")}
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
        """Both halves of a meridian section; the left one at negative r."""
        turned = [0, 2, 1, 5, 4, 3]
        cells = numpy.arange(len(self.x))
        both = self.piece(numpy.concatenate([self.x, self.x[:, turned] * [-1, 1]]),
                          numpy.concatenate([cells, cells]))
        for name, value in self.point.items():
            both.point[name] = numpy.concatenate([value, value[:, turned]])
        both.flow = numpy.concatenate([self.flow, self.flow[:, turned] * [-1, 1]])
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


def vtu_file(directory, index=-1):
    """(path, time) of a VTU file of fields.pvd."""
    check_result(directory)
    pvd = os.path.join(directory, "fields.pvd")
    try:
        entries = list(xml.etree.ElementTree.parse(pvd).iter("DataSet"))
        entry = entries[index]
    except (OSError, xml.etree.ElementTree.ParseError) as problem:
        raise Failure(f"cannot read '{pvd}': {problem}") from problem
    except IndexError as problem:
        raise Failure(f"'{pvd}' has {len(entries)} times, there is no number {index}") from problem
    return os.path.join(directory, entry.get("file")), float(entry.get("timestep"))
