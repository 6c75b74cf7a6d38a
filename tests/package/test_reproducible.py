#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The Debian package has the same bytes wherever it is built: two clones in directories of other names and depths.

    test_reproducible.py [REPOSITORY]

Skipped (exit code 77) where what scripts/package needs is not there.
"""
import hashlib
import os
import shutil
import subprocess
import sys
import tempfile

ROOT = sys.argv[1] if len(sys.argv) > 1 else os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def build(place, commit):
    subprocess.run(["git", "clone", "-q", "-n", ROOT, place], check=True)
    subprocess.run(["git", "-C", place, "checkout", "-q", commit], check=True)
    out = os.path.join(place, "package")
    os.mkdir(out)
    done = subprocess.run([os.path.join(place, "scripts", "package"), out], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        print("FAIL  scripts/package: " + (done.stdout + done.stderr)[-1500:])
        sys.exit(1)
    package = done.stdout.strip().splitlines()[-1]
    with open(package, "rb") as file:
        return package, hashlib.sha256(file.read()).hexdigest()


def members(package, folder):
    """{path: hash} of what is in it, to say what differs."""
    subprocess.run(["dpkg-deb", "-R", package, folder], check=True)
    found = {}
    for base, _, files in os.walk(folder):
        for name in files:
            path = os.path.join(base, name)
            if not os.path.islink(path):
                with open(path, "rb") as file:
                    found[os.path.relpath(path, folder)] = hashlib.sha256(file.read()).hexdigest()
    return found


def main():
    if shutil.which("dpkg-shlibdeps") is None or not os.path.exists(os.path.join(ROOT, ".git")):
        print("skipped: dpkg-dev and a repository are needed (scripts/setup --package)")
        return 77
    with tempfile.TemporaryDirectory(prefix="sablier-bytes-") as place:
        os.makedirs(os.path.join(place, "b", "deeper"))
        commit = subprocess.run(["git", "-C", ROOT, "rev-parse", "HEAD"], capture_output=True, text=True, check=True).stdout.strip()
        one, two = (build(os.path.join(place, name), commit) for name in ("a", os.path.join("b", "deeper", "another-name")))
        same = one[1] == two[1]
        print(f"{'ok  ' if same else 'FAIL'}  {os.path.basename(one[0])}: {one[1]} {two[1]}")
        if not same:
            left, right = (members(p, os.path.join(place, n)) for (p, _), n in ((one, "left"), (two, "right")))
            print("differ: " + ", ".join(sorted(k for k in left if left[k] != right.get(k)) or ["times or order only"]))
    return 0 if same else 1


sys.exit(main())
