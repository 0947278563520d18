"""Each rank of a Python program has global variables of its own, and traffic that is foreseen."""

from __future__ import annotations

import textwrap
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import pantala as pt
from pantala.planning.run_cost import traffic
from support import Ended

Cli = Callable[..., Ended]
MPI = pt.programs.Communicator

pytestmark = pytest.mark.native

MACHINE = {"preset": "kang2022", "topology": {"p": 2, "a": 4, "h": 2, "g": 9}}

#: Changes variables in every way, before and after ranks wait for each other.
PROGRAM = """
import helper
from helper import Counter

phase, seen, made = 0, [], Counter()
other = seen
table = {n: n for n in range(100)}

def step(mpi):
    global phase, late
    phase += 1
    seen.append(mpi.rank)
    made.count += 1
    helper.total += 1
    helper.parts["a"].append(1)
    late = phase
    assert other is seen
    numbers = phase, len(seen), made.count, helper.total, len(helper.parts["a"])
    assert set(numbers) == {phase}, numbers
    mpi.isend((mpi.rank + 1) % mpi.size, 1000 * phase)
    mpi.recv((mpi.rank - 1) % mpi.size, 10**6)
    mpi.waitall()

def program(mpi):
    assert "late" not in globals()
    step(mpi)
    mpi.split(mpi.rank % 2)  # the others run meanwhile
    step(mpi)
    assert (late, seen, sum(table.values())) == (2, [mpi.rank] * 2, 4950)
"""
HELPER = """
total, parts = 0, {"a": []}

class Counter:
    def __init__(self):
        self.count = 0

def use():
    return total, parts
"""


def scenario(program: Any, ranks: int = 4) -> pt.Scenario:
    job = pt.Job(name="job", ranks=ranks, workload=program, placement="contiguous")
    return pt.Scenario(name="s", machine=MACHINE, routing="minimal", jobs=[job])


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


def test_ranks_share_no_global_variables(tmp_path: Path) -> None:
    (tmp_path / "helper.py").write_text(HELPER)
    file = tmp_path / "own.py"
    file.write_text(PROGRAM)
    workload = {"kind": "python", "file": str(file), "function": "program"}
    found = traffic(scenario(workload).resolved_plan())["job"]
    assert found["messages"] == 8  # and their sizes: 1000 and 2000 B of each rank
    assert found["bytes"] == 4 * (1000 + 2000)


READ_ONLY = """
import numpy as np

class Node:
    def __init__(self, at):
        self.at, self.next = at, self

nodes = [Node(n) for n in range(5)]
arrays = {"a": np.arange(6.0), "b": [np.array([np.nan, 1.0])]}
matrix = np.ones((3, 3))
known = [id(each) for each in (nodes, arrays, matrix, nodes[0])]

def program(mpi, change=False):
    same = [id(each) for each in (nodes, arrays, matrix, nodes[0])] == known
    assert same or change and mpi.rank, mpi.rank
    assert matrix[0, 0] == 1.0 and nodes[1].at == 1 and arrays["a"][2] == 2.0
    mpi.split(0)
    assert matrix[0, 0] == 1.0 and nodes[1].at == 1 and arrays["a"][2] == 2.0
    if change:
        matrix[0, 0], nodes[1].at, arrays["a"][2] = 7.0, 7, 7.0
    mpi.barrier()
"""


def test_what_is_only_read_is_not_copied(tmp_path: Path) -> None:
    pytest.importorskip("numpy")
    file = tmp_path / "read.py"
    file.write_text(READ_ONLY)
    for change in (False, True):
        workload = {"kind": "python", "file": str(file), "function": "program"}
        scenario({**workload, "arguments": {"change": change}}).plan()


COUNT = 0
SEEN: list[int] = []


def given(mpi: MPI) -> None:
    global COUNT
    COUNT += 1
    SEEN.append(COUNT)
    mpi.isend((mpi.rank + 1) % mpi.size, 100 * COUNT * len(SEEN))
    mpi.recv((mpi.rank - 1) % mpi.size, 10**6)
    mpi.waitall()


def test_ranks_of_a_function_share_none_either() -> None:
    assert traffic(scenario(pt.Program(given)).resolved_plan())["job"]["bytes"] == 400


def generator(mpi: MPI) -> Any:
    mpi.barrier()
    yield


