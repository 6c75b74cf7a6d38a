#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Answers that were wrong without a word: huge numbers, closed streams, files that share a result,
meshes that are split already, friction without an angle, numbers that YAML takes for texts.

    test_pitfalls.py SABLIER

Last line: N passed, N failed.
"""
import csv
import json
import os
import re
import subprocess
import sys
import tempfile

from harness import MESHES, Program, Suite, snapshot, write

try:
    import yaml
except ImportError:  # the grammar below is that of its resolver
    yaml = None

# A film that starts to flow, coarse: three steps in 0.1 s.
FILM = f"""\
mesh:
  file: {MESHES}/film.geo
  parameters: {{n: 3}}
material: {{friction: 0.3, reynolds: inf}}
gravity: [0.5, -0.8]
boundaries:
  left: {{velocity: [free, 0]}}
  right: {{velocity: [free, 0]}}
  top: {{traction: 0}}
  bottom: {{velocity: [0, 0]}}
time: {{scheme: inertial, step: 0.1, end: 0.3, window: 0.2}}
output: {{checkpoint: 1e5}}
probes:
  outflow: {{flux: right}}
  energy: {{integral: kinetic_energy}}
"""
# What YAML 1.1 takes for numbers; a plain text that looks like one to YAML 1.2 must be one of these.
INTEGER = re.compile(r"[-+]?(0|[1-9][0-9]*)")
FLOAT = re.compile(r"[-+]?[0-9]+\.[0-9]*([eE][-+][0-9]+)?|\.[0-9]+([eE][-+][0-9]+)?|[-+]?\.inf")
NUMBER = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?|[-+]?\.?inf", re.I)


def load(path):
    with open(path, encoding="utf-8") as stream:
        return json.load(stream)


def rows(path):
    with open(path, newline="") as stream:
        return list(csv.DictReader(stream))


def text_of(path):
    with open(path, encoding="utf-8") as stream:
        return stream.read()


class Pitfalls:
    def __init__(self, program, suite, root):
        self.program, self.check, self.root = program, suite.check, root
        write(self.path("c/case.yaml"), FILM)

    def path(self, name):
        return os.path.join(self.root, name)

    def run(self, *args, code=0, **more):
        done = self.program.run(*args, cwd=self.root, **more)
        self.check(f"{' '.join(args)}: exit code {code}", done.returncode == code,
                   f"{done.returncode}\n{done.stdout}{done.stderr}")
        return done

    # ---- numbers beyond an int ------------------------------------------------------------------

    def test_huge(self):
        self.run("run", "c", "-o", "plain", "-q")
        plain = load(self.path("plain/summary.json"))
        history = [float(r["energy"]) for r in rows(self.path("plain/history.csv"))]
        self.check("three steps", len(history) == 3 and min(history) > 0, history)
        for window in ("1e9", "1e29", "0.3"):  # longer than the run: the mean of all
            self.run("run", "c", "-o", f"w{window}", "-q", "--set", f"time.window={window}")
            summary = load(self.path(f"w{window}/summary.json"))
            self.check(f"window {window}: the mean of all steps", summary["window"]["rows"] == 3 and
                       abs(summary["probes"]["energy"] - sum(history) / 3) <= 1e-15, summary["probes"])
        for method in ("pg", "apgd"):
            usual = ["--set", f"solver.method={method}", "--set", "solver.tolerance=1e-3", "-q"]
            self.run("run", "c", "-o", f"{method}-usual", *usual, "--set", "solver.inner=1000000")
            self.run("run", "c", "-o", f"{method}-huge", *usual, "--set", "solver.inner=2147483647",
                     timeout=900)
            self.check(f"{method}: inner 2147483647 is many",
                       [r["inner"] for r in rows(self.path(f"{method}-huge/history.csv"))] ==
                       [r["inner"] for r in rows(self.path(f"{method}-usual/history.csv"))])
        for key in ("solver.max_iterations", "solver.viscosity_iterations", "time.max_missed"):
            self.run("run", "c", "-o", key, "-q", "--set", f"{key}=2147483647")
            self.check(f"{key}: 2147483647 changes nothing",
                       load(self.path(f"{key}/summary.json"))["probes"] == plain["probes"])
        for every, frames in (("1e-29", 4), ("1e29", 2)):  # every step; the first and the last
            self.run("run", "c", "-o", f"every{every}", "-q", "--set", f"output.every={every}")
            found = [p for p in snapshot(self.path(f"every{every}")) if p.startswith("fields_")]
            self.check(f"output.every {every}: {frames} frames", len(found) == frames, found)
        done = self.run("check", "c", "--set", "time.end=1e29", code=3)
        self.check("too many steps are refused", "time.end: 1e+29 is 1e+30 steps" in done.stderr,
                   done.stderr)

    # ---- standard streams -----------------------------------------------------------------------

    def test_closed_streams(self):
        """What is printed must not get into a file, whichever streams are closed."""
        same = ("history.csv", "case.resolved.yaml", "fields.pvd", "fields_0000.vtu", "fields_0003.vtu")

        def read(directory):
            found = snapshot(self.path(directory))
            return sorted(found), [found.get(name) for name in same]

        for i, closed in enumerate((">&-", "2>&-", "<&-", ">&- 2>&-", "<&- >&- 2>&-")):
            done = subprocess.run(["sh", "-c", f'"$0" run c -o closed{i} --set mesh.split=none {closed}',
                                   self.program.path], cwd=self.root, env=self.program.env,
                                  capture_output=True, timeout=900)
            self.check(f"{closed}: exit code", done.returncode == 0, done)
            if i == 0:
                self.run("run", "c", "-o", "open", "--set", "mesh.split=none")
            self.check(f"{closed}: the same files", read(f"closed{i}") == read("open"),
                       f"{read(f'closed{i}')}\n{read('open')}")
            summary = load(self.path(f"closed{i}/summary.json"))
            self.check(f"{closed}: the same numbers",
                       summary["probes"] == load(self.path("open/summary.json"))["probes"])
        done = subprocess.run(["sh", "-c", '"$0" keys >&-', self.program.path], cwd=self.root,
                              env=self.program.env, capture_output=True, text=True, timeout=900)
        self.check("keys >&- says that it cannot print", done.returncode == 4 and
                   "cannot write to standard output" in done.stderr, done)

    # ---- friction without an angle --------------------------------------------------------------

    def test_angle(self):
        words = "no friction angle in the plane"
        rows_of = (("material.friction=0.5", "30 ", False), ("material.friction=0", "0 ", False),
                   ("material.friction=0.9999", "89.1897", False), ("material.friction=1", "none", True),
                   ("material.friction=3", "none", True), ("material.friction={angle: 89}", "89 ", False),
                   ("material.friction=0.5+y", "to none", True))
        for setting, angle, warned in rows_of:
            done = self.run("check", "c", "--set", setting)
            line = [w for w in done.stdout.splitlines() if w.startswith("  angle")]
            self.check(f"{setting}: angle {angle}", len(line) == 1 and angle in line[0], done.stdout)
            self.check(f"{setting}: {'a' if warned else 'no'} warning", (words in done.stderr) == warned,
                       done.stderr)
        done = self.run("run", "c", "-o", "later", "--set", "material.friction=0.8+t", "--set",
                        "material.bingham=0.2")  # that it does not part
        self.check("friction that passes 1 on the way: one warning", done.stderr.count(words) == 1, done.stderr)
        law = "material={mu_i: {static: 0.3, dynamic: %s, I0: 0.3, grain: 0.1}, reynolds: 100}"
        for dynamic, warned in (("0.9", False), ("1.5", True)):
            done = self.run("run", "c", "-o", f"mui{dynamic}", "--set", law % dynamic)
            self.check(f"mu_i.dynamic {dynamic}", (f"material.mu_i.dynamic: 1.5; from 1 on there is {words}" in
                                                   done.stderr) == warned, done.stderr)
            angle = load(self.path(f"mui{dynamic}/summary.json"))["material"].get("friction_angle")
            self.check(f"summary: angle {angle}", isinstance(angle, list) and abs(angle[0] - 17.4576) < 1e-4 and
                       (angle[1] is None if warned else abs(angle[1] - 64.158) < 1e-3), angle)

    # ---- a mesh that is split already -----------------------------------------------------------

    def test_split_mesh(self):
        """A triangle of which each of four parts is split: the pair is stable, whoever split it."""
        points, triangles = {}, []

        def node(x, y):
            return points.setdefault((x, y), len(points) + 1)

        def split(*corners):
            middle = node(sum(p[0] for p in corners) / 3, sum(p[1] for p in corners) / 3)
            for i in range(3):
                triangles.append((node(*corners[i]), node(*corners[(i + 1) % 3]), middle))

        for part in (((0, 0), (2, 0), (0, 2)), ((2, 0), (4, 0), (2, 2)), ((0, 2), (2, 2), (0, 4)),
                     ((2, 0), (2, 2), (0, 2))):
            split(*part)
        ring = [node(*p) for p in ((0, 0), (2, 0), (4, 0), (2, 2), (0, 4), (0, 2))]
        lines = [(a, b) for a, b in zip(ring, ring[1:] + ring[:1])]

        def msh(cells):
            elements = [f"{i + 1} 1 2 1 1 {a} {b}" for i, (a, b) in enumerate(lines)]
            elements += [f"{len(lines) + i + 1} 2 2 2 1 {a} {b} {c}" for i, (a, b, c) in enumerate(cells)]
            return "\n".join(["$MeshFormat", "2.2 0 8", "$EndMeshFormat", "$PhysicalNames", "2",
                              '1 1 "wall"', '2 2 "domain"', "$EndPhysicalNames", "$Nodes",
                              str(len(points)), *[f"{i} {x} {y} 0" for (x, y), i in points.items()],
                              "$EndNodes", "$Elements", str(len(elements)), *elements,
                              "$EndElements", ""])

        write(self.path("split/split.msh"), msh(triangles))
        a, b, c = (node(0, 0), node(2, 0), triangles[0][2])
        flipped = [t for t in triangles if t != (a, b, c)]  # one third is cut in two
        points[(1.0, 0.25)] = len(points) + 1
        more = len(points)
        write(self.path("split/other.msh"), msh(flipped + [(a, b, more), (b, c, more), (c, a, more)]))
        case = f"""\
