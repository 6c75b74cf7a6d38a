#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Two processes in one directory: never a mixed result, and what is stale does not stand in the way.

    test_owner.py SABLIER [TRIES]

src/run/owner.h says what is promised. Last line: N passed, N failed.
"""
import concurrent.futures
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
import time

from harness import MESHES, Program, Suite, leftovers, snapshot, write

CREEPING = f"""\
mesh: {{file: {MESHES}/cavity.geo, parameters: {{h: 0.5}}}}
material: {{friction: 0, bingham: 0.5, reynolds: 1}}
gravity: [0, 0]
boundaries:
  lid:  {{velocity: [1, 0]}}
  wall: {{velocity: [0, 0]}}
solver: {{tolerance: 1.0e-3}}
probes:
  drag:    {{force: lid}}
  profile: {{line: [[0.5, 0], [0.5, 1]], samples: 11}}
"""
INERTIAL = CREEPING.replace("reynolds: 1}", "reynolds: 10}") + """\
time: {scheme: inertial, step: 0.01, end: 0.3, steady: 0, window: 0.2}
output: {every: 0.05, checkpoint: 0}
"""
TIMES = re.compile(r'^ *"(?:cpu|wall|assembly|analysis|factorisation|solve|cones|solver|output|total|'
                   r'transport|one_factorisation|peak_memory|cpu_in_factorisations|started|ended|commit|command|date|host)": [^{]*$', re.M)


def blocks(data):
    """Numbers of a checkpoint, without its texts and times (docs/checkpoint.md)."""
    found, at = {}, 32
    for _ in range(struct.unpack_from("<q", data, 16)[0]):
        name = data[at:at + 24].rstrip(b"\0").decode()
        kind, count = struct.unpack_from("<qq", data, at + 24)
        size = (count + 7) // 8 * 8 if kind == 2 else 8 * count
        if kind != 2 and name != "times":
            found[name] = data[at + 40:at + 40 + size]
        at += 48 + size
    return found


class Owners:
    def __init__(self, program, suite, root):
        self.program, self.suite, self.root = program, suite, root
        self.random = random.Random(7)
        write(self.path("creeping/case.yaml"), CREEPING)
        write(self.path("inertial/case.yaml"), INERTIAL)

    def path(self, name):
        return os.path.join(self.root, name)

    def start(self, case, directory, *args, bingham="0.5", restart=None):
        env = dict(self.program.env)
        if restart is not None:
            env.update(SLURM_CLUSTER_NAME="test", SLURM_JOB_ID="17", SLURM_RESTART_COUNT=str(restart))
        return subprocess.Popen([self.program.path, "run", case, "-o", directory, "-q", "--set",
                                 f"material.bingham={bingham}", *args], cwd=self.root, env=env,
                                stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                stderr=subprocess.PIPE, text=True)

    def result(self, directory):
        """What a result says, without the times in it."""
        found = {}
        for name in snapshot(self.path(directory)):
            path = os.path.join(self.path(directory), name)
            if name == "checkpoint.previous.sab" or os.path.isdir(path):
                continue
            with open(path, "rb") as stream:
                data = stream.read()
            if name.endswith(".sab"):
                data = blocks(data)
            elif name == "convergence.csv":
                data = [row.rsplit(b",", 1)[0] for row in data.split(b"\n")]
            elif name == "summary.json":
                data = TIMES.sub("", data.decode())
            found[name] = data
        return found

    def same(self, name, directory, references):
        """The result is whole, and all of it that of one of these."""
        found = self.result(directory)
        good = [k for k, v in references.items() if v == found]
        best = min(([n for n in set(v) | set(found) if v.get(n) != found.get(n)]
                    for v in references.values()), key=len)
        self.suite.check(name, len(good) == 1 and not leftovers(self.path(directory)),
                         f"other than every whole one: {best} {leftovers(self.path(directory))}")
        return good

    # ---- side by side ---------------------------------------------------------------------------

    def side_by_side(self, k, references):
        directory = f"both/{k}"
        order = ["0.5", "2"]
        self.random.shuffle(order)
        first = self.start("creeping", directory, "--force", bingham=order[0])
        time.sleep(self.random.random() * (0.3 if k % 2 else 0.02))
        second = self.start("creeping", directory, "--force", bingham=order[1])
        errors = [p.communicate(timeout=900)[1] for p in (first, second)]
        codes = [first.returncode, second.returncode]
        self.suite.check(f"try {k}: 0, or 2 with a sentence", 0 in codes and all(
            c == 0 or (c == 2 and "is in use: process" in e) for c, e in zip(codes, errors)),
            f"{codes} {errors}")
        self.same(f"try {k}: one result", directory, references)
        return 2 in codes

    def test_side_by_side(self, tries):
        references = {}
        for bingham in ("0.5", "2"):
            self.start("creeping", f"whole-{bingham}", bingham=bingham).communicate()
            references[bingham] = self.result(f"whole-{bingham}")
        self.suite.check("the two differ", all(
            references["0.5"][n] != references["2"][n] for n in (
                "summary.json", "fields_0000.vtu", "history.csv", "profiles/profile.csv",
                "case.resolved.yaml")))
        with concurrent.futures.ThreadPoolExecutor(3) as pool:
            met = sum(pool.map(lambda k: self.side_by_side(k, references), range(tries)))
        print(f"{met} of {tries} met each other")  # how many depends on the machine; test_refused has one that must

    # ---- a node is lost, its process is not ------------------------------------------------------

    def lost_node(self, k, references):
        """The first start of a job is cut off and alive, the second one has begun; the first wakes
        up before, while or after the other one works. Then whoever is last is not the first."""
        directory = f"lost/{k}"
        first = self.start("inertial", directory, restart=0)
        self.wait_for(f"{directory}/checkpoint.sab")
        time.sleep(self.random.random() * self.between)
        kind = k % 3
        if kind:
            first.send_signal(signal.SIGSTOP)
        force = k % 2  # of another case: a file of the first would show
        second = self.start("inertial", directory, "--force" if force else "--resume", restart=1,
                            bingham="2" if force else "0.5")
        if kind == 1:
            time.sleep(2.2 + self.random.random() * 0.6)
            first.send_signal(signal.SIGCONT)
        _, error = second.communicate(timeout=900)
        if kind == 2:
            first.send_signal(signal.SIGCONT)
        _, lost = first.communicate(timeout=900)
        self.suite.check(f"node {k}: the later start has its result", second.returncode == 0,
                         f"{second.returncode} {error}")
        self.suite.check(f"node {k}: the earlier one stops with 4 and a sentence, or was ready",
                         first.returncode == 0 or
                         (first.returncode == 4 and ("taken over" in lost or "no longer ours" in lost)),
                         f"{first.returncode} {lost}")
        self.same(f"node {k}: one result", directory,
                  {"2": references["2"]} if force else {"0.5": references["0.5"]})
        return first.returncode == 4

    def test_lost_node(self, tries):
        references = {}
        begin = time.monotonic()
        for bingham in ("0.5", "2"):
            self.start("inertial", f"run-{bingham}", bingham=bingham).communicate()
            references[bingham] = self.result(f"run-{bingham}")
        # a part of what one run takes, so that a fast machine is not ready before it is stopped
        self.between = (time.monotonic() - begin) / 2 * 0.4
        with concurrent.futures.ThreadPoolExecutor(10) as pool:  # most of the time they wait
            met = sum(pool.map(lambda k: self.lost_node(k, references), range(tries)))
        print(f"{met} of {tries} earlier ones were still there")  # test_surely_lost has some that must

    def test_surely_lost(self):
        """The first start has far to go, and wakes up when the second one has ended: with 4, and nothing written."""
        self.start("inertial", "sure-2", bingham="2").communicate()
        references = {"2": self.result("sure-2")}
        first = self.start("inertial", "sure", "--set", "time.end=100", restart=0)
        self.wait_for("sure/checkpoint.sab")
        first.send_signal(signal.SIGSTOP)
        _, error = self.start("inertial", "sure", "--force", restart=1, bingham="2").communicate(timeout=900)
        self.same("surely lost: the later start has its result", "sure", references)
        first.send_signal(signal.SIGCONT)
        _, lost = first.communicate(timeout=900)
        self.suite.check("surely lost: the earlier one stops with 4 and a sentence", first.returncode == 4 and
                         ("taken over" in lost or "no longer ours" in lost), f"{first.returncode} {lost} {error}")
        self.same("surely lost: and has written nothing", "sure", references)

    def wait_for(self, name):
        end = time.monotonic() + 900
        while not os.path.exists(self.path(name)) and time.monotonic() < end:
            time.sleep(0.005)

    # ---- one at a time ---------------------------------------------------------------------------

    def test_refused(self):
        first = self.start("inertial", "refused", "--set", "time.end=100")
        self.wait_for("refused/checkpoint.sab")
        for option in ("--resume", "--force", "-v"):
            done = self.program.run("run", "inertial", "-o", "refused", option, "--set",
                                    "time.end=100", cwd=self.root)
            self.suite.check(f"{option}: the second one is refused", done.returncode == 2 and
                             f"process {first.pid} " in done.stderr, f"{done.returncode} {done.stderr}")
        # whoever removes the file takes the directory away, and a signal does not save it
        for name in os.listdir(self.path("refused")):
            if name.startswith("owner."):
                os.remove(self.path(f"refused/{name}"))
        first.send_signal(signal.SIGTERM)
        _, error = first.communicate(timeout=900)
        self.suite.check("lost and stopped by a signal: 4, not 75", first.returncode == 4 and
                         "no longer ours" in error, f"{first.returncode} {error}")

    def test_power_cut(self):
        """SIGKILL, and an owner of another boot: --resume just works, and gives the same."""
        self.start("inertial", "uncut").communicate()
        first = self.start("inertial", "cut")
        self.wait_for("cut/checkpoint.previous.sab")
        first.kill()
        first.communicate()
        owner = [n for n in os.listdir(self.path("cut")) if n.startswith("owner.")]
        self.suite.check("SIGKILL leaves the owner", owner == ["owner.1"], owner)
        with open(self.path("cut/owner.1")) as stream:
            text = stream.read()
        shutil.copytree(self.path("cut"), self.path("cut2"))
        # the same process number may be in use again: here it is that of this test
        text = re.sub(r"(?m)^boot .*$", "boot 0f0f0f0f-0000-0000-0000-000000000000", text)
        text = re.sub(r"(?m)^pid .*$", f"pid {os.getpid()}", text)
        write(self.path("cut2/owner.1"), text)
        uncut = {"uncut": self.result("uncut")}
        for directory in ("cut", "cut2"):
            done = self.start("inertial", directory, "--resume")
            _, error = done.communicate(timeout=900)
            self.suite.check(f"{directory}: --resume works", done.returncode == 0, error)
            self.same(f"{directory}: as if nothing had been", directory, uncut)

    def test_released(self):
        for directory in ("whole-2", "run-2", "uncut"):
            names = os.listdir(self.path(directory))
            self.suite.check(f"{directory}: no owner is left", not [n for n in names if "owner" in n], names)
        with open(self.path("uncut/summary.json")) as stream:
            self.suite.check("and the result is one", json.load(stream)["status"] == "finished")


def main():
    suite = Suite()
    tries = int(sys.argv[2]) if len(sys.argv) > 2 else 20
    with tempfile.TemporaryDirectory() as root:
        tests = Owners(Program(sys.argv[1]), suite, root)
        tests.test_refused()
        tests.test_power_cut()
        tests.test_side_by_side(tries)
        tests.test_lost_node(tries)
        tests.test_surely_lost()
        tests.test_released()
    return suite.end()


if __name__ == "__main__":
    sys.exit(main())
