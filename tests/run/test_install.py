# SPDX-License-Identifier: GPL-3.0-or-later
"""An installed copy: header, libraries, program and pkg-config file are enough for examples/run.c.

Installs into a temporary directory and moves it, compiles the example against it, shared and static, and
compares what it reads from a probe with the files of the installed program. Standard library only.
"""
import csv
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
STEPS = ["mesh.parameters.n=2", "time.step=0.05", "time.end=0.2"]
failures = 0


def check(name, good, what=""):
    global failures
    failures += not good
    if not good:
        print(f"FAILED {name}: {what}")


def call(*words, env=None):
    return subprocess.run(words, capture_output=True, text=True, env=env)


def sanitizers(build):
    """The flag with which the library was built, which a program linked with it needs too."""
    options = json.loads(call("meson", "introspect", "--buildoptions", build).stdout)
    value = next(o["value"] for o in options if o["name"] == "b_sanitize")
    return [] if value == "none" else [f"-fsanitize={value}"]


def main():
    build = os.path.abspath(sys.argv[1])
    with tempfile.TemporaryDirectory(prefix="sablier-install-") as place:
        first, prefix = os.path.join(place, "first"), os.path.join(place, "prefix")
        done = call("meson", "install", "-C", build, "--no-rebuild", "--quiet",
                    env={**os.environ, "DESTDIR": first})
        found = [d for d, _, files in os.walk(first) if "sablier.h" in files]
        check("install", done.returncode == 0 and len(found) == 1, done.stdout + done.stderr)
        if failures:
            return 1
        os.rename(os.path.dirname(found[0]), prefix)
        pkgconfig = [d for d, _, files in os.walk(prefix) if "sablier.pc" in files]
        check("one pkg-config file", len(pkgconfig) == 1, pkgconfig)
        if failures:
            return 1
        library = os.path.dirname(pkgconfig[0])
        env = {**os.environ, "PKG_CONFIG_PATH": pkgconfig[0], "LD_LIBRARY_PATH": library}
        header = os.path.join(prefix, "include", "sablier.h")
        program = os.path.join(prefix, "bin", "sablier")

        # one version in the header, the file of pkg-config, and the program
        version = re.search(r'#define SABLIER_VERSION "(.*)"', open(header, encoding="utf-8").read())
        numbers = re.findall(r"#define SABLIER_VERSION_(?:MAJOR|MINOR|PATCH) (\d+)",
                             open(header, encoding="utf-8").read())
        known = call("pkg-config", "--modversion", "sablier", env=env).stdout.strip()
        check("version", version and version[1] == known == ".".join(numbers), (version, known, numbers))
        check("version of the program", call(program, "--version").stdout.startswith(f"sablier {known}\n"))

        # the header stands alone, in C and in C++
        for words in (["cc", "-std=c99", "-x", "c"], ["c++", "-std=c++11", "-x", "c++"]):
            done = call(*words, "-Wall", "-Wextra", "-Werror", "-pedantic", "-fsyntax-only", header)
            check(f"header with {words[0]}", done.returncode == 0, done.stderr)
        # nothing else is visible
        done = call("nm", "-D", "--defined-only", os.path.join(library, "libsablier.so"))
        other = [w[-1] for w in map(str.split, done.stdout.splitlines())
                 if w[1] in "TDBR" and not re.match(r"sablier_|_(edata|end|init|fini|_bss_start)$", w[-1])]
        check("symbols", "sablier_run_create" in done.stdout and not other, other)

        flags = sanitizers(build)
        cases = {"poiseuille": ("flux", ["mesh.parameters.n=4"]),
                 "chute/inertial.yaml": ("flux", STEPS)}
        for kind in ([], ["--static"]):
            example = os.path.join(place, "run")
            words = call("pkg-config", f"--define-variable=prefix={prefix}", "--cflags", "--libs", *kind,
                         "sablier", env=env).stdout.split()
            if kind:
                words = [os.path.join(library, "libsablier.a") if w == "-lsablier" else w for w in words]
            done = call("cc", "-Wall", "-Wextra", "-Werror", os.path.join(ROOT, "examples", "run.c"), *words,
                        *flags, "-o", example)
            check(f"compile {kind}", done.returncode == 0, done.stderr)
            if failures:
                return 1
            for name, (probe, settings) in cases.items():
                case, out = os.path.join(ROOT, "cases", name), os.path.join(place, "out")
                shutil.rmtree(out, ignore_errors=True)
                told = call(example, case, probe, *settings, env=env)
                ran = call(program, "run", case, "-o", out, "-q",
                           *[w for s in settings for w in ("--set", s)], env=env)
                with open(os.path.join(out, "history.csv"), encoding="utf-8") as file:
                    rows = list(csv.DictReader(file))
                with open(os.path.join(out, "summary.json"), encoding="utf-8") as file:
                    status = json.load(file)["status"]
                lines = told.stdout.splitlines()
                check(f"{name}: exit code", told.returncode == ran.returncode == 0,
                      told.stdout + told.stderr + ran.stderr)
                check(f"{name}: every step, bit by bit", [line.split(" = ")[-1] for line in lines[:-1]] ==
                      [row[probe] for row in rows], told.stdout)
                check(f"{name}: how it ended", lines[-1:] == [status], told.stdout)
            done = call(example, os.path.join(ROOT, "cases", "poiseuille"), "flux", "material.frction=1",
                        env=env)
            check("a wrong key", done.returncode == 3 and "did you mean" in done.stderr, done.stderr)
            done = call(example, os.path.join(place, "nowhere"), "flux", env=env)
            check("no case", done.returncode == 3 and "nowhere" in done.stderr, done.stderr)
        # what else is installed, and the Python package by itself
        there = {f for _, _, files in os.walk(prefix) for f in files}
        wanted = {"sablier.1", "sablier-case.5", "sablier.bash", "_sablier", "sablier-picture", "sablier-report",
                  "silo.geo", "view.js"}
        check("files", wanted <= there, wanted - there)
        modules = [os.path.dirname(d) for d, _, files in os.walk(prefix) if "library.py" in files]
        if not flags:  # a library with sanitizers does not load into a Python without
            told = call("/usr/bin/python3", "-B", "-c", "import sablier; print(sablier.run(" +
                        repr(os.path.join(prefix, "share", "sablier", "cases", "poiseuille")) +
                        ", mesh__parameters__n=2).good)", env={**env, "PYTHONPATH": modules[0], "SABLIER_LIBRARY":
                                                              os.path.join(library, "libsablier.so")})
            check("Python", told.stdout.strip() == "True", told.stdout + told.stderr)
    print("installed copy: " + (f"{failures} failures" if failures else "all good"))
    return failures > 0


if __name__ == "__main__":
    sys.exit(main())
