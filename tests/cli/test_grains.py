#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Grains on the command line: files, interruption, exit codes, what is refused and how.

    test_grains.py SABLIER

Last line: N passed, N failed. Standard library only.
"""
import csv
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time

from harness import MESHES, Program, Suite, edit, snapshot, write

CASE = """\
geometry: plane
gravity: [0, -1]
grains:
  radius: [0.4, 0.5]
  friction: 0.4
  fill: {rain: 40, low: [0, 0], high: [10, 12], seed: 3}
walls:
  floor: {point: [0, 0], normal: [0, 1], friction: 0.5}
  left: {segment: [[0, 0], [0, 30]], friction: 0.5}
  right: {segment: [[10, 0], [10, 30]], friction: 0.5, velocity: ["-0.05*sin(t)", 0]}
  out: {point: [0, -50], normal: [0, 1], open: true}
time: {scheme: inertial, step: 0.05, end: 3}
output: {every: 0.5, checkpoint: 0, contacts: true}
probes:
  number: {grains: points}
  weight: {force: floor}
  rate: {flux: out}
  profile: {height: [[0, 0], [10, 0]], samples: 5}
"""
# ellipses on beads in a room that repeats itself
AROUND = """\
geometry: plane
gravity: [0.3, -1]
grains:
  radius: [0.3, 0.5]
  radius_y: [0.25, 0.5]
  angle: [0, 180]
  friction: 0.4
  travel: 0.1
  reach: 0.2
  periodic: {x: [-1, 7]}
  fill: {rain: 30, low: [-1, 0.2], high: [7, 9], seed: 3}
walls:
  floor: {segment: [[-1, 0], [7, 0]], beads: 0.2, friction: 0.4}
time: {scheme: inertial, step: 0.05, end: 3}
output: {every: 0.5, checkpoint: 0, contacts: true}
probes:
  number: {grains: points}
  weight: {force: floor}
  centre: {grains: centre}
  profile: {height: [[-1, 0], [7, 0]], samples: 4}
