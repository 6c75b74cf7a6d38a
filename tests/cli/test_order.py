# SPDX-License-Identifier: GPL-3.0-or-later
"""The order of keys has no meaning: every case in shuffled order gives the same bytes.

Only the names under `probes` keep theirs, which is that of the columns. What is compared is everything a
run writes but times of the clock and the memory. The case is shuffled in its resolved form, in which each
value stands on one line. Standard library only.
"""
import concurrent.futures
import csv
import io
import json
import os
import random
import re
import sys
import tempfile

from harness import ROOT, Program, Suite, write

FILM = {"mesh.parameters.n": 4, "solver.tolerance": 1e-2}
SILO = {"mesh.parameters.h": 2, "mesh.parameters.across": 4, "time.step": 0.1, "time.end": 0.3}
CYLINDER = {"mesh.parameters.h": 0.4, "mesh.parameters.n": 8, "solver.tolerance": 0.1}
CASES = {  # coarse, and with a force probe on every group that others meet
    "belt/case.yaml": {"mesh.parameters.n": 3, "solver.tolerance": 1e-2},
    "cavity/case.yaml": {"mesh.parameters.h": 0.25, "probes.held": "{force: wall}"},
    "chute/case.yaml": FILM,
    "chute/inertial.yaml": {**FILM, "time.end": 0.5},
    "chute/layer.yaml": {**FILM, "time.end": 0.5},
    "chute/periodic.yaml": FILM,
    "chute/steady.yaml": {**FILM, "mesh.parameters.L": 0.5, "time.end": 0.5},
    "couette/case.yaml": {"mesh.parameters.n": 2, "solver.tolerance": 1e-2, "time.end": 200},
    "cylinder/case.yaml": {**CYLINDER, "probes.on_axis": "{force: axis}"},
    "cylinder-slip/case.yaml": {**CYLINDER, "probes.on_axis": "{force: axis, part: contact}"},
    "cylinder-bingham/case.yaml": {"mesh.parameters.h": 1, "mesh.parameters.n": 8, "solver.tolerance": 0.1,
                                   "probes.on_axis": "{force: axis}"},
    "duct/case.yaml": {"solver.tolerance": 1e-2, "probes.held": "{force: symmetry}"},
    "film/case.yaml": FILM,
    "film/bagnold.yaml": FILM,
    "film/space.yaml": {"solver.tolerance": 1e-2},
    "hopper/case.yaml": {"mesh.parameters.h": 1, "mesh.parameters.across": 3, "time.end": 0.2, "time.window": 0.1},
    "janssen/case.yaml": {"mesh.parameters.n": 2, "solver.tolerance": 3e-2, "probes.held": "{force: wall}"},
    "janssen/space.yaml": {"solver.tolerance": 3e-2, "mesh.parameters.n": 2, "probes.planes": "{force: symmetry}"},
    "pipe/case.yaml": {"mesh.parameters.n": 4, "solver.tolerance": 1e-2, "probes.held": "{force: inlet}"},
    "pipe/friction.yaml": {"mesh.parameters.n": 4, "solver.tolerance": 1e-2},
    "poiseuille/case.yaml": {"mesh.parameters.n": 4, "solver.tolerance": 1e-2},
    "poiseuille/closed.yaml": {"mesh.parameters.n": 4, "solver.tolerance": 1e-2,
                               "probes.held": "{force: wall}", "probes.in": "{force: inlet}"},
    "radial/case.yaml": {"mesh.parameters.n": 2, "solver.tolerance": 3e-2},
    "rest/case.yaml": {"mesh.parameters.h": 0.25},
    "silo/case.yaml": {**SILO, "probes.on_axis": "{force: axis}"},
    "silo/friction.yaml": {**SILO, "time.window": 0.1},
    "silo-round/case.yaml": {**SILO, "probes.on_axis": "{force: axis}"},
    "silo-round/creeping.yaml": {"mesh.parameters.h": 2, "mesh.parameters.across": 4, "solver.tolerance": 0.1},
    "silo-space/case.yaml": {"time.end": 0.2, "time.window": 0.1, "probes.planes": "{force: symmetry}"},
    "silo-space/square.yaml": {"time.end": 0.2, "time.window": 0.1},
    "column/case.yaml": {"mesh.parameters.h": 0.4, "time.end": 0.08},
    "column/mui.yaml": {"mesh.parameters.h": 0.5, "time.end": 0.09},
    "column-round/case.yaml": {"mesh.parameters.h": 0.4, "time.end": 0.08},
    "block/case.yaml": {"mesh.parameters.h": 0.4, "time.end": 0.05},
    "dam/case.yaml": {"mesh.parameters.h": 0.4, "time.end": 0.08, "time.window": 0.04},
    "drum/case.yaml": {"mesh.parameters.h": 0.5, "time.end": 0.2},
    "emptying/case.yaml": {"mesh.parameters.h": 1.5, "mesh.parameters.across": 2, "time.end": 0.1},
    "heap/case.yaml": {"mesh.parameters.h": 0.4, "time.end": 0.08},
    "heap/along.yaml": {"mesh.parameters.h": 0.4, "time.end": 0.08},
    "grain-slope/case.yaml": {"time.end": 2},
    "grain-rest/case.yaml": {"time.end": 0.2},
    "grain-thrown/case.yaml": {"time.end": 4},
    "grain-thrown/bar.yaml": {"time.end": 0.3},
    "grain-thrown/painleve.yaml": {},
    "grain-active/case.yaml": {"grains.fill.grid": "[5, 4]", "time.end": 1e-3},
    "grain-active/ball.yaml": {"time.end": 1e-3},
    "grain-active/slope.yaml": {"grains.fill.grid": "[5, 4]", "time.end": 1e-3},
    "grain-column/case.yaml": {"grains.fill.grid": "[5, 5]", "time.end": 1},
    "grain-ellipses/case.yaml": {"grains.fill.grid": "[4, 4]", "time.end": 0.6},
    "grain-chute/case.yaml": {"grains.fill.grid": "[19, 3]", "time.end": 1, "time.window": 0.5},
    "grain-cube/case.yaml": {"grains.fill.grid": "[3, 3, 3]", "time.end": 1},
    "twin-silo/case.yaml": {"grains.fill.grid": "[6, 4]", "time.end": 1, "time.window": 0.5},
    "twin-silo/continuum.yaml": {"mesh.parameters.across": 2, "mesh.parameters.h": 9, "time.end": 0.2, "time.window": 0.1},
    "brazil-nut/case.yaml": {"time.end": 1, "output.every": 0.5},
    "grain-box/case.yaml": {"grains.fill.grid": "[3, 3, 3]", "time.end": 1},
    "grain-box/many.yaml": {"grains.fill.grid": "[3, 3, 3]", "time.end": 1},
    "slab/case.yaml": {"mesh.parameters.n": 2, "solver.tolerance": 1e-2},
    "sphere/case.yaml": {"mesh.parameters.h": 1.5, "mesh.parameters.n": 8, "solver.tolerance": 0.1},
    "sphere/grains.yaml": {"mesh.parameters.h": 1.5, "mesh.parameters.n": 8, "solver.tolerance": 0.1},
    "sandglass/case.yaml": {**SILO, "time.window": 0.1},
    "silo-mui/case.yaml": {**SILO, "mesh.element": "p2b", "mesh.split": "none"},
}
SEEDS = range(3)
CLOCK = ("provenance", "cpu", "wall", "peak_memory", "cpu_in_factorisations")


