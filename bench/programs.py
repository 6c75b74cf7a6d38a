#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Solve cone programs by several methods and look for answers that contradict each other.

    bench/programs.py FILE.sabp... [--sablier build/src/cli/sablier] [--methods ipm,apgd] [--tolerance T]...

One line per program and tolerance, one cell per method: the energy norm of its velocity minus that of the best answer
(the smallest merit), relative to the unresisted flow. `-` is a method that says it has not converged, `inf` one that
says that there is no solution, `err` one that refuses the program, `time` one beyond --limit. An answer that is accepted
with tolerance T is within sqrt(2 T) of the solution, as theory.md 7.2 has it for associated laws. Two accepted answers
farther apart than twice that contradict each other, marked `!`, and so does an accepted answer of a program that another
method finds infeasible. The exit code is 1 then. Programs named with --ambiguous may have several solutions.
"""
import argparse
import array
import json
import math
import pathlib
import subprocess
import sys
import tempfile

METHODS = "auto,ipm,ipm-exact,ipm-blend,pg-aa,dr-aa,apgd,cadoux-apgd"


class Program:
    """A and l of a .sabp (docs/program-format.md)."""

    def __init__(self, path):
        raw = path.read_bytes()
        self.ints, self.reals = array.array("q", raw), array.array("d", raw)
        s, npoints, self.n, _, entries = self.ints[2:7]
        first = 11 if self.ints[1] == 1 else 12 + 3 * self.ints[11]
        at = first + self.n + (s + 6) * npoints
        self.load = self.reals[first:first + self.n]
        self.start = self.ints[at:at + self.n + 1]
        self.row = self.ints[at + self.n + 1:at + self.n + 1 + entries]
        self.value = self.reals[at + self.n + 1 + entries:at + self.n + 1 + 2 * entries]

    def multiply(self, x):
        """A x, A given by its lower triangle, rows rising."""
        y = [0.0] * self.n
        for j in range(self.n):
            for e in range(self.start[j], self.start[j + 1]):
                i, a = self.row[e], self.value[e]
                y[i] += a * x[j]
                if i != j:
                    y[j] += a * x[i]
        return y

    def energy(self, x):
        return math.sqrt(max(0.0, dot(x, self.multiply(x))))

    def unresisted(self):
        """The energy norm of A^-1 l, by conjugate gradients."""
        diagonal = [self.value[self.start[j]] for j in range(self.n)]
        x, r = [0.0] * self.n, list(self.load)
        z = [a / d for a, d in zip(r, diagonal)]
        p, rz = list(z), dot(r, z)
        first = rz
        for _ in range(10 * self.n):
            if rz <= 1e-16 * first:
                break
            q = self.multiply(p)
            step = rz / dot(p, q)
            x = [a + step * b for a, b in zip(x, p)]
            r = [a - step * b for a, b in zip(r, q)]
            z = [a / d for a, d in zip(r, diagonal)]
            old, rz = rz, dot(r, z)
            p = [a + rz / old * b for a, b in zip(z, p)]
        return math.sqrt(dot(x, self.load))


def dot(a, b):
    return sum(x * y for x, y in zip(a, b))


def solve(options, path, method, tolerance, directory):
    """Status and summary of one run."""
    output = pathlib.Path(directory) / "result.json"
    output.unlink(missing_ok=True)
    try:
        code = subprocess.run([options.sablier, "solve", path, "-q", "-o", output, "--method", method, "--tolerance",
                               str(tolerance)], timeout=options.limit, stderr=subprocess.DEVNULL, check=False).returncode
    except subprocess.TimeoutExpired:
        return "time", None
    if code not in (0, 1):
        return "err", None
    result = json.loads(output.read_text())
    if (code == 0) != (result["status"] == "converged"):
        sys.exit(f"{path}: exit code {code} with status {result['status']}")
    return {"converged": "ok", "infeasible": "inf", "not_converged": "-"}[result["status"]], result


def compare(program, answers, tolerance, ambiguous):
    """A cell for each method, and whether two of them contradict each other."""
    accepted = {m: r for m, (status, r) in answers.items() if status == "ok"}
    infeasible = any(status == "inf" for status, _ in answers.values())
    far, cells = False, {m: status for m, (status, _) in answers.items()}
    scale = program.unresisted() or max((program.energy(r["u"]) for r in accepted.values()), default=1.0) or 1.0
    best = min(accepted, key=lambda m: accepted[m]["solver"]["merit"], default=None)
    for m, r in accepted.items():
        worst = max(program.energy([a - b for a, b in zip(r["u"], other["u"])]) for other in accepted.values()) / scale
        bad = infeasible or (worst > 2.0 * math.sqrt(2.0 * tolerance) and not ambiguous)
        to_best = program.energy([a - b for a, b in zip(r["u"], accepted[best]["u"])]) / scale
        cells[m] = f"{to_best:.1e}" + ("!" if bad else "")
        far = far or bad
    return cells, far


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="+", type=pathlib.Path)
    parser.add_argument("--sablier", default="build/src/cli/sablier")
    parser.add_argument("--methods", default=METHODS)
    parser.add_argument("--tolerance", type=float, action="append", help="default: 3e-2 and 1e-3")
    parser.add_argument("--limit", type=float, default=60.0, help="seconds for a solve; %(default)s")
    parser.add_argument("--ambiguous", action="append", default=[], metavar="NAME", help="several solutions are known")
    options = parser.parse_args()
    methods = options.methods.split(",")
    contradictions = 0
    print(f"{'program':40} {'T':>6} " + " ".join(f"{m:>11}" for m in methods))
    with tempfile.TemporaryDirectory() as directory:
        for path in options.files:
            program = Program(path)
            for tolerance in options.tolerance or [3e-2, 1e-3]:
                answers = {m: solve(options, path, m, tolerance, directory) for m in methods}
                cells, far = compare(program, answers, tolerance, path.stem in options.ambiguous)
                contradictions += far
                print(f"{path.stem[:40]:40} {tolerance:6.0e} " + " ".join(f"{cells[m]:>11}" for m in methods),
                      flush=True)
    print(f"{contradictions} contradictions")
    return 1 if contradictions else 0


if __name__ == "__main__":
    sys.exit(main())
