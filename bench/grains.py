#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The same spheres in the same box by Sablier and by LAMMPS, one after the other on one thread.

    bench/grains.py                                       512 spheres to t = 8
    bench/grains.py --side 16 --end 1 --stiffness 2e4     4096, for a short time
    bench/grains.py --only sablier --side 8,16,32 --end 1 growth of the cost

Places, radii, masses, friction, walls and gravity are those of cases/grain-box, from one file that
both read. Sablier has rigid grains without bounce; LAMMPS (gran/hooke/history) has springs of
stiffness k with damping for a restitution of 0.1 and steps of a 25th of a collision. What cannot be
equal is the overlap: it is measured alike, between the grains of every frame, a twentieth of the
unit of time apart. Needs python3-numpy, and lmp (scripts/setup --peers) unless --only sablier.
See docs/benchmark.md.
"""
import argparse
import csv
import json
import math
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parent.parent
PITCH, RADII, MASSES, FRICTION, FRAME = 1.25, (0.5, 0.5625), (1.0, 2.0), 0.3, 0.05


def grains(side):
    """Places [n][3], radii and masses of side^3 spheres on a jittered grid, as cases/grain-box."""
    draw = np.random.default_rng(1)
    cells = np.stack(np.meshgrid(*[np.arange(side)] * 3, indexing="ij"), -1).reshape(-1, 3)[:, ::-1]
    places = (cells + 0.5) * PITCH + draw.uniform(-1, 1, (side**3, 3)) * 0.025 * PITCH
    return places, draw.uniform(*RADII, side**3), draw.uniform(*MASSES, side**3)


def cpu(command, **options):
    """Seconds of user time and the peak memory in MB of a command, which must succeed."""
    environment = dict(os.environ, OMP_NUM_THREADS=str(options.get("threads", 1)),
                       OPENBLAS_NUM_THREADS="1")
    with tempfile.TemporaryFile("w+") as said:
        process = subprocess.Popen([str(c) for c in command], stdout=said, stderr=said,
                                   env=environment, cwd=options.get("cwd"))
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode not in (0, 1):  # 1: a step has missed, which the table tells
            said.seek(0)
            sys.exit(f"{command[0]} failed:\n{said.read()[-2000:]}")
    return used.ru_utime, used.ru_maxrss / 1024


def overlap(places, radii, width):
    """Largest overlap of spheres, and of spheres and the walls, in parts of the smaller radius."""
    order = np.argsort(places[:, 0])
    x, r = places[order], radii[order]
    walls = np.concatenate([r - x[:, 0], r - x[:, 1], r - x[:, 2], x[:, 0] + r - width,
                            x[:, 1] + r - width])
    worst = np.max(walls / np.tile(r, 5))
    for i in range(len(x)):  # those to the right that are near enough
        end = np.searchsorted(x[:, 0], x[i, 0] + r[i] + RADII[1])
        near = slice(i + 1, end)
        if end > i + 1:
            depth = r[i] + r[near] - np.linalg.norm(x[near] - x[i], axis=1)
            worst = max(worst, np.max(depth / np.minimum(r[i], r[near])))
    return max(worst, 0.0)


def by_sablier(program, side, where, options):
    places, radii, masses = grains(side)
    with open(where / "grains.csv", "w", newline="", encoding="utf-8") as file:
        table = csv.writer(file)
        table.writerow(["x", "y", "z", "radius", "mass"])
        table.writerows([*x, r, m] for x, r, m in zip(places.tolist(), radii.tolist(),
                                                      masses.tolist()))
    width = side * PITCH
    planes = {"floor": ([0, 0, 0], [0, 0, 1]), "west": ([0, 0, 0], [1, 0, 0]),
              "south": ([0, 0, 0], [0, 1, 0]), "east": ([width, 0, 0], [-1, 0, 0]),
              "north": ([0, width, 0], [0, -1, 0])}
    walls = "".join(f"  {name}: {{point: {at}, normal: {n}, friction: {FRICTION}}}\n"
                    for name, (at, n) in planes.items())
    (where / "case.yaml").write_text(
        "geometry: space\ngravity: [0, 0, -1]\n"
        f"grains: {{friction: {FRICTION}, fill: {{file: grains.csv}}}}\nwalls:\n{walls}"
        f"time: {{scheme: inertial, step: {options.step}, end: {options.end}, window: {options.end / 8}}}\n"
        f"output: {{every: {options.end}}}\n"
        f"solver: {{method: {options.method}, tolerance: {options.tolerance}}}\n", encoding="utf-8")
    used, memory = cpu([program, "run", where / "case.yaml", "-o", where / "out", "--force", "-q"],
                       threads=options.threads)
    summary = json.loads((where / "out/summary.json").read_text(encoding="utf-8"))
    with open(where / "out/history.csv", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    swept = sum(float(r["inner"]) * float(r["pairs"]) for r in rows)
    return {"cpu": used, "worst": summary["grains"]["overlap"],
            "end": float(rows[-1]["overlap"]), "memory": memory, "missed": summary["missed"],
            "pairs": float(rows[-1]["pairs"]) / side**3, "sweeps": summary["solver"]["inner"],
            "steps": summary["grains"]["substeps"],
            "ns": 1e9 * summary["cpu"]["cones"] / swept if swept > 0 else math.nan,
            "solver": summary["cpu"]["solver"], "cones": summary["cpu"]["cones"]}


def frames(path):
    """Places [n][3] of each frame of a dump, in the order of the grains."""
    with open(path, encoding="utf-8") as file:
        for line in file:
            if line.startswith("ITEM: NUMBER OF ATOMS"):
                n = int(next(file))
            elif line.startswith("ITEM: ATOMS"):
                table = np.array([next(file).split() for _ in range(n)], float)
                yield table[np.argsort(table[:, 0]), 1:4]


def by_lammps(stiffness, side, where, options):
    places, radii, masses = grains(side)
    width, mass = side * PITCH, 0.5 * float(np.mean(MASSES))
    # e = exp(-gamma t/2), t = pi / (k/m - gamma^2/4)^(1/2), of the mean reduced mass m
    log = -math.log(0.1)
    gamma = 2.0 * math.sqrt(stiffness / mass) * log / math.hypot(log, math.pi)
    collision = math.pi / math.sqrt(stiffness / mass - gamma**2 / 4)
    every = math.ceil(25 * FRAME / collision)
    density = masses / (4.0 / 3.0 * math.pi * radii**3)
    lines = ["spheres", "", f"{side**3} atoms", "1 atom types", "", f"0 {width} xlo xhi",
             f"0 {width} ylo yhi", f"{-width} {2 * width} zlo zhi", "", "Atoms # sphere", ""]
    lines += [f"{i + 1} 1 {2 * r:.17g} {d:.17g} {x[0]:.17g} {x[1]:.17g} {x[2]:.17g}"
              for i, (x, r, d) in enumerate(zip(places, radii, density))]
    (where / "grains.data").write_text("\n".join(lines) + "\n", encoding="utf-8")
    law = f"{stiffness} NULL {gamma} NULL {FRICTION} 1"
    walls = "\n".join(f"fix w{k} all wall/gran hooke/history {law} {plane}" for k, plane in enumerate(
        [f"xplane 0 {width}", f"yplane 0 {width}", "zplane 0 NULL"]))
    (where / "in.grains").write_text(f"""units lj
