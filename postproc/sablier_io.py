"""Read a result directory of Sablier: summary.json, CSV tables, and VTU fields as P2 triangles.

The scripts beside this file share it; in your own:

    import sablier_io
    fields = sablier_io.Fields("out/cavity")
    where, speed = fields.scalar("speed")          # "point", [cells][6]
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
                names = [key] if key == "pressure" else [f"velocity_{axis}" for axis in "xyz"]
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


TENSOR = ("XX", "YY", "ZZ", "XY", "YZ", "XZ")


class Fields:
    """The fields of one time: the last of fields.pvd, or number `index` of it.

    x         [cells][6][2]               nodes of the triangles: corners, then middles of sides
    point     {name: [cells][6](, components)}
    cell      {name: [cells]}
    """

    def __init__(self, directory, index=-1):
        import meshio

        self.path, self.time = vtu_file(directory, index)
        try:
            mesh = meshio.read(self.path)
        except (Exception, SystemExit) as problem:  # meshio ends the program on some files
            raise Failure(f"cannot read '{self.path}': {problem}") from problem
        triangles = mesh.cells_dict.get("triangle6")
        if triangles is None:
            raise Failure(f"'{self.path}' has no quadratic triangles")
        self.x = mesh.points[triangles, :2]
        # meshio gives a scalar as [points] or [points][1]
        self.point = {name: value[triangles].squeeze(axis=2) if value.shape[1:] == (1,) else
                      value[triangles] for name, value in mesh.point_data.items()}
        self.cell = {name: value["triangle6"].ravel()
                     for name, value in mesh.cell_data_dict.items()}

    def names(self):
        """Everything scalar() knows."""
        names = []
        for name, value in self.point.items():
            if name == "velocity":
                names += ["speed", "velocity_x", "velocity_y"]
            elif value.ndim == 3:
                names += [f"{name}_{component}" for component in TENSOR[:value.shape[2]]]
            else:
                names.append(name)
        return names + list(self.cell)

    def scalar(self, name):
        """("point", [cells][6]) or ("cell", [cells]) of a scalar field."""
        if name == "velocity":
            name = "speed"
        if name not in self.names():
            raise Failure(f"there is no field '{name}'; there are: {', '.join(self.names())}")
        if name in self.cell:
            return "cell", self.cell[name]
        if name == "speed":
            return "point", numpy.linalg.norm(self.point["velocity"], axis=2)
        if name in self.point:
            return "point", self.point[name]
        base, _, component = name.rpartition("_")
        axis = "xyz".index(component) if base == "velocity" else TENSOR.index(component)
        return "point", self.point[base][:, :, axis]

    def areas(self):
        """Areas of the triangles (of their corners)."""
        a, b = self.x[:, 1] - self.x[:, 0], self.x[:, 2] - self.x[:, 0]
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
        """Numbers of the corners, [cells][3], equal where they are the same place."""
        size = numpy.ptp(self.x.reshape(-1, 2), axis=0).max()
        places = numpy.round(self.x[:, :3].reshape(-1, 2) / (1e-8 * size)).astype(numpy.int64)
        return numpy.unique(places, axis=0, return_inverse=True)[1].reshape(-1, 3)

    def flux(self, shapes):
        """Flux of u across the line from the first corner to the points `shapes`: [cells][k].

        It is int u dy - v dx, by Simpson's rule: exact in a triangle with straight sides."""
        # the shape functions halfway: those of half the reference coordinates
        r, s = shapes @ [0, 1, 0, .5, .5, 0], shapes @ [0, 0, 1, 0, .5, .5]
        u, x = self.point["velocity"][:, :, :2], self.x
        mean = (u[:, :1] + 4 * (shape(r / 2, s / 2) @ u) + shapes @ u) / 6
        way = shapes @ x - x[:, :1]
        return mean[:, :, 0] * way[:, :, 1] - mean[:, :, 1] * way[:, :, 0]

    def stream_function(self):
        """psi at the first corner of every triangle, u = (d psi/dy, -d psi/dx), psi = 0 at the
        lowest corner of the mesh; and the largest divergence of a triangle relative to the range
        of psi, which tells whether there is such a function."""
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
        u, x = self.point["velocity"][:, :, :2], self.x
        mean, way = (u[:, 1] + 4 * u[:, 4] + u[:, 2]) / 6, x[:, 2] - x[:, 1]
        direct = mean[:, 0] * way[:, 1] - mean[:, 1] * way[:, 0]
        residual = numpy.abs(direct - (ends[:, 1] - ends[:, 0])).max()
        span = numpy.nanmax(psi) - numpy.nanmin(psi)
        return psi[corners[:, 0]], residual / span if span > 0 else 0.0

    def stagnation_points(self):
        """Places where the velocity vanishes inside a triangle: (cells, places [.][2], psi)."""
        u = self.point["velocity"][:, :, :2]
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
        piece = Fields.__new__(Fields)  # these triangles only
        piece.x, piece.point = self.x[cells], {"velocity": self.point["velocity"][cells]}
        psi = psi[cells] + numpy.array([piece.flux(w[None])[i, 0] for i, w in enumerate(weights)])
        return cells, numpy.einsum("ca,cai->ci", weights, self.x[cells]), psi


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
