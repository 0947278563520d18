"""One-sided communication is captured as the messages that follow from its calls."""

from __future__ import annotations

import subprocess
from collections import Counter
from pathlib import Path

import pytest

from operation_files import operations_of
from pantala.capture import Captured, capture
from small_mpi import MPIRUN, compiled, needs_mpi, replay

pytestmark = [pytest.mark.full, needs_mpi]

PROGRAM = """
#include <mpi.h>
int main(int argc, char **argv) {
    int rank, ranks, data[64] = {0}, shared[64] = {0}, one = 1, old, flag;
    MPI_Win window;
    MPI_Group all, before, after;
    MPI_Request request;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    int next = (rank + 1) % ranks, last = (rank + ranks - 1) % ranks;
    MPI_Win_create(shared, sizeof shared, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    BODY
    MPI_Win_free(&window);
    MPI_Finalize();
}
"""
FENCES = """
    MPI_Win_fence(0, window);
    MPI_Put(data, 5, MPI_INT, next, 0, 5, MPI_INT, window);
    MPI_Accumulate(data, 3, MPI_INT, next, 8, 3, MPI_INT, MPI_SUM, window);
    if (rank == 0)
        for (int size = 1; size < 4; size++)
            MPI_Get(data, size, MPI_INT, 2, 0, size, MPI_INT, window);
    MPI_Win_fence(0, window);
"""
GROUPS = """
    MPI_Comm_group(MPI_COMM_WORLD, &all);
    MPI_Group_incl(all, 1, &last, &before);
    MPI_Group_incl(all, 1, &next, &after);
    MPI_Win_post(before, 0, window);
    MPI_Win_start(after, 0, window);
    MPI_Put(data, 4, MPI_INT, next, 0, 4, MPI_INT, window);
    MPI_Get(data, 7, MPI_INT, next, 8, 7, MPI_INT, window);
    MPI_Win_complete(window);
    if (rank == 1)
        do MPI_Win_test(window, &flag); while (!flag);
    else
        MPI_Win_wait(window);
"""
LOCKS = """
    MPI_Win_lock_all(0, window);
    MPI_Put(data, 6, MPI_INT, next, 0, 6, MPI_INT, window);
    MPI_Win_flush(next, window);
    MPI_Rput(data, 2, MPI_INT, next, 0, 2, MPI_INT, window, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Fetch_and_op(&one, &old, MPI_INT, last, 0, MPI_SUM, window);
    MPI_Win_unlock_all(window);
"""


def captured(
    folder: Path, body: str, *, start: str | None = None
) -> tuple[Captured, list[Counter[tuple[str, int, int]]]]:
    """Returns the capture on three ranks, replayed, and how often each rank makes each call."""
    source = folder / "program.c"
    source.write_text(PROGRAM.replace("BODY", body))
    program = compiled(source, folder / "program")
    (made,) = capture([*MPIRUN, "3", str(program)], folder / "out", clock="cpu", start=start)
    replay(made.file, 3, folder / "run")
    return made, calls_of(made, "comm_join" if start else "comm_dup")


def calls_of(made: Captured, makes: str) -> list[Counter[tuple[str, int, int]]]:
    """Returns how often each rank makes each call other than those that make and free windows."""
    found = []
    for operations in operations_of(made.file):
        calls: Counter[tuple[str, int, int]] = Counter()
        for each in operations:
            if each.name not in {"compute", "wait", "waitall"}:
                assert isinstance(each.first, int)
                context = each.name == "comm_join"
                calls[each.name, each.peer, 0 if context else each.first] += 1
        assert calls.pop((makes, 0, 0)) == 1
        assert calls.pop(("comm_free", 0, 0)) == 1
        found.append(calls)
    return found


def test_fences(tmp_path: Path) -> None:
    made, found = captured(tmp_path, FENCES)
    assert made.notes == ()
    for rank, calls in enumerate(found):
        after, before = (rank + 1) % 3, (rank + 2) % 3
        expected = Counter({("barrier", 0, 0): 4})
        for size in (20, 12):
            expected.update({("ipost", after, size): 1, ("irecv", before, size): 1})
        for size in (4, 8, 12) if rank in {0, 2} else ():
            expected[("irecv", 2, size) if rank == 0 else ("isend", 0, size)] += 1
        assert calls == expected


def test_groups(tmp_path: Path) -> None:
    made, found = captured(tmp_path, GROUPS)
    # Rank 1 asks until its epoch has ended.
    assert not [note for note in made.notes if not note.startswith("the time between tests")]
    for rank, calls in enumerate(found):
        after, before = (rank + 1) % 3, (rank + 2) % 3
        assert calls == Counter(
            {
                ("barrier", 0, 0): 2,
                ("send", before, 0): 1,  # post
                ("recv", after, 0): 1,  # start
                ("ipost", after, 16): 1,
                ("irecv", before, 16): 1,
                ("isend", after, 0): 1,  # complete
                ("recv", before, 0): 1,  # wait
                ("irecv", after, 28): 1,
                ("isend", before, 28): 1,
            }
        )


