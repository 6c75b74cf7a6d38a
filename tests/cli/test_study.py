#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Studies and fits: the product of the axes, tables, resuming, signals, bad files, brackets, laws.

    test_study.py SABLIER

docs/study.md says what is promised. Last line: N passed, N failed.
"""
import csv
import json
import math
import os
import pty
import random
import re
import select
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time

from harness import MESHES, ROOT, Program, Suite, leftovers, marked, snapshot, write

# A Bingham fluid in a cavity, coarse: 0.2 s.
CAVITY = f"""\
title: Cavity
mesh: {{file: {MESHES}/cavity.geo, parameters: {{h: 0.25}}}}
material: {{friction: 0, bingham: 0.5, reynolds: 1}}
gravity: [0, 0]
boundaries:
  lid:  {{velocity: [1, 0]}}
  wall: {{velocity: [0, 0]}}
solver: {{tolerance: 1.0e-5, max_iterations: 5000}}
probes:
  drag:    {{force: lid}}
  leak:    {{flux: lid}}
  rate:    {{point: [0.5, 0.9], field: shear_rate}}
  profile: {{line: [[0.5, 0], [0.5, 1]], samples: 11}}
"""
INERTIAL = f"""\
mesh: {{file: {MESHES}/cavity.geo, parameters: {{h: 0.25}}}}
material: {{friction: 0, bingham: 0.5, reynolds: 10}}
gravity: [0, 0]
boundaries:
  lid:  {{velocity: [1, 0]}}
  wall: {{velocity: [0, 0]}}
solver: {{tolerance: 1.0e-3}}
time: {{scheme: inertial, step: 0.01, end: 0.8, steady: 0, window: 0.2}}
output: {{every: 0, checkpoint: 0}}
probes:
  energy: {{integral: kinetic_energy}}
  drag:   {{force: lid}}
"""
STUDY = """\
title: Bingham number and mesh
base: ../c
vary:
  material.bingham: [0.25, 0.5, 1]
  mesh.parameters.h: [0.5, 0.25]
"""


# ---- least squares, written once more ------------------------------------------------------------

def student(freedom, probability=0.95):
    """Two-sided quantile: Simpson's rule for the density, bisection."""
    scale = math.exp(math.lgamma((freedom + 1) / 2) - math.lgamma(freedom / 2)) / math.sqrt(
        freedom * math.pi)

    def inside(t, n=4000):
        density = [scale * (1 + (t * i / n) ** 2 / freedom) ** (-(freedom + 1) / 2)
                   for i in range(n + 1)]
        return 2 * t / n / 3 * (density[0] + density[-1] + 4 * sum(density[1:-1:2]) +
                                2 * sum(density[2:-1:2]))

    low, high = 0.0, 700.0 if freedom == 1 else 40.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if inside(middle) < probability else (low, middle)
    return low


def beverloo(x, y, sigma, grain):
    """C is linear once k is known: golden section for k. Covariance by differences."""
    w = [1 / s ** 2 for s in sigma]

    def model(k):
        return [max(a - k * grain, 0) ** 1.5 for a in x]

    def factor(k):
        f = model(k)
        return sum(a * b * c for a, b, c in zip(w, f, y)) / sum(a * b * b for a, b in zip(w, f))

    def rest(k):
        c = factor(k)
        return sum(a * (b - c * d) ** 2 for a, b, d in zip(w, y, model(k)))

    low, high = -5 / grain, 0.999 * min(x) / grain
    golden = (math.sqrt(5) - 1) / 2
    for _ in range(200):
        a, b = high - golden * (high - low), low + golden * (high - low)
        low, high = (low, b) if rest(a) < rest(b) else (a, high)
    k = (low + high) / 2
    c, step = factor(k), 1e-5
    slope = [c * (b - a) / (2 * step) for a, b in zip(model(k - step), model(k + step))]
    f = model(k)
    cc = sum(a * b * b for a, b in zip(w, f))
    ck = sum(a * b * d for a, b, d in zip(w, f, slope))
    kk = sum(a * b * b for a, b in zip(w, slope))
    variance = rest(k) / (len(x) - 2) / (cc * kk - ck * ck)
    t = student(len(x) - 2)
    return c, t * math.sqrt(variance * kk), k, t * math.sqrt(variance * cc)


def floored(x, sigma):
    """None is more precise than the median of all, nor than that of its five neighbours."""
    def near(a):
        return [s for _, s in sorted(zip(x, sigma), key=lambda p: abs(p[0] - a))[:5]]

    median = statistics.median_low
    return [max(s, median(sigma), median(near(a))) for a, s in zip(x, sigma)]


def line(x, y):
    """Slope and half its interval."""
    n, mx, my = len(x), sum(x) / len(x), sum(y) / len(y)
    sxx = sum((a - mx) ** 2 for a in x)
    slope = sum((a - mx) * (b - my) for a, b in zip(x, y)) / sxx
    rest = sum((b - my - slope * (a - mx)) ** 2 for a, b in zip(x, y))
    return slope, student(n - 2) * math.sqrt(rest / (n - 2) / sxx)


def rows(path):
    with open(path, newline="") as stream:
        return list(csv.DictReader(stream))


def load(path):
    with open(path, encoding="utf-8") as stream:
        return json.load(stream)


def close(a, b, tolerance):
    return abs(a - b) <= tolerance * max(1.0, abs(b))


