"""Communicators that only a part of the ranks makes, and intercommunicators."""

from __future__ import annotations

from pathlib import Path

import pytest

from operation_files import operations_of
from pantala.capture import capture
from pantala.core import native
from pantala.core.operation_codes import Code
from pantala.traces.rank_file import RankFile
from small_mpi import MPIRUN, compiled, needs_mpi, replay

PROGRAM = """
#include <mpi.h>
int main(int argc, char **argv) {
    int rank, ranks, data[64] = {0}, size;
    MPI_Request request;
    MPI_Status status;
    MPI_Comm made, half, inter, whole, copy;
    MPI_Group all, part;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    BODY
    MPI_Finalize();
}
"""
GROUPS = """
    MPI_Comm_group(MPI_COMM_WORLD, &all);
    int members[3] = {4, 1, 3}, others[2] = {2, 0}, first = rank % 2 || rank == 4;
    MPI_Group_incl(all, first ? 3 : 2, first ? members : others, &part);
    for (int turn = 0; turn < 2; turn++) {
        MPI_Comm_create_group(MPI_COMM_WORLD, part, 7, &made);
        MPI_Allreduce(MPI_IN_PLACE, data, 4, MPI_INT, MPI_SUM, made);
        MPI_Comm_rank(made, &size);
        if (size == 0) MPI_Send(data, 5, MPI_INT, 1, 3, made);
        if (size == 1) MPI_Recv(data, 5, MPI_INT, 0, 3, made, &status);
        if (turn == 1) MPI_Comm_free(&made);
    }
"""
INTER = """
    int odd = rank % 2;
    MPI_Comm_split(MPI_COMM_WORLD, odd, rank, &half);
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - odd, 9, &inter);
    MPI_Comm_dup(inter, &copy);
    // The ranks of the even group are 0, 2, 4; those of the odd one 1, 3.
    if (rank == 4) MPI_Send(data, 6, MPI_INT, 1, 3, inter);
    if (rank == 3) MPI_Recv(data, 6, MPI_INT, MPI_ANY_SOURCE, 3, inter, &status);
    if (rank == 1) MPI_Isend(data, 7, MPI_INT, 2, 4, copy, &request);
    if (rank == 4) MPI_Irecv(data, 7, MPI_INT, 0, 4, copy, &request);
    if (rank == 1 || rank == 4) MPI_Wait(&request, &status);
    MPI_Barrier(inter);
    MPI_Intercomm_merge(inter, odd == 0, &whole);
    MPI_Bcast(data, 8, MPI_INT, 0, whole);
    MPI_Comm_free(&copy);
    MPI_Comm_free(&inter);
"""


def captured(folder: Path, body: str) -> list[list[tuple[str, int, int, object]]]:
    """Returns the calls of each of five ranks: communicator, partner and ranks or bytes."""
    source = folder / "program.c"
    source.write_text(PROGRAM.replace("BODY", body))
    program = compiled(source, folder / "program")
    (made,) = capture([*MPIRUN, "5", str(program)], folder / "out", clock="cpu")
    assert made.notes == ()
    replay(made.file, 5, folder / "run")
    return [
        [
            (
                each.name,
                each.communicator,
                each.peer,
                each.second if each.name == "comm_join" else each.first,
            )
            for each in rank
            if each.name not in {"compute", "wait", "comm_split"}
        ]
        for rank in operations_of(made.file)
    ]


@needs_mpi
@pytest.mark.full
def test_a_group_makes_a_communicator(tmp_path: Path) -> None:
    found = captured(tmp_path, GROUPS)
    for rank, calls in enumerate(found):
        group = (2, 0) if rank in {0, 2} else (4, 1, 3)
        place = group.index(rank)
        expected: list[tuple[str, int, int, object]] = []
        for number in (2, 3):  # 1 is MPI_COMM_SELF
            expected += [("comm_join", 0, 0, group), ("allreduce", number, 0, 16)]
            expected += [("send", number, 1, 20)] if place == 0 else []
            expected += [("recv", number, 0, 20)] if place == 1 else []
        assert calls == [*expected, ("comm_free", 3, 0, 0)]


@needs_mpi
@pytest.mark.full
def test_an_intercommunicator_is_a_communicator_of_both_groups(tmp_path: Path) -> None:
    found = captured(tmp_path, INTER)
    both = (0, 2, 4, 1, 3)
    for rank, calls in enumerate(found):
        # 2 is the half, 3 the intercommunicator, 4 its copy, 5 the merged one, odd ranks first.
        expected: list[tuple[str, int, int, object]] = [
            ("comm_join", 0, 0, both),
            ("comm_dup", 3, 0, 0),
        ]
        expected += {
            4: [("send", 3, 4, 24), ("irecv", 4, 3, 28)],
            3: [("recv", 3, 2, 24)],
            1: [("isend", 4, 2, 28)],
        }.get(rank, [])
        expected += [("barrier", 3, 0, 0), ("comm_join", 0, 0, (1, 3, 0, 2, 4))]
        expected += [("bcast", 5, 0, 32), ("comm_free", 4, 0, 0), ("comm_free", 3, 0, 0)]
        assert calls == expected


def joined(folder: Path, contexts: list[int], groups: list[list[int]]) -> Path:
    """Returns a file in which rank r joins a communicator with a context and a group."""
    files = []
    for rank, (context, group) in enumerate(zip(contexts, groups, strict=True)):
        file = RankFile(folder / f"rank-{rank}.operations", len(groups), rank)
        file.emit(Code.COMM_JOIN, first=context, second=file.list_of(group))
        file.emit(Code.BARRIER, communicator=1)
        file.close([])
        files.append(file.path)
    out = folder / "joined.operations"
    native.merge_operation_files(files, out)
    return out


def test_a_joined_communicator_is_checked_and_replayed(tmp_path: Path) -> None:
    out = joined(tmp_path, [5, 5, 5, 5], [[0, 2], [3, 1], [0, 2], [3, 1]])
    assert native.operation_file(str(out))["calls_checked"]
    replay(out, 4, tmp_path / "run")


@pytest.mark.parametrize(
    ("contexts", "groups", "message"),
    [
        ([5, 6], [[0, 1], [0, 1]], "1 of the 2 ranks of the communicator"),
        ([0, 0], [[0, 1], [0, 1]], "there is no context 0"),
        ([5, 5], [[0, 0], [0, 1]], "a rank is twice in a group"),
    ],
)
def test_a_joined_communicator_that_does_not_fit_is_refused(
    contexts: list[int], groups: list[list[int]], message: str, tmp_path: Path
) -> None:
    with pytest.raises(ValueError, match=message):
        native.operation_file(str(joined(tmp_path, contexts, groups)))