atom_style sphere
boundary f f f
newton off
comm_modify vel yes
read_data grains.data
pair_style gran/hooke/history {law}
pair_coeff * *
neighbor 0.2 bin
{walls}
fix move all nve/sphere
fix weight all gravity 1.0 vector 0 0 -1
timestep {FRAME / every:.17g}
thermo 100000
dump places all custom {every} places.dump id x y z
dump_modify places format float %.15g
run {every * round(options.end / FRAME)}
""", encoding="utf-8")
    used, memory = cpu(["lmp", "-in", "in.grains", "-log", "none"], cwd=where)
    depths = [overlap(x, radii, width) for x in frames(where / "places.dump")]
    return {"cpu": used, "worst": max(depths), "end": depths[-1], "memory": memory,
            "steps": every * round(options.end / FRAME)}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--side", default="8", help="grains along an edge, one or more: 8,16")
    parser.add_argument("--end", type=float, default=8.0)
    parser.add_argument("--step", type=float, default=0.05, help="of Sablier")
    parser.add_argument("--tolerance", default="1e-3", help="of Sablier, one or more: 1e-3,1e-2")
    parser.add_argument("--method", default="auto")
    parser.add_argument("--threads", type=int, default=1, help="of Sablier")
    parser.add_argument("--stiffness", default="2e4,3e5", help="of LAMMPS, one or more")
    parser.add_argument("--only", choices=["sablier", "lammps"])
    parser.add_argument("--sablier", default=ROOT / "build/src/cli/sablier", type=Path)
    options = parser.parse_args()
    if options.only != "sablier" and shutil.which("lmp") is None:
        sys.exit("bench/grains.py: no lmp; install it with scripts/setup --peers, or --only sablier")
    tolerances = options.tolerance.split(",")
    print("| grains | by | CPU s | overlap, worst | at the end | steps | MB | |")
    print("|---|---|---|---|---|---|---|---|")
    for side in (int(s) for s in options.side.split(",")):
        runs = [("sablier", t) for t in tolerances] if options.only != "lammps" else []
        runs += [("lammps", float(k)) for k in options.stiffness.split(",")] \
            if options.only != "sablier" else []
        for program, value in runs:
            with tempfile.TemporaryDirectory() as name:
                if program == "sablier":
                    options.tolerance = value
                    r = by_sablier(options.sablier, side, Path(name), options)
                    note = (f"{r['sweeps']} sweeps, {r['ns']:.1f} ns per pair and sweep, "
                            f"{r['pairs']:.1f} pairs per grain, {r['missed']} missed; "
                            f"sweeps {r['cones']:.2f} s, solver {r['solver']:.2f} s")
                    label = f"sablier, tolerance {value}"
                else:
                    r = by_lammps(value, side, Path(name), options)
                    note, label = "", f"lammps, k = {value:g}"
            print(f"| {side**3} | {label} | {r['cpu']:.2f} | {r['worst']:.1e} | {r['end']:.1e} | "
                  f"{r['steps']} | {r['memory']:.0f} | {note} |", flush=True)


if __name__ == "__main__":
    main()
