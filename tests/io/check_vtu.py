#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Open VTU files as a user would, print what is in them, and check values at a place.

    check_vtu.py FILE...                                                through meshio
    xvfb-run -a pvpython tests/io/check_vtu.py --paraview FILE...       through ParaView
    ... --at X,Y[,Z] --expect NAME=V[,V...] [--expect ...] [--tolerance T]  |v - V| <= T max(1, |V|)

A .pvd is opened whole by ParaView (values are those of the last time); meshio opens its files.
Values between nodes come from the quadratic shape functions in both; ParaView rounds the place to
single precision, so that a tolerance below 1e-6 is for meshio only. Ends with 0 if all is well.
"""
import argparse
import os
import sys
import xml.etree.ElementTree

import numpy


class Failure(Exception):
    pass


# --- meshio ---------------------------------------------------------------------------------------

EDGES = {3: ((0, 1), (1, 2), (2, 0)), 4: ((0, 1), (1, 2), (2, 0), (0, 3), (1, 3), (2, 3))}


def shape(place):
    """The P2 functions of a triangle or tetrahedron at reference point `place` [dim] in VTK's order,
    and their derivatives [dim][nodes]."""
    dim = len(place)
    l = numpy.concatenate([[1 - sum(place)], place])
    slope = numpy.concatenate([-numpy.ones((dim, 1)), numpy.eye(dim)], axis=1)
    edges = EDGES[dim + 1]
    value = numpy.array([*(l * (2 * l - 1)), *(4 * l[a] * l[b] for a, b in edges)])
    gradient = numpy.concatenate([slope * (4 * l - 1), numpy.stack(
        [4 * (l[a] * slope[:, b] + l[b] * slope[:, a]) for a, b in edges], axis=1)], axis=1)
    return value, gradient


def quadratic_cells(mesh):
    """(kind, cells) of a file of quadratic triangles or tetrahedra."""
    for kind in ("tetra10", "triangle6"):
        if kind in mesh.cells_dict:
            return kind, mesh.cells_dict[kind]
    raise Failure("there are no quadratic cells")


def locate(points, cells, at):
    """The cell that holds `at`, and its shape functions there. Sides may be curved: Newton on every
    cell whose box, a little enlarged, has the point; the one it is deepest inside wins."""
    at = numpy.asarray(at, float)
    nodes = points[cells][:, :, :len(at)]             # [cells][nodes][dim]
    low, high = nodes.min(axis=1), nodes.max(axis=1)
    margin = 0.1 * (high - low)
    near = numpy.all((low - margin <= at) & (at <= high + margin), axis=1)
    best, found = -1e-9, None
    for cell in numpy.flatnonzero(near):
        place = numpy.full(len(at), 1 / (1 + len(at)))
        for _ in range(20):
            value, gradient = shape(place)
            step = numpy.linalg.solve((gradient @ nodes[cell]).T, at - value @ nodes[cell])
            place = place + step
            if numpy.abs(step).max() < 1e-14:
                break
        inside = min(*place, 1 - sum(place))
        residual = numpy.abs(shape(place)[0] @ nodes[cell] - at).max()
        if inside > best and residual < 1e-9 * (1 + numpy.abs(at).max()):
            best, found = inside, (cell, shape(place)[0])
    if found is None:
        raise Failure(f"no quadratic cell holds {at}")
    return found


def check_meshio(path, at):
    import meshio

    if path.endswith(".pvd"):
        names = [d.get("file") for d in xml.etree.ElementTree.parse(path).iter("DataSet")]
        if not names:
            raise Failure("the index is empty")
        values = {}
        for name in names:
            values = check_meshio(os.path.join(os.path.dirname(path), name), at)
        return values
    mesh = meshio.read(path)
    cells = sum(len(block.data) for block in mesh.cells)
    time = mesh.field_data.get("TimeValue")
    describe(path, len(mesh.points), cells, None if time is None else float(numpy.ravel(time)[0]))
    for name, value in mesh.point_data.items():
        describe_array("point", name, value)
    for name, blocks in mesh.cell_data.items():
        describe_array("cell", name, numpy.concatenate(blocks))
    if at is None:
        return {}
    _, quadratic = quadratic_cells(mesh)
    cell, weight = locate(mesh.points, quadratic, at)
    return {name: numpy.atleast_1d(weight @ value[quadratic[cell]])
            for name, value in mesh.point_data.items()}


# --- ParaView -------------------------------------------------------------------------------------

def check_paraview(path, at):
    from paraview import servermanager, simple
    from vtkmodules.util.numpy_support import vtk_to_numpy

    source = simple.OpenDataFile(path)
    if source is None:
        raise Failure("ParaView has no reader for it")
    times = list(getattr(source, "TimestepValues", []) or [])
    source.UpdatePipeline(times[-1]) if times else source.UpdatePipeline()
    info = source.GetDataInformation()
    # A file that cannot be parsed gives an empty grid and no exception.
    if info.GetNumberOfPoints() == 0 or info.GetNumberOfCells() == 0:
        raise Failure("ParaView sees no points or no cells")
    describe(path, info.GetNumberOfPoints(), info.GetNumberOfCells(), times[-1] if times else None)
    for kind, arrays in (("point", source.PointData), ("cell", source.CellData)):
        for array in arrays:
            ranges = [array.GetRange(i) for i in range(array.GetNumberOfComponents())]
            describe_array(kind, array.GetName(), numpy.array(ranges).T)
    if at is None:
        return {}
    probe = simple.ProbeLocation(Input=source, ProbeType="Fixed Radius Point Source")
    probe.ProbeType.Center = [*map(float, at), 0.0][:3]
    probe.ProbeType.NumberOfPoints = 1
    probe.ProbeType.Radius = 0.0
    for attempt in range(2):
        probe.UpdatePipeline(times[-1]) if times else probe.UpdatePipeline()
        data = servermanager.Fetch(probe).GetPointData()
        arrays = {data.GetArrayName(i): vtk_to_numpy(data.GetArray(i))
                  for i in range(data.GetNumberOfArrays())}
        if arrays["vtkValidPointMask"][0] == 1:
            break
        if attempt == 1:
            raise Failure(f"no cell holds {at}")
        # VTK looks for the place in four flat triangles. On a curved one that misses by the sagitta
        # of its sides, which is more than the tolerance of a probe, so that nothing is found.
        low, high = numpy.array(info.GetBounds()).reshape(3, 2).T
        probe.ComputeTolerance = 0
        probe.Tolerance = 1e-3 * float(numpy.linalg.norm(high - low))
        print("  not found in flat triangles; with tolerance (curved: approximate):")
    return {name: numpy.atleast_1d(value[0]) for name, value in arrays.items()}


# --- both -----------------------------------------------------------------------------------------

def describe(path, points, cells, time):
    print(f"{path}: {points} points, {cells} cells" + (f", time {time:g}" if time is not None else ""))
    if points == 0 or cells == 0:
        raise Failure("there are no points or no cells")


def describe_array(kind, name, value):
    value = value.reshape(len(value), -1)
    ranges = " ".join(f"[{a:g}, {b:g}]" for a, b in zip(value.min(axis=0), value.max(axis=0)))
    print(f"  {kind} {name}: {ranges}")
    if not numpy.isfinite(value).all():
        raise Failure(f"array {name} has values that are not finite")


def check_values(values, expected, tolerance):
    for name, wanted in expected:
        if name not in values:
            raise Failure(f"there is no point array {name}")
        found = values[name]
        print(f"  {name} there: {' '.join(f'{v:.10g}' for v in found)}")
        if len(found) != len(wanted) or any(
                not abs(v - w) <= tolerance * max(1, abs(w)) for v, w in zip(found, wanted)):
            raise Failure(f"{name} is {found}, expected {wanted} within {tolerance:g}")


def numbers(text):
    return numpy.array([float(v) for v in text.split(",")])


def expectation(text):
    name, equal, values = text.rpartition("=")
    if not equal:
        raise argparse.ArgumentTypeError(f"{text} is not NAME=value")
    return name, numbers(values)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--paraview", action="store_true", help="through ParaView (run by pvpython)")
    parser.add_argument("--at", type=numbers, metavar="X,Y[,Z]", help="the place")
    parser.add_argument("--expect", type=expectation, action="append", default=[], metavar="NAME=V")
    parser.add_argument("--tolerance", type=float, default=1e-6)
    parser.add_argument("file", nargs="+")
    options = parser.parse_args()
    if options.expect and (options.at is None or len(options.at) not in (2, 3)):
        parser.error("--expect needs --at X,Y or X,Y,Z")
    check = check_paraview if options.paraview else check_meshio
    failed = False
    for path in options.file:
        try:
            if not os.path.isfile(path):
                raise Failure("there is no such file")
            check_values(check(path, options.at), options.expect, options.tolerance)
        except (Exception, SystemExit) as problem:  # meshio ends the program on some files
            print(f"{path}: FAILED: {type(problem).__name__}: {problem}", file=sys.stderr)
            failed = True
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
