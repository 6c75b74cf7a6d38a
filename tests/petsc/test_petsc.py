#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""solver.linear: amg: conjugate gradients with multigrid in the place of a factorisation.

    test_petsc.py SABLIER [TEST...]

SABLIER is built with -Dpetsc=true. Last line: N passed, N failed.
"""
import csv
import json
import os
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "cli"))
from harness import MESHES, Program, Suite, edit, write  # noqa: E402

SPACE = f"""\
geometry: space
mesh: {{file: {MESHES}/silo-quarter.geo, parameters: {{D: 2, W: 8, H: 8, h: 3, across: 2}}}}
material: {{friction: 0.3, reynolds: 1}}
gravity: [0, 0, -1]
boundaries:
  top:      {{traction: 0}}
  outlet:   {{traction: 0}}
  symmetry: {{slip: true}}
  wall:     {{velocity: [0, 0, 0]}}
solver: {{method: dr-aa, tolerance: 1.0e-2}}
probes:
  discharge: {{flux: outlet}}
"""
PLANE = f"""\
mesh: {{file: {MESHES}/silo.geo, parameters: {{D: 2, h: 1.2, refine: 3}}}}
material: {{friction: 0.3, reynolds: 1}}
gravity: [0, -1]
boundaries:
  wall:   {{velocity: [0, 0]}}
  axis:   {{slip: true}}
  top:    {{traction: 0}}
  outlet: {{traction: 0}}
solver: {{method: dr-aa, tolerance: 3.0e-2}}
probes:
  discharge: {{flux: outlet}}