"""
TIMES = {"cpu", "wall", "peak_memory", "provenance"}

# what is changed in CASE, and what the message must say
MISTAKES = [
    ("friction: 0.4\n", "frction: 0.4\n", r"case.yaml:5:3: grains.frction: unknown key; did you mean 'friction'"),
    ("  friction: 0.4\n", "", r"grains.friction: missing"),
    ("geometry: plane", "geometry: axisymmetric", r"geometry: grains are in the plane or in space"),
    ("gravity: [0, -1]", "gravity: [0, -t]", r"gravity: .*same everywhere and at all times"),
    ("rain: 40", "rain: 4000", r"grains.fill: there is room for \d+ of 4000"),
    ("rain: 40, low: [0, 0]", "rain: 40, grid: [2, 2], pitch: 1, low: [0, 0]", r"grains.fill: is ambiguous"),
    ("radius: [0.4, 0.5]", "radius: [0.5, 0.4]", r"grains.radius: 0.5 is more than 0.4"),
    (", friction: 0.5}\n  left", "}\n  left", r"walls.floor: needs a friction coefficient"),
    ("normal: [0, 1], friction", "normal: [0, 0], friction", r"walls.floor: a plane needs a normal"),
    ("segment: [[0, 0], [0, 30]]", "group: wall", r"walls: a wall is a group of the mesh, and there is none"),
    ('"-0.05*sin(t)"', '"x"', r"walls: the velocity of a wall is a function of t alone"),
    ('"-0.05*sin(t)"', '"x*t"', r"walls: the velocity of a wall is a function of t alone"),
    ("force: floor", "force: flor", r"probes.weight: there is no such entry of `walls`: 'flor'; did you mean 'floor'\?"),
    ("gravity: [0, -1]", "symmetry: 2\ngravity: [0, -1]", r"case.yaml:2:\d+: symmetry: is of flows"),
    ("force: floor", "force: out", r"probes.weight: nothing touches an open plane"),
    ("flux: out", "flux: floor", r"probes.rate: grains do not leave through a wall"),
    ("grains: points", "point: [1, 1]", r"probes.number: fields of grains need `coarse`"),
    ("open: true", "open: true, friction: 0.1", r"walls.out: is open: nothing touches it"),
    ("open: true", "open: true, until: 1", r"walls.out: is open: nothing touches it"),
    ("point: [0, -50], normal: [0, 1]", "point: [0, -50], normal: [0, -1]", r"grains.fill: grain 0 is behind the open plane 'out'"),
    ("rain: 40, low: [0, 0], high: [10, 12]", "grid: [50000, 50000], low: [0, 0], pitch: 1", r"grains.fill.grid: more than a hundred million"),
    ("grains:\n", "material: {friction: 0.5, reynolds: 1}\ngrains:\n", r"material: 'grains' is in its place"),
    ("scheme: inertial, ", "", r"^\S*case.yaml:\d+:1: grains: they move in time steps; add time.scheme: inertial\n$"),
    ("fill: {rain: 40, low: [0, 0], high: [10, 12], seed: 3}", "fill: {file: no.csv}", r"grains.radius: the file has a radius for each grain"),
    ("  radius: [0.4, 0.5]\n  friction: 0.4\n  fill: {rain: 40, low: [0, 0], high: [10, 12], seed: 3}",
     "  mass: 2\n  friction: 0.4\n  fill: {file: no.csv}", r"grains.mass: of a file it is its column mass"),
    ("  radius: [0.4, 0.5]\n  friction: 0.4\n  fill: {rain: 40, low: [0, 0], high: [10, 12], seed: 3}",
     "  friction: 0.4\n  fill: {file: no.csv}", r"case.yaml:5:\d+: grains.fill.file: \S*no.csv: cannot open"),
    ("contacts: true", "gauss: true", r"case.yaml:\d+:\d+: output.gauss: grains have no Gauss points; contacts"),
]


def result(directory):
    files = {p: h for p, h in snapshot(directory).items()
             if re.fullmatch(r"history.csv|.*\.pvd|(grains|walls|contacts)_\d+.vtu|profiles/.*|case.resolved.yaml", p)}
    with open(os.path.join(directory, "summary.json"), encoding="utf-8") as stream:
        summary = json.load(stream)
    summary["per_step"] = {k: v for k, v in summary["per_step"].items() if "cpu" not in k}
    return files, {k: v for k, v in summary.items() if k not in TIMES}


def rows(directory):
    with open(os.path.join(directory, "history.csv"), encoding="utf-8", newline="") as stream:
        return [{k: float(v) for k, v in r.items()} for r in csv.DictReader(stream)]


def interrupted(program, suite, root):
    """Stopped, killed and continued, it ends with the same bytes."""
    write(os.path.join(root, "case.yaml"), CASE)
    done = program.run("run", "case.yaml", "-q", "-o", "whole", cwd=root)
    suite.check("a run ends well", done.returncode == 0, done.stderr)
    whole = result(os.path.join(root, "whole"))
    suite.check("frames and contacts are there", sum("contacts_" in p for p in whole[0]) == 7, whole[0].keys())
    for sign in (signal.SIGINT, signal.SIGKILL):
        name = f"part{int(sign)}"
        process = subprocess.Popen([program.path, "run", "case.yaml", "-q", "-o", name], cwd=root,
                                   env=program.env, stderr=subprocess.DEVNULL)
        history = os.path.join(root, name, "history.csv")
        for _ in range(450000):  # as long as it takes
            if process.poll() is not None or (os.path.exists(history) and os.path.getsize(history) > 6000):
                break
            time.sleep(0.002)
        process.send_signal(sign)
        process.wait()
        done = program.run("run", "case.yaml", "-q", "-o", name, "--resume", cwd=root)
        suite.check(f"after {sign.name} it goes on", done.returncode == 0, done.stderr)
        suite.check(f"after {sign.name} every byte is the same", result(os.path.join(root, name)) == whole)
    done = program.run("run", "case.yaml", "-q", "-o", "part2", "--resume", "--set", "grains.friction=0.3", cwd=root)
    suite.check("another friction is another run", done.returncode == 2 and "grains.friction" in done.stderr, done.stderr)
    suite.check("  and nothing is advised that grains refuse", "initial.from" not in done.stderr, done.stderr)


def physics(suite, root):
    """The floor and the walls carry the weight, and the ledger closes."""
    table = rows(os.path.join(root, "whole"))
    last = table[-1]
    mass = json.load(open(os.path.join(root, "whole", "summary.json"), encoding="utf-8"))["grains"]["mass"]
    suite.check("no grain is lost", last["number"] == 40 and last["rate"] == 0)
    suite.check("the ledger closes", all(abs(r["ledger_defect"]) < 1e-10 * mass for r in table))
    suite.check("no energy is made", sum(r["made"] for r in table) < 1e-3 * mass)
    suite.check("overlap within what was asked", max(r["overlap"] for r in table) < 1e-2)
    mean = sum(r["weight_y"] for r in table[-10:]) / 10
    suite.check("the floor bears", -1.6 * mass < mean < -0.5 * mass, (mean, mass))


# what is changed in AROUND
AROUND_MISTAKES = [
    ("x: [-1, 7]", "x: 7", r"case.yaml:10:\d+: grains.periodic.x: give two numbers"),
    ("x: [-1, 7]", "z: [-1, 7]", r"grains.periodic.z: there is no such direction in the plane"),
    ("x: [-1, 7]", "w: [-1, 7]", r"grains.periodic.w: unknown key"),
    ("x: [-1, 7]", "x: [-1, 6]", r"walls: a segment is longer than the room"),
    ("{segment: [[-1, 0], [7, 0]], beads: 0.2,", "{point: [0, 0], normal: [0.1, 1],", r"walls: a plane across a direction"),
    ("{segment: [[-1, 0], [7, 0]], beads: 0.2,", "{point: [0, 0], normal: [0, 1], beads: 0.2,", r"walls.floor.beads"),
    ("beads: 0.2", "beads: 1e-9", r"walls.floor.beads: a row of 4e\+09 beads"),
    ("radius_y: [0.25, 0.5]", "radius_y: 0", r"grains.radius_y: "),
    ("  radius_y: [0.25, 0.5]\n", "", r"grains.angle: only has a meaning beside"),
    ("{grains: centre}", "{front: 0.99}", r"probes: there is no front along x"),
    ("reach: 0.2", "reach: 3.2", r"case.yaml:10:\d+: grains.periodic.x: the room repeats itself after 8; pairs of grains span up to 4"),
]


def around(program, suite, root):
    """Ellipses that leave at one side and come in at the other: files, balances, resumption."""
    write(os.path.join(root, "case.yaml"), AROUND)
    done = program.run("run", "case.yaml", "-q", "-o", "around", cwd=root)
    suite.check("ellipses in a room that repeats itself", done.returncode == 0, done.stderr)
    table = rows(os.path.join(root, "around"))
    with open(os.path.join(root, "around", "summary.json"), encoding="utf-8") as stream:
        mass = json.load(stream)["grains"]["mass"]
    # momentum of the centre, which is not taken back, against weight and floor
    moves = [(table[-1][c] - table[-2][c]) / 0.05 * mass for c in ("centre_x", "centre_y")]
    pushed = [sum(g * mass - r[w] for r in table) * 0.05 for g, w in ((0.3, "weight_x"), (-1, "weight_y"))]
    suite.check("weight and floor make the momentum", all(abs(m - p) < 0.06 * mass for m, p in zip(moves, pushed)),
                (moves, pushed, mass))
    suite.check("no grain is lost", table[-1]["number"] == 30)
    with open(os.path.join(root, "around", "profiles", "profile.csv"), encoding="utf-8", newline="") as stream:
        heights = list(csv.DictReader(stream))
    suite.check("all of them stand over the profile", abs(sum(float(h["height"]) for h in heights) * 2 - mass) < 1e-9 * mass, heights)
    done = program.run("run", "case.yaml", "-q", "-o", "part", "--set", "time.end=1.5", cwd=root)
    done = program.run("run", "case.yaml", "-q", "-o", "part", "--resume", cwd=root)
    suite.check("it goes on", done.returncode == 0, done.stderr)
    suite.check("  with the same bytes", result(os.path.join(root, "part")) == result(os.path.join(root, "around")))
    # down a chute they go round and round, and fall from nowhere
    write(os.path.join(root, "down.yaml"), """\
