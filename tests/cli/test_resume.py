#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""A run that is killed, stopped, damaged and continued ends as if nothing had happened.

    test_resume.py SABLIER

A small silo, 30 steps. Last line: N passed, N failed.
"""
import json
import os
import random
import re
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import threading
import time
import zlib

from harness import MESHES, Program, Suite, edit, leftovers, snapshot, write

CASE = f"""\
title: Coarse silo
mesh:
  file: {MESHES}/silo.geo
  parameters: {{D: 2, h: 1.2, refine: 3}}
material: {{friction: 0.5, reynolds: 100}}
gravity: [0, -1]
boundaries:
  wall:   {{velocity: [0, 0]}}
  axis:   {{slip: true}}
  top:    {{traction: 0}}
  outlet: {{traction: 0}}
time: {{scheme: inertial, step: 0.1, end: 3}}
solver: {{tolerance: 0.1}}
output: {{every: 0.5, checkpoint: 0}}
probes:
  discharge: {{flux: outlet}}
  push:      {{force: wall}}
  axis_v:    {{line: [[0, 0.1], [0, 8]], samples: 11}}
  load:      {{traction: wall}}
"""
STEPS, FRAMES, KILLS, THREADS = 30, 7, 50, 2
TIMES = {"cpu", "wall", "peak_memory", "provenance"}  # differ from run to run


def read(path, mode="rb"):
    with open(path, mode) as stream:
        return stream.read()


def block(path, name, kind):
    """The numbers of a block of a checkpoint (docs/checkpoint.md)."""
    raw = read(path)
    at = raw.index(name.encode().ljust(24, b"\0"))
    count = struct.unpack_from("<q", raw, at + 32)[0]
    return struct.unpack_from(f"<{count}{kind}", raw, at + 40)


def same_always(path):
    """Is it the same, to the bit, in every run?"""
    return re.fullmatch(r"history.csv|fields.pvd|(fields|gauss)_\d+.vtu|profiles/.*|case.resolved.yaml",
                        path) is not None


def result(directory):
    """All that must not depend on interruptions."""
    files = {p: h for p, h in snapshot(directory).items() if same_always(p)}
    summary = json.loads(read(os.path.join(directory, "summary.json")))
    summary["per_step"] = {k: v for k, v in summary["per_step"].items() if "cpu" not in k}
    return files, {k: v for k, v in summary.items() if k not in TIMES}


class Resume:
    def __init__(self, program, suite, root):
        self.program, self.suite, self.root = program, suite, root
        write(self.path("c/case.yaml"), CASE)

    def path(self, name):
        return os.path.join(self.root, name)

    def check(self, *args):
        return self.suite.check(*args)

    def run(self, *args, code=0, name=None):
        done = self.program.run(*args, cwd=self.root)
        self.check(f"{name or ' '.join(args)}: exit code {code}", done.returncode == code,
                   f"{done.returncode}\n{done.stdout[-2000:]}\n{done.stderr}")
        return done

    def start(self, *args):
        return subprocess.Popen([self.program.path, *args], cwd=self.root, env=self.program.env,
                                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, text=True)

    def compare(self, name, directory):
        files, summary = result(self.path(directory))
        differ = [p for p in sorted(set(files) | set(self.files)) if files.get(p) != self.files.get(p)]
        detail = "".join(subprocess.run(["diff", self.path(f"a/{p}"), self.path(f"{directory}/{p}")],
                                        stdout=subprocess.PIPE, text=True).stdout[:600]
                         for p in differ if p.endswith((".csv", ".pvd")))
        self.check(f"{name}: the files have the same bytes", not differ, f"{differ}\n{detail}")
        self.check(f"{name}: the summary is the same", summary == self.summary,
                   [(k, summary.get(k), self.summary.get(k)) for k in self.summary
                    if summary.get(k) != self.summary[k]])
        self.check(f"{name}: nothing half-written", not leftovers(self.path(directory)),
                   leftovers(self.path(directory)))

    # ---- the run that nobody disturbs -----------------------------------------------------------

    def test_whole(self):
        start = time.monotonic()
        done = self.run("run", "c", "-o", "a")
        self.seconds = time.monotonic() - start
        self.files, self.summary = result(self.path("a"))
        history = read(self.path("a/history.csv"), "r").splitlines()
        index = read(self.path("a/fields.pvd"), "r")
        self.check("status", self.summary["status"] == "finished", self.summary["status"])
        self.check("steps", self.summary["steps"] == STEPS and abs(self.summary["time"] - 3) < 1e-9)
        self.check("history: a row per step", [line.split(",")[0] for line in history] ==
                   ["step"] + [str(i + 1) for i in range(STEPS)], history[:3])
        self.check("frames", re.findall(r'timestep="([^"]+)" part="0" file="fields_(\d+)', index) ==
                   [(f"{0.5 * i:g}", f"{i:04d}") for i in range(FRAMES)], index)
        column = history[0].split(",").index("discharge")
        values = [float(line.split(",")[column]) for line in history[1:]]
        self.check("probes are means over the window",
                   abs(self.summary["probes"]["discharge"] - sum(values) / len(values)) < 1e-12)
        self.check("deviations", 0 < self.summary["deviations"]["discharge"] < 1 and
                   len(self.summary["deviations"]["push"]) == 2 and
                   "axis_v" not in self.summary["deviations"], self.summary["deviations"])
        self.check("grains flow out, faster and faster", 0 < values[0] < values[-1] < 5, values)
        self.check("header and result on the terminal", "30 steps of 0.1 to 3" in done.stdout and
                   "result         a: finished" in done.stdout, done.stdout)
        self.run("run", "c", "-o", "twice", "-q")
        self.compare("twice", "twice")
        self.run("run", "c", "-o", "a", code=2, name="a result is not overwritten")

    # ---- interruptions --------------------------------------------------------------------------

    def kill_and_resume(self, directory, seed, kills, counts):
        """One run that is killed again and again, and has ended when nobody was in time."""
        chance = random.Random(seed)
        args = ["run", "c", "-o", directory, "-v"]
        for _ in range(40):
            resume = os.path.exists(self.path(f"{directory}/checkpoint.sab")) or \
                os.path.exists(self.path(f"{directory}/checkpoint.previous.sab"))
            process = self.start(*args, *(["--resume"] if resume else []))
            if len(counts) < kills and chance.random() < 0.25:  # while it reads and meshes, perhaps
                time.sleep(chance.uniform(0.0, 0.5 * self.seconds))
                process.kill()
            elif len(counts) < kills:  # some time after some steps, or when it writes its last files
                steps = chance.randint(0, 14)
                for line in process.stdout:
                    steps -= re.match(r" +\d+ +[\d.]+ +\d+ ", line) is not None
                    if steps < 0:
                        break
                time.sleep(chance.uniform(0.0, 0.05))
                process.kill()
            errors = process.communicate(timeout=60)[1]
            if process.returncode == -signal.SIGKILL:
                counts.append(len(read(self.path(f"{directory}/history.csv"), "r").splitlines())
                              if os.path.exists(self.path(f"{directory}/history.csv")) else 0)
                continue
            self.check(f"{directory}: exit code", process.returncode == 0,
                       f"{process.returncode}\n{errors}")
            if os.path.exists(self.path(f"{directory}/summary.json")):
                return
        self.check(f"{directory}: it ends at last", False)

    def kill_many(self, number, share, counts):
        mine = []
        for k in range(1000):
            if len(mine) >= share:
                break
            self.kill_and_resume(f"killed-{number}-{k}", 1000 * number + k, share, mine)
            self.compare(f"killed-{number}-{k}", f"killed-{number}-{k}")
            shutil.rmtree(self.path(f"killed-{number}-{k}"))
        counts += mine[:share]

    def test_kill(self):
        counts = []
        workers = [threading.Thread(target=self.kill_many, args=(i, KILLS // THREADS, counts))
                   for i in range(THREADS)]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
        self.check("killed often enough", len(counts) >= KILLS, len(counts))
        self.check("killed at many different steps", len(set(counts)) >= 10, sorted(counts))

    def stopped(self, directory, number=signal.SIGTERM, after=4, more=()):
        """A run that has had a signal after some steps; its exit code and message."""
        process = self.start("run", "c", "-o", directory, "-v", *more)
        for line in process.stdout:
            if re.match(rf" +{after} ", line):
                break
        process.send_signal(number)
        errors = process.communicate(timeout=60)[1]
        return process.returncode, errors

    def test_signals(self):
        for number in (signal.SIGTERM, signal.SIGINT):
            name = f"stopped-{number.name}"
            code, errors = self.stopped(name, number)
            self.check(f"{name}: exit code 75", code == 75, f"{code}\n{errors}")
            self.check(f"{name}: a message", "stopped by a signal after step" in errors and
                       "--resume" in errors, errors)
            self.check(f"{name}: no summary", not os.path.exists(self.path(f"{name}/summary.json")))
            self.run("run", "c", "-o", name, code=2, name=f"{name}: not overwritten")
            before = block(self.path(f"{name}/checkpoint.sab"), "times", "d")
            done = self.run("run", "c", "-o", name, "--resume")
            self.check(f"{name}: says where it goes on", re.search(r"^resumed +after step \d", done.stdout,
                                                                   re.M), done.stdout)
            self.compare(name, name)
            summary = json.loads(read(self.path(f"{name}/summary.json")))
            cpu = summary["cpu"]  # as docs/checkpoint.md has `times`; the last is of one factorisation
            parts = [cpu["assembly"], cpu["output"], cpu["total"], summary["wall"], cpu["transport"]] + [
                cpu[k] for k in ("analysis", "factorisation", "solve", "cones", "solver")]
            self.check(f"{name}: times are sums over the parts", len(before) == len(parts) + 1 and all(
                sum_ > part > 0 for sum_, part in zip(parts, before)), (before, parts))

    def test_sparse_checkpoints(self):
        """Steps after the last checkpoint are lost, and made again."""
        code, errors = self.stopped("sparse", signal.SIGKILL, 20, ["--set", "output.checkpoint=1000"])
        self.check("sparse: killed", code == -signal.SIGKILL, errors)
        rows = len(read(self.path("sparse/history.csv"), "r").splitlines())
        frames = len([p for p in os.listdir(self.path("sparse")) if p.startswith("fields_")])
        self.check("sparse: rows and frames without checkpoint", rows > 20 and frames > 3, (rows, frames))
        write(self.path("sparse/fields_0099.vtu"), "of a part that is lost")
        done = self.run("run", "c", "-o", "sparse", "--resume")
        self.check("sparse: from the beginning", "after step 0" in done.stdout, done.stdout)
        self.compare("sparse", "sparse")

    # ---- checkpoints that are no good -----------------------------------------------------------

    def test_damaged(self):
        self.stopped("good")
        new, old = (read(self.path(f"good/{p}")) for p in ("checkpoint.sab", "checkpoint.previous.sab"))
        chance = random.Random(7)
        flipped = bytearray(new)
        flipped[len(new) // 2] ^= 4
        bad = {"empty": b"", "truncated": new[:len(new) // 2], "one byte short": new[:-1],
               "flipped": bytes(flipped), "garbage": chance.randbytes(2000), "text": b"checkpoint\n",
               "longer": new + b"\0"}
        for name, content in bad.items():
            directory = f"damaged-{name}".replace(" ", "-")
            for twice in (True, False):
                shutil.rmtree(self.path(directory), ignore_errors=True)
                shutil.copytree(self.path("good"), self.path(directory))
                write(self.path(f"{directory}/checkpoint.sab"), content)
                if twice:
                    write(self.path(f"{directory}/checkpoint.previous.sab"), content)
                    before = snapshot(self.path(directory))
                    done = self.run("run", "c", "-o", directory, "--resume", code=3,
                                    name=f"both checkpoints {name}")
                    self.check(f"both {name}: a message", "no checkpoint can be used" in done.stderr,
                               done.stderr)
                    self.check(f"both {name}: nothing touched", snapshot(self.path(directory)) == before)
            whole = name in ("truncated", "flipped")  # the others only for a few steps
            done = self.run("run", "c", "-o", directory, "--resume", *([] if whole else ["--set",
                            "time.end=0.8"]), name=f"checkpoint {name}")
            self.check(f"{name}: a warning", done.stderr.startswith("warning: ") and
                       "the checkpoint before it is used instead" in done.stderr, done.stderr)
            if whole:
                self.compare(f"checkpoint {name}", directory)
            shutil.rmtree(self.path(directory))
        shutil.copytree(self.path("good"), self.path("only"))
        os.remove(self.path("only/checkpoint.sab"))
        write(self.path("only/checkpoint.previous.sab"), old)
        self.run("run", "c", "-o", "only", "--resume", name="only the checkpoint before")
        self.compare("only the checkpoint before", "only")

    def test_other_case(self):
        self.stopped("other")
        for override, expect in [
                ("material.friction=0.4", "material.friction: 0.5 in the checkpoint, 0.4 now"),
                ("time.step=0.05", "time.step: 0.1 in the checkpoint, 0.05 now"),
                ("time.order=1", "time.order: 2 in the checkpoint, 1 now"),
                ("solver.tolerance=0.05", "solver.tolerance: 0.1 in the checkpoint, 0.05 now"),
                ("mesh.parameters.h=1", "mesh.parameters.h: 1.2 in the checkpoint, 1 now"),
                ("mesh.parameters.W=8", "mesh.parameters.W: not given in the checkpoint, 8 now"),
                ("boundaries.top={pressure: 0.1}", "boundaries.top.traction: 0 in the checkpoint, not given"),
                ("probes.more={flux: top}", "probes.more: not given in the checkpoint, {flux: top} now")]:
            before = snapshot(self.path("other"))
            done = self.run("run", "c", "-o", "other", "--resume", "--set", override, code=2)
            self.check(f"{override}: the key is named", expect in done.stderr, done.stderr)
            self.check(f"{override}: nothing touched", snapshot(self.path("other")) == before)
        write(self.path("far/silo.geo"), edit(read(os.path.join(MESHES, "silo.geo"), "r"), (
            "Point(5) = {0, H, 0, h}", "Point(5) = {0, H, 0, 0.9 * h}")))
        done = self.run("run", "c", "-o", "other", "--resume", "--set",
                        f"mesh.file={self.path('far/silo.geo')}", code=2, name="another mesh")
        self.check("another mesh: said", "a run on another mesh" in done.stderr, done.stderr)
        shutil.copy(os.path.join(MESHES, "silo.geo"), self.path("far/silo.geo"))
        done = self.run("run", "c", "-o", "other", "--resume", "--set", "time.end=0.2", code=3,
                        name="an end that has passed")
        self.check("an end that has passed: said", "is not later than the checkpoint" in done.stderr,
                   done.stderr)
        self.run("run", "c", "-o", "other", "--resume", "-q", "--set",
                 f"mesh.file={self.path('far/silo.geo')}", "--set", "title=moved", "--set",
                 "output.checkpoint=30", "--set", "time.step=0.10", name="changes that do not matter")
        shutil.copy(self.path("a/case.resolved.yaml"), self.path("other/case.resolved.yaml"))
        summary = json.loads(read(self.path("other/summary.json")))
        write(self.path("other/summary.json"), json.dumps({**summary, "title": "Coarse silo"}))
        self.compare("changes that do not matter", "other")

    # ---- other ways to begin and to end ---------------------------------------------------------

    def test_nothing(self):
        done = self.run("run", "c", "-o", "nowhere", "--resume", code=2)
        self.check("no checkpoint: a hint", "there is no checkpoint in 'nowhere'; start the run without "
                   "--resume" in done.stderr, done.stderr)
        self.check("no checkpoint: nothing made", not os.path.exists(self.path("nowhere")))
        before = snapshot(self.path("a"))
        done = self.run("run", "c", "-o", "a", "--resume")
        self.check("a whole result: nothing to do", "nothing to do" in done.stdout and
                   snapshot(self.path("a")) == before, done.stdout)
        self.run("run", "c", "-o", "a", "--resume", "--force", code=2)

    def test_killed_before_summary(self):
        shutil.copytree(self.path("a"), self.path("almost"))
        os.remove(self.path("almost/summary.json"))
        self.run("run", "c", "-o", "almost", "--resume", "-q")
        self.compare("killed before the summary", "almost")

    def test_longer(self):
        """time.end may be raised: as if it had been so from the beginning."""
        longer = ["--set", "time.end=4", "--set", "output.every=0.5"]
        self.run("run", "c", "-o", "long", "-q", *longer)
        shutil.copytree(self.path("a"), self.path("raised"))
        done = self.run("run", "c", "-o", "raised", "--resume", *longer)
        self.check("raised: goes on", "after step 30" in done.stdout, done.stdout)
        self.files, self.summary, kept = *result(self.path("long")), (self.files, self.summary)
        self.compare("raised, as if it had been so", "raised")
        self.files, self.summary = kept

    def test_force(self):
        """A forced run leaves nothing of the older one that belongs to neither."""
        shutil.copytree(self.path("a"), self.path("forced"))
        write(self.path("forced/notes.txt"), "mine")
        self.run("run", "c", "-o", "forced", "--force", "-q", "--set", "output.every=0")
        found = sorted(p for p in snapshot(self.path("forced")) if p.startswith("fields"))
        self.check("forced: only its own frames", found == ["fields.pvd", "fields_0000.vtu"], found)
        self.check("forced: other files stay", read(self.path("forced/notes.txt")) == b"mine")

    def test_steady(self):
        done = self.run("run", "c", "-o", "steady", "--set", "time.end=100", "--set", "time.steady=0.2",
                        "--set", "time.window=1")
        summary = json.loads(read(self.path("steady/summary.json")))
        self.check("steady: status", summary["status"] == "steady" and summary["steps"] < 200,
                   (summary["status"], summary["steps"]))
        self.check("steady: a window", summary["window"] == {"rows": 10, "length": 1.0,
                                                             "probe": "discharge"}, summary["window"])
        self.check("steady: on the terminal", "result         steady: steady" in done.stdout)

    def test_missed(self):
        """Steps that miss their tolerance are said, counted, and give exit code 1."""
        hard = ["--set", "solver.max_iterations=1", "--set", "solver.tolerance=1e-6", "--set",
                "solver.method=pg", "--set", "time.end=0.2"]
        done = self.run("run", "c", "-o", "missed", *hard, code=1)
        summary = json.loads(read(self.path("missed/summary.json")))
        self.check("missed: summary", summary["status"] == "finished" and summary["missed"] == 2 and
                   summary["missed_steps"] == [1, 2] and max(summary["worst_gap"], summary["worst_compaction"]) > 1e-6,
                   (summary["status"], summary["missed"], summary["missed_steps"]))
        self.check("missed: a warning", "2 of 2 steps missed the tolerance" in done.stderr, done.stderr)
        done = self.run("run", "c", "-o", "given-up", *hard, "--set", "time.max_missed=0", code=1)
        summary = json.loads(read(self.path("given-up/summary.json")))
        self.check("given up: summary", summary["status"] == "not_converged" and summary["steps"] == 1,
                   (summary["status"], summary["steps"]))
        self.check("given up: a warning", "given up after 1 step" in done.stderr, done.stderr)
        self.run("run", "c", "-o", "given-up", *hard, "--set", "time.max_missed=0", "--resume", code=1,
                 name="given up: nothing to do, but no success either")

    def test_initial_from(self):
        write(self.path("from/case.yaml"), CASE + "initial: {from: ../a/checkpoint.sab}\n")
        self.run("run", "from", "-o", "from-a", "-q", "--set", "time.end=0.2")
        history = read(self.path("from-a/history.csv"), "r").splitlines()
        column = history[0].split(",").index("discharge")
        before = float(read(self.path("a/history.csv"), "r").splitlines()[-1].split(",")[column])
        after = float(history[1].split(",")[column])
        self.check("initial.from: the flow goes on", abs(after / before - 1) < 0.05, (before, after))
        self.check("initial.from: its path is absolute in the resolved case", f"from: {self.path('a')}/" in
                   read(self.path("from-a/case.resolved.yaml"), "r"))
        creeping = edit(CASE, ("time: {scheme: inertial, step: 0.1, end: 3}\n", ""),
                        ("output: {every: 0.5, checkpoint: 0}\n", ""))
        write(self.path("creep/case.yaml"), creeping)
        self.run("run", "creep", "-o", "creep-a", "-q")
        write(self.path("warm/case.yaml"), creeping + "initial: {from: ../creep-a/checkpoint.sab}\n")
        self.run("run", "warm", "-o", "warm-a", "-q")
        cold, warm = (json.loads(read(self.path(f"{p}-a/summary.json"))) for p in ("creep", "warm"))
        self.check("initial.from: a creeping flow starts warm", warm["solver"]["outer"] <=
                   cold["solver"]["outer"] and abs(warm["probes"]["discharge"] /
                                                   cold["probes"]["discharge"] - 1) < 0.1,
                   (cold["solver"], warm["solver"]))
        done = self.run("run", "from", "-o", "x", "--set", "initial.from=none.sab", code=3,
                        name="initial.from: no file")
        self.check("initial.from: no file, said", "initial.from: cannot open checkpoint" in done.stderr,
                   done.stderr)
        self.check("initial.from: nothing written", not os.path.exists(self.path("x")))
        code, errors = self.stopped("from-b", more=["--set", "initial.from=../a/checkpoint.sab"])
        shutil.move(self.path("a"), self.path("gone"))  # not needed to go on
        self.run("run", "c", "-o", "from-b", "--resume", "-q", "--set",
                 "initial.from=../a/checkpoint.sab")
        shutil.move(self.path("gone"), self.path("a"))

    def without_mesh(self, source, target):
        """A checkpoint as versions wrote it that did not keep the mesh."""
        raw = read(source)
        at, blocks = 32, []
        for _ in range(struct.unpack_from("<q", raw, 16)[0]):
            name, kind, count = struct.unpack_from("<24sqq", raw, at)
            size = 40 + ((count + 7) // 8 * 8 if kind == 2 else 8 * count) + 8
            if name.rstrip(b"\0") not in (b"space", b"nodes", b"elements"):
                blocks.append(raw[at:at + size])
            at += size
        head = raw[:16] + struct.pack("<q", len(blocks))
        body = head + struct.pack("<q", zlib.crc32(head)) + b"".join(blocks)
        write(target, body + struct.pack("<q", zlib.crc32(body)))

    def test_initial_other_mesh(self):
        """A state on another mesh is interpolated, said, and checked; the same mesh needs none of that."""
        state = "initial.from=" + self.path("a/checkpoint.sab")
        finer = ("--set", "mesh.parameters.h=1", "--set", state)
        done = self.run("run", "c", "-o", "finer", *finer)
        self.check("another mesh: said", "start          interpolated from another mesh" in done.stdout and
                   "kinetic energy" in done.stdout, done.stdout)
        whole = json.loads(read(self.path("finer/summary.json")))
        start = whole["initial"]
        self.check("another mesh: the energy goes along", abs(start["energy"] / start["energy_source"] - 1) < 0.02, start)
        self.check("another mesh: all of it inside", start["clamped"] == 0 and start["outside"] == 0, start)
        code, _ = self.stopped("finer-b", more=finer)
        self.check("another mesh: stopped", code == 75, code)
        self.run("run", "c", "-o", "finer-b", "--resume", "-q", *finer)
        again = json.loads(read(self.path("finer-b/summary.json")))
        self.check("another mesh: resumed, the same is told", again["initial"] == start and
                   read(self.path("finer-b/history.csv")) == read(self.path("finer/history.csv")), again["initial"])
        for name, words, sets in (
                ("elsewhere", "of this mesh is outside that of the state", ["mesh.parameters.W=24"]),
                ("another geometry", "it is a state of geometry: plane, this case is axisymmetric",
                 ["geometry=axisymmetric"])):
            done = self.run("run", "c", "-o", "x", "--set", state, *(w for s in sets for w in ("--set", s)), code=3,
                            name=f"initial.from: {name}")
            self.check(f"initial.from: {name}, said", words in " ".join(done.stderr.split()), done.stderr)
            self.check(f"initial.from: {name}, nothing written", not os.path.exists(self.path("x")))
        old = self.path("old.sab")
        self.without_mesh(self.path("a/checkpoint.sab"), old)
        for name, source in (("old", old), ("new", self.path("a/checkpoint.sab"))):
            self.run("run", "c", "-o", f"from-{name}", "-q", "--set", f"initial.from={source}", "--set", "time.end=0.3")
        self.check("the same mesh: old checkpoints are read, and give the same bits",
                   read(self.path("from-old/history.csv")) == read(self.path("from-new/history.csv")))
        done = self.run("run", "c", "-o", "x", "--set", f"initial.from={old}", "--set", "mesh.parameters.h=1", code=3,
                        name="an old checkpoint, another mesh")
        self.check("an old checkpoint, another mesh: said", "does not hold the mesh" in " ".join(done.stderr.split()),
                   done.stderr)

    def test_coarse_to_fine(self):
        """The steady flow of a coarse mesh is nearly that of a fine one: fewer steps, the same end."""
        write(self.path("channel/case.yaml"), f"""\
