"""Traces in OTF2, written by its own library, and converted into operation files."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import pantala as pt
from operation_files import Operation, operations_of
from otf2_traces import Tracer, traced
from pantala.errors import UsageError
from pantala.traces.otf2 import convert
from pantala.traces.otf2 import converted as converted_once
from pantala.traces.otf2.unequal import Unequal, evened
from support import Ended

otf2 = pytest.importorskip("otf2")

NO_ROOT = 2**32 - 1


def converted(
    folder: Path, ranks: int, write: Callable[[Tracer], None], creator: str = "Score-P 8.0"
) -> list[list[Operation]]:
    """Returns the operations of each rank of a trace, without computing."""
    made = convert(traced(folder, ranks, write, creator), folder / "trace.operations")
    assert made.ranks == ranks
    return [[each for each in rank if each.name != "compute"] for rank in operations_of(made.file)]


def named(operations: list[Operation]) -> list[str]:
    return [operation.name for operation in operations]


def test_blocking_messages_and_the_time_between_them(tmp_path: Path) -> None:
    def write(tracer: Tracer) -> None:
        tracer.call(0, "MPI_Ssend", ("mpi_send", (1, tracer.world, 7, 100)))
        tracer.call(1, "MPI_Recv", ("mpi_recv", (0, tracer.world, 7, 100)))
        for rank in (0, 1):
            tracer.call(
                rank,
                "MPI_Sendrecv",
                ("mpi_send", (1 - rank, tracer.world, 8, 10)),
                ("mpi_recv", (1 - rank, tracer.world, 8, 20)),
            )

    made = convert(traced(tmp_path, 2, write), tmp_path / "trace.operations")
    first, second = operations_of(made.file)
    names = ["compute", "ssend", "compute", "sendrecv_to", "sendrecv_from", "compute"]
    assert named(first) == names
    assert named(second) == [name.replace("ssend", "recv") for name in names]
    assert [each.first for each in first] == [10_000, 100, 10_000, 10, 20, 10_000]
    assert (first[1].peer, first[1].tag, second[1].peer) == (1, 7, 0)
    summary = made.summary
    assert summary["calls"]["MPI_Sendrecv"] == 2
    assert summary["matrix"] == [
        {"source": 0, "destination": 1, "messages": 2, "bytes": 110},
        {"source": 1, "destination": 0, "messages": 1, "bytes": 10},
    ]
    assert [rank["bytes"] for rank in summary["by_rank"]] == [110, 10]
    assert summary["duration_ps"] == 48_000  # after MPI_Init: three calls, three gaps
    assert summary["compute_share"] == pytest.approx(30 / 48)
    scaled = convert(
        tmp_path / "trace" / "traces.otf2", tmp_path / "2.operations", compute_scale=0.5
    )
    assert operations_of(scaled.file)[0][0].first == 5_000
    none = convert(tmp_path / "trace" / "traces.otf2", tmp_path / "3.operations", compute=False)
    assert named(operations_of(none.file)[0]) == ["ssend", "sendrecv_to", "sendrecv_from"]


def test_receives_keep_the_place_of_their_post(tmp_path: Path) -> None:
    def write(tracer: Tracer) -> None:
        world = tracer.world
        tracer.call(0, "MPI_Irecv", ("mpi_irecv_request", (11,)))
        tracer.call(0, "MPI_Irecv", ("mpi_irecv_request", (12,)))
        tracer.call(0, "MPI_Irecv", ("mpi_irecv_request", (13,)))
        tracer.call(0, "MPI_Irecv", ("mpi_irecv_request", (14,)))
        tracer.call(0, "MPI_Isend", ("mpi_isend", (1, world, 1, 50, 15)))
        tracer.call(0, "MPI_Test", ("mpi_request_test", (12,)))
        tracer.call(
            0,
            "MPI_Waitall",
            ("mpi_irecv", (1, world, 3, 70, 12)),
            ("mpi_irecv", (1, world, 2, 60, 11)),
            ("mpi_isend_complete", (15,)),
        )
        tracer.call(0, "MPI_Cancel", ("mpi_request_cancelled", (13,)))

    path = traced(tmp_path, 2, write)
    made = convert(path, tmp_path / "trace.operations")
    assert made.unfinished == 1  # request 14
    first = [each for each in operations_of(made.file)[0] if each.name != "compute"]
    assert named(first) == ["irecv", "irecv", "isend", "waitall"]
    assert [(each.tag, each.first, each.request) for each in first[:2]] == [(2, 60, 0), (3, 70, 1)]
    assert (first[2].peer, first[2].request) == (1, 4)
    assert first[3].second == (1, 0, 4)


def test_ids_of_requests_are_used_again(tmp_path: Path) -> None:
    def write(tracer: Tracer) -> None:
        for _ in range(3):
            tracer.call(0, "MPI_Isend", ("mpi_isend", (1, tracer.world, 1, 50, 7)))
            tracer.call(0, "MPI_Wait", ("mpi_isend_complete", (7,)))
            tracer.call(1, "MPI_Irecv", ("mpi_irecv_request", (7,)))
            tracer.call(1, "MPI_Wait", ("mpi_irecv", (0, tracer.world, 1, 50, 7)))

    first, second = converted(tmp_path, 2, write)
    assert named(first) == ["isend", "wait"] * 3
    assert named(second) == ["irecv", "wait"] * 3
    assert {each.request for each in [*first, *second]} == {0}


@pytest.mark.parametrize("creator", ["Score-P 7.1", "EZTrace 2.0"])
def test_sizes_of_collectives_follow_the_tool(tmp_path: Path, creator: str) -> None:
    """Every rank has blocks of 24 B."""
    times = 3 if creator.startswith("Score-P") else 1

    def write(tracer: Tracer) -> None:
        for rank in range(3):
            world = tracer.world
            root = times * 24 if rank == 1 else 0
            tracer.collective(rank, "Barrier", world, NO_ROOT, 0, 0)
            tracer.collective(rank, "Allreduce", world, NO_ROOT, times * 24, times * 24)
            tracer.collective(rank, "Alltoall", world, NO_ROOT, times * 24, times * 24)
            tracer.collective(rank, "Allgather", world, NO_ROOT, times * 24, times * 24)
            tracer.collective(rank, "Bcast", world, 1, root, 24)
            tracer.collective(rank, "Reduce", world, 1, 24, root)
            tracer.collective(rank, "Gather", world, 1, 24, root)
            tracer.collective(rank, "Scatter", world, 1, root, 24)
            tracer.collective(rank, "Barrier", tracer.own, NO_ROOT, 0, 0)

    for rank in converted(tmp_path, 3, write, creator):
        assert [(each.name, each.first) for each in rank] == [
            ("barrier", 0),
            ("allreduce", 24),
            ("alltoall", 24),
            ("allgather", 24),
            ("bcast", 24),
            ("reduce", 24),
            ("gather", 24),
            ("scatter", 24),
        ]
        assert [each.peer for each in rank[4:]] == [1, 1, 1, 1]
    made = convert(tmp_path / "trace" / "traces.otf2", tmp_path / "given.operations")
    given = [each["collective_bytes"] for each in made.summary["by_rank"]]
    # Allreduce, Alltoall, Allgather, Reduce, Gather; Bcast and Scatter of the root.
    others = 24 + 72 + 24 + 24 + 24
    assert given == [others, others + 24 + 72, others]


def test_blocks_of_unequal_collectives_come_from_all_ranks(tmp_path: Path) -> None:
    def write(tracer: Tracer) -> None:
        for rank in range(3):
            own = 8 * (rank + 1)
            whole = 48 if rank == 2 else 0
            tracer.collective(rank, "Gatherv", tracer.world, 2, own, whole)
            tracer.collective(rank, "Scatterv", tracer.world, 2, whole, own)
            tracer.collective(rank, "Allgatherv", tracer.world, NO_ROOT, 3 * own, 48)
            tracer.collective(rank, "Alltoallv", tracer.world, NO_ROOT, own, 16)

    made = convert(traced(tmp_path, 3, write), tmp_path / "given.operations")
    given = [each["collective_bytes"] for each in made.summary["by_rank"]]
    # Gatherv, Scatterv of the root, Allgatherv and Alltoallv.
    assert given == [3 * 8, 3 * 16, 3 * 24 + 48]
    ranks = [[each for each in rank if each.name != "compute"] for rank in operations_of(made.file)]
    for rank, operations in enumerate(ranks):
        assert named(operations) == ["gatherv", "scatterv", "allgatherv", "alltoallv"]
        assert [each.second for each in operations[:3]] == [(8, 16, 24)] * 3
        assert isinstance(operations[3].first, tuple)
        assert sum(operations[3].first) == 8 * (rank + 1)
        for other in range(3):
            came = ranks[other][3].second
            assert isinstance(came, tuple)
            assert came[rank] == operations[3].first[other]


def test_communicators_exist_from_the_start(tmp_path: Path) -> None:
    def write(tracer: Tracer) -> None:
        pair = tracer.comm("pair", [2, 0])
        for rank in (0, 2):
            tracer.collective(rank, "Allreduce", pair, NO_ROOT, 16, 16)
        tracer.call(2, "MPI_Send", ("mpi_send", (1, pair, 4, 9)))
        tracer.call(0, "MPI_Recv", ("mpi_recv", (0, pair, 4, 9)))
        tracer.call(1, "MPI_Send", ("mpi_send", (0, tracer.own, 5, 3)))

    first, second, third = converted(tmp_path, 3, write)
    assert [(each.name, each.communicator, each.first) for each in first] == [
        ("allreduce", 1, 8),
        ("recv", 1, 9),
    ]
    assert (third[1].peer, first[1].peer) == (1, 0)
    assert [(each.name, each.communicator, each.peer) for each in second] == [("send", 0, 1)]


def test_non_blocking_collectives_keep_their_place(tmp_path: Path) -> None:
    def write(tracer: Tracer) -> None:
        operation = otf2.enums.CollectiveOp.ALLREDUCE
        for rank in range(2):
            tracer.call(rank, "MPI_Iallreduce", ("non_blocking_collective_request", (3,)))
            tracer.collective(rank, "Barrier", tracer.world, NO_ROOT, 0, 0)
            ended = (operation, tracer.world, NO_ROOT, 16, 16, 3)
            tracer.call(rank, "MPI_Wait", ("non_blocking_collective_complete", ended))

    for rank in converted(tmp_path, 2, write):
        assert [(each.name, each.flags) for each in rank] == [
            ("allreduce", 8),
            ("barrier", 0),
            ("wait", 0),
        ]


def test_calls_without_an_event_are_counted_and_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cli: Callable[..., Ended]
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))

    def write(tracer: Tracer) -> None:
        operation = otf2.enums.CollectiveOp.ALLGATHER
        for rank in range(2):
            for name in ("Iallreduce", "Iallreduce", "Ialltoall", "Neighbor_alltoallv", "Barrier"):
                tracer.call(rank, f"MPI_{name}")
            for name in ("Send", "Put", "File_write", "Newer", "Comm_rank", "Wait", "Type_commit"):
                tracer.call(rank, f"MPI_{name}")
            tracer.call(
                rank,
                "MPI_Iallgather",
                ("mpi_collective_end", (operation, tracer.world, NO_ROOT, 16, 16)),
            )

    path = traced(tmp_path, 2, write, "EZTrace 2.0")
    made = convert(path, tmp_path / "trace.operations")
    assert named([each for each in operations_of(made.file)[0] if each.name != "compute"]) == [
        "allgather"
    ]
    collectives = "2 MPI_Barrier, 4 MPI_Iallreduce, 2 MPI_Ialltoall, 2 MPI_Neighbor_alltoallv"
    sentences = [message.partition(": ")[::2] for message in made.summary["warnings"]]
    assert [names for names, _ in sentences] == [
        collectives,
        "2 MPI_File_write",
        "2 MPI_Iallgather",
        "2 MPI_Newer",
        "2 MPI_Put",
        "2 MPI_Send",
    ]
    assert dict(sentences)[collectives].startswith(
        "left out with their traffic; the trace has no event"
    )
    assert dict(sentences)["2 MPI_Iallgather"].startswith("replayed as blocking")
    scenario = tmp_path / "replay.toml"
    scenario.write_text(
        'name = "replay"\nmachine = "kang2022"\nrouting = "minimal"\n'
        f'[[jobs]]\nname = "job"\nworkload = {{ kind = "trace", path = "{path}" }}\n'
    )
    checked = cli("check", str(scenario))
    assert checked.status == 0, checked.err
    assert "4 MPI_Iallreduce" in " ".join(checked.err.split())


def test_times_that_no_clock_makes_are_an_error(tmp_path: Path) -> None:
    def write(tracer: Tracer) -> None:
        tracer.time[1] += 2 * 10**15
        tracer.call(1, "MPI_Comm_rank")

    with pytest.raises(UsageError, match=r"/1\.evt: rank 1: it computes for 2,000,000 s between"):
        convert(traced(tmp_path, 2, write), tmp_path / "trace.operations")


def test_a_damaged_file_is_named_without_internals(tmp_path: Path) -> None:
    def write(tracer: Tracer) -> None:
        tracer.call(0, "MPI_Send", ("mpi_send", (1, tracer.world, 3, 9)))
        tracer.call(1, "MPI_Recv", ("mpi_recv", (0, tracer.world, 3, 9)))

    path = traced(tmp_path, 2, write)
    folder = path.parent
    for name in ("traces.def", "traces/0.evt", "traces/1.evt"):
        whole = (folder / name).read_bytes()
        (folder / name).write_bytes(whole[: len(whole) // 2])
        with pytest.raises(UsageError, match="the file is damaged or cut off") as raised:
            convert(path, tmp_path / "trace.operations")
        assert str(raised.value).startswith(f"{folder / name}: ")
        assert not any(word in str(raised.value) for word in ("src/", "Error", "handle"))
        (folder / name).unlink()
        with pytest.raises(UsageError, match="the file is missing; copy the whole folder"):
            convert(path, tmp_path / "trace.operations")
        (folder / name).write_bytes(whole)


def test_parts_of_a_total_have_its_sum() -> None:
    assert evened(10, [1, 1, 1]) == (3, 3, 4)
    assert evened(0, [3, 4]) == (0, 0)
    assert evened(5, [0, 0]) == (0, 0)
    collective = Unequal("GATHERV", 2)
    assert not collective.add(1, 5, 0)
    assert collective.add(0, 4, 9)
    assert collective.blocks == (4, 5)


def test_without_the_library_the_error_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "otf2", None)
    with pytest.raises(UsageError, match=r"OTF2 needs its library; run pip install 'pantala\[otf"):
        convert(tmp_path / "traces.otf2", tmp_path / "trace.operations")


def test_a_broken_trace_is_an_error(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(UsageError, match="does not exist; name the anchor file"):
        convert(tmp_path / "traces.otf2", tmp_path / "trace.operations")
    path = traced(tmp_path, 2, lambda tracer: None)
    whole = path.read_bytes()
    for size in (0, 10, len(whole) // 2):
        path.write_bytes(whole[:size])
        with pytest.raises(UsageError, match="the library of OTF2 cannot read the trace") as raised:
            convert(path, tmp_path / "trace.operations")
        assert "\n" not in str(raised.value)
    path.write_bytes(whole)
    (definitions,) = path.parent.glob("*.def")
    definitions.write_bytes(definitions.read_bytes()[:100])
    with pytest.raises(UsageError, match="the library of OTF2 cannot read the trace"):
        convert(path, tmp_path / "trace.operations")
    assert capfd.readouterr().err == ""


@pytest.mark.parametrize(
    ("fault", "message"),
    [
        ("os.kill(os.getpid(), signal.SIGSEGV)", r"OTF2 crashed \(SIGSEGV\); the trace is damaged"),
        ("os._exit(3)", r"OTF2 ended with status 3 \(without a message\); the trace is damaged"),
        ("bytearray(1 << 50)", "OTF2 needs more memory for the trace than there is"),
        ("1 / 0", "OTF2 cannot read the trace: the file is damaged or cut off"),
    ],
)
def test_the_library_may_crash(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fault: str, message: str
) -> None:
    (tmp_path / "otf2").mkdir()
    (tmp_path / "otf2" / "__init__.py").write_text(
        f"import os, signal\nclass reader:\n    def open(path):\n        {fault}\n"
    )
    monkeypatch.setenv("PYTHONPATH", str(tmp_path), prepend=os.pathsep)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    for name in ("traces.otf2", "traces.def"):
        (tmp_path / name).touch()
    with pytest.raises(UsageError, match=message) as raised:
        converted_once(tmp_path / "traces.otf2")
    assert str(raised.value).startswith(f"{tmp_path}/traces.")
    assert not list((tmp_path / "cache" / "pantala" / "otf2").iterdir())


#: Damages one byte after another, from a place on, and prints the place and the error.
DAMAGE = """
import sys
from pathlib import Path
from pantala.errors import UsageError
from pantala.traces.otf2.convert import convert

