# SPDX-License-Identifier: GPL-3.0-or-later
"""What the tests of this directory share: run a case, count checks."""
import json
import os
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "postproc"))
sys.path.insert(0, os.path.join(ROOT, "tests", "io"))
sys.dont_write_bytecode = True
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")


class Tests:
    """Runs `sablier` in a directory that goes away, and counts what is right."""

    def __init__(self):
        if len(sys.argv) != 2 or not os.access(sys.argv[1], os.X_OK):
            sys.exit(f"usage: {os.path.basename(sys.argv[0])} SABLIER_BINARY")
        self.binary = os.path.abspath(sys.argv[1])
        self.passed = self.failed = 0
        self.folder = tempfile.TemporaryDirectory(prefix="sablier-test-")

    def path(self, name):
        return os.path.join(self.folder.name, name)

    def check(self, good, text):
        self.passed += bool(good)
        self.failed += not good
        print(f"{'ok  ' if good else 'FAIL'}  {text}", flush=True)

    def below(self, value, bound, text):
        """A value that is missing or not finite is not below anything."""
        good = isinstance(value, (int, float)) and abs(value) <= bound
        self.check(good, f"{text}: {value if value is None else format(value, '.3e')}"
                         f" (at most {bound:g})")

    def run(self, name, case, *overrides, code=0):
        """Run cases/<case> with `--set` overrides into the directory `name`; its summary."""
        command = [self.binary, "run", os.path.join(ROOT, "cases", case), "-q",
                   "-o", self.path(name)]
        for override in overrides:
            command += ["--set", override]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        try:
            with open(os.path.join(self.path(name), "summary.json"), encoding="utf-8") as file:
                summary = json.load(file)
        except (OSError, ValueError):
            summary = {"status": "nothing", "solver": {}, "errors": {}, "probes": {}}
        self.check(done.returncode == code and
                   (code != 0 or summary["status"] in ("converged", "steady", "finished")),
                   f"{name}: exit code {done.returncode}, {summary['status']} "
                   + done.stderr.strip())
        return summary

    def end(self):
        self.folder.cleanup()
        print(f"{self.passed} passed, {self.failed} failed")
        sys.exit(1 if self.failed else 0)
