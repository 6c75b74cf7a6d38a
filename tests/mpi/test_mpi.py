#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""One run on two processes: process 0 is the program, the other serves MUMPS.

    test_mpi.py SABLIER [TEST...]

SABLIER is built with -Dmpi=true. Certificates and exit codes are those of one process; whatever ends process 0, or the other
one, ends all of them. Exit code 77, with a line that says so, if there is no mpirun. Last line: N passed, N failed.
"""
import csv
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "cli"))
from harness import MESHES, Program, Suite, edit, leftovers, write  # noqa: E402

SILO = f"""\
mesh: {{file: {MESHES}/silo.geo, parameters: {{D: 2, h: 1.2, refine: 3}}}}
material: {{friction: 0.5, reynolds: 100}}
gravity: [0, -1]
boundaries:
  wall:   {{velocity: [0, 0]}}
  axis:   {{slip: true}}
  top:    {{traction: 0}}
  outlet: {{traction: 0}}
time: {{scheme: inertial, step: 0.1, end: 1.2}}
solver: {{tolerance: 0.1}}
output: {{every: 0.5, checkpoint: 0}}
probes:
  discharge: {{flux: outlet}}
  push:      {{force: wall}}
"""
CREEPING = edit(SILO, ("time: {scheme: inertial, step: 0.1, end: 1.2}\n", ""), ("tolerance: 0.1", "tolerance: 1.0e-2"),
                ("every: 0.5, checkpoint: 0", "precision: float64"), ("friction: 0.5, ", "friction: 0.3, "))
STUDY = "base: ../creeping\nset: {solver.tolerance: 0.1}\nvary: {material.friction: [0.2, 0.3]}\n"
SECONDS = 900  # more than any of this takes, also on a slow machine where all of it runs at the same time


def summary(directory):
    with open(os.path.join(directory, "summary.json"), encoding="utf-8") as stream:
        return json.load(stream)


def history(directory):
    with open(os.path.join(directory, "history.csv"), newline="") as stream:
        return list(csv.DictReader(stream))


def content(path):
    with open(path, "rb") as stream:
        return stream.read()


def switches(pid):
    """How often a process has given the processor away to sleep, and how often it was taken from it: who spins never sleeps."""
    found = dict(line.split(b":") for line in content(f"/proc/{pid}/status").splitlines())
    return int(found[b"voluntary_ctxt_switches"]), int(found[b"nonvoluntary_ctxt_switches"])


def ranks(directory):
    """{rank: pid} of the processes that mpirun has started for a result below this directory."""
    found = {}
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            words = content(f"/proc/{pid}/cmdline").split(b"\0")
            state = content(f"/proc/{pid}/stat").rsplit(b")", 1)[1].split()[0]
            entries = content(f"/proc/{pid}/environ").split(b"\0")
        except OSError:
            continue
        if state == b"Z" or not any(w.startswith(directory.encode()) for w in words) or b"mpirun" in words[0]:
            continue
        for entry in entries:
            if entry.startswith(b"OMPI_COMM_WORLD_RANK="):
                found[int(entry.split(b"=")[1])] = int(pid)
    return found


class Runs:
    def __init__(self, program, suite, root):
        self.program, self.suite, self.root = program, suite, root
        self.env = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
        write(self.path("silo/case.yaml"), SILO)
        write(self.path("creeping/case.yaml"), CREEPING)

    def path(self, name):
        return os.path.join(self.root, name)

    def words(self, n, *args):
        launcher = ["mpirun", "--oversubscribe", "--mca", "mpi_yield_when_idle", "1", "-n", str(n)] if n > 0 else []
        return [*launcher, self.program.path, *args]

    def run(self, n, *args, code=0):
        """With mpirun on n processes, or (0) without it; no process may be left behind."""
        done = subprocess.run(self.words(n, *args), cwd=self.root, timeout=SECONDS, text=True, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, env={**self.program.env, **self.env})
        self.suite.check(f"{n} ranks: {' '.join(args)}: exit {code}", done.returncode == code,
                         f"{done.returncode}\n{done.stdout}\n{done.stderr}")
        return done

    def start(self, n, *args):
        return subprocess.Popen(self.words(n, *args), cwd=self.root, text=True, stdin=subprocess.DEVNULL,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, env={**self.program.env, **self.env})

    def wait(self, condition, what):
        end = time.monotonic() + SECONDS
        while not condition():
            if time.monotonic() > end:
                raise RuntimeError(f"no {what} after {SECONDS} s")
            time.sleep(0.05)

    def under_way(self, out, rows=3):
        def there():
            try:
                return len(history(out)) >= rows
            except OSError:
                return False
        self.wait(there, f"{rows} steps of {out}")

    def close(self, name, a, b, part):
        a, b = (x if isinstance(x, list) else [x] for x in (a, b))
        scale = max(abs(x) for x in b)
        self.suite.check(f"{name} alike", all(abs(x - y) <= part * scale for x, y in zip(a, b)), f"{a} {b}")

    def test_creeping(self):
        """A run on two has the certificate and the result of one, by any method; and says what it is."""
        for method in ("auto", "ipm-exact", "dr-aa"):
            more = ["--set", f"solver.method={method}", "--set", "solver.tolerance=" + ("0.1" if method == "dr-aa" else "1e-2")]
            self.run(0, "run", "creeping", "-o", self.path(f"one-{method}"), "-q", *more)
            done = self.run(2, "run", "creeping", "-o", self.path(f"two-{method}"), "-v", *more)
            one, two = (summary(self.path(f"{n}-{method}")) for n in ("one", "two"))
            self.suite.check("the header tells", "mpi            2 ranks" in done.stdout and "last digits differ" in done.stdout
                             and "mumps (AMD)" in done.stdout, done.stdout)
            self.suite.check("who factored", [one["solver"][k] for k in ("linear", "processes")] == ["cholmod", 1] and
                             [two["solver"][k] for k in ("linear", "processes")] == ["mumps", 2], two["solver"])
            self.suite.check("both meet the tolerance", one["status"] == two["status"] == "converged", two["status"])
            if method != "dr-aa":  # a thousand steps of it part in the last digits, within the tolerance
                self.close("G", two["solver"]["gap"], one["solver"]["gap"], 1e-3)
                self.close("discharge", two["probes"]["discharge"], one["probes"]["discharge"], 1e-6)
                self.close("push", two["probes"]["push"], one["probes"]["push"], 1e-6)
        self.suite.check("CPU of the others", two["cpu"]["servers"] > 0 and "servers" not in one["cpu"], two["cpu"])

    def test_one_rank(self):
        """MUMPS on one rank has the bits of MUMPS without mpirun."""
        for n in (0, 1):
            self.run(n, "run", "creeping", "-o", self.path(f"bits-{n}"), "-q", "--set", "solver.linear=mumps")
        for name in ("history.csv", "fields_0000.vtu"):
            self.suite.check(f"{name}: same bytes", content(self.path(f"bits-0/{name}")) == content(self.path(f"bits-1/{name}")))

    def test_waiting(self):
        """Who asks for CHOLMOD is told that the others wait; and they do not burn a processor meanwhile."""
        done = self.run(2, "run", "silo", "-o", self.path("alone"), "--set", "solver.linear=cholmod", "--set", "output.every=0")
        self.suite.check("told", "solver.linear: cholmod works on one process, and the other 1 wait" in done.stderr, done.stderr)
        out = self.path("asleep")
        process = self.start(2, "run", "silo", "-o", out, "--set", "solver.linear=cholmod", "--set", "time.end=1000")
        used = []
        for n in (3, 15):
            self.under_way(out, n)
            used.append(switches(ranks(out)[1]))
        os.kill(ranks(out)[0], signal.SIGTERM)
        process.communicate(timeout=SECONDS)
        slept, taken = (b - a for a, b in zip(*used))
        self.suite.check("they sleep", slept > taken and slept > 10, used)

    def test_resume(self):
        """A checkpoint of two is resumed on one, and one of one on two; on the way process 0 is told to stop."""
        ways = ((2, 0), (0, 2), (2, 2))
        for first, second in ways:
            name = f"{first}-{second}"
            out = self.path(name)
            process = self.start(first, "run", "silo", "-o", out, "--set", "time.end=1000")
            self.under_way(out)
            os.kill(ranks(out)[0] if first > 0 else process.pid, signal.SIGTERM)
            said = process.communicate(timeout=SECONDS)
            self.suite.check(f"{name}: stopped with 75", process.returncode == 75, (process.returncode, said))
            self.suite.check(f"{name}: nobody is left", not ranks(out))
            self.suite.check(f"{name}: not yet a result", not os.path.exists(f"{out}/summary.json"))
            self.run(second, "run", "silo", "-o", out, "--resume", "-q", "--set", self.further(out))
        longest = max(len(history(self.path(f"{a}-{b}"))) for a, b in ways)
        self.run(0, "run", "silo", "-o", self.path("whole"), "-q", "--set", f"time.end={longest / 10}")
        for first, second in ways:
            name = f"{first}-{second}"
            rows = history(self.path(name))
            expected = history(self.path("whole"))[:len(rows)]
            self.suite.check(f"{name}: all steps", [r["time"] for r in rows] == [r["time"] for r in expected], len(rows))
            self.close(f"{name}: discharge", [float(r["discharge"]) for r in rows],
                       [float(r["discharge"]) for r in expected], 1e-6)
            self.suite.check(f"{name}: gaps", all(float(r["gap"]) <= 0.1 for r in rows))

    def further(self, out):
        """Three steps more than are there, however many the machine has made meanwhile."""
        return f"time.end={(len(history(out)) + 3) / 10}"

    def test_killed(self):
        """No process outlives another that is killed, and the run goes on from its checkpoint."""
        for rank in (0, 1):
            out = self.path(f"killed-{rank}")
            process = self.start(2, "run", "silo", "-o", out, "--set", "time.end=1000")
            self.under_way(out)
            os.kill(ranks(out)[rank], signal.SIGKILL)
            process.communicate(timeout=SECONDS)
            self.suite.check(f"rank {rank} killed: mpirun says so", process.returncode != 0, process.returncode)
            self.wait(lambda o=out: not ranks(o), "end of all ranks")
            steps = len(history(out)) + 3
            self.run(2, "run", "silo", "-o", out, "--resume", "-q", "--set", self.further(out))
            self.suite.check(f"rank {rank} killed: resumed", len(history(out)) == steps, f"{len(history(out))} {steps}")

    def test_ends(self):
        """However the program ends, all processes do, with the exit code of process 0."""
        write(self.path("exit/case.yaml"), SILO.replace(f"{MESHES}/silo.geo, parameters: {{D: 2, h: 1.2, refine: 3}}", "x.geo"))
        write(self.path("exit/x.geo"), "Exit;\n")
        self.run(2, "run", "nowhere", code=3)
        self.run(2, "run", "exit", "-o", self.path("e1"), code=3)
        self.run(2, "run", "exit", "-o", self.path("e2"), "--safe", code=3)
        self.run(2, "run", "creeping", "-o", self.path("safe"), "--safe", "-q")
        self.run(2, "run", "creeping", "-o", self.path("missed"), "-q", "--set", "solver.max_iterations=2", code=1)
        self.run(2, "run", "creeping", "-o", self.path("missed"), "-q", code=2)  # a result is there
        self.run(2, "check", "creeping")
        done = self.run(2, "keys")
        self.run(2, "report", self.path("safe"))  # becomes another program
        self.suite.check("said once", done.stdout.count("solver.linear") == 1)

    def test_study(self):
        write(self.path("study/study.yaml"), STUDY)
        done = self.run(2, "study", "study", "-o", self.path("no"), code=2)
        self.suite.check("a study is for one", "a study starts a process for each of its points itself" in done.stderr, done.stderr)
        self.suite.check("nothing written", not os.path.exists(self.path("no")))
        self.run(1, "study", "study", "-o", self.path("yes"), "-j", "2", "-q")  # its children are launched by nobody
        self.run(0, "study", "study", "-o", self.path("local"), "-q")
        rows = [[{k: v for k, v in r.items() if not k.startswith("cpu.")} for r in csv.DictReader(
            open(self.path(f"{d}/results.csv"), newline=""))] for d in ("yes", "local")]
        self.suite.check("the study of nobody else", rows[0] == rows[1] and len(rows[0]) == 2, rows)

    def test_blr(self):
        """Small factors have nothing to compress; the answer is the same, and the header tells."""
        done = self.run(2, "run", "creeping", "-o", self.path("blr"), "--set", "solver.blr=1e-6")
        self.suite.check("told", "blocks of low rank, to within 1e-06" in done.stdout, done.stdout)
        self.run(0, "run", "creeping", "-o", self.path("full"), "-q")
        self.close("discharge", *(summary(self.path(d))["probes"]["discharge"] for d in ("blr", "full")), 1e-6)


def main():
    if shutil.which("mpirun") is None:
        print("skipped: no mpirun here; scripts/setup --mpi installs it")
        return 77
    suite = Suite()
    with tempfile.TemporaryDirectory(prefix="sab-") as root:
        runs = Runs(Program(sys.argv[1]), suite, os.path.realpath(root))
        for name in [n for n in vars(Runs) if n.startswith("test_")]:
            if len(sys.argv) < 3 or name in sys.argv[2:]:
                start = time.monotonic()
                try:
                    getattr(runs, name)()
                except (RuntimeError, subprocess.TimeoutExpired, KeyError, OSError) as error:
                    suite.check(name, False, repr(error))
                print(f"{name}: {time.monotonic() - start:.1f} s", flush=True)
        suite.check("no process is left", not ranks(runs.root), ranks(runs.root))
        suite.check("no half-written file anywhere", not leftovers(runs.root), leftovers(runs.root))
    return suite.end()


if __name__ == "__main__":
    sys.exit(main())
