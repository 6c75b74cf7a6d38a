#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""`sablier report`: one page that holds what the files say, needs nothing else, and is not large.

    test_report.py SABLIER_BINARY
"""
import base64
import html.parser
import json
import os
import re
import subprocess

from case_run import ROOT, Tests

tests = Tests()


class Reader(html.parser.HTMLParser):
    """Are all elements closed in order, and does anything refer to another file?"""

    VOID = {"meta", "link", "input", "br", "path", "use", "rect", "line", "circle"}

    def __init__(self):
        super().__init__()
        self.open, self.wrong, self.outside, self.text = [], [], [], []

    def handle_starttag(self, tag, attributes):
        if tag not in self.VOID:
            self.open.append(tag)
        self.look(attributes)

    def handle_startendtag(self, tag, attributes):
        self.look(attributes)

    def look(self, attributes):
        self.outside += [v for k, v in attributes if k in ("src", "href", "xlink:href") and v and
                         not v.startswith(("#", "data:"))]

    def handle_endtag(self, tag):
        if tag not in self.VOID and (not self.open or self.open.pop() != tag):
            self.wrong.append(tag)

    def handle_data(self, data):
        self.text.append(data)


def report(name, *words, code=0):
    done = subprocess.run([tests.binary, "report", tests.path(name), *words], capture_output=True, text=True, check=False)
    tests.check(done.returncode == code, f"report of {name}: {done.returncode} {done.stderr.strip()[-300:]}")
    return done


def look(name):
    with open(tests.path(f"{name}/report.html"), encoding="utf-8") as file:
        page = file.read()
    reader = Reader()
    reader.feed(page)
    tests.check(not reader.wrong and not reader.open, f"  elements are closed: {reader.wrong[:3]} {reader.open[:3]}")
    tests.check(not reader.outside and "http://" not in re.sub(r'xmlns(:\w+)?="[^"]*"', "", page).replace(
        "<!DOCTYPE html PUBLIC", ""), f"  nothing from elsewhere {reader.outside[:3]}")
    tests.check(len(page) < 5e6, f"  {len(page)} bytes")
    tests.check("nan" not in re.sub(r"<script.*?</script>|<svg.*?</svg>|<pre>.*?</pre>", "", page, flags=re.S).lower()
                .replace("nano", ""), "  no nan is shown")
    return page, " ".join(reader.text)


def run():
    summary = tests.run("chute", "chute/inertial.yaml", "mesh.parameters.n=2", "time.step=0.05", "time.end=0.2",
                        "title='<b>slope & \"sand\"</b>'", "output.every=0.1")
    report("chute")
    page, text = look("chute")
    tests.check(format(summary["probes"]["flux"], ".8g") in text, "  the probe")
    tests.check("<b>slope" not in page and '<b>slope & "sand"</b>' in text, "  a title is text, not HTML")
    tests.check(summary["provenance"]["mesh"] in text and "friction: null" not in text, "  provenance")
    data = json.loads(re.search(r'id="data">(.*?)</script>', page, re.S)[1])
    cells = data["cells"]
    frame = base64.b64decode(data["fields"]["speed"]["frames"][-1])
    tests.check(cells == summary["mesh"]["elements"] and len(frame) == 6 * cells and len(data["times"]) == 3,
                f"  the fields of all frames: {data['times']}")
    # the page shows what the run computed: the fastest node, to the step of a byte
    import sablier
    speed = sablier.Fields(tests.path("chute")).scalar("speed")[1]
    field = data["fields"]["speed"]
    shown = max(frame) / 255 * (field["high"] - field["low"]) + field["low"]
    tests.below(shown - min(speed.max(), field["high"]), (field["high"] - field["low"]) / 255, "  the fastest node")


def missed():
    tests.run("missed", "chute/inertial.yaml", "mesh.parameters.n=2", "time.step=0.05", "time.end=0.1",
              "solver.tolerance=1e-12", "solver.max_iterations=1", code=1)
    report("missed")
    tests.check("do not use it as it is" in look("missed")[1], "  a missed tolerance is said")


def others():
    tests.run("round", "../tests/cases/round.yaml")
    report("round")
    look("round")
    tests.run("box", "../tests/cases/box.yaml")
    report("box")
    tests.check("a slice through the body" in look("box")[1], "  in space a slice is shown")


def units():
    summary = tests.run("units", "hopper", "mesh.parameters.h=1.5", "mesh.parameters.across=3", "time.step=0.1", "time.end=0.2",
                        "units={length: 5 cm, density: 1500 kg/m^3}", "time.steady=0")
    done = report("units")
    tests.check(done.stderr == "", "  nothing to complain of: " + done.stderr)
    page, text = look("units")
    flux = summary["si"]["probes"]["discharge"]
    tests.check(f"{flux['value']:.6g} {flux['unit']}" in text, "  the probe with its unit")
    profiles = page[page.index("<h2>Profiles"):]
    tests.check(profiles[:profiles.index("</section>")].count("<figure>") == 3,
                "  stresses, velocities and shares of a wall load have axes of their own")
    tests.check("{'" not in text, "  no text of Python")


def grains():
    """Rigid grains, without a mesh and with one: no material, no power gap, and a picture."""
    summary = tests.run("discs", "grain-column", "grains.fill.grid=[4, 4]", "time.end=0.5")
    report("discs")
    page, text = look("discs")
    tests.check("lost in impacts" in text and format(summary["grains"]["overlap"], ".3g") in text, "  energies and overlap")
    tests.check("Grains" in text and "speed" in page and "residual" in text and "power gap" not in text, "  what grains have")
    tests.run("twin", "twin-silo", "grains.fill.grid=[6, 2]", "time.end=0.2", "output.every=0.2")
    report("twin")
    look("twin")


def study():
    with open(tests.path("study.yaml"), "w", encoding="utf-8") as file:
        file.write(f"base: {ROOT}/cases/chute/inertial.yaml\n"
                   "set: {mesh.parameters.n: 2, time.step: 0.05, time.end: 0.1}\n"
                   "vary: {material.reynolds: [10, 20, 40]}\n"
                   "fit: {law: power, x: material.reynolds, y: probes.flux}\n")
    subprocess.run([tests.binary, "study", tests.path("study.yaml"), "-q", "-o", tests.path("study")], check=False,
                   capture_output=True)
    report("study")
    tests.check("3 points" in look("study")[1], "  a study")


run()
missed()
others()
units()
grains()
study()
tests.check("holds no result" in report(".", code=3).stderr, "a directory without a result")
tests.check("there is no directory" in report("nowhere", code=3).stderr, "no directory")
tests.end()
