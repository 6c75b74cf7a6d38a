# SPDX-License-Identifier: GPL-3.0-or-later
"""What the tests of the command line share. Standard library only."""
import hashlib
import os
import re
import subprocess
import sys
import threading

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
MESHES = os.path.join(ROOT, "meshes")
MARK = "§"  # in the text of a case: where the message must point


class Suite:
    """Counts checks and says which failed."""

    def __init__(self):
        self.passed = self.failed = 0
        self.lock = threading.Lock()

    def check(self, name, good, detail=""):
        with self.lock:
            if good:
                self.passed += 1
            else:
                self.failed += 1
                print(f"FAILED {name}\n    {str(detail).strip()}".replace("\n", "\n    "), flush=True)
        return good

    def end(self):
        print(f"{self.passed} passed, {self.failed} failed")
        return 1 if self.failed else 0


class Program:
    """The sablier executable, run away from the user's environment."""

    def __init__(self, path):
        self.path = os.path.abspath(path)
        self.env = {k: v for k, v in os.environ.items() if k not in ("NO_COLOR", "CLICOLOR_FORCE")}
        self.env.update(OPENBLAS_NUM_THREADS="1", OMP_NUM_THREADS="1", LC_ALL="C", TERM="xterm")

    def run(self, *args, cwd, timeout=900, env=None, **more):
        return subprocess.run([self.path, *args], cwd=cwd, timeout=timeout, text=True,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, errors="replace",
                              env={**self.env, **(env or {})}, **more)


def snapshot(directory):
    """Everything below a directory: kind and content of each path."""
    found = {}
    for folder, names, files in os.walk(directory):
        for name in names:
            found[os.path.relpath(os.path.join(folder, name), directory)] = "directory"
        for name in files:
            path = os.path.join(folder, name)
            if not os.path.isfile(path):  # a pipe would wait for a writer
                found[os.path.relpath(path, directory)] = "no file"
                continue
            with open(path, "rb") as stream:
                found[os.path.relpath(path, directory)] = hashlib.sha256(stream.read()).hexdigest()
    return found


def difference(before, after):
    return [f"new {p}" for p in after if p not in before] + \
           [f"gone {p}" for p in before if p not in after] + \
           [f"changed {p}" for p in before if p in after and before[p] != after[p]]


def leftovers(directory):
    """Files that only exist while something is written."""
    return [p for p in snapshot(directory) if re.search(r"~$|~/", p)]


def write(path, content):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as stream:
        stream.write(content if isinstance(content, bytes) else content.encode())


def edit(text, *pairs):
    for old, new in pairs:
        if text.count(old) != 1:
            sys.exit(f"the test is wrong: '{old}' is {text.count(old)} times in the case")
        text = text.replace(old, new)
    return text


def marked(text):
    """The text without its mark, and 'line:column' of the mark (None if there is none)."""
    if isinstance(text, bytes) or MARK not in text:
        return text, None
    before = text[:text.index(MARK)]
    return text.replace(MARK, ""), f"{before.count(chr(10)) + 1}:{len(before.split(chr(10))[-1]) + 1}"
