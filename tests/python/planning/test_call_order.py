"""Deadlocks in the order of recorded calls: named before a run, and those that the run meets."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from pathlib import Path

import pytest

import pantala as pt
from pantala._core import Recorder
from pantala.core.call_order import MOST, deadlock_of_calls
from pantala.core.native import operation_file
from pantala.errors import SimulationError
from support import Ended

pytestmark = pytest.mark.native
Cli = Callable[..., Ended]
SCENARIO = """
name = "app"
machine = "kang2022"
routing = "minimal"
[mpi]
eager_threshold = "THRESHOLD B"
[[jobs]]
name = "app"
ranks = RANKS
count = 2
workload = { kind = "operations", path = "app.operations" }
"""


def ring(path: Path, ranks: int, size: int, *, receive_first: bool = False) -> Path:
    """Writes the calls of a ring whose ranks all send before they receive, or the other way."""
    recorder = Recorder(str(path), ranks, 1_000)
    for rank in range(ranks):
        recorder.compute(rank, 5_000)
        if not receive_first:
            recorder.send(rank, "s", 0, (rank + 1) % ranks, 3, size)
        recorder.recv(rank, 0, (rank - 1) % ranks, 3, size)
        if receive_first:
            recorder.send(rank, "s", 0, (rank + 1) % ranks, 3, size)
        recorder.end(rank)
    recorder.finish()
    return path


def found(path: Path, ranks: int, most: int = MOST) -> str:
    workload = {"kind": "operations", "path": str(path), "hash": operation_file(str(path))["hash"]}
    return deadlock_of_calls(workload, ranks, most=most)


def test_ranks_calls_partners_and_tags_are_named(tmp_path: Path) -> None:
    path = ring(tmp_path / "a", 2, 20_000)
    assert found(path, 2) == (
        "a replay deadlocks with mpi.eager_threshold = 12,000 B, because longer sends wait for"
        " their receives: rank 0 waits in send (operation 1: 20,000 B to rank 1, tag 3), rank 1"
        " waits in send (operation 1: 20,000 B to rank 0, tag 3); it ends with"
        ' mpi.eager_threshold = "20000 B"'
    )
    assert found(ring(tmp_path / "b", 2, 12_000), 2) == ""
    assert found(ring(tmp_path / "c", 9, 8, receive_first=True), 9) == (
        "a replay deadlocks at any mpi.eager_threshold: "
        "rank 0 waits in recv (operation 1: a message from rank 8, tag 3), "
        "rank 8 waits in recv (operation 1: a message from rank 7, tag 3), "
        "rank 7 waits in recv (operation 1: a message from rank 6, tag 3), "
        "rank 6 waits in recv (operation 1: a message from rank 5, tag 3), and 5 other ranks"
    )


def test_ranks_of_the_cycle_come_first(tmp_path: Path) -> None:
    recorder = Recorder(str(tmp_path / "a"), 4, 1_000)
    recorder.recv(0, 0, 3, 1, 8)  # waits for rank 3, which waits in the cycle
    for rank, peer in ((2, 3), (3, 2)):
        recorder.recv(rank, 0, peer, 2, 8)
        recorder.send(rank, "s", 0, peer, 2, 8)
    recorder.send(3, "s", 0, 0, 1, 8)
    for rank in range(4):
        recorder.end(rank)
    recorder.finish()
    assert found(tmp_path / "a", 4) == (
        "a replay deadlocks at any mpi.eager_threshold: "
        "rank 3 waits in recv (operation 0: a message from rank 2, tag 2), "
        "rank 2 waits in recv (operation 0: a message from rank 3, tag 2), and 1 other rank"
    )


def test_a_search_that_stops_early_says_so(tmp_path: Path) -> None:
    path = ring(tmp_path / "a", 8, 12_000)
    text = found(path, 8, most=10)
    assert text.startswith("the search for deadlocks in the order of calls stopped after")
    assert found(path, 8) == ""


@pytest.mark.parametrize(("threshold", "ends"), [(19_999, False), (20_000, True)])
def test_check_and_the_run_agree(tmp_path: Path, cli: Cli, threshold: int, ends: bool) -> None:
    ring(tmp_path / "app.operations", 3, 20_000)
    file = tmp_path / "app.toml"
    file.write_text(SCENARIO.replace("THRESHOLD", str(threshold)).replace("RANKS", "3"))
    ended = cli("check", str(file), "--plan", str(tmp_path / "plan.json"))
    assert ended.status == 0
    named = f"{file}: warning: jobs.app-1 and 1 other job: a replay deadlocks with"
    assert ended.err.count(named) == (0 if ends else 1)
    assert ('mpi.eager_threshold = "20000 B"' in ended.err) is not ends
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", pt.ScenarioWarning)
        scenario = pt.Scenario.from_toml(file)
        if ends:
            pt.run(scenario, tmp_path / "run", report=False, progress=False)
        else:
            with pytest.raises(SimulationError, match="6 ranks wait for one another"):
                pt.run(scenario, tmp_path / "run", report=False, progress=False)


def test_traces_are_searched_too(tmp_path: Path, cli: Cli) -> None:
    calls = [
        f"rank {rank} {{\nl1: recv 8b from {1 - rank} tag 3\nl2: send 8b to {1 - rank} tag 3\n"
        "l2 requires l1\n}\n"
        for rank in range(2)
    ]
    (tmp_path / "pair.goal").write_text("num_ranks 2\n" + "".join(calls))
    file = tmp_path / "app.toml"
    text = SCENARIO.replace("THRESHOLD", "12000").replace("RANKS", "2").replace("count = 2\n", "")
    file.write_text(text.replace('kind = "operations", path = "app.operations"',
                                 'kind = "trace", path = "pair.goal"'))  # fmt: skip
    ended = cli("check", str(file))
    assert ended.status == 0
    assert (
        f"{file}: warning: jobs.app: a replay deadlocks at any mpi.eager_threshold: rank 0 waits in"
        " recv (a message from rank 1, tag 3), rank 1 waits in recv (a message from rank 0, tag 3)"
    ) in ended.err


@pytest.mark.parametrize(
    ("calls", "fault"),
    [
        ("", "finalize: the message of 100 bytes from rank 0 (tag 0) is never received"),
        ("mpi.recv(0, 50)", "recv (p.py:2): the message of 100 bytes from rank 0 (tag 0) does not"),
    ],
    ids=["no receive", "too short"],
)
def test_a_program_that_fails_is_refused_as_its_run_is(
    calls: str, fault: str, tmp_path: Path, cli: Cli
) -> None:
    text = f"def program(mpi):\n    mpi.send(1, 100) if mpi.rank == 0 else {calls or None}\n"
    (tmp_path / "p.py").write_text(text)
    file = tmp_path / "app.toml"
    text = SCENARIO.replace("THRESHOLD", "12000").replace("RANKS", "2").replace("count = 2\n", "")
    program = 'kind = "python", file = "p.py"'
    file.write_text(text.replace('kind = "operations", path = "app.operations"', program))
    ended, ran = (
        cli(command, str(file), *more)
        for command, more in (("check", ()), ("run", ("--no-report", "--out", tmp_path / "out")))
    )
    assert ended.status == ran.status == 2
    assert ended.err.count("\n") == 1
    fault = fault.replace("p.py", str(tmp_path / "p.py"))
    named = f"{file}: key jobs.app.workload: a replay fails: rank 1: {fault}"
    assert ended.err.startswith(named), ended.err
    # A run of a set duration may end before.
    assert cli("check", str(file), "--set", "stop.duration=1 ns").status == 0