async def coroutine(mpi: MPI) -> None:
    mpi.barrier()


@pytest.mark.parametrize(
    ("program", "said"), [(generator, "a generator: it has yield"), (coroutine, "async")]
)
def test_a_function_that_would_not_run_is_refused(
    program: Callable[..., object], said: str
) -> None:
    with pytest.raises(pt.ProgramError) as raised:
        scenario(pt.Program(program)).plan()
    place = f"{__file__}:{program.__code__.co_firstlineno}"
    text = f"the function is {said}, so it does not run; write a plain function"
    assert str(raised.value) == f"{place}: rank 0: {text}"


def test_an_error_is_placed_in_the_module_beside_the_program(tmp_path: Path) -> None:
    (tmp_path / "helper.py").write_text("def go(mpi):\n    mpi.send(mpi.size, 3)\n")
    file = tmp_path / "main.py"
    file.write_text("import helper\n\ndef program(mpi):\n    helper.go(mpi)\n")
    with pytest.raises(pt.ProgramError, match=r"helper\.py:2: rank 0: there is no rank 4"):
        scenario({"kind": "python", "file": str(file), "function": "program"}).plan()


@pytest.mark.parametrize("call", ["scatterv", "gatherv", "allgatherv", "reduce_scatter"])
def test_counts_of_all_ranks_are_compared(call: str, tmp_path: Path) -> None:
    file = tmp_path / "counts.py"
    for counts, said in (
        ("[10] * mpi.size if mpi.rank else [1000] * mpi.size", "for which another rank calls"),
        ("[1, 2, 3, 4] if mpi.rank else [4, 3, 2, 1]", "another rank gives other counts"),
    ):
        file.write_text(f"def program(mpi):\n    mpi.{call}({counts})\n")
        with pytest.raises(pt.ProgramError, match=rf"counts\.py:2: rank 1: .*{said}.*; \w+"):
            scenario({"kind": "python", "file": str(file), "function": "program"}).plan()


def in_world(mpi: MPI, times: int) -> None:
    for _ in range(times):
        mpi.allreduce("1 MiB")


def in_copy(mpi: MPI, times: int) -> None:
    part = mpi.split(mpi.rank % 2)
    assert part is not None
    part.free()
    whole = mpi.split(0)
    assert whole is not None
    same = whole.dup()
    for _ in range(times):
        same.allreduce("1 MiB")


def plain(mpi: MPI, times: int) -> None:
    for _ in range(times):
        mpi.irecv((mpi.rank - 1) % mpi.size, 1000)
        mpi.isend((mpi.rank + 1) % mpi.size, 1000)
        mpi.waitall()


def persistent(mpi: MPI, times: int) -> None:
    both = [
        mpi.recv_init((mpi.rank - 1) % mpi.size, 1000),
        mpi.send_init((mpi.rank + 1) % mpi.size, 1000),
    ]
    for _ in range(times):
        mpi.startall(both)
        mpi.waitall()


@pytest.mark.parametrize(("one", "other"), [(in_world, in_copy), (plain, persistent)])
@pytest.mark.parametrize("times", [3, 300_000])
def test_traffic_is_foreseen_in_all_communicators(
    one: Callable[..., object], other: Callable[..., object], times: int
) -> None:
    expected, found = (
        traffic(scenario(pt.Program(program, times=times)).resolved_plan())["job"]
        for program in (one, other)
    )
    assert found["bytes"] == pytest.approx(expected["bytes"])
    assert found["messages"] == pytest.approx(expected["messages"])


def test_a_program_in_another_communicator_does_not_send_nothing(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "sub.py").write_text(
        textwrap.dedent("""
        def program(mpi):
            part = mpi.split(0)
            part.allreduce("1 KiB")
        """)
    )
    (tmp_path / "s.toml").write_text(
        textwrap.dedent("""
        name = "s"
        machine = { preset = "kang2022", topology = { p = 2, a = 4, h = 2, g = 9 } }
        routing = "minimal"
        [[jobs]]
        name = "j"
        ranks = 4
        placement = "contiguous"
        workload = { kind = "python", file = "sub.py", function = "program" }
        """)
    )
    ended = cli("check", tmp_path / "s.toml")
    assert ended.status == 0
    assert "sends nothing" not in ended.out + ended.err
