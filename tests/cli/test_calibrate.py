#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""`sablier calibrate`: known parameters come back from measurements that the program has made itself, over a key, in time and
along a profile; what cannot be known is refused.

    test_calibrate.py SABLIER

Bingham flow between plates, on a coarse mesh. Last line: N passed, N failed.
"""
import csv
import json
import os
import subprocess
import sys
import tempfile

from harness import MESHES, ROOT, Program, Suite, write

CASE = f"""\
title: Bingham flow between plates
mesh: {{file: {MESHES}/channel.geo, parameters: {{L: 1, n: 3, structured: 0}}}}
material: {{friction: 0, bingham: 0.3, reynolds: 2}}
gravity: [1, 0]
boundaries:
  inlet:  {{traction: [1, "y"]}}
  outlet: {{traction: [-1, "-y"]}}
  wall:   {{velocity: [0, 0]}}
solver: {{tolerance: 1.0e-5}}
probes:
  flux:    {{flux: outlet}}
  profile: {{line: [[0.5, -1], [0.5, 1]], samples: 21, field: velocity}}
"""
PUSHED = CASE.replace('{traction: [1, "y"]}', "{pressure: 2}").replace('{traction: [-1, "-y"]}', "{pressure: 0.5}").replace(
    "gravity: [1, 0]", "gravity: [0, 0]")
TIMED = CASE + "time: {scheme: inertial, order: 1, step: 0.1, end: 1, steady: 0, window: 0.2}\noutput: {every: 0}\n"


def rows(path):
    with open(path, newline="", encoding="utf-8") as stream:
        return list(csv.DictReader(stream))


def load(path):
    with open(path, encoding="utf-8") as stream:
        return json.load(stream)


class Calibrate:
    def __init__(self, program, suite, root):
        self.program, self.suite, self.root = program, suite, root
        for name, text in (("c", CASE), ("pushed", PUSHED), ("timed", TIMED)):
            write(self.path(f"{name}/case.yaml"), text)
        self.run("run", "c", "-q", "-o", "truth")
        self.run("run", "timed", "-q", "-o", "truth-timed")

    def path(self, name):
        return os.path.join(self.root, name)

    def check(self, *args):
        return self.suite.check(*args)

    def run(self, *args, code=0):
        done = self.program.run(*args, cwd=self.root, timeout=600)
        self.check(f"{' '.join(args)}: exit code {code}", done.returncode == code, f"{done.returncode}\n{done.stderr}{done.stdout}")
        return done

    def found(self, directory, **truth):
        result = load(self.path(f"{directory}/calibrate.json"))
        for name, value in truth.items():
            one = result["parameters"][f"material.{name}"]
            self.check(f"{directory}: {name} is in its interval", one["low"] <= value <= one["high"], one)
        return result

    def test_profile(self):
        """Two keys from the velocities of one run; nothing is run twice."""
        table = rows(self.path("truth/profiles/profile.csv"))
        write(self.path("profile.csv"), "y,velocity_x\n" + "".join(f"{r['y']},{r['velocity_x']}\n" for r in table[1::3]))
        words = ("calibrate", "c", "--data", "profile.csv", "--profile", "profile", "--vary", "material.bingham=0.1,0.6",
                 "--vary", "material.reynolds=1,4", "-o", "profile")
        done = self.run(*words)
        result = self.found("profile", bingham=0.3, reynolds=2.0)
        self.check("profile: close", abs(result["parameters"]["material.bingham"]["value"] - 0.3) < 5e-4 and
                   abs(result["parameters"]["material.reynolds"]["value"] - 2) < 3e-3, result)
        self.check("profile: it is said", "95 % interval" in done.stdout and "material.bingham" in done.stdout, done.stdout)
        self.check("profile: lines within 80 columns", max(map(len, done.stdout.splitlines())) <= 80, done.stdout)
        points = rows(self.path("profile/calibrate_points.csv"))
        self.check("profile: the model is that of the measurements", len(points) == 7 and all(
            abs(float(r["residual"])) < 1e-4 for r in points), points)
        self.check("profile: correlated, and said so", 0.5 < result["correlation"] < 1, result["correlation"])
        self.run(*words, code=2)
        summaries = [os.path.join(folder, "summary.json") for folder, _, files in os.walk(self.path("profile")) if "summary.json" in files]
        before = {p: os.stat(p).st_mtime_ns for p in summaries}
        again = self.run(*words, "--resume")
        self.check("resume: nothing is run again", len(before) == result["sets"] and
                   before == {p: os.stat(p).st_mtime_ns for p in summaries}, len(before))
        self.check("resume: the same words", again.stdout == done.stdout, again.stdout)

    def test_key(self):
        """One run for each value of a key, however often it was measured; sigma, and what is not explained by it."""
        for re in (1, 3):
            self.run("run", "c", "-q", "-o", f"re{re}", "--set", f"material.reynolds={re}")
        flux = {re: load(self.path(f"{d}/summary.json"))["probes"]["flux"] for re, d in ((1, "re1"), (2, "truth"), (3, "re3"))}
        for name, sigma, code in (("key", 0.01, 0), ("unlikely", 1e-4, 1)):
            write(self.path(f"{name}.csv"), "material.reynolds,probes.flux,sigma\n" + "".join(
                f"{re},{-2 * flux[re] * off},{2 * sigma * flux[re]}\n" for re, off in ((1, 1.01), (1, 0.99), (2, 0.995), (3, 1.01))))
            done = self.run("calibrate", "c", "--data", f"{name}.csv", "--vary", "material.bingham=0.1,0.6", "--scale", "-2",
                            "-o", name, code=code)
            result = self.found(name, bingham=0.3)
            self.check(f"{name}: chi^2 says whether it fits", (result["probability"] < 1e-3) == (code == 1), result)
            self.check(f"{name}: a warning or none", ("no values of these keys explain" in done.stderr) == (code == 1), done.stderr)
        self.check("key: three runs a set", len(rows(self.path("key/sets/01/results.csv"))) == 9)
        done = self.run("calibrate", "c", "--data", "key.csv", "--vary", "material.bingham=0.4,0.6", "--scale", "-2", "-o", "bound", code=1)
        one = load(self.path("bound/calibrate.json"))["parameters"]["material.bingham"]
        self.check("bound: said, without an interval", "is at its bound" in done.stderr and one["at_bound"] and
                   one["low"] is None and one["value"] == 0.4, (done.stderr, one))
        for directory in ("key", "profile"):
            picture = subprocess.run(["/usr/bin/python3", os.path.join(ROOT, "postproc/calibrate.py"), directory], cwd=self.root,
                                     stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
            self.check(f"{directory}: a picture", picture.returncode == 0 and
                       os.path.getsize(self.path(f"{directory}/calibrate.png")) > 5000, picture.stdout)

    def test_time(self):
        """The flux of a flow that starts: its history has the viscosity in it, to what is between two steps."""
        table = rows(self.path("truth-timed/history.csv"))
        write(self.path("time.csv"), "time,probes.flux\n" + "".join(f"{r['time']},{r['flux']}\n" for r in table[::2]))
        self.run("calibrate", "timed", "--data", "time.csv", "--vary", "material.reynolds=1,4", "-o", "time")
        self.found("time", reynolds=2.0)
        write(self.path("late.csv"), "time,probes.flux\n0.5,1\n7,1\n")
        done = self.run("calibrate", "timed", "--data", "late.csv", "--vary", "material.reynolds=1,4", "-o", "late", code=3)
        self.check("a time that no run has", "late.csv:3: time = 7 is not between" in done.stderr, done.stderr)

    def test_undetermined(self):
        """Only the difference of two pressures counts, and the traction of no side of a plug."""
        write(self.path("pair.csv"), "material.reynolds,probes.flux\n1,0.2\n2,0.41\n3,0.59\n4,0.82\n")
        done = self.run("calibrate", "pushed", "--data", "pair.csv", "--vary", "boundaries.inlet.pressure=1.5,3", "--vary",
                        "boundaries.outlet.pressure=0,1", "-o", "pair", code=1)
        self.check("a pair: refused, by name", "do not tell boundaries." in " ".join(done.stderr.split()) and
                   "effects are proportional" in " ".join(done.stderr.split()), done.stderr)
        self.check("a pair: no result", not os.path.exists(self.path("pair/calibrate.json")))
        write(self.path("two.csv"), "material.reynolds,probes.flux\n1,0.2\n2,0.41\n")
        done = self.run("calibrate", "timed", "--data", "two.csv", "--vary", "output.checkpoint=10,60", "--set", "time.end=0.2",
                        "-o", "nothing", code=1)
        self.check("a key without effect: refused", "the measurements say nothing about output.checkpoint" in
                   " ".join(done.stderr.split()), done.stderr)

    def test_bad(self):
        """Before anything runs, and nothing is written."""
        data = ("--data", "pair.csv")
        vary = ("--vary", "material.bingham=0.1,0.6")
        write(self.path("text.csv"), "material.reynolds,probes.flux\n1,many\n")
        write(self.path("hole.csv"), "material.reynolds,probes.flux\n1,\n")
        write(self.path("zero.csv"), "material.reynolds,probes.flux,sigma\n1,1,0\n")
        write(self.path("one.csv"), "material.reynolds,probes.flux\n1,1\n")
        for code, means, words in (
                (2, "say what was measured: --data", vary), (2, "say what is sought: --vary", data),
                (2, "give a key and its bounds", data + ("--vary", "material.bingham")),
                (2, "give a key and its bounds", data + ("--vary", "material.bingham=1")),
                (2, "the first bound must be below", data + ("--vary", "material.bingham=1,0")),
                (2, "is given twice", data + vary + vary), (2, "more than 3 keys", data + 4 * vary),
                (2, "--step: 0.5 is not between", data + vary + ("--step", "0.5")),
                (2, "--scale: it must not be 0", data + vary + ("--scale", "0")),
                (3, "cannot open", ("--data", "none.csv") + vary), (3, "text.csv:2", ("--data", "text.csv") + vary),
                (3, "hole.csv:2: there is no number in column 'probes.flux'", ("--data", "hole.csv") + vary),
                (3, "zero.csv:2: sigma is 0, it must be positive", ("--data", "zero.csv") + vary),
                (3, "1 measurement for 1 parameter", ("--data", "one.csv") + vary),
                (3, "did you mean 'probes.flux'", data + vary + ("--y", "probes.fluks")),
                (3, "unknown key; did you mean 'bingham'", data + ("--vary", "material.bingam=0,1")),
                (2, "the case has no probe 'side'; there are flux, profile", data + vary + ("--profile", "side")),
                (2, "a creeping flow has no history", ("--data", "time.csv") + vary)):
            done = self.run("calibrate", "c", *words, "-o", "bad", code=code)
            self.check(f"{' '.join(words)}: {means}", means in " ".join(done.stderr.split()), done.stderr)
            self.check(f"{' '.join(words)}: nothing is written", not os.path.exists(self.path("bad")))


def main():
    suite = Suite()
    with tempfile.TemporaryDirectory(prefix="sablier-calibrate-") as root:
        tests = Calibrate(Program(sys.argv[1]), suite, root)
        for name in [n for n in vars(Calibrate) if n.startswith("test_")]:  # in the order above
            getattr(tests, name)()
    return suite.end()


if __name__ == "__main__":
    sys.exit(main())
