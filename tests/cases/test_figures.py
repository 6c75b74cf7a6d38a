#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""scripts/figures makes every figure of the pages; here of coarse cases.

    test_figures.py SABLIER [all]

Without `all` only one figure of each script is drawn. Last line: N passed, N failed.
"""
import os
import re
import subprocess
import sys
import tempfile

import test_documented

ROOT = test_documented.ROOT
SCRIPT = os.path.join(ROOT, "scripts", "figures")
SHORT = ["docs/silo.png", "cases/hopper/chart.png", "cases/cylinder-slip/around.png", "cases/silo/discharge.png",
         "cases/janssen/pressure.png", "cases/silo/hourglass.png"]
# of studies whose coarse runs are refused by the scripts, which test_grains.py has of made-up runs
REFUSED = {"cases/grain-chute/rheology.png", "cases/twin-silo/twin.png"}


def main():
    passed = failed = 0

    def check(good, what):
        nonlocal passed, failed
        passed, failed = passed + bool(good), failed + (not good)
        if not good:
            print("FAILED " + what, flush=True)

    listed = subprocess.run([SCRIPT, "--list"], capture_output=True, text=True, check=True).stdout
    made = {line.split(" <- ")[0] for line in listed.splitlines()}
    tracked = set(subprocess.run(["git", "ls-files", "docs/*.png", "docs/*.gif", "cases/*.png", "cases/*.gif"], cwd=ROOT,
                                 capture_output=True, text=True, check=True).stdout.split())
    check(made == tracked, f"figures that no script makes, or that are not there: {sorted(made ^ tracked)}")
    shown = set()
    for page in test_documented.PAGES:
        with open(os.path.join(ROOT, page), encoding="utf-8") as file:
            shown |= {os.path.normpath(os.path.join(os.path.dirname(page), path))
                      for path in re.findall(r"!\[[^\]]*\]\(([^)]+)\)", file.read())}
    check(shown == tracked, f"figures on no page, or no figures: {sorted(shown ^ tracked)}")
    with tempfile.TemporaryDirectory(prefix="sablier-figures-") as root:
        os.symlink(os.path.join(ROOT, "meshes"), os.path.join(root, "meshes"))
        test_documented.Pages(sys.argv[1], root)  # copies the cases and makes them coarse
        chosen = sorted(made - REFUSED) if "all" in sys.argv else SHORT
        done = subprocess.run(
            [SCRIPT, *chosen, "--program", os.path.abspath(sys.argv[1]), "--cases", os.path.join(root, "cases"), "--work",
             os.path.join(root, "work"), "--into", os.path.join(root, "into")], capture_output=True, text=True, check=False)
        check(done.returncode == 0, done.stderr[-2000:])
        for figure in chosen:
            path = os.path.join(root, "into", figure)
            check(os.path.isfile(path) and os.path.getsize(path) > 3000, f"{figure} was not drawn")
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