geometry: plane
gravity: [0.7, -0.7]
grains: {radius: 0.5, friction: 0.1, periodic: {x: [0, 4]}, fill: {grid: [3, 1], low: [0, 0], pitch: 1}}
walls:
  floor: {segment: [[0, 0], [4, 0]], friction: 0.1}
time: {scheme: inertial, step: 0.1, end: 12}
probes: {centre: {grains: centre}}
""")
    done = program.run("run", "down.yaml", "-q", "-o", "down", cwd=root)
    suite.check("a long way down a chute", done.returncode == 0 and rows(os.path.join(root, "down"))[-1]["centre_x"] > 20, done.stderr)
    suite.check("  is no fall", "fall" not in done.stderr, done.stderr)
    write(os.path.join(root, "grains.csv"), "x,y,radius,radius_y,angle\n1,1,0.5,0.3,90\n3,1,0.4,0.4,0\n")
    text = edit(AROUND, ("  radius: [0.3, 0.5]\n  radius_y: [0.25, 0.5]\n  angle: [0, 180]\n", ""))
    write(os.path.join(root, "file.yaml"), edit(text, ("fill: {rain: 30, low: [-1, 0.2], high: [7, 9], seed: 3}", "fill: {file: grains.csv}")))
    done = program.run("check", "file.yaml", cwd=root)
    suite.check("ellipses of a file", done.returncode == 0 and "2 ellipses of semi-axes 0.3 to 0.5" in done.stdout,
                done.stdout + done.stderr)


def refused(program, suite, root, case, mistakes):
    for old, new, said in mistakes:
        write(os.path.join(root, "bad", "case.yaml"), edit(case, (old, new)))
        before = snapshot(root)
        done = program.run("run", "bad/case.yaml", "-q", "-o", "bad/out", cwd=root)
        suite.check(f"refused: {new.strip()}", done.returncode == 3 and re.search(said, done.stderr),
                    (done.returncode, done.stderr))
        suite.check(f"  nothing is written: {new.strip()}", snapshot(root) == before)


def honest(program, suite, root):
    """What is not good has exit code 1, and says why."""
    done = program.run("run", "case.yaml", "-q", "-o", "tight", "--set", "grains.overlap=1e-12",
                       "--set", "time.max_missed=3", cwd=root)
    suite.check("overlap beyond what was asked: exit code 1", done.returncode == 1 and "overlap" in done.stderr,
                (done.returncode, done.stderr))
    done = program.run("run", "case.yaml", "-q", "-o", "fall", "--set", "walls.floor.normal=[0, -1]", "--set",
                       "walls.floor.point=[0, 90]", "--set", "walls.out.point=[0, 80]", "--set", "walls.out.normal=[0, -1]",
                       "--set", "time.end=2", "--set", "grains.velocity=[0, -20]", cwd=root)
    suite.check("grains that fall for ever are said", done.returncode == 0 and "fall on, ever faster" in done.stderr,
                (done.returncode, done.stderr))
    for end, code in (("0.2", 0), ("1", 3)):
        done = program.run("run", "case.yaml", "-q", "-o", f"root{end}", "--set", 'walls.right.velocity=["sqrt(0.5 - t)", 0]',
                           "--set", f"time.end={end}", "--set", f"time.window={end}", cwd=root)
        suite.check(f"a velocity that ends at 0.5, to {end}: exit code {code}", done.returncode == code
                    and (code == 0 or "sqrt(0.5 - t)" in done.stderr), (done.returncode, done.stderr))
    # a floor that is back where it was after each step, which would see it at rest
    for step, off in (("0.1", "100"), ("0.01", "")):
        done = program.run("check", "case.yaml", "--set", 'walls.floor.velocity=[0, "2*sin(2*pi*t/0.1)"]', "--set", f"time.step={step}", cwd=root)
        suite.check(f"a wall that shakes in {step}", done.returncode == 0 and
                    bool(off) == ("walls.floor.velocity: changes faster than the steps" in done.stderr) and
                    f"off by {off}" in done.stderr + "off by ", done.stderr)
    # at rest when the first step begins, which is made shorter for what comes; not if its middle is at rest too
    for step, said in (("0.5", False), ("0.62831853", True)):
        done = program.run("check", "case.yaml", "--set", 'walls.floor.velocity=[0, "3*sin(20*t)"]', "--set", f"time.step={step}", cwd=root)
        suite.check(f"a wall that begins at rest, steps of {step}", done.returncode == 0 and
                    said == ("walls.floor.velocity: changes faster than the steps" in done.stderr), done.stderr)
    done = program.run("check", "case.yaml", "--set", "grains.velocity=[1, 0]", cwd=root)
    suite.check("grains that move do not start from rest", "from the velocities of the grains" in done.stdout, done.stdout)
    # a disc that rests, where all work is rounding; two that overlap a little; one as good as at rest that is hit
    floor = "floor: {point: [0, 0], normal: [0, 1], friction: 0.5}"
    one = (("rain: 40, low: [0, 0], high: [10, 12], seed: 3", "file: one.csv"), ("  radius: [0.4, 0.5]\n", ""))
    for name, table, gravity, wall, code, said in (
            ("rests", "x,y,radius\n5,1,1\n", "[0, -1]", floor, 0, r"^$"),
            ("apart", "x,y,radius\n5,1,1\n6.999,1,1\n", "[0, 0]", floor, 1, r"made of nothing in the first step.*overlap at time 0"),
            ("hit", "x,y,radius,vx\n5,1,0.1,1e-13\n", "[0, 0]", "floor: {segment: [[2, -2], [2, 3]], friction: 0.3, velocity: [\"t > 0.1 ? 20 : 0\", 0]}",
             0, r"^$")):
        write(os.path.join(root, "one.csv"), table)
        write(os.path.join(root, "one.yaml"), edit(CASE, *one, (floor, wall), ("gravity: [0, -1]", f"gravity: {gravity}"))
              .replace("end: 3", "end: 0.3, window: 0.1").replace('  right: {segment: [[10, 0], [10, 30]], friction: 0.5, velocity: ["-0.05*sin(t)", 0]}\n', ""))
        done = program.run("run", "one.yaml", "-q", "-o", name, cwd=root)
        suite.check(f"{name}: exit code {code}", done.returncode == code and re.search(said, done.stderr),
                    (done.returncode, done.stderr))
    # two plates closer than a grain: nothing can move them apart
    write(os.path.join(root, "press.yaml"), edit(CASE, ("rain: 40, low: [0, 0], high: [10, 12], seed: 3",
                                                        "grid: [1, 1], low: [4.5, 0], pitch: 1"))
          .replace("radius: [0.4, 0.5]", "radius: 0.5")
          .replace("walls:\n", "walls:\n  lid: {point: [0, 1], normal: [0, -1], friction: 0, velocity: [0, -0.5]}\n"))
    done = program.run("run", "press.yaml", "-o", "press", cwd=root)
    suite.check("a grain that is crushed: exit code 1", done.returncode == 1, (done.returncode, done.stderr))
    suite.check("  and what would help", re.search(r"try +walls that leave the grains a way out", done.stdout), done.stdout)
    # a column that rests from the beginning: what rounding and the tolerance leave is no energy of nothing
    write(os.path.join(root, "column.csv"), "x,y,radius\n" + "".join(f"0,{2 * i + 1},1\n" for i in range(10)))
    write(os.path.join(root, "column.yaml"), """\
