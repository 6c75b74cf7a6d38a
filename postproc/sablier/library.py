# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs, by ctypes over libsablier: no compiler is needed. What it can do is said in sablier.h."""
import ctypes
import ctypes.util
import math
import os
import sys
import tempfile
import time

import numpy

from .files import Failure

INTERRUPTED = 75
ITERATION = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_int, ctypes.c_double)
WARNING = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_char_p)


class Error(Failure):
    """A sentence of the library, and its status: the exit code of the program."""

    def __init__(self, message, status):
        super().__init__(message)
        self.status = status


class _Error(ctypes.Structure):
    _fields_ = [("status", ctypes.c_int), ("message", ctypes.c_char * 2000)]


class _Options(ctypes.Structure):
    _fields_ = [("noverrides", ctypes.c_int), ("override", ctypes.POINTER(ctypes.c_char_p)),
                ("directory", ctypes.c_char_p), ("resume", ctypes.c_int), ("force", ctypes.c_int),
                ("threads", ctypes.c_int), ("data", ctypes.c_void_p), ("iteration", ITERATION),
                ("warning", WARNING)]


# name: (result, arguments behind the run)
_FUNCTIONS = {
    "sablier_run_goes_on": (ctypes.c_int, []),
    "sablier_run_step": (ctypes.c_int, [ctypes.POINTER(_Error)]),
    "sablier_run_finish": (ctypes.c_int, [ctypes.POINTER(_Error)]),
    "sablier_run_is_good": (ctypes.c_int, []),
    "sablier_run_status": (ctypes.c_char_p, []),
    "sablier_run_steps": (ctypes.c_int, []),
    "sablier_run_time": (ctypes.c_double, []),
    "sablier_run_end_time": (ctypes.c_double, []),
    "sablier_run_warnings": (ctypes.c_int, []),
    "sablier_run_warning": (ctypes.c_char_p, [ctypes.c_int]),
    "sablier_probes": (ctypes.c_int, []),
    "sablier_probe_find": (ctypes.c_int, [ctypes.c_char_p]),
    "sablier_probe_name": (ctypes.c_char_p, [ctypes.c_int]),
    "sablier_probe_samples": (ctypes.c_int, [ctypes.c_int]),
    "sablier_probe_components": (ctypes.c_int, [ctypes.c_int]),
    "sablier_probe_values": (ctypes.POINTER(ctypes.c_double), [ctypes.c_int]),
    "sablier_history_rows": (ctypes.c_int, []),
    "sablier_history_columns": (ctypes.c_int, []),
    "sablier_history": (ctypes.POINTER(ctypes.c_double), []),
    "sablier_history_name": (ctypes.c_char_p, [ctypes.c_int]),
    "sablier_dimension": (ctypes.c_int, []),
    "sablier_nodes": (ctypes.c_int, []),
    "sablier_node_positions": (ctypes.POINTER(ctypes.c_double), []),
    "sablier_velocity": (ctypes.POINTER(ctypes.c_double), []),
}
_library = None


def places():
    """Where the library and the program may be, the first that exists is taken: (library, program)."""
    here = os.path.dirname(os.path.abspath(__file__))
    source = os.path.dirname(os.path.dirname(here))
    found = [(os.path.join(source, build, "src", "libsablier.so"),
              os.path.join(source, build, "src", "cli", "sablier"))
             for build in ("build", "build-test")] if os.path.isdir(os.path.join(source, "src")) else []
    try:
        from . import installed  # written by `meson install`
        found.insert(0, (installed.LIBRARY, installed.PROGRAM))
    except ImportError:
        pass
    return found


def case(name):
    """The directory of a case that comes with the program: case("silo")."""
    here = os.path.dirname(os.path.abspath(__file__))
    folders = [os.path.join(os.path.dirname(os.path.dirname(here)), "cases")]
    folders += [os.path.join(os.path.dirname(os.path.dirname(program)), "share", "sablier", "cases") for _, program in places()]
    for folder in folders:
        if os.path.isdir(os.path.join(folder, name)):
            return os.path.join(folder, name)
    there = sorted({entry for folder in folders if os.path.isdir(folder) for entry in os.listdir(folder)})
    raise Failure(f"there is no case '{name}'; there are: {', '.join(there) or 'none'}")


