#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""What scripts of other people rely on: exit codes, files, their keys, signals, the terminal.

    test_contract.py SABLIER

docs/reference says what is promised. Last line: N passed, N failed.
"""
import csv
import json
import os
import pty
import re
import select
import signal
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree as xml

from harness import MESHES, ROOT, Program, Suite, difference, edit, leftovers, snapshot, write

# A Bingham fluid in a cavity, coarse: 0.2 s.
CAVITY = f"""\
title: "Cavity: Bi = 0.5"
mesh:
  file: {MESHES}/cavity.geo
  parameters: {{h: 0.25}}
material:
  friction: 0
  bingham: 0.5
  reynolds: 1
gravity: [0, 0]
boundaries:
  lid:  {{velocity: [1, 0]}}
  wall: {{velocity: [0, 0]}}
solver: {{tolerance: 1.0e-5, max_iterations: 5000}}
probes:
  drag:    {{force: lid}}
  leak:    {{flux: lid}}
  centre:  {{point: [0.5, 0.5]}}
  profile: {{line: [[0.5, 0], [0.5, 1]], samples: 11}}
  load:    {{line: [[0, 0.5], [1, 0.5]], samples: 5, field: stress}}
  shear:   {{traction: lid}}
  walls:   {{traction: wall, samples: 7}}
