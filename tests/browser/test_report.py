#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""A report in headless Chromium: nothing on the console, fields that can be looked at, phone width.

    test_report.py SABLIER_BINARY
"""
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "cases"))
from case_run import Tests  # noqa: E402

try:
    from selenium import webdriver
    from selenium.webdriver.common.by import By
    from selenium.webdriver.support.ui import Select
except ImportError:
    print("python3-selenium is not installed: scripts/setup --browser")
    sys.exit(77)  # skipped
if not os.path.exists("/usr/bin/chromedriver"):
    print("chromium-driver is not installed: scripts/setup --browser")
    sys.exit(77)

tests = Tests()
PIXELS = """const c = document.getElementById('canvas'), d = c.getContext('2d').getImageData(0, 0, c.width, c.height).data;
let h = 0, drawn = 0; for (let i = 0; i < d.length; i += 4) { h = (h * 31 + d[i] + 7 * d[i + 1] + 13 * d[i + 2]) >>> 0; drawn += d[i + 3] > 0; }
return [h, drawn / (c.width * c.height)];"""


def browser():
    options = webdriver.ChromeOptions()
    for word in ("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
                 "--disable-background-networking", "--disable-component-update", "--disable-sync",
                 f"--user-data-dir={tests.path('profile')}"):
        options.add_argument(word)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    from selenium.webdriver.chrome.service import Service
    return webdriver.Chrome(service=Service("/usr/bin/chromedriver"), options=options)


def console(page):
    """All but advice about the way in which this test reads pixels."""
    return [e["message"] for e in page.get_log("browser") if "willReadFrequently" not in e["message"]]


def look(page, name):
    page.get("file://" + tests.path(f"{name}/report.html"))
    tests.check(console(page) == [], f"{name}: nothing on the console")
    first, drawn = page.execute_script(PIXELS)
    tests.check(drawn > 0.3, f"  the canvas is drawn: {drawn:.2f}")
    field = Select(page.find_element(By.ID, "field"))
    field.select_by_visible_text("pressure")
    second, _ = page.execute_script(PIXELS)
    tests.check(second != first, "  another field is another picture")
    field.select_by_visible_text("speed")
    tests.check(page.execute_script(PIXELS)[0] == first, "  and back the same")
    page.find_element(By.ID, "arrows").click()
    tests.check(page.execute_script(PIXELS)[0] != first, "  without arrows")
    canvas = page.find_element(By.ID, "canvas")
    webdriver.ActionChains(page).move_to_element(canvas).perform()
    said = page.find_element(By.ID, "here").text
    tests.check("speed" in said and "=" in said, f"  a value under the pointer: {said}")
    figures = page.execute_script("return [...document.querySelectorAll('figure svg')].map(f => f.getBoundingClientRect().width)")
    tests.check(all(w > 100 for w in figures), f"  {len(figures)} figures")
    page.set_window_size(390, 844)
    wide = page.execute_script("return [document.documentElement.scrollWidth, window.innerWidth]")
    tests.check(wide[0] <= wide[1], f"  at the width of a phone nothing sticks out: {wide}")
    page.set_window_size(1200, 900)
    tests.check(console(page) == [], "  still nothing on the console")


tests.run("chute", "chute/inertial.yaml", "mesh.parameters.n=4", "time.step=0.05", "time.end=0.2", "output.every=0.1")
tests.run("round", "../tests/cases/round.yaml")
for case in ("chute", "round"):
    subprocess.run([tests.binary, "report", tests.path(case)], check=True, capture_output=True)
page = browser()
try:
    look(page, "chute")
    page.get("file://" + tests.path("chute/report.html"))
    before = page.execute_script(PIXELS)[0]
    page.execute_script("const t = document.getElementById('time'); t.value = 0; t.dispatchEvent(new Event('input'))")
    tests.check(page.execute_script(PIXELS)[0] != before and page.find_element(By.ID, "when").text == "t = 0",
                "the slider moves in time")
    look(page, "round")
finally:
    page.quit()
tests.end()
