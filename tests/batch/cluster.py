# SPDX-License-Identifier: GPL-3.0-or-later
"""A real Slurm on this machine, for tests: munged, slurmctld and two slurmd, "nodes" n1 and n2 with
one processor each. Everything is below one directory, with ports of its own; no systemd, no cgroups, no data base.
"""
import os
import pwd
import shutil
import signal
import socket
import subprocess
import time

NEEDS = ("munged", "slurmctld", "slurmd", "sbatch", "squeue", "scontrol", "scancel", "sinfo")
CONF = """\
ClusterName=test
SlurmctldHost={host}
SlurmUser={user}
SlurmdUser={user}
SlurmctldPort={port}
AuthType=auth/munge
AuthInfo=socket={root}/munge/socket,cred_expire=5
CryptoType=crypto/munge
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SwitchType=switch/none
MpiDefault=none
AccountingStorageType=accounting_storage/none
JobAcctGatherType=jobacct_gather/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SchedulerType=sched/backfill
SchedulerParameters=sched_interval=1,sched_min_interval=0,batch_sched_delay=0,bf_interval=1
ReturnToService=2
SlurmctldTimeout=10
SlurmdTimeout=5
InactiveLimit=0
MinJobAge=5
KillWait=5
MaxArraySize=10
StateSaveLocation={root}/state
SlurmdSpoolDir={root}/spool-%n
SlurmctldPidFile={root}/slurmctld.pid
SlurmdPidFile={root}/slurmd-%n.pid
SlurmctldLogFile={root}/log/slurmctld
SlurmdLogFile={root}/log/slurmd-%n
SlurmdParameters=config_overrides
NodeName=n[1-2] NodeHostname={host} NodeAddr=127.0.0.1 Port=[{first}-{second}] CPUs={cpus} RealMemory=2000
PartitionName=all Nodes=n[1-2] Default=YES MaxTime=60 DefaultTime=10 OverTimeLimit=0 State=UP
"""


def missing():
    """The programs that a Slurm needs and this machine has not."""
    path = os.environ["PATH"] + ":/usr/sbin:/sbin"
    return [name for name in NEEDS if shutil.which(name, path=path) is None]


def free_ports(n):
    """So many numbers in a row that nobody listens to."""
    for first in range(17002, 30000, n):
        sockets = []
        try:
            for port in range(first, first + n):
                sockets.append(socket.socket())
                sockets[-1].bind(("127.0.0.1", port))
            return first
        except OSError:
            continue
        finally:
            for s in sockets:
                s.close()
    raise OSError("no free ports")


class Slurm:
    """root: a short path, because sockets have 107 characters."""

    def __init__(self, root, cpus=1):
        self.root = root
        self.env = {k: v for k, v in os.environ.items() if not k.startswith(("SLURM_", "SBATCH_"))}
        self.env.update(SLURM_CONF=f"{root}/slurm.conf", PATH=os.environ["PATH"] + ":/usr/sbin:/sbin")
        for name in ("munge", "state", "log", "spool-n1", "spool-n2"):
            os.makedirs(f"{root}/{name}")
        os.chmod(f"{root}/munge", 0o755)
        with open(os.open(f"{root}/munge/key", os.O_WRONLY | os.O_CREAT, 0o400), "wb") as stream:
            stream.write(os.urandom(128))
        port = free_ports(3)
        with open(f"{root}/slurm.conf", "w", encoding="utf-8") as stream:
            stream.write(CONF.format(root=root, host=socket.gethostname(), port=port, first=port + 1,
                                     second=port + 2, cpus=cpus, user=pwd.getpwuid(os.geteuid()).pw_name))

    def run(self, *words, check=True):
        done = subprocess.run(words, env=self.env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True, timeout=900)
        if check and done.returncode != 0:
            raise RuntimeError(f"{' '.join(words)}: {done.returncode} {done.stdout} {done.stderr}")
        return done.stdout

    def start(self):
        munge = f"{self.root}/munge"
        self.run("munged", "--force", f"--key-file={munge}/key", f"--socket={munge}/socket",
                 f"--pid-file={munge}/pid", f"--log-file={self.root}/log/munged",
                 f"--seed-file={munge}/seed", "--num-threads=1")
        self.run("slurmctld", "-c")
        for node in ("n1", "n2"):
            self.run("slurmd", "-N", node)
        self.wait_for(lambda: len(self.run("sinfo", "-h", "-N", "-t", "idle", "-o", "%N",
                                           check=False).split()) == 2, "idle nodes")

    def wait_for(self, condition, what, seconds=600.0):
        end = time.monotonic() + seconds
        while not condition():
            if time.monotonic() > end:
                raise RuntimeError(f"no {what} after {seconds} s\n" + self.run(
                    "squeue", "-r", check=False) + self.run("sinfo", "-N", check=False))
            time.sleep(0.01)

    def queue(self):
        """{'17_3': 'RUNNING', ...}"""
        lines = self.run("squeue", "-h", "-r", "-o", "%i %T").split("\n")
        return dict(line.split() for line in lines if line.strip())

    def node_of(self, job):
        return self.run("squeue", "-h", "-j", job, "-o", "%N", check=False).strip()

    def lose(self, node):
        """The daemon of the node dies at once; what it has started lives on."""
        self.kill(f"{self.root}/slurmd-{node}.pid", signal.SIGKILL)

    def mend(self, node):
        self.run("slurmd", "-N", node)

    def kill(self, pid_file, number):
        try:
            with open(pid_file, encoding="utf-8") as stream:
                os.kill(int(stream.read()), number)
        except (OSError, ValueError):
            pass

    def stop(self):
        self.run("scancel", "-u", self.run("id", "-un").strip(), check=False)
        end = time.monotonic() + 120
        try:
            while self.queue() and time.monotonic() < end:
                time.sleep(0.2)
        except RuntimeError:
            pass
        for name in ("slurmd-n1", "slurmd-n2", "slurmctld", "munge/"):
            self.kill(f"{self.root}/{name}pid" if name.endswith("/") else f"{self.root}/{name}.pid",
                      signal.SIGTERM)
        time.sleep(1)
