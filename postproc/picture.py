#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Draw a field of a result: colours, streamlines or arrows, and the zones that do not yield.

    postproc/picture.py out/cavity cavity.png --field shear_rate
    postproc/picture.py out/silo silo.pdf --style paper --mirror       both halves of a section
    postproc/picture.py out/silo-space cut.png --slice x=0             a run in space: a slice,
    postproc/picture.py out/silo-space body.png --view 20 -60          its surface,
    postproc/picture.py out/silo-space wall.png --wall side --field normal    or the load of a wall
    postproc/picture.py out/grain-column column.png --field pressure   grains, and the forces between them

Streamlines are lines of equal stream function where there is one, and trajectories where the flow changes its
volume. The rim of what does not yield is smooth, and encloses as much area as the law points that do not flow. Where a
surface moves, the grains that carry it are drawn, and nothing where there are none.
"""
import argparse

import sablier
from sablier import pictures, style


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("result", help="result directory of `sablier run`")
    parser.add_argument("picture", help=".png, .pdf or .svg to write")
    pictures.arguments(parser)
    parser.add_argument("--index", type=int, default=-1, help="which time; default: the last")
    style.arguments(parser)
    options = parser.parse_args()
    sablier.check_picture(options.picture)
    picture = pictures.of(options.result, options, style.use(options))
    fields = picture.fields(options.index)
    bounds = picture.range_of(fields)
    figure = picture.figure(fields, picture.norm([bounds]), index=options.index)
    sablier.save(figure, options.picture, options.dpi, options.colours)
    print(f"{options.picture}: {picture.name} of {fields.path}, {bounds[2]:g} to {bounds[3]:g}")


if __name__ == "__main__":
    sablier.script(main)