def parse(text):
    """A value in flow style: {..} and [..] as lists of pairs and of values, others as they stand."""
    def value(at):
        if text[at] not in "{[":
            begin = at
            if text[at] == '"':
                at += 1
                while text[at] != '"':
                    at += 2 if text[at] == "\\" else 1
                return text[begin:at + 1], at + 1
            while at < len(text) and text[at] not in ",]}:":
                at += 1
            return text[begin:at], at
        close, items = {"{": "}", "[": "]"}[text[at]], []
        at += 1
        while text[at] != close:
            item, at = value(at)
            if close == "}":
                below, at = value(at + 2)
                item = (item, below)
            items.append(item)
            at += 2 if text[at] == "," else 0
        return ({"map": items} if close == "}" else items), at + 1

    result, end = value(0)
    if end != len(text):
        sys.exit(f"the test cannot read '{text}'")
    return result


def read(resolved):
    """The resolved case as nested {"map": [(key, value), ..]}."""
    top = []
    for line in resolved.splitlines():
        key, _, rest = line.strip().partition(":")
        if line.startswith(" "):
            top[-1][1]["map"].append((key, parse(rest.strip())))
        else:
            top.append((key, parse(rest.strip()) if rest.strip() else {"map": []}))
    return {"map": top}


def shuffle(node, dice, path=""):
    """The same tree with its keys in another order, and as text."""
    if isinstance(node, list):
        return "[" + ", ".join(shuffle(item, dice) for item in node) + "]"
    if not isinstance(node, dict):
        return node
    items = list(node["map"])
    if path != "probes":
        dice.shuffle(items)
    if path == "":
        return "".join(f"{key}: {shuffle(value, dice, key)}\n" for key, value in items)
    return "{" + ", ".join(f"{key}: {shuffle(value, dice, '-')}" for key, value in items) + "}"


