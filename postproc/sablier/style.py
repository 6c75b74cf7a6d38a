# SPDX-License-Identifier: GPL-3.0-or-later
"""How pictures look: sizes and fonts for a page, a paper or a talk, lines that differ without colour, legends beside
the data, axes with their units."""
import sys

import matplotlib
import numpy

from .files import Failure

if "ipykernel" not in sys.modules:  # a notebook shows figures itself
    matplotlib.use("Agg")
import matplotlib.pyplot as pyplot  # noqa: E402

INK, GREY = "#202020", "#c4c4c4"
# Okabe and Ito's colours, which colour-blind readers tell apart; markers and dashes for those who print in grey.
COLOUR = ["#0072b2", "#d55e00", "#009e73", "#a0528a", "#555555"]
MARKER = ["o", "s", "^", "D", "v"]
DASH = ["-", (0, (5, 1.5)), (0, (3, 1, 1, 1)), (0, (1.5, 1)), (0, (7, 2, 1.5, 2))]

# width: of a figure with one panel, in inches; line: factor of all line widths
STYLES = {
    "page": {"size": 10, "width": 5.2, "line": 1.0, "title": True},
    "paper": {"size": 8, "width": 3.35, "line": 0.8, "title": False},  # a column of 85 mm; the caption is the title
    "talk": {"size": 16, "width": 7.2, "line": 1.8, "title": True},
}

AXIS = {"x": "length", "y": "length", "z": "length", "r": "length", "s": "length", "t": "time"}
# field: (symbol as a label has it, quantity)
FIELD = {
    "speed": ("speed $|u|$", "velocity"), "velocity_x": ("velocity $u_x$", "velocity"),
    "velocity_y": ("velocity $u_y$", "velocity"), "velocity_z": ("velocity $u_z$", "velocity"),
    "velocity_r": ("velocity $u_r$", "velocity"), "pressure": ("pressure $p$", "stress"),
    "pressure_recovered": ("pressure $p$", "stress"), "normal": ("normal stress on the wall", "stress"),
    "shear": ("shear stress on the wall", "stress"),
    "shear_rate": (r"shear rate $|\mathrm{Dev}\,D(u)|$", "rate"),
    "shear_stress": (r"shear stress $|\mathrm{Dev}\,\sigma|$", "stress"),
    "yield_ratio": (r"$|\lambda_T|\,/\,(\mathrm{Bi} + \mu\lambda_N)$", None),
    "yielded": ("share of points that yield", None), "friction": (r"friction $\mu$", None),
    "fill": ("share that is filled", None), "inertial_number": ("inertial number $I$", None),
}


class Style:
    """One of STYLES at work; apply() sets Matplotlib's defaults."""

    def __init__(self, name="page"):
        if name not in STYLES:
            raise Failure(f"there is no style '{name}'; there are: {', '.join(STYLES)}")
        self.name = name
        self.size, self.width, self.line, self.title = (STYLES[name][k] for k in ("size", "width", "line", "title"))
        self.scale = self.width / STYLES["page"]["width"]

    def apply(self):
        pyplot.rcParams.update({
            "font.size": self.size, "axes.titlesize": 1.1 * self.size, "axes.labelsize": self.size,
            "legend.fontsize": 0.9 * self.size, "xtick.labelsize": 0.9 * self.size, "ytick.labelsize": 0.9 * self.size,
            "axes.linewidth": 0.8 * self.line, "lines.linewidth": 1.3 * self.line, "lines.markersize": 4.5 * self.line,
            "xtick.major.width": 0.8 * self.line, "ytick.major.width": 0.8 * self.line, "hatch.linewidth": 0.6 * self.line,
            "grid.color": "#e2e2e2", "grid.linewidth": 0.6, "axes.axisbelow": True,
            "pdf.fonttype": 42, "svg.hashsalt": "sablier"})
        return self

    def panels(self, columns=1, height=0.64, **options):
        """Panels side by side: a figure and its axes; `height` in parts of the width of one."""
        width = self.width * (1.0 if columns == 1 else 0.8)
        figure, axes = pyplot.subplots(1, columns, figsize=(columns * width, height * width), layout="constrained",
                                       squeeze=False, **options)
        for axis in axes[0]:
            axis.grid(True)
        return figure, list(axes[0])

    def line_of(self, i):
        """Colour, dashes and width of line number i."""
        return {"color": COLOUR[i % 5], "linestyle": DASH[i % 5], "linewidth": 1.3 * self.line}


