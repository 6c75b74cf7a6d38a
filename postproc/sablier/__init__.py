# SPDX-License-Identifier: GPL-3.0-or-later
"""Dense granular flow without regularisation: run cases and read their results.

    import sablier

    result = sablier.run("cases/silo", mesh__parameters__D=1.5)   # `__` stands for the dot of a key
    result.good, result.probes["discharge"], result.history       # bool, number, pandas table
    result.fields().scalar("speed")                               # numpy, on quadratic elements

    with sablier.Run({"mesh": {"file": "box.geo"}, ...}) as run:  # a case as a dictionary, step by step
        for step in run:
            print(step.time, step.probe("discharge"))

    table = sablier.study("cases/beverloo", jobs=2).table         # pandas, a row per point

`run` and `Run` need libsablier (of the build directory beside, installed, or named by the
environment variable SABLIER_LIBRARY), `study` the program; readers of results need neither.
"""
from .fields import (EDGES, FACES, ROUND_TENSOR, TENSOR, Fields, Wall, shape, shape_gradient,
                     simplex_shape, times, vtu_file)
from .files import (AXES, Failure, axes_of, check_picture, check_result, evaluate, exact_formulas,
                    profile, save, script, summary, table, write_table)
from .grains import Grains, has_grains
from .library import Error, Run, case, run, version
from .result import Result, Study, study

__all__ = ["AXES", "EDGES", "Error", "FACES", "Failure", "Fields", "Grains", "ROUND_TENSOR", "Result", "Run",
           "Study", "TENSOR", "Wall", "axes_of", "case", "check_picture", "check_result", "evaluate",
           "exact_formulas", "has_grains", "profile", "run", "save", "script", "shape", "shape_gradient",
           "simplex_shape", "study", "summary", "table", "times", "version", "vtu_file", "write_table"]
