"""Calls of programs that fail or block in a run: the message has their lines."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import pantala as pt
from pantala.scenario.program_lines import with_lines
from support import Ended

pytestmark = pytest.mark.native

Cli = Callable[..., Ended]
MPI = pt.programs.Communicator
MACHINE = {"preset": "kang2022", "topology": {"p": 2, "a": 4, "h": 2, "g": 9}}

DEADLOCK = """\
from parts import exchange

def program(mpi, iterations=3):
    for i in range(iterations):
        with mpi.iteration():
            mpi.allreduce(8)
    exchange(mpi, (mpi.rank + 1) % mpi.size)
"""
PARTS = """\
def exchange(mpi, right):
    mpi.recv(right, 100)
    mpi.send(right, 100)
"""
TOO_SHORT = """\
def program(mpi):
    if mpi.rank == 0:
        half = mpi.split(0)
        half.send(1, 2000)
    else:
        half = mpi.split(0)
        half.recv(0, 100)
    mpi.barrier()
"""
NEVER_RECEIVED = """\
def program(mpi):
    if mpi.rank == 0:
        mpi.isend(1, 8)
        mpi.waitall()
    mpi.barrier()
"""


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


def scenario(workload: Any, ranks: int = 2) -> pt.Scenario:
    jobs = [pt.Job(name="job", ranks=ranks, workload=workload, placement="contiguous")]
    return pt.Scenario(name="s", machine=MACHINE, routing="minimal", jobs=jobs)


def written(folder: Path, program: str) -> Any:
    """Returns the workload of a program in a file."""
    file = folder / "made.py"
    file.write_text(program)
    (folder / "parts.py").write_text(PARTS)
    return {"kind": "python", "file": str(file)}


def failed(made: pt.Scenario, folder: Path) -> str:
    """Returns the message of a run."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with pytest.raises(pt.SimulationError) as raised:
            pt.run(made, out=folder / "out", report=False)
    return str(raised.value)


def checked(cli: Cli, folder: Path, ranks: int) -> str:
    """Returns what a check of the program says."""
    file = folder / "s.toml"
    file.write_text(
        f"""
name = "s"
routing = "minimal"
machine = {{ preset = "kang2022", topology = {{ p = 2, a = 4, h = 2, g = 9 }} }}
[[jobs]]
name = "job"
ranks = {ranks}
workload = {{ kind = "python", file = "made.py" }}
"""
    )
    return cli("check", file).err


def test_a_deadlock_names_the_line_also_in_a_module_beside_the_program(tmp_path: Path) -> None:
    made = scenario(written(tmp_path, DEADLOCK), ranks=3)
    text = failed(made, tmp_path)
    place = tmp_path / "parts.py"
    for rank in range(3):
        assert f"job 'job' rank {rank} is blocked in recv ({place}:2) since" in text
    assert "operation" not in text


def test_a_faulty_call_names_its_line_in_run_and_check(tmp_path: Path, cli: Any) -> None:
    made = scenario(written(tmp_path, TOO_SHORT))
    text = failed(made, tmp_path)
    assert f"job 'job' rank 1: recv ({tmp_path / 'made.py'}:7) at " in text
    place = tmp_path / "made.py"
    assert f"rank 1: recv ({place}:7): the message of 2000 bytes" in checked(cli, tmp_path, 2)
    written(tmp_path, DEADLOCK)
    wait = f"rank 0 waits in recv ({tmp_path / 'parts.py'}:2: a message from rank 1, any tag)"
    assert wait in checked(cli, tmp_path, 3)


def test_the_end_of_a_program_has_no_line(tmp_path: Path) -> None:
    text = failed(scenario(written(tmp_path, NEVER_RECEIVED)), tmp_path)
    assert "job 'job' rank 1: finalize at " in text


def test_functions_of_a_session_have_lines(tmp_path: Path) -> None:
    def program(mpi: MPI) -> None:
        mpi.recv(1 - mpi.rank, 8)

    line = program.__code__.co_firstlineno + 1
    assert f"is blocked in recv ({__file__}:{line}) since" in failed(
        scenario(pt.Program(program)), tmp_path
    )


def test_a_program_in_conceptual_has_lines(tmp_path: Path) -> None:
    file = tmp_path / "ring.ncptl"
    file.write_text(
        "all tasks synchronize then\n"
        "all tasks t send a 9 byte message to task (t+1) mod num_tasks.\n"
    )
    text = failed(scenario({"kind": "ncptl", "file": str(file)}, ranks=4), tmp_path)
    assert f"job 'job' rank 3 is blocked in recv ({file}:2) since" in text


def test_a_program_that_does_not_run_again_leaves_the_number(tmp_path: Path) -> None:
    made = scenario(written(tmp_path, DEADLOCK), ranks=3)
    (tmp_path / "made.py").write_text("def program(mpi):\n    raise ValueError\n")
    text = "job 'job' rank 1 is blocked in recv (operation 9) since 5 ps: x"
    assert with_lines(text, made) == text
    other = "job 'other' rank 1: recv (operation 9) at 5 ps: x"
    assert with_lines(other, made) == other