def without_clock(value):
    if isinstance(value, dict):
        return {k: without_clock(v) for k, v in value.items() if k not in CLOCK}
    return value


def results(directory):
    """All files of a result as bytes, without what the clock says."""
    found = {}
    for folder, _, files in os.walk(directory):
        for name in files:
            with open(os.path.join(folder, name), "rb") as stream:
                content = stream.read()
            if name == "summary.json":
                content = json.dumps(without_clock(json.loads(content))).encode()
            elif name == "convergence.csv":
                content = str([row[:-1] for row in csv.reader(io.StringIO(content.decode()))]).encode()
            if not name.endswith(".sab"):  # has the times of the run
                found[os.path.relpath(os.path.join(folder, name), directory)] = content
    return found


def try_case(suite, program, folder, name, overrides):
    label = name.replace("/", "-").removesuffix(".yaml")
    first = os.path.join(folder, label)
    args = [a for key, value in overrides.items() for a in ("--set", f"{key}={value}")]
    done = program.run("run", os.path.join(ROOT, "cases", name), "-q", "-o", first, *args, cwd=folder)
    if not suite.check(f"{name}: runs", done.returncode == 0, done.stderr):
        return
    wanted = results(first)
    suite.check(f"{name}: has results", len(wanted) > 3 and "summary.json" in wanted, wanted.keys())
    tree = read(wanted["case.resolved.yaml"].decode())
    for seed in SEEDS:
        path = os.path.join(folder, f"{label}-{seed}.yaml")
        write(path, shuffle(tree, random.Random(seed)))
        done = program.run("run", path, "-q", "-o", path[:-5], cwd=folder)
        found = results(path[:-5]) if os.path.isdir(path[:-5]) else {}
        wrong = [f for f in wanted if found.get(f) != wanted[f]] + [f for f in found if f not in wanted]
        suite.check(f"{name}, seed {seed}: the same bytes", done.returncode == 0 and not wrong,
                    f"{wrong} {done.stderr}\n" + "".join(open(path, encoding="utf-8")))


def check_says_the_same(suite, program, folder):
    """The corners of the cavity: who holds them stands in the header, in every order."""
    said = set()
    for k, order in enumerate(("lid: {velocity: [1, 0]}, wall: {velocity: [0, 0]}",
                               "wall: {velocity: [0, 0]}, lid: {velocity: [1, 0]}")):
        write(os.path.join(folder, "check", "case.yaml"),
              f"mesh: {{file: {ROOT}/meshes/cavity.geo, parameters: {{h: 0.25}}}}\n"
              "material: {friction: 0, reynolds: 1}\ngravity: [0, 0]\n"
              f"boundaries: {{{order}}}\n")
        said.add(program.run("check", "check", cwd=folder).stdout)
        suite.check(f"header, order {k}", "corners        'wall', at rest, holds 2 shared nodes" in
                    list(said)[0], said)
    suite.check("the same text", len(said) == 1, said)


def main():
    suite, program = Suite(), Program(sys.argv[1])
    files = {os.path.join(case, f) for case in os.listdir(os.path.join(ROOT, "cases"))
             for f in os.listdir(os.path.join(ROOT, "cases", case)) if f.endswith(".yaml")}
    cases = {f for f in files if not re.search("^(base|vary|zip):", open(
        os.path.join(ROOT, "cases", f), encoding="utf-8").read(), re.M)}
    suite.check("every case is here", cases == set(CASES), sorted(cases ^ set(CASES)))
    with tempfile.TemporaryDirectory(prefix="sablier-order-") as folder:
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            for job in [pool.submit(try_case, suite, program, folder, *case) for case in CASES.items()]:
                job.result()
        check_says_the_same(suite, program, folder)
    return suite.end()


if __name__ == "__main__":
    sys.exit(main())
