#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Habits of the command line: options as getopt_long takes them, cases to start from, plans of studies, all errors
of a case at once, lines that fit the terminal.

    test_commands.py SABLIER

Last line: N passed, N failed.
"""
import fcntl
import json
import os
import pty
import re
import struct
import subprocess
import sys
import tempfile
import termios

from harness import MESHES, ROOT, Program, Suite, difference, snapshot, write

CAVITY = f"""\
title: Cavity
mesh: {{file: {MESHES}/cavity.geo, parameters: {{h: 0.5}}}}
material: {{friction: 0, bingham: 0.5, reynolds: 1}}
gravity: [0, 0]
boundaries:
  lid:  {{velocity: [1, 0]}}
  wall: {{velocity: [0, 0]}}
probes: {{drag: {{force: lid}}}}
"""
STUDY = """\
title: A plan
base: case.yaml
vary: {mesh.parameters.h: [0.5, 0.25], material.bingham: [0.5, 1, 2]}
jobs: 2
"""


class Commands:
    def __init__(self, program, suite, root):
        self.program, self.suite, self.root = program, suite, root
        self.check = suite.check
        write(self.path("c/case.yaml"), CAVITY)
        write(self.path("c/plan.yaml"), STUDY)

    def path(self, name):
        return os.path.join(self.root, name)

    def run(self, *args, code=0, **more):
        done = self.program.run(*args, cwd=self.root, **more)
        self.check(f"{' '.join(args)}: exit code {code}", done.returncode == code, f"{done.returncode}\n{done.stderr}")
        return done

    def test_options(self):
        for words, means in [
                (("fit", "--x"), "fit: option '--x' needs KEY"), (("study", "-j"), "study: option '-j' needs N"),
                (("run", "c", "--resume=1"), "run: option '--resume' takes no value"),
                (("run", "c", "-z"), "run: unknown option '-z'"),
                (("run", "c", "--resum=1"), "run: option '--resume' takes no value"),
                (("run", "c", "--forse"), "did you mean '--force'?"),
                (("study", "c", "--co=1"), "study: option '--collect' takes no value"),
                (("study", "c", "--s"), "study: '--s' is the beginning of 3 options"),
                (("run", "c", "-o", ""), "run: option '-o' needs DIR"),
                (("run", "--", "-q"), "-q: cannot open"), (("run", "-qv", "c"), "-q and -v exclude each other"),
                (("run", "c", "--", "d", "e"), "run takes one argument, but got 'c' and 'd'")]:
            done = self.run(*words, code=3 if means.startswith("-q: ") else 2)
            self.check(f"{' '.join(words)}: said", means in done.stderr, done.stderr)
        before = snapshot(self.root)
        done = self.run("study", "c/plan.yaml", "-j0", code=2)
        self.check("-j0 is --jobs 0", "--jobs: 0 is not between" in done.stderr, done.stderr)
        self.check("nothing was written", difference(before, snapshot(self.root)) == [])
        done = self.run("run", "-qoa", "c", "--set=solver.tolerance=1e-2")
        self.check("-qoa: quiet, into a", done.stdout == "" and os.path.exists(self.path("a/summary.json")), done.stdout)
        done = self.run("run", "c", "--out", "b", "--quiet", env={"POSIXLY_CORRECT": "1"})
        self.check("beginnings of options; options behind arguments", os.path.exists(self.path("b/summary.json")))

    def test_keys(self):
        done = self.run("keys", "solver")
        keys = re.findall(r"^\S+$", done.stdout, re.M)
        self.check("keys solver: all of it, nothing else", len(keys) > 8 and all(k.split(".")[0] == "solver" for k in keys), keys)
        self.check("keys solver: the methods too", "ipm" in done.stdout)
        done = self.run("keys", "boundaries.lid.velocity")
        self.check("keys: a name of the user", re.findall(r"^\S+$", done.stdout, re.M) == ["boundaries.*.velocity"], done.stdout)
        done = self.run("keys", "sovler", code=2)
        self.check("keys sovler", "did you mean 'solver'?" in done.stderr, done.stderr)
        done = self.run("keys", "solv", code=2)
        self.run("keys", "solver", "--markdown", code=2)

    def test_new(self):
        done = self.run("new", "--from", "list")
        self.check("new --from list", re.search(r"^silo +Half silo", done.stdout, re.M), done.stdout)
        done = self.run("new", "mine")
        self.check("new: what next", "sablier run mine" in done.stdout, done.stdout)
        self.run("check", "mine", "-q")
        before = snapshot(self.path("mine"))
        done = self.run("new", "mine", "--from", "cavity", code=2)
        self.check("new never overwrites", "is there already" in done.stderr and
                   difference(before, snapshot(self.path("mine"))) == [], done.stderr)
        self.run("new", "law", "--from=beverloo")
        self.check("new: a study with the case it begins with and the mesh",
                   {"study.yaml", "case.yaml", "silo.geo"} <= set(os.listdir(self.path("law"))))
        self.run("check", "law/study.yaml", "-q")
        self.run("new", "again", "--from", "./law")
        self.check("new from a case of one's own", snapshot(self.path("law")) == snapshot(self.path("again")))
        done = self.run("new", "x", "--from", "sillo", code=2)
        self.check("new: a case that there is not", "did you mean 'silo'?" in done.stderr, done.stderr)
        self.run("new", "no/such/place", code=4)
        self.run("new", "x", "--from", "./nothing", code=2)
        self.run("new", code=2)
        self.check("new: nothing stays of what failed", [n for n in os.listdir(self.root) if n.startswith("x")] == [])

    def test_plan(self):
        before = snapshot(self.root)
        done = self.run("check", "c/plan.yaml")
        rows = re.findall(r"^  (h=\S+) +(\d+) +(\d+) +(\d+) ", done.stdout, re.M)
        self.check("check of a study: a row per point", [r[0] for r in rows] == [
            f"h={h},bingham={b}" for h in ("0.5", "0.25") for b in ("0.5", "1", "2")], done.stdout)
        self.check("check of a study: finer meshes have more elements", int(rows[0][2]) < int(rows[3][2]), rows)
        for word in ("points         6, 6 steps", "for 2 at a time", "disk           about", "nothing was solved"):
            self.check(f"check of a study: {word}", word in done.stdout, done.stdout)
        self.check("check of a study writes nothing", difference(before, snapshot(self.root)) == [])
        write(self.path("c/wrong.yaml"), STUDY.replace("material.bingham: [0.5", "material.bingham: [-0.5"))
        done = self.run("check", "c/wrong.yaml", code=3)
        self.check("check of a study: an error has its place", "c/wrong.yaml:3:" in done.stderr and "out of range" in
                   done.stderr, done.stderr)
        self.run("check", "c/plan.yaml", "--set", "solver.tolerance=1", code=2)

    def test_converge(self):
        write(self.path("p/case.yaml"), open(os.path.join(ROOT, "cases/poiseuille/case.yaml")).read().replace(
            "../../meshes", MESHES))
        done = self.run("converge", "p", "--over", "mesh.parameters.n=2,4,8", "-j2", "--set", "solver.tolerance=1e-6")
        with open(self.path("out/p-converge/converge.json"), encoding="utf-8") as stream:
            flux = json.load(stream)["probes"]["flux"]
        self.check("converge: an order", 1 < flux["order"] < 4, flux)
        self.check("converge: the error holds the exact flux, 5/24", abs(flux["finest"] - 5 / 24) < 2 * flux["error"] and
                   abs(flux["limit"] - 5 / 24) < abs(flux["finest"] - 5 / 24) + flux["error"], flux)
        self.check("converge: a table", re.search(r"^  flux +0\.2\d+ +\d\.\d\d +0\.2\d+ ", done.stdout, re.M), done.stdout)
        self.check("converge: what is not monotone has no order", re.search(r"^  centre_y +\S+ +- ", done.stdout, re.M) and
                   "no order" in done.stdout, done.stdout)
        self.check("converge: lines of at most 80 columns but for paths", all(len(line) <= 80 for line in
                   done.stdout.split("\nconverge ")[1].splitlines()), done.stdout)
        before = snapshot(self.root)
        for words, means in [(("--over", "mesh.parameters.n=2,4,8"), "holds a result already"),
                             (("--over", "mesh.parameters.n=2,4", "-o", "q"), "give three values at least"),
                             (("--over", "mesh.parameters.n=2,8,4", "-o", "q"), "from coarse to fine"),
                             (("--over", "mesh.parameters.n=2,4,4", "-o", "q"), "from coarse to fine"),
                             (("--over", "mesh.parameters.n=0,4,8", "-o", "q"), "'0' is no positive number"),
                             (("-o", "q"), "say what is refined")]:
            done = self.run("converge", "p", *words, code=2)
            self.check(f"converge {' '.join(words)}", means in done.stderr, done.stderr)
        self.run("converge", "p", "--over", "mesh.n=2,4,8", "-o", "q", code=3)
        self.check("converge: nothing ran", difference(before, snapshot(self.root)) == [])
        done = self.run("converge", "p", "--over", "mesh.parameters.n=2,4,8", "-j2", "--set", "solver.tolerance=1e-6",
                        "--resume")
        self.check("converge --resume: the same", "0 of them new" in done.stdout, done.stdout)

    def test_names(self):
        self.run("run", "c/case.yaml", "-q")
        self.check("case.yaml has the name of its folder", os.path.exists(self.path("out/c/summary.json")))
        write(self.path("c/fast.yaml"), CAVITY)
        self.run("run", "c/fast.yaml", "-q")
        self.check("another file has its own", os.path.exists(self.path("out/fast/summary.json")))
        write(self.path("c/...yaml"), CAVITY)
        self.run("run", "c/...yaml", "-q")
        self.check("... is no way up", not os.path.exists(self.path("summary.json")) and
                   os.path.exists(self.path("out/case/summary.json")), os.listdir(self.path("out")))

    def test_end(self):
        done = self.run("run", "c", "-o", "good")
        self.check("what next", "next           sablier report good" in done.stdout, done.stdout)
        self.check("developers' numbers are not shown", "factorisations" not in done.stdout and
                   "worst shape" not in done.stdout, done.stdout)
        done = self.run("run", "c", "-o", "loud", "-v")
        self.check("but with -v", "factorisations" in done.stdout and "worst shape" in done.stdout, done.stdout)
        done = self.run("run", "c", "-o", "bad", "--set", "solver.tolerance=1e-9", "--set", "solver.max_iterations=1", code=1)
        self.check("what missed, and what to try", re.search(r"^missed +.*tolerance 1e-09", done.stdout, re.M) and
                   re.search(r"^try +.*max_iterations", done.stdout, re.M), done.stdout)

    def in_terminal(self, columns, *args):
        """What the program prints on a terminal so wide."""
        shell = f'stty cols {columns}; exec "$0" "$@"'
        parent, child = pty.openpty()
        fcntl.ioctl(child, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
        process = subprocess.Popen(["sh", "-c", shell, self.program.path, *args], cwd=self.root, stdin=child, stdout=child,
                                   stderr=child, env={**self.program.env, "NO_COLOR": "1"}, start_new_session=True)
        os.close(child)
        text = b""
        try:
            while True:
                part = os.read(parent, 4096)
                if not part:
                    break
                text += part
        except OSError:  # the other side is closed
            pass
        os.close(parent)
        process.wait(timeout=900)
        return re.sub(r"\r\x1b\[K[^\r\n]*(?=\r\x1b\[K)", "", text.decode().replace("\r\n", "\n")).replace("\r\x1b[K", "")

    def test_width(self):
        for columns in (50, 80):
            text = self.in_terminal(columns, "check", "c") + self.in_terminal(columns, "run", "c", "--set", "solver.toll=1")
            wide = [line for line in text.splitlines() if len(line) > columns and MESHES not in line]
            self.check(f"lines fit {columns} columns", text.count("\n") > 15 and wide == [], wide)
        whole = self.run("run", "c", "--set", "solver.toll=1", code=3).stderr
        self.check("a log keeps its lines", whole.count("\n") == 1, whole)
        self.check("and the words are the same", self.in_terminal(50, "run", "c", "--set", "solver.toll=1").split() ==
                   whole.split())


def main():
    suite = Suite()
    with tempfile.TemporaryDirectory(prefix="sablier-commands-") as root:
        commands = Commands(Program(sys.argv[1]), suite, root)
        for name in sorted(dir(commands)):
            if name.startswith("test_"):
                getattr(commands, name)()
    return suite.end()


sys.exit(main())
