#!/usr/bin/python3
"""Files that are not what they seem: pipes, links, scripts beside a mesh, files of somebody else,
texts that talk to the terminal.

    test_hostile.py SABLIER

Last line: N passed, N failed.
"""
import hashlib
import os
import sys
import tempfile

from harness import MESHES, Program, Suite, leftovers, snapshot, write

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

    # ---- checkpoints of something else ----------------------------------------------------------

    def test_groups(self):
        """The same nodes with other boundaries are another mesh."""
        geo = """\
Point(1) = {0, 0, 0, 0.5}; Point(2) = {1, 0, 0, 0.5}; Point(3) = {1, 1, 0, 0.5}; Point(4) = {0, 1, 0, 0.5};
Line(1) = {1, 2}; Line(2) = {2, 3}; Line(3) = {3, 4}; Line(4) = {4, 1};
Curve Loop(1) = {1 : 4}; Plane Surface(1) = {1};
Physical Curve("held") = {1, 2}; Physical Curve("free") = {3, 4};
"""
        case = FILM.split("material:")[1].split("boundaries:")
        text = f"mesh: {{file: m.geo}}\nmaterial:{case[0]}" + "boundaries: {held: {velocity: [0, 0]}, free: " \
            "{traction: 0}}\ntime:" + case[1].split("time:")[1].split("probes:")[0] + "probes: {out: {flux: free}}\n"
        write(self.path("g/m.geo"), geo)
        write(self.path("g/case.yaml"), text)
        self.run("run", "g", "-o", "groups", "-q")
        write(self.path("g/m.geo"), geo.replace("{1, 2}; Physical", "{1}; Physical").replace("{3, 4};\n", "{2, 3, 4};\n"))
        more = ("--set", "time.end=0.5")
        done = self.run("run", "g", "-o", "groups", "--resume", *more, code=2)
        self.check("other groups: said", "the boundary groups of" in done.stderr, done.stderr)
        start = ("--set", f"initial.from={self.path('groups/checkpoint.sab')}")
        self.run("run", "g", "-o", "groups-from", "-q", *start)  # a state can start another run
        write(self.path("g/m.geo"), geo)
        self.run("run", "g", "-o", "groups", "--resume", "-q", *more)

    # ---- links ----------------------------------------------------------------------------------

    def test_links(self):
        """What a link in the directory of a result leads to is neither written nor removed."""
        precious = self.path("precious")
        for name, target in ((".new~", "directory"), ("summary.json.tmp~", "file"), ("history.csv.tmp~", "file"),
                             (".writable.tmp~", "file"), ("checkpoint.sab.tmp~", "file"), ("profiles", "directory"),
                             ("history.csv", "file"), ("checkpoint.sab", "file"), ("fields_0007.vtu", "file")):
            for case in ("c", "f"):
                out = self.path(f"links/{case}-{name}")
                write(f"{precious}/text", "mine")
                write(f"{precious}/more/text", "mine too")
                os.makedirs(out)
                os.symlink(precious if target == "directory" else f"{precious}/text", f"{out}/{name}")
                done = self.program.run("run", case, "-o", out, "--force", "-q", cwd=self.root, timeout=60)
                self.check(f"{case}, link {name}: done, or refused", done.returncode in (0, 4), done.stderr)
                self.check(f"{case}, link {name}: refused with a reason", done.returncode == 0 or
                           "there is a link of that name" in done.stderr, done.stderr)
                self.check(f"{case}, link {name}: nothing behind it is touched", snapshot(precious) == {
                    "text": digest(b"mine"), "more": "directory", "more/text": digest(b"mine too")},
                    f"{done}\n{snapshot(precious)}")
                self.check(f"{case}, link {name}: nothing is left over", leftovers(out) in ([], [name]),
                           leftovers(out))

    # ---- files of somebody else -----------------------------------------------------------------

    def test_foreign(self):
        for name in ("fields_0007.vtu", "gauss_0000.vtu", "history.csv", "fields.pvd", "profiles/depth.csv",
                     "convergence.csv", "case.resolved.yaml"):
            for case in ("c", "f"):
                out = f"foreign/{case}-{name.replace('/', '-')}"
                write(self.path(f"{out}/{name}"), "mine")
                before = snapshot(self.path(out))
                done = self.run("run", case, "-o", out, code=2)
                self.check(f"{case}, {name}: says which", f"a file '{name.split('/')[0]}'" in done.stderr, done.stderr)
                self.check(f"{case}, {name}: is as it was", snapshot(self.path(out)) == before)
                if name == "fields_0007.vtu":
                    self.run("run", case, "-o", out, "-q", "--force")
        write(self.path("foreign/other/notes.txt"), "mine")  # no name of ours
        self.run("run", "c", "-o", "foreign/other", "-q")
        self.check("other files do not matter", "notes.txt" in snapshot(self.path("foreign/other")))
        # a creeping flow killed while it moved its files leaves some, and the directory they come from
        write(self.path("foreign/killed/history.csv"), "half")
        write(self.path("foreign/killed/.new~/summary.json"), "{}")
        self.run("run", "c", "-o", "foreign/killed", "-q")
        write(self.path("nomesh/case.yaml"), CASE)  # which would end a run that begins
        for root in ("/", "//", "/tmp/..", "/usr/../"):
            done = self.run("run", "nomesh", "-o", root, code=2)
            self.check(f"-o {root} is refused", "is the root of the file system" in done.stderr, done.stderr)
            self.run("study", "c", "-o", root, code=3)  # not even a study


def digest(content):
    return hashlib.sha256(content).hexdigest()


def main():
    program, suite = Program(sys.argv[1]), Suite()
    with tempfile.TemporaryDirectory(prefix="sablier-hostile-") as root:
        tests = Hostile(program, suite, os.path.realpath(root))
        for name in sys.argv[2:] or [n for n in dir(tests) if n.startswith("test_")]:
            getattr(tests, name)()
    return suite.end()


if __name__ == "__main__":
    sys.exit(main())
