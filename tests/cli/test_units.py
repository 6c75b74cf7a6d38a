#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Units: dimensional analysis as an identity, and what must be refused.

    test_units.py SABLIER

A case in units is the hand-scaled case bit for bit; the same body in two systems of units has the same results in
SI. Last line: N passed, N failed.
"""
import csv
import json
import os
import sys
import tempfile

from harness import MESHES, Program, Suite, write

# A film of sand on a slope of 30 degrees, 20 cm thick; plain numbers are L, and formulas are in L.
FILM = """\
title: Film
symmetry: 2
units: {{length: {L}, density: 1.6 g/cm^3, viscosity: 44.8 Pa s}}
mesh:
  file: {root}/box.geo
  parameters: {{L: 20 cm, H: 0.2 m, n: 4}}
material: {{friction: {{angle: 22 deg, in: shear}}, bingham: 31.392 Pa}}
gravity: ["4.905 m/s^2", -8.5 m/s^2]
boundaries:
  left:   {{velocity: [free, 0]}}
  right:  {{velocity: [free, 0]}}
  top:    {{pressure: 0.1 kPa}}
  bottom: {{velocity: [1 cm/s, 0]}}
time: {{scheme: inertial, order: 1, step: 20 ms, end: 0.1 s, steady: 0, window: 40 ms}}
solver: {{tolerance: 1.0e-8, max_iterations: 500}}
output: {{every: 0, checkpoint: 5 min}}
probes:
  flux:    {{flux: right}}
  force:   {{force: bottom}}
  middle:  {{point: [10 cm, 10 cm], field: pressure}}
  energy:  {{integral: kinetic_energy}}
  profile: {{line: [[10 cm, 0], [10 cm, 20 cm]], samples: 5, field: velocity}}
"""
BOX = """\
DefineConstant[L = {1, Name "Parameters/L"}, H = {1, Name "Parameters/H"}, n = {4, Name "Parameters/n"}];
Point(1) = {0, 0, 0}; Point(2) = {L, 0, 0}; Point(3) = {L, H, 0}; Point(4) = {0, H, 0};
Line(1) = {1, 2}; Line(2) = {2, 3}; Line(3) = {3, 4}; Line(4) = {4, 1};
Curve Loop(1) = {1, 2, 3, 4}; Plane Surface(1) = {1};
Transfinite Curve {1, 2, 3, 4} = n + 1; Transfinite Surface {1};
Physical Curve("bottom") = {1}; Physical Curve("right") = {2}; Physical Curve("top") = {3};
Physical Curve("left") = {4}; Physical Surface("grains") = {1};
"""
BARE = """\
title: Film
symmetry: 2
mesh:
  file: {root}/box.geo
  parameters: {{L: 1, H: 1, n: 4}}
material: {{friction: {{angle: 22, in: shear}}, bingham: 0.01, reynolds: {re}}}
gravity: [0.5, {gy}]
boundaries:
  left:   {{velocity: [free, 0]}}
  right:  {{velocity: [free, 0]}}
  top:    {{pressure: {p}}}
  bottom: {{velocity: [{u}, 0]}}
time: {{scheme: inertial, order: 1, step: {dt}, end: {end}, steady: 0, window: {window}}}
solver: {{tolerance: 1.0e-8, max_iterations: 500}}
output: {{every: 0, checkpoint: 300}}
probes:
  flux:    {{flux: right}}
  force:   {{force: bottom}}
  middle:  {{point: [0.5, 0.5], field: pressure}}
  energy:  {{integral: kinetic_energy}}
  profile: {{line: [[0.5, 0], [0.5, 1]], samples: 5, field: velocity}}
"""


def load(path):
    with open(path, encoding="utf-8") as stream:
        return json.load(stream)


def table(path):
    with open(path, newline="") as stream:
        return list(csv.DictReader(stream))


def close(a, b, tolerance):
    if isinstance(a, list):
        return len(a) == len(b) and all(abs(x - y) <= tolerance * max(map(abs, b)) for x, y in zip(a, b))
    return abs(a - b) <= tolerance * abs(b)

LID = f"""\
mesh: {{file: {MESHES}/cavity.geo, parameters: {{h: 0.5}}}}
material: {{friction: 0, bingham: 0.5, reynolds: inf}}
gravity: [0, 0]
boundaries:
  lid:  {{velocity: [1, 0]}}
  wall: {{velocity: [0, 0]}}
