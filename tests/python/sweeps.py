"""A small scenario for tests of experiments: 72 nodes, a few milliseconds per run."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pantala as pt

__all__ = ["SCENARIO", "scenario", "start_sweep"]

SCENARIO = """
name = "tiny"
routing = "minimal"
machine = { preset = "kang2022", topology = { p = 2, a = 4, h = 2, g = 9 } }

[[jobs]]
name = "halo"
ranks = 32
placement = "random"
[jobs.workload]
kind = "halo3d"
grid = [4, 4, 2]
message = "1 KiB"
iterations = 1
compute = "1 us"
start_delay = "0 ns"

[[jobs]]
name = "noise"
ranks = 16
placement = "random"
[jobs.workload]
kind = "uniform_random"
message = "2 KiB"
iterations = 4
compute = "1 us"
start_delay = "0 ns"
"""


def scenario() -> pt.Scenario:
    """Returns the scenario of `SCENARIO`."""
    import tomllib

    return pt.Scenario.from_dict(tomllib.loads(SCENARIO))


def start_sweep(file: Path, out: Path, *more: str) -> subprocess.Popen[str]:
    """Starts `pantala sweep` of a file as a process in a session of its own."""
    return subprocess.Popen(
        [sys.executable, "-m", "pantala", "sweep", str(file), "--out", str(out), "-q", *more],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )
