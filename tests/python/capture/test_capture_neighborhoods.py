"""Collectives of neighborhoods are captured as messages between neighbors."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from operation_files import operations_of
from pantala.capture import capture
from small_mpi import MPIRUN, compiled, needs_mpi, replay

pytestmark = [pytest.mark.full, needs_mpi]

PROGRAM = """
#include <mpi.h>
int main(int argc, char **argv) {
    int rank, ranks, dims[2] = {DIMS}, periods[2] = {1, 0}, one = 1;
    MPI_Request request;
    MPI_Comm made;
    char from[4096], to[4096];
    int counts[4], in_counts[4], places[4] = {0, 1000, 2000, 3000};
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    int next = (rank + 1) % ranks, last = (rank + ranks - 1) % ranks;
    BODY
    MPI_Finalize();
}
"""
CART = "MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &made);"


Messages = Counter[tuple[str, int, int]]


def captured(folder: Path, body: str, ranks: int, dims: str = "2, 2") -> list[Messages]:
    """Returns the messages of each rank: the call, the partner, bytes. Replays the capture, too."""
    source = folder / "program.c"
    source.write_text(PROGRAM.replace("BODY", body).replace("DIMS", dims))
    program = compiled(source, folder / "program")
    (made,) = capture([*MPIRUN, str(ranks), str(program)], folder / "out", clock="cpu")
    assert made.notes == ()
    replay(made.file, ranks, folder / "run")
    found = []
    for operations in operations_of(made.file):
        messages: Messages = Counter()
        for each in operations:
            if each.name in {"isend", "irecv"}:
                assert isinstance(each.first, int)
                messages[each.name, each.peer, each.first] += 1
        found.append(messages)
    return found


def test_both_neighbors_of_a_dimension_can_be_one_rank(tmp_path: Path) -> None:
    # Blocks differ by side: 10 B to the lower side, 20 B to the upper one, in dimension 0.
    body = (
        f"{CART}"
        "for (int at = 0; at < 4; at++) {"
        "  counts[at] = 10 * (at + 1);"
        "  in_counts[at] = 10 * ((at ^ 1) + 1); }"
        "MPI_Neighbor_alltoallv(from, counts, places, MPI_CHAR, to, in_counts, places, MPI_CHAR,"
        " made);"
    )
    found = captured(tmp_path, body, 4)
    for rank, messages in enumerate(found):
        other = rank ^ 2
        # Dimension 1 is not periodic: only one neighbor, on the upper or the lower side.
        side = rank ^ 1
        sent = 40 if rank % 2 == 0 else 30
        taken = 30 if rank % 2 == 0 else 40
        assert messages == Counter(
            {
                ("isend", other, 10): 1,
                ("isend", other, 20): 1,
                ("irecv", other, 10): 1,
                ("irecv", other, 20): 1,
                ("isend", side, sent): 1,
                ("irecv", side, taken): 1,
            }
        )


@pytest.mark.parametrize("blocking", [True, False])
def test_neighbors_of_a_graph(blocking: bool, tmp_path: Path) -> None:
    call = "eighbor_allgather(from, 6, MPI_DOUBLE, to, 6, MPI_DOUBLE, made"
    if blocking:
        call = f"MPI_N{call});"
    else:
        call = (
            f"MPI_In{call}, &request); MPI_Barrier(MPI_COMM_WORLD);"
            "MPI_Wait(&request, MPI_STATUS_IGNORE);"
        )
    body = (
        "int sources[2] = {last, last}, destinations[2] = {next, next};"
        "MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 2, sources, MPI_UNWEIGHTED, 2,"
        f" destinations, MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &made); {call}"
    )
    for rank, messages in enumerate(captured(tmp_path, body, 3)):
        assert messages == Counter(
            {("isend", (rank + 1) % 3, 48): 2, ("irecv", (rank + 2) % 3, 48): 2}
        )


def test_neighbors_of_an_old_graph(tmp_path: Path) -> None:
    # A star: rank 0 has all others as neighbors.
    body = (
        "int index[3] = {2, 3, 4}, edges[4] = {1, 2, 0, 0};"
        "MPI_Graph_create(MPI_COMM_WORLD, 3, index, edges, 0, &made);"
        "for (int turn = 0; turn < 2; turn++) {"
        "  MPI_Ineighbor_alltoall(from, 5, MPI_CHAR, to, 5, MPI_CHAR, made, &request);"
        "  MPI_Wait(&request, MPI_STATUS_IGNORE); }"
    )
    found = captured(tmp_path, body, 3)
    assert found[0] == Counter(
        {(name, peer, 5): 2 for name in ("isend", "irecv") for peer in (1, 2)}
    )
    assert found[2] == Counter({("isend", 0, 5): 2, ("irecv", 0, 5): 2})
