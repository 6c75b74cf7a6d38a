#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""bench-siconos on a small half silo: the flow of Siconos and that of ipm-exact, two codes and two
methods, are the same; what Siconos does not know is refused.

    test_siconos.py BENCH-PROGRAM BENCH-SOLVE BENCH-SICONOS
"""
import array
import json
import math
import subprocess
import sys
import tempfile
from pathlib import Path

CASE = Path(__file__).resolve().parent / "silo.yaml"


def run(*command):
    return subprocess.run([str(c) for c in command], capture_output=True, text=True)


def write(tool, path, **material):
    settings = [f"material.{key}={value}" for key, value in material.items()]
    done = run(tool, CASE, path, "--set", "mesh.parameters.h=1.6",
               *(part for setting in settings for part in ("--set", setting)))
    assert done.returncode == 0, done.stderr
    return path


def solve(tool, program, method, prefix, *more):
    done = run(tool, program, method, "--velocity", prefix, *more)
    assert done.returncode == 0, done.stderr
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    velocity = array.array("d", Path(f"{prefix}.bin").read_bytes())
    return rows[-1], velocity


def main(bench_program, bench_solve, bench_siconos):
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        program = write(bench_program, folder / "coulomb.sabp", friction=0.3)
        own, u = solve(bench_solve, program, "ipm-exact", folder / "own", "--tolerance", "1e-8")
        assert own["reason"] == 0 and own["merit"] <= 1e-8
        # the velocity error is about the merit (docs/benchmark.md).
        for method, tolerance, bound in (("ADMM", 1e-4, 1e-3), ("NSGS", 1e-2, 2e-2),
                                         ("NSGS_WR", 3e-2, 6e-2)):
            result, v = solve(bench_siconos, program, method, folder / method, "--tolerance", tolerance,
                              "--limit", 20)
            assert result["reason"] == 0 and result["merit"] <= tolerance, result
            error = math.dist(u, v) / math.hypot(*u)
            print(f"{method}: merit {result['merit']:.1e} after {result['inner']} iterations, "
                  f"velocity {error:.1e} from that of ipm-exact")
            assert error <= bound, (method, error)
        for name, material in {"cohesive": {"friction": 0.3, "bingham": 0.1},
                               "dilatant": {"friction": 0.3, "dilatancy": 0.1}}.items():
            done = run(bench_siconos, write(bench_program, folder / f"{name}.sabp", **material), "ADMM")
            assert done.returncode == 1 and "both must be 0" in done.stderr, done.stderr


if __name__ == "__main__":
    main(*sys.argv[1:])
