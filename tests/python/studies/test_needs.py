"""A machine too small for a study is told before the first run."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from pantala.experiments.estimate import Estimate
from pantala.studies import needs
from pantala.studies.needs import needs_of
from support import ROOT, Ended

Cli = Callable[..., Ended]

COSTS = {
    "small": Estimate(8, 10.0, 2e9, 30e9, "by probes"),
    "large": Estimate(2, 90.0, 9e9, 40e9, "by probes"),
    "done": Estimate(0, 0.0, 0.0, 0.0, ""),
}


def machine(monkeypatch: pytest.MonkeyPatch, memory: int, disk: int | None) -> None:
    monkeypatch.setattr(needs, "available_memory", lambda: memory)
    monkeypatch.setattr(needs, "free_disk", lambda folder: disk)


def test_the_largest_run_and_the_disk_of_all_runs_count(monkeypatch: pytest.MonkeyPatch) -> None:
    machine(monkeypatch, int(10e9), int(80e9))
    found = needs_of(COSTS, Path("runs"))
    assert (found.largest, found.memory_bytes, found.disk_bytes) == ("large", 9e9, 70e9)
    assert found.lacking(Path("runs")) == []
    assert "needs about 9.00 GB of memory, all runs 70.0 GB on disk" in found.words
    assert "free: 10.0 GB of memory, 80.0 GB on disk" in found.words


def test_what_lacks_is_named_with_the_remedy(monkeypatch: pytest.MonkeyPatch) -> None:
    machine(monkeypatch, int(8e9), int(60e9))
    memory, disk = needs_of(COSTS, Path("runs")).lacking(Path("runs"))
    assert memory.startswith("experiment large: a run needs about 9.00 GB of memory, and 8.00 GB")
    assert "--experiment" in memory
    assert disk.startswith("runs: the runs need about 70.0 GB on disk, and 60.0 GB are free")


def test_memory_of_other_machines_and_an_unknown_disk_are_not_judged(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    machine(monkeypatch, 1, None)
    assert needs_of(COSTS, Path("runs"), local=False).lacking(Path("runs")) == []


@pytest.mark.native
@pytest.mark.parametrize(
    ("memory", "disk", "told"),
    [
        (1000, None, "of memory, and 1.00 kB are free"),
        (2**60, 1000, "on disk, and 1.00 kB are free"),
    ],
)
def test_nothing_runs_on_a_machine_that_is_too_small(
    memory: int,
    disk: int | None,
    told: str,
    monkeypatch: pytest.MonkeyPatch,
    cli: Cli,
    tmp_path: Path,
) -> None:
    machine(monkeypatch, memory, disk)
    folder, out = ROOT / "examples" / "study", tmp_path / "out"
    listed = cli("study", "run", folder, "--out", out, "--dry-run")
    assert listed.status == 0
    assert f"too small: {'experiment' if disk is None else out}" in listed.out
    refused = cli("study", "run", folder, "--out", out)
    assert refused.status == 2
    assert told in refused.err
    assert refused.err.count("\n") == 1
    assert not list(out.glob("**/run.json"))