"""
STEPS = edit(PLANE, ("solver:", "time: {scheme: inertial, step: 0.1, end: 0.6}\noutput: {every: 0, checkpoint: 0}\nsolver:"),
             ("tolerance: 3.0e-2", "linear: amg, tolerance: 0.2, max_iterations: 5"), ("reynolds: 1", "reynolds: 10"))
AMG = ["--set", "solver.linear=amg"]


def summary(directory):
    with open(os.path.join(directory, "summary.json"), encoding="utf-8") as stream:
        return json.load(stream)


class Runs:
    def __init__(self, program, suite, root):
        self.program, self.suite, self.root = program, suite, root
        for name, text in (("space", SPACE), ("plane", PLANE), ("steps", STEPS)):
            write(self.path(f"{name}/case.yaml"), text)

    def path(self, name):
        return os.path.join(self.root, name)

    def run(self, *args, code=0):
        done = self.program.run(*args, cwd=self.root, timeout=900)
        self.suite.check(f"{' '.join(args)}: exit {code}", done.returncode == code, f"{done.returncode}\n{done.stdout}\n{done.stderr}")
        return done

    def test_same(self):
        """The flow of a factor, with its certificate: of accurate solves, although those on the way are not."""
        for case in ("space", "plane"):
            self.run("run", case, "-o", self.path(f"{case}-exact"), "-q")
            self.run("run", case, "-o", self.path(f"{case}-amg"), "-q", *AMG)
            exact, amg = (summary(self.path(f"{case}-{k}")) for k in ("exact", "amg"))
            solver = amg["solver"]
            done = self.run("check", case, "-v", *AMG)
            self.suite.check("the header tells", "amg, no factor, matrix of" in done.stdout, done.stdout)
            self.suite.check("who solved", solver["linear"] == "amg" and exact["solver"]["linear"] == "cholmod", solver)
            self.suite.check("library named", "PETSc" in amg["provenance"]["libraries"])
            self.suite.check("no count without", "cg_iterations" not in exact["solver"], exact["solver"])
            tolerance = 1e-2 if case == "space" else 3e-2
            self.suite.check("gap", solver["gap"] <= tolerance and solver["compaction"] <= tolerance, solver)
            self.suite.check("momentum", solver["momentum"] < 1e-8, solver)
            a, b = (s["probes"]["discharge"] for s in (amg, exact))
            a, b = (x["value"] if isinstance(x, dict) else x for x in (a, b))
            self.suite.check("discharge alike", abs(a - b) <= 2 * tolerance * abs(b), f"{a} {b}")
            self.suite.check("solves alike", solver["solves"] <= 1.5 * exact["solver"]["solves"], f"{solver} {exact['solver']}")
            # an accurate solve takes twenty iterations or so; in the plane most are certificates
            if case == "space":
                self.suite.check("on the way less", solver["cg_iterations"] < 12 * solver["solves"], solver)

    def test_certificate(self):
        """The velocity that comes with a certificate obeys momentum as it says: the program, solved again, by a factor."""
        self.run("run", "space", "-o", self.path("dump"), "-q", "--dump-program", self.path("p.sabp"), *AMG)
        self.run("solve", "p.sabp", "--method", "dr-aa", "--linear", "amg", "--tolerance", "1e-3", "-o", "amg.json", "-q")
        self.run("solve", "p.sabp", "--method", "ipm", "--tolerance", "1e-3", "-o", "ipm.json", "-q")
        with open(self.path("amg.json"), encoding="utf-8") as a, open(self.path("ipm.json"), encoding="utf-8") as b:
            amg, ipm = json.load(a), json.load(b)
        size = sum(v * v for v in ipm["u"]) ** 0.5
        apart = sum((v - w) ** 2 for v, w in zip(amg["u"], ipm["u"])) ** 0.5
        self.suite.check("one flow", apart <= 0.05 * size, apart / size)
        self.suite.check("momentum", amg["solver"]["momentum"] < 1e-8, amg["solver"])

    def test_steps(self):
        """Steps in time; the same bits again, and after a stop: nothing of the solves before goes into the next step."""
        self.run("run", "steps", "-o", self.path("whole"), "-q")
        self.run("run", "steps", "-o", self.path("again"), "-q")
        self.run("run", "steps", "-o", self.path("part"), "-q", "--set", "time.end=0.3")
        self.run("run", "steps", "-o", self.path("part"), "-q", "--resume")
        rows = [self.history(k) for k in ("whole", "again", "part")]
        self.suite.check("six steps", len(rows[0]) == 6, len(rows[0]))
        self.suite.check("the same again", rows[0] == rows[1])
        self.suite.check("the same after a stop", rows[0] == rows[2], f"{rows[0]}\n{rows[2]}")

    def history(self, name):
        with open(os.path.join(self.path(name), "history.csv"), newline="") as stream:
            return [{k: v for k, v in row.items() if "cpu" not in k} for row in csv.DictReader(stream)]

    def test_ranks(self):
        """On two processes: the certificate of one, and its iterations to within one in each solve."""
        launcher = ["mpirun", "--oversubscribe", "--mca", "mpi_yield_when_idle", "1", "-n", "2"]
        few = ["-q", "--set", "solver.max_iterations=4", *AMG]  # messages are slow on a busy machine
        self.run("run", "space", "-o", self.path("rank-1"), *few, code=1)
        if shutil.which("mpirun") is None:
            print("skipped: no mpirun here; scripts/setup --petsc installs it")
            return
        env = {**self.program.env, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
        done = subprocess.run([*launcher, self.program.path, "run", "space", "-o", self.path("rank-2"), *few], cwd=self.root,
                              env=env, timeout=1500, text=True, stdin=subprocess.DEVNULL, capture_output=True)
        self.suite.check("two ranks: exit 1, as one", done.returncode == 1, f"{done.returncode}\n{done.stdout}\n{done.stderr}")
        self.suite.check("two ranks: nobody waits", "wait" not in done.stderr, done.stderr)
        one, two = (summary(self.path(f"rank-{n}"))["solver"] for n in (1, 2))
        self.suite.check("two ranks: at work", (one["processes"], two["processes"], two["linear"]) == (1, 2, "amg"), two)
        self.suite.check("as many solves", one["solves"] == two["solves"], f"{one} {two}")
        self.suite.check("iterations of a solve", abs(one["cg_iterations"] - two["cg_iterations"]) <= one["solves"], f"{one} {two}")
        for name in ("gap", "compaction"):
            self.suite.check(f"{name} of one", abs(two[name] - one[name]) <= 1e-2 * one[name], f"{one} {two}")
        self.suite.check("momentum", two["momentum"] < 1e-8, two)

    def test_refused(self):
        """What needs factors is refused by check, with the key, and nothing is written."""
        rows = [("solver.method=auto", "needs a new one at every step"), ("solver.method=ipm", "solver.method ipm needs"),
                ("solver.method=gs", "this case has a material"),
                ("material.viscosity=1 + x", "with a viscosity formula it changes"), ("solver.blr=1e-4", "amg has no factors to compress")]
        for setting, sentence in rows:
            for command in ("check", "run"):
                done = self.run(command, "plane", *AMG, "--set", setting, code=3)
                self.suite.check(f"{setting}: said", sentence in done.stderr and "solver." in done.stderr, done.stderr)
        write(self.path("rate/case.yaml"), edit(PLANE, ("friction: 0.3", "mu_i: {static: 0.3, dynamic: 0.6, I0: 0.3, grain: 0.05}")))
        done = self.run("check", "rate", *AMG, code=3)
        self.suite.check("mu_i: said", "with mu_i it changes" in done.stderr, done.stderr)
        self.run("run", "plane", "-o", self.path("p"), "-q", "--dump-program", self.path("q.sabp"))
        done = self.run("solve", "q.sabp", "--linear", "amg", code=2)
        self.suite.check("solve: said", "--linear: amg has no factor, and method auto needs one" in done.stderr, done.stderr)


def main():
    suite = Suite()
    with tempfile.TemporaryDirectory(prefix="sablier-petsc-") as root:
        runs = Runs(Program(sys.argv[1]), suite, root)
        for name in sorted(n for n in dir(runs) if n.startswith("test_")):
            if len(sys.argv) < 3 or name in sys.argv[2:] or name[5:] in sys.argv[2:]:
                getattr(runs, name)()
    return suite.end()


if __name__ == "__main__":
    sys.exit(main())