def arguments(parser):
    """What every script that draws takes."""
    parser.add_argument("--style", choices=STYLES, default="page",
                        help="page (default), paper: a column of 85 mm, no title; talk: large letters")
    parser.add_argument("--dpi", type=int, default=150, help="of .png, and of colours in .pdf and .svg; default %(default)s")


def use(options):
    return Style(options.style).apply()


def legend(axes, columns=None, handles=None):
    """The legend above the axes, never over data."""
    handles = axes.get_legend_handles_labels()[0] if handles is None else handles
    if not handles:
        return
    wide = max(len(str(h.get_label())) for h in handles)
    columns = columns or max(1, min(len(handles), 44 // (wide + 5)))
    axes.legend(handles=handles, loc="lower left", bbox_to_anchor=(0, 1.0), borderaxespad=0.2, ncols=columns, frameon=False,
                handlelength=2.2, columnspacing=1.2)


def check_legends(figure):
    """Our own mistake if a legend covers what is drawn."""
    for axes in figure.axes:
        there = axes.get_legend()
        if there is not None:
            box, inner = there.get_window_extent(), axes.get_window_extent()
            over = min(box.x1, inner.x1) - max(box.x0, inner.x0), min(box.y1, inner.y1) - max(box.y0, inner.y0)
            assert min(over) < 2, f"a legend lies over its axes by {over} pixels"


def check_colours(name):
    """A map of Matplotlib; False if its lightness is not monotone, so that it says something else in grey."""
    if name not in pyplot.colormaps():
        raise Failure(f"Matplotlib has no colours '{name}'")
    light = pyplot.get_cmap(name)(numpy.linspace(0, 1, 64))[:, :3] @ [0.2126, 0.7152, 0.0722]
    steps = numpy.diff(light)
    return bool((steps > -1e-3).all() or (steps < 1e-3).all())


# --- units ----------------------------------------------------------------------------------------

class Units:
    """Factors from numbers of a result to SI, if its case has units; else 1, and no words.

    factor(quantity)  length, time, velocity, stress, rate; None for a pure number
    word(quantity)    " (m/s)", or nothing
    """

    WORDS = {"length": "m", "time": "s", "velocity": "m/s", "stress": "Pa", "rate": "1/s"}

    def __init__(self, summary):
        si, self.scales = summary.get("si"), {}
        if si:
            length, time = float(si["length"]), float(si["time"])
            self.scales = {"length": length, "time": time, "velocity": length / time, "rate": 1 / time}
            if si.get("density") is not None:
                self.scales["stress"] = float(si["density"]) * float(si["gravity"]) * length

    def factor(self, quantity):
        return self.scales.get(quantity, 1.0)

    def word(self, quantity):
        return f" ({self.WORDS[quantity]})" if quantity in self.scales else ""

    def axis(self, name):
        return f"${name}$" + self.word(AXIS.get(name))

    def label(self, field):
        return label_of(field) + self.word(quantity_of(field))


def label_of(field):
    if field in FIELD:
        return FIELD[field][0]
    base, _, component = field.rpartition("_")
    if base in ("stress", "stress_recovered"):
        return rf"stress $\sigma_{{{component.lower()}}}$"
    return field.replace("_", " ")


def quantity_of(field):
    if field in FIELD:
        return FIELD[field][1]
    if field in ("normal", "shear", "vertical", "janssen"):  # of a wall_load
        return "stress"
    return "stress" if field.startswith(("stress", "normal_", "shear_", "traction")) else \
        "velocity" if field.startswith("velocity") or field in ("slip", "opening") else None