def test_locks(tmp_path: Path) -> None:
    made, found = captured(tmp_path, LOCKS)
    assert made.notes == (
        "a capture leaves out one-sided communication under a lock; a replay lacks its traffic: 3"
        " MPI_Fetch_and_op, 3 MPI_Put, 3 MPI_Rput (3 of 3 ranks)",
    )
    assert found == [Counter({("barrier", 0, 0): 2})] * 3


#: The recorded part starts inside an epoch of locks.
LOCKED_BEFORE = """
    MPI_Win_lock_all(0, window);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Get_accumulate(data, 6, MPI_INT, data, 6, MPI_INT, next, 0, 6, MPI_INT, MPI_SUM, window);
    MPI_Win_unlock_all(window);
    MPI_Win_fence(0, window);
    MPI_Put(data, 5, MPI_INT, next, 0, 5, MPI_INT, window);
    MPI_Win_fence(0, window);
"""


def test_a_recorded_part_starts_under_a_lock(tmp_path: Path) -> None:
    made, found = captured(tmp_path, LOCKED_BEFORE, start="barrier")
    assert made.notes == (
        "a capture leaves out one-sided communication under a lock; a replay lacks its traffic: 3"
        " MPI_Get_accumulate (3 of 3 ranks)",
    )
    for rank, calls in enumerate(found):
        after, before = (rank + 1) % 3, (rank + 2) % 3
        assert calls == Counter(
            {("barrier", 0, 0): 3, ("ipost", after, 20): 1, ("irecv", before, 20): 1}
        )


#: It starts between the call of the target that lets others in and the calls of the origin.
POSTED_BEFORE = GROUPS.replace(
    "MPI_Win_start(after", "MPI_Barrier(MPI_COMM_WORLD); MPI_Win_start(after"
)


def test_a_recorded_part_starts_between_post_and_wait(tmp_path: Path) -> None:
    made, found = captured(tmp_path, POSTED_BEFORE, start="barrier")
    assert made.notes[0].startswith("3 receives without a message are left out")
    for rank, calls in enumerate(found):
        after, before = (rank + 1) % 3, (rank + 2) % 3
        assert calls == Counter(
            {
                ("barrier", 0, 0): 1,
                ("ipost", after, 16): 1,
                ("irecv", before, 16): 1,
                ("isend", after, 0): 1,  # complete
                ("recv", before, 0): 1,  # wait
                ("irecv", after, 28): 1,
                ("isend", before, 28): 1,
            }
        )


LARGE = """
#include <mpi.h>
#if MPI_VERSION < 4
#error
#endif
int main(int argc, char **argv) {
    int rank, data[64] = {0}, *shared;
    MPI_Win window;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    int next = (rank + 1) % 3;
    MPI_Win_allocate_c(256, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &shared, &window);
    MPI_Win_fence(0, window);
    MPI_Put_c(data, 5, MPI_INT, next, 0, 5, MPI_INT, window);
    MPI_Accumulate(data, 3, MPI_INT, next, 8, 3, MPI_INT, MPI_SUM, window);
    MPI_Get_c(data, 2, MPI_INT, next, 0, 2, MPI_INT, window);
    MPI_Win_fence(0, window);
    MPI_Win_free(&window);
    MPI_Finalize();
}
"""


@pytest.mark.needs("mpicc.mpich", "mpirun.mpich")
def test_calls_with_counts_of_64_bits_are_like_those_without(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MPICC", "mpicc.mpich")
    source, program = tmp_path / "program.c", tmp_path / "program"
    source.write_text(LARGE)
    ended = subprocess.run(["mpicc.mpich", "-o", program, source], capture_output=True, check=False)
    if ended.returncode != 0:
        pytest.skip("mpicc.mpich is of an older version than 4 of MPI")
    (made,) = capture(["mpirun.mpich", "-n", "3", str(program)], tmp_path / "out", clock="cpu")
    replay(made.file, 3, tmp_path / "run")
    assert made.notes == ()
    for rank, calls in enumerate(calls_of(made, "comm_dup")):
        after, before = (rank + 1) % 3, (rank + 2) % 3
        expected = Counter({("barrier", 0, 0): 4})
        for size in (20, 12):
            expected.update({("ipost", after, size): 1, ("irecv", before, size): 1})
        expected.update({("irecv", after, 8): 1, ("isend", before, 8): 1})
        assert calls == expected
