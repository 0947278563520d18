"""Persistent collectives, of MPICH and Open MPI 5 (MPI 4), and of Open MPI 4 (an extension)."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from operation_files import Operation, operations_of
from pantala.capture import capture
from small_mpi import needs_mpi, replay

PROGRAM = """
#include <mpi.h>
#if defined OPEN_MPI && OMPI_MAJOR_VERSION < 5
#include <mpi-ext.h>
#define INIT(name) MPIX_##name##_init
#else
#define INIT(name) MPI_##name##_init
#endif
int main(int argc, char **argv) {
    int rank, data[64] = {0}, more[64] = {0};
    int counts[3] = {1, 2, 3}, places[3] = {0, 1, 3};
    MPI_Request requests[5];
    MPI_Comm ring;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Cart_create(MPI_COMM_WORLD, 1, (int[]){3}, (int[]){1}, 0, &ring);
    INIT(Bcast)(data, 8, MPI_INT, 2, ring, MPI_INFO_NULL, &requests[0]);
    INIT(Allreduce)(data, more, 4, MPI_INT, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[1]);
    INIT(Gatherv)(data, rank + 1, MPI_INT, more, counts, places, MPI_INT, 0, MPI_COMM_WORLD,
                  MPI_INFO_NULL, &requests[2]);
    INIT(Barrier)(ring, MPI_INFO_NULL, &requests[3]);
    INIT(Neighbor_alltoall)(data, 2, MPI_INT, more, 2, MPI_INT, ring, MPI_INFO_NULL, &requests[4]);
    MPI_Barrier(MPI_COMM_WORLD);
    for (int turn = 0; turn < 2; turn++) {
        MPI_Start(&requests[0]);
        MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
        MPI_Startall(4, &requests[1]);
        MPI_Waitall(4, &requests[1], MPI_STATUSES_IGNORE);
    }
    for (int each = 0; each < 5; each++)
        MPI_Request_free(&requests[each]);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
}
"""


def shape(operations: list[Operation]) -> list[tuple[str, int | tuple[int, ...]]]:
    """Returns calls and sizes, without computing."""
    return [
        (each.name, each.second if each.name == "gatherv" else each.first)
        for each in operations
        if each.name not in {"compute", "wait", "waitall", "comm_split", "comm_join"}
    ]


TURN = [
    ("bcast", 32),
    ("allreduce", 16),
    ("gatherv", (4, 8, 12)),
    ("barrier", 0),
    *[("irecv", 8), ("irecv", 8), ("isend", 8), ("isend", 8)],
]


@needs_mpi
@pytest.mark.full
@pytest.mark.parametrize("start", [None, "barrier:1"])
@pytest.mark.parametrize(
    ("compiler", "launcher"),
    [
        pytest.param("mpicc.openmpi", ["mpirun.openmpi", "--allow-run-as-root", "--oversubscribe"],
                     marks=pytest.mark.needs("mpicc.openmpi", "mpirun.openmpi")),
        pytest.param("mpicc.mpich", ["mpirun.mpich"],
                     marks=pytest.mark.needs("mpicc.mpich", "mpirun.mpich")),
    ],
)  # fmt: skip
def test_each_start_is_a_collective(
    compiler: str,
    launcher: list[str],
    start: str | None,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("MPICC", compiler)
    source, binary = tmp_path / "program.c", tmp_path / "program"
    source.write_text(PROGRAM)
    subprocess.run([compiler, "-o", binary, source], check=True)
    command = [*launcher, "-n", "3", str(binary)]
    (made,) = capture(command, tmp_path / "out", clock="cpu", start=start)
    assert made.notes == ()
    first = [] if start else [("barrier", 0)]
    for rank in operations_of(made.file):
        assert shape(rank) == [*first, *TURN, *TURN, ("barrier", 0)]
        # Every start is waited for, and the requests of the file are free at the end.
        waits = [each.name for each in rank if each.name in {"wait", "waitall"}]
        assert waits == ["wait", "waitall"] * 2
    replay(made.file, 3, tmp_path / "run")
