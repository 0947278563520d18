"""A Slurm cluster on this machine: the real slurmctld and slurmd, on loopback, for one test."""

from __future__ import annotations

import contextlib
import os
import socket
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeVar

import pytest

__all__ = ["PARTITION", "cluster", "needs_cluster"]

#: A test function.
Test = TypeVar("Test", bound=Callable[..., None])

PARTITION = "debug"
_PROGRAMS = ("slurmctld", "slurmd", "sbatch", "squeue", "scontrol")

_CONFIGURATION = """\
ClusterName=test
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={controller}
SlurmdPort={node}
AuthType=auth/none
CredType=cred/none
SlurmUser={user}
SlurmdUser={user}
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core_Memory
SchedulerParameters=sched_interval=1,bf_interval=1,batch_sched_delay=0,requeue_delay=1
SlurmdParameters=config_overrides
ReturnToService=2
MpiDefault=none
KillWait=2
MinJobAge=30
NodeName={host} NodeAddr=127.0.0.1 CPUs=4 RealMemory=4000 State=UNKNOWN
PartitionName={partition} Nodes={host} Default=YES MaxTime=60 State=UP
"""


def needs_cluster(test: Test) -> Test:
    """Marks a test that starts a cluster: it is skipped without Slurm and for users but root."""
    for mark in (
        pytest.mark.skipif(os.getuid() != 0, reason="Slurm's daemons need root"),
        pytest.mark.needs(*_PROGRAMS),
    ):
        test = mark(test)
    return test


@contextlib.contextmanager
def cluster(folder: Path) -> Iterator[Path]:
    """Starts a cluster of one node with four processors, and yields its configuration."""
    for name in ("state", "spool"):
        (folder / name).mkdir(parents=True)
    configuration = folder / "slurm.conf"
    configuration.write_text(
        _CONFIGURATION.format(
            host=socket.gethostname().partition(".")[0],
            controller=_free_port(),
            node=_free_port(),
            user="root",
            folder=folder,
            partition=PARTITION,
        )
    )
    environment = {**os.environ, "SLURM_CONF": str(configuration)}
    daemons = [
        subprocess.Popen([name, "-D", "-f", str(configuration)], env=environment,
                         stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        for name in ("slurmctld", "slurmd")
    ]  # fmt: skip
    try:
        _wait_until_idle(folder, environment)
        yield configuration
    finally:
        for daemon in reversed(daemons):
            daemon.terminate()
        for daemon in daemons:
            daemon.wait()


def _wait_until_idle(folder: Path, environment: dict[str, str]) -> None:
    end = time.monotonic() + 60
    while time.monotonic() < end:
        said = subprocess.run(
            ["sinfo", "--noheader", "--format=%T"],
            env=environment, capture_output=True, text=True, check=False,
        )  # fmt: skip
        if said.stdout.strip() == "idle":
            return
        time.sleep(0.2)
    logs = [file.read_text(errors="replace")[-2000:] for file in folder.glob("*.log")]
    raise RuntimeError(f"Slurm's node did not become idle: {said.stdout}{said.stderr} {logs}")


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
