"""The forms of a coNCePTuaL program agree: operation file, GOAL schedule, Python program."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import pantala as pt
from operation_files import Operation, in_the_world, operations_of, starting_groups
from pantala.core import native
from pantala.errors import UsageError
from pantala.export.program_forms import export_program
from pantala.export.program_forms.collectives import ALGORITHMS
from pantala.export.program_forms.loops import folded, unrolled
from pantala.export.program_forms.refusals import refusals
from program_sources import APPLICATIONS
from support import ROOT, Ended

pytestmark = pytest.mark.native

PROGRAMS = ROOT / "examples" / "programs"
SMALL = ROOT / "tests" / "mpi_programs" / "ncptl"
#: Every example program and every program of the tests, with ranks and arguments.
CASES: dict[str, tuple[Path, int, dict[str, str]]] = {
    **{
        name: (PROGRAMS / f"{name}.ncptl", 64, {key: str(n) for key, n in each.ncptl.items()})
        for name, each in APPLICATIONS.items()
    },
    "ping_pong": (PROGRAMS / "ping_pong.ncptl", 3, {"maxbytes": "64", "reps": "2"}),
    **{f"small {path.stem}": (path, 6, {}) for path in sorted(SMALL.glob("*.ncptl"))},
}
MACHINE = {"preset": "kang2022", "topology": {"p": 2, "a": 4, "h": 2, "g": 9}}
_GOAL = re.compile(r"l\d+: (send|recv) (\d+)b (?:to|from) (\d+) tag (\d+)")


def test_every_example_is_a_case() -> None:
    assert {path.stem for path in PROGRAMS.glob("*.ncptl")} <= set(CASES)


def export(
    program: Path, ranks: int, arguments: dict[str, str], folder: Path
) -> tuple[Path, Path, Path]:
    """Returns the three forms of a program."""
    files = (folder / "p.ops", folder / "p.goal", folder / "p.py")
    for form, file in zip(("operations", "goal", "python"), files, strict=True):
        export_program(program, ranks, form, file, arguments=arguments)
    return files


def scenario(ranks: int, workload: dict[str, Any]) -> pt.Scenario:
    """Returns the scenario of a job with the algorithms of the GOAL form."""
    return pt.Scenario.from_dict(
        {
            "name": "s",
            "machine": MACHINE,
            "routing": "minimal",
            "mpi": {"collectives": ALGORITHMS},
            "jobs": [{"name": "job", "ranks": ranks, "workload": workload}],
        }
    )


def communication(ranks: int, workload: dict[str, Any]) -> dict[str, Any]:
    """Returns the messages of a job with the algorithms of the GOAL form."""
    return native.communication(scenario(ranks, workload).plan())[0]


Call = tuple[str, int, int, Any, Any, tuple[int, ...]]


def calls_of(path: Path) -> list[list[Call]]:
    """Returns the calls of each rank: name, partner, tag, bytes or time, ranks that take part.

    Waits count the requests that they complete, so that their numbers do not matter.
    """
    groups, every = starting_groups(path), operations_of(path)
    found = []
    for rank, operations in enumerate(every):
        calls: list[Call] = []
        active: set[int] = set()
        numbered = [
            replace(each, first=each.peer) if each.name == "waitall" else each
            for each in operations
        ]
        for each, group in in_the_world(rank, len(every), numbered, groups[rank]):
            if each.name in ("isend", "irecv"):
                active.add(each.request)
            if each.name in ("wait", "waitall"):
                done = _completed(each, active)
                active -= done
                calls.append((each.name, 0, 0, len(done), 0, ()))
            else:
                calls.append((each.name, each.peer, each.tag, each.first, each.second, group))
        found.append(calls)
    return found


def _completed(wait: Operation, active: set[int]) -> set[int]:
    if wait.flags & 4:
        return active & set(wait.second if isinstance(wait.second, tuple) else ())
    count = wait.first if wait.name == "waitall" else 1
    assert isinstance(count, int)
    return {each for each in active if count == 2**32 - 1 or 0 <= each - wait.request < count}


def check_that_forms_agree(
    program: Path, ranks: int, arguments: dict[str, str], folder: Path
) -> None:
    operations, goal, python = export(program, ranks, arguments, folder)
    expected = calls_of(operations)
    native.operation_file(str(operations))  # all calls fit together

    # The Python program is recorded.
    plan = pt.Scenario.from_dict(
        {
            "name": "s",
            "machine": MACHINE,
            "routing": "minimal",
            "jobs": [
                {"name": "j", "ranks": ranks, "workload": {"kind": "python", "file": str(python)}}
            ],
        }
    ).plan()
    recorded = folder / "recorded.ops"
    native.export_operations(plan, "j", recorded)
    assert calls_of(recorded) == expected

    # The program itself, the file and the schedule send the same messages.
    ncptl = {"kind": "ncptl", "file": str(program), "arguments": arguments}
    found = communication(ranks, ncptl)
    of_file = communication(ranks, {"kind": "operations", "path": str(operations)})
    of_goal = communication(ranks, {"kind": "trace", "path": str(goal)})
    for key in ("source", "destination", "messages", "bytes", "sizes"):
        assert of_file[key] == found[key]
        assert of_goal[key] == found[key], key
    computed = [each["compute_ps"] for each in found["ranks"]]
    assert [each["compute_ps"] for each in of_file["ranks"]] == computed

    # Partners, tags and bytes of the messages of the program itself, in their order.
    text = goal.read_text()
    tags = re.search(r"Tags of collectives: (\d+)(?: to (\d+))?\.", text)
    assert tags
    collective = range(int(tags[1]), int(tags[2] or tags[1]) + 1)
    blocks = re.split(r"rank \d+ {", text)[1:]
    calcs = [sum(map(int, re.findall(r"calc (\d+)", block))) for block in blocks]
    assert [1000 * each for each in calcs] == computed
    for own, block in zip(expected, blocks, strict=True):
        messages = [
            (call.removeprefix("i"), peer, tag, first)
            for call, peer, tag, first, *_ in own
            if call.removeprefix("i") in ("send", "recv")
        ]
        assert messages == [
            (call, int(peer), int(tag), int(size))
            for call, size, peer, tag in _GOAL.findall(block)
            if int(tag) not in collective
        ]


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES)
def test_the_forms_of_a_program_agree(case: str, tmp_path: Path) -> None:
    check_that_forms_agree(*CASES[case], tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("case", ["nearest_neighbor", "nekbone"])
def test_the_forms_of_a_program_take_the_same_time(case: str, tmp_path: Path) -> None:
    """With the algorithms of the GOAL form, a run of each form is the run of the program."""
    program, ranks, arguments = CASES[case]
    operations, goal, python = export(program, ranks, arguments, tmp_path)
    workloads: list[dict[str, Any]] = [
        {"kind": "ncptl", "file": str(program), "arguments": arguments},
        {"kind": "operations", "path": str(operations)},
        {"kind": "trace", "path": str(goal)},
        {"kind": "python", "file": str(python)},
    ]
    found = []
    for number, workload in enumerate(workloads):
        run = pt.run(scenario(ranks, workload), out=tmp_path / str(number), report=False)
        assert isinstance(run, pt.Run)
        found.append(run.ranks.collect().select("end_ns", "communication_time_ns"))
    assert all(each.equals(found[0]) for each in found[1:])


TASKS = st.sampled_from(["all tasks", "tasks t such that t is even", "tasks t such that t < 3"])
SIZES = st.sampled_from([0, 1, 4096, 70000])
STATEMENTS: st.SearchStrategy[str] = st.deferred(
    lambda: st.one_of(
        st.builds(
            "all tasks t asynchronously send {} {} byte messages using tag {} to task"
            " (t+{}) mod num_tasks then all tasks await completion".format,
            st.integers(1, 3),
            SIZES,
            st.integers(0, 3),
            st.integers(1, 2),
        ),
        st.builds(
            "tasks t such that t > 0 send a {} byte message using tag {} to task t-1".format,
            SIZES,
            st.integers(0, 3),
        ),
        st.builds("{} reduce {} integers".format, TASKS, st.integers(1, 300)),
        st.builds("{} reduce {} integers to task 0".format, TASKS, st.integers(1, 300)),
        st.builds("{} synchronize".format, TASKS),
        st.builds("task {} multicasts a {} byte message to all other tasks".format,
                  st.integers(0, 2), SIZES),
        st.builds("all tasks multicast a {} byte message to all other tasks".format, SIZES),
        st.builds("all tasks compute for {} microseconds".format, st.integers(0, 50)),
        st.builds("for {} repetitions {{ {} then {} }}".format,
                  st.integers(0, 4), STATEMENTS, STATEMENTS),
        st.builds("for each k in {{1, ..., {}}} {{ {} }}".format, st.integers(1, 3), STATEMENTS),
    )
)  # fmt: skip


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::pantala.errors.ScenarioWarning")  # of hidden variables
@settings(max_examples=30)
@given(statements=st.lists(STATEMENTS, min_size=1, max_size=4), ranks=st.integers(1, 7))
def test_the_forms_of_drawn_programs_agree(
    statements: list[str], ranks: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("forms")
    program = folder / "p.ncptl"
    program.write_text(" then\n".join(statements) + ".\n")
    check_that_forms_agree(program, ranks, {}, folder)


@given(st.lists(st.integers(0, 3), max_size=60))
def test_loops_unroll_to_the_sequence(symbols: list[int]) -> None:
    assert list(unrolled(folded(symbols))) == symbols


def test_loops_of_the_file_are_joined_with_what_is_around_them() -> None:
    assert folded([(1, (1, 2)), 1, 2, (3, (1, 2)), (0, (7,))]) == ((5, (1, 2)),)
    assert folded([0, (2, (1,)), (5, (1,)), 0, (7, (1,))]) == ((2, (0, (7, (1,)))),)


def test_nested_repetitions_are_written_once() -> None:
    body = [0, *[1, 2] * 7, 3]
    tree = folded([9, 9, *body * 50, 8])
    assert tree == ((2, (9,)), (50, (0, (7, (1, 2)), 3)), 8)


REFUSED = {
    "for 3 seconds task 0 sends a message to task 1.": (1, 1, "a timed loop"),
    "# for 3 seconds\nfor each k in {1, ..., 3}\n  for 2 minutes all tasks synchronize.": (
        3, 3, "a timed loop",
    ),
    "all tasks compute for\n random_uniform(1, 9) microseconds.": (2, 2, "each task draws"),
}  # fmt: skip


@pytest.mark.parametrize("text", REFUSED)
@pytest.mark.parametrize("form", ["operations", "goal", "python"])
def test_what_depends_on_the_run_is_refused_with_its_line(
    text: str, form: str, tmp_path: Path
) -> None:
    program, out = tmp_path / "p.ncptl", tmp_path / "out"
    program.write_text(text)
    line, column, message = REFUSED[text]
    with pytest.raises(UsageError, match=re.escape(f"{program}:{line}:{column}: {message}")):
        export_program(program, 2, form, out)
    assert {path.name for path in tmp_path.iterdir()} == {"p.ncptl"}


@pytest.mark.parametrize(
    "text",
    [
        "for 3 repetitions plus 2 warmup repetitions all tasks synchronize",
        "for each s in {1, 2, 4, ..., 64} all tasks compute for s seconds",
        'all tasks output "for 3 seconds" and random_uniform(1, 2)',
        'all tasks log random_gaussian(1, 2) as "x" then task 0 outputs elapsed_usecs',
        "let r be a random task while task r sends a message to task 0",
        "all tasks synchronize then all tasks sleep for elapsed_usecs microseconds",
        "all tasks sleep for (3 if 1 = 1 otherwise 4) microseconds then all tasks synchronize",
    ],
)
def test_what_does_not_depend_on_the_run_is_not_refused(text: str) -> None:
    assert not list(refusals(text))


def test_a_program_that_stops_is_refused_with_its_line(tmp_path: Path) -> None:
    program = tmp_path / "p.ncptl"
    program.write_text("all tasks t compute for 1/(t-t) microseconds.")
    with pytest.raises(UsageError, match=r"rank 0 stops: .*p\.ncptl:1:\d+"):
        export_program(program, 2, "goal", tmp_path / "out")


def test_a_program_that_stops_at_some_times_is_refused_with_its_line(tmp_path: Path) -> None:
    program = tmp_path / "p.ncptl"
    program.write_text(
        "for 2 repetitions {\n  all tasks compute for 1 microseconds then\n"
        '  task 0 logs the elapsed_usecs as "A"\n}'
    )
    with pytest.raises(UsageError, match=r"depending on time.*p\.ncptl:3:3: more than one value"):
        export_program(program, 2, "goal", tmp_path / "out")


def test_the_command_writes_a_file_and_points_at_what_it_refuses(
    cli: Callable[..., Ended], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    program = PROGRAMS / "alexnet.ncptl"
    ended = cli("ncptl", "export", program, "-n", "16", "--as", "python", "--var", "updates=5")
    assert ended.status == 0
    assert ended.out.startswith("alexnet.py: 1,536 operations of 16 ranks as 7 calls")
    timed = tmp_path / "timed.ncptl"
    timed.write_text("for 1 second all tasks synchronize.")
    ended = cli("ncptl", "export", timed, "-n", "4", "--as", "goal")
    assert ended.status == 2
    assert "timed.ncptl:1:1: a timed loop" in ended.err
    ended = cli("ncptl", "export", program, "-n", "16", "--as", "gaol")
    assert (ended.status, "did you mean 'goal'?" in ended.err) == (2, True)
    assert not (tmp_path / "timed.goal").exists()


def test_python_stays_compact(tmp_path: Path) -> None:
    """The whole training of 64 ranks is a few lines, whatever the number of updates."""
    sizes = [
        export_program(
            PROGRAMS / "alexnet.ncptl", 64, "python", tmp_path / f"{n}.py",
            arguments={"updates": str(n)},
        )
        for n in (10, 279)
    ]  # fmt: skip
    assert sizes[0].entries == sizes[1].entries < 40
    assert Counter([each.bytes < 8_000 for each in sizes]) == {True: 2}
