# SPDX-License-Identifier: GPL-3.0-or-later
"""Table, CSV and figures from the records of bench/run."""
import csv
import math

import measure
from measure import TOLERANCES

ACCURACIES = [1e-1, 3e-2, 1e-2, 3e-3, 1e-3, 1e-4]

# fixed colour per family, marker and line per member, so that a method looks the same everywhere
STYLE = {
    "auto": ("#000000", "o", "-"), "ipm": ("#0072b2", "s", "-"), "ipm-blend": ("#0072b2", "^", "--"),
    "ipm-exact": ("#0072b2", "v", ":"), "pg": ("#d55e00", "s", "-"), "pg-aa": ("#d55e00", "^", "--"),
    "apgd": ("#e69f00", "v", "-"), "aspg": ("#e69f00", "D", "--"), "dr": ("#009e73", "s", "-"),
    "dr-aa": ("#009e73", "^", "--"), "cadoux-pg": ("#cc79a7", "s", "-"),
    "cadoux-apgd": ("#cc79a7", "^", "--"), "cadoux-aspg": ("#cc79a7", "v", ":"),
    "siconos-admm": ("#8a2be2", "s", "-"), "siconos-nsgs": ("#8a2be2", "^", "--"),
    "siconos-nsgs-wr": ("#8a2be2", "v", ":"),
}


def style(method):
    return STYLE.get(method, ("#777777", "x", "-"))


def methods_of(records):
    found = {r["method"] for record in records.values() for r in record["runs"]}
    order = list(STYLE)
    return sorted(found, key=lambda m: order.index(m) if m in order else len(order))


def number(x, form="{:.1e}"):
    return "–" if x is None else form.format(x)


def best_result(record, method):
    results = [r["result"] for r in record["runs"] if r["method"] == method and r["result"]
               and r["result"]["merit"] is not None]
    return min(results, key=lambda r: r["merit"], default=None)


def feq(record, row):
    return row["cpu"] / record["one_factorisation"]


def write_table(records, path):
    lines = ["# Half silo: every method, the same certificates", "",
             "Made by `bench/run`. A cell is *steps / factorisations / feq* until the merit max(G, C) of "
             "`src/solve/residual.h` meets the column's", "tolerance (and the change of u and momentum "
             "their rules), – if not within the CPU limit; feq = CPU ÷ one factorisation of A in the same "
             "runs.", "`best` is the smallest merit; the certificates and the distance of the velocity "
             "(l2 of the unknowns, and energy norm) to the tightest result are its own.", ""]
    for name, record in records.items():
        ref = record["reference"]
        lines += [f"## {name}", "", f"{record['sizes']}; one factorisation {record['one_factorisation']:.4f} s"
                  + (f"; tightest: {ref['method']}, G = {ref['gap']:.1e}, discharge {ref['discharge']:.6g}"
                     if ref else ""), "",
                  "| method | " + " | ".join(f"{t:g}" for t in TOLERANCES)
                  + " | best | G | C | natural | momentum | velocity | energy | discharge | CPU s | end |",
                  "|---" * (len(TOLERANCES) + 11) + "|"]
        for method in methods_of({name: record}):
            cells = []
            for tolerance in TOLERANCES:
                row = measure.reached(record["runs"], method, tolerance)
                cells.append("–" if row is None else
                             f"{row['inner']} / {row['factorisations']} / {feq(record, row):.0f}")
            b = best_result(record, method)
            if b is None:
                error = next((r["error"] for r in record["runs"] if r["method"] == method), "")
                lines.append(f"| {method} | " + " | ".join(cells) + f" | failed: {error[:60]} |" + " |" * 9)
                continue
            off = None
            if ref and b.get("discharge") is not None and ref["discharge"]:
                off = b["discharge"] / ref["discharge"] - 1.0
            end = "limit" if b["stopped"] else ["converged", "iterations", "stalled"][b["reason"]]
            lines.append(f"| {method} | " + " | ".join(cells) + " | " + " | ".join([
                number(b["merit"]), number(b["gap"]), number(b["compaction"]),
                number(b["natural_relative"]), number(b["momentum"]), number(b.get("velocity")),
                number(b.get("energy")), number(off, "{:+.1e}"), number(b["cpu"], "{:.1f}"), end]) + " |")
        lines.append("")
    path.write_text("\n".join(lines))


