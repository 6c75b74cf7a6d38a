#!/usr/bin/pvpython
# SPDX-License-Identifier: GPL-3.0-or-later
"""Draw a field of a result with ParaView: the same file that you open there.

    xvfb-run -a pvpython postproc/paraview_picture.py out/cavity cavity.png --field shear_rate

Needs the packages paraview, python3-paraview, xvfb and xauth; without a display, pvpython must run
under xvfb-run. Quadratic triangles are subdivided twice (nonlinear subdivision level), or they are
drawn flat. Vectors are coloured by magnitude, unyielded triangles are outlined.
"""
import argparse
import os
import sys


class Failure(Exception):
    """A sentence for the user."""


def arguments():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("result", help="result directory of `sablier run`")
    parser.add_argument("picture", help=".png to write")
    parser.add_argument("--field", default="velocity", metavar="NAME",
                        help="an array of the file (an unknown name lists them); "
                             "default %(default)s")
    parser.add_argument("--component", metavar="C", help="X, Y, XX, XY, ...; default: magnitude")
    parser.add_argument("--range", type=float, nargs=2, metavar=("LOW", "HIGH"),
                        help="of the colours; default: that of the field")
    parser.add_argument("--edges", action="store_true", help="draw the triangles")
    parser.add_argument("--width", type=int, default=900, help="of the picture, in pixels")
    options = parser.parse_args()
    if not os.path.isdir(options.result):
        raise Failure(f"there is no directory '{options.result}'")
    if not os.path.isfile(os.path.join(options.result, "fields.pvd")):
        raise Failure(f"'{options.result}' holds no result: fields.pvd is missing")
    if not os.path.isdir(os.path.dirname(options.picture) or "."):
        raise Failure(f"there is no directory for '{options.picture}'")
    if not os.environ.get("DISPLAY"):  # ParaView would end with a segmentation fault
        raise Failure("there is no display: run it by `xvfb-run -a pvpython ...`")
    return options


def find_array(source, name):
    """("POINTS" or "CELLS", array information) of a field."""
    for where, arrays in (("POINTS", source.PointData), ("CELLS", source.CellData)):
        for array in arrays:
            if array.GetName() == name:
                return where, array
    names = [a.GetName() for arrays in (source.PointData, source.CellData) for a in arrays]
    raise Failure(f"there is no field '{name}'; there are: {', '.join(names)}")


def draw(options):
    from paraview import simple

    simple._DisableFirstRenderCameraReset()
    source = simple.OpenDataFile(os.path.join(options.result, "fields.pvd"))
    times = list(source.TimestepValues or [])
    source.UpdatePipeline(times[-1]) if times else source.UpdatePipeline()
    if source.GetDataInformation().GetNumberOfCells() == 0:
        raise Failure("ParaView sees no cells")
    where, array = find_array(source, options.field)
    components = [array.GetComponentName(i) for i in range(array.GetNumberOfComponents())]
    if options.component and options.component not in components:
        raise Failure(f"'{options.field}' has no component '{options.component}'; "
                      f"it has: {', '.join(components)}")

    left, right, low, high, _, _ = source.GetDataInformation().GetBounds()
    view = simple.CreateView("RenderView")
    view.ViewTime = times[-1] if times else 0.0
    view.Background = [1, 1, 1]
    view.UseColorPaletteForBackground = 0
    view.OrientationAxesVisibility = 0
    wide, tall = right - left, high - low
    view.ViewSize = [options.width, int(options.width * min(2, max(0.3, 0.85 * tall / wide)))]
    display = simple.Show(source, view)
    display.Representation = "Surface With Edges" if options.edges else "Surface"
    display.NonlinearSubdivisionLevel = 2
    display.Ambient, display.Diffuse, display.Specular = 1.0, 0.0, 0.0  # colours as in the bar
    simple.ColorBy(display, (where, options.field, options.component or "Magnitude"))
    colours = simple.GetColorTransferFunction(options.field)
    colours.ApplyPreset("Viridis (matplotlib)", True)
    if options.range:
        colours.RescaleTransferFunction(*options.range)
    else:
        display.RescaleTransferFunctionToDataRange(False, True)
    bar = simple.GetScalarBar(colours, view)
    bar.Title, bar.ComponentTitle = options.field.replace("_", " "), options.component or ""
    bar.TitleColor = bar.LabelColor = [0, 0, 0]
    bar.WindowLocation = "Any Location"
    bar.Position, bar.ScalarBarLength = [0.87, 0.15], 0.7
    display.SetScalarBarVisibility(view, True)

    # the border of what does not yield
    if any(a.GetName() == "yielded" for a in source.CellData):
        rigid = simple.Threshold(Input=source, Scalars=["CELLS", "yielded"],
                                 ThresholdMethod="Below Lower Threshold", LowerThreshold=0.499)
        rigid.UpdatePipeline(view.ViewTime)
        if rigid.GetDataInformation().GetNumberOfCells() > 0:
            joined = simple.CleantoGrid(Input=rigid)  # the file has six points per triangle
            border = simple.FeatureEdges(Input=simple.ExtractSurface(
                Input=joined, NonlinearSubdivisionLevel=2), FeatureEdges=0, NonManifoldEdges=0)
            line = simple.Show(border, view)
            line.ColorArrayName = [None, ""]
            line.AmbientColor = line.DiffuseColor = [1, 1, 1]
            line.LineWidth = 2

    view.CameraParallelProjection = 1
    centre = [(left + right) / 2 + 0.09 * wide, (low + high) / 2, 0]
    view.CameraFocalPoint = centre
    view.CameraPosition = [centre[0], centre[1], 10 * max(wide, tall)]
    view.CameraViewUp = [0, 1, 0]
    view.CameraParallelScale = 0.53 * max(tall, 1.2 * wide * view.ViewSize[1] / view.ViewSize[0])
    simple.SaveScreenshot(options.picture, view)
    print(f"{options.picture}: {options.field} of {options.result}")


if __name__ == "__main__":
    try:
        draw(arguments())
    except Failure as problem:
        print(f"paraview_picture.py: error: {problem}", file=sys.stderr)
        sys.exit(1)
