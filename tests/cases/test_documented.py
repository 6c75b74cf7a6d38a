#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Every command of README.md, docs/ and the pages of the cases works as it stands there.

    test_documented.py SABLIER [PAGE...]

Commands are the lines of blocks ```sh, and what stands between backticks in the text and begins
like a command on a case or a result. Each page is worked through in its order, in a directory of its
own, with copies of the cases that COARSE makes small; commands stay as they are but for LETTERS and
WORDS. A block whose first line names a file (`# file: mine/case.yaml`) is written there, as COARSE has it. Python on a page is run too, and what a page shows of a run is compared with the run.
A table here that names something no page has any more is an error. Last line: N passed, N failed.
"""
import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PAGES = ["README.md"] + sorted(glob.glob("docs/*.md", root_dir=ROOT)) + sorted(glob.glob("docs/*/*.md", root_dir=ROOT)) + \
    sorted(glob.glob("cases/*/README.md", root_dir=ROOT))

# Text of the files of cases and studies, and what makes them small.
SILO = [("h: 0.6, across: 20", "h: 3, across: 3"), ("step: 0.05, end: 30", "step: 0.1, end: 0.3"),
        ("window: 5", "window: 0.2")]
ONE_SIZE = ("[0.125, 0.25, 0.5]", "[0.25]")
COARSE = {
    "bench/silo.yaml": [("h: 0.38", "h: 3")],
    "cases/beverloo/study.yaml": [("[0.3, 0.4, 0.5]", "[0.3, 0.5]")],
    "cases/beverloo/rheology.yaml": [("[0.1, 0, 0]", "[0.1, 0]"), ("[100, 1000, 10]", "[100, 10]")],
    "cases/beverloo/newtonian.yaml": [("time.end: 40", "time.end: 0.3")],
    "cases/cavity/case.yaml": [("h: 0.03125", "h: 0.25"), ("1.0e-8", "1.0e-3")],
    "cases/cylinder/case.yaml": [("h: 0.1, n: 16", "h: 0.5, n: 4"), ("1.0e-3", "3.0e-2")],
    "cases/cylinder/arrest.yaml": [("h: 0.2", "h: 0.5"), ("n: 8", "n: 4"), ("1.0e-2}", "5.0e-2}"),
                                   ("width: 0.03", "width: 0.3"), ONE_SIZE],
    "cases/cylinder/rest.yaml": [("width: 0.02", "width: 0.3"), ONE_SIZE],
    "cases/cylinder/study.yaml": [
        ("[0, 0.1, 0.2, 0.3, 0.4, 0.45, 0.5, 0.55, 0.6, 0.65, 0.7, 0.75]", "[0, 0.1]"),
        ("[1e-3, 1e-3, 1e-3, 1e-3, 1e-3, 1e-3, 1e-3, 1e-3, 1e-3, 1e-3, 2e-3, 2e-2]", "[5e-2, 5e-2]")],
    "cases/cylinder-bingham/case.yaml": [("h: 0.25, n: 64", "h: 2, n: 4"), ("1.0e-6", "1.0e-2")],
    "cases/cylinder-bingham/study.yaml": [("[32, 64, 128]", "[3, 4, 5]"), ("[0.5, 0.25, 0.125]", "[3, 2.5, 2]"),
                                          (", 300, 1000, 3000, 10000]", "]")],
    "cases/cylinder-slip/case.yaml": [("h: 0.05, n: 32", "h: 0.4, n: 5"), ("1.0e-8", "1.0e-3")],
    "cases/chute/case.yaml": [("n: 8", "n: 3")],
    "cases/chute/inertial.yaml": [("n: 8", "n: 3"), ("end: 60", "end: 1")],
    "cases/chute/steady.yaml": [("L: 0.25, n: 8", "L: 0.5, n: 4"), ("end: 250", "end: 1"), ("window: 5", "window: 0.5")],
    "cases/chute/layer.yaml": [("n: 8", "n: 3"), ("end: 40", "end: 1")],
    "cases/column/case.yaml": [("h: 0.14", "h: 0.4"), ("end: 4", "end: 0.2")],
    "cases/block/case.yaml": [("h: 0.125", "h: 0.4"), ("end: 2}", "end: 0.2}")],
    "cases/column/aspect.yaml": [
        ("[0.5, 0.7, 1, 1.4, 2, 2.8, 4, 6, 10]", "[0.7, 1, 1.4, 2.8, 4]"), ("[2.5, 3, 3.6, 4.4, 5.6, 7.2, 11, 15.5, 23]", "[2.5, 2.5, 2.5, 2.5, 3]"),
        ("[0.7, 0.9, 1.2, 1.6, 2.2, 3, 5, 7.2, 11.5]", "[0.9, 1.2, 1.6, 3.2, 5]"), ("[0.7, 0.9, 1.2, 1.6, 2.2, 3, 1.2, 1.2, 1.4]", "[0.9, 1.2, 1.6, 3.2, 5]"),
        ("[0.1, 0.12, 0.14, 0.17, 0.2, 0.22, 0.28, 0.28, 0.28]", "[0.35, 0.35, 0.35, 0.5, 0.5]"),
        ("[0.1, 0.12, 0.14, 0.17, 0.2, 0.22, 1.2, 1.6, 2.5]", "[0.35, 0.35, 0.35, 0.5, 0.5]"), ("\"x < 0 && y < 0.5\", ", ""),
        ("\"x < 0 && y < 2\", ", ""), (", \"x < 0 && y < 6\", \"x < 0 && y < 10\"", ""),
        ("[0.03, 0.035, 0.04, 0.05, 0.06, 0.06, 0.08, 0.1, 0.12]", "[0.1, 0.1, 0.1, 0.1, 0.1]"),
        ("[3.3, 3.85, 4.6, 5.5, 6.6, 7.8, 8.4, 10.3, 13.2]", "[1.2, 1.2, 1.2, 1, 1]"), ("[0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.3, 0.3, 0.3]", "[0.1, 0.1, 0.1, 0.1, 0.1]")],
    "cases/column/aspect-mui.yaml": [
        ("[0.5, 1, 2, 4, 6, 10]", "[0.5, 1]"), ("[2.5, 3.6, 7.2, 12.5, 18, 28]", "[2.5, 2.5]"), ("[0.7, 1.2, 2.2, 5, 7.2, 11.5]", "[0.7, 1.2]"),
        ("[0.7, 1.2, 2.2, 1.2, 1.2, 1.4]", "[0.7, 1.2]"), ("[0.1, 0.14, 0.2, 0.28, 0.28, 0.28]", "[0.4, 0.4]"), ("[0.1, 0.14, 0.2, 1.2, 1.6, 2.5]", "[0.4, 0.4]"),
        (", \"x < 0 && y < 2\", \"x < 0 && y < 4\", \"x < 0 && y < 6\", \"x < 0 && y < 10\"", ""), ("[0.03, 0.04, 0.06, 0.08, 0.1, 0.12]", "[0.1, 0.1]"),
        ("[3.3, 4.6, 5.7, 8, 9.8, 12.6]", "[0.5, 0.5]"), ("[0.1, 0.1, 0.1, 0.3, 0.3, 0.3]", "[0.1, 0.1]")],
    "cases/column-round/case.yaml": [("h: 0.12", "h: 0.4"), ("end: 5, window: 0.2", "end: 0.2, window: 0.1")],
    "cases/column-round/aspect-round.yaml": [
        ("[0.5, 0.7, 1, 1.4, 2, 3, 5]", "[0.7, 1, 1.4, 2, 3, 5]"), ("[2.2, 2.6, 3, 3.8, 4.6, 5.6, 7.4]", "[2, 2, 2, 2, 2, 2]"),
        ("[0.7, 0.9, 1.2, 1.6, 2.2, 3.6, 6]", "[0.9, 1.2, 1.6, 2.4, 3.6, 6]"), ("[0.7, 0.9, 1.2, 1.6, 2.2, 1.2, 1.2]", "[0.9, 1.2, 1.6, 2.4, 3.6, 6]"),
        ("[0.1, 0.1, 0.12, 0.14, 0.16, 0.18, 0.2]", "[0.5, 0.5, 0.5, 0.5, 0.5, 0.5]"), ("[0.1, 0.1, 0.12, 0.14, 0.16, 0.6, 1]", "[0.5, 0.5, 0.5, 0.5, 0.5, 0.5]"),
        ("\"x < 1 && y < 0.5\", ", ""), ("[0.03, 0.035, 0.04, 0.05, 0.06, 0.07, 0.08]", "[0.1, 0.1, 0.1, 0.1, 0.1, 0.1]"),
        ("[3.3, 3.85, 4.6, 5.5, 6.6, 8.05, 10.4]", "[1, 1, 1, 1, 1, 1]")],
    "cases/dam/case.yaml": [("h: 0.14", "h: 0.4"), ("end: 6, window: 0.4", "end: 0.2, window: 0.1")],
    "cases/column/mui.yaml": [("h: 0.15", "h: 0.4"), ("end: 5.22", "end: 0.18")],
    "cases/drum/case.yaml": [("h: 0.17", "h: 0.5"), ("end: 30", "end: 0.3")],
    "cases/emptying/case.yaml": [("h: 0.35, across: 7", "h: 1, across: 2"), ("end: 8", "end: 0.3")],
    "cases/film/case.yaml": [("n: 8", "n: 3")],
    "cases/twin-silo/case.yaml": [("grid: [32, 64]", "grid: [6, 4]"), ("end: 30, window: 13", "end: 1, window: 0.5")],
    "cases/twin-silo/continuum.yaml": [("h: 3, across: 10", "h: 9, across: 2"), ("end: 18, window: 5", "end: 0.2, window: 0.1")],
    "cases/twin-silo/study.yaml": [("[47, 30, 66, 36, 55, 47, 47,", "[1, 1, 1, 1, 1, 1, 1,"), ("[30, 16, 38, 21, 34, 30, 30,", "[0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5,"),
                                   ("across: [10, 14, 6, 12, 8, 10, 10, 10, 6, 8, 12, 14, 10, 10]", "across: [2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2]")],
    "cases/brazil-nut/case.yaml": [("end: 126", "end: 1"), ("every: 4.2", "every: 1")],
    "cases/grain-slope/case.yaml": [("end: 5", "end: 2")],
    "cases/grain-active/ball.yaml": [("end: 0.2", "end: 0.002")],
    "cases/grain-active/case.yaml": [("end: 5.0e-2", "end: 2.0e-3"), ("every: 0.01", "every: 1.0e-3")],
    "cases/grain-active/methods.yaml": [("time.end: 0.02, time.window: 0.02", "time.end: 0.003, time.window: 0.003")],
    "cases/grain-active/slope.yaml": [("end: 0.1}", "end: 0.004}"), ("every: 0.02", "every: 0.002")],
    "cases/grain-column/case.yaml": [("grid: [30, 30]", "grid: [6, 6]"), ("end: 10", "end: 2")],
    "cases/grain-ellipses/case.yaml": [("grid: [10, 10]", "grid: [4, 4]"), ("end: 4", "end: 2")],
    "cases/grain-chute/slopes.yaml": [("[1, 2, 3]", "[1]")],
    "cases/grain-chute/case.yaml": [("grid: [19, 15]", "grid: [19, 2]"), ("end: 240, window: 160", "end: 2, window: 1")],
    "cases/grain-cube/case.yaml": [("grid: [8, 8, 8]", "grid: [3, 3, 3]"), ("end: 3, window: 3", "end: 1, window: 1")],
    "cases/grain-box/case.yaml": [("grid: [8, 8, 8]", "grid: [3, 3, 3]"), ("end: 8", "end: 1")],
    "cases/grain-box/many.yaml": [("grid: [50, 50, 50]", "grid: [3, 3, 3]"), ("end: 12", "end: 1")],
    "cases/heap/case.yaml": [("h: 0.14", "h: 0.3"), ("end: 1}", "end: 0.2}")],
    "cases/heap/along.yaml": [("h: 0.14", "h: 0.3"), ("end: 1}", "end: 0.2}")],
    "cases/film/bagnold.yaml": [("n: 8", "n: 3"), ("1.0e-6", "1.0e-4")],
    "cases/hopper/case.yaml": [("h: 0.4, across: 8", "h: 1, across: 3")],
    "cases/janssen/space.yaml": [("n: 3", "n: 2"), ("1.0e-3", "3.0e-2"), ("H: 4", "H: 2")],
    "cases/janssen/case.yaml": [("n: 4", "n: 2"), ("1.0e-4", "3.0e-2"), ("H: 24", "H: 6")],
    "cases/radial/case.yaml": [("n: 6", "n: 2"), ("1.0e-6", "1.0e-2")],
    "cases/belt/case.yaml": [("n: 8", "n: 3"), ("1.0e-6", "1.0e-2")],
    "cases/couette/case.yaml": [("n: 4", "n: 2")],
    "cases/pipe/case.yaml": [("1.0e-7", "1.0e-4")],
    "cases/pipe/friction.yaml": [("1.0e-6", "1.0e-4")],
    "cases/poiseuille/case.yaml": [("n: 14", "n: 4"), ("1.0e-8", "1.0e-4")],
    "cases/poiseuille/closed.yaml": [("n: 14", "n: 4"), ("1.0e-8", "1.0e-4")],
    "cases/sandglass/case.yaml": [("h: 0.6, across: 8", "h: 2, across: 3"), ("window: 1}", "window: 0.5}")],
    "cases/rest/case.yaml": [("h: 0.125", "h: 0.5")],
    "cases/silo/case.yaml": SILO,
    "cases/silo-space/case.yaml": [("end: 4", "end: 0.2"), ("window: 1", "window: 0.1"), ("output: {every: 1}", "output: {every: 0.2}")],
    "cases/silo-space/square.yaml": [("end: 4", "end: 0.2"), ("window: 1", "window: 0.1")],
    "cases/silo/hourglass.yaml": [("time.end: 40", "time.end: 0.3")],
    "cases/silo/friction.yaml": [("h: 1, across: 10", "h: 3, across: 3"), ("end: 12", "end: 0.3"), ("window: 4", "window: 0.2")],
    "cases/silo/walls.yaml": [("[0, 0.1, 0.2, 0.3, 0.4, 0.6, 1, 10]", "[0, 0.3]")],
    "cases/hopper/study.yaml": [("time.end: 5, time.window: 2", "time.end: 0.3, time.window: 0.2"), ("[15, 30, 45]", "[30]"), ("[0, 0.15, 0.3, 0.6]", "[0.15, 0.6]")],
    "cases/silo/meshes.yaml": [("[10, 20, 40]", "[2, 3, 4]"), ("[1.2, 0.6, 0.3]", "[4, 3, 3]")],
    "cases/silo/steps.yaml": [("[0.2, 0.1, 0.05, 0.025]", "[0.2, 0.1]")],
    "cases/silo-mui/case.yaml": SILO,
    "cases/silo-round/case.yaml": SILO,
    "cases/silo-round/creeping.yaml": [SILO[0]],
    "cases/silo-round/meshes.yaml": [("[10, 20, 40]", "[2, 3, 4]"), ("[1.2, 0.6, 0.3]", "[4, 3, 3]")],
    "cases/silo-round/patterns.yaml": [("[10, 14, 18, 20, 20, 28]", "[3, 4]"), ("[1.2, 0.85, 0.68, 0.65, 0.6, 0.42]", "[4, 3]"),
                                       ("time.end: 20", "time.end: 0.3")],
    "cases/silo-round/steps.yaml": [("across: 10, mesh.parameters.h: 1.2", "across: 3, mesh.parameters.h: 3"),
                                    ("[0.1, 0.05, 0.025]", "[0.1, 0.05]")],
    "cases/sphere/case.yaml": [("h: 0.4, n: 32", "h: 2, n: 4"), ("1.0e-5", "1.0e-2")],
    "cases/sphere/grains.yaml": [("h: 0.8, n: 16", "h: 2, n: 4"), ("1.0e-2", "5.0e-2")],
    "cases/sphere/limit.yaml": [("h: 0.4, near", "h: 2, near"), ("[64, 128, 256]", "[4, 6]")],
    "cases/sphere/study.yaml": [("[16, 32, 64]", "[3, 4, 5]"), ("[0.8, 0.4, 0.2]", "[3, 2.5, 2]")],
}
# The same for files that pages show.
FILES = {
    "docs/tutorials/sand.md: sand/case.yaml": [("h: 0.02, across: 12", "h: 0.08, across: 2"), ("end: 2,", "end: 0.02,"), ("window: 0.4", "window: 0.01")],
    "docs/tutorials/beverloo.md: mine/study.yaml": [("mesh.parameters.across: 12", "mesh.parameters.across: 3")],
    "docs/tutorials/mesh.md: two/case.yaml": [("h: 0.5", "h: 2"), ("end: 6", "end: 0.3"), ("window: 2", "window: 0.2")],
    "docs/tutorials/mesh.md: two/two.geo": [("fine = D / 8", "fine = D / 2")],
}
# Values for the letters in commands, =T or = METHOD; DIR is the result of the last command with -o DIR.
LETTERS = {"T": "0.1", "F": "0.3", "M": "ipm", "H": "1", "N": "3", "S": "none", "BI": "5", "METHOD": "apgd",
           "LIBRARY": "mumps", "Y": "0.7", "RE": "10", "MU": "0.3"}
# Sizes and tolerances in commands that take long.
WORDS = {
    "across=24 --set mesh.parameters.h=0.01 --set time.step=2.5e-3 --set time.end=0.5": "across=3 --set mesh.parameters.h=0.08 --set time.end=0.02",
    "mesh.parameters.h=0.8 --set mesh.parameters.across=5": "mesh.parameters.h=1 --set mesh.parameters.across=3",
    "time.step=0.1 --set time.end=20": "time.step=0.1 --set time.end=0.4", "mesh.parameters.n=16": "mesh.parameters.n=5", "time.end=5": "time.end=0.4", "chute.gif": "chute.gif --skip 100 --dpi 40",
    "obstacle.gif": "obstacle.gif --skip 20 --dpi 40", "silo.gif": "silo.gif --skip 3 --dpi 40", "emptying.gif": "emptying.gif --dpi 40",
    "time.end=24": "time.end=0.4", "low: 1, h: 0.1, far: 0.6": "low: 3.6, h: 0.5, far: 0.5", "time.end=7 ": "time.end=0.4 ", "H: 0.7, h: 0.07}": "H: 0.7, h: 0.4}", "time.end=2.828424": "time.end=0.1",
    "mesh.parameters.h=0.0625 --set time.step=0.0125": "mesh.parameters.h=0.4", "mesh.parameters.h=0.182": "mesh.parameters.h=3", "mesh.parameters.n=32": "mesh.parameters.n=4",
    "mesh.parameters.across=12 --set mesh.parameters.h=0.9": "mesh.parameters.across=4",
    "mesh.parameters.h=0.1 --set time.step=0.025 --set time.end=3": "mesh.parameters.h=0.4 --set time.end=0.1",
    "mesh.parameters.across=14 --set mesh.parameters.h=0.75 --set time.end=0.3": "mesh.parameters.across=4 --set time.end=0.2",
    "mesh.parameters.h=0.1 ": "mesh.parameters.h=0.25 ", "time.end=4": "time.end=0.4", "time.window=2": "time.window=0.2",
    "solver.tolerance=1e-6": "solver.tolerance=1e-2", "solver.tolerance=1e-3": "solver.tolerance=0.1",
}
# Beginnings of commands that are not run, and why.
SKIPPED = {
    "scripts/demo": "builds, and runs what this test runs",
    "scripts/test": "this is part of it",
    "bench-solve": "of bench/, which is built on request",
    "xvfb-run -a pvpython": "ParaView takes seconds for a picture; that it reads the files is tests/cases/test_vtu.py",
    "postproc/cylinder.py … --drag": "not whole",
    "postproc/rheology.py": "refuses layers of two grains; tests/cases/test_grains.py has layers that are known",
    "postproc/twin.py": "refuses a silo that hardly flows yet; tests/cases/test_grains.py draws a small one",
    "sablier fit out/slopes": "of the table of rheology.py",
    "sablier fit out/twin": "of the table of twin.py",
}
# Results of another page that a page begins with.
NEEDS = {"docs/study.md": "README.md"}
# Commands that miss their tolerance, as the page says.
MISSES = {"sablier run bench/silo.yaml --dump-program p.sabp --set mesh.element=p2b --set mesh.parameters.h=0.182 "
          "--set solver.max_iterations=1 --output out/silo --force",
          "sablier run cases/cavity --set material.friction=0.3 --set material.dilatancy=0.2 --set mesh.parameters.h=0.2"}

# Programs in Python on a page: a command that makes what they read, and a line to end with.
PYTHON = {"docs/checkpoint.md": ("sablier run cases/film", "assert len(read('out/film/checkpoint.sab')) > 5"),
          "cases/grain-rest/README.md": ("sablier run cases/grain-rest",
                                         "assert [iterations(t)[0] for t in (1e-3, 1e-9)] == [206, 2926] and iterations(1e-9, True, False, True)[0] == 160"),
          "cases/grain-thrown/README.md": ("sablier run cases/grain-thrown",
                                           "assert abs(apart[4] / 3.768e-3 - 1) < 0.01 and all(error[law, 5] < 4e-3 for law in ('coulomb', 'relaxed'))"),
          "docs/program-format.md": ("sablier run cases/film --dump-program program.sabp", "assert block.size")}

INLINE = re.compile(r"(?:sablier (?:run|study|check|fit|solve|calibrate) (?:cases|bench|out)/|sablier keys|sablier --version"
                    r"|postproc/\S+\.py \S|xvfb-run |python3 )")


def commands(page):
    """(command, in a block) in the order of the page."""
    with open(os.path.join(ROOT, page), encoding="utf-8") as stream:
        text = stream.read()
    found, end = [], 0
    for block in re.finditer(r"^ *```(\w*)\n(.*?)^ *```$", text + "```math\n```", re.S | re.M):
        spans = re.findall(r"`([^`]+)`", text[end:block.start()])
        found += [(" ".join(s.split()), False) for s in spans if INLINE.match(" ".join(s.split()) + " ")]
        end = block.end()
        if re.match(r"(#|//) file: ", block[2]):
            found.append((block[2], True))
        elif block[1] == "sh":
            lines = [s.strip() for s in re.sub(r"\\\n\s*", "", block[2]).splitlines()]
            found += [(re.sub(r"\s+#.*", "", s), True) for s in lines if s and s[0] != "#"]
        elif block[1] == "" and re.match(r"sablier \d", block[2]):
            found.append((block[2], True))
        elif block[1] == "":
            lines = re.sub(r"\\\n\s*", "", block[2]).splitlines()
            found += [(s, True) for s in lines if s.startswith("sablier ") and re.search("(cases|out)/", s)]
    return found


class Pages:
    def __init__(self, sablier, root):
        self.root, self.passed, self.failed = root, 0, 0
        self.used, self.known = set(), {}  # entries of tables; command -> results that it made, what it said
        self.directory, self.said = " DIR", ""
        os.mkdir(os.path.join(root, "bin"))
        os.symlink(os.path.abspath(sablier), os.path.join(root, "bin/sablier"))
        self.env = {**os.environ, "PATH": f"{root}/bin:{os.environ['PATH']}", "OPENBLAS_NUM_THREADS": "1",
                    "OMP_NUM_THREADS": "1", "MPLBACKEND": "Agg", "LC_ALL": "C"}
        shutil.copytree(os.path.join(ROOT, "cases"), os.path.join(root, "cases"))
        os.mkdir(os.path.join(root, "bench"))
        shutil.copy(os.path.join(ROOT, "bench/silo.yaml"), os.path.join(root, "bench/silo.yaml"))
        for name, edits in COARSE.items():
            self.coarsen(name, edits)

    def fail(self, name, detail):
        self.failed += 1
        print(f"FAILED {name}\n    " + detail.strip().replace("\n", "\n    "), flush=True)

    def write(self, page, text):
        """The file that a page shows."""
        path = text.splitlines()[0].split()[-1]
        os.makedirs(os.path.join(self.place(page), os.path.dirname(path)), exist_ok=True)
        with open(os.path.join(self.place(page), path), "w", encoding="utf-8") as stream:
            stream.write(text)
        name = f"{page}: {path}"
        if name in FILES:
            self.used.add(name)
            self.coarsen(os.path.join(self.place(page), path), FILES[name])

    def coarsen(self, name, edits):
        with open(os.path.join(self.root, name), encoding="utf-8") as stream:
            text = stream.read()
        for old, new in edits:
            if old not in text:
                self.fail(f"COARSE of {name} is stale", f"it has no '{old}'")
            text = text.replace(old, new)
        with open(os.path.join(self.root, name), "w", encoding="utf-8") as stream:
            stream.write(text)

    def place(self, page):
        return os.path.join(self.root, "pages", page.replace("/", "-"))

    def short(self, command):
        def letter(match):
            self.used.add(match[2])
            return match[1] + LETTERS[match[2]]

        command = re.sub(rf"([= ])({'|'.join(LETTERS)})(?= |$)", letter, command)
        for old, new in WORDS.items():
            if old in command + " ":
                self.used.add(old)
                command = (command + " ").replace(old, new).rstrip()
        return command

    def run(self, page, command, in_block, number):
        for beginning in SKIPPED:
            if command.startswith(beginning):
                self.used.add(beginning)
                return
        place, what = self.place(page), self.short(command)
        if " -o DIR" in what:
            self.directory = f" out/dir{number}"
        what = what.replace(" DIR", self.directory)
        if not in_block and " --set " in what and " -o " not in what:
            what += f" -o out/set{number}"  # a variant: pages do not say where it goes
        out = os.path.join(place, "out")
        if what in self.known:  # the same on another page, or here before
            made, self.said = self.known[what]
            for path in made:
                if not os.path.exists(os.path.join(out, os.path.basename(path))):
                    os.symlink(path, os.path.join(out, os.path.basename(path)))
            return
        before = set(os.listdir(out))
        start = time.monotonic()
        done = subprocess.run(["sh", "-c", what], cwd=place, env=self.env, stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, timeout=200, errors="replace")
        self.said = done.stdout
        self.known[what] = [os.path.join(out, name) for name in set(os.listdir(out)) - before], self.said
        expected = 0
        if command in MISSES:
            self.used.add(command)
            expected = 1
        if "-v" in sys.argv:
            print(f"{time.monotonic() - start:6.2f} s  {page}: {what}", flush=True)
        if done.returncode != expected:
            self.fail(f"{page}: {command}", f"exit code {done.returncode} of {what}\n" + done.stdout[-500:] +
                      done.stderr[-1500:])
        else:
            self.passed += 1

    def compare(self, page, shown):
        """What a page shows is what the last command says, but for the numbers and how it ended."""
        def form(line):
            line = re.sub(r"[-+]?(\d[\d.]*(e[-+]\d+)?|inf)\b", "#", line)
            return line.split()[0] if line.startswith(("end ", "result ")) else " ".join(line.split())

        said = {form(line) for line in self.said.splitlines()}
        for line in shown.splitlines():
            if line.strip() == "..." or form(line) in said:
                self.passed += 1
            else:
                self.fail(f"{page}: this line is no longer printed", f"{line}\n{form(line)}\n{self.said}")

    def run_python(self, page):
        with open(os.path.join(ROOT, page), encoding="utf-8") as stream:
            blocks = re.findall(r"^```python\n(.*?)^```$", stream.read(), re.S | re.M)
        if blocks and page not in PYTHON:
            self.fail(f"{page} has Python that is not run", blocks[0])
        elif blocks:
            self.used.add(page)
            with open(os.path.join(self.place(page), "page.py"), "w", encoding="utf-8") as stream:
                stream.write("\n".join([*blocks, PYTHON[page][1], ""]))
            self.run(page, PYTHON[page][0], True, 0)
            self.run(page, "/usr/bin/python3 page.py # " + page, True, 0)

    def work_through(self, page):
        place = self.place(page)
        os.makedirs(place)
        if page in NEEDS:
            self.used.add(page)
            shutil.copytree(os.path.join(self.place(NEEDS[page]), "out"), os.path.join(place, "out"), symlinks=True)
        else:
            os.mkdir(os.path.join(place, "out"))
        for name in ("cases", "bench"):
            os.symlink(os.path.join(self.root, name), os.path.join(place, name))
        for name in ("meshes", "postproc", "scripts"):
            os.symlink(os.path.join(ROOT, name), os.path.join(place, name))
        os.mkdir(os.path.join(place, "docs"))
        for number, (command, in_block) in enumerate(commands(page)):
            if re.match(r"(#|//) file: ", command):
                self.write(page, command)
            elif re.match(r"sablier \d", command):
                self.compare(page, command)
            else:
                self.run(page, command, in_block, number)
        self.run_python(page)

    def end(self, whole):
        stale = set(FILES) | set(LETTERS) | set(WORDS) | set(SKIPPED) | set(NEEDS) | set(PYTHON) | MISSES
        for entry in sorted(stale - self.used) if whole else []:
            self.fail("a table is stale", f"no page has '{entry}'")
        print(f"{self.passed} passed, {self.failed} failed")
        return 1 if self.failed else 0


def main():
    chosen = [a for a in sys.argv[2:] if a != "-v"]
    with tempfile.TemporaryDirectory(prefix="sablier-pages-") as root:
        os.symlink(os.path.join(ROOT, "meshes"), os.path.join(root, "meshes"))
        pages = Pages(sys.argv[1], os.path.realpath(root))
        for page in chosen or PAGES:
            pages.work_through(page)
        return pages.end(not chosen)


if __name__ == "__main__":
    sys.exit(main())
