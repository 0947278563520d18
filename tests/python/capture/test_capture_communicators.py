"""Communicators that the program copies or frees while something else is under way."""

from __future__ import annotations

from pathlib import Path

import pytest

from operation_files import Operation, operations_of
from pantala.capture import capture
from pantala.errors import UsageError
from small_mpi import MPIRUN, compiled, needs_mpi, replay

pytestmark = [pytest.mark.full, needs_mpi]

PROGRAM = """
#include <mpi.h>
#include <stdlib.h>
HELP
int main(int argc, char **argv) {
    int rank, data[64] = {0}, sum;
    MPI_Comm made, other, inner;
    MPI_Request request, requests[4];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    BODY
    MPI_Finalize();
}
"""
#: A call that did not return until both ranks make it would wait for ever.
COPY = """
    if (rank == 0) {
        MPI_Comm_idup(MPI_COMM_WORLD, &made, &request);
        MPI_Send(data, 4, MPI_INT, 1, 3, MPI_COMM_WORLD);
    } else {
        MPI_Recv(data, 4, MPI_INT, 0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Comm_idup(MPI_COMM_WORLD, &made, &request);
    }
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Barrier(made);
    MPI_Comm_free(&made);
"""
#: The ranks complete two copies in different orders, before and after a collective.
COPIES = """
    MPI_Comm_idup(MPI_COMM_WORLD, &made, &requests[0]);
    MPI_Comm_idup(MPI_COMM_WORLD, &other, &requests[1]);
    if (rank == 0) {
        MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
        MPI_Bcast(data, 4, MPI_INT, 0, MPI_COMM_WORLD);
        MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
        MPI_Send(data, 5, MPI_INT, 1, 3, other);
        MPI_Send(data, 6, MPI_INT, 1, 3, made);
    } else {
        MPI_Bcast(data, 4, MPI_INT, 0, MPI_COMM_WORLD);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
        MPI_Recv(data, 6, MPI_INT, 0, 3, made, MPI_STATUS_IGNORE);
        MPI_Recv(data, 5, MPI_INT, 0, 3, other, MPI_STATUS_IGNORE);
    }
"""


def captured(folder: Path, body: str, help_text: str = "", ranks: int = 2) -> list[list[Operation]]:
    """Returns the operations of each rank without computing, once they were replayed."""
    source = folder / "program.c"
    source.write_text(PROGRAM.replace("BODY", body).replace("HELP", help_text))
    program = compiled(source, folder / "program")
    (made,) = capture([*MPIRUN, str(ranks), str(program)], folder / "out", clock="cpu")
    assert made.notes == ()
    replay(made.file, ranks, folder / "run")
    return [[each for each in rank if each.name != "compute"] for rank in operations_of(made.file)]


def shape(operations: list[Operation]) -> list[tuple[str, int, int | tuple[int, ...]]]:
    """Returns calls, communicators and bytes."""
    return [(each.name, each.communicator, each.first) for each in operations]


def test_a_copy_without_blocking_stands_where_its_request_completes(tmp_path: Path) -> None:
    for rank, operations in enumerate(captured(tmp_path, COPY)):
        message = ("recv" if rank else "send", 0, 16)
        assert shape(operations) == [
            message,
            ("comm_dup", 0, 0),
            ("barrier", 2, 0),  # 1 is MPI_COMM_SELF
            ("comm_free", 2, 0),
        ]


def test_copies_without_blocking_are_in_one_order_on_all_ranks(tmp_path: Path) -> None:
    sends, receives = captured(tmp_path, COPIES)
    first = [("comm_dup", 0, 0), ("comm_dup", 0, 0), ("bcast", 0, 16)]
    assert shape(sends) == [*first, ("send", 3, 20), ("send", 2, 24)]
    assert shape(receives) == [*first, ("recv", 2, 24), ("recv", 3, 20)]


#: A library keeps a communicator of its own in an attribute, and copies and frees it in callbacks.
KEEPING = """
static int copy(MPI_Comm from, int key, void *extra, void *kept, void *out, int *found) {
    MPI_Comm *mine = malloc(sizeof *mine);
    MPI_Comm_dup(*(MPI_Comm *)kept, mine);
    *(void **)out = mine;
    *found = 1;
    return MPI_SUCCESS;
}
static int drop(MPI_Comm from, int key, void *kept, void *extra) {
    return MPI_Comm_free(kept);
}
"""
KEPT = """
    int key, found;
    MPI_Comm *kept = malloc(sizeof *kept);
    MPI_Comm_create_keyval(copy, drop, &key, NULL);
    for (int turn = 0; turn < 2; turn++) {
        MPI_Comm_dup(MPI_COMM_WORLD, kept);
        MPI_Comm_dup(MPI_COMM_WORLD, &made);
        MPI_Comm_set_attr(made, key, kept);
        MPI_Comm_dup(made, &other);
        MPI_Comm *copied;
        MPI_Comm_get_attr(other, key, &copied, &found);
        MPI_Barrier(*copied);
        MPI_Comm_free(&made);
        MPI_Comm_free(&other);
    }
"""