def _load():
    global _library
    if _library is not None:
        return _library
    named = os.environ.get("SABLIER_LIBRARY")
    there = [library for library, _ in places() if os.path.isfile(library)]
    path = named or (there[0] if there else ctypes.util.find_library("sablier"))
    if path is None:
        raise Failure("there is no libsablier: build or install it (scripts/build), or name it in "
                      "the environment variable SABLIER_LIBRARY")
    try:
        library = ctypes.CDLL(path)
        library.sablier_version.restype = ctypes.c_char_p
        library.sablier_run_create.argtypes = [
            ctypes.c_char_p, ctypes.POINTER(_Options), ctypes.POINTER(ctypes.c_void_p),
            ctypes.POINTER(_Error)]
        library.sablier_run_destroy.argtypes = [ctypes.POINTER(ctypes.c_void_p)]
        library.sablier_run_destroy.restype = None
        for name, (result, arguments) in _FUNCTIONS.items():
            function = getattr(library, name)
            function.restype, function.argtypes = result, [ctypes.c_void_p, *arguments]
    except (OSError, AttributeError) as problem:
        raise Failure(f"cannot use the library '{path}': {problem}") from problem
    _library = library
    return library


def version():
    """Of libsablier."""
    return _load().sablier_version().decode()


# --- cases and keys as Python has them ------------------------------------------------------------

