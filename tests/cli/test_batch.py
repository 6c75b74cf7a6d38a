#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Studies on batch systems that are not there: commands on PATH that write down what they are told, and
answer as they should or should not. A real one is in tests/batch.

    test_batch.py SABLIER

docs/study.md says what is promised. Last line: N passed, N failed.
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

from harness import MESHES, Program, Suite, leftovers, snapshot, write

CASE = f"""\
mesh: {{file: {MESHES}/cavity.geo, parameters: {{h: 0.5}}}}
material: {{friction: 0, bingham: 0.5, reynolds: 1}}
gravity: [0, 0]
boundaries:
  lid:  {{velocity: [1, 0]}}
  wall: {{velocity: [0, 0]}}
solver: {{tolerance: 1.0e-3}}
probes:
  drag:   {{force: lid}}
  rate:   {{point: [0.5, 0.9], field: shear_rate}}
  energy: {{integral: kinetic_energy}}
"""
INERTIAL = CASE.replace("reynolds: 1}", "reynolds: 10}") + """\
time: {scheme: inertial, step: 0.005, end: 50, steady: 0, window: 0.2}
output: {every: 0, checkpoint: 0}
"""
STUDY = """\
title: a batch
base: ../c
vary: {material.bingham: [0.25, 0.5, 1, 2], mesh.parameters.h: [0.5, 0.4]}
fit: {law: power, x: material.bingham, y: probes.rate}
"""
CHAINS = """\
base: ../c
vary: {mesh.parameters.h: [0.5, 0.4], material.bingham: [0.25, 0.5, 1]}
continue: material.bingham
"""
BRACKET = """\
base: ../c
vary: {mesh.parameters.h: [0.5, 0.4]}
bracket: {key: material.bingham, between: [0.1, 3], probe: probes.energy, below: 0.028, width: 0.5}
continue: material.bingham
"""
# Any of the commands, by the name it is called with. What it is told goes to `told`; the files `<name>.answer` and
# `<name>.code` say what it prints and how it ends.
FAKE = """\
#!/usr/bin/python3
import json, os, sys
root = os.path.dirname(os.path.abspath(sys.argv[0]))
name = os.path.basename(sys.argv[0])
def control(what, default):
    path = os.path.join(root, name + "." + what)
    return open(path).read() if os.path.exists(path) else default
with open(os.path.join(root, "told"), "a") as stream:
    stream.write(json.dumps([name, *sys.argv[1:]]) + "\\n")
code = int(control("code", "0"))
if code:
    sys.exit(print(name + ": no, says the site", file=sys.stderr) or code)
counter = os.path.join(root, "counter")
if name in ("sbatch", "qsub", "bsub"):
    number = int(open(counter).read()) if os.path.exists(counter) else 17
    open(counter, "w").write(str(number + 1))
    accept = int(control("accept", "1000000"))
    if number >= accept:
        sys.exit(print("sbatch: error: QOSMaxSubmitJobPerUserLimit", file=sys.stderr) or 1)
    print({"sbatch": "%d;cluster", "qsub": "%d[].server", "bsub": "Job <%d> is submitted to default queue <n>."}[name] % number)
else:
    print(control("answer", ""), end="")
"""
NAMES = ("sbatch", "squeue", "scancel", "scontrol", "qsub", "qselect", "qdel", "bsub", "bjobs", "bkill")


def rows(path):
    with open(path, newline="") as stream:
        return list(csv.DictReader(stream))


def timeless(path):
    return [{k: v for k, v in r.items() if not k.startswith("cpu.")} for r in rows(path)]


def text(path):
    with open(path, encoding="utf-8") as stream:
        return stream.read()


