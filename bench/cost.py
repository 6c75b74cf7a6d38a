#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a silo costs as its mesh is refined: in the plane, about the axis, in space.

    bench/cost.py SABLIER [--steps 10] [--geometries plane,axisymmetric,space] [--meshes N]
                  [--friction 0.4] [--work DIR]

Runs cases/silo, silo-round and silo-space from rest, first order, step 0.1, Re = 100, an outlet of
2, on each mesh below, and prints a table in Markdown with the exponents of every column in
the number of unknowns, fitted to all rows of a geometry and to its last two. Results are kept in
DIR (default out/cost) and not computed again. See docs/benchmark.md.
"""
import argparse
import csv
import json
import math
import subprocess
import sys
from pathlib import Path

CASES = Path(__file__).resolve().parent.parent / "cases"
# case, and (sides across the outlet, size far from it) of its meshes
GEOMETRIES = {
    "plane": ("silo", [(10, 1.2), (20, 0.6), (40, 0.3)]),
    "axisymmetric": ("silo-round", [(10, 1.2), (20, 0.6), (40, 0.3)]),
    "space": ("silo-space", [(6, 1.6), (10, 1.1), (14, 0.75), (24, 0.55), (32, 0.4)]),
}
COLUMNS = ["unknowns", "entries", "Gflop", "peak GB", "first", "later", "feq"]


def run(sablier, case, mesh, steps, friction, directory):
    """The summary and the history of a run; made if not there."""
    if not (directory / "summary.json").exists():
        across, h = mesh
        keys = {"material.friction": friction, "mesh.parameters.D": 2, "mesh.parameters.across": across, "mesh.parameters.h": h,
                "time.order": 1, "time.step": 0.1, "time.end": 0.1 * steps, "time.steady": 0,
                "time.window": 0.1, "output.every": 0}
        sets = [word for key, value in keys.items() for word in ("--set", f"{key}={value}")]
        code = subprocess.run([sablier, "run", CASES / case, "-q", "--force", "-o", directory] + sets).returncode
        if code not in (0, 1):  # 1: a step missed its tolerance, which the table shows
            sys.exit(f"{directory}: exit code {code}")
    with open(directory / "history.csv") as file:
        rows = [row for row in csv.DictReader(file) if int(row["step"]) > 0]
    return json.loads((directory / "summary.json").read_text()), rows


def figures(summary, rows):
    counts = [int(row["factorisations"]) for row in rows]
    later = counts[1:] or counts
    return {"elements": summary["mesh"]["elements"], "unknowns": summary["mesh"]["velocity_dofs"],
            "entries": summary["solver"]["factor_entries"], "Gflop": 1e-9 * summary["solver"]["factor_flops"],
            "peak GB": 1e-9 * summary["peak_memory"], "first": counts[0], "later": sum(later) / len(later),
            "feq": summary["cpu"]["solver"] / summary["cpu"]["one_factorisation"] / len(counts),
            "missed": summary["missed"]}


def exponent(points, name):
    """Slope of log y over log n by least squares."""
    x = [math.log(p["unknowns"]) for p in points]
    y = [math.log(p[name]) for p in points]
    mx, my = sum(x) / len(x), sum(y) / len(y)
    return sum((a - mx) * (b - my) for a, b in zip(x, y)) / sum((a - mx) ** 2 for a in x)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sablier")
    parser.add_argument("--steps", type=int, default=10)
    parser.add_argument("--geometries", default=",".join(GEOMETRIES))
    parser.add_argument("--meshes", type=int, default=99, help="only the first N meshes of each")
    parser.add_argument("--friction", type=float, default=0.4)
    parser.add_argument("--work", type=Path, default=Path("out/cost"))
    args = parser.parse_args()
    print("| | elements | unknowns $n$ | entries of the factor of $A$ | flops | peak memory | factorisations, first step "
          "| and each of the others | CPU per step, in factorisations of $A$ | missed |\n|" + "---|" * 10)
    for geometry in args.geometries.split(","):
        case, meshes = GEOMETRIES[geometry]
        points = []
        for mesh in meshes[:args.meshes]:
            name = f"{geometry}-{mesh[0]}-{mesh[1]}-{args.steps}-{args.friction}"
            p = figures(*run(args.sablier, case, mesh, args.steps, args.friction, args.work / name))
            points.append(p)
            print(f"| {geometry} {mesh[0]}, {mesh[1]} | {p['elements']} | {p['unknowns']} | {1e-6 * p['entries']:.3g} M "
                  f"| {p['Gflop']:.3g} G | {p['peak GB']:.2f} GB | {p['first']} | {p['later']:.1f} | {p['feq']:.1f} "
                  f"| {p['missed']} |", flush=True)
        for label, some in (("all", points), ("the last two", points[-2:])):
            if len(some) > 1:
                slopes = " | ".join(f"{exponent(some, name):.2f}" for name in COLUMNS[1:])
                print(f"| exponents in $n$, {label} | | | {slopes} | |", flush=True)


if __name__ == "__main__":
    main()
