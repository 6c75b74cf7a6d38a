# SPDX-License-Identifier: GPL-3.0-or-later
"""Results and studies as tables and arrays."""
import json
import os
import shutil
import subprocess

from . import fields as _fields
from . import files
from .files import Failure
from .grains import Grains
from .library import Error, places


def _read_csv(path):
    import pandas

    try:
        return pandas.read_csv(path)
    except (OSError, ValueError) as problem:
        raise Failure(f"cannot read '{path}': {problem}") from problem


class Result:
    """The directory of a run.

    summary     summary.json, a dictionary        history    a pandas table, a row per step
    probes      its probes, {name: value}         profiles   names of profile(name), pandas tables
    good        did all of it meet its tolerance, and are the energies in order?
    times       of the frames                     fields(i), mesh(i)   as Fields, as meshio.Mesh
    grains(i)   as Grains, of bodies or of the points that carry a surface
    picture()   a figure of a field
    """

    def __init__(self, directory, keep=None):
        self.directory = os.fspath(directory)
        self._keep = keep  # a temporary directory lives as long as its result
        self.summary = files.summary(self.directory)

    def __repr__(self):
        return f"<sablier.Result {self.directory}: {self.status}>"

    def _repr_html_(self):
        """What a notebook shows: the verdict, and the probes."""
        import html

        rows = "".join(f"<tr><th style='text-align:left'>{html.escape(name)}</th><td>{html.escape(str(value))}</td></tr>"
                       for name, value in self.probes.items())
        return f"<p><b>{html.escape(self.status)}</b>{'' if self.good else ': <b>missed its tolerance, see warnings</b>'}</p>" \
               f"<table>{rows}</table>"

    def picture(self, index=-1, **options):
        """A Matplotlib figure; options are those of `sablier-picture`: field="shear_rate", mirror=True, style="paper" ..."""
        from .pictures import draw

        return draw(self.directory, index, **options)

    status = property(lambda self: self.summary["status"])
    good = property(lambda self: bool(self.summary["good"]))
    probes = property(lambda self: self.summary["probes"])
    deviations = property(lambda self: self.summary.get("deviations", {}))
    warnings = property(lambda self: self.summary["warnings"])
    history = property(lambda self: _read_csv(os.path.join(self.directory, "history.csv")))
    convergence = property(lambda self: _read_csv(os.path.join(self.directory, "convergence.csv")))
    times = property(lambda self: _fields.times(self.directory))

    @property
    def profiles(self):
        folder = os.path.join(self.directory, "profiles")
        return sorted(f[:-4] for f in os.listdir(folder) if f.endswith(".csv")) \
            if os.path.isdir(folder) else []

    def profile(self, name=None):
        """profiles/NAME.csv as a pandas table; the name may be left out if there is only one."""
        import pandas

        return pandas.DataFrame(files.profile(self.directory, name)[1])

    def fields(self, index=-1):
        return _fields.Fields(self.directory, index)

    def grains(self, index=-1):
        return Grains(self.directory, index)

    def mesh(self, index=-1):
        """A frame as meshio has it: quadratic elements with points of their own."""
        import meshio

        return meshio.read(_fields.vtu_file(self.directory, index)[0])


class Study:
    """The directory of a study.

    table       results.csv, a pandas table with a row per point
    fits        fit.json, if there is a fit; else None
    point(i)    the Result of row i
    """

    def __init__(self, directory):
        self.directory = os.fspath(directory)
        path = os.path.join(self.directory, "results.csv")
        if not os.path.isfile(path):
            raise Failure(f"'{self.directory}' holds no study: results.csv is missing")
        self.table = _read_csv(path)
        path = os.path.join(self.directory, "fit.json")
        self.fits = None
        if os.path.isfile(path):
            with open(path, encoding="utf-8") as file:
                self.fits = json.load(file)

    def __repr__(self):
        return f"<sablier.Study {self.directory}: {len(self.table)} points>"

    def point(self, row):
        return Result(os.path.join(self.directory, "points", str(self.table["point"][row])))


def _program():
    there = [program for _, program in places() if os.access(program, os.X_OK)]
    program = os.environ.get("SABLIER_PROGRAM") or (there[0] if there else shutil.which("sablier"))
    if program is None:
        raise Failure("there is no program `sablier`: build or install it (scripts/build), or name "
                      "it in the environment variable SABLIER_PROGRAM")
    return program


def study(path, directory=None, *, jobs=1, resume=False, force=False):
    """Run a study (a directory with study.yaml, or a file) with the program: a Study.

    A point that failed or missed its tolerance is no exception: its row says so."""
    path = os.fspath(path)
    command = [_program(), "study", path, "-q", "-j", str(jobs)]
    if directory is None:
        raise Failure("name a directory for the study")
    command += ["-o", os.fspath(directory)] + ["--resume"] * resume + ["--force"] * force
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode not in (0, 1):
        raise Error(done.stderr.strip().removeprefix("error: "), done.returncode)
    return Study(directory)
