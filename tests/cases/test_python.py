#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The package `sablier`: runs through libsablier give the files of the program, errors are exceptions.

    test_python.py SABLIER_BINARY
"""
import os

from case_run import ROOT, Tests

tests = Tests()
BUILD = os.path.dirname(os.path.dirname(tests.binary))
os.environ["SABLIER_LIBRARY"] = os.path.join(BUILD, "libsablier.so")
os.environ["SABLIER_PROGRAM"] = tests.binary

import numpy  # noqa: E402
import sablier  # noqa: E402

COARSE = {"mesh.parameters.n": 2, "time.step": 0.05, "time.end": 0.2}
CHUTE = os.path.join(ROOT, "cases", "chute", "inertial.yaml")


def read(path):
    with open(path, "rb") as file:
        return file.read()


def against_the_program():
    summary = tests.run("program", "chute/inertial.yaml", *(f"{k}={v}" for k, v in COARSE.items()))
    seen = []
    result = sablier.run(CHUTE, tests.path("python"), callback=lambda r: seen.append(r.time), **COARSE)
    for name in ("history.csv", "fields_0001.vtu", "case.resolved.yaml"):
        tests.check(read(tests.path(f"program/{name}")) == read(tests.path(f"python/{name}")),
                    f"{name} has the bytes of the program's")
    tests.check(result.good and summary["good"] and result.probes == summary["probes"], "probes")
    tests.check(numpy.allclose(seen, [0.05, 0.1, 0.15, 0.2]), f"a callback after each step: {seen}")
    tests.check(list(result.history["time"])[-1] == 0.2 and len(result.history) == 4, "history")
    tests.check(result.mesh().points.shape[1] == 3 and len(result.times) >= 2 and
                result.fields(0).scalar("speed")[1].max() == 0, "fields: at the start nothing moves")
    there = result.summary["provenance"]
    tests.check(there["case"] == summary["provenance"]["case"] and len(there["mesh"]) == 16 and
                there["mesh"] == summary["provenance"]["mesh"] and "T" in there["date"], f"{there}")


def step_by_step():
    with sablier.Run(CHUTE, **COARSE) as run:
        speeds = [step.velocity[:, 0].max() for step in run]
        tests.check(all(a < b for a, b in zip(speeds, speeds[1:])) and run.status == "finished",
                    "it accelerates")
        table = run.history
        tests.check(table["flux"].iloc[-1] == run.probe("flux") and "ledger_energy" in table.columns,
                    "the last row has the probe")
        tests.check(run.nodes.shape == run.velocity.shape, "arrays of nodes")
        kept = run.velocity
    tests.check(kept[:, 0].max() == speeds[-1], "arrays outlive the run")
    try:
        run.velocity
        tests.check(False, "a closed run is refused")
    except sablier.Failure as problem:
        tests.check("closed" in str(problem), f"a closed run: {problem}")


def dictionary():
    """A case without a file: Bingham's flow between plates."""
    wall = {"velocity": [0, 0]}
    case = {"title": 'plates, "thin"', "mesh": {"file": os.path.join(ROOT, "meshes", "channel.geo"),
                                               "parameters": {"n": 8}},
            "material": {"friction": 0, "bingham": 0.5, "reynolds": 1.0},
            "gravity": numpy.array([1.0, 0.0]),
            "boundaries": {"wall": wall, "inlet": {"velocity": ["free", 0], "traction": [0, 0]},
                           "outlet": {"velocity": ["free", 0], "traction": [0, 0]}},
            "probes": {"flux": {"flux": "outlet"}}}
    result = sablier.run(case, solver__tolerance=1e-6)
    folder = result.directory
    exact = (1 - 0.5) ** 2 * (2 + 0.5) / 3  # 2/3 (1 - 3/2 B + B^3/2), twice the half channel
    tests.below(result.probes["flux"] / exact - 1, 2e-3, "flux of Buckingham between plates")
    tests.check(result.summary["title"] == 'plates, "thin"', "quotes in a title")
    del result
    tests.check(not os.path.exists(folder), "temporary files go with the result")


def refusals():
    for name, what, words, status in (
            ("a wrong key", {"material.frction": 1}, "did you mean 'friction'", 3),
            ("a wrong value", {"material.bingham": -1}, "out of range (>= 0)", 3)):
        try:
            sablier.run(CHUTE, **{**COARSE, **what})
            tests.check(False, name)
        except sablier.Error as problem:
            tests.check(words in str(problem) and problem.status == status, f"{name}: {problem}")

    def fail(outer, gap):
        raise ZeroDivisionError

    run = sablier.Run(CHUTE, iteration=fail, **COARSE)
    try:
        run.step()
        tests.check(False, "an exception of a callback")
    except ZeroDivisionError:
        tests.check(run.steps == 0, "an exception of a callback leaves; the run stays before the step")
    missed = sablier.run(CHUTE, **{**COARSE, "solver.tolerance": 1e-12, "solver.max_iterations": 1})
    tests.check(not missed.good, "a missed tolerance is not good")
    tests.check(not sablier.Result(missed.directory).good, "nor when read again")


def studies():
    path = tests.path("study.yaml")
    with open(path, "w", encoding="utf-8") as file:
        file.write(f"base: {CHUTE}\nset: {{mesh.parameters.n: 2, time.step: 0.05, time.end: 0.1}}\n"
                   "vary: {material.reynolds: [10, 20]}\n")
    done = sablier.study(path, tests.path("study"))
    tests.check(list(done.table["exit"]) == [0, 0] and done.fits is None and
                done.point(1).summary["material"]["reynolds"] == 20, f"{done}")


against_the_program()
step_by_step()
dictionary()
refusals()
studies()
tests.end()
