#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The VTU files of every case hold what the program knows: probes against meshio and ParaView.

    test_vtu.py SABLIER_BINARY

Each case runs with probes of velocity, stress and pressure at three points inside elements. The
values in fields_0000.vtu are interpolated there by meshio's arrays and by ParaView (which is left
out, with a word, where it is not installed); one pvpython opens all files.
"""
import json
import os
import shutil
import subprocess
import sys

CASES = {  # name: (case, overrides, points)
    "rest": ("rest", ["mesh.parameters.h=0.25"], [(0.31, 0.17), (0.52, 0.58), (0.83, 0.36)]),
    "poiseuille": ("poiseuille", ["mesh.parameters.n=8"], [(0.4, 0.13), (0.9, -0.77), (1.7, 0.61)]),
    "film": ("film", [], [(0.31, 0.17), (0.52, 0.58), (0.83, 0.86)]),
    "bagnold": ("film/bagnold.yaml", [], [(0.31, 0.17), (0.52, 0.58), (0.83, 0.86)]),
    "cavity": ("cavity", ["mesh.parameters.h=0.2"], [(0.31, 0.17), (0.52, 0.58), (0.63, 0.42)]),
    "round": ("../tests/cases/round.yaml", [], [(0.11, 0.17), (0.52, 0.58), (0.83, 1.42)]),
    "box": ("../tests/cases/box.yaml", [], [(0.11, 0.17, 0.23), (0.52, 0.58, 0.6), (0.8, 0.4, 1.1)]),
}
BUBBLES = {"box": 5e-3}
FIELDS = ("velocity", "stress", "pressure")


def through_paraview(plan):
    """Run by pvpython: values of all arrays at the points of the files in `plan`, as JSON."""
    import check_vtu

    found = {}
    for name, (path, points) in plan.items():
        check_vtu.check_paraview(path, None)
        values = [check_vtu.check_paraview(path, point) for point in points]
        found[name] = [{field: list(map(float, v)) for field, v in at.items()} for at in values]
    return found


def through_meshio(path, point):
    """Values of all arrays at a point, those of cells included."""
    import check_vtu
    import meshio
    import numpy

    mesh = meshio.read(path)
    kind, cells = check_vtu.quadratic_cells(mesh)
    cell, weight = check_vtu.locate(mesh.points, cells, point)
    values = {name: numpy.atleast_1d(weight @ value[cells[cell]])
              for name, value in mesh.point_data.items()}
    values.update({name: numpy.atleast_1d(value[kind][cell])
                   for name, value in mesh.cell_data_dict.items()})
    return values


def compare(tests, found, probes, tolerance, text, bubbles=0.0):
    """Differences from the probes, relative to the largest value of the field at these points.
    A file has no bubbles: the velocity of an element with them differs by as much."""
    for field in FIELDS:
        wanted = [probes[f"{field}{i}"] for i in range(len(found))]
        wanted = [w if isinstance(w, list) else [w] for w in wanted]
        if any(len(at.get(field, ())) < len(w) for at, w in zip(found, wanted)):
            tests.check(False, f"  {text} {field} is missing, or too short")
            continue
        # a plane velocity has a third component in the file; a body at rest has rounding only
        scale = max([1e-6] + [abs(v) for w in wanted for v in w])
        worst = max(abs(v - e) for at, w in zip(found, wanted) for v, e in zip(at[field], w))
        bound = max(tolerance, bubbles if field == "velocity" else 0.0)
        tests.below(float(worst / scale), bound, f"  {text} {field} against the probes")


def compare_wall(tests, directory):
    import meshio
    import numpy

    import sablier

    mesh = meshio.read(os.path.join(directory, "profiles", "floor.vtu"))
    table = sablier.table(os.path.join(directory, "profiles", "floor.csv"))
    rows = numpy.flatnonzero(mesh.point_data["measured"].ravel())
    tests.check(len(rows) == len(table["x"]) and "triangle6" in mesh.cells_dict,
                "the surface of a wall has the vertices of its table")
    place = numpy.stack([table[axis] for axis in "xyz"], axis=1)
    at = [rows[numpy.abs(mesh.points[rows] - x).sum(axis=1).argmin()] for x in place]
    for name in ("normal", "normal_recovered", "area"):
        tests.below(float(numpy.abs(mesh.point_data[name].ravel()[at] - table[name]).max()), 0.0,
                    f"  and its {name}")
    shear = numpy.stack([table[f"shear_{axis}"] for axis in "xyz"], axis=1)
    tests.below(float(numpy.abs(mesh.point_data["shear"][at] - shear).max()), 0.0, "  and its shear")


def main():
    from case_run import ROOT, Tests

    tests, summaries, plan = Tests(), {}, {}
    for name, (case, overrides, points) in CASES.items():
        probes = [f"probes.{field}{i}={{point: {list(point)}, field: {field}}}"
                  for i, point in enumerate(points) for field in FIELDS]
        summaries[name] = tests.run(name, case, *overrides, *probes)
        plan[name] = (os.path.join(tests.path(name), "fields_0000.vtu"), points)
        try:
            found = [through_meshio(plan[name][0], point) for point in points]
            compare(tests, found, summaries[name]["probes"], 1e-12, "meshio", BUBBLES.get(name, 0.0))
        except (Exception, SystemExit) as problem:  # meshio ends the program on some files
            tests.check(False, f"  meshio: {type(problem).__name__}: {problem}")
    # the load of a wall: its file has what the table has, at the vertices of the table
    compare_wall(tests, tests.path("box"))
    plan["wall"] = (os.path.join(tests.path("box"), "profiles", "floor.vtu"), [])
    if shutil.which("pvpython") is None or shutil.which("xvfb-run") is None:
        print("pvpython or xvfb-run is not installed: ParaView is left out")
        tests.end()
    order, answer = tests.path("plan.json"), tests.path("found.json")
    with open(order, "w", encoding="utf-8") as file:
        json.dump(plan, file)
    done = subprocess.run(["xvfb-run", "-a", "pvpython", os.path.abspath(__file__), "--paraview",
                           order, answer, os.path.join(ROOT, "tests", "io")],
                          capture_output=True, text=True, check=False, timeout=240)
    good = done.returncode == 0 and os.path.isfile(answer)
    tests.check(good, f"ParaView opened the files{'' if good else ': ' + done.stderr[-2000:]}")
    if good:
        with open(answer, encoding="utf-8") as file:
            for name, found in json.load(file).items():
                if name in summaries:
                    compare(tests, found, summaries[name]["probes"], 1e-5 if name == "box" else 1e-6,
                            f"ParaView, {name},", BUBBLES.get(name, 0.0))
    tests.end()


if __name__ == "__main__":
    if sys.argv[1:2] == ["--paraview"]:
        sys.path.insert(0, sys.argv[4])
        sys.dont_write_bytecode = True
        with open(sys.argv[2], encoding="utf-8") as file:
            plan_to_do = json.load(file)
        result = through_paraview(plan_to_do)
        with open(sys.argv[3], "w", encoding="utf-8") as file:
            json.dump(result, file)
    else:
        main()