mesh: {{file: {MESHES}/channel.geo, parameters: {{L: 1, n: 4, structured: 0}}}}
material: {{friction: 0, bingham: 0.5, reynolds: 1}}
gravity: [1, 0]
boundaries:
  inlet:  {{traction: [1, "y"]}}
  outlet: {{traction: [-1, "-y"]}}
  wall:   {{velocity: [0, 0]}}
time: {{scheme: inertial, order: 1, step: 0.05, end: 20, window: 0.5, steady: 1.0e-3}}
solver: {{tolerance: 1.0e-5}}
output: {{every: 0}}
probes: {{flux: {{flux: outlet}}}}
""")
        fine = ("--set", "mesh.parameters.n=8")
        self.run("run", "channel", "-o", "channel-coarse", "-q")
        self.run("run", "channel", "-o", "channel-rest", "-q", *fine)
        self.run("run", "channel", "-o", "channel-on", "-q", *fine, "--set",
                 "initial.from=" + self.path("channel-coarse/checkpoint.sab"))
        coarse, rest, on = (json.loads(read(self.path(f"channel-{n}/summary.json"))) for n in ("coarse", "rest", "on"))
        self.check("coarse to fine: fewer steps", on["steps"] < 0.7 * rest["steps"], (on["steps"], rest["steps"]))
        fluxes = [s["probes"]["flux"] for s in (coarse, rest, on)]
        self.check("coarse to fine: the flux of the fine mesh", abs(fluxes[2] - fluxes[1]) <
                   0.1 * abs(fluxes[1] - fluxes[0]), fluxes)


def main():
    suite = Suite()
    with tempfile.TemporaryDirectory(prefix="sablier-resume-") as root:
        resume = Resume(Program(sys.argv[1]), suite, root)
        for name in [n for n in vars(Resume) if n.startswith("test_")]:  # in the order above
            start = time.monotonic()
            getattr(resume, name)()
            print(f"{name} {time.monotonic() - start:.1f} s", flush=True)
    return suite.end()


if __name__ == "__main__":
    sys.exit(main())
