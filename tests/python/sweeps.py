"""A small scenario for tests of experiments: 72 nodes, a few milliseconds per run."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pantala as pt
from pantala.experiments.description import describe
from pantala.experiments.runner import Sweep
from pantala.store.worker import Task

__all__ = ["SCENARIO", "a_task", "scenario", "start_sweep"]

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


def a_task(of: pt.Scenario, root: Path) -> Task:
    """Returns the task of the first run of a scenario, for an executor."""
    sweep = Sweep(describe(of), root)
    sweep.store.begin()
    run, case, part = next(iter(sweep.listing.first_places()))
    plan = json.dumps(sweep.listing.plan(case, part, sweep.entries).document)
    return Task(str(root), run, plan, ("jobs",))


def start_sweep(file: Path, out: Path, *more: str) -> subprocess.Popen[str]:
    """Starts `pantala sweep` of a file as a process in a session of its own."""
    return subprocess.Popen(
        [sys.executable, "-m", "pantala", "sweep", str(file), "--out", str(out), "-q", *more],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )
