#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Broken input: each row must give its exit code and its message, and write nothing.

    test_bad_input.py SABLIER [-v]

A case is the good one below with a few edits; the sign § shows where the message must point. With -v
every message is printed, to be read as a user would. Last line: N passed, N failed.
"""
import concurrent.futures
import dataclasses
import os
import shutil
import subprocess
import sys
import tempfile

from harness import MARK, MESHES, Program, Suite, difference, edit, leftovers, marked, snapshot, write

GOOD = f"""\
title: Box of grains
geometry: plane
mesh:
  file: {MESHES}/box.geo
  parameters: {{h: 0.5}}
material:
  friction: 0.5
  reynolds: 1
gravity: [0, -1]
boundaries:
  top:    {{traction: 0}}
  side:   {{velocity: [0, 0]}}
  bottom: {{velocity: [0, 0]}}
solver: {{tolerance: 0.1}}
"""
MESH = f"  file: {MESHES}/box.geo\n  parameters: {{h: 0.5}}\n"
with open(os.path.join(MESHES, "box.geo")) as stream:
    GEO = stream.read()
MSH = """\
$MeshFormat
2.2 0 8
$EndMeshFormat
$PhysicalNames
4
1 1 "bottom"
1 2 "side"
1 3 "top"
2 4 "domain"
$EndPhysicalNames
$Nodes
4
1 0 0 0
2 1 0 0
3 1 1 0
4 0 1 0
$EndNodes
$Elements
6
1 1 2 1 1 1 2
2 1 2 2 2 2 3
3 1 2 3 3 3 4
4 1 2 2 4 4 1
5 2 2 4 1 1 2 3
6 2 2 4 1 1 3 4
$EndElements
"""


@dataclasses.dataclass
class Row:
    name: str
    expect: str  # in standard error
    case: object = GOOD  # text of c/case.yaml; None: no such file
    args: tuple = ("run", "c", "-o", "result")
    code: int = 3
    files: dict = dataclasses.field(default_factory=dict)
    start: str = "error: "  # of standard error, unless the case has a mark


def case(name, old, new, expect):
    """A case with one edit."""
    return Row(name, expect, edit(GOOD, (old, new)))


def friction(value, expect):
    return case(f"friction: {value}", "friction: 0.5", f"friction: §{value}", expect)


def solver(text, expect):
    return case(f"solver: {{{text}}}", "tolerance: 0.1", text, expect)


def more(text, expect):
    """A case with further lines of the material."""
    return case(text, "  reynolds: 1\n", f"  reynolds: 1\n  {text}\n", expect)


def top(text, expect):
    return case(f"top: {text}", "top:    {traction: 0}", f"top:    {text}", expect)


def probe(text, expect):
    return Row(f"probe {text}", expect, GOOD + f"probes: {{{text}}}\n")


def mesh(name, file, content, expect, parameters=""):
    text = edit(GOOD, (MESH, f"  §file: {file}\n{parameters}"))
    return Row(name, expect, text, files={f"c/{file}": content} if content is not None else {})


def override(text, expect, place="error: --set "):
    return Row(f"--set {text}", expect, args=("run", "c", "-o", "result", "--set", text), start=place)


def usage(name, args, expect):
    return Row(name, expect, args=tuple(args), code=2)


def inertial(text, expect, further=""):
    """A case with time steps."""
    return Row(f"time: {{{text}}} {further}".strip(), expect,
               GOOD + f"time: {{scheme: inertial, {text}}}\n{further}")


def without(lines):
    return edit(GOOD, (lines, ""))


def geometry(name, expect, *edits):
    return Row(f"geometry {name}: {edits[0][1].strip()}", expect,
               edit(GOOD, ("geometry: plane", f"geometry: {name}"), *edits))


SPACE = (("gravity: [0, -1]", "gravity: [0, 0, -1]"), ("side:   {velocity: [0, 0]}", "side:   {velocity: [0, 0, 0]}"),
         ("bottom: {velocity: [0, 0]}", "bottom: {velocity: [0, 0, 0]}"))

KEYS = [
    case("unknown key at the top", "gravity:", "§gravty:",
         "gravty: unknown key; did you mean 'gravity'?"),
    case("unknown nested key", "friction: 0.5", "§frction: 0.5",
         "material.frction: unknown key; did you mean 'friction'?"),
    case("unknown key like no other", "friction: 0.5", "§weight: 0.5",
         "material.weight: unknown key; the keys here are friction, mu_i, dilatancy"),
    case("key in the wrong section", "title: Box", "§tolerance: 0.1\ntitle: Box",
         "tolerance: unknown key; did you mean 'solver.tolerance'?"),
    top("{§veloctiy: [0, 0]}", "boundaries.top.veloctiy: unknown key; did you mean 'velocity'?"),
    case("mesh is a text", f"mesh:\n{MESH}", "mesh: §box.geo\n",
         "mesh: expected a section (name: value), found a value"),
    top("§[0, 0]", "boundaries.top: expected a section (name: value), found a list"),
    case("gravity is a number", "gravity: [0, -1]", "gravity: §-1",
         "gravity: expected a list of components in brackets, found '-1'"),
    case("gravity in space", "gravity: [0, -1]", "gravity: §[0, 0, -1]",
         "gravity: expected 2 components, found 3"),
    case("title is a list", "title: Box of grains", "title: §[a, b]", "title: expected a text"),
    friction("[1, 2]", "expected number, formula or section, found a list"),
    friction("{}", "expected number, formula or section, found an empty section"),
    case("friction is nothing", "friction: 0.5", "friction:§", "found nothing"),
    top("{slip: §yes}", "boundaries.top.slip: expected true or false, found 'yes'"),
    top("{traction: §1}", "'1' is no vector; give 2 components in brackets, or 0"),
    friction("true", "'true' is a boolean, not a number"),
    Row("missing material", "material.friction: missing, and it has no default",
        "§" + without("material:\n  friction: 0.5\n  reynolds: 1\n")),
    Row("missing mesh", "mesh.file: missing, and it has no default", "§" + without("mesh:\n" + MESH)),
    case("missing reynolds", "material:\n  friction: 0.5\n  reynolds: 1\n",
         "§material:\n  friction: 0.5\n", "material.reynolds: missing, and it has no default"),
    Row("missing gravity", "gravity: missing, and it has no default",
        "§" + without("gravity: [0, -1]\n")),
    Row("missing boundaries", "boundaries: missing, and it has no default",
        "§" + GOOD[:GOOD.index("boundaries:")]),
    Row("empty boundaries", "boundaries: has no entry; give one per boundary group",
        GOOD[:GOOD.index("boundaries:")] + "§boundaries: {}\n"),
]

NUMBERS = [
    friction("0,5", "'0,5' has a decimal comma; use a point"),
    case("decimal comma in a list", "gravity: [0, -1]", "gravity: §[0, -0,5]",
         "expected 2 components, found 3 (decimals are written with a point)"),
    solver("tolerance: 0,§1", "solver.1: unknown key; if the comma before it is a decimal one"),
    case("decimal comma of a parameter", "{h: 0.5}", "{h: 0,§5}",
         "mesh.parameters.5: unknown key; if the comma before it is a decimal one"),
    friction("0.5 Pa", "'0.5 Pa' is a stress; expected a pure number"),
    friction("1e400", "'1e400' is too large for a number"),
    friction("1e70", "1e70 is neither 0 nor between 1e-30 and 1e+30 in size"),
    friction("1e-400", "1e-400 is neither 0 nor between 1e-30 and 1e+30 in size"),
    case("a load that vanishes", "gravity: [0, -1]", "gravity: [0, §-1e-250]",
         "-1e-250 is neither 0 nor between 1e-30 and 1e+30 in size"),
    case("a viscosity that vanishes", "  reynolds: 1\n", "  reynolds: §1e250\n",
         "1e250 is neither 0 nor between 1e-30 and 1e+30 in size; choose units in which it is nearer to 1, or write inf"),
    friction("nan", "'nan' is not a finite number"),
    friction("inf", "'inf' is not a finite number"),
    friction("-.inf", "'-.inf' is not a finite number"),
    friction("0x10", "'0x10' is hexadecimal; write a decimal number"),
    solver('tolerance: §"0.1"', "expected a number without quotes, found the text '0.1'"),
    solver("max_iterations: §1.5", "'1.5' is not an integer"),
    solver("max_iterations: §0", "0 is out of range (>= 1)"),
    solver("max_iterations: §99999999999", "'99999999999' is not an integer"),
    solver("tolerance: §0", "solver.tolerance: 0 is out of range (0 < value < 1)"),
    solver("tolerance: §2", "solver.tolerance: 2 is out of range (0 < value < 1)"),
    solver("anderson: §0", "solver.anderson: 0 is out of range (1 <= value <= 50)"),
    more("bulk: §0", "material.bulk: 0 is out of range (0 < value <= 1)"),
    more("bulk: §2", "material.bulk: 2 is out of range (0 < value <= 1)"),
    more("bingham: §-1", "material.bingham: -1 is out of range (>= 0)"),
    more("viscosity: §-1", "material.viscosity: -1 is out of range (> 0)"),
    more("§dilatancy: 0.6", "material.dilatancy: 0.6 is more than the friction coefficient 0.5"),
    case("reynolds: 0", "reynolds: 1", "reynolds: §0", "material.reynolds: 0 is out of range (> 0)"),
    case("reynolds: -1", "reynolds: 1", "reynolds: §-1", "reynolds: -1 is out of range (> 0)"),
    case("reynolds: inf", "reynolds: 1", "§reynolds: inf", "a creeping flow has no scale of velocity"),
    friction("-0.1", "material.friction: -0.1 is out of range (>= 0)"),
    case("angle: 95", "friction: 0.5", "friction: {angle: §95}", "out of range (0 <= value < 90)"),
]

CHOICES = [
    case("geometry: 3d", "geometry: plane", "geometry: §3d",
         "'3d' is none of the choices (plane, axisymmetric, space)"),
    geometry("space", "gravity: expected 3 components, found 2 (decimals are written with a point); "
             "a vector in geometry: space has x, y, z", ("gravity: [", "gravity: §[")),
    geometry("space", "p2 has two spurious pressures per tetrahedron, and locks", ("  parameters", "  §element: p2\n  parameters"),
             *SPACE),
    geometry("space", "the split of tetrahedra leaves weak pressures", ("  parameters", "  §split: alfeld\n  parameters"),
             *SPACE),
    geometry("axisymmetric", "gravity: its radial component must be 0 about an axis", ("gravity: [0,", "§gravity: [0.1,")),
    geometry("axisymmetric", "above sqrt(3)/2 = 0.866 the cone admits tension", ("friction: 0.5", "§friction: 0.9")),
    geometry("axisymmetric", "material.friction.in: missing; outside the plane an angle must say in which motion",
             ("friction: 0.5", "§friction: {angle: 30}")),
    geometry("plane", "there is no compression in the plane",
             ("friction: 0.5", "friction: {angle: 30, §in: compression}")),
    geometry("plane", "r is a coordinate of geometry: axisymmetric, and this one is plane; write sqrt(x^2 + y^2)",
             ("friction: 0.5", "friction: §0.1*r")),
    case("geometry: plnae", "geometry: plane", "geometry: §plnae", "did you mean 'plane'?"),
    solver("method: §agpd", "did you mean 'apgd'?"),
    solver("method: §simplex", "'simplex' is none of the choices (auto, pg,"),
    solver("§method: gs", "gs sweeps over the contacts of grains, and this case has a material; give auto"),
    solver("linear: §pardiso", "'pardiso' is none of the choices (auto, cholmod, mumps, amg)"),
    solver("blr: §1", "solver.blr: 1 is out of range (0 <= value < 1)"),
    solver("linear: cholmod, §blr: 1.0e-6", "cholmod does not compress its factors"),
    solver("§linear: amg, method: dr-aa", "this program was built without PETSc, which amg needs: scripts/setup --petsc"),
    solver("ordering: §scotch", "'scotch' is none of the choices (auto, amd, metis)"),
]

TIME = [
    Row("time.scheme: inertail", "did you mean 'inertial'?",
        GOOD + "time: {scheme: §inertail, step: 0.1, end: 1}\n"),
    Row("time.step missing", "time.step: missing, and it has no default",
        GOOD + "§time: {scheme: inertial, end: 1}\n"),
    Row("time.end missing", "time.end: missing, and it has no default",
        GOOD + "§time: {scheme: inertial, step: 0.1}\n"),
    inertial("step: §0, end: 1", "time.step: 0 is out of range (> 0)"),
    inertial("step: §-0.1, end: 1", "time.step: -0.1 is out of range (> 0)"),
    inertial("step: §small, end: 1", "time.step: 'small' is not a number"),
    inertial("step: 0.1, end: §0", "time.end: 0 is out of range (> 0)"),
    inertial("step: 0.1, end: §inf", "'inf' is not a finite number"),
    inertial("step: 0.1, §end: 0.04", "time.end: 0.04 is not even one step of 0.1"),
    inertial("step: 1.0e-9, §end: 1", "time.end: 1 is 1e+09 steps of 1e-09, more than"),
    inertial("step: 0.1, end: 1, order: §3", "time.order: 3 is out of range (1 <= value <= 2)"),
    inertial("step: 0.1, end: 1, order: §1.5", "time.order: '1.5' is not an integer"),
    inertial("step: 0.1, end: 1, steady: §-1", "time.steady: -1 is out of range (0 <= value < 1)"),
    inertial("step: 0.1, end: 1, steady: §1", "time.steady: 1 is out of range (0 <= value < 1)"),
    inertial("step: 0.1, end: 1, window: §0", "time.window: 0 is out of range (> 0)"),
    inertial("step: 0.1, end: 1, §window: 0.05", "time.window: 0.05 is shorter than a step of 0.1"),
    inertial("step: 0.1, end: 1, max_missed: §-1", "time.max_missed: -1 is out of range (>= 0)"),
    inertial("step: 0.1, end: 1, probe: §[a]", "time.probe: expected a text"),
    inertial("step: 0.1, end: 1, §probe: out",
             "time.probe: no probe of one number is called 'out'; there is none"),
    inertial("step: 0.1, end: 1, §probe: v",
             "time.probe: no probe of one number is called 'v'; there are p, q",
             "probes: {v: {point: [0.5, 0.5]}, p: {flux: top}, q: {flux: side}}\n"),
    inertial("step: 0.1, end: 1, §stop: 3", "time.stop: unknown key; did you mean 'step'?"),
    inertial("step: 0.1, end: 1", "output.every: -1 is out of range (>= 0)", "output: {every: §-1}\n"),
    inertial("step: 0.1, end: 1", "output.checkpoint: -1 is out of range (>= 0)",
             "output: {checkpoint: §-1}\n"),
    inertial("step: 0.1, end: 1", "output.contacts: a flow has no contacts, only a case with `grains` has",
             "output: {§contacts: true}\n"),
    inertial("step: 0.1, end: 1", "initial.velocity: expected 2 components, found 1",
             "initial: {velocity: §[0]}\n"),
    inertial("step: 0.1, end: 1", "initial.velocity: initial.from gives a velocity too, choose one",
             "initial: {§velocity: [0, 0], from: a.sab}\n"),
    inertial("step: 0.1, end: 1", "initial.from: cannot open checkpoint 'c/a.sab': No such file",
             "initial: {§from: a.sab}\n"),
    Row("initial.from: garbage", "initial.from: it does not begin with SABSTATE",
        GOOD + "initial: {§from: a.sab}\n", files={"c/a.sab": 1000 * "x"}),
    Row("initial.from: directory", "it is a directory, not a regular file",
        GOOD + "initial: {§from: .}\n"),
    Row("initial.from: empty text", "initial.from: expected a text, found an empty one",
        GOOD + "initial: {from: §''}\n"),
] + [
    Row(f"{key} of a creeping flow", f"{section}.{key}: only has a meaning with time.scheme: inertial",
        GOOD + f"{section}: {{§{key}: {value}}}\n")
    for section, key, value in [("time", "step", 0.1), ("time", "end", 1), ("time", "order", 1),
                                ("time", "steady", 0.1), ("time", "window", 1), ("time", "probe", "a"),
                                ("time", "max_missed", 1), ("output", "every", 1),
                                ("output", "checkpoint", 1), ("initial", "velocity", "[0, 0]")]
] + [
    Row("--resume of nothing", "--resume: there is no checkpoint in 'result'; start the run without",
        GOOD + "time: {scheme: inertial, step: 0.1, end: 1}\n", code=2,
        args=("run", "c", "-o", "result", "--resume")),
    Row("--resume of a result without checkpoint", "its result cannot be continued",
        GOOD + "time: {scheme: inertial, step: 0.1, end: 1}\n", code=2,
        args=("run", "c", "-o", "result", "--resume"), files={"result/summary.json": "{}\n"}),
    Row("--resume and --force", "--resume and --force exclude each other", code=2,
        args=("run", "c", "-o", "result", "--resume", "--force")),
    Row("--resume from garbage", "--resume: no checkpoint can be used: it does not begin with SABSTATE",
        GOOD + "time: {scheme: inertial, step: 0.1, end: 1}\n",
        args=("run", "c", "-o", "result", "--resume"), files={"result/checkpoint.sab": "x\n"}),
    Row("an unfinished run", "'result' holds a run that has not ended: continue it with --resume", code=2,
        files={"result/checkpoint.sab": "x\n"}),
]

YAML = [
    case("duplicate key", "  reynolds: 1", "  §friction: 1",
         "the key 'friction' is given twice (first in line 7)"),
    case("duplicate section", "geometry: plane", "§title: again", "the key 'title' is given twice"),
    case("tab", "  reynolds: 1", "§\treynolds: 1", "indent with spaces, not with tabs"),
    case("indented too far", "  reynolds: 1", "   reynolds§: 1",
         "is this line indented as those around it?"),
    case("indented too little", "  reynolds: 1", " §reynolds: 1",
         "is this line indented as those around it?"),
    case("open bracket", "gravity: [0, -1]\nboundaries:", "gravity: [0, -1\nboundaries§:",
         "did not find expected ',' or ']'"),
    Row("open quote", "end of stream", GOOD.replace("title: Box", 'title: "Box') + "§"),
    case("alias", "gravity: [0, -1]", "gravity: §*down", "aliases (*name) are not supported"),
    Row("empty file", "the file is empty", "§"),
    Row("only a comment", "the file is empty, or has only comments", "# a comment\n§"),
    Row("two documents", "a second document begins here", GOOD + "§---\n" + GOOD),
    Row("a list", "expected sections (name: value), found a list", "§- a\n- b\n"),
    Row("binary garbage", "control characters are not allowed", bytes(range(256)) * 4,
        start="c/case.yaml:1:1: "),
    Row("Latin 1", "(the text must be UTF-8)", GOOD.replace("Box", "Bo\xeete").encode("latin-1"),
        start="c/case.yaml:1:"),
    Row("deep nesting", "nested too deeply", "a: " + 5000 * "[", start="c/case.yaml:1:"),
    Row("missing case", "none: cannot open: No such file or directory",
        args=("run", "none", "-o", "result")),
    Row("directory without case.yaml", "c/case.yaml: there is no such file in the directory 'c'",
        case=None, files={"c/notes.txt": "x"}),
    Row("case.yaml is a directory", "c/case.yaml: cannot open: it is a directory", case=None,
        files={"c/case.yaml/x": ""}),
]

FORMULAS = [
    friction('"0.5*xx"', "formula '0.5*xx': unknown name 'xx'; did you mean 'x'?"),
    friction('"(0.5*x"', "formula '(0.5*x': Missing parenthesis"),
    friction('"x = 1"', "has an assignment '='"),
    friction('"x, 1"', "has a comma outside parentheses; decimals are written with a point"),
    friction('"x**2"', "a power is written with ^, as in x^2"),
    friction('"2x"', "an operator is missing before 'x' (a product is written 2*x)"),
    friction('"x +"', "formula 'x +': Unexpected end of expression"),
    friction("''", "the formula is empty"),
    friction('"1/0"', "formula '1/0' is infinite"),
    friction('"1/(x-x)"', "formula '1/(x-x)' is infinite at x = 0."),
    friction('"sqrt(0.2-x)"', "formula 'sqrt(0.2-x)' is not a number at x = 0."),
    friction('"shear_rate"', "only material.viscosity may use it"),
    case("velocity 1/x", "side:   {velocity: [0, 0]}", "side:   {velocity: [0, §1/x]}",
         "boundaries.side.velocity: formula '1/x' is infinite at x = 0"),
    top("{traction: [0, §1/(y-1)]}", "boundaries.top.traction: formula '1/(y-1)' is infinite"),
    top("{pressure: §sqrt(x-2)}", "boundaries.top.pressure: formula 'sqrt(x-2)' is not a number"),
    case("gravity sqrt(-x)", "gravity: [0, -1]", "gravity: [§sqrt(-x), -1]",
         "gravity: formula 'sqrt(-x)' is not a number"),
    Row("exact velocity 1/(x-x)", "exact.velocity: formula '1/(x-x)' is infinite",
        GOOD + "exact: {velocity: [§1/(x-x), 0]}\n"),
    Row("exact pressure log(-x)", "exact.pressure: formula 'log(-x)' is not a number",
        GOOD + "exact: {pressure: §log(-x)}\n"),
    case("negative friction", "friction: 0.5", "§friction: x-0.5",
         "material.friction = -0."),
    case("steep angle", "friction: 0.5", "friction: {§angle: 100*x}", "it must be in [0, 90) degrees"),
    more("§dilatancy: x", "it must be between 0 and the friction"),
    more("§bingham: x-0.5", "material.bingham = -0."),
    more("§viscosity: x-0.5", "it must not be negative"),
    more("viscosity: §sqrt(x-0.5)", "material.viscosity: formula 'sqrt(x-0.5)' is not a number"),
    case("negative Reynolds number", "reynolds: 1", "§reynolds: x-0.5", "it must be positive"),
]

BOUNDARIES = [
    case("unknown group", "  top: ", "  §lid: ",
         "boundaries.lid: the mesh has no such group; it has 'bottom', 'side' and 'top'"),
    case("group without entry", "boundaries:\n  top:    {traction: 0}\n", "§boundaries:\n",
         "group 'top' (number 3) of the mesh has no condition; the groups are 'bottom', 'side' and"),
    case("a group twice", "  top:    {traction: 0}", "  §top:    {traction: 0}\n  3:      {traction: 0}",
         "boundaries.top: the same group as 'boundaries.3'"),
    top("{traction: 0, §over: lid}", "boundaries.top.over: the mesh has no group 'lid'; it has 'bottom'"),
    top("{traction: 0, §over: [side, 3]}", "boundaries.top.over: names the group itself"),
    top("{traction: 0, §over: bottom}",
        "boundaries.top.over: the group has no node in common with 'bottom'; give one that it meets"),
    top("{traction: 0, over: §{side: 1}}",
        "boundaries.top.over: expected a name, or a list of names, found a section"),
    top("{traction: 0, over: [side, §[]]}", "boundaries.top.over: expected a name, found a list"),
    top("{traction: 0, over: §}", "boundaries.top.over: expected a name, or a list of names, found nothing"),
    case("over in a circle", "top:    {traction: 0}\n  side:   {velocity: [0, 0]}",
         "top:    {traction: 0, §over: side}\n  side:   {velocity: [0, 0], over: top}",
         "boundaries.top.over: 'side' is in the end over 'top' as well; one of them must give way"),
    case("two motions", "  top:    {traction: 0}\n  side:   {velocity: [0, 0]}",
         "  top:    {velocity: [1, 0]}\n  §side:   {velocity: [0, 2]}",
         "boundaries.side: moves with (0, 2) at (0, 1), a node that it shares with 'boundaries.top', "
         "which moves with (1, 0); say which one holds there: over: top here, or over: side there"),
    case("velocity and traction", "top:    {", "§top:    {velocity: [0, 0], ",
         "has a velocity without free component, where traction or pressure has no effect"),
    case("velocity and slip", "  top:    {traction: 0}", "  §top:    {velocity: [0, 0], slip: true}",
         "boundaries.top: has velocity and slip"),
    case("traction and pressure", "top:    {", "§top:    {pressure: 1, ",
         "boundaries.top: has traction and pressure"),
    case("an entry that says nothing", "  top:    {traction: 0}", "  §top:    {}",
         "boundaries.top: says nothing; give velocity, wall, slip: true, traction, pressure, inflow or periodic"),
    case("all components free", "  top:    {traction: 0}", "  §top:    {velocity: [free, free]}",
         "boundaries.top: has a velocity with only free components; write traction: 0 instead"),
    Row("nothing holds the material", "boundaries: nothing holds the material",
        GOOD.replace("{velocity: [0, 0]}", "{traction: 0}").replace("boundaries:", "§boundaries:")),
]

PROBES = [
    probe("§f: {flux: lid}", "probes.f: no boundary group 'lid'; there are bottom, side, top"),
    probe("§f: {point: [5, 5]}", "probes.f: (5, 5) lies outside the domain"),
    probe("§f: {line: [[0.5, 0.5], [0.5, 2]], samples: 2}", "(0.5, 2) lies outside the domain"),
    probe("§f: {traction: lid}", "probes.f: no boundary group 'lid'; there are bottom, side, top"),
    probe("§f: {flux: top, force: top}", "is ambiguous; give exactly one of flux, force, point, line, plane, "
          "traction"),
    probe("§f: {}", "does not say what to take; give exactly one of flux, force, point, line"),
    probe("§../f: {flux: top}", "the name of a probe has only letters, digits, _ and -"),
    probe(f"§{300 * 'f'}: {{flux: top}}", "the name has 300 characters, more than 100"),
    probe("f: {flux: top, §samples: 3}", "probes.f.samples: only has a meaning beside 'line' or 'plane' or 'traction'"),
    probe("f: {traction: top, samples: §1}", "probes.f.samples: 1 is out of range"),
    probe("f: {traction: top, §field: stress}", "only has a meaning beside 'point' or 'line'"),
    probe("f: {line: §[[0, 0], [0, 0]]}", "probes.f.line: the two points are the same"),
    probe("f: {line: §[[0, 0], [-0.0, 0]]}", "probes.f.line: the two points are the same"),
    probe("f: {point: [0.5, 0.5], field: §veloctiy}", "did you mean 'velocity'?"),
]

MESHES_ROWS = [
    mesh("missing mesh file", "none.geo", None, "cannot open the mesh file: No such file"),
    Row("mesh is a directory", "cannot open the mesh file: it is a directory",
        edit(GOOD, (MESH, "  §file: dir.geo\n")), files={"c/dir.geo/x": ""}),
    mesh("empty .geo", "a.geo", "", "the mesh file is empty"),
    mesh("empty .msh", "a.msh", "", "the mesh file is empty"),
    mesh("truncated .msh", "a.msh", MSH[:-40], "the mesh file is truncated"),
    mesh(".msh with too few elements", "a.msh", MSH.replace("\n6\n1 1", "\n7\n1 1"), "a.msh"),
    mesh(".geo syntax error", "a.geo", GEO.replace("Line(2) = {2, 3};", "Line(2) = {2, 3;"),
         "line 18: syntax error"),
    mesh("unknown variable in the .geo", "a.geo", GEO.replace("{W, 0, 0, h}", "{WW, 0, 0, h}"),
         "line 14: Unknown variable 'WW'"),
    mesh("Error in the .geo", "a.geo", GEO + 'Error("W is too small");\n', "W is too small"),
    mesh("coincident points", "a.geo", GEO, "Unable to recover the edge", "  parameters: {W: 0}\n"),
    mesh("negative size", "a.geo", GEO, "Wrong mesh element size", "  parameters: {h: -1}\n"),
    mesh("no physical group", "a.geo", GEO[:GEO.index("Physical")],
         'add physical curves to the geometry, such as Physical Curve("wall") = {1, 3};'),
    mesh("no surface", "a.geo", "Point(1) = {0, 0, 0};\n", "the geometry has no surface to mesh"),
    mesh("volumes", "a.geo", GEO + "Extrude {0, 0, 1} {Surface{1};}\n", "the model has volumes"),
    mesh("quadrangles", "a.geo", GEO + "Recombine Surface{1};\n", "remove Recombine"),
    mesh("quadrangles in a .msh", "a.msh", edit(MSH, ("\n6\n1 1", "\n5\n1 1"), (
        "5 2 2 4 1 1 2 3\n6 2 2 4 1 1 3 4\n", "5 3 2 4 1 1 2 3 4\n")), "has quadrangles"),
    mesh("parameters of a .msh", "a.msh", MSH, "are for .geo files: a .msh is fixed",
         "  parameters: {h: 0.5}\n"),
    mesh("inverted element", "a.msh", edit(MSH, ("\n4\n1 0", "\n9\n1 0"), (
        "$EndNodes", "5 0.5 0.9 0\n6 1 0.5 0\n7 0.5 0.5 0\n8 0.5 1 0\n9 0 0.5 0\n$EndNodes"), (
        "5 2 2 4 1 1 2 3\n6 2 2 4 1 1 3 4", "5 9 2 4 1 1 2 3 5 6 7\n6 9 2 4 1 1 3 4 7 8 9")),
         "triangle 1 of 2, near"),
    mesh("two triangles in one place", "a.msh", MSH.replace("1 1 3 4", "1 1 2 4"), "1 and 2 overlap"),
    mesh("a node that is missing", "a.msh", MSH.replace("1 1 3 4", "1 1 3 9"), "9"),
    mesh("not in the plane", "a.msh", MSH.replace("2 1 0 0\n", "2 1 0 1\n"), "not in the plane z = 0"),
    mesh(".stl", "a.stl", "solid a\nendsolid a\n", "the unknown extension '.stl'"),
    mesh("a .geo called .msh", "a.msh", GEO, "this is no Gmsh mesh"),
    Row("Exit in a .geo", "ended the program", edit(GOOD, (MESH, "  file: a.geo\n")),
        files={"c/a.geo": GEO + "Exit;\n"}),
    case("unknown parameter", "{h: 0.5}", "{size: 0.5}", "has no parameter 'size'"),
    case("unknown parameter lists those there are", "{h: 0.5}", "{hh: 0.5}", "it defines: W, H, h"),
]
for row in MESHES_ROWS[-2:]:
    row.start = "c/case.yaml:"

OVERRIDES = [
    override("solver.tolerence=1e-3", "solver.tolerence: unknown key; did you mean 'tolerance'?"),
    override("solver.tolerance", "solver.tolerance: give a key and a value: key.path=value"),
    override("=3", "=3: give a key and a value: key.path=value"),
    override("solver..tolerance=3", "a key is a path such as solver.tolerance"),
    override("solver.tolerance=small", "solver.tolerance: 'small' is not a number"),
    override("solver.tolerance=", "solver.tolerance: expected a number, found nothing"),
    override("material.friction=0,5", "material.friction: '0,5' has a decimal comma; use a point"),
    override("material.friction=x-0.5", "material.friction = -0."),
    override("boundaries.lid={traction: 0}", "boundaries.lid: the mesh has no such group"),
    override("probes.far={point: [5, 5]}", "probes.far: (5, 5) lies outside the domain"),
    override("gravity=[0, -1", "gravity: did not find expected ',' or ']'"),
    override("solver=3", "solver: expected a section (name: value), found a value"),
    Row("check with a bad --set", "--set material.friction: -1 is out of range (>= 0)",
        args=("check", "c", "--set", "material.friction=-1")),
]

USAGE = [
    Row("no command", "usage:", args=(), code=2, start="sablier "),
    usage("unknown command", ["rnu", "c"], "unknown command 'rnu'; did you mean 'run'?"),
    usage("unknown command like no other", ["simulate"], "unknown command 'simulate' (see"),
    usage("unknown option", ["run", "c", "--ouput", "x"], "did you mean '--output'?"),
    usage("option of another command", ["check", "c", "--force"], "unknown option '--force'"),
    usage("missing argument", ["run"], "usage: sablier run CASE"),
    usage("empty argument", ["run", ""], "run: its argument is empty"),
    usage("missing value", ["run", "c", "-o"], "option '-o' needs DIR"),
    usage("empty value", ["run", "c", "-o", ""], "option '-o' needs DIR"),
    usage("value of a flag", ["run", "c", "--force=1"], "option '--force' takes no value"),
    usage("two cases", ["run", "c", "d"], "run takes one argument, but got 'c' and 'd'"),
    usage("argument of keys", ["keys", "solver", "mesh"], "keys takes one argument, but got 'solver' and 'mesh'"),
    usage("-q and -v", ["run", "c", "-q", "-v"], "-q and -v exclude each other"),
    usage("--threads 0", ["run", "c", "--threads", "0"], "--threads: 0 is not between 1 and 1024"),
    usage("--threads x", ["run", "c", "--threads", "x"], "--threads: 'x' is not a whole number"),
    usage("--resume", ["run", "c", "--resume"], "--resume: a creeping flow is one solve"),
    usage("long path", ["run", "c", "-o", 5000 * "d"], "path of the output directory is too long"),
    Row("existing result", "'result' holds a result already: choose another directory with -o",
        code=2, files={"result/summary.json": "{}\n"}),
    Row("existing default result", "'out/c' holds a result already", args=("run", "c"), code=2,
        files={"out/c/summary.json": "{}\n"}),
    usage("solve: method", ["solve", "p.sabp", "--method", "agpd"], "did you mean 'apgd'?"),
    usage("solve: linear", ["solve", "p.sabp", "--linear", "lu"], "'lu' is none of auto, cholmod, mumps, amg"),
    usage("solve: ordering", ["solve", "p.sabp", "--ordering", "rcm"], "none of auto, amd, metis"),
    usage("solve: tolerance 0", ["solve", "p.sabp", "--tolerance", "0"], "0 is not between 0 and 1"),
    usage("solve: tolerance x", ["solve", "p.sabp", "--tolerance", "x"], "'x' is not a number"),
    usage("solve: iterations", ["solve", "p.sabp", "--max-iterations", "0"], "0 is less than 1"),
    Row("solve: missing file", "cannot open cone program 'p.sabp': No such file",
        args=("solve", "p.sabp")),
    Row("solve: garbage", "it does not begin with SABPROG1\n  while reading cone program 'p.sabp'",
        args=("solve", "p.sabp"), files={"p.sabp": 1000 * "x"}),
    Row("solve: empty file", "it does not begin with SABPROG1", args=("solve", "p.sabp"),
        files={"p.sabp": ""}),
    Row("solve: directory", "it is a directory, not a regular file", args=("solve", "c")),
]

OUTPUT = [
    Row("output: a file in the way", "cannot create directory 'result': there is a file of that name",
        code=4, files={"result": "mine\n"}),
    Row("output: a file in the way above", "cannot create directory 'result': there is a file", code=4,
        args=("run", "c", "-o", "result/deep/er"), files={"result": "mine\n"}),
    Row("output: a directory instead of a file", "there is a directory of that name", code=4,
        args=("run", "c", "-o", "result", "--force"), files={"result/fields_0000.vtu/x": ""}),
    Row("output: no place for a directory", "cannot create directory '/proc/sablier'", code=4,
        args=("run", "c", "-o", "/proc/sablier/result")),
    Row("dump to nowhere", "cannot write 'none/p.sabp': No such file or directory", code=4,
        args=("run", "c", "-o", "result/a/b", "--dump-program", "none/p.sabp")),
]

ROWS = (KEYS + NUMBERS + CHOICES + TIME + YAML + FORMULAS + BOUNDARIES + PROBES + MESHES_ROWS + OVERRIDES +
        USAGE + OUTPUT)


def run_row(program, suite, root, number, row, verbose):
    work = os.path.join(root, str(number))
    row.name = row.name.replace(MARK, "")
    start = row.start
    for name, content in row.files.items():
        write(os.path.join(work, name), content)
    if row.case is not None:
        text, place = marked(row.case)
        write(os.path.join(work, "c", "case.yaml"), text)
        if place is not None:
            start = f"c/case.yaml:{place}: "
    before = snapshot(work)
    done = program.run(*row.args, cwd=work)
    changed = difference(before, snapshot(work))
    if verbose:
        print(f"--- {row.name} [{done.returncode}]\n{done.stderr}", end="", flush=True)
    suite.check(f"{row.name}: exit code", done.returncode == row.code,
                f"{done.returncode} instead of {row.code}\n{done.stderr}")
    suite.check(f"{row.name}: message", row.expect in done.stderr and done.stderr.startswith(start),
                f"expected '{start}' and '{row.expect}', got\n{done.stderr}")
    suite.check(f"{row.name}: nothing written", not changed, changed)
    suite.check(f"{row.name}: plain text", "\033" not in done.stderr + done.stdout, repr(done.stderr))
    shutil.rmtree(work)


def good_result(program, suite, work):
    """The case of all the rows is good as it is; its result is the older one of what follows."""
    write(os.path.join(work, "c", "case.yaml"), GOOD + "probes: {v: {line: [[0.5, 0], [0.5, 1]]}}\n")
    done = program.run("run", "c", "-o", "result", "--dump-program", "p.sabp", cwd=work)
    suite.check("the good case", done.returncode == 0 and done.stderr == "",
                f"{done.returncode}\n{done.stderr}")


def test_truncated_program(program, suite, work):
    with open(os.path.join(work, "p.sabp"), "rb") as stream:
        content = stream.read()
    flipped = bytearray(content)
    flipped[len(flipped) // 2] ^= 1
    for name, bad, expect in [("truncated", content[:len(content) // 2], "than the file can hold"),
                              ("cut in the header", content[:40], "the file ends too early"),
                              ("damaged", bytes(flipped), "its checksum is wrong"),
                              ("longer", content + 8 * b"x", "longer than its header says")]:
        write(os.path.join(work, "bad.sabp"), bad)
        done = program.run("solve", "bad.sabp", "-o", "u.json", cwd=work)
        suite.check(f"solve: {name}", done.returncode == 3 and expect in done.stderr and
                    not os.path.exists(os.path.join(work, "u.json")),
                    f"{done.returncode}\n{done.stderr}")
    for path, expect in [("none/u.json", "No such file or directory"), ("c", "it is a directory")]:
        done = program.run("solve", "p.sabp", "-o", path, cwd=work)
        suite.check(f"solve -o {path}", done.returncode == 4 and
                    f"cannot write '{path}': {expect}" in done.stderr and
                    "outer" not in done.stdout, f"{done.returncode}\n{done.stderr}\n{done.stdout}")


def test_file_limit(program, suite, work):
    """A limit on the size of files stands for a full disk where mounting is not permitted."""
    limited = ["sh", "-c", 'ulimit -f 8; exec "$@"', "sh", program.path]
    before = snapshot(work)
    for args, name in [(["run", "c", "-o", "result", "--force"], "over an older result"),
                       (["run", "c", "-o", "new/result"], "in a new directory"),
                       (["run", "c", "-o", "n", "--dump-program", "q.sabp"], "cone program")]:
        done = subprocess.run(limited + args, cwd=work, env=program.env, text=True,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        suite.check(f"file limit, {name}: message", done.returncode == 4 and
                    "error: cannot write '" in done.stderr and "File too large" in done.stderr,
                    f"{done.returncode}\n{done.stderr}")
        changed = difference(before, snapshot(work))
        suite.check(f"file limit, {name}: nothing changed", not changed, changed)


def mount(path, options):
    os.makedirs(path, exist_ok=True)
    return subprocess.run(["mount", "-t", "tmpfs", "-o", options, "tmpfs", path],
                          stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode == 0


def unmount(path):
    subprocess.run(["umount", path], check=True)


def test_full_disk(program, suite, work, disk):
    pages = sum(os.path.getsize(os.path.join(folder, name)) // 4096 + 1
                for folder, _, names in os.walk(os.path.join(work, "result")) for name in names)
    if not mount(disk, f"size={4 * (2 * pages + 16)}k"):  # for two results
        print("skipped: full disk (mounting is not permitted here)")
        return
    try:
        shutil.copytree(os.path.join(work, "result"), os.path.join(disk, "result"))
        filler = os.path.join(disk, "filler")
        write(filler, b"")
        with open(filler, "r+b", buffering=0) as stream:
            try:
                while stream.write(4096 * b"x"):
                    pass
            except OSError:
                pass
        os.truncate(filler, os.path.getsize(filler) - 16384)  # room for some files, not for all
        before = snapshot(disk)
        for name in ("result", "new"):
            done = program.run("run", "c", "-o", os.path.join(disk, name), "--force", cwd=work)
            suite.check(f"full disk, {name}: message", done.returncode == 4 and
                        "error: cannot write '" in done.stderr and
                        "No space left on device" in done.stderr, f"{done.returncode}\n{done.stderr}")
            changed = difference(before, snapshot(disk))
            suite.check(f"full disk, {name}: nothing changed", not changed, changed)
        os.remove(filler)
        done = program.run("run", "c", "-o", os.path.join(disk, "result"), "--force", cwd=work)
        suite.check("full disk, room again", done.returncode == 0 and not leftovers(disk),
                    f"{done.returncode}\n{done.stderr}\n{leftovers(disk)}")
    finally:
        unmount(disk)


def test_read_only(program, suite, work, disk):
    if not mount(disk, "size=100k"):
        print("skipped: read-only file system (mounting is not permitted here)")
        return
    try:
        os.mkdir(os.path.join(disk, "there"))
        subprocess.run(["mount", "-o", "remount,ro", disk], check=True)
        for name, message in [("there", "cannot write in directory"), ("new", "cannot create directory")]:
            path = os.path.join(disk, name)
            done = program.run("run", "c", "-o", path, cwd=work)
            suite.check(f"read-only file system, {name}", done.returncode == 4 and
                        f"error: {message} '{path}': Read-only file system" in done.stderr and
                        "outer" not in done.stdout, f"{done.returncode}\n{done.stderr}")
    finally:
        unmount(disk)


def test_standard_output(program, suite, work):
    for args in (["keys"], ["check", "c"]):
        with open("/dev/full", "w") as full:
            done = subprocess.run([program.path, *args], cwd=work, env=program.env, text=True,
                                  stdin=subprocess.DEVNULL, stdout=full, stderr=subprocess.PIPE)
        suite.check(f"{args[0]} > /dev/full", done.returncode == 4 and
                    "cannot write to standard output" in done.stderr,
                    f"{done.returncode}\n{done.stderr}")


def main():
    program, suite = Program(sys.argv[1]), Suite()
    verbose = "-v" in sys.argv
    with tempfile.TemporaryDirectory(prefix="sablier-bad-") as root:
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            jobs = [pool.submit(run_row, program, suite, root, i, row, verbose)
                    for i, row in enumerate(ROWS)]
            for job in jobs:
                job.result()
        work = os.path.join(root, "work")
        good_result(program, suite, work)
        test_truncated_program(program, suite, work)
        test_file_limit(program, suite, work)
        test_full_disk(program, suite, work, os.path.join(root, "disk"))
        test_read_only(program, suite, work, os.path.join(root, "read-only"))
        test_standard_output(program, suite, work)
    print(f"{len(ROWS)} broken inputs in the table")
    return suite.end()


if __name__ == "__main__":
    sys.exit(main())
