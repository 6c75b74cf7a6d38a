# SPDX-License-Identifier: GPL-3.0-or-later
"""The files of a result: summary.json and CSV tables; what scripts share: failures and pictures."""
import csv
import json
import os
import re
import sys

import numpy


AXES = {"plane": ("x", "y"), "axisymmetric": ("r", "z"), "space": ("x", "y", "z")}


class Failure(Exception):
    """A sentence for the user."""


def script(main, code=1, name=None):
    """Run a script: a Failure becomes one line on stderr and an exit code. It begins with the name of the
    script, unless that is a command of the program (name: "")."""
    name = os.path.basename(sys.argv[0]) if name is None else name
    try:
        main()
    except Failure as problem:
        print(f"{name}{': ' if name else ''}error: {problem}", file=sys.stderr)
        sys.exit(code)


def check_picture(path):
    """Complain about a picture that could not be written, before the work."""
    folder = os.path.dirname(path) or "."
    if not path.lower().endswith((".png", ".pdf", ".svg")):
        raise Failure(f"'{path}' is no picture: end its name in .png, .pdf or .svg")
    if not os.path.isdir(folder):
        raise Failure(f"there is no directory '{folder}' for the picture")


def save(figure, path, dpi=150, colours=None):
    """Write a Matplotlib figure. A .png drawn with the colour map `colours` gets a palette of it,
    its darker shades (lines drawn over it) and greys: a third of the size."""
    try:
        when = {".pdf": {"CreationDate": None}, ".svg": {"Date": None}}.get(os.path.splitext(path)[1].lower())
        figure.savefig(path, dpi=dpi, bbox_inches="tight", pad_inches=0.05, metadata=when)  # the same bytes again
        from .style import check_legends

        check_legends(figure)
        if path.lower().endswith(".png") and colours is not None:
            import matplotlib.pyplot
            from PIL import Image

            colour = matplotlib.pyplot.get_cmap(colours)
            dark = numpy.array([[0.65, 0.65, 0.65, 1]])
            entries = numpy.concatenate([colour(numpy.linspace(0, 1, 136)),
                                         colour(numpy.linspace(0, 1, 72)) * dark,
                                         numpy.linspace(0, 1, 48)[:, None] * numpy.ones(4)])
            entries = numpy.round(255 * entries[:, :3])
            with Image.open(path) as image:
                pixels = numpy.asarray(image.convert("RGB"))
            there, index = numpy.unique(pixels.reshape(-1, 3), axis=0, return_inverse=True)
            nearest = numpy.concatenate([
                ((part[:, None] - entries) ** 2).sum(axis=2).argmin(axis=1)
                for part in numpy.array_split(there.astype(float), 1 + len(there) // 5000)])
            small = Image.fromarray(
                nearest[index].reshape(pixels.shape[:2]).astype(numpy.uint8), mode="P")
            small.putpalette(entries.astype(numpy.uint8).tobytes())
            small.save(path, optimize=True, dpi=(dpi, dpi))
    except OSError as problem:
        raise Failure(f"cannot write '{path}': {problem.strerror}") from problem


# --- tables ---------------------------------------------------------------------------------------

def check_result(directory):
    if not os.path.isdir(directory):
        raise Failure(f"there is no directory '{directory}'")
    if not os.path.isfile(os.path.join(directory, "summary.json")):
        raise Failure(f"'{directory}' holds no result: summary.json is missing")


def summary(directory):
    """summary.json as a dictionary."""
    check_result(directory)
    with open(os.path.join(directory, "summary.json"), encoding="utf-8") as file:
        try:
            return json.load(file)
        except ValueError as problem:
            raise Failure(f"{file.name} is damaged: {problem}") from problem


def table(path):
    """A CSV with one header line as {column: array}."""
    try:
        with open(path, encoding="utf-8") as file:
            rows = list(csv.reader(file))
        return {name: numpy.array([float(row[i]) for row in rows[1:]])
                for i, name in enumerate(rows[0])}
    except OSError as problem:
        raise Failure(f"cannot read '{path}': {problem.strerror}") from problem
    except (ValueError, IndexError) as problem:
        raise Failure(f"'{path}' is no table of numbers: {problem}") from problem


def write_table(path, rows):
    """Rows, each {column: value}, as a CSV with one header line."""
    try:
        with open(path, "w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, rows[0])
            writer.writeheader()
            writer.writerows(rows)
    except OSError as problem:
        raise Failure(f"cannot write '{path}': {problem.strerror}") from problem


def profile(directory, name=None):
    """(name, columns) of profiles/NAME.csv; name may be left out if there is only one."""
    check_result(directory)
    folder = os.path.join(directory, "profiles")
    there = sorted(f[:-4] for f in os.listdir(folder) if f.endswith(".csv")) \
        if os.path.isdir(folder) else []
    if not there:
        raise Failure(f"'{directory}' has no profiles: add a `line` probe to the case")
    if name is None and len(there) == 1:
        name = there[0]
    if name not in there:
        raise Failure(("choose a profile with --profile" if name is None
                       else f"there is no profile '{name}'") + f"; there are: {', '.join(there)}")
    return name, table(os.path.join(folder, name + ".csv"))


# --- the exact solution of the case ---------------------------------------------------------------

def axes_of(directory):
    """Names of the coordinates of a result: x y, r z or x y z."""
    return AXES[summary(directory).get("geometry", "plane")]


def exact_formulas(directory):
    """{column: formula} from the `exact` section of case.resolved.yaml; {} if it has none."""
    path = os.path.join(directory, "case.resolved.yaml")
    formulas, inside = {}, False
    if not os.path.isfile(path):
        return formulas
    with open(path, encoding="utf-8") as file:
        for line in file:
            if not line.startswith(" "):
                inside = line.startswith("exact:")
                continue
            key, _, value = line.strip().partition(":")
            if inside and key in ("velocity", "pressure"):
                # one formula, or a list of them; quoted where it is no plain number
                parts = re.findall(r'"([^"]*)"|([^\[\],\s"]+)', value)
                parts = [quoted or plain for quoted, plain in parts]
                names = [key] if key == "pressure" else [
                    f"velocity_{axis}" for axis in axes_of(directory)]
                formulas.update(zip(names, parts))
    return formulas


def evaluate(formula, **variables):
    """A formula of a case file (muParser's syntax, without ?:) at arrays x, y."""
    names = {"pi": numpy.pi, "abs": numpy.abs, "sqrt": numpy.sqrt,
             "min": numpy.minimum, "max": numpy.maximum}
    names.update({f: getattr(numpy, f) for f in (
        "sin", "cos", "tan", "sinh", "cosh", "tanh", "exp", "log", "log2", "log10", "sign",
        "rint")})
    names.update({"ln": numpy.log, "_e": numpy.e, "asin": numpy.arcsin, "acos": numpy.arccos,
                  "atan": numpy.arctan, "atan2": numpy.arctan2})
    names.update(variables)
    try:
        code = compile(formula.replace("^", "**"), formula, "eval")
        unknown = [name for name in code.co_names if name not in names]
        if unknown:
            raise Failure(f"formula '{formula}': what is {unknown[0]}?")
        value = eval(code, {"__builtins__": {}}, names)  # its names have been checked
    except SyntaxError as problem:
        raise Failure(f"cannot read the formula '{formula}'") from problem
    return value + 0.0 * next(iter(variables.values()))
