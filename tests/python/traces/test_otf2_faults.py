"""Faults of a converted trace name the trace, not the file in the cache."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from otf2_traces import Tracer, traced
from support import Ended


def scenario_of(folder: Path, write: Callable[[Tracer], None]) -> tuple[Path, Path]:
    """Returns the anchor file of a trace of 2 ranks, and a scenario that replays it."""
    path = traced(folder, 2, write)
    scenario = folder / "replay.toml"
    scenario.write_text(
        'name = "replay"\nmachine = "kang2022"\nrouting = "minimal"\n'
        f'[[jobs]]\nname = "job"\nworkload = {{ kind = "trace", path = "{path.parent}" }}\n'
    )
    return path, scenario


def test_calls_that_do_not_fit_are_of_the_trace(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cli: Callable[..., Ended]
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))

    def write(tracer: Tracer) -> None:
        tracer.call(0, "MPI_Send", ("mpi_send", (1, tracer.world, 3, 9)))

    path, scenario = scenario_of(tmp_path, write)
    checked = cli("check", str(scenario))
    assert checked.status != 0
    assert " ".join(checked.err.split()) == (
        f"{path}: rank 0 sends rank 1 1 message with tag 3, and rank 1 receives 0 from it; record"
        " the whole program, and check the calls of the trace with otf2-print"
    )


def test_a_damaged_file_of_the_cache_can_be_removed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cli: Callable[..., Ended]
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    path, scenario = scenario_of(tmp_path, lambda tracer: None)
    assert cli("check", str(scenario)).status == 0
    (file,) = (tmp_path / "cache").rglob("*.operations")
    file.write_bytes(file.read_bytes()[:-20])
    checked = cli("check", str(scenario))
    assert checked.status != 0
    said = " ".join(checked.err.split())
    assert said.startswith(f"{path}: its converted file {file}: ")
    assert said.endswith("; remove that file, so that Pantala converts the trace again")
    file.unlink()
    assert cli("check", str(scenario)).status == 0
