"""A sweep that is killed at random moments ends with the values of an undisturbed one."""

from __future__ import annotations

import contextlib
import os
import random
import signal
import subprocess
from pathlib import Path

import pytest

import pantala as pt
from pantala.store.run_store import RunStore
from pantala.system.process_marks import process_lives
from sweeps import SCENARIO, start_sweep

pytestmark = [pytest.mark.native, pytest.mark.slow]


@pytest.mark.parametrize(("runs", "kills"), [(12, 3), pytest.param(60, 30, marks=pytest.mark.full)])
def test_a_killed_sweep_ends_like_an_undisturbed_one(tmp_path: Path, runs: int, kills: int) -> None:
    file, killed = tmp_path / "tiny.toml", tmp_path / "killed"
    # Long enough that most kills meet a run in progress.
    file.write_text(
        SCENARIO.replace('"1 KiB"', '"64 KiB"').replace("iterations = 4", "iterations = 40")
    )
    axis = "routing.algorithm=minimal,par,ugal_n"
    options = ("--axis", axis, "--seeds", str(runs // 3), "-w", "2")
    draw = random.Random(19)
    store = RunStore(killed)
    for kill in range(kills):
        process = start_sweep(file, killed, *options)
        wanted = (kill + 1) * runs // (kills + 1)
        try:
            while process.poll() is None and len(list(store.stored())) < wanted:
                with contextlib.suppress(subprocess.TimeoutExpired):
                    process.wait(0.01)
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(draw.uniform(0, 0.1))
        finally:
            # Now and then the workers are killed too; else they must end by themselves.
            with contextlib.suppress(ProcessLookupError):
                (os.killpg if kill % 2 else os.kill)(process.pid, signal.SIGKILL)
            process.communicate()
    process = start_sweep(file, killed, *options)
    said, _ = process.communicate()
    assert process.returncode == 0, said
    assert list((killed / "partial").iterdir()) == []
    assert list((killed / "leases").iterdir()) == []

    scenario = pt.Scenario.from_toml(file)
    axes = {"routing.algorithm": ["minimal", "par", "ugal_n"]}
    undisturbed = pt.sweep(scenario, tmp_path / "whole", axes=axes, seeds=runs // 3, workers=2)
    disturbed = pt.Experiment(killed)
    assert disturbed.runs["state"].to_list() == ["done"] * runs
    values = ["case", "run", "result_hash", "simulated_ns", "packet_hops"]
    assert disturbed.runs.select(values).equals(undisturbed.runs.select(values))
    for table in ("jobs", "ranks", "links"):
        one, other = (each.table(table).collect() for each in (disturbed, undisturbed))
        assert one.equals(other), table


def test_a_killed_worker_costs_its_run_only(tmp_path: Path) -> None:
    file, out = tmp_path / "tiny.toml", tmp_path / "out"
    file.write_text(SCENARIO.replace('"1 KiB"', '"64 KiB"'))
    process = start_sweep(file, out, "--seeds", "12", "-w", "2")
    store = RunStore(out)
    killed = False
    while process.poll() is None and not killed:
        # A lease names the worker that simulates the run.
        for partial in (out / "partial").glob("*~*~*"):
            worker = int(partial.name.rpartition("~")[2])
            if worker != process.pid and process_lives(worker) and len(list(store.stored())) > 2:
                os.kill(worker, signal.SIGKILL)
                killed = True
                break
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(0.001)
    said, _ = process.communicate()
    assert killed
    assert process.returncode == 0, said
    assert pt.Experiment(out).runs["state"].to_list() == ["done"] * 12
