#!/usr/bin/python3
"""Draw a field of a result: colours, streamlines or arrows, and the zones that do not yield.

    postproc/picture.py out/cavity cavity.png --field shear_rate
    postproc/picture.py out/silo-round silo.png --mirror               both halves of a section
    postproc/picture.py out/silo-space cut.png --slice x=0             a run in space: a slice,
    postproc/picture.py out/silo-space body.png --view 20 -60          its surface,
    postproc/picture.py out/silo-space wall.png --wall side --field normal    or the load of a wall

The triangles are quadratic: each is cut into small flat ones before it is drawn. Streamlines are
lines of equal stream function; where the flow changes its volume there is none, and arrows are
drawn instead. Unyielded is a triangle of which less than half of the law points flow.
"""
import argparse

import matplotlib
import numpy

import sablier_io
from sablier_io import Failure

matplotlib.use("Agg")
import matplotlib.pyplot as pyplot  # noqa: E402
from matplotlib.collections import LineCollection  # noqa: E402
from matplotlib.colors import ListedColormap, LogNorm, Normalize  # noqa: E402
from matplotlib.lines import Line2D  # noqa: E402
from matplotlib.patches import Patch  # noqa: E402
from matplotlib.tri import Triangulation  # noqa: E402

LABEL = {"velocity_r": "velocity $u_r$", "velocity_z": "velocity $u_z$", "speed": "speed $|u|$", "velocity_x": "velocity $u_x$", "velocity_y": "velocity $u_y$",
         "pressure": "pressure $p$", "shear_rate": r"shear rate $|\mathrm{Dev}\,D(u)|$",
         "shear_stress": r"shear stress $|\mathrm{Dev}\,\sigma|$",
         "yield_ratio": r"$|\lambda_T|\,/\,(\mathrm{Bi} + \mu\lambda_N)$",
         "yielded": "share of points that yield"}
SMALL = 4          # parts of a side
MANY = 150000      # small triangles: fewer parts beyond
INK, GREY = "#202020", "#c4c4c4"


def colour_range(fields, where, value, options):
    """The given range, or all but the extreme 1 % of the area (singular corners)."""
    if options.range:
        low, high = options.range
        if not low < high:
            raise Failure(f"--range: {low:g} is not below {high:g}")
    else:
        mean = value if where == "cell" else value[:, 3:].mean(axis=1)
        order = numpy.argsort(mean)
        share = numpy.cumsum(fields.areas()[order])
        share /= share[-1]
        low, high = (mean[order][numpy.searchsorted(share, part)] for part in (0.01, 0.99))
        if value.min() >= 0 and low < 0.2 * high:
            low = 0.0
        if value.max() <= high + 0.25 * (high - low):
            high = value.max()
        if value.min() >= low - 0.25 * (high - low):
            low = value.min()
        if options.log:
            low = max(low, 1e-4 * high)
        if high - low <= 1e-12 * max(abs(high), abs(low)):  # one value
            low, high = low - 0.5 * (abs(low) or 1), high + 0.5 * (abs(high) or 1)
    if options.log and low <= 0:
        raise Failure("--log needs a field, or a --range, above zero")
    extend = {(0, 0): "neither", (1, 0): "min", (0, 1): "max", (1, 1): "both"}[
        int(value.min() < low), int(value.max() > high)]
    return (LogNorm if options.log else Normalize)(low, high), extend