def test_communicators_in_callbacks_of_attributes_are_followed(tmp_path: Path) -> None:
    turn = [
        *[("comm_dup", 0, 0), ("comm_dup", 0, 0)],  # 2 is kept, 3 has the attribute
        *[("comm_dup", 2, 0), ("comm_dup", 3, 0)],  # 4 and 5 are the copies
        ("barrier", 4, 0),
        *[("comm_free", 2, 0), ("comm_free", 3, 0), ("comm_free", 4, 0), ("comm_free", 5, 0)],
    ]
    for operations in captured(tmp_path, KEPT, KEEPING):
        assert shape(operations) == [*turn, *turn]


#: The communicator goes on to exist until its collectives have ended. (Open MPI 5 keeps it only
#: while a message of it is under way, too.)
FREED = """
    static char to[100000], from[100000];
    MPI_Comm_dup(MPI_COMM_WORLD, &made);
    MPI_Irecv(from, sizeof from, MPI_CHAR, 1 - rank, 1, made, &requests[0]);
    MPI_Isend(to, sizeof to, MPI_CHAR, 1 - rank, 1, made, &requests[1]);
    MPI_Ibarrier(made, &requests[2]);
    MPI_Iallreduce(data, &sum, 1, MPI_INT, MPI_SUM, made, &requests[3]);
    MPI_Comm_free(&made);
    MPI_Comm_split(MPI_COMM_WORLD, 0, rank, &other);
    MPI_Waitall(3, requests, MPI_STATUSES_IGNORE);
    MPI_Wait(&requests[3], MPI_STATUS_IGNORE);
    MPI_Bcast(data, 4, MPI_INT, 0, other);
"""


def test_a_communicator_is_freed_after_its_collectives(tmp_path: Path) -> None:
    for operations in captured(tmp_path, FREED):
        assert shape(operations) == [
            ("comm_dup", 0, 0),
            *[("irecv", 2, 100_000), ("isend", 2, 100_000), ("barrier", 2, 0), ("allreduce", 2, 4)],
            *[("comm_split", 0, 0), ("waitall", 0, 0), ("wait", 0, 0), ("comm_free", 2, 0)],
            ("bcast", 3, 16),
        ]


#: Counts and places are only there on the root, and are of the other group: rank 0 alone here.
BETWEEN = """
    int counts[3] = {1, 2, 3}, places[3] = {0, 1, 3}, root = rank ? 0 : MPI_ROOT;
    MPI_Comm_split(MPI_COMM_WORLD, rank > 0, rank, &other);
    MPI_Intercomm_create(other, 0, MPI_COMM_WORLD, rank == 0, 5, &made);
    MPI_Barrier(made);
    CALL
"""


@pytest.mark.parametrize(
    ("name", "call"),
    [
        (
            "MPI_Gatherv",
            "MPI_Gatherv(data, rank, MPI_INT, data, rank ? NULL : counts, rank ? NULL : places,"
            " MPI_INT, root, made);",
        ),
        (
            "MPI_Iscatterv",
            "MPI_Iscatterv(data, rank ? NULL : counts, rank ? NULL : places, MPI_INT, data, rank,"
            " MPI_INT, root, made, &request); MPI_Wait(&request, MPI_STATUS_IGNORE);",
        ),
    ],
)
def test_collectives_between_two_groups_are_refused_by_name(
    name: str, call: str, tmp_path: Path
) -> None:
    source = tmp_path / "program.c"
    body = BETWEEN.replace("CALL", call)
    source.write_text(PROGRAM.replace("BODY", body).replace("HELP", ""))
    program = compiled(source, tmp_path / "program")
    with pytest.raises(UsageError) as raised:
        capture([*MPIRUN, "4", str(program)], tmp_path / "out")
    reason = "a capture does not follow collectives of intercommunicators but barriers"
    assert f": {name}: {reason}" in str(raised.value)
