#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The scripts of postproc/ draw what they promise, and complain in one clear line.

    test_postproc.py SABLIER_BINARY
"""
import os
import shutil
import subprocess

import numpy
from case_run import ROOT, Tests

import sablier
from sablier import style
from sablier.section import Section, trajectories
from sablier.style import pyplot

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


def zones():
    """The rim of what does not yield: of the area of the law points that do not, and in the channel where it is exact."""
    tests.run("plates", "poiseuille", "mesh.parameters.n=14")
    section = Section(sablier.Fields(tests.path("plates")))
    value, level = section.rigid()
    fields = section.fields
    share = float((1 - fields.cell["yielded"]) @ fields.areas())
    below = fields.area_below(fields.recovered(fields.cell["yielded"]), level)
    tests.below(below / share - 1, 1e-6, "the zone has the area of its points")
    lines = pyplot.tricontour(section.mesh, value, levels=[level]).allsegs[0]
    lines = numpy.concatenate(lines)
    middle = lines[numpy.abs(lines[:, 0] - 1) < 0.5]
    tests.below(numpy.abs(numpy.abs(middle[:, 1]) - 0.5).max(), 0.018, "the plug ends at y = Bi to a quarter of a triangle")


def streamlines():
    """Around an obstacle with a wake without pressure: lines stay in the domain, and what goes between two of them changes
    as little as the volume does."""
    tests.run("cylinder", "cylinder", "mesh.parameters.h=0.3", "mesh.parameters.n=6", "solver.tolerance=0.05")
    fields = sablier.Fields(tests.path("cylinder"))
    section = Section(fields)
    tests.check(fields.stream_function()[1] > 1e-3, "this flow has no stream function")
    lines = section.paths(12)
    everywhere = numpy.concatenate(lines)
    radius = numpy.hypot(everywhere[:, 0], everywhere[:, 1] - 2)
    tests.check(len(lines) > 5 and radius.min() > 0.125 - 4 / 600, f"{len(lines)} lines, none through the cylinder: "
                f"{radius.min():.4f}")
    near = min(numpy.linalg.norm(a[:, None] - b[None], axis=2).min() for k, a in enumerate(lines) for b in lines[:k])
    tests.check(near > 3.0 * 4 / 600, f"lines keep apart: {near:.4f}")
    # a field whose lines are known: u = (y, -x) around 0 in a ring
    y, x = numpy.meshgrid(numpy.arange(-100, 101.0), numpy.arange(-100, 101.0), indexing="ij")
    flow = numpy.stack([y, -x], axis=2)
    flow[numpy.hypot(x, y) < 20] = numpy.nan
    circles = trajectories(1.0, flow, 12)
    wander = max(numpy.ptp(numpy.hypot(*(path - 100).T)) for path in circles)
    tests.check(len(circles) > 4 and wander < 0.5, f"{len(circles)} circles stay circles: {wander:.3f} of a pixel")


def looks():
    for name in ("viridis", "cividis", "Greys_r"):
        tests.check(style.check_colours(name), f"{name} survives grey")
    for name in ("jet", "coolwarm"):
        tests.check(not style.check_colours(name), f"{name} does not")
    for end in ("pdf", "svg"):
        path = tests.path("same." + end)
        written = []
        for _ in range(2):
            done = script("picture.py", cavity, path, "--style", "paper", "--dpi", "60")
            with open(path, "rb") as file:
                written.append(file.read())
        tests.check(done.returncode == 0 and written[0] == written[1], f".{end} is the same again " + done.stderr)
    tests.check("misleads in grey" in script("picture.py", cavity, tests.path("x.png"), "--colours", "jet").stderr,
                "a rainbow is warned of")
    figure, (axes,) = style.Style("talk").apply().panels()
    axes.plot([0, 1], [0, 1], label="a line")
    axes.legend(loc="center")
    figure.canvas.draw()
    try:
        style.check_legends(figure)
        tests.check(False, "a legend over data is found")
    except AssertionError:
        tests.check(True, "a legend over data is found")


def films():
    from PIL import Image

    tests.run("column", "column", "mesh.parameters.h=0.4", "time.end=0.4", "output.every=0.2")
    for name, result, arguments, frames in (("surface", "column", (), 3), ("steady", "cavity", ("--skip", "20"), 2),
                                            ("space", "box", ("--slice", "y=0.5", "--skip", "20"), None)):
        path = tests.path(name + ".gif")
        done = script("movie.py", tests.path(result), path, "--dpi", "40", *arguments)
        count = Image.open(path).n_frames if done.returncode == 0 else 0
        tests.check(count == frames if frames else count > 0, f"{name}: {count} frames {done.stderr.strip()[-300:]}")
    complaint("end its name", "movie.py", cavity, tests.path("x.avi"))
    complaint("give a --slice", "movie.py", box, tests.path("x.gif"))
    if shutil.which("ffmpeg") is None:
        complaint("there is no ffmpeg", "movie.py", tests.path("column"), tests.path("x.mp4"))
    else:
        done = script("movie.py", tests.path("column"), tests.path("x.mp4"), "--dpi", "40")
        tests.check(done.returncode == 0 and os.path.getsize(tests.path("x.mp4")) > 1000, "mp4 " + done.stderr)


zones()
streamlines()
looks()
films()
complaint("give x=0.5", "picture.py", box, tests.path("x.png"), "--slice", "w=0")
cut = sablier.Fields(box).slice([0.3, 0, 0], [1, 0, 0])
tests.below(cut.areas().sum() - 1.5, 1e-12, "area of a slice")
tests.below(sablier.Fields(box).surface().areas().sum() - 8, 1e-12, "area of the surface")
fields = sablier.Fields(round_)
psi, _ = fields.stream_function()
flux = sablier.summary(round_)["probes"]["Q"]
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
for name in ("picture.py", "movie.py", "profile.py", "convergence.py", "cavity.py", "walls.py"):
    tests.check("usage" in script(name, "--help").stdout, f"{name} --help")
tests.end()
