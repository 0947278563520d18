"""Programs in Python: their operations, their bounds, and the faults that they can have."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import pantala as pt
from pantala.core import native
from pantala.programs.recording import record
from support import ROOT, Ended

Cli = Callable[..., Ended]
MPI = pt.programs.Communicator

pytestmark = pytest.mark.native

MACHINE = {"preset": "kang2022", "topology": {"p": 2, "a": 4, "h": 2, "g": 9}}
PROGRAMS = ROOT / "examples" / "programs"


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "cache" / "pantala" / "operations"


def scenario(workload: Any, ranks: int = 4, **keys: Any) -> pt.Scenario:
    job = pt.Job(name="job", ranks=ranks, workload=workload, placement="contiguous")
    return pt.Scenario(name="s", machine=MACHINE, routing="minimal", jobs=[job], **keys)


def fault(program: Callable[..., object], ranks: int = 3, **arguments: Any) -> str:
    """Returns the error of a program, with lines counted from the function."""
    with pytest.raises(pt.ProgramError) as raised:
        scenario(pt.Program(program, **arguments), ranks).plan()
    text = str(raised.value)
    place = f"{__file__}:"
    assert text.startswith(place), text
    line, _, rest = text.removeprefix(place).partition(":")
    assert "\n" not in text
    return f"line {int(line) - program.__code__.co_firstlineno}:{rest}"


def all_calls(mpi: MPI, big: str) -> None:
    right, left = (mpi.rank + 1) % mpi.size, (mpi.rank - 1) % mpi.size
    others = [mpi.isend(right, 8), mpi.issend(right, big, tag=2)]
    others += [mpi.irecv(left, 8, tag=0), mpi.irecv(mpi.ANY_SOURCE, big, tag=2)]
    mpi.waitall(others)
    mpi.sendrecv(right, big, left)
    if mpi.rank % 2:
        mpi.recv(left, 4)
        mpi.recv(left, 4)
        mpi.recv(left, 4)
        mpi.recv(left, 4)
    else:
        mpi.send(right, 4)
        mpi.ssend(right, 4)
        mpi.bsend(right, 4)
        mpi.rsend(right, 4)
    to, come = mpi.send_init(right, 16, tag=3), mpi.recv_init(left, 16, tag=3)
    for _ in range(2):
        mpi.startall([to, come])
        mpi.waitall()
    to.free()
    come.free()
    request = mpi.icompute("1 us")
    mpi.compute(2e-6)
    request.wait()
    sizes = [8 * (rank + 1) for rank in range(mpi.size)]
    mpi.barrier()
    mpi.bcast(8, root=1)
    mpi.reduce(8)
    mpi.allreduce("1 KiB")
    mpi.gather(8)
    mpi.gatherv(sizes)
    mpi.scatter(8)
    mpi.scatterv(sizes, root=2)
    mpi.allgather(8)
    mpi.allgatherv(sizes)
    mpi.alltoall(8)
    mpi.alltoallv([8] * mpi.size, [8] * mpi.size)
    mpi.reduce_scatter(8)
    mpi.reduce_scatter(sizes)
    mpi.scan(8)
    mpi.exscan(8)
    started = [mpi.ibarrier(), mpi.ibcast(8), mpi.ireduce(8), mpi.iallreduce(8), mpi.igather(8)]
    started += [mpi.igatherv(sizes), mpi.iscatter(8), mpi.iscatterv(sizes), mpi.iallgather(8)]
    started += [mpi.iallgatherv(sizes), mpi.ialltoall(8), mpi.iscan(8), mpi.iexscan(8)]
    started += [mpi.ialltoallv([8] * mpi.size, [8] * mpi.size), mpi.ireduce_scatter(8)]
    mpi.waitall(started)
    row = mpi.split(mpi.rank % 2, key=-mpi.rank)
    assert row is not None
    assert (row.size, row.rank) == (mpi.size // 2, (mpi.size - 1 - mpi.rank) // 2)
    row.allreduce(64)
    pair = row.dup()
    pair.barrier()
    pair.free()
    assert (mpi.split(None if mpi.rank else 0) is None) == (mpi.rank > 0)
    grid = mpi.create_cart((2, mpi.size // 2), periods=(False, True))
    assert grid is not None
    source, destination = grid.shift(0)
    assert (source == mpi.PROC_NULL) == (grid.coords[0] == 0)
    grid.sendrecv(destination, 8, source)
    line = grid.sub((False, True))
    assert line is not None
    assert line.size == mpi.size // 2
    line.allgather(8)
    with mpi.iteration("sweep"):
        grid.barrier()


def test_every_call_runs(workdir: Path) -> None:
    run = pt.run(scenario(pt.Program(all_calls, big="64 KiB"), 6), out="run", report=False)
    assert isinstance(run, pt.Run)
    assert run.complete
    phases = run.iterations.collect()
    assert phases["phase"].unique().to_list() == ["sweep"]


def ring(mpi: MPI, iterations: int) -> None:
    for number in range(iterations):
        with mpi.iteration():
            mpi.sendrecv((mpi.rank + 1) % mpi.size, 100, (mpi.rank - 1) % mpi.size)
            if number % 5 == 4:
                mpi.allreduce(8)


def test_equal_iterations_are_stored_once(tmp_path: Path) -> None:
    short = record(ring, {"iterations": 100}, 4, tmp_path / "short", 10**6)
    long = record(ring, {"iterations": 1_000}, 4, tmp_path / "long", 10**6)
    assert (short["operations"], long["operations"]) == (4 * 320, 4 * 3_200)
    # Two kinds of iterations per rank; then two records per five iterations.
    assert short["records"] == 4 * (4 + 5 + 40)
    again = record(ring, {"iterations": 100}, 4, tmp_path / "again", 10**6)
    assert again == short


def test_the_plan_names_the_operations(cache: Path) -> None:
    plan = scenario(pt.Program(ring, iterations=3)).plan()["jobs"][0]
    assert plan["application"] == "test_programs"
    path = Path(plan["workload"]["path"])
    assert path == cache / f"{plan['workload']['hash']}.operations"
    assert native.operation_file(str(path))["hash"] == plan["workload"]["hash"]
    whole = scenario(pt.OperationFile(path=str(path)))
    path.write_bytes(path.read_bytes()[:-1])
    truncated = r"is truncated: its \d+ bytes do not end with a footer"
    with pytest.raises(pt.UsageError, match=truncated):
        whole.plan()
    with pytest.raises(pt.ScenarioError, match=truncated):
        pt.OperationFile(path=str(path))


def test_a_read_only_home_is_no_obstacle(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("no directory")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    path = scenario(pt.Program(ring, iterations=4)).plan()["jobs"][0]["workload"]["path"]
    assert Path(path).parts[-4:-2] == (tmp_path.name, next(tmp_path.glob("pantala-*")).name)


def raises(mpi: MPI) -> None:
    if mpi.rank == 2:
        numbers: dict[int, int] = {}
        numbers[7] += 1


def out_of_range(mpi: MPI) -> None:
    mpi.barrier()
    mpi.send(mpi.rank + 1, 8)


def waits_twice(mpi: MPI) -> None:
    request = mpi.isend(0, 8)
    mpi.waitall()
    request.wait()


def never_waits(mpi: MPI) -> None:
    mpi.isend(0, 8)


def other_order(mpi: MPI) -> None:
    if mpi.rank == 1:
        mpi.allreduce(8)
    mpi.bcast(16, root=2)


def lacks_a_call(mpi: MPI) -> None:
    if mpi.rank == 0:
        mpi.barrier()


def lonely_split(mpi: MPI) -> None:
    if mpi.rank == 1:
        mpi.split(0)


def uses_data(mpi: MPI) -> None:
    while mpi.allreduce(8) > 1:
        pass


def polls(mpi: MPI) -> None:
    mpi.irecv(0, 8).test()


def looks_at_the_clock(mpi: MPI) -> None:
    mpi.Wtime()


def wrong_size(mpi: MPI) -> None:
    mpi.send(0, "64 KiX")


def asks_as_mpi4py(mpi: MPI) -> None:
    mpi.Get_rank()  # type: ignore[attr-defined]


def receives_as_mpi4py(mpi: MPI) -> None:
    mpi.Recv(None, source=0)  # type: ignore[attr-defined]


def waits_for_no_call(mpi: MPI) -> None:
    mpi.irecv(0, 8).xyz()  # type: ignore[attr-defined]


def sends_an_object(mpi: MPI) -> None:
    mpi.send({"a": 1}, dest=1)  # type: ignore[call-arg, arg-type, misc]


def too_large_a_grid(mpi: MPI) -> None:
    mpi.create_cart((2, 2))


def receives_from_before_the_first(mpi: MPI) -> None:
    mpi.recv(mpi.rank - 3, 8)


def sends_to_any(mpi: MPI) -> None:
    mpi.send(mpi.rank - 1, 8)


def receives_a_negative_tag(mpi: MPI) -> None:
    mpi.recv(0, 8, tag=-7)


def sends_a_long_tag(mpi: MPI) -> None:
    mpi.send(0, 8, tag=2**31)


def roots_at_minus_one(mpi: MPI) -> None:
    mpi.bcast(8, root=-1)


def splits_by_minus_one(mpi: MPI) -> None:
    mpi.split(-1)


def waits_for_a_number(mpi: MPI) -> None:
    mpi.waitall([3])  # type: ignore[list-item]


def waits_for_one_as_for_all(mpi: MPI) -> None:
    mpi.waitall(7)  # type: ignore[arg-type]


def gives_one_size(mpi: MPI) -> None:
    mpi.allgatherv("64 KiB")


def starts_a_freed_request(mpi: MPI) -> None:
    request = mpi.recv_init(0, 8)
    request.free()
    request.start()


def grid_of(mpi: MPI) -> pt.programs.CartesianCommunicator:
    grid = mpi.create_cart((mpi.size,))
    assert grid is not None
    return grid


def looks_beyond_the_grid(mpi: MPI) -> None:
    grid_of(mpi).coords_of(mpi.PROC_NULL)


def shifts_along_no_dimension(mpi: MPI) -> None:
    grid_of(mpi).shift(3)


def gives_too_many_coordinates(mpi: MPI) -> None:
    grid_of(mpi).rank_of([1, 1])


def too_large_a_size(mpi: MPI) -> None:
    mpi.send(0, 2**70)


def too_long_a_time(mpi: MPI) -> None:
    mpi.compute(1e9)


def negative_size(mpi: MPI) -> None:
    mpi.send(0, -1)


def exits(mpi: MPI) -> None:
    raise SystemExit(3)


def two_iterations(mpi: MPI) -> None:
    with mpi.iteration(), mpi.iteration():
        pass


@pytest.mark.parametrize(
    ("program", "error"),
    [
        (raises, "line 3: rank 2: KeyError: 7; correct the program"),
        (
            out_of_range,
            "line 2: rank 2: there is no rank 3 in a communicator of 3; its ranks are 0 to 2;"
            " correct the rank, or the number of ranks of the job",
        ),
        (waits_twice, "line 3: rank 0: the program has waited for this request already"),
        (
            never_waits,
            "line 0: rank 0: the program ends with 1 request that it never waits for; add"
            " mpi.waitall()",
        ),
        (
            other_order,
            "line 2: rank 1: this allreduce of 8 bytes is collective call 1 of the communicator,"
            " for which another rank calls bcast of 16 bytes with root 2",
        ),
        (lacks_a_call, "line 0: rank 1 makes 0 collective calls; other ranks go on with barrier"),
        (
            lonely_split,
            "line 2: rank 1: this split waits for ranks that do not call it; let all ranks of the"
            " communicator call it",
        ),
        (uses_data, "line 1: rank 0: allreduce: only the run can tell the data that arrives"),
        (polls, "line 1: rank 0: test: only the run can tell whether a request is complete"),
        (looks_at_the_clock, "line 1: rank 0: Wtime: only the run can tell the time"),
        (wrong_size, "line 1: rank 0: '64 KiX' has the unknown unit 'KiX'; write e.g. "),
        (negative_size, "line 1: rank 0: -1 is a negative size; give 0 or more bytes"),
        (too_large_a_size, f"line 1: rank 0: {2**70} is too large a size; a message has at"),
        (too_long_a_time, "line 1: rank 0: 1000000000.0 is longer than any run; compute at most"),
        (
            receives_from_before_the_first,
            "line 1: rank 0: there is no rank -3; give one from 0 on, or PROC_NULL",
        ),
        (sends_to_any, "line 1: rank 0: there is no rank -1; give one from 0 on, or PROC_NULL"),
        (receives_a_negative_tag, "line 1: rank 0: there is no tag -7; give one from 0 to "),
        (sends_a_long_tag, "line 1: rank 0: there is no tag 2147483648; give one from 0 to "),
        (roots_at_minus_one, "line 1: rank 0: there is no rank -1; give a root from 0 on"),
        (splits_by_minus_one, "line 1: rank 0: there is no color -1; give one from 0 to "),
        (waits_for_a_number, "line 1: rank 0: 3 is no request; give what a call such as isend"),
        (waits_for_one_as_for_all, "line 1: rank 0: 7 is no list of requests; give a list"),
        (gives_one_size, "line 1: rank 0: '64 KiB' is no list of sizes; give a size for each"),
        (
            starts_a_freed_request,
            "line 3: rank 0: the program has waited for this request already, or freed it",
        ),
        (
            looks_beyond_the_grid,
            "line 1: rank 0: there is no rank -2 in a communicator of 3; its ranks are 0 to 2",
        ),
        (
            shifts_along_no_dimension,
            "line 1: rank 0: there is no dimension 3 in a grid of 1; the first is 0",
        ),
        (
            gives_too_many_coordinates,
            "line 1: rank 0: [1, 1] has 2 coordinates, the grid 1 dimensions; give one per",
        ),
        (asks_as_mpi4py, "line 1: rank 0: mpi has no 'Get_rank'; did you mean rank?"),
        (receives_as_mpi4py, "line 1: rank 0: mpi has no 'Recv'; did you mean recv?"),
        (
            sends_an_object,
            "line 1: rank 0: TypeError: Communicator.send() got multiple values for argument"
            " 'dest'; write mpi.send(dest, bytes, tag=0)",
        ),
        (
            waits_for_no_call,
            "line 1: rank 0: a request has no 'xyz'; it has free, start, test, wait",
        ),
        (
            too_large_a_grid,
            "line 1: rank 0: a grid of 2 x 2 needs 4 ranks, but there are 3; change the grid, or"
            " the number of ranks of the job",
        ),
        (exits, "line 1: rank 0: the program exits; return from its function instead"),
        (two_iterations, "line 1: rank 0: an iteration starts inside an iteration"),
    ],
)
def test_faults_have_a_line(program: Callable[..., object], error: str) -> None:
    assert fault(program).startswith(error)


def test_a_copy_of_a_grid_is_a_grid() -> None:
    def program(mpi: MPI) -> None:
        grid = mpi.create_cart((2, 2), periods=True)
        assert grid is not None
        copy = grid.dup()
        assert copy.coords == grid.coords
        assert copy.shift(1) == grid.shift(1)
        copy.barrier()

    scenario(pt.Program(program)).plan()


def test_sizes_can_be_numbers_of_numpy() -> None:
    numpy = pytest.importorskip("numpy")

    def program(mpi: MPI) -> None:
        block = numpy.int64(8)
        mpi.reduce_scatter(block)
        mpi.reduce_scatter(numpy.full(mpi.size, block))
        mpi.send(numpy.int32(mpi.rank), block)
        mpi.waitall([mpi.irecv(numpy.int16(mpi.rank), block)])

    scenario(pt.Program(program)).plan()


def test_arguments_must_fit() -> None:
    text = fault(ring)
    assert text.startswith("line 0: ring(mpi: 'MPI', iterations: 'int')"), text
    assert "missing a required argument: 'iterations'" in text


def test_files_have_faults(tmp_path: Path) -> None:
    path = tmp_path / "program.py"

    def error(text: str, **keys: Any) -> str:
        path.write_text(text)
        with pytest.raises(pt.ProgramError) as raised:
            scenario(pt.PythonProgram(file=str(path), **keys)).plan()
        return str(raised.value)

    assert error("def program(mpi:\n") == f"{path}:1: '(' was never closed; correct the program"
    assert error("\n1 / 0\n").startswith(f"{path}:2: ZeroDivisionError: division by zero")
    absent = error("import mpi4py.nonesuch\n")
    assert absent.startswith(f"{path}:1: ")
    assert absent.endswith("; remove the import: the first argument of the function has the calls")
    found = error("def main(mpi): pass\n")
    assert found == f"{path}: has no function 'program'; it has main; set the key function"
    path.unlink()
    with pytest.raises(pt.ProgramError, match="cannot be read: No such file"):
        scenario(pt.PythonProgram(file=str(path))).plan()


def test_the_example_runs_and_is_exported(cli: Cli, workdir: Path) -> None:
    (workdir / "examples").symlink_to(ROOT / "examples")
    example = "examples/python_program.toml"
    small = ["--set", "jobs.halo.workload.arguments.iterations=5", "--set", "interference=false"]
    small += ["--set", "jobs.random.workload.iterations=3", "--set", "record.messages=true"]
    ended = cli("check", example, "--plan", "plan.json", *small)
    assert ended.status == 0, ended.err
    plan = json.loads(Path("plan.json").read_text())
    assert plan["jobs"][0]["workload"]["path"] == "plan.halo.operations"
    shutil.rmtree(workdir / "cache", ignore_errors=True)
    alone = ["--set", "interference=false", "--set", "record.messages=true"]
    assert cli("run", example, "--out", "one", *small).status == 0
    # The exported file and the built-in application's file give the same tables.
    for job in ("halo", "random"):
        ended = cli("workload", "export", example, f"{job}.operations", "--job", job, *small)
        assert ended.status == 0, ended.err
        assert "operations in" in ended.out
    text = Path(example).read_text()
    head, _, rest = text.partition("[jobs.workload]")
    rest = rest[rest.index("[[jobs]]") :]
    text = head + 'workload = { kind = "operations", path = "halo.operations" }\n' + rest
    text = text.replace(
        '{ kind = "uniform_random", iterations = 200 }',
        '{ kind = "operations", path = "random.operations" }',
    )
    Path("replay.toml").write_text(text)
    ended = cli("run", "replay.toml", "--out", "two", *alone)
    assert ended.status == 0, ended.err
    one = _tables("one")
    assert one == _tables("two")
    assert all(one.values())


def _tables(run: str) -> dict[str, list[dict[str, Any]]]:
    """Returns rows of tables without the names of applications."""
    loaded = pt.load(run)
    assert isinstance(loaded, pt.Run)
    frames = {
        "ranks": loaded.ranks,
        "jobs": loaded.jobs,
        "iterations": loaded.iterations,
        "messages": loaded.messages,
    }
    rows = {name: frame.collect() for name, frame in frames.items()}
    return {
        name: frame.drop("application", strict=False).rows(named=True)
        for name, frame in rows.items()
    }


#: The programs of Wang et al. (IPDPS 2020) and the built-in workloads: the sizes are multiples of
#: 4 B, rounded up, and compute times are whole microseconds.
WANG = {
    "cosmoflow": (
        {"steps": 2},
        {"kind": "allreduce_loop", "message": "29517416 B", "compute": "129 ms", "iterations": 2},
    ),
    "alexnet": (
        {"updates": 3},
        {"kind": "alexnet", "iterations": 3},
    ),
    "nearest_neighbor": (
        {"iterations": 3},
        {
            "kind": "halo3d",
            "grid": [4, 4, 4],
            "message": "128 KiB",
            "periodic": True,
            "iterations": 3,
            "compute": "0 s",
            "start_delay": "0 s",
        },
    ),
    "milc": (
        {"iterations": 3},
        {"kind": "milc_swm", "grid": [2, 2, 4, 4], "iterations": 3, "compute": "0 s"},
    ),
    "nekbone": ({"iterations": 2}, {"kind": "nekbone", "grid": [4, 4, 4], "iterations": 4}),
    "lammps": ({"steps": 10}, {"kind": "lammps", "grid": [4, 4, 4], "iterations": 10}),
}


@pytest.mark.parametrize("name", WANG)
def test_the_programs_of_wang_equal_the_built_in_ones(name: str) -> None:
    arguments, built_in = WANG[name]
    program = pt.PythonProgram(file=str(PROGRAMS / f"{name}.py"), arguments=arguments)
    mine = _told(scenario(program, 64))
    theirs = _told(scenario(built_in, 64), round_to=4)
    assert mine == theirs


def _told(given: pt.Scenario, round_to: int = 1) -> dict[str, Any]:
    """Returns the communication of the only job, with the calls of each rank."""
    plan = given.plan()
    workload = plan["jobs"][0]["workload"]
    if round_to > 1:
        _round(workload, round_to)
    found = native.communication(plan)[0]
    return {
        "ranks": [
            {key: rank[key] for key in rank if key != "compute_ps"} for rank in found["ranks"]
        ],
        **{key: found[key] for key in ("source", "destination", "messages", "bytes", "sizes")},
        "operations": found["operations"],
        "compute_ps": found["ranks"][0]["compute_ps"],
    }


def _round(workload: dict[str, Any], unit: int) -> None:
    for key, value in workload.items():
        if key.endswith("_bytes") and key not in ("negotiation_bytes", "point_bytes", "sum_bytes"):
            workload[key] = (
                [-(-size // unit) * unit for size in value]
                if isinstance(value, list)
                else -(-value // unit) * unit
            )


def test_a_program_is_no_scenario(cli: Cli) -> None:
    ended = cli("run", "halo.py", "--ranks", "4")
    assert ended.status == 2
    assert ended.err == (
        "halo.py: is a Python program, which a scenario names; write a scenario with a job that has"
        ' ranks and workload = { kind = "python", file = "halo.py" }\n'
    )


def test_the_reference_has_every_name_of_a_program() -> None:
    page = (ROOT / "docs" / "reference" / "program-calls.md").read_text()
    for owner, kind in (
        ("mpi", pt.programs.Communicator),
        ("grid", pt.programs.CartesianCommunicator),
        ("request", pt.programs.Request),
    ):
        inherited = set(dir(pt.programs.Communicator)) if owner == "grid" else set()
        for name in set(dir(kind)) - inherited:
            if not name.startswith("_"):
                shown = (f"- `{name}`: ", f"### {owner}.{name}", f"`{owner}.{name}()`")
                assert any(text in page for text in shown), name