trace, file, out, begin, step = Path(sys.argv[1]), Path(sys.argv[2]), *sys.argv[3:]
whole = Path(file).read_bytes()
for place in range(int(begin), len(whole), int(step)):
    file.write_bytes(whole[:place] + bytes([whole[place] ^ 0xFF]) + whole[place + 1 :])
    try:
        convert(trace, Path(out))
        said = "read"
    except UsageError as error:
        said = str(error)
    print(place, said, flush=True)
"""


def damaged(path: Path, file: Path, out: Path, step: int) -> Iterator[str]:
    """Yields what a conversion says of a file with one damaged byte, place after place.

    Damage can end the library with a signal, so that conversions run in other processes, as those
    of `converted_once` do. The next place goes on in a new one.
    """
    whole = file.read_bytes()
    place = 0
    while place < len(whole):
        words = [str(path), str(file), str(out), str(place), str(step)]
        ended = subprocess.run(
            [sys.executable, "-c", DAMAGE, *words], capture_output=True, text=True, check=False
        )
        file.write_bytes(whole)
        assert ended.returncode <= 0, ended.stderr  # an error of Python is ours
        lines = ended.stdout.splitlines()
        for line in lines:
            yield line.partition(" ")[2]
        place += step * (len(lines) + (ended.returncode < 0))


def test_damaged_bytes_are_read_or_refused(tmp_path: Path) -> None:
    def write(tracer: Tracer) -> None:
        for rank in range(2):
            tracer.call(rank, "MPI_Isend", ("mpi_isend", (1 - rank, tracer.world, 3, 1000, 2)))
            tracer.call(rank, "MPI_Recv", ("mpi_recv", (1 - rank, tracer.world, 3, 1000)))
            tracer.call(rank, "MPI_Wait", ("mpi_isend_complete", (2,)))
            tracer.collective(rank, "Allgatherv", tracer.world, NO_ROOT, 60, 60)

    path = traced(tmp_path, 2, write)
    files = sorted(each for each in path.parent.rglob("*") if each.is_file())
    said = [
        each for file in files for each in damaged(path, file, tmp_path / "trace.operations", 23)
    ]
    errors = [each for each in said if each != "read"]
    assert len(errors) > 10
    assert all(error.startswith(f"{path.parent}/") for error in errors)


def test_a_trace_is_converted_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    path = traced(tmp_path, 2, lambda tracer: None)
    first = converted_once(path)
    assert converted_once(path) == first
    monkeypatch.setitem(sys.modules, "otf2", None)  # the second time needs no library
    assert converted_once(path) == first
    with pytest.raises(UsageError, match="OTF2 needs its library"):
        converted_once(path, compute=False)
    assert [each.suffix for each in sorted(first[0].parent.iterdir())] == [".json", ".operations"]


def test_a_job_replays_a_trace(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cli: Callable[..., Ended]
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))

    def write(tracer: Tracer) -> None:
        pair = tracer.comm("pair", [1, 0])
        for rank in range(2):
            tracer.call(rank, "MPI_Irecv", ("mpi_irecv_request", (1,)))
            tracer.call(rank, "MPI_Isend", ("mpi_isend", (1 - rank, pair, 3, 1000, 2)))
            came = (1 - rank, pair, 3, 1000, 1)
            tracer.call(rank, "MPI_Waitall", ("mpi_isend_complete", (2,)), ("mpi_irecv", came))
            tracer.collective(rank, "Alltoallv", pair, NO_ROOT, 100, 100)

    path = traced(tmp_path, 2, write)
    scenario = pt.Scenario.from_dict(
        {
            "name": "replay",
            "machine": "kang2022",
            "routing": "minimal",
            "jobs": [{"name": "job", "workload": {"kind": "trace", "path": str(path.parent)}}],
        }
    )
    assert scenario.jobs[0].ranks == 2
    run = pt.run(scenario, out=tmp_path / "run", report=False, progress=False)
    assert isinstance(run, pt.Run)
    text = cli("trace", "info", str(path))
    assert text.status == 0, text.err
    assert "traces.otf2: otf2, 2 ranks" in text.out
    assert "MPI_Alltoallv" in text.out
