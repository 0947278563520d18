"""The key `amplification`: recorded calls with a multiple of their bytes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import pantala as pt
from pantala.core import native
from pantala.export.operation_files import export_job

EXAMPLES = Path(__file__).parents[3] / "examples" / "traces"
#: DUMPI, GOAL and Chakra.
TRACES = ("ring", "binomial_tree.goal", "training_step")

CALLS = """
def program(mpi):
    right, left = (mpi.rank + 1) % mpi.size, (mpi.rank - 1) % mpi.size
    sizes = [8 * (rank + 1) for rank in range(mpi.size)]
    mpi.sendrecv(right, 16, left, 16)
    row = mpi.split(mpi.rank % 2, key=-mpi.rank)
    for _ in range(2):
        mpi.allreduce(24)
        mpi.bcast(8)
        mpi.allgatherv(sizes)
        mpi.alltoallv(sizes, [8 * (mpi.rank + 1)] * mpi.size)
        row.alltoall(32)
        mpi.compute("1 us")
"""


def scenario(workload: Any, **more: Any) -> pt.Scenario:
    job = pt.Job(name="a", workload=workload, **more)
    return pt.Scenario(name="x", machine="yang2016", routing="minimal", jobs=(job,))


def recorded(workload: Any) -> list[dict[str, Any]]:
    ranks: list[dict[str, Any]] = native.communication(scenario(workload).plan())[0]["ranks"]
    return ranks


@pytest.fixture
def operations(tmp_path: Path) -> str:
    """Returns an operation file of four ranks with calls of every form of sizes."""
    program = tmp_path / "calls.py"
    program.write_text(CALLS)
    path = tmp_path / "calls.operations"
    export_job(scenario(pt.PythonProgram(file=str(program)), ranks=4), None, path)
    return str(path)


def compare(few: list[dict[str, Any]], many: list[dict[str, Any]], factor: int) -> None:
    for one, other in zip(few, many, strict=True):
        assert other["calls"] == one["calls"]
        assert other["bytes_sent"] == factor * one["bytes_sent"]
        assert other["compute_ps"] == one["compute_ps"]
        for key in ("sizes", "collective_bytes_received"):
            expected = {call: np.multiply(factor, each).tolist() for call, each in one[key].items()}
            assert other[key] == expected


@pytest.mark.native
def test_every_call_of_an_operation_file_sends_so_many_times_the_bytes(operations: str) -> None:
    few = recorded(pt.OperationFile(path=operations))
    compare(few, recorded(pt.OperationFile(path=operations, amplification=100)), 100)
    assert all(
        {"allgatherv", "alltoallv"} <= rank["collective_bytes_received"].keys() for rank in few
    )


@pytest.mark.native
@pytest.mark.parametrize("path", TRACES)
def test_every_call_of_a_trace_sends_so_many_times_the_bytes(path: str) -> None:
    given = str(EXAMPLES / path)
    few = recorded(pt.Trace(path=given))
    assert sum(rank["bytes_sent"] for rank in few) > 0
    compare(few, recorded(pt.Trace(path=given, amplification=7)), 7)


@pytest.mark.native
def test_a_run_with_more_bytes_takes_longer(operations: str, tmp_path: Path) -> None:
    ends = []
    for factor in (1, 1000):
        given = scenario(pt.OperationFile(path=operations, amplification=factor))
        run = pt.run(given, tmp_path / str(factor))
        assert isinstance(run, pt.Run)
        job = run.jobs.collect().row(0, named=True)
        assert job["complete"]
        ends.append(job["end_ns"])
    assert ends[1] > 2 * ends[0]


@pytest.mark.native
def test_a_factor_of_one_leaves_the_plan_as_it_is(operations: str) -> None:
    plain = scenario(pt.OperationFile(path=operations))
    assert scenario(pt.OperationFile(path=operations, amplification=1)).plan() == plain.plan()


@pytest.mark.native
def test_sizes_beyond_those_of_any_trace_are_an_error(tmp_path: Path) -> None:
    program = tmp_path / "large.py"
    program.write_text("def program(mpi):\n    mpi.allreduce('1 GiB')\n")
    path = tmp_path / "large.operations"
    export_job(scenario(pt.PythonProgram(file=str(program)), ranks=2), None, path)
    given = scenario(pt.OperationFile(path=str(path), amplification=10**6))
    with pytest.raises(pt.SimulationError, match=r"call of allreduce .*choose a smaller factor"):
        pt.run(given, tmp_path / "run")


@pytest.mark.parametrize("factor", [0, -1, 1.5, 2**32])
def test_a_factor_is_a_positive_integer(factor: float) -> None:
    workload = {"kind": "trace", "path": str(EXAMPLES / "ring"), "amplification": factor}
    with pytest.raises(pt.ScenarioError, match="amplification"):
        pt.Scenario.from_dict(
            {
                "name": "x",
                "machine": "yang2016",
                "routing": "minimal",
                "jobs": [{"name": "a", "workload": workload}],
            }
        )
