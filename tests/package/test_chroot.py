#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The Debian package in a fresh Debian: installed by apt, it runs a case, makes a report, and is a Python package.

    test_chroot.py           as root; needs debootstrap (scripts/setup --package)

Skipped (exit code 77) where there is no debootstrap, no root, or no mirror to reach.
"""
import os
import shutil
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
failures = 0


def skip(why):
    print(f"skipped: {why}")
    sys.exit(77)


def check(name, good, what=""):
    global failures
    failures += not good
    print(f"{'ok  ' if good else 'FAIL'}  {name}{'' if good else ': ' + str(what)[-1500:]}", flush=True)
    return good


def call(*words):
    return subprocess.run(words, capture_output=True, text=True, check=False)


def mirror():
    """Where this machine's own packages come from (the shortest address: the archive itself, not its updates)."""
    if os.environ.get("DEBIAN_MIRROR"):
        return os.environ["DEBIAN_MIRROR"]
    found = call("apt-get", "indextargets", "--format", "$(REPO_URI)", "Created-By: Packages").stdout.split()
    return min(found, key=len, default=None) or skip("apt knows no archive")


def main():
    if os.geteuid() != 0 or shutil.which("debootstrap") is None:
        skip("debootstrap and root are needed (scripts/setup --package)")
    with tempfile.TemporaryDirectory(prefix="sablier-chroot-") as place:
        made = call(os.path.join(ROOT, "scripts", "package"), place)
        if not check("package", made.returncode == 0, made.stdout + made.stderr):
            return
        package = made.stdout.strip().splitlines()[-1]
        tree = os.path.join(place, "debian")
        done = call("debootstrap", "--variant=minbase", "bookworm", tree, mirror())
        if done.returncode != 0:
            skip("debootstrap failed: " + (done.stdout + done.stderr)[-300:])
        shutil.copy(package, os.path.join(tree, "root"))

        def inside(*words):
            return call("env", "-i", "PATH=/usr/sbin:/usr/bin:/sbin:/bin", "HOME=/root", "LC_ALL=C.UTF-8",
                        "DEBIAN_FRONTEND=noninteractive", "chroot", tree, "sh", "-ec", " ".join(words))

        for source, target in (("proc", "proc"), ("sysfs", "sys")):
            call("mount", "-t", source, source, os.path.join(tree, target))
        try:
            done = inside("apt-get update -qq; apt-get install -y -qq --no-install-recommends",
                          "/root/" + os.path.basename(package))
            if not check("apt installs it with what it needs", done.returncode == 0, done.stdout + done.stderr):
                return
            done = inside("cd /root; sablier --version; sablier run /usr/share/sablier/cases/poiseuille",
                          "--set mesh.parameters.n=4 -o out; sablier report out; ls -l out/report.html")
            check("a case and its report", done.returncode == 0 and "converged" in done.stdout, done.stdout + done.stderr)
            done = inside("cd /root; python3 -c 'import sablier; r = sablier.run(\"/usr/share/sablier/cases/poiseuille\",",
                          "mesh__parameters__n=4); print(r.good, len(r.history))'")
            check("in Python", done.stdout.split() == ["True", "1"], done.stdout + done.stderr)
            done = inside("cd /root; sablier new mine --from silo; sablier run mine --set mesh.parameters.across=4 --set mesh.parameters.h=2",
                          "--set time.step=0.1 --set time.end=0.5 --set time.window=0.2 -o out/mine; sablier report out/mine;",
                          "sablier-movie out/mine mine.gif --mirror; test -s mine.gif")
            check("a case of one's own, its report and its film", done.returncode == 0, done.stdout + done.stderr)
            with open(os.path.join(tree, "root", "cells.py"), "w", encoding="utf-8") as file:
                file.write("import json\nfor cell in json.load(open('/usr/share/sablier/notebook.ipynb'))['cells']:\n"
                           "    if cell['cell_type'] == 'code':\n        exec(''.join(cell['source']))\nprint('all cells')\n")
            done = inside("cd /root; python3 cells.py")
            check("the notebook", done.stdout.strip().endswith("all cells"), done.stdout + done.stderr)
            done = inside("cd /root; sablier-picture out a.png; test -s a.png; zcat /usr/share/man/man1/sablier.1.gz | head -1;",
                          "bash -n /usr/share/bash-completion/completions/sablier.bash")
            check("pictures, manual, completion", done.returncode == 0 and ".TH SABLIER" in done.stdout,
                  done.stdout + done.stderr)
        finally:
            for target in ("proc", "sys"):
                call("umount", os.path.join(tree, target))


main()
sys.exit(1 if failures else 0)
