# SPDX-License-Identifier: GPL-3.0-or-later
"""What the runs of one cone program say: work to each tolerance, distance to the tightest result."""
import numpy as np

TOLERANCES = [1e-1, 3e-2, 1e-2, 1e-3, 1e-4, 1e-6]


def read_program(path):
    """Arrays of a .sabp that the measures need (docs/program-format.md)."""
    raw = open(path, "rb").read()
    i8, f8 = np.frombuffer(raw, "<i8"), np.frombuffer(raw, "<f8")
    s, npoints, n, nblocks, entries = (int(i) for i in i8[2:7])
    at = 11 + n + (s + 6) * npoints
    start, row = i8[at:at + n + 1], i8[at + n + 1:at + n + 1 + entries]
    value = f8[at + n + 1 + entries:at + n + 1 + 2 * entries]
    return {"n": n, "row": row, "column": np.repeat(np.arange(n), np.diff(start)), "value": value,
            "l": f8[11:11 + n]}


def energy(program, x):
    """(x.A x)^(1/2), A given by its lower triangle."""
    terms = program["value"] * x[program["row"]] * x[program["column"]]
    return float(np.sqrt(max(0.0, 2.0 * terms.sum() - terms[program["row"] == program["column"]].sum())))


def meets(row, tolerance):
    """The stop rule of src/solve/solve.c. Rows of a peer are separate runs, which have no change."""
    return (row["merit"] is not None and row["merit"] <= tolerance and row["momentum"] < 1e-3
            and (row["at_rest"] or row["change"] is None or row["change"] <= max(1e-2, tolerance)))


def reached(runs, method, tolerance):
    """The row at which the method first meets the tolerance, or None."""
    for run in runs:
        if run["method"] != method or (method == "auto" and run["tolerance"] != tolerance):
            continue
        for row in run["rows"]:
            if meets(row, tolerance):
                return row
    return None


def load(path, n):
    try:
        u = np.fromfile(path, "<f8")
    except OSError:
        return None
    return u if len(u) == n else None


def summarise(path, sizes, runs):
    """Everything the report needs about one program. Velocities are read from their files."""
    program = read_program(path)
    n = program["n"]
    flux = np.fromfile(str(path) + ".flux", "<f8")
    finished = [r for r in runs if r["result"]]
    one = float(np.median([r["result"]["one_factorisation"] for r in finished])) if finished else None
    tight = min((r for r in finished if r["result"]["merit"] is not None),
                key=lambda r: r["result"]["merit"], default=None)
    reference = load(tight["prefix"] + ".bin", n) if tight else None
    record = {"sizes": sizes, "one_factorisation": one, "runs": runs, "reference": None}
    if reference is None:
        return record
    size, power = float(np.linalg.norm(reference)), energy(program, reference)
    discharge = float(flux[:-1] @ reference + flux[-1])
    record["reference"] = {"method": tight["method"], "merit": tight["result"]["merit"],
                           "gap": tight["result"]["gap"], "discharge": discharge}
    for run in finished:
        for row in run["rows"] + [run["result"]]:
            if row["kind"] == "row" and row["snapshot"] < 0:
                continue
            name = ".bin" if row["kind"] == "result" else f".{row['snapshot']}.bin"
            u = load(run["prefix"] + name, n)
            if u is None:
                continue
            row["velocity"] = float(np.linalg.norm(u - reference)) / size if size > 0 else None
            row["energy"] = energy(program, u - reference) / power if power > 0 else None
            row["discharge"] = float(flux[:-1] @ u + flux[-1])
    return record
