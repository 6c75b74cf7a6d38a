#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""A film of a run: every frame of fields.pvd as picture.py draws it, with the same colours in all of them.

    postproc/movie.py out/column column.gif                          a surface that moves, with its grains
    postproc/movie.py out/silo silo.mp4 --field shear_rate           .mp4 needs ffmpeg, .gif nothing
    postproc/movie.py out/silo-space cut.gif --slice y=0             a run in space
    postproc/movie.py out/cylinder cylinder.gif                      one frame: points that go with the flow

A run with one frame, as a creeping flow has, is shown by points that are carried along; their time is that of the case.
`output.every` in the case says how many frames there are.
"""
import argparse
import os
import shutil
import subprocess

import numpy

import sablier
from sablier import pictures, style
from sablier.section import Section, direction
from sablier.style import INK, pyplot

POINTS = 350
LIFE = 40       # frames that a point lives before it starts again: the film of a steady flow


class Tracers:
    """Points that go with a steady flow: place [points][2] in pixels of its raster. They live for a while, so that they stay
    spread over the domain; the last frame is followed by the first."""

    def __init__(self, section):
        self.section = section
        self.step, self.flow = section.raster()
        speed = numpy.linalg.norm(self.flow, axis=2)
        self.fast = numpy.nanquantile(speed, 0.98)
        rows, columns = numpy.nonzero(numpy.isfinite(speed))
        chance = numpy.random.default_rng(1)
        chosen = chance.choice(len(rows), min(POINTS, len(rows)), replace=False)
        self.seed = numpy.stack([columns[chosen], rows[chosen]], axis=1) + 0.0
        self.birth = chance.integers(0, LIFE, len(chosen))
        # a point crosses 1/60 of the domain in a frame where it is fast
        self.dt = max(self.flow.shape[:2]) / 60 * self.step / self.fast if self.fast > 0 else 0.0

    def places(self, frame):
        """Of those that are in the domain at this frame."""
        age = (frame + self.birth) % LIFE
        place = self.seed.copy()
        for n in range(age.max()):
            place = numpy.where((age > n)[:, None], self.move(place), place)
        return self.section.low + self.step * place[numpy.isfinite(place).all(axis=1)]

    def move(self, place, parts=4):
        for _ in range(parts):
            ahead = place + 0.5 * self.way(place) * self.dt / parts / self.step
            place = place + self.way(ahead) * self.dt / parts / self.step
        return place

    def way(self, place):
        """The velocity, nan outside; where nothing moves it is zero."""
        along = direction(self.flow, place, -1.0)
        pixel = numpy.nan_to_num(numpy.round(place)).astype(int)
        rows, columns = self.flow.shape[:2]
        speed = numpy.linalg.norm(self.flow[pixel[:, 1].clip(0, rows - 1), pixel[:, 0].clip(0, columns - 1)], axis=1)
        return along * numpy.nan_to_num(speed)[:, None]


def image(figure, dpi):
    """A figure as an array of RGB."""
    figure.set_dpi(dpi)
    figure.canvas.draw()
    pixels = numpy.asarray(figure.canvas.buffer_rgba())[:, :, :3].copy()
    pyplot.close(figure)
    return pixels


def images(picture, options):
    """All of the film, one after the other."""
    there = [time for _, time in picture.frames()]
    if len(there) == 1 and not sablier.has_grains(options.result):
        yield from steady(picture, options)
        return
    chosen = range(0, len(there), options.skip)
    colours = picture.norm([picture.range_of(picture.fields(i)) for i in chosen])
    for i in chosen:
        yield image(picture.figure(picture.fields(i), colours, there[i], i, film=lambda *_: None), options.dpi)


def steady(picture, options):
    fields = picture.fields(0)
    if fields.x.shape[2] == 3:
        raise sablier.Failure("a steady flow in space: give a --slice")
    if options.flow is None:
        options.flow = "none"
    colours = picture.norm([picture.range_of(fields)])
    tracers = Tracers(Section(fields))
    for frame in range(0, LIFE if tracers.dt else 1, options.skip):
        def film(axes, section, frame=frame):
            axes.scatter(*tracers.places(frame).T, s=5 * picture.style.scale, c="white", edgecolors=INK, linewidths=0.4,
                         zorder=3)

        # places are in units of the axes, velocities in those of the case
        yield image(picture.figure(fields, colours, frame * tracers.dt / picture.units.factor("length"), film=film),
                    options.dpi)


def write_gif(path, pictures_, fps):
    from PIL import Image

    first = None
    rest = []
    for pixels in pictures_:
        one = Image.fromarray(pixels)
        if first is None:
            first = one.quantize(255, dither=Image.Dither.NONE)
        else:  # with the colours of the first, so that still parts stay as they are
            rest.append(one.quantize(palette=first, dither=Image.Dither.NONE))
    first.save(path, save_all=True, append_images=rest, duration=round(1000 / fps), loop=0, optimize=False)
    return 1 + len(rest)


def write_mp4(path, pictures_, fps):
    if shutil.which("ffmpeg") is None:
        raise sablier.Failure("there is no ffmpeg for .mp4; a .gif needs none")
    process, count = None, 0
    for pixels in pictures_:
        pixels = pixels[:pixels.shape[0] // 2 * 2, :pixels.shape[1] // 2 * 2]  # the codec wants even sizes
        if process is None:
            process = subprocess.Popen(
                ["ffmpeg", "-y", "-loglevel", "error", "-f", "rawvideo", "-pix_fmt", "rgb24", "-s",
                 f"{pixels.shape[1]}x{pixels.shape[0]}", "-r", str(fps), "-i", "-", "-pix_fmt", "yuv420p", path],
                stdin=subprocess.PIPE)
        process.stdin.write(numpy.ascontiguousarray(pixels).tobytes())
        count += 1
    process.stdin.close()
    if process.wait() != 0:
        raise sablier.Failure(f"ffmpeg could not write '{path}'")
    return count


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("result", help="result directory of `sablier run`")
    parser.add_argument("film", help=".gif or .mp4 to write")
    pictures.arguments(parser)
    parser.add_argument("--fps", type=float, default=10, help="frames per second; default %(default)s")
    parser.add_argument("--skip", type=int, default=1, metavar="N", help="every Nth frame only")
    style.arguments(parser)
    parser.set_defaults(dpi=80)
    options = parser.parse_args()
    if not options.film.lower().endswith((".gif", ".mp4")):
        raise sablier.Failure(f"'{options.film}' is no film: end its name in .gif or .mp4")
    if not os.path.isdir(os.path.dirname(options.film) or "."):
        raise sablier.Failure(f"there is no directory '{os.path.dirname(options.film)}' for the film")
    if not 0 < options.fps <= 100 or options.skip < 1:
        raise sablier.Failure("--fps is between 0 and 100, --skip at least 1")
    if options.wall is not None:
        raise sablier.Failure("--wall: the load of a wall is a mean over time, there is no film of it")
    picture = pictures.of(options.result, options, style.use(options))
    write = write_gif if options.film.lower().endswith(".gif") else write_mp4
    try:
        count = write(options.film, images(picture, options), options.fps)
    except OSError as problem:
        raise sablier.Failure(f"cannot write '{options.film}': {problem.strerror}") from problem
    print(f"{options.film}: {count} frames, {picture.name} of {options.result}")


if __name__ == "__main__":
    sablier.script(main)
