"""coNCePTuaL programs on the command line and in scenarios."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest

import pantala as pt
from support import ROOT, Ended

Cli = Callable[..., Ended]

pytestmark = pytest.mark.native

PING_PONG = ROOT / "examples" / "programs" / "ping_pong.ncptl"
MACHINE = {"preset": "kang2022", "topology": {"p": 2, "a": 4, "h": 2, "g": 9}}


@pytest.fixture
def program(tmp_path: Path) -> Callable[[str], Path]:
    """Writes a program into a file."""

    def write(text: str) -> Path:
        path = tmp_path / "program.ncptl"
        path.write_text(text)
        return path

    return write


def scenario(file: Path, **arguments: int) -> pt.Scenario:
    workload = pt.Ncptl(file=str(file), arguments=dict(arguments))
    beside = pt.Job(name="beside", ranks=4, workload=pt.AllreduceLoop(message="64 B", iterations=2))
    jobs = [pt.Job(name="job", ranks=4, workload=workload), beside]
    return pt.Scenario(name="s", machine=MACHINE, routing="minimal", jobs=jobs)


def test_check_lists_the_options(cli: Cli) -> None:
    ended = cli("ncptl", "check", PING_PONG)
    assert ended.status == 0
    assert "ping_pong.ncptl: correct" in ended.out
    assert "maxbytes" in ended.out


def test_check_points_at_the_error(cli: Cli, program: Callable[[str], Path]) -> None:
    file = program("task 0 snds a message to task 1.")
    ended = cli("ncptl", "check", file)
    assert ended.status == 2
    first, source, caret, *_ = ended.err.splitlines()
    assert first.startswith(f"{file}:1:8: unexpected `snds`; expected")
    assert source.endswith("task 0 snds a message to task 1.")
    assert caret.index("^") == source.index("snds")


def test_check_of_a_program_without_options(cli: Cli, program: Callable[[str], Path]) -> None:
    ended = cli("ncptl", "check", program("task 0 sends a message to task 1."))
    assert ended.out == "program.ncptl: correct; it has no options\n"


def test_explain_and_run_point_at_an_error(cli: Cli, program: Callable[[str], Path]) -> None:
    file = program("all tasks synchronize.\n  task 0 snds a message to task 1.\n")
    pointed = ["2 |   task 0 snds a message to task 1.", "  |          ^"]
    for words in (("ncptl", "explain"), ("run",)):
        ended = cli(*words, file, "--ranks", "2")
        assert ended.status == 2
        first, *others = ended.err.splitlines()
        assert "unexpected `snds`" in first
        assert others == pointed


def test_explain_names_each_statement_that_stops_ranks(
    cli: Cli, program: Callable[[str], Path]
) -> None:
    file = program("all tasks t compute for 1/(t-t) microseconds.")
    ended = cli("ncptl", "explain", file, "--ranks", "3")
    assert ended.status == 2
    assert ended.out == "program.ncptl on 3 ranks: no rank makes an MPI call\n"
    assert ended.err.splitlines() == [
        f"rank 0 stops: {file}:1:25: division of 1 by zero; correct the program or its arguments",
        "1 | all tasks t compute for 1/(t-t) microseconds.",
        "  |                         ^",
        "2 more ranks stop at this statement",
    ]


def test_an_error_of_the_run_points_at_its_statement(
    cli: Cli, program: Callable[[str], Path], tmp_path: Path
) -> None:
    file = program("\n\ttask 0 computes for 1/(num_tasks-2) microseconds.")
    ended = cli("run", file, "--ranks", "2", "--out", tmp_path / "run", "--quiet")
    assert ended.status == 2  # the program is at fault
    warning, first, source, caret = ended.err.splitlines()
    assert warning.endswith("jobs.program sends nothing; check its messages and iterations")
    assert "job 'program' rank " in first
    assert first.endswith("program.ncptl:2:22: division of 1 by zero")
    assert source.index("1/(") == caret.index("^")


def test_explain_is_a_list_of_calls(cli: Cli, program: Callable[[str], Path]) -> None:
    file = program("task 0 sends 2 5 byte messages to task 1 then all tasks reduce an integer.")
    ended = cli("ncptl", "explain", file, "--ranks", "2", "--json")
    assert json.loads(ended.out) == {
        "calls": [
            {"rank": 0, "call": "Send", "peer": 1, "tag": 0, "bytes": 5, "count": 2},
            {"rank": 0, "call": "Allreduce", "bytes": 4, "communicator_size": 2, "count": 1},
            {"rank": 1, "call": "Recv", "peer": 0, "tag": 0, "bytes": 5, "count": 2},
            {"rank": 1, "call": "Allreduce", "bytes": 4, "communicator_size": 2, "count": 1},
        ],
        "outputs": [],
        "truncated": False,
    }


def test_explain_tells_every_line_that_ranks_print(
    cli: Cli, program: Callable[[str], Path]
) -> None:
    file = program('for each i in {1, ..., 150} all tasks t output t and ": " and i.')
    ended = cli("ncptl", "explain", file, "--ranks", "2", "--json")
    outputs = json.loads(ended.out)["outputs"]
    assert len(outputs) == 300
    assert outputs[0] == {"rank": 0, "line": "0: 1"}
    assert outputs[-1] == {"rank": 1, "line": "1: 150"}
    shown = cli("ncptl", "explain", file, "--ranks", "2").out
    assert shown.count(" prints: ") == 200
    assert "100 more lines are printed; --json has them all" in shown


def test_a_ping_pong_prints_the_machine(cli: Cli, tmp_path: Path) -> None:
    """Half a round trip of 0 bytes is the latency of one message, and bandwidth grows with size."""
    ended = cli(
        *("run", PING_PONG, "--ranks", "2", "--var", "maxbytes=64K", "--var", "reps=2"),
        *("--out", tmp_path / "run", "--quiet"),
    )
    assert ended.status == 0, ended.err
    logs = pt.Run(tmp_path / "run").program_logs.collect()
    columns = {
        name: logs.filter(pl.col("description") == name)["value"].to_list()
        for name in ("Bytes", "Latency (us)", "Bandwidth (MB/s)")
    }
    assert columns["Bytes"] == [0, *(2**power for power in range(17))]
    assert columns["Latency (us)"] == sorted(columns["Latency (us)"])
    assert columns["Bandwidth (MB/s)"][-1] == pytest.approx(2**16 / columns["Latency (us)"][-1])
    assert 20_000 < columns["Bandwidth (MB/s)"][-1] < 25_000


@pytest.mark.parametrize(
    ("text", "arguments", "error"),
    [
        ("task 0 snds a message to task 1.", {}, "line 1, column 8"),
        ('Assert that "two tasks" with num_tasks = 2.', {}, "two tasks"),
        ("task 0 sends a 5 byte message to task 1.", {"reps": 3}, "reps"),
    ],
)
def test_faults_are_found_before_the_run(
    program: Callable[[str], Path], text: str, arguments: dict[str, int], error: str
) -> None:
    with pytest.raises(pt.ScenarioError, match=rf"key jobs\[0\]\.workload\..*{error}"):
        scenario(program(text), **arguments).resolve()


@pytest.mark.parametrize(
    ("text", "error"),
    [
        (
            "task 0 computes for 1/(num_tasks-4) microseconds.",
            "program.ncptl:1:21: division of 1 by zero",
        ),
        ("task 0 asynchronously sends a 4 byte message to task 1.", "await"),
    ],
)
def test_an_error_ends_its_own_job(
    program: Callable[[str], Path], tmp_path: Path, text: str, error: str
) -> None:
    with pytest.raises(pt.SimulationError, match=error):
        pt.run(scenario(program(text)), tmp_path / "run")
    jobs = pt.Run(tmp_path / "run").jobs.collect()
    assert jobs["complete"].to_list()[1]


def test_warnings_of_a_program_are_shown_wherever_it_is_used(cli: Cli, tmp_path: Path) -> None:
    file = tmp_path / "odd.ncptl"
    file.write_text('require language version "2.0".\ntask 0 sends a 3 byte message to task 1.\n')
    said = 'requires version "2.0" of the language; Pantala knows version "1.5"'
    for command in (
        ("ncptl", "check", file),
        ("ncptl", "explain", file, "--ranks", "2"),
        ("check", file, "--ranks", "2"),
        ("run", file, "--ranks", "2", "--out", tmp_path / "out", "--no-report"),
    ):
        ended = cli(*command)
        assert ended.status == 0, ended.err
        told = ended.out + ended.err
        assert told.count(said) == 1
        assert f"{file}:1:26: " in told
