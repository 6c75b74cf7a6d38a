# SPDX-License-Identifier: GPL-3.0-or-later
"""One HTML file of a result or of a study: what was solved, what came out, how far it is to be
trusted, and where it comes from. It needs no network: figures are in it, and so are the fields."""
import base64
import html
import io
import json
import math
import os
import re

import numpy
from matplotlib.collections import PatchCollection

from . import fields as _fields
from . import files
from .discs import outline
from .files import Failure
from .grains import Grains
from .style import COLOUR, pyplot, quantity_of

HERE = os.path.dirname(os.path.abspath(__file__))
ROOM = 2_500_000   # bytes of field data at most: frames are left out beyond
PLOTS = 24         # figures at most


# --- pieces of HTML -------------------------------------------------------------------------------

def text(value):
    return html.escape(str(value))


def number(value, digits=6):
    if value is None:
        return "–"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(number(v, digits) for v in value) + "]"
    if isinstance(value, dict):
        return "; ".join(f"{text(k)} {number(v, digits)}" for k, v in value.items())
    if isinstance(value, (int, float)):
        return f"{value:.{digits}g}"
    return text(value)


def table(rows, head=None):
    """Rows of cells that are HTML already; the first of a row is its name."""
    lines = ["<div class='wide'><table>"]
    if head:
        lines.append("<tr>" + "".join(f"<th>{cell}</th>" for cell in head) + "</tr>")
    for name, *cells in rows:
        lines.append(f"<tr><th>{name}</th>" + "".join(f"<td>{cell}</td>" for cell in cells) + "</tr>")
    return "\n".join(lines + ["</table></div>"])


def section(title, *parts):
    body = "\n".join(part for part in parts if part)
    return f"<section>\n<h2>{text(title)}</h2>\n{body}\n</section>" if body else ""


def svg(figure):
    """A Matplotlib figure as SVG in the page, without names that could meet those of another."""
    svg.count = getattr(svg, "count", 0) + 1
    out = io.StringIO()
    with pyplot.rc_context({"svg.hashsalt": f"sablier{svg.count}", "svg.fonttype": "path"}):
        figure.savefig(out, format="svg", metadata={"Date": None, "Creator": None})
    pyplot.close(figure)
    drawn = re.sub(r"<metadata>.*?</metadata>", "", out.getvalue(), flags=re.S)
    return "<figure>" + drawn[drawn.index("<svg"):].strip() + "</figure>"


def axes(xlabel, ylabel):
    figure, axis = pyplot.subplots(figsize=(4.6, 2.7), layout="constrained")
    axis.set_xlabel(xlabel)
    axis.set_ylabel(ylabel)
    axis.grid(color="#dddddd", linewidth=0.6)
    axis.set_axisbelow(True)
    return figure, axis


# --- a run ----------------------------------------------------------------------------------------

def resolved(directory):
    path = os.path.join(directory, "case.resolved.yaml")
    if not os.path.isfile(path):
        return ""
    with open(path, encoding="utf-8", errors="replace") as file:
        return file.read()


def probes(summary):
    deviation = summary.get("deviations", {})
    physical = summary.get("si", {}).get("probes", {})
    rows = []
    for name, value in summary["probes"].items():
        if isinstance(value, str):
            continue
        spread, si = deviation.get(name), physical.get(name)
        rows.append((text(name), number(value, 8), "± " + number(spread, 2) if spread is not None else "",
                     *([f"{number(si['value'])} {text(si['unit'])}" if si else ""] if physical else [])))
    if not rows:
        return ""
    window = summary.get("window")
    said = f"<p>Means over the last {window['rows']} steps ({number(window['length'])} units of time), with standard " \
           "deviations.</p>" if window else ""
    return table(rows) + said