time: {{scheme: inertial, step: 0.1, end: 0.5}}
"""


def main():
    suite, program = Suite(), Program(sys.argv[1])
    with tempfile.TemporaryDirectory(prefix="sablier-units-") as root:
        def run(*words, code=0):
            done = program.run(*words, cwd=root)
            suite.check(f"{' '.join(words)}: exit code {code}", done.returncode == code, f"{done.returncode}\n{done.stderr}")
            return done

        def digits(x):  # as the program writes what it converts
            return f"{x:.15g}"

        write(os.path.join(root, "box.geo"), BOX)
        L, rho, g = 0.2, 1600.0, 9.81
        T, U, P = (L / g) ** 0.5, (g * L) ** 0.5, rho * g * L
        for name, length in (("one", "0.2 m"), ("two", "50 mm")):
            write(os.path.join(root, name, "case.yaml"), FILM.format(L=length, root=root))
        write(os.path.join(root, "bare", "case.yaml"), BARE.format(
            root=root, re=digits(rho * U * L / 44.8), gy=digits(-8.5 / g), p=digits(100 / P), u=digits(0.01 / U),
            dt=digits(0.02 / T), end=digits(0.1 / T), window=digits(0.04 / T)))
        for name in ("one", "two", "bare"):
            run("run", name, "-q")
        one, two, bare = (load(os.path.join(root, "out", n, "summary.json")) for n in ("one", "two", "bare"))

        # a case in units is the hand-scaled one
        for key in ("probes", "deviations", "totals", "material", "steps", "time"):
            suite.check(f"bit for bit: {key}", one[key] == bare[key], f"{one[key]}\n{bare[key]}")
        rows, bare_rows = (table(os.path.join(root, "out", n, "history.csv")) for n in ("one", "bare"))
        suite.check("bit for bit: history.csv", [{k: v for k, v in row.items() if "[" not in k} for row in rows] == bare_rows)
        suite.check("without units no column has one", not any("[" in k for k in bare_rows[0]) and "si" not in bare)

        # the same body in two systems of units
        si = one["si"]["probes"]
        suite.check("names of units", {k: v["unit"] for k, v in si.items()} ==
                    {"flux": "kg/s/m", "force": "N/m", "middle": "Pa", "energy": "N"}, si)
        for name, value in si.items():
            for key in set(value) - {"unit"}:
                other = two["si"]["probes"][name][key]
                suite.check(f"two systems: {name}.{key}", key == "deviation" or close(value[key], other, 1e-12), (value, other))
        suite.check("two systems: time", close(one["si"]["time"], two["si"]["time"], 1e-12))
        suite.check("two systems: they differ without units", not close(one["probes"]["flux"], two["probes"]["flux"], 0.1))
        for a, b in zip(table(os.path.join(root, "out/one/profiles/profile.csv")), table(os.path.join(root, "out/two/profiles/profile.csv"))):
            for key in ("s [m]", "y [m]", "velocity_x [m/s]"):
                suite.check(f"two systems: profile {key}", abs(float(a[key]) - float(b[key])) < 1e-11, (a, b))

        # what the numbers are
        flux = one["probes"]["flux"]
        suite.check("kg/s per metre", close(si["flux"]["value"], rho * U * L * flux, 1e-13), si)
        suite.check("the whole is two of it", close(si["flux"]["total"], 2 * rho * U * L * flux, 1e-13) and
                    one["totals"]["flux"] == 2 * flux and "force" not in one["totals"], one["totals"])
        suite.check("history in SI", close(float(rows[-1]["flux [kg/s/m]"]), rho * U * L * float(rows[-1]["flux"]), 1e-13) and
                    close(float(rows[-1]["time [s]"]), 0.1, 1e-13), rows[-1])
        done = program.run("run", "one", "-o", "again", cwd=root)
        for word in ("L = 0.2 m", "rho g L = 3139.2 Pa", " kg/s/m\n", "the whole, 2 of it: "):
            suite.check(f"the terminal says {word}", word in done.stdout, done.stdout)
        run("run", "out/one/case.resolved.yaml", "-q")
        again = load(os.path.join(root, "out/case.resolved/summary.json"))
        suite.check("the resolved case is the same", again["probes"] == one["probes"] and again["si"] == one["si"])

        # no viscosity is a safe default with inertia, and nothing else has one
        text = FILM.format(L="0.2 m", root=root)
        write(os.path.join(root, "dry/case.yaml"), text.replace(", viscosity: 44.8 Pa s", ""))
        done = program.run("check", "dry", cwd=root)
        suite.check("with inertia and units: no viscosity", "reynolds     inf" in done.stdout, done.stdout + done.stderr)
        write(os.path.join(root, "lid.yaml"), LID)
        for option, warned in (("material.reynolds=inf", False), ("material.reynolds=1e7", True)):
            done = program.run("run", "lid.yaml", "-q", "-o", "dry-run", "--force", "--set", option, cwd=root)
            found = load(os.path.join(root, "dry-run/summary.json"))
            suite.check(f"advection, {option}: told by the energy where no mesh is fine enough",
                        any("under-resolved" in w for w in found["warnings"]) == warned, (done.stderr, found["warnings"]))
        for edit, means in [
                (("length: 0.2 m", "length: 0.2"), "units.length: expected a length (2 cm), a number with its unit"),
                (("length: 0.2 m", "length: 2 kg"), "units.length: '2 kg' is a mass; expected a length"),
                (("length: 0.2 m", "length: 0 m"), "units.length: 0 m is out of range"),
                (("length: 0.2 m, ", ""), "units.length: missing"),
                (("density: 1.6 g/cm^3, viscosity: 44.8 Pa s", "gravity: 9.81 m/s^2"), "bingham: '31.392 Pa' needs units.density"),
                (("density: 1.6 g/cm^3, ", ""), "units.viscosity: needs units.density"),
                (("bingham: 31.392 Pa", "bingham: 31.392 mm"), "material.bingham: '31.392 mm' is a length; expected a stress (1.2 kPa)"),
                (("bingham: 31.392 Pa", "bingham: 31.392 Bar"), "'31.392 Bar': there is no unit 'Bar'"),
                (("friction: {angle: 22 deg, in: shear}", "friction: 22 deg"), "expected a pure number, or friction: {angle: 30 deg}"),
                (("friction: {angle: 22 deg", "friction: {angle: 22 m"), "is a length; expected an angle (30 deg)"),
                (("n: 4", "n: 4 s"), "mesh.parameters.n: '4 s' is a time; expected a length (2 cm) or a pure number"),
                (("step: 20 ms", "step: 20 m"), "time.step: '20 m' is a length; expected a time"),
                (("bottom: {velocity: [1 cm/s", "bottom: {velocity: [1 cm"), "is a length; expected a velocity (3 mm/s)"),
                (("max_iterations: 500", "max_iterations: 500 m"), "solver.max_iterations: '500 m' is a number followed by letters"),
                (("bingham: 31.392 Pa", "bingham: 31.392 Pa, reynolds: 3"), "units.viscosity: material.reynolds says it too"),
                (("symmetry: 2", "symmetry: 0"), "symmetry: 0 is out of range"),
                (("units: {length: 0.2 m, density: 1.6 g/cm^3, viscosity: 44.8 Pa s}\n", ""), "has a unit, but the case has no section `units`"),
                (("time: {scheme: inertial, order: 1, step: 20 ms, end: 0.1 s, steady: 0, window: 40 ms}\noutput: {every: 0, checkpoint: 5 min}",
                  ""), None)]:
            if means is None or edit[0] not in text:
                suite.check(f"edit {edit[0][:30]}", means is None, text)
                continue
            write(os.path.join(root, "bad/case.yaml"), text.replace(*edit))
            done = run("check", "bad", code=3)
            suite.check(f"refused: {edit[1]}", means in done.stderr, done.stderr)

        # studies
        write(os.path.join(root, "one/study.yaml"), "base: case.yaml\nset: {time.end: 20 ms}\n"
              "vary: {boundaries.top.pressure: [100 Pa, 0.2 kPa]}\n")
        run("study", "one/study.yaml", "-q", "-o", "study")
        rows = table(os.path.join(root, "study/results.csv"))
        suite.check("a study: values in SI", [r["boundaries.top.pressure"] for r in rows] == ["100", "200"], rows)
        suite.check("a study: they count", rows[0]["probes.middle"] != rows[1]["probes.middle"], rows)
        write(os.path.join(root, "one/mixed.yaml"), "base: case.yaml\nvary: {boundaries.top.pressure: [100 Pa, 0.2]}\n")
        done = run("study", "one/mixed.yaml", "-q", "-o", "mixed", code=3)
        suite.check("a study: all have a unit, or none", "some of its values have a unit" in done.stderr, done.stderr)
        write(os.path.join(root, "one/wrong.yaml"), "base: case.yaml\nvary: {boundaries.top.pressure: [100 Pa, 2 m]}\n")
        done = run("study", "one/wrong.yaml", "-q", "-o", "wrong", code=3)
        suite.check("a study: the wrong dimension has its place", "one/wrong.yaml:2:" in done.stderr and
                    "expected a stress" in done.stderr, done.stderr)
    return suite.end()


sys.exit(main())
