"""The bytes of collectives in traces in OTF2, with and without MPI_IN_PLACE."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from operation_files import Operation, operations_of
from otf2_traces import Tracer, traced
from pantala.traces.otf2 import Conversion, convert
from pantala.traces.otf2.in_place import is_in_place

NO_ROOT = 2**32 - 1
#: Ranks, and bytes of a block.
RANKS, BLOCK = 4, 1000

#: Root, bytes sent and bytes received of a rank.
Sizes = Callable[[int], tuple[int, int, int]]


def converted(
    folder: Path, ranks: int, calls: list[tuple[str, Sizes]], creator: str = "Score-P 8.4"
) -> tuple[list[list[Operation]], Conversion]:
    """Returns the collectives of each rank of a trace, and its conversion."""

    def write(tracer: Tracer) -> None:
        for rank in range(ranks):
            for name, sizes in calls:
                tracer.collective(rank, name, tracer.world, *sizes(rank))

    made = convert(traced(folder, ranks, write, creator), folder / "trace.operations")
    found = [[each for each in rank if each.name != "compute"] for rank in operations_of(made.file)]
    return found, made


def rooted(own: int, root: tuple[int, int], *, scatter: bool = False) -> Sizes:
    """Returns the sizes of a call with root 1."""
    others = (0, own) if scatter else (own, 0)
    return lambda rank: (1, *(root if rank == 1 else others))


def equal(size: int) -> Sizes:
    return lambda _: (NO_ROOT, size, size)


def own(rank: int) -> int:
    return 100 * (rank + 1)


@pytest.mark.parametrize("name", ["Reduce", "Gather", "Scatter"])
def test_the_root_of_an_in_place_call_has_the_blocks_of_the_others(
    tmp_path: Path, name: str
) -> None:
    others = (RANKS - 1) * BLOCK
    scatter = name == "Scatter"
    sizes = rooted(BLOCK, (others, 0) if scatter else (0, others), scatter=scatter)
    ranks, _ = converted(tmp_path, RANKS, [(name, sizes)])
    assert [[(each.name, each.first) for each in rank] for rank in ranks] == [
        [(name.lower(), BLOCK)]
    ] * RANKS


@pytest.mark.parametrize("ranks", [2, 3, 4, 5])
def test_a_scan_may_be_in_place(tmp_path: Path, ranks: int) -> None:
    """The sizes of the rank in the middle of 3 or 5 ranks fit both forms."""
    calls: list[tuple[str, Sizes]] = [
        ("Scan", lambda rank: (NO_ROOT, (ranks - rank) * BLOCK, (rank + 1) * BLOCK)),
        ("Scan", lambda rank: (NO_ROOT, (ranks - rank - 1) * BLOCK, rank * BLOCK)),
        ("Exscan", lambda rank: (NO_ROOT, (ranks - rank - 1) * BLOCK, rank * BLOCK)),
    ]
    found, _ = converted(tmp_path, ranks, calls)
    expected = [("scan", BLOCK), ("scan", BLOCK), ("exscan", BLOCK)]
    assert [[(each.name, each.first) for each in rank] for rank in found] == [expected] * ranks


def test_other_tools_write_the_bytes_of_a_scan_alone(tmp_path: Path) -> None:
    found, _ = converted(tmp_path, 3, [("Scan", equal(BLOCK))], "EZTrace 2.0")
    assert [rank[0].first for rank in found] == [BLOCK] * 3


@pytest.mark.parametrize("in_place", [False, True])
def test_blocks_of_allgatherv_and_reduce_scatter_follow_from_sums(
    tmp_path: Path, in_place: bool
) -> None:
    times = RANKS - 1 if in_place else RANKS
    total = sum(map(own, range(RANKS)))

    def sums(rank: int) -> int:
        return total - own(rank) if in_place else total

    calls: list[tuple[str, Sizes]] = [
        ("Allgatherv", lambda rank: (NO_ROOT, times * own(rank), sums(rank))),
        ("Reduce_scatter", lambda rank: (NO_ROOT, sums(rank), times * own(rank))),
    ]
    found, made = converted(tmp_path, RANKS, calls)
    for rank in found:
        assert [each.name for each in rank] == ["allgatherv", "reduce_scatter"]
        assert [each.second for each in rank] == [(100, 200, 300, 400)] * 2
    given = [each["collective_bytes"] for each in made.summary["by_rank"]]
    assert given == [own(rank) + total for rank in range(RANKS)]
    assert made.notes == ()


def test_other_tools_write_the_block_of_a_reduce_scatter(tmp_path: Path) -> None:
    calls: list[tuple[str, Sizes]] = [
        ("Reduce_scatter", lambda rank: (NO_ROOT, 1000, own(rank))),
        ("Reduce_scatter_block", lambda _: (NO_ROOT, RANKS * BLOCK, BLOCK)),
        ("Allgatherv", lambda rank: (NO_ROOT, own(rank), 1000)),
    ]
    for rank in converted(tmp_path, RANKS, calls, "EZTrace 2.0")[0]:
        assert [each.second for each in (rank[0], rank[2])] == [(100, 200, 300, 400)] * 2
        assert (rank[1].name, rank[1].first) == ("reduce_scatter_block", BLOCK)


@pytest.mark.parametrize("name", ["Allreduce", "Allgather", "Alltoall", "Reduce_scatter_block"])
@pytest.mark.parametrize("in_place", [False, True])
def test_other_calls_decide_about_a_size_that_fits_both(
    tmp_path: Path, name: str, in_place: bool
) -> None:
    """48 B on 4 ranks are blocks of 12 B, or of 16 B in place."""
    times = RANKS - 1 if in_place else RANKS
    sizes = [48, times * 8, times * 20]
    found, made = converted(tmp_path, RANKS, [(name, equal(size)) for size in sizes])
    blocks = [16 if in_place else 12, 8, 20]
    assert [[each.first for each in rank] for rank in found] == [blocks] * RANKS
    given = [each["collective_bytes"] for each in made.summary["by_rank"]]
    whole = RANKS if name in {"Alltoall", "Reduce_scatter_block"} else 1
    assert given == [sum(blocks) * whole] * RANKS
    assert made.notes == ()


def test_what_no_call_decides_is_told_once(tmp_path: Path) -> None:
    calls = [("Allreduce", equal(16)), ("Allreduce", equal(32)), ("Allgatherv", equal(16))]
    found, made = converted(tmp_path, 2, calls)
    for rank in found:
        assert [each.first for each in rank[:2]] == [8, 16]
        assert rank[2].second == (8, 8)
    assert made.notes == (
        "2 MPI_Allgatherv, 4 MPI_Allreduce: their sizes fit calls with and without MPI_IN_PLACE;"
        " the replay assumes calls without it. If they are in place, their blocks on n ranks are"
        " too small by the factor (n - 1) / n",
    )


def test_only_one_reading_may_have_whole_words() -> None:
    assert is_in_place(4 * 1000, 4) is False
    assert is_in_place(3 * 1000, 4) is True
    assert is_in_place(7 * 8, 8) is True  # 7 B, or 8 B in place
    assert is_in_place(5 * 8, 5) is False  # 8 B, or 10 B in place
    assert is_in_place(16, 2) is None
    assert is_in_place(1000, 1) is False