def certificate(summary, tolerance):
    s = summary["solver"]
    inertial = "worst_gap" in summary
    gap = summary["worst_gap"] if inertial else s["gap"]
    compaction = summary["worst_compaction"] if inertial else s["compaction"]
    of = "largest of all steps" if inertial else "of the solve"
    rigid = "grains" in summary
    rows = [("tolerance", number(tolerance), "<code>solver.tolerance</code>"),
            ("residual", number(gap, 4), f"{of}: distance from the law of contacts, in parts of that of free motion") if rigid
            else ("power gap <i>G</i>", number(gap, 4),
                  f"{of}: power by which the friction law is still violated, in parts of the power spent"),
            ("compaction <i>C</i>", number(compaction, 4),
             f"{of}: volume that vanishes where the law allows none, on the same scale"),
            ("momentum", number(s["momentum"], 3), "relative residual of the balance of forces, last solve"),
            ("natural residual", number(s["natural"], 3), "rms distance from the law, in units of stress, last solve")]
    if inertial:
        rows.append(("steps missed", number(summary["missed"]), f"of {summary['steps']}; a missed step is one whose "
                     "certificate stayed above the tolerance"))
    if rigid:
        rows += [("overlap", number(summary["grains"]["overlap"], 3), "largest, in parts of a radius"),
                 ("energy made of nothing", number(summary["ledger"]["made_share"], 3), "in parts of the work")]
    rows.append(("method", text(s["method"]), f"{text(s.get('linear', 'sweeps'))}, {number(s['factorisations'])} factorisations, "
                 f"{number(s['solves'])} solves"))
    verdict = "<p class='good'>Every certificate met its tolerance and the energies are in order.</p>" if summary["good"] \
        else "<p class='bad'>This result missed its tolerance, or its energies are not in order: do not use it as it is. " \
             "What helps stands in the warnings.</p>"
    return verdict + table(rows)


def ledger(summary):
    book = summary.get("ledger")
    if not book:
        return ""
    work = sum(book.get(k) or 0.0 for k in ("gravity", "traction", "walls"))
    names = (("gravity", "work of gravity"), ("traction", "work of tractions"), ("walls", "work of moving walls"),
             ("viscous", "heat by viscosity"), ("friction", "heat by friction"), ("in", "came in with the flow"),
             ("out", "left with the flow"), ("loss", "numerical loss of the step"), ("inflow", "taken by open sides"),
             ("jump", "lost in impacts"), ("gap", "lost as gaps close"), ("opening", "taken back by opening contacts"),
             ("bounce", "kept by bounces"), ("made", "made of nothing"),
             ("dilation", "carried by dilation"), ("excess", "made of nothing by the transport"),
             ("defect", "rounding"))
    rows = [(label, number(book[key], 5), f"{100 * book[key] / work:.2f} %" if work else "–")
            for key, label in names if book.get(key) is not None]
    rows.append(("kinetic energy at the end", number(book.get("energy", book.get("kinetic")), 5), ""))
    return table(rows, ("", "energy", "of the work"))


def volume(summary):
    v = summary.get("volume", {})
    if v.get("net") is None:
        return ""
    names = (("net", "outflow minus inflow"), ("dilatancy", "by dilatancy"), ("parting", "grains that part"),
             ("barrier", "error of the tolerance: barrier"), ("compaction", "error of the tolerance: compaction"))
    return table([("outflow", number(v["outflow"]))] + [(label, f"{100 * v[key]:+.2f} %") for key, label in names])


def rheology(summary):
    m = dict(summary.get("material") or summary["grains"])
    if "reynolds" in m and m["reynolds"] is None:  # JSON has no infinity
        m["reynolds"] = math.inf
    return table([(key.replace("_", " "), number(value)) for key, value in m.items()])


def mesh(summary):
    m = summary.get("mesh", {})
    rows = [(key.replace("_", " "), number(value)) for key, value in m.items()]
    rows.append(("geometry", text(summary["geometry"])))
    rows.append(("steps, time", f"{summary['steps']}, {number(summary['time'])}"))
    rows.append(("CPU time, memory", f"{number(summary['cpu']['total'], 3)} s, "
                 f"{number(summary['peak_memory'] / 1e6, 3)} MB"))
    return table(rows)


def physical(columns):
    """{name: (label, values)} of a table: those with units where it has them, and no deviations."""
    units = {name.partition(" [")[0]: name for name in columns if name.endswith("]")}
    return {name: (units.get(name, name), columns[units.get(name, name)]) for name in columns
            if not name.endswith("]") and not name.endswith("_deviation")}