exact: {{velocity: [y, 0], pressure: 0}}
"""
FILES = ["case.resolved.yaml", "checkpoint.sab", "convergence.csv", "fields.pvd", "fields_0000.vtu", "history.csv",
         "profiles", "profiles/load.csv", "profiles/profile.csv", "profiles/shear.csv",
         "profiles/walls.csv", "summary.json"]
SUMMARY = {
    "status": None, "missed_by": None, "version": None, "title": None, "steps": None, "time": None,
    "pressure_oscillation": None,
    "mesh": ["vertices", "elements", "velocity_dofs", "gauss_points"],
    "material": ["friction", "dilatancy", "bingham", "reynolds", "bulk"],
    "solver": ["method", "linear", "ordering", "factor_entries", "factor_flops", "outer", "inner", "factorisations", "solves", "gap", "compaction",
               "natural", "fischer_burmeister", "momentum"],
    "cpu": ["assembly", "analysis", "factorisation", "solve", "cones", "solver", "one_factorisation", "output",
            "total"],
    "probes": ["drag", "leak", "centre", "profile", "load", "shear", "walls"],
    "errors": ["L2", "Linf", "H1"],
}
# Slow on purpose: a fine mesh, a tolerance that the plain projected gradient does not reach.
SLOW = ["--set", "mesh.parameters.h=0.04", "--set", "solver.method=pg", "--set",
        "solver.tolerance=1e-12", "--set", "solver.max_iterations=100000"]


def load(path):
    with open(path, encoding="utf-8") as stream:
        return json.load(stream)


def read(path, mode="rb"):
    with open(path, mode) as stream:
        return stream.read()


def rows(path):
    with open(path, newline="") as stream:
        return list(csv.DictReader(stream))


class Contract:
    def __init__(self, program, suite, root):
        self.program, self.suite, self.root = program, suite, root
        write(self.path("c/case.yaml"), CAVITY)

    def path(self, name):
        return os.path.join(self.root, name)

    def run(self, *args, code=0, name=None, **more):
        done = self.program.run(*args, cwd=self.root, **more)
        self.check(f"{name or ' '.join(args)}: exit code {code}", done.returncode == code,
                   f"{done.returncode}\n{done.stderr}")
        return done

    def check(self, *args):
        return self.suite.check(*args)

    # ---- a run and its files --------------------------------------------------------------------

    def test_run(self):
        done = self.run("run", "c", "-o", "a")
        summary = load(self.path("a/summary.json"))
        found = sorted(snapshot(self.path("a")))
        self.check("files of a run", found == FILES, found)
        self.check("a run says its result", "result         a: converged" in done.stdout, done.stdout)
        self.check("a run has no complaint", done.stderr == "", done.stderr)
        self.check("status converged", summary["status"] == "converged", summary["status"])
        for key, below in SUMMARY.items():
            self.check(f"summary: {key}", key in summary)
            for name in below or []:
                self.check(f"summary: {key}.{name}", name in summary.get(key, {}))
        self.check("summary: title", summary["title"] == "Cavity: Bi = 0.5", summary["title"])
        self.check("summary: bingham", summary["material"]["bingham"] == 0.5, summary["material"])
        self.check("summary: gap below the tolerance", 0 <= summary["solver"]["gap"] <= 1e-5)
        self.check("summary: force is a vector", len(summary["probes"]["drag"]) == 2)
        self.check("summary: profile is a file", summary["probes"]["profile"] == "profiles/profile.csv")
        self.check("summary: no flux through the lid", abs(summary["probes"]["leak"]) < 1e-12)
        self.check("the lid drags the fluid along", summary["probes"]["drag"][0] < -1)

        history = rows(self.path("a/convergence.csv"))
        outer = [int(r["outer"]) for r in history]
        self.check("convergence.csv: a row per outer iteration",
                   len(outer) == summary["solver"]["outer"] and outer[-1] == len(outer), outer)
        self.check("convergence.csv: outer rises", all(a < b for a, b in zip(outer, outer[1:])), outer)
        gap = summary["solver"]["gap"]  # of the best iterate, the last one or not
        self.check("convergence.csv has the gap of the summary",
                   any(abs(float(r["gap"]) - gap) <= 1e-8 * gap for r in history), history[-1])
        steps = rows(self.path("a/history.csv"))
        self.check("history.csv: one step with its probes", len(steps) == 1 and
                   float(steps[0]["drag_x"]) == summary["probes"]["drag"][0] and
                   float(steps[0]["leak"]) == summary["probes"]["leak"], steps)
        for name, n, columns in [("profile", 11, "s,x,y,velocity_x,velocity_y"),
                                 ("load", 5, "s,x,y,stress_XX,stress_YY,stress_ZZ,stress_XY,"
                                             "stress_YZ,stress_XZ")]:
            profile = rows(self.path(f"a/profiles/{name}.csv"))
            self.check(f"profile {name}", len(profile) == n and list(profile[0]) == columns.split(","),
                       profile[:1])
        walls = rows(self.path("a/profiles/walls.csv"))
        columns = "s,x,y,normal,shear,normal_recovered,shear_recovered".split(",")
        self.check("profile walls", len(walls) == 7 and list(walls[0]) == columns, walls[:1])
        # the lid is dragged against its motion: s runs with the material on the left, along -x
        shear = rows(self.path("a/profiles/shear.csv"))
        self.check("profile shear: from right to left", float(shear[0]["x"]) > float(shear[-1]["x"]))
        self.check("profile shear: the lid is held back", all(float(r["shear"]) > 0 for r in shear), shear)
        self.check("summary: a traction is a file", summary["probes"]["shear"] == "profiles/shear.csv")
        self.check("fields: recovered pressure and stress of a stable pair",
                   all(name in read(self.path("a/fields_0000.vtu"))
                       for name in [b"pressure_recovered", b"stress_recovered"]))
        steps = xml.parse(self.path("a/fields.pvd")).findall("./Collection/DataSet")
        self.check("fields.pvd names the fields", [s.get("file") for s in steps] == ["fields_0000.vtu"])

    def test_not_converged(self):
        done = self.run("run", "c", "-o", "short", "--set", "solver.max_iterations=1", "--set",
                        "solver.tolerance=1e-9", code=1)
        summary = load(self.path("short/summary.json"))
        self.check("status not_converged", summary["status"] == "not_converged", summary["status"])
        self.check("one row", len(rows(self.path("short/convergence.csv"))) == 1)
        self.check("a warning says so", re.search(r"^warning: not converged \(.*\): power gap G \S+ "
                                                  r"against 1e-09", done.stderr), done.stderr)
        self.check("so does the summary", summary["missed_by"] == "gap", summary["missed_by"])
        self.check("its files are whole", sorted(snapshot(self.path("short"))) == FILES)
        done = self.run("run", "c", "-o", "eta", "-q", "--set", "material.viscosity=shear_rate",
                        "--set", "solver.viscosity_iterations=1", "--set", "solver.tolerance=1e-2",
                        code=1, name="viscosity that does not settle")
        self.check("a warning names the viscosity", "material.viscosity" in done.stderr, done.stderr)

    def test_infeasible(self):
        """Grains that dilate when sheared, in a closed box: the lid cannot move."""
        law = ["--set", "material.friction=0.3", "--set", "material.dilatancy=0.2", "--set", "solver.tolerance=0.03"]
        done = self.run("run", "c", "-o", "stuck", *law, "--dump-program", "stuck.sabp", code=1)
        summary = load(self.path("stuck/summary.json"))
        self.check("status infeasible", summary["status"] == summary["missed_by"] == "infeasible", summary["status"])
        self.check("a warning says so", "warning: infeasible: no motion opens" in done.stderr, done.stderr)
        done = self.run("solve", "stuck.sabp", "-o", "stuck.json", code=1)
        self.check("solve: status infeasible", load(self.path("stuck.json"))["status"] == "infeasible")
        self.check("solve says so", "infeasible: there is no solution" in done.stdout, done.stdout)
        done = self.run("run", "c", "-o", "steps", *law, "--set", "time={scheme: inertial, step: 0.1, end: 1}", code=1,
                        name="steps: infeasible")
        summary = load(self.path("steps/summary.json"))
        self.check("the run ends", summary["status"] == "infeasible" and summary["steps"] == 1 and
                   summary["missed_by"] == {"infeasible": 1}, summary["missed_by"])
        self.check("with a warning", "warning: infeasible: no motion opens" in done.stderr, done.stderr)

    def test_missed_steps(self):
        """Steps that miss say by what: the iteration of the viscosity, the certificate."""
        steps = ["--set", "time={scheme: inertial, step: 0.1, end: 0.2, max_missed: 9}"]
        done = self.run("run", "c", "-o", "by-eta", *steps, "--set", "material.viscosity=1+shear_rate", "--set",
                        "solver.viscosity_iterations=1", "--set", "solver.tolerance=1e-3", code=1, name="steps: viscosity that does not settle")
        summary = load(self.path("by-eta/summary.json"))
        self.check("by the viscosity", summary["missed_by"] == {"rate": 2}, summary["missed_by"])
        self.check("says the warning", "2 by residual of mu(I) or material.viscosity" in done.stderr,
                   done.stderr)
        self.check("and the history", [r["missed"] for r in rows(self.path("by-eta/history.csv"))] == ["6", "6"])
        done = self.run("run", "c", "-o", "by-gap", *steps, "--set", "solver.max_iterations=1", "--set",
                        "solver.tolerance=1e-9", code=1, name="steps: too few iterations")
        summary = load(self.path("by-gap/summary.json"))
        self.check("by the certificate", summary["missed_by"] == {"gap": 1, "compaction": 1} and
                   "1 by power gap G, 1 by compaction C" in done.stderr, f"{summary['missed_by']}\n{done.stderr}")

    def test_repeat(self):
        """The same case twice, and the resolved case: the same bits."""
        times = {"cpu", "wall", "peak_memory", "provenance"}

        def strip(directory):
            summary = load(self.path(f"{directory}/summary.json"))
            convergence = [{k: v for k, v in r.items() if k != "cpu"}
                           for r in rows(self.path(f"{directory}/convergence.csv"))]
            return {k: v for k, v in summary.items() if k not in times}, convergence

        self.run("run", "c", "-o", "twice", "-q")
        self.run("run", "a/case.resolved.yaml", "-o", "deep/resolved", "-q")
        for directory in ("twice", "deep/resolved"):
            for name in FILES:
                if name not in ("profiles", "summary.json", "convergence.csv"):
                    self.check(f"{directory}: {name} has the same bytes", read(self.path(f"a/{name}")) ==
                               read(self.path(f"{directory}/{name}")))
            self.check(f"{directory}: summary and convergence", strip("a") == strip(directory),
                       f"{strip('a')[0]}\n{strip(directory)[0]}")

    def test_overrides(self):
        self.run("run", "c/case.yaml", "--set", "material.bingham=0.25", "--set=title='a: b'", "--set",
                 "probes.corner={point: [0, 0]}", "--set", "solver.tolerance=1e-2", "-q",
                 "--threads=1", name="run with --set")
        summary = load(self.path("out/c/summary.json"))
        resolved = read(self.path("out/c/case.resolved.yaml"), "r")
        self.check("--set changes the run", summary["material"]["bingham"] == 0.25)
        self.check("--set changes the title", summary["title"] == "a: b", summary["title"])
        self.check("--set adds a probe", max(map(abs, summary["probes"]["corner"])) < 1e-15,
                   summary["probes"])
        self.check("the resolved case has them", "bingham: 0.25" in resolved and "tolerance: 1.0e-2" in resolved)
        self.check("the mesh of the resolved case is absolute", f"file: {MESHES}/" in resolved)

    def test_force(self):
        """A result is replaced only when asked to; other files there are not ours."""
        write(self.path("short/notes.txt"), "mine")
        before = snapshot(self.path("short"))
        self.run("run", "c", "-o", "short", code=2, name="existing result")
        self.check("without --force it is as it was", snapshot(self.path("short")) == before)
        self.run("run", "c", "-o", "short", "--force", "-q")
        self.check("with --force it is new", load(self.path("short/summary.json"))["status"] ==
                   "converged")
        self.check("notes are kept", sorted(snapshot(self.path("short"))) == sorted(FILES +
                                                                                    ["notes.txt"]))

    def test_options(self):
        write(self.path("gauss/case.yaml"), CAVITY + "output: {gauss: true, precision: float32}\n")
        self.run("run", "gauss", "-o", "g", "-q")
        self.check("output.gauss", os.path.exists(self.path("g/gauss_0000.vtu")))
        self.check("output.precision", os.path.getsize(self.path("g/fields_0000.vtu")) <
                   os.path.getsize(self.path("a/fields_0000.vtu")))
        write(self.path("rest/case.yaml"), edit(CAVITY, ("[1, 0]", "[0, 0]"),
                                               ("velocity: [y, 0], pressure: 0", "velocity: [0, 0]")))
        self.run("run", "rest", "-o", "r", "-q")
        summary = load(self.path("r/summary.json"))  # 0/0 must not make bad JSON
        self.check("a body at rest", summary["solver"]["at_rest"] is True and
                   summary["errors"]["L2"] < 1e-12, summary["solver"])

    # ---- what is printed ------------------------------------------------------------------------

    def test_quiet(self):
        done = self.run("run", "c", "-o", "quiet", "-q")
        self.check("-q prints nothing", done.stdout == "" and done.stderr == "", done.stdout)
        done = self.run("run", "c", "-o", "quiet", "-q", "--force", "--set", "mesh.split=none", "--set",
                        "solver.tolerance=0.1", name="quiet with a warning")
        self.check("-q keeps warnings", done.stdout == "" and done.stderr.startswith("warning: "),
                   done.stderr)
        done = self.run("run", "c", "-o", "quiet", "-q", "--force", "--set", "mesh.split=none", "--set",
                        "mesh.parameters.structured=0", name="plain pair")
        self.check("the pressure of the plain pair oscillates", "the pressure oscillates inside elements" in
                   done.stderr and load(self.path("quiet/summary.json"))["pressure_oscillation"] > 0.3,
                   done.stderr)
        self.check("nothing recovered of the plain pair",
                   b"_recovered" not in read(self.path("quiet/fields_0000.vtu")))
        plain = self.run("run", "c", "-o", "plain", "--set", "solver.method=apgd")
        chatty = self.run("run", "c", "-o", "chatty", "-v", "--set", "solver.method=apgd")
        self.check("-v prints more", len(chatty.stdout) > len(plain.stdout))
        self.check("a pipe gets no escape codes", "\033" not in plain.stdout + plain.stderr +
                   chatty.stdout + chatty.stderr and "\r" not in plain.stdout + plain.stderr)

    def terminal(self, *args, env=None, term="xterm"):
        """Standard output, error and exit code as a terminal of 80 columns sees them."""
        master, slave = pty.openpty()
        process = subprocess.Popen([self.program.path, *args], cwd=self.root, stdin=slave, stdout=slave,
                                   stderr=slave, env={**self.program.env, "TERM": term, **(env or {})})
        os.close(slave)
        output, end = b"", time.monotonic() + 900
        while time.monotonic() < end:
            if select.select([master], [], [], 1)[0]:
                try:
                    part = os.read(master, 65536)
                except OSError:  # the other end is closed
                    break
                if not part:
                    break
                output += part
        os.close(master)
        return process.wait(timeout=900), output.decode(errors="replace")

    def test_terminal(self):
        slow = ["run", "c", "--force", "-o", "slow", "--set", "mesh.parameters.h=0.1", "--set",
                "solver.method=pg", "--set", "solver.max_iterations=30", "--set",
                "solver.tolerance=1e-12"]
        colour = re.compile(r"\033\[[0-9;]*m")
        progress = re.compile(r"\r\033\[K\S*iteration \d+ of at most 30, gap \S+ \(to 1e-12\), "
                              r"about .* left")
        code, output = self.terminal(*slow)
        self.check("terminal: exit code", code == 1, output)
        self.check("terminal: a progress line", progress.search(output), repr(output))
        self.check("terminal: it is erased before the result", "\r\033[K" in
                   output[[m.end() for m in progress.finditer(output)][-1]:] if
                   progress.search(output) else False, repr(output[-500:]))
        self.check("terminal: colours", colour.search(output), repr(output[-500:]))
        code, output = self.terminal(*slow, env={"NO_COLOR": "1"})
        self.check("NO_COLOR: progress but no colours", progress.search(output) and
                   not colour.search(output), repr(output))
        code, output = self.terminal(*slow, term="dumb")
        self.check("dumb terminal: no escape codes", code == 1 and "\033" not in output, repr(output))
        code, output = self.terminal(*slow, "-q")
        self.check("terminal: -q has no progress", "iteration" not in output.split("not converged")[0],
                   repr(output))
        code, output = self.terminal("run", "none")
        self.check("terminal: a red error", code == 3 and "\033[1;31merror:\033[0m" in output,
                   repr(output))
        write(self.path("bad/case.yaml"), "gravty: [0, 0]\n")
        code, output = self.terminal("check", "bad")
        self.check("terminal: a bold place", code == 3 and "\033[1mbad/case.yaml:1:1:\033[0m gravty" in
                   output, repr(output))

    def test_reader_gone(self):
        """`sablier run case | head -1`: the result is written all the same."""
        process = subprocess.Popen([self.program.path, "run", "c", "-o", "piped", "-v"], cwd=self.root,
                                   env=self.program.env, stdin=subprocess.DEVNULL,
                                   stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        process.stdout.readline()
        process.stdout.close()
        self.check("reader gone: exit code", process.wait(timeout=900) == 0, process.returncode)
        self.check("reader gone: files", sorted(snapshot(self.path("piped"))) == FILES)

    def test_check(self):
        before = snapshot(self.root)
        done = self.run("check", "c")
        self.check("check writes nothing", difference(before, snapshot(self.root)) == [])
        for word in ("velocities", "friction", "bingham", "boundary       lid", "nothing was solved"):
            self.check(f"check tells: {word}", word in done.stdout, done.stdout)
        done = self.run("check", "c", "-q")
        self.check("check -q prints nothing", done.stdout == "" and done.stderr == "", done.stdout)

    def test_geometry(self):
        """What `check` says of axis and space, of friction, of memory and of flat elements."""
        def check(case, *sets):
            return self.run("check", os.path.join(ROOT, "cases", case), *[w for s in sets for w in ("--set", s)])

        done = check("pipe", "material.friction={angle: 30, in: extension}")
        for word in ("geometry       axisymmetric about x = 0: fluxes, forces and volumes are of the\n               whole body (2 pi r)\n",
                     "friction     0.494872", "30 in extension (as given)", "22.0243 in compression",
                     "would fill the", "worst shape"):
            self.check(f"check, axis: {word}", word in done.stdout, done.stdout)
        done = check("duct", "material.friction={angle: 20, in: compression}")
        for word in ("geometry       space", "tetrahedra, P2 with bubbles, on faces too", "friction     0.445749",
                     "20 in compression (as given)", "tetrahedra would fill the"):
            self.check(f"check, space: {word}", word in done.stdout, done.stdout)
        self.check("check, space: lines of at most 80 columns", max(map(len, done.stdout.replace(ROOT, "").splitlines()))
                   <= 80, done.stdout)
        self.check("check: the estimate is there before anything is factored",
                   re.search(r"^memory +about [\d.]+ MB; \w+ \(\w+\), factor [\d.]+ M entries$", done.stdout, re.M),
                   done.stdout)
        write(self.path("flat/m.msh"), "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n3\n1 0 0 0\n2 1 0 0\n"
              "3 0.5 0.04 0\n$EndNodes\n$Elements\n4\n1 1 2 1 1 1 2\n2 1 2 1 1 2 3\n3 1 2 1 1 3 1\n"
              "4 2 2 2 1 1 2 3\n$EndElements\n")
        write(self.path("flat/case.yaml"), "mesh: {file: m.msh}\nmaterial: {friction: 0, reynolds: 1}\n"
              "gravity: [0, -1]\nboundaries: {1: {velocity: [0, 0]}}\n")
        done = self.run("check", "flat")
        self.check("check: a flat element is a warning", "warning: mesh.file: the worst shape of an element is 0.013" in
                   done.stderr, done.stderr)

    def test_keys(self):
        table = read(os.path.join(ROOT, "src/io/schema.c"), "r")
        keys = re.findall(r'^    \{"([a-zA-Z0-9_.*]+)", SAB_KEY_', table, re.M)
        listed = [line for line in self.run("keys").stdout.splitlines() if not line.startswith(" ")]
        missing = [k for k in keys if k not in listed]
        self.check("keys lists every key", len(keys) > 40 and not missing, missing)
        page = self.run("keys", "--markdown").stdout
        self.check("keys --markdown is docs/keys.md",
                   page == read(os.path.join(ROOT, "docs/keys.md"), "r"),
                   "sablier keys --markdown > docs/keys.md")

    def test_help(self):
        done = self.run("--version")
        self.check("--version", re.match(r"sablier \d+\.\d+\.\d+\n", done.stdout), done.stdout)
        for command in ([], ["run"], ["check"], ["keys"], ["solve"]):
            done = self.run(*command, "--help")
            self.check(f"{command} --help", "usage:" in done.stdout and done.stderr == "", done.stdout)

    # ---- cone programs --------------------------------------------------------------------------

    def test_methods(self):
        """A program on disk, by every method: one certificate, one velocity."""
        self.run("run", "c", "-o", "dump", "-q", "--dump-program", "c.sabp")
        keys = self.run("keys", "--markdown").stdout
        methods = re.findall(r"^\| `([a-z-]+)` \|", keys.split("| `solver.method` | Meaning |")[1], re.M)
        self.check("the methods are listed", {"auto", "pg", "apgd"} <= set(methods), methods)
        wanted = load(self.path("dump/summary.json"))["solver"]
        first = None
        done = self.run("solve", "c.sabp", "--method", "gs", "-q", code=3, name="solve by gs")
        self.check("gs is for bodies", "A couples" in done.stderr and "aspg" in done.stderr, done.stderr)
        self.run("solve", "c.sabp", "--method", "pdas", "-q", code=3, name="solve by pdas")
        for method in (m for m in methods if m not in ("gs", "pdas")):
            self.run("solve", "c.sabp", "--method", method, "--tolerance", "1e-5", "--max-iterations",
                     "5000", "-o", f"{method}.json", "-q", name=f"solve by {method}")
            try:
                result = load(self.path(f"{method}.json"))
            except OSError:
                continue
            first = first or result
            scale = max(abs(x) for x in first["u"])
            error = max(abs(a - b) for a, b in zip(first["u"], result["u"])) / scale
            self.check(f"{method}: status", result["status"] == "converged", result["status"])
            self.check(f"{method}: gap", abs(result["solver"]["gap"] - wanted["gap"]) <= 1e-4 and
                       result["solver"]["gap"] <= 1e-5, result["solver"]["gap"])
            self.check(f"{method}: dissipation", abs(result["solver"]["dissipation"] /
                                                     wanted["dissipation"] - 1) < 1e-4)
            self.check(f"{method}: velocity", len(result["u"]) == len(first["u"]) and error < 1e-4, error)
        again = load(self.path("auto.json"))["solver"]
        self.check("solve is run: the same certificate", all(again[k] == wanted[k] for k in (
            "method", "outer", "inner", "gap", "natural")), f"{again}\n{wanted}")
        self.run("solve", "c.sabp", "--linear", "mumps", "-o", "mumps.json", "-q")
        self.check("solve --linear mumps", load(self.path("mumps.json"))["solver"]["linear"] == "mumps")
        done = self.run("solve", "c.sabp", "--max-iterations", "1", "--tolerance", "1e-9", code=1)
        self.check("solve says that it missed", "warning: not converged" in done.stderr, done.stderr)

    # ---- signals --------------------------------------------------------------------------------

    def stop(self, number, *args):
        """Send a signal after the first row; exit code, and what was printed."""
        process = subprocess.Popen([self.program.path, *args], cwd=self.root, env=self.program.env,
                                   stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, text=True)
        for line in process.stdout:
            if re.match(r" +1 ", line):
                break
        process.send_signal(number)
        try:
            errors = process.communicate(timeout=900)[1]
        except subprocess.TimeoutExpired:
            process.kill()
            errors = process.communicate()[1]
        return process.returncode, errors

    def test_signals(self):
        before = snapshot(self.root)
        for number, args in [(signal.SIGTERM, ["run", "c", "-o", "stopped/deep", *SLOW]),
                             (signal.SIGINT, ["run", "c", "-o", "a", "--force", *SLOW])]:
            code, errors = self.stop(number, *args)
            name = f"{number.name} during {args[3]}"
            self.check(f"{name}: exit code 75", code == 75, f"{code}\n{errors}")
            self.check(f"{name}: a warning", errors.startswith("warning: stopped by a signal"), errors)
            changed = difference(before, snapshot(self.root))
            self.check(f"{name}: no file, no directory, an older result intact", not changed, changed)
        self.run("run", "c", "-o", "fine", "-q", "--dump-program", "fine.sabp", "--set",
                 "mesh.parameters.h=0.04", "--set", "solver.max_iterations=1", "--set",
                 "solver.method=apgd", code=1, name="a larger program")
        code, errors = self.stop(signal.SIGTERM, "solve", "fine.sabp", "--method", "pg",
                                    "--tolerance", "1e-12", "--max-iterations", "100000", "-o",
                                    "fine.json")
        self.check("SIGTERM during solve", code == 75 and errors.startswith("warning: stopped") and
                   not os.path.exists(self.path("fine.json")), f"{code}\n{errors}")


def main():
    suite = Suite()
    with tempfile.TemporaryDirectory(prefix="sablier-contract-") as root:
        contract = Contract(Program(sys.argv[1]), suite, root)
        for name in [n for n in vars(Contract) if n.startswith("test_")]:  # in the order above
            getattr(contract, name)()
        suite.check("no half-written file anywhere", not leftovers(root), leftovers(root))
    return suite.end()


if __name__ == "__main__":
    sys.exit(main())