class Studies:
    def __init__(self, program, suite, root):
        self.program, self.suite, self.root = program, suite, root
        write(self.path("c/case.yaml"), CAVITY)
        write(self.path("i/case.yaml"), INERTIAL)

    def path(self, name):
        return os.path.join(self.root, name)

    def check(self, *args):
        return self.suite.check(*args)

    def run(self, *args, code=0, name=None, **more):
        done = self.program.run(*args, cwd=self.root, **more)
        self.check(f"{name or ' '.join(args)}: exit code {code}", done.returncode == code,
                   f"{done.returncode}\n{done.stdout[-1500:]}\n{done.stderr}")
        return done

    def times(self, directory):
        """When each summary of a study was written."""
        points = self.path(f"{directory}/points")
        return {name: os.stat(os.path.join(points, name, "summary.json")).st_mtime_ns
                for name in sorted(os.listdir(points))
                if os.path.exists(os.path.join(points, name, "summary.json"))}

    def redone(self, directory, before):
        return sorted(n for n, t in self.times(directory).items() if before.get(n) != t)

    # ---- tables ---------------------------------------------------------------------------------

    def test_product(self):
        write(self.path("s/study.yaml"), STUDY)
        done = self.run("study", "s", "-j", "2")
        table = rows(self.path("out/s/results.csv"))
        self.check("rows in the order of the product", [(r["material.bingham"], r["mesh.parameters.h"])
                   for r in table] == [(b, h) for b in ("0.25", "0.5", "1") for h in ("0.5", "0.25")],
                   table)
        self.check("all converged", all(r["status"] == "converged" and r["exit"] == "0" for r in table))
        self.check("no complaint", done.stderr == "", done.stderr)
        self.check("the table is printed", re.search(r"^ *1 +0\.25 +converged +-12\.79", done.stdout,
                                                     re.M), done.stdout)
        self.check("a directory per point", sorted(os.listdir(self.path("out/s/points"))) == sorted(
            r["point"] for r in table) and table[3]["point"] == "bingham=0.5,h=0.25")
        self.run("run", "c", "-o", "alone", "-q", "--set", "material.bingham=1", "--set",
                 "mesh.parameters.h=0.25")
        summary = load(self.path("alone/summary.json"))
        last = table[5]
        expected = {"probes.drag_x": summary["probes"]["drag"][0],
                    "probes.drag_y": summary["probes"]["drag"][1],
                    "probes.leak": summary["probes"]["leak"],
                    "probes.rate": summary["probes"]["rate"], "solver.gap": summary["solver"]["gap"],
                    "solver.outer": summary["solver"]["outer"], "steps": 1,
                    "mesh.elements": summary["mesh"]["elements"]}
        for key, value in expected.items():
            self.check(f"the row is the run: {key}", float(last[key]) == value, f"{last[key]} {value}")
        self.check("no column for a profile", "probes.profile" not in last, list(last))
        self.check("files", sorted(os.listdir(self.path("out/s"))) == ["points", "results.csv",
                                                                     "study.json"])
        self.check("nothing to tell", load(self.path("out/s/study.json")) | {"version": ""} == {
            "version": "", "title": "Bingham number and mesh", "points": 6, "failed": 0, "missed": 0,
            "warned": 0, "left_out": {}, "warnings": []} and summary["warnings"] == [])
        self.check("and nothing is marked", all(r["left_out"] == "" and r["warnings"] == "0"
                                                for r in table), table)

    def test_zip(self):
        write(self.path("z/study.yaml"), "base: ../c\n"
              "zip: {material.bingham: [0.25, 0.5], solver.tolerance: [1e-3, 1e-2]}\n"
              "vary: {mesh.parameters.h: [0.5, 1]}\nset: {material: {reynolds: 2}, title: 'a, \"b\"'}\n")
        self.run("study", "z/study.yaml", "-o", "zipped", "-q")
        table = rows(self.path("zipped/results.csv"))
        self.check("zip is one axis", [(r["material.bingham"], r["solver.tolerance"],
                   r["mesh.parameters.h"]) for r in table] == [
                       ("0.25", "1e-3", "0.5"), ("0.25", "1e-3", "1"), ("0.5", "1e-2", "0.5"),
                       ("0.5", "1e-2", "1")], table)
        summary = load(self.path("zipped/points/bingham=0.5,h=1/summary.json"))
        self.check("set holds for every point", summary["material"]["reynolds"] == 2 and
                   summary["title"] == 'a, "b"', summary["material"])

    def test_bases(self):
        """Two cases in one study, one of which does not know a key of the other."""
        study = ("zip:\n  base: [../c, ../c, ../i/case.yaml]\n  mesh.parameters.h: [0.5, 1, 1]\n"
                 "  time.end: [~, ~, 0.02]\n")
        write(self.path("bases/study.yaml"), study)
        self.run("study", "bases", "-q")
        table = rows(self.path("out/bases/results.csv"))
        self.check("a row of either", [(r["base"], r["mesh.parameters.h"], r["time.end"], r["status"])
                   for r in table] == [("../c", "0.5", "", "converged"), ("../c", "1", "", "converged"),
                                       ("../i/case.yaml", "1", "0.02", "finished")], table)
        self.check("each its own probes", [(r["probes.leak"] != "", r["probes.energy"] != "")
                   for r in table] == [(True, False), (True, False), (False, True)], table)
        for row, args in zip(table, (["c", "--set", "mesh.parameters.h=0.5"], None,
                                     ["i", "--set", "mesh.parameters.h=1", "--set", "time.end=0.02"])):
            if args is not None:
                self.run("run", *args, "-o", "alone-b", "--force", "-q")
                self.check(f"{args}: the row is the run", float(row["probes.drag_x"]) ==
                           load(self.path("alone-b/summary.json"))["probes"]["drag"][0], row)
        before = self.times("out/bases")
        write(self.path("bases/study.yaml"), study.replace("0.02", "0.03"))
        self.run("study", "bases", "-q", "--resume")
        again = rows(self.path("out/bases/results.csv"))
        self.check("only what has changed", [r["point"] in self.redone("out/bases", before) for r in again]
                   == [False, False, True] and again[:2] == table[:2], again)
        done = self.run("fit", "out/bases/results.csv", "--law", "power", "--x", "mesh.parameters.h", "--y",
                        "solver.outer", "--group", "base", code=1)
        self.check("groups of cases", "base = ../c" in done.stdout + done.stderr,
                   done.stdout + done.stderr)

    def test_failing_point(self):
        write(self.path("f/study.yaml"), "base: ../c\nset: {mesh.parameters.h: 0.5}\nvary:\n"
              "  material.bingham: [0.5, 1/(x-x), 1]\n  solver.max_iterations: [5000, 1]\n")
        done = self.run("study", "f", "-j", "2", code=1)
        table = rows(self.path("out/f/results.csv"))
        found = [(r["status"], r["exit"]) for r in table]
        self.check("failed and missed points have their rows", found == [
            ("converged", "0"), ("not_converged", "1"), ("failed", "3"), ("failed", "3"),
            ("converged", "0"), ("not_converged", "1")], found)
        self.check("a failed point has no numbers", table[2]["probes.leak"] == "" ==
                   table[2]["solver.gap"], table[2])
        self.check("they are reported", done.stderr.count("failed (exit code 3)") == 2 and
                   done.stderr.count("not_converged") == 2 and "material.bingham" in done.stderr,
                   done.stderr)
        name = table[2]["point"]
        self.check("a formula makes a safe name", re.fullmatch(r"bingham=1__x-x_,max_iterations=5000,"
                                                               r"[0-9a-f]{8}", name), name)
        with open(self.path(f"out/f/points/{name}/log.txt")) as stream:
            self.check("the log has the reason", "material.bingham" in stream.read())
        before = self.times("out/f")
        self.run("study", "f", "--resume", "-q", code=1)
        self.check("resume: what has a result is not run again", not self.redone("out/f", before))

    # ---- what is not to be trusted --------------------------------------------------------------

    def doctor(self, point, code=None, drag=None, flux=None, **keys):
        """Write something else into the summary of a point, as a run could have."""
        path = self.path(f"{point}/summary.json")
        summary = load(path)
        summary.update(keys)
        if drag is not None:
            summary["probes"]["drag"][0] = drag[0]
        if flux is not None:
            summary["probes"]["flux"] = flux
        write(path, json.dumps(summary))
        if code is not None:
            mark = load(self.path(f"{point}/point.json"))
            write(self.path(f"{point}/point.json"), json.dumps(mark | {"exit": code}))

    def test_left_out(self):
        """A point that blew up, missed steps, has no number, or one that cannot be: marked, not fitted."""
        values = [0.5, 1, 2, 3, 4, 5, 6, 7, 8]
        write(self.path("l/study.yaml"), "base: ../c\nset: {mesh.parameters.h: 0.5}\n"
              f"vary: {{material.bingham: {values}}}\n"
              "fit: {law: power, x: material.bingham, y: probes.drag_x, scale: -1}\n")
        self.run("study", "l", "-q", "-j", "2")
        good = [r for r in rows(self.path("out/l/results.csv"))
                if float(r["material.bingham"]) not in (2, 3, 4, 5)]
        slope, _ = line([math.log(float(r["material.bingham"])) for r in good],
                        [math.log(-float(r["probes.drag_x"])) for r in good])
        self.doctor("out/l/points/bingham=2", code=1, drag=[-8e40], status="unstable",
                    warnings=["blown up at step 7", "advection at 3.5"])
        self.doctor("out/l/points/bingham=3", drag=[None], warnings=["blown up at step 12"])
        self.doctor("out/l/points/bingham=4", drag=[-4e22])
        self.doctor("out/l/points/bingham=5", code=1, status="finished", missed=3, steps=80)
        self.doctor("out/l/points/bingham=6", warnings=["advection at 0.25"])
        done = self.run("study", "l", "--resume", code=1)
        table = rows(self.path("out/l/results.csv"))
        self.check("marked", [r["left_out"] for r in table] == [
            "", "", "unstable", "probes.drag_x not finite", "", "3 of 80 steps missed", "", "", ""],
                   [r["left_out"] for r in table])
        self.check("warnings are counted", [r["warnings"] for r in table] == list("002100100"), table)
        fit = load(self.path("out/l/fit.json"))["fits"][0]
        self.check("the fit is that of the others", fit["points"] == 5 and fit["left_out"] == 4 and
                   close(fit["exponent"]["value"], slope, 1e-12), f"{fit} {slope}")
        reasons = {p["x"]: p["reason"] for p in fit["left_out_points"]}
        self.check("the fit says why", reasons[2] == "unstable" and reasons[3] ==
                   "probes.drag_x not finite" and reasons[5] == "3 of 80 steps missed" and
                   re.fullmatch(r"outlier: y = 4e\+22, where the others expect [\d.]+", reasons[4]) and
                   len(reasons) == 4, reasons)
        for sentence in ("fit: 4 of 9 points left out: bingham = 2 (unstable), bingham = 3 (probes.drag_x "
                         "not finite), bingham = 5 (3 of 80 steps missed), bingham = 4 (outlier: y = 4e+22",
                         "warning: 2 points (bingham=2; bingham=3), with the numbers of the first: blown up at step 7\n",
                         "warning: 2 points (bingham=2; bingham=6), with the numbers of the first: advection at 3.5\n",
                         "point bingham=2: unstable", "point bingham=5: 3 of 80 steps missed"):
            self.check(f"it is said: {sentence}", sentence in done.stderr, done.stderr)
        self.check("in the table and at the end", "left out" in done.stdout and "0 failed, 3 missed their "
                   "tolerance or are not valid, 3 with warnings" in done.stdout, done.stdout)
        study = load(self.path("out/l/study.json"))
        self.check("study.json", (study["points"], study["failed"], study["missed"], study["warned"]) ==
                   (9, 0, 3, 3) and study["left_out"] == {
                       "bingham=2": "unstable", "bingham=3": "probes.drag_x not finite",
                       "bingham=5": "3 of 80 steps missed"} and study["warnings"] == [
                           {"warning": "blown up at step 7", "points": ["bingham=2", "bingham=3"]},
                           {"warning": "advection at 3.5", "points": ["bingham=2", "bingham=6"]}], study)
        arguments = ["fit", "out/l/results.csv", "--x", "material.bingham", "--y", "probes.drag_x",
                     "--law", "power", "--scale", "-1", "-q", "-o"]
        self.run(*arguments, "l.json", code=1, name="fit with an outlier")
        self.check("`sablier fit` reads the marks", load(self.path("l.json"))["fits"][0] == fit)
        done = self.run(*arguments, "all.json", "--all", code=1)
        every = load(self.path("all.json"))["fits"][0]
        self.check("--all", every["points"] == 8 and every["left_out_points"][0]["reason"] == "no y" and
                   any("do not follow the law" in n for n in every["notes"]) and
                   "do not follow the law" in done.stderr, every)
        figure = subprocess.run(["/usr/bin/python3", os.path.join(ROOT, "postproc/beverloo.py"), "out/l"],
                                cwd=self.root, capture_output=True, text=True, check=False)
        self.check("beverloo.py leaves out what would hide the others", figure.returncode == 0 and
                   re.findall(r"y = (\S+)", figure.stdout) == ["8e+40", "4e+22"] and "6 points" in
                   figure.stdout, figure.stdout + figure.stderr)
        for value in values:
            self.doctor(f"out/l/points/bingham={value}", code=1, status="unstable")
        done = self.run("study", "l", "--resume", "-q", code=1, name="all are left out")
        self.check("no fit", "9 of 9 points left out" in done.stderr and "and 3 more" in done.stderr and
                   "no fit: a law needs two different x" in done.stderr and "failure" in load(
                       self.path("out/l/fit.json"))["fits"][0], done.stderr)

    def test_warnings(self):
        """Those of a run are in its summary, and a study shows them once."""
        write(self.path("u/study.yaml"), "base: ../c\nset: {mesh: {split: none, parameters: {h: 0.5}}}\n"
              "vary: {material.bingham: [0.5, 1, 2, 4, 8]}\n")
        done = self.run("study", "u", "-q")
        table = rows(self.path("out/u/results.csv"))
        for r in table:
            point = f"out/u/points/{r['point']}"
            listed = load(self.path(f"{point}/summary.json"))["warnings"]
            with open(self.path(f"{point}/log.txt")) as stream:
                self.check(f"{point}: the summary has what was printed", stream.read() == "".join(
                    f"warning: {w}\n" for w in listed) and len(listed) == int(r["warnings"]) > 0, listed)
        self.check("each sentence once", done.stderr.count("plain P2/P1 pair") == 1 and
                   "5 points (bingham=0.5; bingham=1; bingham=2; and 2 more): mesh.split" in done.stderr,
                   done.stderr)
        self.check("in study.json", load(self.path("out/u/study.json"))["warned"] == 5)
        self.run("run", "c", "-o", "missed", "-q", "--set", "solver.max_iterations=1", code=1)
        listed = load(self.path("missed/summary.json"))["warnings"]
        self.check("a missed tolerance too", len(listed) == 1 and "not converged" in listed[0], listed)

    def test_continue_from_good(self):
        """No point starts from one that blew up."""
        write(self.path("o/study.yaml"), "base: ../c\nset: {mesh.parameters.h: 0.5}\n"
              "continue: material.bingham\nvary: {material.bingham: [0.5, 0.55, 0.6]}\n")
        self.run("study", "o", "-q")
        self.doctor("out/o/points/bingham=0.55", code=1, status="unstable")
        done = self.run("study", "o", "--resume", "-v", code=1)
        self.check("it starts from the last good one", re.search(
            r"points/bingham=0.6 .*initial.from=\S+points/bingham=0.5/checkpoint", done.stdout), done.stdout)

    # ---- existing results -----------------------------------------------------------------------

    def test_existing(self):
        before = snapshot(self.path("out/s"))
        done = self.run("study", "s", code=2)
        self.check("it says how to go on", "--resume" in done.stderr and "--force" in done.stderr)
        self.check("nothing was touched", snapshot(self.path("out/s")) == before)
        done = self.run("study", "s", "-o", "alone", "--force", code=2, name="directory of a run")
        self.check("the result of a run is not replaced", "result of a run" in done.stderr)
        before = self.times("out/s")
        self.run("study", "s", "--force", "-q")
        self.check("--force runs all again", len(self.redone("out/s", before)) == 6)

    def test_resume(self):
        before = self.times("out/s")
        done = self.run("study", "s", "--resume")
        self.check("resume: nothing to do", not self.redone("out/s", before) and
                   "0 of them new" in done.stdout, done.stdout)
        old = rows(self.path("out/s/results.csv"))
        shutil.rmtree(self.path("out/s/points/bingham=0.5,h=0.5"))
        os.remove(self.path("out/s/points/bingham=1,h=0.5/summary.json"))
        self.run("study", "s", "--resume", "-q")
        self.check("resume: what is missing", self.redone("out/s", before) == [
            "bingham=0.5,h=0.5", "bingham=1,h=0.5"], self.redone("out/s", before))
        new = rows(self.path("out/s/results.csv"))
        self.check("resume: the same table", [{k: v for k, v in r.items() if k[:4] != "cpu."}
                                              for r in old] ==
                   [{k: v for k, v in r.items() if k[:4] != "cpu."} for r in new])
        before = self.times("out/s")
        write(self.path("s/study.yaml"), STUDY.replace("[0.25, 0.5, 1]", "[0.25, 2, 1]"))
        self.run("study", "s", "--resume", "-q")
        self.check("resume: another value", self.redone("out/s", before) == [
            "bingham=2,h=0.25", "bingham=2,h=0.5"] and "2" == rows(
                self.path("out/s/results.csv"))[2]["material.bingham"], self.redone("out/s", before))
        before = self.times("out/s")
        write(self.path("s/study.yaml"), STUDY + "set: {solver: {tolerance: 1e-4}}\n")
        self.run("study", "s", "--resume", "-q")
        self.check("resume: a key that all share", len(self.redone("out/s", before)) == 6)
        with open(os.path.join(MESHES, "cavity.geo")) as stream:
            geo = stream.read()
        write(self.path("m/my.geo"), geo)
        write(self.path("m/case.yaml"), CAVITY.replace(f"{MESHES}/cavity.geo", "my.geo"))
        write(self.path("m/study.yaml"), "base: .\nvary: {mesh.parameters.h: [0.5, 1]}\n")
        self.run("study", "m", "-q")
        before = self.times("out/m")
        write(self.path("m/my.geo"), geo + "// changed\n")
        self.run("study", "m", "--resume", "-q")
        self.check("resume: another mesh", len(self.redone("out/m", before)) == 2)

    # ---- signals --------------------------------------------------------------------------------

    def children(self, directory):
        """Processes that work below a directory."""
        found = []
        for pid in filter(str.isdigit, os.listdir("/proc")):
            try:
                with open(f"/proc/{pid}/cmdline", "rb") as stream:
                    words = stream.read().split(b"\0")
                with open(f"/proc/{pid}/stat") as stream:
                    alive = stream.read().rsplit(")", 1)[1].split()[0] != "Z"
            except OSError:
                continue
            if alive and any(self.path(directory).encode() in w for w in words):
                found.append(int(pid))
        return found

    def begin(self, directory, *args):
        """Start a study; returns when two of its points run."""
        process = subprocess.Popen([self.program.path, "study", *args, "-o", directory], cwd=self.root,
                                   env=self.program.env, stdin=subprocess.DEVNULL,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        end = time.monotonic() + 900
        while len(self.children(directory)) < 2 and time.monotonic() < end:
            time.sleep(0.02)
        return process

    def test_signals(self):
        """Stopped in the middle of time steps, and resumed: as if it had not been."""
        write(self.path("t/study.yaml"), "base: ../i\nvary: {material.bingham: [0.25, 0.5, 1, 2]}\n"
              "jobs: 2\n")
        process = self.begin("stopped", "t")
        checkpoint = self.path("stopped/points/bingham=0.25/checkpoint.sab")
        end = time.monotonic() + 900
        while not os.path.exists(checkpoint) and time.monotonic() < end:
            time.sleep(0.01)
        done = self.run("study", "t", "-o", "stopped", "--resume", code=2, name="two studies at once")
        self.check("the second one is refused", "another study is at work" in done.stderr, done.stderr)
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=900)
        self.check("SIGINT: exit code 75", process.returncode == 75, f"{process.returncode} {errors}")
        self.check("SIGINT: it says how to go on", "--resume" in errors, errors)
        self.check("SIGINT: no process is left", not self.children("stopped"))
        table = [r["status"] for r in rows(self.path("stopped/results.csv"))]
        self.check("SIGINT: the table shows it", len(table) == 4 and "interrupted" in table and
                   set(table) <= {"interrupted", "pending", "finished"}, table)
        self.run("study", "t", "-o", "stopped", "--resume", "-q")
        self.run("study", "t", "-o", "whole", "-q")
        a, b = rows(self.path("stopped/results.csv")), rows(self.path("whole/results.csv"))
        for x, y in zip(a, b):
            self.check(f"resumed: {x['point']}", x["status"] == "finished" and x["steps"] == "80" and
                       all(close(float(x[k]), float(y[k]), 1e-9) for k in (
                           "probes.energy", "probes.drag_x", "deviations.energy")), f"{x}\n{y}")
        self.check("deviations are there", float(a[0]["deviations.energy"]) > 0 and a[0]["missed"] == "0")

    def test_killed(self):
        """SIGKILL: the children notice, and another --resume does the rest."""
        write(self.path("k/study.yaml"), "base: ../c\nset: {mesh.parameters.h: 0.02, solver.tolerance: "
              "1e-6}\nvary: {material.bingham: [0.25, 0.5, 1]}\n")
        process = self.begin("killed", "k", "-j", "2")
        process.kill()
        process.communicate(timeout=900)
        end = time.monotonic() + 900
        while self.children("killed") and time.monotonic() < end:
            time.sleep(0.05)
        self.check("SIGKILL: its children end", not self.children("killed"))
        statuses = [r["status"] for r in rows(self.path("killed/results.csv"))]
        self.check("SIGKILL: a table is there", statuses == ["pending"] * 3, statuses)
        write(self.path("k/study.yaml"), "base: ../c\nset: {mesh.parameters.h: 0.5}\n"
              "vary: {material.bingham: [0.25, 0.5, 1]}\n")  # quicker
        self.run("study", "k", "-o", "killed", "--resume", "-q")
        statuses = [r["status"] for r in rows(self.path("killed/results.csv"))]
        self.check("SIGKILL: resumed", statuses == ["converged"] * 3, statuses)

    def test_terminal(self):
        write(self.path("s/study.yaml"), STUDY)
        master, slave = pty.openpty()
        process = subprocess.Popen([self.program.path, "study", "s", "--force", "-o", "term"],
                                   cwd=self.root, stdin=slave, stdout=slave, stderr=slave,
                                   env=self.program.env)
        os.close(slave)
        output, end = b"", time.monotonic() + 900
        while time.monotonic() < end:
            if select.select([master], [], [], 1)[0]:
                try:
                    part = os.read(master, 65536)
                except OSError:
                    break
                output += part
        os.close(master)
        self.check("terminal: exit code", process.wait(timeout=900) == 0)
        self.check("terminal: a progress line", re.search(
            rb"\r\x1b\[K\S*\d of 6 points done, 0 failed, 1 running, about .* left", output), output)

    # ---- continuation and brackets --------------------------------------------------------------

    def test_continue(self):
        write(self.path("n/study.yaml"), "base: ../c\ncontinue: material.bingham\n"
              "set: {solver.method: apgd, solver.tolerance: 1e-4}\n"
              "vary: {material.bingham: [0.5, 0.55, 0.6], mesh.parameters.h: [0.25, 0.5]}\n")
        done = self.run("study", "n", "-v", "-j", "2")
        table = rows(self.path("out/n/results.csv"))
        self.check("continue: the order of the table", [r["point"] for r in table] == [
            f"bingham={b},h={h}" for b in ("0.5", "0.55", "0.6") for h in ("0.25", "0.5")], table)
        for old, new in (("0.5", "0.55"), ("0.55", "0.6")):
            self.check(f"continue: {new} from {old}", re.search(
                rf"points/bingham={new},h=0.5 .*initial.from=\"{re.escape(self.path('out/n/points'))}/"
                rf"bingham={old},h=0.5/checkpoint.sab\"", done.stdout), done.stdout)
        self.run("run", "c", "-q", "-o", "cold", "--set", "solver.method=apgd", "--set",
                 "solver.tolerance=1e-4", "--set", "material.bingham=0.6")
        cold = load(self.path("cold/summary.json"))
        warm = table[4]
        self.check("continue: the same flow", close(float(warm["probes.drag_x"]),
                                                    cold["probes"]["drag"][0], 1e-3))
        self.check("continue: with less work", int(warm["solver.solves"]) < cold["solver"]["solves"],
                   f"{warm['solver.solves']} {cold['solver']['solves']}")
        before = self.times("out/n")
        write(self.path("n/study.yaml"), "base: ../c\ncontinue: material.bingham\n"
              "set: {solver.method: apgd, solver.tolerance: 1e-4}\n"
              "vary: {material.bingham: [0.45, 0.55, 0.6], mesh.parameters.h: [0.25, 0.5]}\n")
        self.run("study", "n", "--resume", "-q")
        self.check("continue: what follows a changed point is run again",
                   len(self.redone("out/n", before)) == 6, self.redone("out/n", before))

    def test_continue_mesh(self):
        """From a coarse mesh to a finer one: the state is interpolated."""
        write(self.path("nm/study.yaml"), "base: ../c\ncontinue: mesh.parameters.h\n"
              "set: {solver.method: apgd, solver.tolerance: 1e-4}\nvary: {mesh.parameters.h: [0.5, 0.4]}\n")
        done = self.run("study", "nm", "-v")
        self.check("continue over meshes: from the coarse one", re.search(
            r"points/h=0.4 .*initial.from=\S*/h=0.5/checkpoint.sab", done.stdout), done.stdout)
        fine = load(self.path("out/nm/points/h=0.4/summary.json"))
        self.run("run", "c", "-q", "-o", "cold-mesh", "--set", "solver.method=apgd", "--set", "solver.tolerance=1e-4",
                 "--set", "mesh.parameters.h=0.4")
        cold = load(self.path("cold-mesh/summary.json"))
        self.check("continue over meshes: interpolated", fine["initial"]["places"] > 0 and
                   fine["initial"]["outside"] < 0.01, fine.get("initial"))
        self.check("continue over meshes: the same flow", close(fine["probes"]["drag"][0], cold["probes"]["drag"][0], 1e-3))
        self.check("continue over meshes: with less work", fine["solver"]["solves"] < cold["solver"]["solves"],
                   (fine["solver"]["solves"], cold["solver"]["solves"]))

    def test_bracket(self):
        """Bingham flow between plates stops at Bi = 1. On a mesh it stops earlier, by a part of the
        size of a cell; the threshold does not depend on the viscosity."""
        base = os.path.join(ROOT, "cases/poiseuille")
        text = (f"base: {base}\n"
                "set: {mesh.parameters: {structured: 1, L: 1}, solver.tolerance: 1e-6}\n"
                "vary: {mesh.parameters.n: [4, 8], material.reynolds: [1, 5]}\n"
                "bracket: {key: material.bingham, between: [0.7, 1.1], probe: probes.flux, "
                "below: 1e-6, width: 0.01}\n")
        write(self.path("b/study.yaml"), text)
        done = self.run("study", "b", "-j", "2")
        table = rows(self.path("out/b/brackets.csv"))
        self.check("bracket: one per combination", [(r["mesh.parameters.n"], r["material.reynolds"])
                   for r in table] == [("4", "1"), ("4", "5"), ("8", "1"), ("8", "5")], table)
        self.check("bracket: found", all(r["status"] == "bracketed" and r["missed"] == "0"
                                         for r in table), table)
        ends = [(float(r["flowing"]), float(r["arrested"])) for r in table]
        self.check("bracket: its width", all(0 < b - a <= 0.01 for a, b in ends), ends)
        self.check("bracket: not of the viscosity", ends[0] == ends[1] and ends[2] == ends[3], ends)
        short = [1 - (a + b) / 2 for a, b in ends]
        self.check("bracket: to 1 with the size of the cells", 0 < short[2] < short[0] < 0.25 and
                   1.6 < short[0] / short[2] < 2.4, short)
        results = rows(self.path("out/b/results.csv"))
        for r in results:
            low, high = next(e for e, t in zip(ends, table) if all(t[k] == r[k] for k in (
                "mesh.parameters.n", "material.reynolds")))
            value, flux = float(r["material.bingham"]), abs(float(r["probes.flux"]))
            if not self.check(f"bracket: {r['point']}", flux > 1e-6 if value <= low else
                              value >= high and flux < 1e-6, f"{flux} {low} {high}"):
                break
        self.check("bracket: a directory per point", len(results) == len(os.listdir(
            self.path("out/b/points"))) == sum(int(r["points"]) for r in table))
        self.check("bracket: on the terminal", done.stdout.count("bracket        n=") == 4, done.stdout)
        before = self.times("out/b")
        self.run("study", "b", "--resume", "-q")
        self.check("bracket: nothing to resume", not self.redone("out/b", before))
        near = min((r for r in results if r["mesh.parameters.n"] == "4" and r["material.reynolds"] == "1"
                    and float(r["material.bingham"]) <= ends[0][0]),
                   key=lambda r: ends[0][0] - float(r["material.bingham"]))
        self.doctor(f"out/b/points/{near['point']}", code=1, status="not_converged")
        done = self.run("study", "b", "--resume", "-q", code=1, name="an end that missed")
        row = rows(self.path("out/b/brackets.csv"))[0]
        self.check("bracket: what missed is no end of it", row["status"] == "not certified" and
                   row["threshold"] == "" and float(row["flowing"]) < ends[0][0] and
                   float(row["arrested"]) == ends[0][1] and row["missed"] == "1" and
                   "next to the threshold missed" in done.stderr, f"{row} {done.stderr}")
        write(self.path("b/study.yaml"), text.replace("0.01}", "0.1}").replace(
            "[4, 8]", "[4]").replace("[1, 5]", "[1]") + "continue: material.bingham\n")
        self.run("study", "b", "-q", "-o", "bc")
        row = rows(self.path("bc/brackets.csv"))[0]
        self.check("bracket: continued, the same place", float(row["flowing"]) <= ends[0][0] and
                   float(row["arrested"]) >= ends[0][1], row)
        write(self.path("b/study.yaml"), text.replace("1.1]", "0.75]").replace("[4, 8]", "[4]"))
        done = self.run("study", "b", "-q", "-o", "bn", code=1, name="no threshold")
        self.check("bracket: no threshold there", done.stderr.count("flows at both ends") == 2 and
                   len(rows(self.path("bn/results.csv"))) == 4, done.stderr)

    # ---- fits -----------------------------------------------------------------------------------

    def test_fit(self):
        random.seed(5)
        grain, x = 0.0893, [0.5, 0.75, 1, 1.5, 2, 3]
        lines = ["mu,D,probes.Q,dev"]
        data = {}
        for mu in ("0.3", "0.5"):
            y = [(0.9 - float(mu)) * (d - 1.3 * grain) ** 1.5 * random.gauss(1, 0.03) for d in x]
            s = [random.uniform(0.001, 0.05) for _ in x]
            data[mu] = (y, s)
            lines += [f"{mu},{d},{q!r},{e!r}" for d, q, e in zip(x, y, s)]
        lines += ["0.3,4,,1", "0.5,4,0,1"]
        write(self.path("noisy.csv"), "\n".join(lines) + "\n")
        for weighted in (False, True):
            extra = ["--sigma", "dev"] if weighted else []
            done = self.run("fit", "noisy.csv", "--x", "D", "--y", "probes.Q", "--grain", str(grain),
                            "--scale", "2", "--group", "mu", "-o", "fit.json", *extra)
            result = load(self.path("fit.json"))
            self.check("fit: rows without flow are left out, and it says so",
                       "fit of mu = 0.3: 1 of 7 points left out: D = 4 (no y)" in done.stderr and
                       "fit of mu = 0.5: 1 of 7 points left out: D = 4 (y = 0)" in done.stderr and
                       [f["left_out"] for f in result["fits"]] == [1, 1], done.stderr)
            for fit in result["fits"]:
                y, s = data[str(fit["group"]["mu"])]
                y, s = [2 * v for v in y], floored(x, s) if weighted else [1.0] * len(x)
                c, dc, k, dk = beverloo(x, y, s, grain)
                for name, value, half in (("C", c, dc), ("k", k, dk)):
                    e = fit[name]
                    self.check(f"fit: {name}, weighted {weighted}", close(e["value"], value, 1e-5) and
                               abs((e["high"] - e["low"]) / 2 / half - 1) < 1e-3 and
                               close(e["high"] + e["low"], 2 * e["value"], 1e-12), f"{e} {value} {half}")
                if not weighted:
                    for name, shift in (("exponent", 0), ("exponent_reduced", k * grain)):
                        slope, half = line([math.log(d - shift) for d in x], [math.log(q) for q in y])
                        e = fit[name]
                        self.check(f"fit: {name}", close(e["value"], slope, 1e-5) and abs(
                            (e["high"] - e["low"]) / 2 / half - 1) < 1e-3, f"{e} {slope} {half}")
                points = [r for r in rows(self.path("fit_points.csv"))
                          if float(r["mu"]) == fit["group"]["mu"]]
                rms = math.sqrt(sum(float(r["residual"]) ** 2 for r in points) / len(points))
                self.check("fit: residuals", len(points) == 6 and close(rms, fit["rms_relative"], 1e-12)
                           and all(close(float(r["fitted"]), fit["C"]["value"] * (
                               float(r["x"]) - fit["k"]["value"] * grain) ** 1.5, 1e-12)
                               for r in points), points)
        write(self.path("power.csv"), "h,e\n" + "".join(f"{h},{3 * h ** 2.5!r}\n" for h in x))
        self.run("fit", "power.csv", "--x", "h", "--y", "e", "--law", "power", "-o", "p.json", "-q")
        fit = load(self.path("p.json"))["fits"][0]
        self.check("fit: power", close(fit["exponent"]["value"], 2.5, 1e-10) and
                   close(fit["a"]["value"], 3, 1e-10) and "k" not in fit, fit)
        write(self.path("exact.csv"), "D,Q\n" + "".join(
            f"{d},{1.37 * (d - 1.4 * grain) ** 1.5!r}\n" for d in x))
        done = self.run("fit", "exact.csv", "--x", "D", "--y", "Q", "--grain", str(grain))
        self.check("fit: printed", re.search(r"^  C +1\.37 \[", done.stdout, re.M) and
                   re.search(r"^  k +1\.4 \[", done.stdout, re.M), done.stdout)

        write(self.path("round.csv"), "geometry,D,Q\n" + "".join(
            f"axisymmetric,{d},{0.6 * (d - 1.4 * grain) ** 2.5!r}\n" for d in x))
        done = self.run("fit", "round.csv", "--x", "D", "--y", "Q", "--grain", str(grain), "-o", "r.json")
        fit = load(self.path("r.json"))
        self.check("fit: 5/2 of the geometry", "^2.5, grain = 0.0893, exponent of the geometry" in done.stdout and
                   close(fit["fits"][0]["C"]["value"], 0.6, 1e-9) and fit["fits"][0]["exponent_law"] == 2.5 and
                   fit["formula"] == "y = C (x - k grain)^2.5", done.stdout)
        done = self.run("fit", "exact.csv", "--x", "D", "--y", "Q", "--grain", str(grain), "--dimension", "3")
        self.check("fit: --dimension 3", "^2.5, grain = 0.0893, exponent of the dimension given" in done.stdout,
                   done.stdout)

    def test_free_fit(self):
        """Laws that are formulas: recovered, with intervals, or refused."""
        x = [0.25 * i - 1 for i in range(12)]
        write(self.path("free.csv"), "x,y,flat\n" + "".join(
            f"{v!r},{-1.7 * (v + 1.3) ** 1.6 + 0.4!r},{(-1) ** i}\n" for i, v in enumerate(x)))
        columns = ["fit", "free.csv", "--x", "x", "--y"]
        self.run(*columns, "y", "--law", "C*(x-k)^n + b", "--start", "k=-2,C=-1", "-o", "free.json", "-q")
        result = load(self.path("free.json"))
        found = result["fits"][0]["parameters"]
        self.check("fit: a formula, of numbers with any sign", result["law"] == "formula" and
                   list(found) == ["C", "k", "n", "b"] and all(close(found[n]["value"], v, 1e-8) for n, v in
                   (("C", -1.7), ("k", -1.3), ("n", 1.6), ("b", 0.4))) and result["fits"][0]["points"] == 12, result)
        named = ["fit", "noisy.csv", "--x", "D", "--y", "probes.Q", "--group", "mu", "--sigma", "dev", "-q", "-o"]
        random.seed(5)
        write(self.path("noisy.csv"), "mu,D,probes.Q,dev\n" + "".join(
            f"{mu},{d},{(0.9 - mu) * (d - 0.1) ** 1.5 * random.gauss(1, 0.03)!r},{random.uniform(0.001, 0.05)!r}\n"
            for mu in (0.3, 0.5) for d in (0.5, 0.75, 1, 1.5, 2, 2.5, 3)))
        self.run(*named, "named.json")
        for name in ("a.json", "b.json"):
            self.run(*named, name, "--law", "C*(x-k)^1.5", "--bootstrap", "200")
        self.check("fit: the same samples again", load(self.path("a.json")) == load(self.path("b.json")))
        for one, two in zip(load(self.path("named.json"))["fits"], load(self.path("a.json"))["fits"]):
            for name in ("C", "k"):
                e, f = one[name], two["parameters"][name]
                self.check(f"fit: {name} of Beverloo's law as a formula", all(close(f[k], e[k], 1e-8) for k in e) and
                           f["bootstrap_low"] < f["value"] < f["bootstrap_high"] and
                           0.4 < (f["bootstrap_high"] - f["bootstrap_low"]) / (f["high"] - f["low"]) < 1.3, f"{e} {f}")
        for column, law, code, sentence in (
                ("y", ["a*b*x"], 1, "a, b are not determined by these points"),
                ("flat", ["a+b*x"], 1, "do not follow the law"),
                ("y", ["-a^2*(x+1.1)"], 1, "other parameters fit as well: a = -"),
                ("y", ["-a^2*(x+1.1)", "--start", "a=0.1"], 0, ""),
                ("y", ["C*x^sin"], 3, "the function 'sin' needs its argument"),
                ("y", ["C*x+y"], 3, "y is what the law gives"), ("y", ["2*x"], 3, "no parameter"),
                ("y", ["C*x", "--start", "c=1"], 2, "'c' is no parameter"),
                ("y", ["C*x", "--start", "C"], 2, "is not NAME=VALUE"),
                ("y", ["C*x", "--start", "C=1,C=2"], 2, "given twice"),
                ("y", ["C*x", "--bootstrap", "5"], 2, "not between 100"),
                ("y", ["power", "--start", "a=1"], 2, "--start belongs to a --law that is a formula"),
                ("y", ["C*x", "--grain", "1"], 2, "--grain belongs to --law beverloo")):
            done = self.run(*columns, column, "--law", *law, code=code, name=f"fit: {law}")
            self.check(f"fit: {law}: {sentence}", sentence in done.stderr, done.stderr)
        write(self.path("few.csv"), "x,y\n1,2\n2,3\n3,5\n")
        done = self.run("fit", "few.csv", "--x", "x", "--y", "y", "--law", "C*(x-k)^n", code=1, name="few")
        self.check("fit: too few points", "3 parameters need 4 points at least, and there are 3" in done.stderr,
                   done.stderr)

    def test_study_fit(self):
        """fit of a study is `sablier fit` of its table, with the deviations as weights."""
        write(self.path("v/study.yaml"), "base: ../i\nset: {time.end: 0.2}\n"
              "vary: {material.bulk: [1, 0.5], material.reynolds: [5, 10, 20, 40]}\n"
              "fit: {law: power, x: material.reynolds, y: probes.drag_x, scale: -1}\n")
        done = self.run("study", "v")
        fit = load(self.path("out/v/fit.json"))
        self.check("study: one fit per group", [f["group"]["material.bulk"] for f in fit["fits"]] ==
                   [1, 0.5] and all(f["weighted"] and f["points"] == 4 for f in fit["fits"]), fit)
        self.check("study: the fit is printed", done.stdout.count("  exponent ") == 2, done.stdout)
        self.run("fit", "out/v/results.csv", "--x", "material.reynolds", "--y", "probes.drag_x", "--law",
                 "power", "--scale", "-1", "--sigma", "deviations.drag_x", "--group", "material.bulk",
                 "-o", "again.json", "-q")
        again = load(self.path("again.json"))
        self.check("study: its fit is that of `sablier fit`", again["fits"] == fit["fits"])
        write(self.path("w/study.yaml"), "base: ../c\nset: {exact.velocity: [y, 0], mesh.parameters.h: "
              "0.5}\nvary: {material.reynolds: [1, 2, 3]}\n"
              "fit: {law: beverloo, grain: 1, x: material.reynolds, y: errors.L2}\n")
        done = self.run("study", "w", "-q", code=1, name="a law that does not fit")
        write(self.path("g/study.yaml"), "base: ../c\nset: {mesh.parameters.h: 0.5}\n"
              "vary: {material.bingham: [0.5, 1, 2, 4], material.bulk: [1, 0.5]}\n"
              "fit: {law: beverloo, grain: 0.1, x: material.bingham, y: probes.drag_x, scale: -1}\n")
        done = self.run("study", "g")
        self.check("study: a negative k is pointed out", done.stdout.count("(negative: no empty annulus)")
                   == 2, done.stdout)
        for directory in ("out/g", "out/v"):
            done = subprocess.run(["/usr/bin/python3", os.path.join(ROOT, "postproc/beverloo.py"),
                                   directory], cwd=self.root, capture_output=True, text=True, check=False)
            picture = self.path(f"{directory}/beverloo.png")
            self.check(f"beverloo.py {directory}", done.returncode == 0 and os.path.getsize(picture) >
                       4000 and done.stdout.count("4 points") == 2, done.stdout + done.stderr)
        done = subprocess.run(["/usr/bin/python3", os.path.join(ROOT, "postproc/beverloo.py"), "z"],
                              cwd=self.root, capture_output=True, text=True, check=False)
        self.check("beverloo.py without a study", done.returncode == 1 and "holds no study" in
                   done.stderr and done.stderr.count("\n") == 1, done.stderr)
        self.check("study: errors are columns", "errors.L2" in rows(self.path("out/w/results.csv"))[0])

    # ---- complaints -----------------------------------------------------------------------------

    def test_bad_studies(self):
        good = "base: ../c\nvary: {material.bingham: [0.5, 1]}\n"
        for text, expect in [
                ("base: ../c\nvary: {§material.binghm: [1]}\n", "unknown key; did you mean 'bingham'?"),
                ("base: ../c\nvary: {material.bingham: [1, §-1]}\n", "material.bingham: "),
                ("base: ../c\nvary: {material.bingham: [1, §one]}\n", "material.bingham: "),
                ("base: ../c\nvary: {solver.method: [apgd, §apgg]}\n", "did you mean 'apgd'?"),
                ("base: ../c\nvary: {material.bingham: §0.5}\n", "expected a list"),
                ("base: ../c\nvary: {material.bingham: [1, §[2]]}\n", "expected number or formula, found a list"),
                ("base: ../c\nvary: {material.bingham: [1, §1.0]}\n", "1.0 is listed twice"),
                ("base: ../c\nvary: {material.bingham.x: [§1, 2]}\n", "material.bingham"),
                ("base: ../c\n§vari: {material.bingham: [1]}\n", "did you mean 'vary'?"),
                ("base: §../d\nvary: {material.bingham: [1]}\n", "there is no case 's0/../d'"),
                ("§title: no base\n", "base: missing"),
                ("§base: ../c\n", "nothing varies"),
                ("base: ../c\nzip: {material.bingham: [1, 2], material.bulk: §[1]}\n",
                 "lists that are zipped have one length"),
                (good + "set: {§material.bingham: 1}\n".replace("§material.bingham: ",
                                                                "material.bingham: §"),
                 "varies in this study"),
                (good + "set: {material: {§frction: 1}}\n", "did you mean 'friction'?"),
                (good + "jobs: §two\n", "expected a whole number"),
                (good + "fit: {law: power, x: §material.bulk, y: probes.leak}\n", "does not vary"),
                (good + "fit: {law: power, x: material.bingham, y: §probes.leek}\n",
                 "did you mean 'leak'?"),
                (good + "fit: {law: power, x: material.bingham, y: §probes.drag}\n", "probes.drag_x"),
                (good + "fit: {law: power, x: material.bingham, y: §probes.profile}\n", "a profile"),
                (good + "fit: {law: §line, x: material.bingham, y: probes.leak}\n", "none of beverloo"),
                (good + "continue: §material.bulk\n", "does not vary"),
                (good + "bracket: {key: §material.bingham, between: [1, 2], probe: probes.leak, "
                 "below: 1, width: 0.1}\n", "varies already"),
                (good + "bracket: {key: §material.blk, between: [0.1, 1], probe: probes.leak, "
                 "below: 1, width: 0.1}\n", "did you mean 'bulk'?"),
                (good + "bracket: {key: material.bulk, between: [0.1, 1], probe: §probes.lek, "
                 "below: 1, width: 0.1}\n", "did you mean 'leak'?"),
                (good + "base: ../c\n".replace("base", "§base"), "given twice"),
                ("base: ../c\nvary: {mesh.file: [a.geo, b.geo]}\n", "cannot open"),
                ("base: ../c\nvary: {material.bingham: [1, §~]}\n", "no number, no text and no list"),
                ("base: §../c\nvary: {base: [../c, ../i]}\n", "base: varies in this study"),
                ("vary: {base: [../c, §../d]}\n", "there is no case 's0/../d'"),
                ("vary: {base: [../c, §~]}\n", "base: expected a case"),
                ("zip: {base: [../i, ../c], material.bingham: [1, 2]}\nfit: {law: power, x: material.bingham, "
                 "y: §probes.energy}\n", "fit.y: s0/../c has no probe 'energy'"),
                ("zip: {base: [../i, ../c], time.end: [2, §2]}\n", "time.end: only has a meaning")]:
            plain, place = marked(text)
            write(self.path("s0/study.yaml"), plain)
            done = self.run("study", "s0", "-o", "bad", code=3, name=text)
            self.check(f"{text}: message", expect in done.stderr, done.stderr)
            if place:
                self.check(f"{text}: place", done.stderr.startswith(f"s0/study.yaml:{place}: "),
                           f"{done.stderr} {place}")
            self.check(f"{text}: writes nothing", os.listdir(self.path("s0")) == ["study.yaml"] and
                       not os.path.exists(self.path("bad")))
        write(self.path("s0/study.yaml"), good)
        for args, code, expect in [
                (["study"], 2, "usage"), (["study", "nowhere"], 3, "cannot open"),
                (["study", "c"], 3, "study.yaml: there is no such file in the directory"),
                (["study", "s0", "-j", "0"], 2, "--jobs"), (["study", "s0", "-j", "x"], 2, "--jobs"),
                (["study", "s0", "-o", "/dev/null/x"], 4, "/dev/null"),
                (["fit", "noisy.csv"], 2, "--x KEY"),
                (["fit", "none.csv", "--x", "D", "--y", "Q"], 3, "none.csv: cannot open"),
                (["fit", "noisy.csv", "--x", "d", "--y", "Q"], 3, "noisy.csv:1: x: there is no column "
                 "'d'; did you mean 'D'?"),
                (["fit", "noisy.csv", "--x", "D", "--y", "Q"], 3, "did you mean"),
                (["fit", "noisy.csv", "--x", "D", "--y", "dev", "--law", "cubic"], 2, "beverloo, power"),
                (["fit", "noisy.csv", "--x", "D", "--y", "dev", "--dimension", "1"], 2, "neither 2 (slot"),
                (["fit", "noisy.csv", "--x", "D", "--y", "dev", "--law", "power", "--dimension", "2"], 2,
                 "--dimension belongs to --law beverloo"),
                (["fit", "noisy.csv", "--x", "D", "--y", "dev", "--grain", "0"], 2, "--grain"),
                (["fit", "noisy.csv", "--x", "D", "--y", "dev", "--scale", "0"], 2, "--scale"),
                (["fit", "noisy.csv", "--x", "D", "--y", "dev", "--law", "power", "--grain", "1"], 2,
                 "belongs to"),
                (["fit", "noisy.csv", "--x", "D", "--y", "dev", "-o", "fit.txt"], 2, ".json"),
                (["fit", "words.csv", "--x", "a", "--y", "b"], 3, "words.csv:3: b: 'x' is not a number"),
                (["fit", "ragged.csv", "--x", "a", "--y", "b"], 3, "ragged.csv:2: 1 cells"),
                (["fit", "short.csv", "--x", "a", "--y", "b"], 1, "two different x"),
                (["fit", "head.csv", "--x", "a", "--y", "b"], 3, "head.csv:1: there is no row")]:
            write(self.path("words.csv"), "a,b\n1,2\n2,x\n")
            write(self.path("ragged.csv"), "a,b\n1\n")
            write(self.path("short.csv"), "a,b\n1,2\n")
            write(self.path("head.csv"), "a,b\n")
            done = self.run(*args, code=code)
            self.check(f"{' '.join(args)}: message", expect in done.stderr, done.stderr)

    def test_help(self):
        for command in ("study", "fit"):
            done = self.run(command, "--help")
            self.check(f"{command} --help", "usage:" in done.stdout and done.stderr == "")


def main():
    suite = Suite()
    with tempfile.TemporaryDirectory(prefix="sablier-study-") as root:
        studies = Studies(Program(sys.argv[1]), suite, os.path.realpath(root))
        for name in [n for n in vars(Studies) if n.startswith("test_")]:  # in the order above
            if len(sys.argv) < 3 or name in sys.argv[2:]:
                start = time.monotonic()
                getattr(studies, name)()
                print(f"{name}: {time.monotonic() - start:.1f} s", flush=True)
        suite.check("no half-written file anywhere", not leftovers(root), leftovers(root))
    return suite.end()


if __name__ == "__main__":
    sys.exit(main())
