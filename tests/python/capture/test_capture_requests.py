"""Requests that are cancelled, matched before they are received, or of no message."""

from __future__ import annotations

from pathlib import Path

import pytest

from operation_files import operations_of
from pantala.capture import capture
from small_mpi import MPIRUN, compiled, needs_mpi, replay

pytestmark = [pytest.mark.full, needs_mpi]

PROGRAM = """
#include <mpi.h>
int main(int argc, char **argv) {
    int rank, data[1024] = {0};
    MPI_Request request, requests[3];
    MPI_Message message;
    MPI_Status status;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    BODY
    MPI_Finalize();
}
"""
#: The first start of the receive is cancelled, the second takes the message.
CANCELLED = """
    if (rank == 0) {
        MPI_Recv_init(data, 8, MPI_INT, 1, 5, MPI_COMM_WORLD, &request);
        MPI_Start(&request);
        MPI_Cancel(&request);
        MPI_Wait(&request, &status);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) {
        MPI_Start(&request);
        MPI_Wait(&request, &status);
        MPI_Request_free(&request);
    } else {
        MPI_Send(data, 8, MPI_INT, 0, 5, MPI_COMM_WORLD);
    }
"""


def captured(folder: Path, body: str) -> list[list[tuple[str, int, int | tuple[int, ...]]]]:
    """Returns calls, requests and bytes of each of two ranks, once they were replayed."""
    source = folder / "program.c"
    source.write_text(PROGRAM.replace("BODY", body))
    program = compiled(source, folder / "program")
    (made,) = capture([*MPIRUN, "2", str(program)], folder / "out", clock="cpu")
    assert made.notes == ()
    assert made.deadlock == ""
    replay(made.file, 2, folder / "run")
    return [
        [(each.name, each.request, each.first) for each in rank if each.name != "compute"]
        for rank in operations_of(made.file)
    ]


def test_a_cancelled_start_of_a_persistent_receive_is_none(tmp_path: Path) -> None:
    receives, sends = captured(tmp_path, CANCELLED)
    assert receives == [
        *[("recv_init", 0, 32), ("barrier", 0, 0)],
        *[("start", 0, 0), ("wait", 0, 0), ("request_free", 0, 0)],
    ]
    assert sends == [("barrier", 0, 0), ("send", 0, 32)]


#: Open MPI gives one handle to all three: those of complete messages. The other rank receives them
#: only after the first wait, so that with it a long message would never arrive in a replay.
OF_NOBODY = """
    MPI_Isend(data, 5, MPI_INT, 1 - rank, 1, MPI_COMM_WORLD, &requests[0]);
    MPI_Isend(data, 6, MPI_INT, MPI_PROC_NULL, 1, MPI_COMM_WORLD, &requests[1]);
    MPI_Isend(data, 7, MPI_INT, 1 - rank, 2, MPI_COMM_WORLD, &requests[2]);
    MPI_Wait(&requests[1], &status);
    MPI_Recv(data, 5, MPI_INT, 1 - rank, 1, MPI_COMM_WORLD, &status);
    MPI_Recv(data, 7, MPI_INT, 1 - rank, 2, MPI_COMM_WORLD, &status);
    MPI_Wait(&requests[0], &status);
    MPI_Wait(&requests[2], &status);
"""


def test_a_request_of_no_message_is_not_taken_for_another(tmp_path: Path) -> None:
    for calls in captured(tmp_path, OF_NOBODY):
        assert calls == [
            *[("isend", 0, 20), ("isend", 1, 28), ("recv", 0, 20), ("recv", 0, 28)],
            *[("wait", 0, 0), ("wait", 1, 0)],
        ]


#: The first message is matched, so that the receive of equal source and tag takes the second.
MATCHED = """
    if (rank == 0) {
        for (int size = 250; size > 247; size--)
            MPI_Send(data, size, MPI_INT, 1, 3, MPI_COMM_WORLD);
    } else {
        MPI_Mprobe(0, 3, MPI_COMM_WORLD, &message, &status);
        MPI_Recv(data, 249, MPI_INT, 0, 3, MPI_COMM_WORLD, &status);
        MPI_Mrecv(data, 1000, MPI_INT, &message, &status);
        MPI_Mprobe(0, 3, MPI_COMM_WORLD, &message, &status);
        MPI_Imrecv(data, 1000, MPI_INT, &message, &request);
        MPI_Wait(&request, &status);
    }
"""


def test_a_matched_message_is_received_from_its_probe_on(tmp_path: Path) -> None:
    _, receives = captured(tmp_path, MATCHED)
    assert receives == [
        *[("probe", 0, 0), ("irecv", 0, 1000), ("recv", 0, 996), ("wait", 0, 0)],
        *[("probe", 0, 0), ("irecv", 0, 992), ("wait", 0, 0)],
    ]