def draw_outline(axes, fields, rigid):
    """The boundary of the domain, and that of the rigid zones."""
    corners = fields.corners()
    sides = numpy.stack([corners[:, [0, 1]], corners[:, [1, 2]], corners[:, [2, 0]]], axis=1)
    keys = numpy.sort(sides.reshape(-1, 2), axis=1)
    _, first, inverse, count = numpy.unique(keys, axis=0, return_index=True, return_inverse=True,
                                            return_counts=True)
    inverse = inverse.ravel()
    flags = numpy.bincount(inverse, weights=numpy.repeat(rigid, 3))
    nodes = [[0, 3, 1], [1, 4, 2], [2, 5, 0]]
    middle = numpy.array([[[.375, .75, -.125], [-.125, .75, .375]]])  # P2 at the quarters

    def lines(chosen):
        which = first[chosen]
        curve = fields.x[which[:, None] // 3, numpy.array(nodes)[which % 3]]
        quarter = numpy.einsum("qa,sai->sqi", middle[0], curve)
        return numpy.stack([curve[:, 0], quarter[:, 0], curve[:, 1], quarter[:, 1], curve[:, 2]],
                           axis=1)

    axes.add_collection(LineCollection(lines((count == 2) & (flags == 1)), colors=INK,
                                       linewidths=0.7, capstyle="round"))
    axes.add_collection(LineCollection(lines(count == 1), colors=INK, linewidths=1.2,
                                       capstyle="round"))


def draw_rigid(axes, mesh, rigid, how):
    """Shade small triangles; the entry of the legend."""
    part = Triangulation(mesh.x, mesh.y, mesh.triangles, mask=~rigid)
    if how == "grey":
        axes.tripcolor(part, facecolors=numpy.ones(len(rigid)), cmap=ListedColormap([GREY]),
                       rasterized=True)
        return Patch(facecolor=GREY, edgecolor=INK, linewidth=0.7, label="unyielded")
    axes.tricontourf(part, numpy.ones(len(mesh.x)), levels=[0.5, 1.5], hatches=["/////"],
                     colors="none")
    return Patch(facecolor="none", edgecolor=INK, hatch="/////", linewidth=0.7, label="unyielded")


def draw_streamlines(axes, mesh, fields, shapes, number):
    """Lines of psi; False if there is no stream function worth drawing."""
    psi, divergence = fields.stream_function()
    if divergence > 1e-2 or not numpy.isfinite(psi).all():  # or a domain in pieces
        return False
    value = (psi[:, None] + fields.flux(shapes)).ravel()
    low, high = value.min(), value.max()
    if high - low <= 0:
        return False
    # psi is continuous: one point where triangles meet, so that lines do not break there
    size = 1e-8 * max(numpy.ptp(mesh.x), numpy.ptp(mesh.y))
    places = numpy.round(numpy.stack([mesh.x, mesh.y], axis=1) / size).astype(numpy.int64)
    _, first, same = numpy.unique(places, axis=0, return_index=True, return_inverse=True)
    joined = Triangulation(mesh.x[first], mesh.y[first], same.ravel()[mesh.triangles])
    # not at an end of the range: there it is the wall
    levels = low + (high - low) * (numpy.arange(number) + 0.5) / number
    axes.tricontour(joined, value[first], levels=levels, colors=INK, linewidths=0.6,
                    linestyles="solid", alpha=0.75)
    return True


def draw_arrows(axes, fields):
    """About 25 arrows along the longer side, at the centres of triangles."""
    centre = shape_at_centre(fields.x)
    velocity = shape_at_centre(fields.flow)
    size = numpy.ptp(fields.x.reshape(-1, 2), axis=0).max() / 25
    cells = numpy.unique(numpy.floor(centre / size).astype(int), axis=0, return_index=True)[1]
    speed = numpy.linalg.norm(velocity, axis=1)
    if speed.max() == 0:
        return False
    cells = cells[speed[cells] > 1e-3 * speed.max()]
    axes.quiver(*centre[cells].T, *velocity[cells].T, color=INK, width=0.0025, pivot="mid",
                angles="xy", scale_units="xy", scale=speed.max() / (1.6 * size))
    return True


def shape_at_centre(value):
    return sablier_io.shape(numpy.array([1 / 3]), numpy.array([1 / 3]))[0] @ value


def parse_slice(text):
    """x=0.5, or px,py,pz:nx,ny,nz: a point of the plane and its normal."""
    axis, equal, value = text.partition("=")
    try:
        if equal and axis in ("x", "y", "z"):
            normal = numpy.eye(3)["xyz".index(axis)]
            return float(value) * normal, normal
        point, normal = (numpy.array([float(v) for v in part.split(",")])
                         for part in text.split(":"))
        if len(point) == len(normal) == 3:
            return point, normal
    except ValueError:
        pass
    raise Failure(f"--slice {text}: give x=0.5, or a point and a normal as 0,0,0:1,-1,0")


def find_fields(options):
    """What is to be drawn: plane triangles, or triangles in space."""
    if options.wall is not None:
        return sablier_io.Wall(options.result, options.wall)
    fields = sablier_io.Fields(options.result, options.index)
    if options.mirror and fields.geometry != "axisymmetric":
        raise Failure("--mirror is for results with geometry: axisymmetric")
    if options.slice is not None and fields.geometry != "space":
        raise Failure("--slice is for results with geometry: space")
    if fields.geometry == "space":
        return fields.slice(*parse_slice(options.slice)) if options.slice else fields.surface()
    return fields.mirrored() if options.mirror else fields


def label_of(name):
    return LABEL.get(name, name.replace("_", " ", 1))


def title_of(options):
    if options.title is not None:
        return options.title
    return sablier_io.summary(options.result).get("title", "")


def draw_surface(options, fields, name):
    """Triangles in space, seen from outside: those that look away are left out."""
    from mpl_toolkits.mplot3d.art3d import Poly3DCollection

    where, value = fields.scalar(name)
    norm, extend = colour_range(fields, where, value, options)
    parts = max(1, min(SMALL, int((MANY / 10 / len(fields.x)) ** 0.5)))
    shapes, small = fields.refine(parts)
    place = (shapes @ fields.x).reshape(-1, 3)[small]
    shade = numpy.repeat(value, parts * parts) if where == "cell" else \
        numpy.ravel(value @ shapes.T)[small].mean(axis=1)
    elevation, turn = numpy.radians(options.view)
    eye = numpy.array([numpy.cos(elevation) * numpy.cos(turn),
                       numpy.cos(elevation) * numpy.sin(turn), numpy.sin(elevation)])
    normal = numpy.cross(place[:, 1] - place[:, 0], place[:, 2] - place[:, 0])
    seen = normal @ eye > 0 if options.wall is None else numpy.ones(len(place), dtype=bool)
    low, high = place.reshape(-1, 3).min(axis=0), place.reshape(-1, 3).max(axis=0)
    size = numpy.maximum(high - low, 0.02 * (high - low).max())

    figure = pyplot.figure(figsize=(5.6, 4.8))
    axes = figure.add_subplot(projection="3d", proj_type="ortho")
    colour = pyplot.get_cmap(options.colours)(norm(shade[seen]))
    axes.add_collection3d(Poly3DCollection(place[seen], facecolors=colour, edgecolors=colour,
                                           linewidths=0.3))
    axes.view_init(*options.view)
    axes.set_box_aspect(size)
    for i, axis in enumerate("xyz"):
        getattr(axes, f"set_{axis}lim")(low[i] - 0.01 * size[i], high[i] + 0.01 * size[i])
        getattr(axes, f"set_{axis}label")(f"${axis}$")
        getattr(axes, f"{axis}axis").set_major_locator(
            pyplot.MaxNLocator(4) if high[i] - low[i] > 0.02 * size.max() else pyplot.NullLocator())
    figure.colorbar(pyplot.cm.ScalarMappable(norm, options.colours), ax=axes, extend=extend,
                    shrink=0.7, pad=0.12, label=label_of(name))
    axes.set_title(title_of(options))
    sablier_io.save(figure, options.picture, options.dpi, options.colours)
    print(f"{options.picture}: {name} of {fields.path}, {value.min():g} to {value.max():g}")


def draw(options):
    sablier_io.check_picture(options.picture)
    fields = find_fields(options)
    name = options.field or ("normal" if options.wall is not None else "speed")
    name = "speed" if name == "velocity" else name
    if fields.x.shape[2] == 3:
        draw_surface(options, fields, name)
        return
    where, value = fields.scalar(name)
    parts = max(1, min(SMALL, int((MANY / len(fields.x)) ** 0.5)))
    shapes, small = fields.refine(parts)
    place = (shapes @ fields.x).reshape(-1, 2)
    mesh = Triangulation(*place.T, small)
    low, high = place.min(axis=0), place.max(axis=0)
    wide, tall = high - low

    width = min(6.4, 5.4 * max(0.6, (wide / tall) ** 0.5)) if wide > tall else 4.8
    height = min(0.8 * width * tall / wide, 6.0)
    figure, axes = pyplot.subplots(figsize=(width, height + 0.95), layout="constrained")
    norm, extend = colour_range(fields, where, value, options)
    if where == "cell":
        picture = axes.tripcolor(mesh, facecolors=numpy.repeat(value, parts * parts),
                                 norm=norm, cmap=options.colours, rasterized=True)
    else:
        picture = axes.tripcolor(mesh, numpy.ravel(value @ shapes.T), norm=norm,
                                 cmap=options.colours, shading="gouraud", rasterized=True)
    bar = figure.colorbar(picture, cax=axes.inset_axes([1.03, 0, 0.2 / width, 1]), extend=extend)
    bar.set_label(label_of(name))
    legend = []

    rigid = numpy.zeros(len(fields.x), dtype=bool)
    if "yielded" in fields.cell and options.rigid != "off":
        rigid = fields.cell["yielded"] < 0.5
    if rigid.any():
        legend.append(draw_rigid(axes, mesh, numpy.repeat(rigid, parts * parts), options.rigid))
    draw_outline(axes, fields, rigid)

    flow = options.flow
    if flow == "streamlines" and not draw_streamlines(axes, mesh, fields, shapes, options.lines):
        flow = "arrows"
    if flow == "arrows" and not draw_arrows(axes, fields):
        flow = "none"
    if flow != "none":
        legend.append(Line2D([], [], color=INK, linewidth=0.6,
                             label="streamlines" if flow == "streamlines" else "velocity",
                             marker=None if flow == "streamlines" else ">", markersize=4))
    if legend:
        axes.legend(handles=legend, loc="upper center", bbox_to_anchor=(0.5, -0.5 / height),
                    ncols=2, frameon=False)

    axes.set_aspect("equal")
    axes.set_xlim(low[0] - 0.01 * wide, high[0] + 0.01 * wide)
    axes.set_ylim(low[1] - 0.01 * tall, high[1] + 0.01 * tall)
    axes.set_xlabel(f"${fields.axes[0]}$")
    axes.set_ylabel(f"${fields.axes[1]}$")
    for side in axes.spines.values():
        side.set_visible(False)
    axes.set_title(title_of(options))
    sablier_io.save(figure, options.picture, options.dpi, options.colours)
    print(f"{options.picture}: {name} of {fields.path}, {value.min():g} to {value.max():g}")


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("result", help="result directory of `sablier run`")
    parser.add_argument("picture", help=".png, .pdf or .svg to write")
    parser.add_argument("--field", metavar="NAME",
                        help="speed, shear_rate, pressure, velocity_x, stress_XY, ... (an unknown "
                             "name lists them all); default speed, of a wall normal")
    parser.add_argument("--mirror", action="store_true",
                        help="axisymmetric: both halves of the meridian section")
    parser.add_argument("--slice", metavar="PLANE",
                        help="in space: x=0.5, or a point and a normal as 0,0,0:1,-1,0; default: "
                             "the surface of the domain")
    parser.add_argument("--wall", metavar="NAME",
                        help="in space: the stress of the traction probe of that name")
    parser.add_argument("--view", type=float, nargs=2, default=(25, -60),
                        metavar=("ELEVATION", "TURN"), help="of a surface, in degrees")
    parser.add_argument("--range", type=float, nargs=2, metavar=("LOW", "HIGH"),
                        help="of the colours; default: all but the extreme 1 %% of the area")
    parser.add_argument("--log", action="store_true", help="logarithmic colours")
    parser.add_argument("--flow", choices=("streamlines", "arrows", "none"), default="streamlines")
    parser.add_argument("--lines", type=int, default=12, help="streamlines; default %(default)s")
    parser.add_argument("--rigid", choices=("grey", "hatch", "off"), default="grey",
                        help="how unyielded zones are shown; default %(default)s")
    parser.add_argument("--colours", default="viridis", metavar="MAP", help="of Matplotlib")
    parser.add_argument("--title", help="default: that of the case")
    parser.add_argument("--index", type=int, default=-1, help="which time; default: the last")
    parser.add_argument("--dpi", type=int, default=150)
    options = parser.parse_args()
    if options.colours not in pyplot.colormaps():
        raise Failure(f"Matplotlib has no colours '{options.colours}'")
    draw(options)


if __name__ == "__main__":
    sablier_io.run(main)