def write_csv(records, path):
    fields = ["program", "method", "tolerance", "kind", "outer", "inner", "factorisations", "solves", "cpu",
              "feq", "gap", "gap_friction", "gap_normal", "compaction", "natural_relative", "natural_max",
              "fischer_burmeister", "momentum", "change", "merit", "velocity", "energy", "discharge"]
    with open(path, "w", newline="") as file:
        out = csv.DictWriter(file, fields, extrasaction="ignore")
        out.writeheader()
        for name, record in records.items():
            for run in record["runs"]:
                rows = [r for r in run["rows"] if r["snapshot"] >= 0]
                for row in rows + ([run["result"]] if run["result"] else []):
                    out.writerow({**row, "program": name, "method": run["method"],
                                  "tolerance": run["tolerance"], "feq": round(feq(record, row), 2)})


def curve(record, method, key):
    """(feq, key) at the snapshots of a method, best so far."""
    points = []
    for run in record["runs"]:
        if run["method"] != method or not run["result"]:
            continue
        if method == "auto":  # one point per tolerance: its result
            rows = [run["result"]] if run["result"]["reason"] == 0 else []
        else:
            rows = [r for r in run["rows"] if r["snapshot"] >= 0]
        points += [(feq(record, r), r[key]) for r in rows if r.get(key)]
    return sorted(points)


def draw_precision(plt, name, record, path):
    figure, axes = plt.subplots(1, 2, figsize=(11, 4.2), constrained_layout=True)
    for axis, key, label in ((axes[0], "merit", "merit max(G, C)"),
                             (axes[1], "velocity", "velocity difference to the tightest result (l2)")):
        for method in methods_of({name: record}):
            points = [p for p in curve(record, method, key) if p[1] and p[1] > 0]
            colour, marker, line = style(method)
            if points:
                axis.loglog(*zip(*points), color=colour, marker=marker,
                            linestyle="" if method == "auto" else line, # auto: a run per tolerance
                            markersize=4, linewidth=1.2, label=method)
        axis.set_xlabel("CPU / one factorisation of A")
        axis.set_ylabel(label)
        axis.grid(True, which="major", color="#dddddd", linewidth=0.6)
    handles, labels = axes[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="center right",
                  fontsize=8, frameon=False, bbox_to_anchor=(1.13, 0.5))
    figure.suptitle(name)
    figure.savefig(path, dpi=90, bbox_inches="tight")
    plt.close(figure)


def draw_profiles(plt, records, path):
    """Dolan-More: share of the programs a method solves within tau times the feq of the best."""
    figure, axes = plt.subplots(1, 3, figsize=(13, 4), constrained_layout=True, sharey=True)
    methods = methods_of(records)
    for axis, tolerance in zip(axes, (1e-1, 3e-2, 1e-3)):
        ratios = {m: [] for m in methods}
        for record in records.values():
            cost = {m: measure.reached(record["runs"], m, tolerance) for m in methods}
            cost = {m: feq(record, row) for m, row in cost.items() if row is not None}
            for m in methods_of({"": record}):  # a method counts where it was run
                ratios[m].append(cost[m] / min(cost.values()) if m in cost else math.inf)
        for m in methods:
            solved = sorted(r for r in ratios[m] if math.isfinite(r))
            colour, marker, line = style(m)
            if not solved:
                continue
            x = [1.0] + [v for r in solved for v in (r, r)] + [max(100.0, solved[-1])]
            y = [0.0] + [v for i in range(len(solved)) for v in (i, i + 1)] + [len(solved)]
            axis.semilogx(x, [v / len(ratios[m]) for v in y], color=colour, linestyle=line, linewidth=1.3,
                          label=m)
        axis.set_title(f"merit {tolerance:g}")
        axis.set_xlabel("feq / feq of the best method")
        axis.grid(True, color="#dddddd", linewidth=0.6)
    axes[0].set_ylabel(f"share of the programs it ran on (of {len(records)})")
    handles = {l: h for a in axes for h, l in zip(*a.get_legend_handles_labels())}
    figure.legend(handles.values(), handles.keys(), loc="center right", fontsize=8, frameon=False,
                  bbox_to_anchor=(1.1, 0.5))
    figure.savefig(path, dpi=90, bbox_inches="tight")
    plt.close(figure)


def cost_of_accuracy(record, method, accuracy):
    """feq of the first snapshot from which on the velocity stays within `accuracy` of the tightest."""
    points = curve(record, method, "velocity")
    if method == "auto":  # a run per tolerance: the cheapest
        return min((cost for cost, error in points if error <= accuracy), default=None)
    if record["reference"] and method == record["reference"]["method"]:
        points = [(cost, error) for cost, error in points if error > 0.0]
    good = None
    for cost, error in reversed(points):
        if error > accuracy:
            break
        good = cost
    return good