def history(directory, summary, tolerance):
    """Each number in time, and the certificates."""
    path = os.path.join(directory, "history.csv")
    if summary["steps"] < 2 or not os.path.isfile(path):
        return ""
    columns = files.table(path)
    shown, parts = physical(columns), []
    when, time = shown["time"]
    rows = summary.get("window", {}).get("rows", 1)
    fixed = "step time outer inner factorisations solves gap gap_rate compaction rate_residual natural momentum retries " \
            "missed unsound outflow".split()
    for name, (label, value) in shown.items():
        if name in fixed or name.startswith(("ledger_", "volume_")) or len(parts) >= PLOTS:
            continue
        figure, axis = axes(when, label)
        axis.plot(time, value, color=COLOUR[0], linewidth=1.2)
        axis.axvspan(time[-rows], time[-1], color="#eeeeee", zorder=0)
        parts.append(svg(figure))
    figure, axis = axes(when, "certificates")
    for i, (name, label) in enumerate((("residual", "residual") if "residual" in columns else ("gap", "$G$"), ("compaction", "$C$"))):
        value = numpy.maximum(columns[name], 1e-16)
        axis.semilogy(time, value, color=COLOUR[i], linewidth=1.0, label=label)
    if tolerance:
        axis.axhline(tolerance, color="#202020", linewidth=0.8, linestyle="--", label="tolerance")
    axis.legend(frameon=False, fontsize=8, loc="upper left", bbox_to_anchor=(1.0, 1.0))
    parts.append(svg(figure))
    return "<div class='figures'>" + "\n".join(parts) + "</div>" + \
        "<p>Grey: the last window, over which the results are means.</p>"


def profiles(directory):
    folder = os.path.join(directory, "profiles")
    parts = []
    for file in sorted(os.listdir(folder)) if os.path.isdir(folder) else []:
        if not file.endswith(".csv") or len(parts) >= PLOTS:
            continue
        columns = physical(files.table(os.path.join(folder, file)))
        if "s" not in columns or len(columns["s"][1]) < 2:
            continue  # a surface: its VTU is for ParaView
        along, s = columns["s"]
        kinds = {}  # one figure for what has one dimension
        for name, (label, value) in columns.items():
            if name not in ("s", "x", "y", "z", "r") and numpy.isfinite(value).any():
                kinds.setdefault(quantity_of(name), []).append((label, value))
        for drawn in kinds.values():
            figure, axis = axes(along, file[:-4])
            for i, (label, value) in enumerate(drawn):
                axis.plot(s, value, color=COLOUR[i % len(COLOUR)], linewidth=1.1, label=label)
            axis.legend(frameon=False, fontsize=7, loc="upper left", bbox_to_anchor=(1.0, 1.0))
            parts.append(svg(figure))
    return "<div class='figures'>" + "\n".join(parts) + "</div>" if parts else ""


def wall_loads(summary):
    parts = []
    for name, load in summary.get("wall_loads", {}).items():
        parts.append(f"<h3>{text(name)}</h3>" + table(
            [(text(key.replace("_", " ")), number(value)) for key, value in load.items()]))
    if parts:
        parts.append("<p><i>determined</i> is the part of the wall that slides. Where grains stick, the load is not "
                     "determined by the physics, and another solver may find another one.</p>")
    return "\n".join(parts)


# --- fields that can be looked at -----------------------------------------------------------------

def plane_triangles(fields, y):
    """The triangles of a frame in a plane: of a run in space those of a slice."""
    return fields.slice([0, y, 0], [0, 1, 0]) if fields.geometry == "space" else fields


def best_slice(fields):
    """y of the slice of a body: its middle, or its side where that moves faster, as a plane of symmetry does and a wall not."""
    if fields.geometry != "space":
        return None
    low, high = fields.x[:, :, 1].min(), fields.x[:, :, 1].max()
    return max(((low + high) / 2, low + 1e-9 * (high - low)),
               key=lambda y: plane_triangles(fields, y).scalar("speed")[1].max())


