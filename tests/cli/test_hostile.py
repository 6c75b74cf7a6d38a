#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Files that are not what they seem: pipes, links, scripts beside a mesh, files of somebody else,
texts that talk to the terminal.

    test_hostile.py SABLIER

Last line: N passed, N failed.
"""
import hashlib
import json
import os
import re
import resource
import signal
import subprocess
import sys
import tempfile
import time

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
        done = self.program.run(*args, cwd=self.root, timeout=more.pop("timeout", 900), **more)
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

    def test_safe(self):
        """--safe: the same mesh, but a .geo can neither run programs nor write files nor go on for ever."""
        geo = """\
Point(1) = {0, 0, 0, 0.5}; Point(2) = {1, 0, 0, 0.5}; Point(3) = {1, 1, 0, 0.5}; Point(4) = {0, 1, 0, 0.5};
Line(1) = {1, 2}; Line(2) = {2, 3}; Line(3) = {3, 4}; Line(4) = {4, 1};
Curve Loop(1) = {1 : 4}; Plane Surface(1) = {1};
Physical Curve("wall") = {1 : 4};
"""
        case = CASE.replace("m.msh", "m.geo")
        write(self.path("safe/case.yaml"), case)
        write(self.path("safe/m.geo"), geo)
        for name, args in (("plain", ()), ("confined", ("--safe",))):
            self.run("run", "safe", "-o", f"safe-{name}", "-q", *args)
            self.run("run", "c", "-o", f"safe-msh-{name}", "-q", *args)
            self.run("run", "f", "-o", f"safe-film-{name}", "-q", *args)
        for kind in ("", "msh-", "film-"):
            one, two = (snapshot(self.path(f"safe-{kind}{name}")) for name in ("plain", "confined"))
            self.check(f"--safe: the same bytes {kind}", [one[p] for p in one if p.endswith((".vtu", "history.csv"))] ==
                       [two.get(p) for p in one if p.endswith((".vtu", "history.csv"))])
        touch, written = self.path("ran"), self.path("written")
        for name, statement in (("SystemCall", f'SystemCall "touch {touch}";'), ("Printf", f'Printf("x") > "{written}";'),
                                ("Save", f'Save "{written}.msh";'), ("BackgroundCall", f'NonBlockingSystemCall "touch {touch}";'),
                                ("CreateDir", f'CreateDir "{written}";')):
            write(self.path("safe/m.geo"), geo + statement + "\n")
            self.program.run("check", "safe", "--safe", cwd=self.root, timeout=900)
            time.sleep(0.1)
            self.check(f"--safe: {name} does nothing", not os.path.exists(touch) and not os.path.exists(written) and
                       not os.path.exists(f"{written}.msh"))
        write(self.path("safe/m.geo"), geo + f'SystemCall "touch {touch}";\n')
        self.run("check", "safe", env={"SABLIER_SAFE": "1"}, code=3)
        self.check("SABLIER_SAFE is --safe", not os.path.exists(touch))
        self.run("check", "safe")
        self.check("without --safe a .geo is a program", os.path.exists(touch))
        write(self.path("safe/m.geo"), geo + "Exit;\n")
        done = self.run("check", "safe", "--safe", code=3)
        self.check("--safe: Exit is said once", done.stderr.count("Exit in a .geo") == 1, done.stderr)
        write(self.path("safe/m.geo"), geo.replace('Physical Curve("wall")', "Physical Curve(nothing)"))
        one, two = (self.run("check", "safe", *args, code=3).stderr for args in ((), ("--safe",)))
        self.check("--safe: the same sentence", one == two, f"{one}\n{two}")
        write(self.path("safe-study/study.yaml"), "base: ../safe\nvary: {material.bingham: [0.2, 0.3]}\n")
        os.remove(touch)
        write(self.path("safe/m.geo"), geo + f'SystemCall "touch {touch}";\n')
        self.run("study", "safe-study", "-o", "safe-study-out", "-q", "--safe", code=1)
        self.check("study --safe: its points too", not os.path.exists(touch))

    def test_absurd_sizes(self):
        """Gmsh believes what a .msh says of its size: it gets the memory that its size may need, --safe or not."""
        import struct
        head, node = "$MeshFormat\n4.1 {} 8\n", struct.pack("<Q3d", 1, 0.0, 0.0, 0.0)
        files = {}
        for n in (10 ** 8, 10 ** 9, 2 ** 40):
            files[f"binary-{n}"] = head.format(1).encode() + struct.pack("<i", 1) + b"\n$EndMeshFormat\n$Nodes\n" + struct.pack(
                "<4Q3iQ", 1, n, 1, n, 2, 1, 0, n) + 3 * node + b"\n$EndNodes\n$Elements\n$EndElements\n"
            files[f"text-{n}"] = (head.format(0) + f"$EndMeshFormat\n$Nodes\n1 {n} 1 {n}\n2 1 0 {n}\n1\n2\n3\n0 0 0\n1 0 0\n"
                                  f"0 1 0\n$EndNodes\n$Elements\n1 {n} 1 {n}\n2 1 2 {n}\n1 1 2 3\n$EndElements\n").encode()
            files[f"entities-{n}"] = head.format(1).encode() + struct.pack("<i", 1) + b"\n$EndMeshFormat\n$Entities\n" + \
                struct.pack("<4Q", n, 0, 0, 0) + b"\n$EndEntities\n$Elements\n$EndElements\n"
        write(self.path("sizes/case.yaml"), CASE)
        for name, content in files.items():
            with open(self.path("sizes/m.msh"), "wb") as stream:
                stream.write(content)
            for more in ((), ("--safe",)):
                process = subprocess.Popen([self.program.path, "check", "sizes", *more], cwd=self.root, env=self.program.env,
                                           stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
                complaint = process.stderr.read()
                _, status, used = os.wait4(process.pid, 0)
                process.returncode = os.waitstatus_to_exitcode(status)
                self.check(f"{name} {more}: refused, with a place", process.returncode == 3 and
                           "sizes/case.yaml:1:8: mesh.file: " in complaint, complaint)
                self.check(f"{name} {more}: {used.ru_maxrss // 1024} MB", used.ru_maxrss < 600 * 1024)

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
            done = self.run(*args, code=3, timeout=900)
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

    # ---- the terminal ---------------------------------------------------------------------------

    def test_terminal(self):
        for text, words in (("\\e]0;owned\\a", "a control character"), ("a\\nresult all is well", "one line"),
                            ("\\x7f", "a control character")):
            write(self.path("t/case.yaml"), f'title: "{text}"\n' + CASE.replace("m.msh", "../c/m.msh"))
            done = self.run("check", "t", code=3)
            self.check(f"title {text}: said with its place", "t/case.yaml:1:8: title: " in done.stderr and
                       words in done.stderr, done.stderr)
            write(self.path("t/study.yaml"), f'title: "{text}"\nbase: ../c\nvary: {{material.bingham: [1, 2]}}\n')
            self.run("study", "t", "-o", "t-study", code=3)
        write(self.path("t/case.yaml"), 'title: "\\u009b31m"\n' + CASE.replace("m.msh", "../c/m.msh"))
        done = self.run("check", "t")
        self.check("C1 controls do not reach the terminal", "??31m" in done.stdout and "\x9b" not in done.stdout,
                   repr(done.stdout))
        for args in (("check", "a\x1b[2Jb"), ("run", "c", "--\x1b[2J"), ("\x1b[2J",), ("run", "c", "-o", "\x1b[2J/x/y")):
            done = self.program.run(*args, cwd=self.path("c"), timeout=900)
            self.check(f"{args}: no escape sequence", "\x1b" not in done.stdout + done.stderr, repr(done))
        for args in (("--version",), ("--help",), ("run", "--help"), ("keys",), ("check", "c"), ("solve", "c.sabp")):
            if args[0] == "solve":
                self.run("run", "c", "-o", "dumped", "-q", "--dump-program", "c.sabp")
            with open("/dev/full", "w") as full:
                done = subprocess.run([self.program.path, *args], stdout=full, stderr=subprocess.PIPE, timeout=900,
                                      cwd=self.root, env=self.program.env, text=True)
            self.check(f"{args} > /dev/full: exit code 4", done.returncode == 4 and
                       "cannot write to standard output" in done.stderr, done)

    # ---- signals --------------------------------------------------------------------------------

    LONG = ("--set", "time.end=40", "--set", "time.steady=0", "--set",
            "material={friction: 0, bingham: 0.1, reynolds: 2}")

    def start(self, out, hangup=signal.SIG_DFL):
        """These tests themselves may be run by nohup, which children would inherit."""
        process = subprocess.Popen([self.program.path, "run", "f", "-o", out, *self.LONG], cwd=self.root,
                                   env=self.program.env, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                   stderr=subprocess.PIPE, text=True,
                                   preexec_fn=lambda: signal.signal(signal.SIGHUP, hangup))
        for _ in range(180000):  # as long as it takes
            if process.poll() is not None or self.rows(out) > 3:
                break
            time.sleep(0.005)
        return process

    def rows(self, out):
        try:
            with open(self.path(f"{out}/history.csv")) as stream:
                return len(stream.readlines())
        except FileNotFoundError:
            return 0

    def test_signals(self):
        self.run("run", "f", "-o", "undisturbed", "-q", *self.LONG)
        for number in (signal.SIGHUP, signal.SIGXCPU, signal.SIGTERM, signal.SIGINT):
            out = f"signal-{number.name}"
            process = self.start(out)
            process.send_signal(number)
            complaint = process.communicate(timeout=900)[1]
            self.check(f"{number.name}: 75 and a sentence", process.returncode == 75 and
                       "run again with --resume" in complaint, f"{process.returncode}\n{complaint}")
            self.run("run", "f", "-o", out, "-q", "--resume", *self.LONG)
            self.check(f"{number.name}: resumed, the same history",
                       snapshot(self.path(out)).get("history.csv") ==
                       snapshot(self.path("undisturbed")).get("history.csv"))
        process = self.start("signal-usr1")
        before = snapshot(self.path("signal-usr1")).get("checkpoint.sab")
        process.send_signal(signal.SIGUSR1)
        for _ in range(18000):
            if snapshot_of(self.path("signal-usr1/checkpoint.sab")) != before or process.poll() is not None:
                break
            time.sleep(0.05)
        process.send_signal(signal.SIGSTOP)
        self.check("SIGUSR1: a new checkpoint, and the run goes on", process.poll() is None and
                   snapshot_of(self.path("signal-usr1/checkpoint.sab")) != before, process.poll())
        process.send_signal(signal.SIGCONT)
        process.communicate(timeout=900)
        self.check("SIGUSR1: the run ends as usual", process.returncode == 0 and
                   snapshot(self.path("signal-usr1")).get("history.csv") ==
                   snapshot(self.path("undisturbed")).get("history.csv"), process.returncode)
        process = self.start("signal-nohup", hangup=signal.SIG_IGN)
        process.send_signal(signal.SIGHUP)
        process.communicate(timeout=900)
        self.check("a SIGHUP that nohup holds back", process.returncode == 0, process.returncode)
        write(self.path("st/study.yaml"), "base: ../c\nvary: {material.bingham: [0.1, 0.2, 0.3]}\n")
        subprocess.run(["sh", "-c", '"$0" study st -o st-out | true', self.program.path], cwd=self.root,
                       env=self.program.env, timeout=900)
        self.check("study | true: the table is there", os.path.exists(self.path("st-out/results.csv")))

    # ---- limits ---------------------------------------------------------------------------------

    def test_limits(self):
        """A sentence and exit code 4, no crash and no endless wait for memory."""
        env = {k: v for k, v in self.program.env.items() if k != "OPENBLAS_NUM_THREADS"}
        for limit, size, words in ((resource.RLIMIT_AS, 250_000, "out of memory: the BLAS needs"),
                                   (resource.RLIMIT_STACK, 64, "the stack is limited")):
            done = subprocess.run([self.program.path, "run", "c", "-o", "limited"], cwd=self.root, env=env,
                                  capture_output=True, text=True, timeout=900,
                                  preexec_fn=lambda l=limit, s=1024 * size: resource.setrlimit(l, (s, s)))
            self.check(f"{words}: code 4", done.returncode == 4 and words in done.stderr, done)
        self.run("run", "c", "-o", "limited", "-q",
                 preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, 2 * (10 ** 9,)))

    def test_far(self):
        """Gmsh meshes lengths of 1e20 for ever."""
        for size in ("1e20", "1e30", "1e-29"):
            write(self.path("far/case.yaml"), CASE.replace(
                "m.msh", f"{MESHES}/box.geo, parameters: {{W: {size}, H: {size}, h: {size}}}").replace(
                "wall:", "bottom: {traction: 0}, top: {traction: 0}, side:"))
            done = self.run("check", "far", code=3 if "e-" not in size else 0, timeout=900)
            self.check(f"{size}: said", "e-" in size or f"the geometry reaches to 1e+{size[2:]}, beyond" in
                       done.stderr, done.stderr)

    def test_loose(self):
        """What is wrong with a mesh is said of the mesh, not of a matrix."""
        squares = "".join(f"Point({i + 1}) = {{{i}, 0, 0, 0.5}}; Point({i + 2}) = {{{i + 1}, 0, 0, 0.5}}; "
                          f"Point({i + 3}) = {{{i + 1}, 1, 0, 0.5}}; Point({i + 4}) = {{{i}, 1, 0, 0.5}};\n"
                          f"Line({i + 1}) = {{{i + 1}, {i + 2}}}; Line({i + 2}) = {{{i + 2}, {i + 3}}}; "
                          f"Line({i + 3}) = {{{i + 3}, {i + 4}}}; Line({i + 4}) = {{{i + 4}, {i + 1}}};\n"
                          f"Curve Loop({i + 1}) = {{{i + 1} : {i + 4}}}; Plane Surface({i + 1}) = {{{i + 1}}};\n"
                          for i in (0, 10))
        case = CASE.replace("m.msh", "m.geo").replace("wall:", "free: {traction: 0}, wall:")
        write(self.path("two/m.geo"), squares + 'Physical Curve("wall") = {1 : 4}; Physical Curve("free") = {11 : 14};\n')
        write(self.path("two/case.yaml"), case)
        done = self.run("run", "two", "-o", "two-out", code=3)
        self.check("a part that nothing holds: where", re.search(r"nothing holds the material at \(1[01], [01]\)", done.stderr), done.stderr)
        write(self.path("two/m.geo"), squares.split("Point(11)")[0] + "Line(5) = {1, 3}; Line{5} In Surface{1};\n"
              'Physical Curve("wall") = {1 : 3, 5}; Physical Curve("free") = {4};\n')
        done = self.run("check", "two", code=3)
        self.check("an interior side in a boundary group: said", "of this group lie inside the domain" in done.stderr,
                   done.stderr)
        write(self.path("two/m.geo"), squares.split("Point(11)")[0].replace(", 1, 0, 0.5", ", 1e-6, 0, 0.5") +
              'Physical Curve("wall") = {1}; Physical Curve("free") = {2 : 4};\n')
        done = self.run("check", "two")
        self.check("flat elements: said", "mesh.file: the worst shape of an element is " in done.stderr, done.stderr)

    def test_many_keys(self):
        """Time must grow with the size of a file, not with its square."""
        many = "".join(f"  k{i}: 1\n" for i in range(60000))
        write(self.path("many/case.yaml"), CASE + "solver:\n" + many)
        done = self.run("check", "many", code=3, timeout=900)
        self.check("many keys: the first is unknown", "k0: unknown key" in done.stderr, done.stderr[:300])
        write(self.path("many/case.yaml"), CASE + "solver:\n" + many + "  k7: 1\n")
        done = self.run("check", "many", code=3, timeout=900)
        self.check("many keys: the twin is found", "many/case.yaml:60006:3: the key 'k7' is given twice "
                   "(first in line 13)" in done.stderr, done.stderr[:300])
        write(self.path("many/a.csv"), ",".join(f"c{i}" for i in range(60000)) + "\n")
        self.run("fit", "many/a.csv", "--x", "a", "--y", "b", code=3, timeout=900)

    def test_build(self):
        """Position independent, symbols resolved before main and read-only then, guarded stacks and copies."""
        def readelf(*flags):
            return subprocess.run(["readelf", "-W", *flags, self.program.path], capture_output=True, text=True).stdout

        self.check("a position-independent executable", "DYN" in readelf("-h"))
        self.check("full RELRO", "GNU_RELRO" in readelf("-l") and "NOW" in readelf("-d"), readelf("-d"))
        symbols = readelf("--dyn-syms")
        self.check("stack protector", "__stack_chk_fail" in symbols)
        self.check("FORTIFY_SOURCE", "__snprintf_chk" in symbols)

    def test_killed_study(self):
        """A study that was killed when a point had ended: its exit code is written by the next one."""
        write(self.path("ks/study.yaml"), "base: ../c\nvary: {material.bingham: [0.1, 0.2]}\n")
        self.run("study", "ks", "-o", "ks-out", "-q")
        path = self.path("ks-out/points/bingham=0.1/point.json")
        with open(path) as stream:
            mark = json.load(stream)
        write(path, json.dumps({**mark, "exit": None}))
        self.run("study", "ks", "-o", "ks-out", "-q", "--resume")
        with open(path) as stream:
            self.check("the exit code is there", json.load(stream) == mark, mark)

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
                done = self.program.run("run", case, "-o", out, "--force", "-q", cwd=self.root, timeout=900)
                self.check(f"{case}, link {name}: done, or refused", done.returncode in (0, 4), done.stderr)
                self.check(f"{case}, link {name}: refused with a reason", done.returncode == 0 or
                           "there is a link of that name" in done.stderr, done.stderr)
                self.check(f"{case}, link {name}: nothing behind it is touched", snapshot(precious) == {
                    "text": digest(b"mine"), "more": "directory", "more/text": digest(b"mine too")},
                    f"{done}\n{snapshot(precious)}")
                self.check(f"{case}, link {name}: nothing is left over", leftovers(out) in ([], [name]),
                           leftovers(out))

    def test_fence(self):
        """Files of the fence (run/owner.h) that are none."""
        os.makedirs(self.path("fence/pipe"))
        os.mkfifo(self.path("fence/pipe/owner.1"))
        done = self.run("run", "f", "-o", "fence/pipe", "-q", code=2, timeout=900)
        self.check("a pipe for an owner: said", "its file 'owner.1' cannot be read" in done.stderr, done.stderr)
        write(self.path("fence/mine/new~"), "mine")
        os.makedirs(self.path("fence/link"))
        os.symlink("../mine", self.path("fence/link/.owner-0~"))
        self.run("run", "f", "-o", "fence/link", "-q")
        self.check("a link for the way of an owner: not followed", os.path.exists(self.path("fence/mine/new~")))
        for text in ("", "stamp 1\n", "host \x1b[2J\npid 1\nstamp 1\n", "pid 99999999999999999999\nstamp 1\n",
                     "pid -1\nstart -1\nstamp\n", "pid 4294967297\nstamp 1\n", 3000 * "x", "owner"):
            write(self.path("fence/odd/owner.7"), text)
            done = self.run("run", "f", "-o", "fence/odd", "-q", code=2, timeout=900)
            self.check(f"owner {text[:20]!r}: said which file", "owner.7" in done.stderr and "\x1b" not in done.stderr, done.stderr)

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


def snapshot_of(path):
    with open(path, "rb") as stream:
        return digest(stream.read())


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
