# SPDX-License-Identifier: GPL-3.0-or-later
"""Grains of a result: points with a radius, and the contacts between them.

    grains = sablier.Grains("out/grain-column")
    grains.x, grains.radius, grains.scalar("speed")      # numpy, a row per grain
    lines, force = grains.contacts()                     # with output.contacts: true
    corners, data = grains.walls()                       # segments, in space triangles
"""
import os

import numpy

from .fields import frames
from .files import Failure, check_result, summary


def has_grains(directory):
    """Is it a result of rigid grains, not of a continuum?"""
    check_result(directory)
    return "grains" in summary(directory) or (os.path.exists(os.path.join(directory, "grains.pvd")) and
                                              not os.path.exists(os.path.join(directory, "fields.pvd")))


def read(path):
    import meshio

    try:
        return meshio.read(path)
    except (Exception, SystemExit) as problem:  # meshio ends the program on some files
        raise Failure(f"cannot read '{path}': {problem}") from problem


def is_empty(path):
    """No cells, which meshio cannot read."""
    with open(path, "rb") as file:
        return b'NumberOfCells="0"' in file.read(2000)


class Grains:
    """The grains of one time: the last of grains.pvd, or number `index` of it.

    x        [grains][dimension]
    radius   [grains]                        of ellipses the larger semi-axis; None of the points that carry a surface
    axes     [grains][3]                     semi-axes of ellipses along their own x and y; None if all are round
    angle    [grains]                        of their own x with that of the room, in degrees; None in space
    data     {name: [grains](, components)}  velocity, spin, orientation, mass, id, pressure
    """

    def __init__(self, directory, index=-1):
        there = frames(directory, "grains")
        if not -len(there) <= index < len(there):
            raise Failure(f"'{directory}/grains.pvd' has {len(there)} times, there is no number {index}")
        self.path, self.time = there[index]
        self.dimension = 3 if summary(directory).get("geometry") == "space" else 2
        mesh = read(self.path)
        self.x = mesh.points[:, :self.dimension]
        self.data = {name: value.squeeze(axis=1) if value.shape[1:] == (1,) else value
                     for name, value in mesh.point_data.items()}
        self.radius = self.data.get("radius")
        self.axes = self.data.get("axes")
        turn = self.data.get("orientation") if self.dimension == 2 else None
        self.angle = None if turn is None else numpy.degrees(2 * numpy.arctan2(turn[:, 3], turn[:, 0]))

    def names(self):
        return ["speed"] + ["turning"] * ("spin" in self.data) + [n for n, v in self.data.items() if v.ndim == 1] + \
            [f"velocity_{a}" for a in "xyz"[:self.dimension]]

    def scalar(self, name):
        """A number of each grain; of a vector its length."""
        name = {"velocity": "speed", "spin": "turning"}.get(name, name)
        if name not in self.names():
            raise Failure(f"grains have no '{name}'; they have: {', '.join(self.names())}")
        if name in ("speed", "turning"):
            return numpy.linalg.norm(self.data["velocity" if name == "speed" else "spin"], axis=1)
        if name.startswith("velocity_"):
            return self.data["velocity"][:, "xyz".index(name[-1])]
        return self.data[name]

    def beside(self, name, kind):
        """Cells of contacts_NNNN.vtu or walls_NNNN.vtu of the same time: [cells][corners][dimension], {array: values}."""
        path = os.path.join(os.path.dirname(self.path), os.path.basename(self.path).replace("grains_", name + "_"))
        mesh = read(path) if os.path.exists(path) and not is_empty(path) else None
        if mesh is None or kind not in mesh.cells_dict:
            return numpy.zeros((0, 2 if kind == "line" else 3, self.dimension)), {}
        data = {key: value[kind] for key, value in mesh.cell_data_dict.items()}
        return mesh.points[mesh.cells_dict[kind]][:, :, :self.dimension], \
            {key: value.squeeze(axis=1) if value.shape[1:] == (1,) else value for key, value in data.items()}

    def contacts(self):
        """([contacts][2][dimension] ends of lines, [contacts] sizes of forces); empty if they were not written."""
        lines, data = self.beside("contacts", "line")
        return lines, data.get("force_magnitude", numpy.zeros(0))

    def walls(self):
        """([cells][corners][dimension] of segments, in space triangles, {wall, force, velocity} of each)."""
        return self.beside("walls", "line" if self.dimension == 2 else "triangle")
