#!/usr/bin/python3
"""Files that are not what they seem: pipes, links, scripts beside a mesh, files of somebody else,
texts that talk to the terminal.

    test_hostile.py SABLIER

Last line: N passed, N failed.
"""
import os
import sys
import tempfile

from harness import MESHES, Program, Suite, write

SQUARE = """\
$MeshFormat
2.2 0 8
$EndMeshFormat
$PhysicalNames
2
1 1 "wall"
2 2 "domain"
$EndPhysicalNames
$Nodes
5
1 0 0 0
2 1 0 0
3 1 1 0
4 0 1 0
5 0.5 0.5 0
$EndNodes
$Elements
8
1 1 2 1 1 1 2
2 1 2 1 1 2 3
3 1 2 1 1 3 4
4 1 2 1 1 4 1
5 2 2 2 1 1 2 5
6 2 2 2 1 2 3 5
7 2 2 2 1 3 4 5
8 2 2 2 1 4 1 5
$EndElements
"""
CASE = """\
mesh: {file: m.msh}
material: {friction: 0, bingham: 0.1, reynolds: 1}
gravity: [y, 0]
boundaries: {wall: {velocity: [0, 0]}}
"""
# A film that starts to flow, coarse: three steps in 0.1 s.
FILM = f"""\
mesh:
  file: {MESHES}/film.geo
  parameters: {{n: 3}}
material: {{friction: 0.3, reynolds: inf}}
gravity: [0.5, -0.8]
boundaries:
  left: {{velocity: [free, 0]}}
  right: {{velocity: [free, 0]}}
  top: {{traction: 0}}
  bottom: {{velocity: [0, 0]}}
time: {{scheme: inertial, step: 0.1, end: 0.3, window: 0.2}}
output: {{checkpoint: 1e5}}
probes:
  outflow: {{flux: right}}
  depth: {{line: [[0.1, 0], [0.1, 0.2]], field: velocity, samples: 3}}
"""


class Hostile:
    def __init__(self, program, suite, root):
        self.program, self.check, self.root = program, suite.check, root
        write(self.path("c/case.yaml"), CASE)
        write(self.path("c/m.msh"), SQUARE)
        write(self.path("f/case.yaml"), FILM)

    def path(self, name):
        return os.path.join(self.root, name)

    def run(self, *args, code=0, **more):
        done = self.program.run(*args, cwd=self.root, timeout=more.pop("timeout", 60), **more)
        self.check(f"{' '.join(args)}: exit code {code}", done.returncode == code,
                   f"{done.returncode}\n{done.stdout}{done.stderr}")
        return done

    # ---- scripts that come with a mesh ----------------------------------------------------------

    def test_mesh_scripts(self):
        script = f'SystemCall "touch {self.path("ran")}";\n'
        write(self.path("opt/case.yaml"), CASE)
        write(self.path("opt/m.msh"), SQUARE)
        write(self.path("opt/m.msh.opt"), script)
        self.run("check", "opt")
        self.check("options beside a .msh are not run", not os.path.exists(self.path("ran")))
        write(self.path("comment/case.yaml"), CASE)
        write(self.path("comment/m.msh"), f"// $MeshFormat 2.2 0 8\n{script}// $EndElements")
        done = self.run("check", "comment", code=3)
        self.check("a script is no .msh", "a .msh begins with $MeshFormat" in done.stderr and
                   not os.path.exists(self.path("ran")), done.stderr)

    # ---- pipes ----------------------------------------------------------------------------------

    def test_pipes(self):
        os.makedirs(self.path("p"))
        for name in ("case.yaml", "m.msh", "m.geo", "a.sab", "a.sabp", "a.csv", "study.yaml"):
            os.mkfifo(self.path(f"p/{name}"))
        case = CASE.replace("m.msh", "../p/m.msh")
        write(self.path("pm/case.yaml"), case)
        write(self.path("pg/case.yaml"), case.replace("m.msh", "m.geo"))
        write(self.path("pi/case.yaml"), CASE.replace("m.msh", "../c/m.msh") + "initial: {from: ../p/a.sab}\n")
        write(self.path("ps/study.yaml"), "base: ../pm\nvary: {material.bingham: [0.2, 0.3]}\n")
        for args in (("check", "p"), ("run", "pm", "-o", "r1"), ("check", "pg"), ("run", "pi", "-o", "r2"),
                     ("solve", "p/a.sabp"), ("fit", "p/a.csv", "--x", "a", "--y", "b"), ("study", "p"),
                     ("study", "ps", "-o", "r3")):
            done = self.run(*args, code=3, timeout=20)
            self.check(f"{args}: says why", "it is not a regular file" in done.stderr, done.stderr)


def main():
    program, suite = Program(sys.argv[1]), Suite()
    with tempfile.TemporaryDirectory(prefix="sablier-hostile-") as root:
        tests = Hostile(program, suite, os.path.realpath(root))
        for name in sys.argv[2:] or [n for n in dir(tests) if n.startswith("test_")]:
            getattr(tests, name)()
    return suite.end()


if __name__ == "__main__":
    sys.exit(main())