def field_values(fields):
    """{label: [cells][6]} of what the page shows."""
    cells = len(fields.x)
    found = {"speed": fields.scalar("speed")[1]}
    names = fields.names()
    for name, label in (("pressure_recovered", "pressure"), ("shear_rate", "shear rate"),
                        ("yield_ratio", "yield ratio"), ("friction", "friction")):
        if name in names:
            found[label] = fields.scalar(name)[1]
    if "pressure" not in found and "pressure" in fields.cell:
        found["pressure"] = numpy.repeat(fields.cell["pressure"][:, None], 6, axis=1)
    if "yielded" in fields.cell:
        found["yielded"] = numpy.repeat(fields.cell["yielded"][:, None], 6, axis=1)
    return {label: value.reshape(cells, 6) for label, value in found.items()}


def packed(values, low, high):
    scale = 255.0 / (high - low) if high > low else 0.0
    return base64.b64encode(numpy.clip(numpy.round((values - low) * scale), 0, 255)
                            .astype(numpy.uint8).tobytes()).decode()


def bodies(directory, summary):
    """The grains at the end, in space from the side."""
    if "grains" not in summary or not os.path.isfile(os.path.join(directory, "grains.pvd")):
        return ""
    grains = Grains(directory)
    if not len(grains.x):
        return "<p>All grains have left.</p>"
    place = grains.x[:, [0, grains.dimension - 1]]
    behind = numpy.argsort(-grains.x[:, 1]) if grains.dimension == 3 else numpy.arange(len(place))
    figure, axis = axes("x", "z" if grains.dimension == 3 else "y")
    shown = PatchCollection([outline(grains, place, i) for i in behind], edgecolor="#202020", linewidth=0.2)
    shown.set_array(grains.scalar("speed")[behind])
    axis.add_collection(shown)
    axis.set_aspect("equal")
    axis.autoscale_view()
    figure.colorbar(shown, label="speed")
    return f"<div class='figures'>{svg(figure)}</div><p>At time {number(grains.time)}.</p>"


