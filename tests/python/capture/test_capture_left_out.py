"""What a capture cannot tell or leaves out stands in a note."""

from __future__ import annotations

from pathlib import Path

import pytest

from pantala.capture import Captured, capture
from pantala.capture.notes import read_notes
from small_mpi import MPIRUN, compiled, needs_mpi

PROGRAM = """
#include <mpi.h>
#include <unistd.h>
HELP
int main(int argc, char **argv) {
    int rank, data[64] = {0}, flag = 0;
    MPI_Request request;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    BODY
    MPI_Finalize();
}
"""


def captured(folder: Path, body: str, help_text: str = "") -> Captured:
    """Returns the capture on two ranks."""
    source = folder / "program.c"
    source.write_text(PROGRAM.replace("BODY", body).replace("HELP", help_text))
    program = compiled(source, folder / "program")
    (made,) = capture([*MPIRUN, "2", str(program)], folder / "out")
    return made


#: MPI_Finalize deletes the attributes of MPI_COMM_SELF first.
CLEANING = """
static int clean(MPI_Comm comm, int key, void *kept, void *extra) {
    int data[8] = {0};
    MPI_Allreduce(MPI_IN_PLACE, data, 8, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Allreduce(MPI_IN_PLACE, data, 8, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Bcast(data, 8, MPI_INT, 0, MPI_COMM_WORLD);
    return MPI_SUCCESS;
}
"""
CLEANED = """
    int key;
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, clean, &key, NULL);
    MPI_Comm_set_attr(MPI_COMM_SELF, key, NULL);
    MPI_Barrier(MPI_COMM_WORLD);
"""


@needs_mpi
@pytest.mark.full
def test_communication_during_finalize_is_counted(tmp_path: Path) -> None:
    made = captured(tmp_path, CLEANED, CLEANING)
    assert (
        "a capture ends where MPI_Finalize starts, and callbacks of attributes communicate after"
        " it; a replay lacks their traffic: 4 MPI_Allreduce, 2 MPI_Bcast (2 of 2 ranks)"
    ) in made.notes


#: Rank 1 waits for the message of rank 0, but not in a call.
POLLING = """
    if (rank == 0) {
        usleep(100000);
        MPI_Send(data, 4, MPI_INT, 1, 3, MPI_COMM_WORLD);
    } else {
        MPI_Irecv(data, 4, MPI_INT, 0, 3, MPI_COMM_WORLD, &request);
        for (; !flag; usleep(1000))
            MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
    }
"""


@needs_mpi
@pytest.mark.full
def test_waiting_by_tests_is_told(tmp_path: Path) -> None:
    made = captured(tmp_path, POLLING)
    (note,) = (note for note in made.notes if note.startswith("the time between tests"))
    assert "(MPI_Test, MPI_Iprobe) counts as computing, up to " in note
    assert " of a rank's (rank 1; 1 of 2 ranks): if the program only waits there" in note


def test_little_time_between_tests_is_not_told(tmp_path: Path) -> None:
    file = tmp_path / "rank-000000.note"
    file.write_text("polling: 9: 1000\n")
    assert read_notes([file]).shown(2) == ()
    file.write_text("polling: 250: 1000\n")
    (note,) = read_notes([file]).shown(2)
    assert "up to 25 % of a rank's (rank 0; 1 of 2 ranks)" in note