def yaml(value):
    """A value of a case, as one line of YAML."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{yaml(str(k))}: {yaml(v)}" for k, v in value.items()) + "}"
    if isinstance(value, (bool, numpy.bool_)):
        return "true" if value else "false"
    if isinstance(value, str):
        quoted = value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
        return f'"{quoted}"'
    if isinstance(value, (int, numpy.integer)):
        return str(int(value))
    if isinstance(value, (float, numpy.floating)):
        if math.isnan(value):
            raise Failure("nan is no value of a key")
        return repr(float(value)) if math.isfinite(value) else ".inf" if value > 0 else "-.inf"
    if value is None:
        return "null"
    try:
        return "[" + ", ".join(yaml(v) for v in value) + "]"
    except TypeError as problem:
        raise Failure(f"{value!r} is no value of a key") from problem


def _overrides(values):
    """["material.friction=0.4", ...] of {"material.friction" or "material__friction": 0.4}."""
    return [f"{key.replace('__', '.')}={value if isinstance(value, str) else yaml(value)}"
            for key, value in values.items()]


def _write_case(case, folder):
    """case.yaml of a dictionary; names of files are from the present directory."""
    case = dict(case)
    for section, key in (("mesh", "file"), ("initial", "from")):
        inner = case.get(section)
        if isinstance(inner, dict) and isinstance(inner.get(key), (str, os.PathLike)):
            case[section] = {**inner, key: os.path.abspath(inner[key])}
    path = os.path.join(folder, "case.yaml")
    with open(path, "w", encoding="utf-8") as file:
        for key, value in case.items():
            file.write(f"{key}: {yaml(value)}\n")
    return path


# --- runs -----------------------------------------------------------------------------------------

class Run:
    """A case at work: iterate over it, or call step() while goes_on.

    case        a directory with case.yaml, such a file, or a dictionary of sections
    directory   of the result; None: no files
    iteration   called as iteration(outer, gap) in each step; False stops the step (Error, 75)
    warning     called with each sentence; default: standard error
    overrides   keys of the case: material__friction=0.4, or **{"material.friction": 0.4}
    """

    def __init__(self, case, directory=None, *, resume=False, force=False, threads=0,
                 iteration=None, warning=None, **overrides):
        self._run = ctypes.c_void_p()
        self._library = _load()
        self._raised = None
        self.directory = None if directory is None else os.fspath(directory)
        words = [word.encode() for word in _overrides(overrides)]

        def on_iteration(_, outer, gap):
            try:  # also what Ctrl-C raises; it leaves when the library has returned
                return int(iteration is None or iteration(outer, gap) is not False)
            except BaseException as raised:
                self._raised = raised
                return 0

        def on_warning(_, sentence):
            text = sentence.decode(errors="replace")
            try:
                print(f"warning: {text}", file=sys.stderr) if warning is None else warning(text)
            except BaseException as raised:
                self._raised = raised

        self._callbacks = ITERATION(on_iteration), WARNING(on_warning)
        options = _Options(
            len(words), (ctypes.c_char_p * len(words))(*words),
            None if directory is None else os.fsencode(directory), resume, force, threads, None,
            *self._callbacks)
        err = _Error()
        with tempfile.TemporaryDirectory(prefix="sablier-case-") as folder:
            path = _write_case(case, folder) if isinstance(case, dict) else case
            status = self._library.sablier_run_create(
                os.fsencode(path), ctypes.byref(options), ctypes.byref(self._run), ctypes.byref(err))
            self._check(status, err)

    def _check(self, status, err):
        raised, self._raised = self._raised, None
        if raised is not None:
            raise raised
        if status:
            raise Error(err.message.decode(errors="replace"), status)

    def _call(self, name, *arguments):
        if not self._run:
            raise Failure("the run is closed")
        return getattr(self._library, name)(self._run, *arguments)

    def close(self):
        """Free it; what was read from it stays."""
        if self._run:
            self._library.sablier_run_destroy(ctypes.byref(self._run))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def __del__(self):
        if getattr(self, "_library", None) is not None:
            self.close()

    def __iter__(self):
        """Step by step to the end, and finish."""
        while self.goes_on:
            yield self.step()
        self.finish()

    def step(self):
        """One time step; a creeping flow has one. The run itself."""
        err = _Error()
        self._check(self._call("sablier_run_step", ctypes.byref(err)), err)
        return self

    def finish(self):
        """Sum up and write summary.json, if there is a directory."""
        err = _Error()
        self._check(self._call("sablier_run_finish", ctypes.byref(err)), err)
        return self

    goes_on = property(lambda self: bool(self._call("sablier_run_goes_on")))
    good = property(lambda self: bool(self._call("sablier_run_is_good")),
                    doc="Did every step so far meet its tolerance, and are the energies in order?")
    status = property(lambda self: self._call("sablier_run_status").decode())
    steps = property(lambda self: self._call("sablier_run_steps"))
    time = property(lambda self: self._call("sablier_run_time"))
    end_time = property(lambda self: self._call("sablier_run_end_time"),
                        doc="time.end; 0 of a creeping flow")

    @property
    def warnings(self):
        return [self._call("sablier_run_warning", i).decode(errors="replace")
                for i in range(self._call("sablier_run_warnings"))]

    def _array(self, pointer, *shape):
        size = math.prod(shape)
        return numpy.ctypeslib.as_array(pointer, (size,)).reshape(shape).copy() if size else \
            numpy.zeros(shape)

    @property
    def probe_names(self):
        return [self._call("sablier_probe_name", i).decode()
                for i in range(self._call("sablier_probes"))]

    def probe(self, name):
        """After the last step: a number, a vector, or of a profile an array [samples][components]."""
        i = self._call("sablier_probe_find", name.encode())
        if i < 0:
            raise Failure(f"there is no probe '{name}'; there are: {', '.join(self.probe_names)}")
        shape = self._call("sablier_probe_samples", i), self._call("sablier_probe_components", i)
        value = self._array(self._call("sablier_probe_values", i), *shape)
        if shape[0] == 1:
            value = value[0]
        return float(value[0]) if value.shape == (1,) else value

    @property
    def history(self):
        """All steps as a pandas table, the columns of history.csv."""
        import pandas

        rows, columns = self._call("sablier_history_rows"), self._call("sablier_history_columns")
        return pandas.DataFrame(
            self._array(self._call("sablier_history"), rows, columns),
            columns=[self._call("sablier_history_name", c).decode() for c in range(columns)])

    @property
    def nodes(self):
        """Places of the nodes, [nodes][dimension]."""
        return self._array(self._call("sablier_node_positions"), self._call("sablier_nodes"),
                           self._call("sablier_dimension"))

    @property
    def velocity(self):
        """At the nodes, [nodes][dimension]."""
        return self._array(self._call("sablier_velocity"), self._call("sablier_nodes"),
                           self._call("sablier_dimension"))


class _Progress:
    """A line on a terminal or in a notebook, four times a second at most."""

    def __init__(self, stream=None):
        self.stream = stream or sys.stderr
        self.start = self.last = time.monotonic()
        self.shown = False

    def __call__(self, run):
        now = time.monotonic()
        if now - self.last < 0.25:
            return
        self.last = now
        share = run.time / run.end_time if run.end_time > 0 else 0
        left = (now - self.start) * (1 - share) / share if share > 0 else 0
        self.stream.write(f"\rstep {run.steps}, time {run.time:g} of {run.end_time:g}, "
                          f"at most {left:.0f} s left ".ljust(60))
        self.stream.flush()
        self.shown = True

    def end(self):
        if self.shown:
            self.stream.write("\r" + " " * 60 + "\r")
            self.stream.flush()


def run(case, directory=None, *, progress=None, callback=None, force=False, resume=False, threads=0,
        **overrides):
    """Run a case to its end: a Result. Without a directory its files are temporary and go with it.

    progress    a line on standard error; default: if that is a terminal
    callback    called with the Run after each step; False ends the run early, without a result
    Other arguments are those of Run. That a tolerance was missed is no exception: ask result.good.
    """
    from .result import Result

    temporary = None
    if directory is None:
        temporary = tempfile.TemporaryDirectory(prefix="sablier-run-")
        directory = os.path.join(temporary.name, "result")
    show = _Progress() if progress or (progress is None and sys.stderr.isatty()) else None
    with Run(case, directory, force=force, resume=resume, threads=threads, **overrides) as work:
        try:
            while work.goes_on:
                work.step()
                if callback is not None and callback(work) is False:
                    raise Error("stopped by the callback", INTERRUPTED)
                if show:
                    show(work)
        finally:
            if show:
                show.end()
        work.finish()
    return Result(directory, keep=temporary)
