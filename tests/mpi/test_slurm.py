#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The job of docs/scale.md on a real Slurm: one run on two processes, stopped by the signal before its time limit, requeued and
resumed; and a run whose other process is lost.

    test_slurm.py SABLIER

SABLIER is built with -Dmpi=true. Exit code 77, with a line that says so, if there is no Slurm. Last line: N passed, N failed.
"""
import json
import os
import re
import shutil
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "..", "batch"), os.path.join(HERE, "..", "cli")]
import cluster  # noqa: E402
from harness import ROOT, Suite, edit, write  # noqa: E402


def script():
    """The job as the page has it."""
    with open(os.path.join(ROOT, "docs/scale.md"), encoding="utf-8") as stream:
        jobs = [b for b in re.findall(r"^```bash\n(.*?)^```$", stream.read(), re.S | re.M) if b.startswith("#!")]
    assert len(jobs) == 1
    return jobs[0]


def rows(out):
    try:
        with open(f"{out}/history.csv", encoding="utf-8") as stream:
            return len(stream.readlines()) - 1
    except OSError:
        return 0


def main():
    absent = cluster.missing() + [n for n in ("mpirun",) if shutil.which(n) is None]
    if absent:
        print(f"skipped: {', '.join(absent)} not found; scripts/setup --batch and --mpi install them")
        return 77
    suite = Suite()
    with tempfile.TemporaryDirectory(prefix="sab-") as root:
        root = os.path.realpath(root)
        slurm = cluster.Slurm(os.path.join(root, "slurm"), cpus=2)
        work = os.path.join(root, "work")
        out = os.path.join(work, "out/silo-space")
        shutil.copytree(os.path.join(ROOT, "cases"), os.path.join(work, "cases"))
        shutil.copytree(os.path.join(ROOT, "meshes"), os.path.join(work, "meshes"))
        case = os.path.join(work, "cases/silo-space/case.yaml")
        with open(case, encoding="utf-8") as stream:
            text = edit(stream.read(), ("end: 4, steady: 2.0e-3", "end: 1, steady: 0"), ("window: 1}", "window: 0.5}"),
                        ("output: {every: 1}", "output: {every: 0, checkpoint: 0}"))
        write(case, text)
        write(os.path.join(work, "job.sh"), script())
        os.makedirs(os.path.join(root, "bin"))
        os.symlink(os.path.abspath(sys.argv[1]), os.path.join(root, "bin/sablier"))
        slurm.env["PATH"] = f"{root}/bin:" + slurm.env["PATH"]
        try:
            slurm.start()
            job = slurm.run("sbatch", "--parsable", f"--chdir={work}", f"--output={work}/log", os.path.join(work, "job.sh")).strip()
            slurm.wait_for(lambda: rows(out) >= 2, "two steps")
            slurm.run("scancel", "--signal=TERM", job)  # to the processes, as before the time limit
            slurm.wait_for(lambda: os.path.exists(f"{out}/summary.json"), "end of the job that was requeued")
            slurm.wait_for(lambda: not slurm.queue(), "empty queue")
            with open(f"{work}/log", encoding="utf-8") as stream:
                log = stream.read()
            with open(f"{out}/summary.json", encoding="utf-8") as stream:
                result = json.load(stream)
            suite.check("two processes, twice", log.count("2 ranks share each factor") == 2, log)
            suite.check("all steps", result["steps"] == 10 and rows(out) == 10, result["steps"])
            suite.check("by MUMPS with METIS", [result["solver"][k] for k in ("linear", "ordering", "processes")] ==
                        ["mumps", "METIS", 2], result["solver"])
            suite.check("no step missed", result["status"] == "finished" and result["missed"] == 0, result["status"])
        except RuntimeError as error:
            suite.check("Slurm does as it is told", False, error)
            for name in (f"{work}/log", f"{slurm.root}/log/slurmctld"):
                if os.path.exists(name):
                    with open(name, encoding="utf-8", errors="replace") as stream:
                        print(f"---- {name}", *stream.read().splitlines()[-15:], sep="\n")
        finally:
            slurm.stop()
            time.sleep(1)
    return suite.end()


if __name__ == "__main__":
    sys.exit(main())