geometry: plane
gravity: [0, -1]
grains: {friction: 0.3, fill: {file: column.csv}}
walls:
  floor: {point: [0, 0], normal: [0, 1], friction: 0.3}
time: {scheme: inertial, step: 0.1, end: 2}
""")
    done = program.run("run", "column.yaml", "-o", "column", cwd=root)
    suite.check("a column at rest ends well", done.returncode == 0 and "warning" not in done.stderr, done.stderr)


def without_friction(program, suite, root):
    """The active set: the answer of gs, and refused where there is friction."""
    done = program.run("check", "case.yaml", "--set", "solver.method=pdas", cwd=root)
    suite.check("pdas and friction: exit code 3", done.returncode == 3 and "give gs" in done.stderr, (done.returncode, done.stderr))
    write(os.path.join(root, "smooth.yaml"), re.sub(r"friction: [0-9.]+", "friction: 0", CASE))
    centre = {}
    for method in ("gs", "pdas"):
        done = program.run("run", "smooth.yaml", "-q", "-o", method, "--set", "time.end=0.5", "--set", "time.window=0.5",
                           "--set", f"solver={{method: {method}, tolerance: 1.0e-9, max_iterations: 2000}}", cwd=root)
        with open(os.path.join(root, method, "summary.json"), encoding="utf-8") as file:
            centre[method] = json.load(file)["ledger"]["kinetic"]
        suite.check(f"  {method} without friction", done.returncode == 0, (done.returncode, done.stderr))
    suite.check("  the same energy", abs(centre["gs"] / centre["pdas"] - 1) < 1e-7, centre)


def fills(program, suite, root):
    """A file of grains; walls of a mesh; a study; the program of a step."""
    write(os.path.join(root, "grains.csv"), "x,y,radius,mass,vx\n1,0.5,0.5,2,0\n3,0.6,0.5,1,-1\n")
    text = edit(CASE, ("  radius: [0.4, 0.5]\n", ""))
    text = edit(text, ("fill: {rain: 40, low: [0, 0], high: [10, 12], seed: 3}", "fill: {file: grains.csv}"))
    write(os.path.join(root, "file.yaml"), text)
    done = program.run("run", "file.yaml", "-q", "-o", "file", "--dump-program", "step.sabp", "--set", "time.end=0.5",
                       cwd=root)
    suite.check("grains of a file", done.returncode == 0 and rows(os.path.join(root, "file"))[-1]["number"] == 2,
                done.stderr)
    done = program.run("solve", "step.sabp", "--method", "gs", cwd=root)
    suite.check("the program of the next step is solved alone", done.returncode == 0, done.stderr + done.stdout)
    suite.check("its contacts are named, and its columns", "contacts of 2 components" in done.stdout
                and "(null)" not in done.stdout and "gap G" in done.stdout, done.stdout)
    write(os.path.join(root, "grains.csv"), "x,y,radius\n1,0.5,-0.5\n")
    done = program.run("check", "file.yaml", cwd=root)
    suite.check("a radius below 0", done.returncode == 3 and "grains.csv:2: radius must be positive, not -0.5" in done.stderr, done.stderr)
    write(os.path.join(root, "grains.csv"), "x,y,radius\n1,0.5,0.5\n1.2,0.6,0.5\n")
    done = program.run("check", "file.yaml", cwd=root)
    suite.check("grains that overlap are refused", done.returncode == 3 and "grains 0 and 1 overlap" in done.stderr,
                done.stderr)
    write(os.path.join(root, "space.yaml"), edit(text, ("geometry: plane", "geometry: space"), ("gravity: [0, -1]", "gravity: [0, 0, -1]"))
          .split("walls:")[0] + "walls:\n  floor: {point: [0, 0, 0], normal: [0, 0, 1], friction: 0.5}\ntime: {scheme: inertial, step: 0.1, end: 1}\n")
    for case, table, said in (("file", "x,y,z,radius\n1,1,0,0.5\n", ""), ("file", "x,y,z,radius\n1,1,2,0.5\n", "z is 2"),
                              ("file", "x,y,radius,wx\n1,1,0.5,3\n", "wx is 3"), ("space", "x,y,z,radius,radius_y,angle\n1,1,1,0.5,0.5,0\n", ""),
                              ("space", "x,y,z,radius,radius_y\n1,1,1,0.5,0.4\n", "radius_y is 0.4"),
                              ("space", "x,y,z,radius,angle\n1,1,1,0.5,30\n", "angle is 30")):
        write(os.path.join(root, "grains.csv"), table)
        done = program.run("check", f"{case}.yaml", cwd=root)
        suite.check(f"columns of the other dimension: {said or 'zero'}", done.returncode == (3 if said else 0) and
                    (not said or f"grains.csv:2: {said}, which has no meaning in geometry: " in done.stderr), (done.returncode, done.stderr))
    for row, said in (("1,0.5,0.5\n1,0.5,0.4", r"grains.fill: grains 0 and 1 are at the same place at time 0"),
                      ("1,0.5,-0.5", r"grains.csv:2: radius must be positive, not -0.5\n")):
        write(os.path.join(root, "grains.csv"), f"x,y,radius\n{row}\n")
        done = program.run("check", "file.yaml", cwd=root)
        suite.check(f"refused: {said}", done.returncode == 3 and re.search(said, done.stderr), (done.returncode, done.stderr))
    write(os.path.join(root, "grains.csv"), "x,y,radius,vX\n1,0.5,0.5,3\n")
    done = program.run("check", "file.yaml", cwd=root)
    suite.check("a column that grains do not have", done.returncode == 3 and "grains.csv:1: a grain has no column 'vX'; "
                "did you mean 'vx'?" in done.stderr, done.stderr)
    write(os.path.join(root, "grains.csv"), "x,y,radius\n1,0.5,abc\n")
    done = program.run("check", "file.yaml", cwd=root)
    suite.check("a file with a text", done.returncode == 3 and "grains.csv:2" in done.stderr, done.stderr)
    text = edit(CASE, ("gravity:", f"mesh: {{file: {MESHES}/silo.geo, parameters: {{D: 2, h: 2}}}}\ngravity:"))
    text = edit(text, ("left: {segment: [[0, 0], [0, 30]]", "left: {group: wall"))
    text = edit(text, ("rain: 40, low: [0, 0], high: [10, 12]", "rain: 10, low: [0.2, 1], high: [3.5, 7]"))
    write(os.path.join(root, "mesh.yaml"), text)
    done = program.run("check", "mesh.yaml", cwd=root)
    thin = program.run("check", "mesh.yaml", "--set", "coarse.width=0.3", cwd=root)
    suite.check("a width below the mesh", thin.returncode == 3 and "--set coarse.width: a grain at (" in thin.stderr, (thin.returncode, thin.stderr))
    long = program.run("check", "mesh.yaml", "--set", "grains.periodic.x=[0, 2.5]", "--set", "grains.fill.high=[2.4, 7]", "--set", "walls.right.segment=[[0, 30], [2.5, 30]]", cwd=root)
    suite.check("a group longer than the room", long.returncode == 3 and re.search(
        r"mesh.yaml:\d+:\d+: walls.left.group: is [0-9.]+ long along x, more than the length 2.5 after", long.stderr), (long.returncode, long.stderr))
    suite.check("walls of a mesh", done.returncode == 0 and re.search(r"wall +left: \d+ segments", done.stdout),
                done.stdout + done.stderr)
    suite.check("  and all are inside", "outside the mesh" not in done.stderr, done.stderr)
    write(os.path.join(root, "pit.geo"), "Point(1) = {0, 0, 0, 1}; Point(2) = {4, 0, 0, 1}; Point(3) = {2, -3, 0, 1};\n"
          "Line(1) = {1, 2}; Line(2) = {2, 3}; Line(3) = {3, 1}; Curve Loop(1) = {1, 2, 3}; Plane Surface(1) = {1};\n"
          "Physical Curve(\"wall\") = {2, 3}; Physical Surface(\"pit\") = {1};\n")
    pit = edit(text, (f"{{file: {MESHES}/silo.geo, parameters: {{D: 2, h: 2}}}}", "{file: pit.geo}"))
    write(os.path.join(root, "pit.yaml"), edit(pit, ("low: [0.2, 1], high: [3.5, 7]", "low: [0, -3], high: [4, 2]"),
                                               ("point: [0, 0], normal: [0, 1]", "point: [0, -9], normal: [0, 1]")))
    done = program.run("check", "pit.yaml", cwd=root)
    suite.check("grains beside the room of a mesh are said", done.returncode == 0 and "outside the mesh, beside it" in done.stderr,
                done.stdout + done.stderr)
    done = program.run("check", "mesh.yaml", "--set", "walls.left.group=wal", cwd=root)
    suite.check("a group that is not there", done.returncode == 3 and "the mesh has no group 'wal'" in done.stderr,
                done.stderr)
    write(os.path.join(root, "study.yaml"), "base: case.yaml\nset: {time.end: 0.2}\nvary: {grains.friction: [0.1, 0.5]}\n")
    done = program.run("study", "study.yaml", "-q", "-o", "study", cwd=root)
    suite.check("a study of grains", done.returncode == 0 and os.path.exists(os.path.join(root, "study/results.csv")),
                done.stderr)


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    program, suite = Program(sys.argv[1]), Suite()
    with tempfile.TemporaryDirectory(prefix="sablier-grains-") as root:
        interrupted(program, suite, root)
        physics(suite, root)
        honest(program, suite, root)
        without_friction(program, suite, root)
        fills(program, suite, root)
        refused(program, suite, root, CASE, MISTAKES)
        around(program, suite, root)
        refused(program, suite, root, AROUND, AROUND_MISTAKES)
    return suite.end()


if __name__ == "__main__":
    sys.exit(main())