def write_accuracy(records, path):
    """Equal velocity accuracy: what does it cost by each method?"""
    lines = ["# feq until the velocity is within so much of the tightest result", "",
             "Made by `bench/run`: relative l2 difference of the velocities at the snapshots (half decades of the merit), and from there on; "
             "for `auto`, that of the", "cheapest tolerance. – not within the CPU limit. A reference that is not much tighter than a column says little.", "",
             "| program | tightest | method | " + " | ".join(f"{a:g}" for a in ACCURACIES) + " |",
             "|---" * (len(ACCURACIES) + 3) + "|"]
    for name, record in records.items():
        ref = record["reference"]
        for method in methods_of({name: record}) if ref else []:
            costs = [cost_of_accuracy(record, method, a) for a in ACCURACIES]
            if any(c is not None for c in costs):
                lines.append(f"| {name} | {ref['merit']:.1e} | {method} | "
                             + " | ".join(number(c, "{:.0f}") for c in costs) + " |")
    path.write_text("\n".join(lines) + "\n")


def gap_pairs(records):
    """{problem: [(G, velocity, energy, method, program)]}, where the reference is much tighter."""
    pairs = {}
    for name, record in records.items():
        if not record["reference"]:
            continue
        for run in record["runs"]:
            for row in run["rows"]:
                if row.get("velocity") and 5 * record["reference"]["merit"] < row["merit"] < 0.3:
                    pairs.setdefault(name.split("-", 2)[2], []).append(
                        (row["merit"], row["velocity"], row["energy"], run["method"], name))
    return pairs


def write_gap(records, path):
    """Is the velocity error G? Geometric mean and scatter of error / G, by problem."""
    lines = ["# Velocity difference against the merit max(G, C)", "",
             "All snapshots of all methods whose merit is below 0.3 and above five times that of the tightest "
             "result. Ratio of the relative l2 difference to", "the merit: geometric mean, scatter factor (e to the standard deviation of the "
             "logarithm), range; and the energy norm over merit^1/2.", "",
             "| problem | points | velocity / merit | ×/÷ | range | energy / merit^½ | ×/÷ | largest |",
             "|---|---|---|---|---|---|---|---|"]
    for problem, points in sorted(gap_pairs(records).items()):
        row = [problem, str(len(points))]
        for power, column in ((1.0, 1), (0.5, 2)):
            logs = [math.log(p[column] / p[0] ** power) for p in points if p[column]]
            mean = sum(logs) / len(logs)
            spread = math.exp(math.sqrt(sum((l - mean) ** 2 for l in logs) / len(logs)))
            row += [f"{math.exp(mean):.2g}", f"{spread:.1f}"]
            row += [f"{math.exp(min(logs)):.1e} to {math.exp(max(logs)):.2g}"] if column == 1 else \
                   [f"{math.exp(max(logs)):.2g}"]
        lines.append("| " + " | ".join(row) + " |")
    path.write_text("\n".join(lines) + "\n")


def draw_gap(plt, records, path):
    pairs = gap_pairs(records)
    if not pairs:
        return
    columns = min(4, len(pairs))
    rows = -(-len(pairs) // columns)
    figure, axes = plt.subplots(rows, columns, figsize=(3.4 * columns, 3.2 * rows), squeeze=False,
                                constrained_layout=True, sharex=True, sharey=True)
    for axis, (problem, points) in zip(axes.flat, sorted(pairs.items())):
        for method in {p[3] for p in points}:
            colour, marker, _ = style(method)
            own = [p for p in points if p[3] == method]
            axis.loglog([p[0] for p in own], [p[1] for p in own], color=colour, marker=marker, linestyle="",
                        markersize=3.5)
        line = [1e-8, 1.0]
        axis.loglog(line, line, color="#444444", linewidth=0.8)
        axis.loglog(line, [x ** 0.5 for x in line], color="#444444", linewidth=0.8, linestyle=":")
        axis.set_title(problem, fontsize=10)
        axis.grid(True, color="#dddddd", linewidth=0.6)
    for axis in axes.flat[len(pairs):]:
        axis.set_axis_off()
    for axis in axes[-1]:
        axis.set_xlabel("merit max(G, C)")
    for axis in axes[:, 0]:
        axis.set_ylabel("velocity difference")
    figure.savefig(path, dpi=90)
    plt.close(figure)


def write(records, directory):
    records = {name: records[name] for name in sorted(records) if records[name]["one_factorisation"]}
    write_table(records, directory / "table.md")
    write_csv(records, directory / "runs.csv")
    write_gap(records, directory / "gap.md")
    write_accuracy(records, directory / "accuracy.md")
    try:
        import matplotlib
    except ImportError:
        print("no figures: python3-matplotlib is not installed")
        return
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt
    draw_profiles(plt, records, directory / "profiles.png")
    draw_gap(plt, records, directory / "gap.png")
    for name, record in records.items():
        draw_precision(plt, name, record, directory / f"precision-{name}.png")
