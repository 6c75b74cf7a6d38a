#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Studies on a real Slurm of two nodes on this machine (cluster.py): arrays, cancel and resume, requeue, the signal
before the time limit, a node that is lost while its process lives on.

    test_slurm.py SABLIER

Exit code 77, with a line that says so, if there is no Slurm. Last line: N passed, N failed.
"""
import csv
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

import cluster

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "cli"))
from harness import MESHES, Program, Suite, leftovers, write  # noqa: E402

CASE = f"""\
mesh: {{file: {MESHES}/cavity.geo, parameters: {{h: 0.3}}}}
material: {{friction: 0, bingham: 0.5, reynolds: 10}}
gravity: [0, 0]
boundaries:
  lid:  {{velocity: [1, 0]}}
  wall: {{velocity: [0, 0]}}
solver: {{tolerance: 1.0e-3}}
time: {{scheme: inertial, step: 0.01, end: 1.5, steady: 0, window: 0.2}}
output: {{every: 0, checkpoint: 0}}
probes:
  energy: {{integral: kinetic_energy}}
  drag:   {{force: lid}}
"""
STUDY = """\
title: a dozen points
base: ../c
vary: {material.reynolds: [10, 12], material.bingham: [0.25, 0.3, 0.4, 0.5, 0.7, 1]}
fit: {law: power, x: material.bingham, y: probes.energy}
"""
FEW = "base: ../c\nset: {time.end: 3}\nvary: {material.bingham: [0.25, 0.5, 1]}\n"
LONG = "base: ../c\nset: {time.end: 1000}\nvary: {material.bingham: [0.25]}\n"
SHORTER = LONG.replace("1000", "2")


def text(path):
    with open(path, encoding="utf-8") as stream:
        return stream.read()


def timeless(path):
    with open(path, newline="") as stream:
        return [{k: v for k, v in r.items() if not k.startswith("cpu.")} for r in csv.DictReader(stream)]


def processes(directory):
    """{pid: [pid of its parent, ...]} of the runs and tasks of this program below a directory."""
    parents, found = {}, []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            fields = text(f"/proc/{pid}/stat").rsplit(")", 1)[1].split()
            words = text(f"/proc/{pid}/cmdline").split("\0")
        except (OSError, UnicodeDecodeError):
            continue
        parents[int(pid)] = int(fields[1])
        if fields[0] != "Z" and "sablier" in words[0] and any(w.startswith(directory) for w in words):
            found.append(int(pid))
    chains = {}
    for pid in found:
        chains[pid] = []
        while parents.get(pid if not chains[pid] else chains[pid][-1], 0) > 1:
            chains[pid].append(parents[pid if not chains[pid] else chains[pid][-1]])
    return chains


class Jobs:
    def __init__(self, program, suite, slurm, root):
        self.program, self.suite, self.slurm, self.root = program, suite, slurm, root
        self.env = {k: v for k, v in slurm.env.items() if k in ("SLURM_CONF", "PATH")}
        write(self.path("c/case.yaml"), CASE)

    def path(self, name):
        return os.path.join(self.root, name)

    def run(self, *args, code=0, name=None, **more):
        done = self.program.run(*args, cwd=self.root, env=self.env, timeout=900, **more)
        self.suite.check(f"{name or ' '.join(args)}: exit code {code}", done.returncode == code,
                         f"{done.returncode}\n{done.stdout}\n{done.stderr}")
        return done

    def jobs(self, directory):
        return [j["id"] for j in json.loads(text(self.path(f"{directory}/batch/jobs.json")))["jobs"]]

    def wait(self, condition, what, seconds=600.0):
        self.slurm.wait_for(condition, what, seconds)

    def at_work(self, directory, point):
        """Its run has made some steps."""
        path = self.path(f"{directory}/points/{point}/history.csv")
        self.wait(lambda: os.path.exists(path) and text(path).count("\n") > 5, f"steps of {point}")

    def log(self, directory, job):
        return text(self.path(f"{directory}/batch/log/{job}.txt"))

    def same(self, name, directory, other, files):
        self.suite.check(f"{name}: results.csv", timeless(self.path(f"{directory}/results.csv")) ==
                         timeless(self.path(f"{other}/results.csv")),
                         text(self.path(f"{directory}/results.csv")))
        for file in files:
            self.suite.check(f"{name}: {file}", text(self.path(f"{directory}/{file}")).replace(directory, other) ==
                             text(self.path(f"{other}/{file}")))

    # ---- the whole ------------------------------------------------------------------------------

    def test_twelve(self):
        """Twelve points; one is requeued, the node of another is lost while its process lives on."""
        write(self.path("s/study.yaml"), STUDY)
        local = subprocess.Popen([self.program.path, "study", "s", "-o", "local", "-q", "-j", "2"], cwd=self.root,
                                 env=self.program.env, stdout=subprocess.DEVNULL)
        self.run("study", "s", "-o", "twelve", "--backend", "slurm", "--submit", "--time=60 --mem=100")
        self.suite.check("submitting does not wait for the points", self.slurm.queue(), "the queue is empty")
        first, second, collect = self.jobs("twelve")
        self.at_work("twelve", "reynolds=10,bingham=0.25")
        self.at_work("twelve", "reynolds=10,bingham=0.3")
        here = {p: c for p, c in processes(self.path("twelve")).items() if os.getpid() in c}
        self.suite.check("nothing runs on the login node", not here, here)
        self.run("study", "s", "-o", "twelve", "--resume")
        self.suite.check("nothing is submitted twice", self.jobs("twelve") == [first, second, collect])

        node = {k: self.slurm.node_of(f"{first}_{k}") for k in (0, 1)}
        self.suite.check("two nodes", sorted(node.values()) == ["n1", "n2"], node)
        task = self.owner("twelve", "reynolds=10,bingham=0.3", "chain")
        run = self.owner("twelve", "reynolds=10,bingham=0.3", "owner")
        self.slurm.lose(node[1])  # with its task held up, as by a network that has gone
        for pid in (task, run):
            os.kill(pid, signal.SIGSTOP)
        self.slurm.run("scontrol", "requeue", f"{first}_0")
        self.wait(lambda: self.slurm.queue().get(f"{first}_0") == "PENDING" or
                  "interrupted" in self.log("twelve", f"{first}_0"), "requeued task")
        self.wait(lambda: node[1] not in self.slurm.run("sinfo", "-h", "-N", "-t", "idle,alloc,mix", "-o", "%N").split(),
                  "lost node")
        point = self.path("twelve/points/reynolds=10,bingham=0.3")
        self.wait(lambda: not os.path.exists(f"{point}/owner.1"), "second start of the lost task")
        for pid in (run, task):
            os.kill(pid, signal.SIGCONT)
        self.wait(lambda: not {run, task} & set(processes(self.path("twelve"))), "end of the first start")
        self.slurm.mend(node[1])  # not before: a node that comes back kills what Slurm does not know
        lost = self.log("twelve", f"{first}_1")
        self.suite.check("the first start has lost its chain", "taken over by process" in lost, lost)

        self.wait(lambda: not self.slurm.queue(), "end of all jobs")
        self.suite.check("one was requeued, one stopped and began again",
                         self.log("twelve", f"{first}_0").count("chain 0 of") == 2 and
                         lost.count("chain 1 of") == 2, self.log("twelve", f"{first}_0"))
        local.wait(timeout=900)
        self.suite.check("the local study", local.returncode == 0, local.returncode)
        self.suite.check("fit.json is there, made by the job that collects", "12 points" in self.log("twelve", collect))
        self.same("over Slurm as here", "twelve", "local", ["fit.json", "fit_points.csv", "study.json"])
        for name in os.listdir(self.path("local/points")):
            a, b = (self.path(f"{d}/points/{name}/history.csv") for d in ("local", "twelve"))
            self.suite.check(f"{name}: every step", re.sub(",[^,]*", "", text(a)) == re.sub(",[^,]*", "", text(b)) and
                             text(a).splitlines()[-1].split(",")[6:] == text(b).splitlines()[-1].split(",")[6:])
        done = self.run("study", "s", "-o", "twelve", "--resume")
        self.suite.check("a second --resume submits nothing", self.jobs("twelve") == [first, second, collect] and
                         not self.slurm.queue() and "submitted" not in done.stdout, done.stdout)
        done = self.run("study", "s", "-o", "twelve", "--status")
        self.suite.check("status", "12 done" in done.stdout and "0 of 12 chains" in done.stdout, done.stdout)
        owners = [os.path.join(d, f) for d, _, fs in os.walk(self.path("twelve")) for f in fs
                  if re.fullmatch(r"(owner|chain)\.\d+", f)]
        self.suite.check("no owner is left", not owners, owners)

    def owner(self, directory, point, name):
        """Process that owns a point or its chain."""
        path = self.path(f"{directory}/points/{point}/{name}.1")
        return int(re.search(r"(?m)^pid (\d+)$", text(path)).group(1))

    # ---- one thing at a time --------------------------------------------------------------------

    def test_cancel(self):
        """Cancelled in mid-run, and resumed: as if nothing had been."""
        write(self.path("few/study.yaml"), FEW)
        self.run("study", "few", "-o", "few-local", "-q", "-j", "2")
        self.run("study", "few", "-o", "cut", "--backend", "slurm", "--at-most", "2", "-q")
        job = self.jobs("cut")[0]
        self.at_work("cut", "bingham=0.25")
        self.at_work("cut", "bingham=0.5")
        self.run("study", "few", "-o", "cut", "--cancel")
        self.wait(lambda: not self.slurm.queue(), "empty queue")
        self.suite.check("it was told once, and wrote a checkpoint", all(
            "stopped by a signal after step" in text(self.path(f"cut/points/bingham={b}/log.txt"))
            for b in ("0.25", "0.5")), self.log("cut", f"{job}_0"))
        done = self.run("study", "few", "-o", "cut", "--status")
        self.suite.check("status", "2 interrupted, 1 pending" in done.stdout, done.stdout)
        self.run("study", "few", "-o", "cut", "--collect", code=1)
        self.suite.check("a table of what there is", [r["status"] for r in timeless(self.path("cut/results.csv"))]
                         == ["interrupted", "interrupted", "pending"])
        done = self.run("study", "few", "-o", "cut", "--resume", "--wait")
        self.suite.check("submitted again", len(self.jobs("cut")) == 4, done.stdout)
        self.same("cancelled and resumed", "cut", "few-local", ["study.json"])

    def test_limit(self):
        """The signal before the time limit: a checkpoint, and the task comes again by itself."""
        write(self.path("few/study.yaml"), SHORTER)
        self.run("study", "few", "-o", "limit-local", "-q")
        self.run("study", "few", "-o", "limit", "--backend", "slurm", "-q")
        job = self.jobs("limit")[0]
        self.at_work("limit", "bingham=0.25")
        self.slurm.run("scancel", "--batch", "--signal=USR1", f"{job}_0")
        self.wait(lambda: any(word in self.log("limit", f"{job}_0") for word in ("requeued", "DUE TO JOB REQUEUE")),
                  "requeue")  # Slurm may end the task before it can say so
        self.wait(lambda: not self.slurm.queue(), "end of all jobs")
        log = self.log("limit", f"{job}_0")
        self.suite.check("twice, and no third time", log.count("chain 0 of") == 2, log)
        self.same("over the time limit", "limit", "limit-local", ["study.json"])

    def test_refused(self):
        write(self.path("few/study.yaml"), LONG)
        done = self.run("study", "few", "-o", "no", "--backend", "slurm", "--submit", "--partition=none", code=2)
        self.suite.check("Slurm says why", "invalid partition" in done.stderr, done.stderr)
        self.suite.check("and has nothing", not self.slurm.queue())


def main():
    absent = cluster.missing()
    if absent:
        print(f"skipped: no Slurm here ({', '.join(absent)} not found); scripts/setup --batch installs it")
        return 77
    suite = Suite()
    program = Program(sys.argv[1])
    program.env = {k: v for k, v in program.env.items() if not k.startswith("SLURM_")}
    with tempfile.TemporaryDirectory(prefix="sab-") as root:
        root = os.path.realpath(root)
        slurm = cluster.Slurm(os.path.join(root, "slurm"))
        try:
            slurm.start()
            jobs = Jobs(program, suite, slurm, os.path.join(root, "work"))
            for name in [n for n in vars(Jobs) if n.startswith("test_")]:
                if len(sys.argv) < 3 or name in sys.argv[2:]:
                    start = time.monotonic()
                    getattr(jobs, name)()
                    print(f"{name}: {time.monotonic() - start:.1f} s", flush=True)
            suite.check("no half-written file anywhere", not leftovers(jobs.root), leftovers(jobs.root))
        except RuntimeError as error:
            suite.check("Slurm does as it is told", False, error)
            for name in os.listdir(f"{slurm.root}/log"):
                print(f"---- {name}", *text(f"{slurm.root}/log/{name}").splitlines()[-15:], sep="\n")
        finally:
            slurm.stop()
            for pid in processes(root):  # of a test that broke off
                os.kill(pid, signal.SIGKILL)
    return suite.end()


if __name__ == "__main__":
    sys.exit(main())