class Batch:
    def __init__(self, program, suite, root):
        self.program, self.suite, self.root = program, suite, root
        self.fake = self.path("fake")
        for name in NAMES:
            write(f"{self.fake}/{name}", FAKE)
            os.chmod(f"{self.fake}/{name}", 0o755)
        self.env = {"PATH": f"{self.fake}:{os.environ['PATH']}"}
        write(self.path("c/case.yaml"), CASE)
        write(self.path("i/case.yaml"), INERTIAL)
        write(self.path("s/study.yaml"), STUDY)

    def path(self, name):
        return os.path.join(self.root, name)

    def answer(self, name, answer=None, code=None, accept=None):
        for what, value in (("answer", answer), ("code", code), ("accept", accept)):
            path = f"{self.fake}/{name}.{what}"
            if value is not None:
                write(path, str(value))
            elif os.path.exists(path):
                os.remove(path)

    def told(self, *names):
        """What was said to these commands since the last time."""
        path = f"{self.fake}/told"
        lines = text(path).splitlines() if os.path.exists(path) else []
        write(path, "")
        return [words for words in map(json.loads, lines) if words[0] in names]

    def run(self, *args, code=0, name=None, **more):
        done = self.program.run(*args, cwd=self.root, env={**self.env, **more.pop("env", {})}, **more)
        self.suite.check(f"{name or ' '.join(args)}: exit code {code}", done.returncode == code,
                         f"{done.returncode}\n{done.stdout}\n{done.stderr}")
        return done

    def task(self, words, index, **more):
        """As the batch system would: the script with its arguments, and the variables it sets."""
        script = [w for w in words if w.endswith("task.sh")][0]
        arguments = words[words.index(script) + 1:]
        environment = {**self.program.env, **self.env, **more}
        environment = {k: v for k, v in environment.items() if v is not None}
        return subprocess.run(["/bin/sh", script, *arguments], cwd="/", env=environment, text=True,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, timeout=900)

    def slurm_task(self, words, job, index, **more):
        return self.task(words, index, SLURM_ARRAY_JOB_ID=str(job), SLURM_ARRAY_TASK_ID=str(index),
                         **more)

    # ---- Slurm ----------------------------------------------------------------------------------

    def test_slurm(self):
        """Submitted, split, run by hand, collected: as here."""
        self.answer("scontrol", "SlurmctldHost = x\nMaxArraySize            = 5\nMaxJobCount = 10\n")
        done = self.run("study", "s", "-o", "slurm", "--backend", "slurm", "--at-most", "3", "--submit",
                        "--time=4:00 --comment='two words' -A proj")
        told = self.told("sbatch")
        self.suite.check("split at the limit of the site, and a job that collects", len(told) == 3, told)
        arrays = [next(w for w in words if w.startswith("--array=")) for words in told[:2]]
        self.suite.check("arrays", arrays == ["--array=0-4%3", "--array=0-2%3"], arrays)
        self.suite.check("options of the user come last, and quotes hold words together", all(
            w[-5:-2] == ["--comment=two words", "-A", "proj"] for w in told[:2]) and
            told[2][-4:-1] == ["--comment=two words", "-A", "proj"], told)
        self.suite.check("requeue, and a signal before the limit", all(
            "--requeue" in w and "--signal=B:USR1@120" in w for w in told[:2]), told)
        self.suite.check("the last one waits for both", "--dependency=afterany:17:18" in told[2], told[2])
        self.suite.check("it says so", "5 chains as job 17" in done.stdout, done.stdout)
        table = rows(self.path("slurm/results.csv"))
        self.suite.check("all is pending", [r["status"] for r in table] == ["pending"] * 8, table)
        self.run("study", "s", "-o", "slurm", "--backend", "slurm", code=2, name="not twice")
        self.run("study", "s", "-o", "slurm", "--force", code=0, name="local, the queue is empty")
        shutil.rmtree(self.path("slurm/points"))
        os.mkdir(self.path("slurm/points"))
        for k, words in enumerate(told[:2]):
            for index in range(5 if k == 0 else 3):
                done = self.slurm_task(words, 17 + k, index)
                self.suite.check(f"task {17 + k}_{index}", done.returncode == 0, done.stderr)
        collect = [w for w in told[2] if w.endswith("collect.sh")][0]
        before = self.told("squeue")
        done = subprocess.run(["/bin/sh", collect], cwd="/", env={**self.program.env, **self.env},
                              text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        self.suite.check("collect.sh", done.returncode == 0, done.stdout)
        self.suite.check("files tell, nobody is asked", not self.told(*NAMES), before)
        os.rename(self.path("slurm"), self.path("slurm-kept"))
        self.run("study", "s", "-o", "slurm", "-q", name="local")
        self.suite.check("results.csv", timeless(self.path("slurm/results.csv")) ==
                         timeless(self.path("slurm-kept/results.csv")))
        for name in ("fit.json", "fit_points.csv", "study.json"):
            self.suite.check(name, text(self.path(f"slurm/{name}")) == text(self.path(f"slurm-kept/{name}")))
        shutil.rmtree(self.path("slurm"))
        os.rename(self.path("slurm-kept"), self.path("slurm"))
        self.told()
        self.run("study", "s", "-o", "slurm", "--resume", name="resume: nothing to do")
        self.suite.check("nothing is submitted again", not self.told("sbatch"))

    def test_queue(self):
        """What squeue says, does not say, or cannot say."""
        self.answer("scontrol")
        self.run("study", "s", "-o", "queue", "--backend", "slurm")
        told = self.told("sbatch")
        job = int(text(f"{self.fake}/counter")) - 2
        self.suite.check("without an answer on the limit: one array", len(told) == 2 and
                         "--array=0-7" in told[0], told)
        waiting = "".join(f"{job} {k} x\n" for k in range(8)) + f"{job + 1} N/A x\n"
        self.answer("squeue", waiting)
        done = self.run("study", "s", "-o", "queue", "--resume")
        self.suite.check("all in the queue: nothing is submitted", not self.told("sbatch") and
                         "8 chains" in done.stdout, done.stdout)
        done = self.run("study", "s", "-o", "queue", "--status")
        self.suite.check("status", "8 pending" in done.stdout and "8 of 8 chains" in done.stdout, done.stdout)
        done = self.run("study", "s", "-o", "queue", "--resume", "--backend", "local", code=2)
        self.suite.check("not here while they are there", "in the queue" in done.stderr, done.stderr)
        self.run("study", "s", "-o", "queue", "--force", "--backend", "slurm", code=2)
        self.answer("squeue", code=1)
        done = self.run("study", "s", "-o", "queue", "--resume")
        self.suite.check("squeue fails: what was submitted is taken to be there", not self.told("sbatch")
                         and "no, says the site" in done.stderr and "8 chains" in done.stdout,
                         done.stdout + done.stderr)
        self.answer("squeue", f"{job} 3 x\n99 5 x\n")  # another job of the same user
        self.run("study", "s", "-o", "queue", "--resume")
        again = self.told("sbatch")
        chosen = text(self.path("queue/batch/list-2")).split()
        self.suite.check("only what is not in the queue", "--array=0-6" in again[0] and
                         chosen == ["0", "1", "2", "4", "5", "6", "7"], f"{again} {chosen}")
        self.answer("squeue", "")
        for k in range(8):
            self.slurm_task(told[0], job, k)
        self.told()
        done = self.run("study", "s", "-o", "queue", "--resume")
        self.suite.check("all done and an empty queue: nothing is submitted, the tables are made",
                         not self.told("sbatch") and "8 points" in done.stdout, done.stdout)
        # killed between sbatch and writing down the number of the job: its name tells
        jobs = json.loads(text(self.path("queue/batch/jobs.json")))
        write(self.path("queue/batch/jobs.json"), json.dumps({**jobs, "jobs": []}))
        shutil.rmtree(self.path("queue/points/bingham=1,h=0.5"))
        name = next(w for w in told[0] if w.startswith("--job-name=")).split("=")[1]
        self.answer("squeue", f"55 2 {name}\n")
        self.run("study", "s", "-o", "queue", "--resume")
        self.suite.check("a job that is not written down is known by its name", not self.told("sbatch"))
        self.answer("squeue", "")

    def test_refused(self):
        self.answer("sbatch", code=1)
        done = self.run("study", "s", "-o", "refused", "--backend", "slurm", code=2)
        self.suite.check("a refusal is shown", "sbatch failed (exit code 1): sbatch: no, says the site"
                         in done.stderr, done.stderr)
        self.answer("sbatch", accept=int(text(f"{self.fake}/counter")) + 1)
        self.answer("scontrol", "MaxArraySize = 3\n")
        done = self.run("study", "s", "-o", "refused", "--resume", "--backend", "slurm", code=2)
        self.suite.check("a limit in the middle", "3 of 8 chains were submitted" in done.stderr and
                         "nothing collects" in done.stderr, done.stderr)
        self.answer("sbatch")
        job = int(json.loads(text(self.path("refused/batch/jobs.json")))["jobs"][0]["id"])
        self.answer("squeue", "".join(f"{job} {k} x\n" for k in range(3)))
        self.told()
        self.run("study", "s", "-o", "refused", "--resume")
        arrays = [w for words in self.told("sbatch") for w in words if w.startswith("--array=")]
        self.suite.check("--resume submits the others", arrays == ["--array=0-2", "--array=0-1"], arrays)
        self.answer("squeue", "")
        self.answer("scontrol")
        nowhere = self.program.run("study", "s", "-o", "nowhere", "--backend", "slurm", cwd=self.root,
                                   env={"PATH": "/nonexistent"})
        self.suite.check("no sbatch at all", nowhere.returncode == 2 and "sbatch failed" in nowhere.stderr and
                         "No such file" in nowhere.stderr, nowhere.stderr)

    def test_cancel(self):
        self.run("study", "s", "-o", "cancel", "--cancel", code=2, name="nothing there")
        self.run("study", "s", "-o", "cancel", "--backend", "slurm", "-q")
        first = int(text(f"{self.fake}/counter")) - 2
        self.answer("squeue", f"{first} 1 x\n")
        self.told()
        self.run("study", "s", "-o", "cancel", "--cancel")
        ids = [w[1] for w in self.told("scancel")]
        self.suite.check("all jobs, the collecting one first", ids == [str(first + 1), str(first)], ids)
        self.answer("squeue", "")
        self.run("study", "s", "-o", "cancel", "--cancel")
        self.suite.check("nothing to cancel", not self.told("scancel"))
        jobs = text(self.path("cancel/batch/jobs.json"))
        for bad in (f'"{first}"', '"--user=me"'), (f'"{first}"', '"-u me"'), (f'"{first}"', '""'), ('"list": 1', '"list": -1'):
            write(self.path("cancel/batch/jobs.json"), jobs.replace(*bad))
            done = self.run("study", "s", "-o", "cancel", "--cancel", code=3, name=f"jobs.json with {bad[1]}")
            self.suite.check(f"jobs.json with {bad[1]}: no command sees it", "jobs.json' is damaged" in done.stderr and
                             not self.told("scancel"), done.stderr)
        write(self.path("cancel/batch/jobs.json"), jobs)
        os.remove(self.path("cancel/batch/list-1"))
        os.mkfifo(self.path("cancel/batch/list-1"))
        self.answer("squeue", f"{first} 1 x\n")
        self.run("study", "s", "-o", "cancel", "--status", name="a pipe in the place of a list")
        self.answer("squeue", "")

    # ---- tasks ----------------------------------------------------------------------------------

    def test_changed(self):
        """A number of a chain says nothing in another study."""
        write(self.path("x/study.yaml"), STUDY)
        self.run("study", "x", "--backend", "list", "-q")
        before = snapshot(self.path("out/x"))
        write(self.path("x/study.yaml"), STUDY.replace("0.25, 0.5", "0.5, 0.25"))
        done = self.run("study-task", "out/x", "0", code=2)
        self.suite.check("the study has changed", "has changed since it was submitted" in done.stderr and
                         snapshot(self.path("out/x")) == before, done.stderr)
        for words, expect in ((("out/x", "-1"), "unknown option"), (("out/x", "99"), "no chain 99"),
                              (("out/x", "one"), "whole number"), (("c", "0"), "holds no study"),
                              (("out/x",), "usage:")):
            done = self.run("study-task", *words, code=2)
            self.suite.check(f"study-task {words}", expect in done.stderr, done.stderr)

    def begin_task(self, directory, **env):
        process = subprocess.Popen([self.program.path, "study-task", directory, "0"], cwd=self.root,
                                   env={**self.program.env, **self.env, **env}, text=True,
                                   stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE)
        point = self.path(f"{directory}/points/bingham=0.5")
        end = time.monotonic() + 900
        while not all(os.path.exists(f"{point}/{name}") for name in ("owner.1", "checkpoint.previous.sab")) and \
                time.monotonic() < end:
            time.sleep(0.01)
        return process

    def test_signals(self):
        write(self.path("t/study.yaml"), "base: ../i\nvary: {material.bingham: [0.5]}\n")
        self.run("study", "t", "--backend", "slurm", "-q")
        job = {"SLURM_ARRAY_JOB_ID": "71", "SLURM_ARRAY_TASK_ID": "0"}
        for number, requeued in ((signal.SIGTERM, []), (signal.SIGUSR1, [["scontrol", "requeue", "71_0"]])):
            task = self.begin_task("out/t", **job)
            self.told()
            if number == signal.SIGTERM:  # scancel sends it to the run as well
                for name in os.listdir("/proc"):
                    if name.isdigit() and os.path.exists(f"/proc/{name}/stat"):
                        try:
                            if int(text(f"/proc/{name}/stat").rsplit(")", 1)[1].split()[1]) == task.pid:
                                os.kill(int(name), number)
                        except OSError:
                            pass
            task.send_signal(number)
            _, error = task.communicate(timeout=900)
            self.suite.check(f"{number.name}: 75, with a checkpoint", task.returncode == 75, error)
            self.suite.check(f"{number.name}: requeued or not", self.told("scontrol") == requeued, error)
            log = text(self.path("out/t/points/bingham=0.5/log.txt"))
            self.suite.check(f"{number.name}: the run was told once", "stopped by a signal after step" in log, log)
            shutil.rmtree(self.path("out/t/points/bingham=0.5"))
        # signalled at once: a start that brings the chain no further is the last one
        task = self.begin_task("out/t", **job)
        task.send_signal(signal.SIGUSR1)
        task.communicate(timeout=900)
        rows_done = len(text(self.path("out/t/points/bingham=0.5/history.csv")).splitlines())
        write(self.path("out/t/batch/progress-0"), str(10 ** 9))
        self.told()
        task = self.begin_task("out/t", **job)
        task.send_signal(signal.SIGUSR1)
        _, error = task.communicate(timeout=900)
        self.suite.check("no progress: no requeue", task.returncode == 75 and not self.told("scontrol") and
                         "not come any further" in error and rows_done > 1, error)
        shutil.rmtree(self.path("out/t/points/bingham=0.5"))
        task = self.begin_task("out/t", **job)
        done = self.run("study-task", "out/t", "0", code=2, name="another job", env={
            **job, "SLURM_ARRAY_JOB_ID": "72"})
        self.suite.check("two tasks of one chain", "is in use: process" in done.stderr, done.stderr)
        done = self.run("study", "t", "--status")
        self.suite.check("status of what runs", "1 running" in done.stdout, done.stdout)
        done = self.run("study", "t", "--collect", code=1)
        self.suite.check("a table of what runs", rows(self.path("out/t/results.csv"))[0]["status"] == "running"
                         and "no result yet" in done.stderr, done.stderr)
        # the node is lost, its process is not, and the job starts again
        second = subprocess.Popen([self.program.path, "study-task", "out/t", "0"], cwd=self.root,
                                  env={**self.program.env, **self.env, **job, "SLURM_RESTART_COUNT": "1"},
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        _, error = task.communicate(timeout=900)
        self.suite.check("the first start has lost its chain: 4, never 75", task.returncode == 4 and
                         "taken over" in error, f"{task.returncode} {error}")
        mark = json.loads(text(self.path("out/t/points/bingham=0.5/point.json")))
        self.suite.check("and does not say how the point has ended", mark["exit"] is None, mark)
        time.sleep(0.5)
        second.kill()  # a power cut: its run ends too
        second.communicate()
        self.told()
        done = self.run("study", "t", "--collect", code=1)
        end = time.monotonic() + 900
        while rows(self.path("out/t/results.csv"))[0]["status"] == "running" and time.monotonic() < end:
            time.sleep(0.2)
            self.program.run("study", "t", "--collect", cwd=self.root, env=self.env)
        self.suite.check("a table of what was cut", rows(self.path("out/t/results.csv"))[0]["status"] ==
                         "interrupted", done.stdout)
        self.suite.check("its owner stays until the next one", any(
            name.startswith("chain.") for name in os.listdir(self.path("out/t/points/bingham=0.5"))))
        shutil.rmtree(self.path("out/t"))

    def test_lost(self):
        """Owned by a job of ours on a host that is gone: squeue does not have it, so it is over."""
        write(self.path("l/study.yaml"), "base: ../c\nvary: {material.bingham: [0.5, 1]}\n")
        self.run("study", "l", "--backend", "slurm", "-q")
        job = int(text(f"{self.fake}/counter")) - 2
        for value, number in (("0.5", job), ("1", 4711)):
            write(self.path(f"out/l/points/bingham={value}/chain.1"), "host gone\nmachine m\nboot b\nspace s\n"
                  f"pid 1\nstart 1\njob test:{number}_0\nrestart 0\nsince then\nstamp 1.1\n")
        self.told()
        done = self.run("study", "l", "--resume")
        arrays = [w for words in self.told("sbatch") for w in words if w.startswith("--array=")]
        self.suite.check("our own chain is submitted again, that of somebody else is not",
                         arrays == ["--array=0-0"] and text(self.path("out/l/batch/list-2")) == "0\n" and
                         "host 'gone'" in done.stderr, f"{arrays} {done.stderr}")
        self.suite.check("and its owner is dropped", not os.path.exists(
            self.path("out/l/points/bingham=0.5/chain.1")))

    # ---- others ---------------------------------------------------------------------------------

    def same_as_local(self, name, directory, files):
        self.run("study", name, "-o", f"{name}-local", "-q")
        self.suite.check(f"{name}: results.csv", timeless(self.path(f"{directory}/results.csv")) ==
                         timeless(self.path(f"{name}-local/results.csv")))
        for file in files:
            self.suite.check(f"{name}: {file}", text(self.path(f"{directory}/{file}")) ==
                             text(self.path(f"{name}-local/{file}")))

    def test_list(self):
        """Chains of a continuation and of a bisection, by xargs, GNU parallel and Snakemake."""
        write(self.path("chains/study.yaml"), CHAINS)
        write(self.path("bracket/study.yaml"), BRACKET)
        for name, files in (("chains", ["study.json"]), ("bracket", ["study.json", "brackets.csv"])):
            done = self.run("study", name, "--backend", "list")
            lines = [line for line in done.stdout.splitlines() if "/commands" in line]
            self.suite.check(f"{name}: two chains", len(text(self.path(f"out/{name}/batch/commands")).splitlines())
                             == 2, done.stdout)
            for line in lines:
                tool = line.split()[0]
                if shutil.which(tool) is None:
                    print(f"skipped: {tool} is not installed")
                    continue
                shutil.rmtree(self.path(f"out/{name}/points"))
                os.makedirs(self.path(f"out/{name}/points"))
                out = subprocess.run(["bash", "-c", line], cwd="/", env=self.program.env, text=True,
                                     stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
                self.suite.check(f"{name}: {tool}", out.returncode == 0, out.stdout)
                self.run("study", name, "--collect")
                self.same_as_local(name, f"out/{name}", files)
                shutil.rmtree(self.path(f"{name}-local"))
        self.suite.check("parallel and xargs", len(lines) == 2, lines)
        done = self.run("study", "chains", "--resume")
        self.suite.check("nothing left to list", text(self.path("out/chains/batch/commands")) == "", done.stdout)
        compile(text(self.path("out/bracket/batch/Snakefile")).replace("rule all:", "if True:").replace(
            "rule chain:", "if True:").replace("input:", "").replace("output:", "").replace("shell:", ""),
            "Snakefile", "exec")

    def test_pbs(self):
        """By the manual only: indices, smallest arrays, ids with brackets."""
        write(self.path("p/study.yaml"), "base: ../c\nvary: {material.bingham: [0.5]}\n")
        self.told()
        self.run("study", "p", "--backend", "pbs", "--submit", "-l walltime=1:00:00")
        told = self.told("qsub")
        job = int(text(f"{self.fake}/counter")) - 2
        self.suite.check("qsub: no array of one", told[0][told[0].index("-J") + 1] == "0-1", told)
        self.suite.check("qsub: depends", f"depend=afterany:{job}[].server" in told[1], told)
        for index in (0, 1):
            done = self.task(told[0], index, PBS_ARRAY_INDEX=str(index), PBS_JOBID=f"{job}[{index}].server")
            self.suite.check(f"pbs: element {index}", done.returncode == 0, done.stderr)
        self.run("study", "p", "--collect")
        os.remove(self.path("out/p/points/bingham=0.5/summary.json"))
        self.answer("qselect", f"{job}[0].server\n{job + 1}.server\n")
        self.run("study", "p", "--resume")
        self.suite.check("qselect: in the queue", not self.told("qsub"))
        self.run("study", "p", "--cancel")
        self.suite.check("qdel", [w[1] for w in self.told("qdel")] == [f"{job + 1}[].server", f"{job}[].server"])

    def test_lsf(self):
        write(self.path("f/study.yaml"), "base: ../c\nvary: {material.bingham: [0.5, 1]}\n")
        self.told()
        self.run("study", "f", "--backend", "lsf", "--at-most", "2")
        told = self.told("bsub")
        job = int(text(f"{self.fake}/counter")) - 2
        self.suite.check("bsub", told[0][told[0].index("-J") + 1].endswith("[1-2]%2") and
                         f"ended({job})" in told[1], told)
        for index in (1, 2):
            done = self.task(told[0], index, LSB_JOBINDEX=str(index), LSB_JOBID=str(job))
            self.suite.check(f"lsf: element {index}", done.returncode == 0, done.stderr)
        self.run("study", "f", "--collect")
        os.remove(self.path("out/f/points/bingham=1/summary.json"))
        self.answer("bjobs", f"{job} 2 name\n")
        self.run("study", "f", "--resume")
        self.suite.check("bjobs: in the queue", not self.told("bsub"))

    def test_usage(self):
        for args, expect in (
                (["--backend", "slum"], "is not one of local, slurm, pbs, lsf, list"),
                (["--submit", "-A x"], "belong to a batch system"),
                (["--backend", "local", "--wait"], "belong to a batch system"),
                (["--backend", "slurm", "-j", "2"], "--at-most"),
                (["--backend", "slurm", "--at-most", "0"], "not positive"),
                (["--backend", "slurm", "--submit", "--comment='x"], "quote is not closed"),
                (["--status", "--collect"], "exclude each other"),
                (["--collect", "--resume"], "run nothing"),
                (["--collect"], "there is no study in"), (["--status"], "there is no study in")):
            done = self.run("study", "s", "-o", "usage", *args, code=2)
            self.suite.check(f"{args}: message", expect in done.stderr, done.stderr)
            shutil.rmtree(self.path("usage"), ignore_errors=True)


def main():
    suite = Suite()
    with tempfile.TemporaryDirectory(prefix="sablier-batch-") as root:
        batch = Batch(Program(sys.argv[1]), suite, os.path.realpath(root))
        for name in [n for n in vars(Batch) if n.startswith("test_")]:
            if len(sys.argv) < 3 or name in sys.argv[2:]:
                start = time.monotonic()
                getattr(batch, name)()
                print(f"{name}: {time.monotonic() - start:.1f} s", flush=True)
        suite.check("no half-written file anywhere", not leftovers(root), leftovers(root))
    return suite.end()


if __name__ == "__main__":
    sys.exit(main())