mesh: {{file: split.msh, split: none}}
material: {{friction: 0, bingham: 0.1, reynolds: 1}}
gravity: [y, 0]
boundaries: {{wall: {{velocity: [0, 0]}}}}
probes: {{pull: {{force: wall, part: recovered}}, along: {{traction: wall}}}}
"""
        write(self.path("split/case.yaml"), case)
        done = self.run("run", "split", "-o", "s")
        self.check("a split mesh: no warning", done.stderr == "", done.stderr)
        self.check("a split mesh: the header says so", "as it is, an Alfeld split" in done.stdout, done.stdout)
        with open(self.path("s/fields_0000.vtu"), "rb") as stream:
            self.check("a split mesh: recovered stress in the files", b"stress_recovered" in stream.read())
        self.check("a split mesh: recovered stress on walls",
                   "normal_recovered" in rows(self.path("s/profiles/along.csv"))[0])
        write(self.path("split/plain.yaml"), case.replace("split.msh", "other.msh").replace(
            "force: wall, part: recovered", "force: wall"))
        done = self.run("run", "split/plain.yaml")
        self.check("split but for one triangle: a warning", "the plain P2/P1 pair" in done.stderr, done.stderr)
        with open(self.path("out/plain/fields_0000.vtu"), "rb") as stream:
            self.check("split but for one: nothing recovered", b"recovered" not in stream.read())

    # ---- names of results -----------------------------------------------------------------------

    def test_names(self):
        for name in ("a.yaml", "b.yml", "case.resolved.yaml", "odd"):
            write(self.path(f"c/{name}"), FILM)
        made = {"c": "c", "c/a.yaml": "a", "c/b.yml": "b", "c/odd": "odd",
                "c/case.resolved.yaml": "case.resolved"}
        for target, name in made.items():
            self.run("run", target, "-q")
            self.check(f"{target}: out/{name}", os.path.exists(self.path(f"out/{name}/summary.json")),
                       os.listdir(self.path("out")))
        done = self.program.run("run", "a.yaml", "-q", cwd=self.path("c"))
        self.check("from inside: named after the file",
                   done.returncode == 0 and os.path.exists(self.path("c/out/a/summary.json")), done.stderr)
        for name in ("study.yaml", "other.yaml"):
            write(self.path(f"s/{name}"), "base: ../c\nvary: {material.friction: [0.2, 0.3]}\n")
        self.run("study", "s", "-q")
        self.run("study", "s/other.yaml", "-q")
        self.check("studies of a directory", all(os.path.exists(self.path(f"out/{name}/results.csv"))
                                                 for name in ("s", "other")), os.listdir(self.path("out")))

    # ---- a terminal of 80 columns ---------------------------------------------------------------

    def test_width(self):
        creeping = ["c", "--set", "time={}", "--set", "output={}", "--set", "material.reynolds=1"]
        for args in (["keys"], ["--help"], ["run", "--help"], ["check", "--help"], ["study", "--help"],
                     ["fit", "--help"], ["solve", "--help"], ["check", "c"], ["run", "c", "-o", "wide"],
                     ["run", *creeping, "-o", "wide-too"]):
            done = self.run(*args)
            wide = [line for line in done.stdout.splitlines() if len(line) > 80 and "/film.geo" not in line]
            self.check(f"{' '.join(args)}: lines of at most 80 columns", not wide, "\n".join(wide))

    # ---- YAML -----------------------------------------------------------------------------------

    def test_yaml(self):
        """Every plain value of a resolved case is the same to readers of YAML 1.1 and 1.2."""
        write(self.path("y/case.yaml"), FILM.replace("friction: 0.3", "friction: +.3e0, bulk: 1e-1")
              .replace("n: 3", "n: 003").replace("step: 0.1", "step: 1.E-1")
              .replace("[0.5, -0.8]", "[5e-1, -.8]")
              .replace("[0, 0]}\n", "[y, 0*x]}\n") + "title: 2026-11-18\nsolver: {tolerance: 3E-2}\n")
        self.run("run", "y", "-q")
        path = self.path("out/y/case.resolved.yaml")
        resolved = text_of(path)
        plain = re.findall(r"(?:[:,\[] +|\[)([^\s\"\[\]{},:]+)(?=[\n,\]}])", resolved)
        self.check("plain values are found", len(plain) > 30, plain)
        for word in plain:
            if NUMBER.fullmatch(word):
                self.check(f"{word} is a number to YAML 1.1", INTEGER.fullmatch(word) or
                           FLOAT.fullmatch(word), resolved)
            else:
                self.check(f"{word} is no boolean by accident",
                           word.lower() not in ("y", "n", "yes", "no", "on", "off"), resolved)
        for line in ("tolerance: 3.0e-2", "steady: 2.0e-3", 'title: "2026-11-18"', "gravity: [5.0e-1, -0.8]",
                     'parameters: {"n": 3}', "reynolds: .inf", "bulk: 1.0e-1", "step: 1.0e-1",
                     'velocity: ["y", "0*x"]'):
            self.check(f"resolved: {line}", line in resolved, resolved)
        self.run("run", path, "-o", "y-again", "-q")
        self.check("it reads back to the same text", text_of(self.path("y-again/case.resolved.yaml")) == resolved)
        self.check("and to the same run", text_of(self.path("y-again/history.csv")) ==
                   text_of(self.path("out/y/history.csv")))
        if yaml is None:
            print("skipped: the case written by another YAML library (no python3-yaml)")
            return
        tree = yaml.safe_load(resolved)
        self.check("another library reads numbers", tree["solver"]["tolerance"] == 0.03 and
                   tree["time"]["steady"] == 2e-3 and tree["material"]["reynolds"] == float("inf") and
                   tree["title"] == "2026-11-18" and tree["mesh"]["parameters"]["n"] == 3 and
                   tree["boundaries"]["bottom"]["velocity"][0] == "y", tree)
        write(self.path("z/case.yaml"), yaml.safe_dump(tree, sort_keys=False))
        self.run("run", "z", "-q")
        self.check("written by another library: the same run", text_of(self.path("out/z/history.csv")) ==
                   text_of(self.path("out/y/history.csv")))


def main():
    program, suite = Program(sys.argv[1]), Suite()
    with tempfile.TemporaryDirectory(prefix="sablier-pitfalls-") as root:
        tests = Pitfalls(program, suite, os.path.realpath(root))
        for name in [n for n in dir(tests) if n.startswith("test_")]:
            getattr(tests, name)()
    return suite.end()


if __name__ == "__main__":
    sys.exit(main())
