#!/usr/bin/python3
"""The scripts of postproc/ draw what they promise, and complain in one clear line.

    test_postproc.py SABLIER_BINARY
"""
import os
import subprocess

import numpy
from case_run import ROOT, Tests

import sablier_io

tests = Tests()


def script(name, *arguments):
    command = ["/usr/bin/python3", os.path.join(ROOT, "postproc", name), *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def picture(name, *arguments):
    path = tests.path(f"{name}{tests.passed}.png")
    done = script(name, *arguments, path) if name != "picture.py" else script(
        name, arguments[0], path, *arguments[1:])
    good = done.returncode == 0 and os.path.isfile(path)
    head = open(path, "rb").read(8) if good else b""
    tests.check(good and head == b"\x89PNG\r\n\x1a\n" and os.path.getsize(path) > 4000,
                f"{name} {' '.join(a.replace(tests.folder.name, '') for a in arguments)} "
                f"{done.stderr.strip()[-300:]}")
    return done.stdout


def complaint(words, name, *arguments):
    done = script(name, *arguments)
    line = done.stderr.strip()
    tests.check(done.returncode == 1 and line.count("\n") == 0 and words in line,
                f"{name} says: {line[-200:]}")


tests.run("film", "film")
tests.run("bagnold", "film/bagnold.yaml")
tests.run("cavity", "cavity", "mesh.parameters.h=0.2")
film, bagnold, cavity = (tests.path(n) for n in ("film", "bagnold", "cavity"))
picture("picture.py", cavity, "--field", "shear_rate")
picture("picture.py", cavity, "--field", "pressure", "--flow", "arrows", "--rigid", "hatch")
picture("picture.py", film, "--field", "stress_XY", "--log", "--range", "1e-3", "1")
said = picture("profile.py", "--profile", "profile", film, bagnold)
tests.check(said.count("differs by at most") == 2,
            "  it found the exact solutions of both cases")
picture("profile.py", "--profile", "vertical", cavity)
picture("convergence.py", film, bagnold)
picture("convergence.py", "--against", "cpu", bagnold)
measured = script("cavity.py", cavity)
tests.check(measured.returncode == 0 and "vortex centre   (0." in measured.stdout,
            "cavity.py finds the centre of the vortex " + measured.stderr)
tests.run("round", "../tests/cases/round.yaml")
tests.run("box", "../tests/cases/box.yaml")
round_, box = (tests.path(n) for n in ("round", "box"))
picture("picture.py", round_, "--field", "stress_TT", "--mirror")
picture("picture.py", box, "--slice", "0,0,0:1,-1,0", "--field", "stress_XZ")
picture("picture.py", box, "--view", "10", "-120")
picture("picture.py", box, "--wall", "floor", "--field", "shear")
picture("profile.py", "--profile", "line", box)
complaint("picture.py draws slices", "profile.py", box, tests.path("x.png"), "--profile", "slice")
complaint("--mirror is for", "picture.py", box, tests.path("x.png"), "--mirror")
complaint("give x=0.5", "picture.py", box, tests.path("x.png"), "--slice", "w=0")
cut = sablier_io.Fields(box).slice([0.3, 0, 0], [1, 0, 0])
tests.below(cut.areas().sum() - 1.5, 1e-12, "area of a slice")
tests.below(sablier_io.Fields(box).surface().areas().sum() - 8, 1e-12, "area of the surface")
fields = sablier_io.Fields(round_)
psi, _ = fields.stream_function()
flux = sablier_io.summary(round_)["probes"]["Q"]
tests.below(2 * numpy.pi * (psi.max() - psi.min()) / flux - 1, 0.03,
            "the stream function about the axis has the flux of the outlet")
complaint("there is no directory", "picture.py", tests.path("nowhere"), tests.path("x.png"))
complaint("summary.json is missing", "picture.py", tests.folder.name, tests.path("x.png"))
complaint("shear_rate", "picture.py", film, tests.path("x.png"), "--field", "shear")
complaint("end its name", "picture.py", film, tests.path("x.bmp"))
complaint("pressure, profile", "profile.py", film, tests.path("x.png"))
complaint("there is no profile 'a'", "profile.py", film, tests.path("x.png"), "--profile", "a")
complaint("what is z?", "profile.py", film, tests.path("x.png"), "--profile", "profile",
          "--exact", "z+1")
complaint("velocity_x, velocity_y", "profile.py", film, tests.path("x.png"), "--profile",
          "profile", "--component", "w")
for name in ("picture.py", "profile.py", "convergence.py", "cavity.py"):
    tests.check("usage" in script(name, "--help").stdout, f"{name} --help")
tests.end()