def viewer(directory):
    """The fields of some frames as numbers of a byte each, for view.js; and a word on what is left out."""
    try:
        there = _fields.frames(directory)
    except Failure:
        return ""
    if not there:
        return ""
    last = _fields.Fields(directory, -1)
    y = best_slice(last)
    last = plane_triangles(last, y)
    cells = len(last.x)
    each = cells * 6 * (len(field_values(last)) + 2) * 4 // 3
    if each > ROOM:
        return "<p>The mesh is too large to be shown here; open <code>fields.pvd</code> in ParaView.</p>"
    count = max(1, min(len(there), ROOM // each, 60))
    chosen = sorted({round(i) for i in numpy.linspace(len(there) - 1 if count == 1 else 0, len(there) - 1, count)})
    frames = [plane_triangles(_fields.Fields(directory, i), y) for i in chosen]
    values = [field_values(f) for f in frames]
    flows = [f.flow for f in frames]
    low, high = last.x.reshape(-1, 2).min(axis=0), last.x.reshape(-1, 2).max(axis=0)
    size = (high - low).max()
    places = numpy.round((last.x.reshape(-1, 2) - low) / size * 65535).astype("<u2")
    fastest = max(float(numpy.abs(flow).max()) for flow in flows) or 1.0
    data = {"x": base64.b64encode(places.tobytes()).decode(), "cells": cells, "low": low.tolist(), "size": float(size),
            "high": high.tolist(), "axes": list(last.axes), "times": [there[i][1] for i in chosen], "fields": {},
            "fastest": fastest, "flow": [packed(flow.reshape(-1, 2), -fastest, fastest) for flow in flows],
            "colours": colours()}
    for label in values[-1]:
        if not all(label in v for v in values):
            continue
        every = numpy.concatenate([v[label].ravel() for v in values])
        every = every[numpy.isfinite(every)]
        if label in ("yielded", "yield ratio"):
            bounds = 0.0, 1.0
        else:  # all but the extreme per cent: corners are singular
            bounds = numpy.quantile(every, 0.005), numpy.quantile(every, 0.995)
            bounds = (0.0 if every.min() >= 0 else float(bounds[0])), float(bounds[1])
        if not bounds[1] > bounds[0]:
            bounds = bounds[0], bounds[0] + (abs(bounds[0]) or 1.0)
        data["fields"][label] = {"low": bounds[0], "high": bounds[1],
                                 "frames": [packed(numpy.nan_to_num(v[label]).ravel(), *bounds) for v in values]}
    with open(os.path.join(HERE, "view.js"), encoding="utf-8") as file:
        script = file.read()
    said = []
    if len(chosen) < len(there):
        said.append(f"{len(chosen)} of {len(there)} frames")
    if last.geometry == "space":
        said.append(f"a slice through the body at y = {y:.3g}")
    return f"""<div id="view">
<div class="controls"><label>field <select id="field"></select></label>
<label><input type="checkbox" id="arrows" checked> velocity</label>
<label>time <input type="range" id="time" min="0" max="{len(chosen) - 1}" value="{len(chosen) - 1}" step="1"></label>
<button id="play" type="button">play</button> <output id="when"></output></div>
<canvas id="canvas" tabindex="0" aria-label="field of the flow"></canvas>
<div class="bar"><span id="least"></span><canvas id="scale" width="256" height="12"></canvas><span id="most"></span></div>
<p><output id="here">Point at a place to read its value.</output> {text("; ".join(said))}</p>
</div>
<script type="application/json" id="data">{json.dumps(data)}</script>
<script>{script}</script>"""


def colours():
    table_ = pyplot.get_cmap("viridis")(numpy.linspace(0, 1, 256))[:, :3]
    return base64.b64encode(numpy.round(255 * table_).astype(numpy.uint8).tobytes()).decode()


# --- provenance and the page ----------------------------------------------------------------------

def provenance(summary, directory):
    p = summary.get("provenance", {})
    rows = [("version", text(summary.get("version", "")) + (f", commit {text(p['commit'])}" if p.get("commit") else ""))]
    for key, label in (("command", "command"), ("date", "date"), ("host", "host"), ("case", "hash of the case"),
                       ("mesh", "hash of the mesh"), ("groups", "hash of its groups")):
        if p.get(key):
            rows.append((label, f"<code>{text(p[key])}</code>"))
    rows += [(text(name), text(value)) for name, value in p.get("libraries", {}).items()]
    rows.append(("directory", f"<code>{text(os.path.basename(os.path.abspath(directory)))}</code>"))
    return table(rows)


def case_text(yaml):
    return f"<details><summary>The case with every default</summary><pre>{text(yaml)}</pre></details>" if yaml else ""


def warnings(summary):
    said = summary.get("warnings", [])
    return "<ul class='bad'>" + "".join(f"<li>{text(w)}</li>" for w in said) + "</ul>" if said else ""


def run_page(directory):
    summary = files.summary(directory)
    if "format" not in summary:
        raise Failure(f"'{directory}/summary.json' is of an older version without a format; run the case again")
    yaml = resolved(directory)
    tolerance = summary["solver"].get("tolerance")
    badge = f"<span class='badge {'good' if summary['good'] else 'bad'}'>{text(summary['status'])}</span>"
    return page(summary.get("title") or "Sablier run", badge, [
        section("Results", probes(summary)),
        section("Warnings", warnings(summary)),
        section("Grains", bodies(directory, summary)),
        section("Fields", viewer(directory)),
        section("Can it be trusted?", certificate(summary, tolerance)),
        section("In time", history(directory, summary, tolerance)),
        section("Profiles", profiles(directory)),
        section("Wall loads", wall_loads(summary)),
        section("Energy", ledger(summary)),
        section("Volume", volume(summary)),
        section("Effective rheology" if "material" in summary else "Contacts", rheology(summary)),
        section("Mesh and cost" if "mesh" in summary else "Cost", mesh(summary)),
        section("Where it comes from", provenance(summary, directory), case_text(yaml)),
    ])


def study_page(directory):
    from .result import Study

    study = Study(directory)
    shown = [c for c in study.table.columns if not c.startswith(("cpu.", "solver.", "mesh."))]
    cells = [[number(v) if isinstance(v, (int, float)) and not (isinstance(v, float) and math.isnan(v))
              else "" if isinstance(v, float) else text(v) for v in row]
             for row in study.table[shown].itertuples(index=False)]
    left = study.table["left_out"].fillna("")
    bad = sum(1 for code, why in zip(study.table["exit"], left) if code != 0 or why)
    badge = f"<span class='badge {'bad' if bad else 'good'}'>{len(cells)} points" + \
        (f", {bad} not good" if bad else "") + "</span>"
    parts = [section("Points", table([[cells[i][0], *cells[i][1:]] for i in range(len(cells))],
                                     [text(c) for c in shown]))]
    if study.fits:
        parts.append(section("Fits", fits(study)))
    return page(f"Study {os.path.basename(os.path.abspath(directory))}", badge, parts)


def fits(study):
    def rows(value, name=""):
        if isinstance(value, dict):
            for key, inner in value.items():
                yield from rows(inner, f"{name}.{key}" if name else key)
        elif isinstance(value, list) and any(isinstance(v, (dict, list)) for v in value):
            for i, inner in enumerate(value):
                yield from rows(inner, f"{name}[{i}]")
        else:
            yield text(name), number(value)

    return table(list(rows(study.fits)))


STYLE = """
:root { color-scheme: light; }
body { font: 16px/1.5 system-ui, sans-serif; color: #202020; margin: 0 auto; max-width: 62rem; padding: 1rem; }
h1 { font-size: 1.5rem; margin: .5rem 0; } h2 { font-size: 1.15rem; border-bottom: 1px solid #ccc; margin-top: 2rem; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
th { text-align: left; font-weight: 500; padding: .15rem 1rem .15rem 0; vertical-align: top; }
td { padding: .15rem 1rem .15rem 0; vertical-align: top; } code { overflow-wrap: anywhere; }
tr + tr { border-top: 1px solid #eee; }
.wide { overflow-x: auto; } pre { overflow-x: auto; background: #f6f6f6; padding: .7rem; font-size: .85rem; }
.badge { padding: .1rem .6rem; border-radius: 1rem; font-size: .9rem; }
.badge.good { background: #dff0e3; color: #17502b; } .badge.bad { background: #fbe3dc; color: #7a2410; }
p.good { color: #17502b; } .bad { color: #7a2410; }
.figures { display: flex; flex-wrap: wrap; gap: .5rem; } figure { margin: 0; flex: 1 1 20rem; max-width: 30rem; }
figure svg { width: 100%; height: auto; }
.controls { display: flex; flex-wrap: wrap; gap: .4rem 1rem; align-items: center; }
#canvas { width: 100%; display: block; margin: .5rem 0; } .bar { display: flex; gap: .5rem; align-items: center; }
#scale { flex: 1; height: 12px; max-width: 20rem; } footer { color: #666; margin-top: 2rem; font-size: .85rem; }
"""


def page(title, badge, parts):
    body = "\n".join(part for part in parts if part)
    return f"""<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>{text(title)}</title><link rel="icon" href="data:,"><style>{STYLE}</style></head>
<body><h1>{text(title)} {badge}</h1>
{body}
<footer>Made by Sablier, dense granular flow without regularisation.</footer>
</body></html>
"""


def write(directory, path=None):
    """report.html of a result or of a study, in its directory unless `path` names another; its path."""
    directory = os.fspath(directory)
    if os.path.isfile(os.path.join(directory, "summary.json")):
        content = run_page(directory)
    elif os.path.isfile(os.path.join(directory, "results.csv")):
        content = study_page(directory)
    elif not os.path.isdir(directory):
        raise Failure(f"there is no directory '{directory}'")
    else:
        raise Failure(f"'{directory}' holds no result: there is neither summary.json nor results.csv")
    path = path or os.path.join(directory, "report.html")
    try:
        with open(path + ".tmp~", "w", encoding="utf-8") as file:
            file.write(content)
        os.replace(path + ".tmp~", path)
    except OSError as problem:
        raise Failure(f"cannot write '{path}': {problem.strerror}") from problem
    return path
