"""More ranks than processors with wall-clock time: how much of the computing is waiting."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from pantala.capture import capture
from pantala.capture.notes import read_notes
from small_mpi import MPIRUN, compiled, needs_mpi

PROGRAM = """
#include <mpi.h>
int main(int argc, char **argv) {
    volatile double x = 1;
    MPI_Init(&argc, &argv);
    for (long k = 0; k < 20000000; k++) x *= 1.0000001;
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
}
"""


def test_the_share_of_waiting_is_named(tmp_path: Path) -> None:
    first, second = (tmp_path / f"rank-00000{rank}.note" for rank in range(2))
    first.write_text("shared: 3: 1\ncomputing: 2000: 1900\n")
    second.write_text("computing: 6000: 500\ncomputing: 60")  # a line that a killed rank cut off
    expected = (
        "3 ranks share 1 processor of a host, and the computing times are wall-clock times: they"
        " contain the time that other ranks had the processor{}; capture with --clock cpu, or start"
        " at most 1 rank per host"
    )
    (shown,) = read_notes([first, second]).shown(3)
    assert shown == expected.format(", at most 70 % of them (rank 1: 92 %)")
    second.write_text("computing: 2000: 1996\n")
    first.write_text("shared: 3: 1\ncomputing: 2000: 1999\n")
    assert read_notes([first, second]).shown(3) == ()  # less than would show
    first.write_text("shared: 3: 1\n")
    second.unlink()
    (shown,) = read_notes([first]).shown(3)
    assert shown == expected.format("")
    second.write_text("computing: 0: 0\n")
    assert read_notes([first, second]).shown(3) == (shown,)


@needs_mpi
@pytest.mark.full
def test_ranks_that_share_a_processor_measure_both_clocks(tmp_path: Path) -> None:
    source = tmp_path / "compute.c"
    source.write_text(PROGRAM)
    binary = compiled(source, tmp_path / "compute")
    ranks = 2 * len(os.sched_getaffinity(0)) + 1
    command = [*MPIRUN, str(ranks), str(binary)]
    (made,) = capture(command, tmp_path / "wall")
    (note,) = made.notes
    match = re.search(r"at most ([\d.]+) % of them \(rank \d+: ([\d.]+) %\)", note)
    assert match is not None, note
    # Each processor has at least two ranks, which compute at the same time.
    assert 0 < float(match[1]) <= float(match[2]) <= 100
    (made,) = capture(command, tmp_path / "cpu", clock="cpu")
    assert made.notes == ()
