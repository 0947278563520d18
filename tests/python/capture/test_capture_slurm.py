"""Captures of programs that a real Slurm starts, by srun and by sbatch."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

import slurm_cluster
from operation_files import operations_of
from pantala.capture import capture
from pantala.errors import UsageError

pytestmark = pytest.mark.native

PROGRAM = """
#include <mpi.h>
int main(int argc, char **argv) {
    int rank, size;
    double sum, one = 1;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Allreduce(&one, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    MPI_Sendrecv(&one, 1, MPI_DOUBLE, (rank + 1) % size, 7, &sum, 1, MPI_DOUBLE,
                 (rank + size - 1) % size, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Finalize();
}
"""
CALLS = ["allreduce", "sendrecv_to", "sendrecv_from"]


def built(folder: Path, compiler: str) -> str:
    """Builds the program with a compiler, and returns its path."""
    source = folder / "program.c"
    source.write_text(PROGRAM)
    binary = folder / f"program-{compiler}"
    subprocess.run([compiler, "-o", binary, source], check=True)
    return str(binary)


def shape(file: Path) -> list[list[str]]:
    """Returns the calls of each rank of a capture."""
    return [[call.name for call in rank if call.name != "compute"] for rank in operations_of(file)]


@pytest.mark.full
@slurm_cluster.needs_cluster
@pytest.mark.needs("srun", "mpicc.openmpi", "mpicc.mpich")
def test_programs_of_both_libraries_are_captured_under_srun(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    open_mpi, mpich = (built(tmp_path, f"mpicc.{family}") for family in ("openmpi", "mpich"))
    (tmp_path / "two.sh").write_text(
        f"#!/bin/sh\nsrun --mpi=pmix -n 2 {open_mpi}\nsrun --mpi=pmix -n 3 {open_mpi}\n"
    )
    with slurm_cluster.cluster(tmp_path / "slurm") as configuration:
        monkeypatch.setenv("SLURM_CONF", str(configuration))
        monkeypatch.setenv("MPICC", "mpicc.openmpi")
        for number, options in enumerate(
            ([], ["--export=NONE"], ["--export", "NONE"], ["--export=PATH,A=1"])
        ):
            command = ["srun", "--mpi=pmix", *options, "-n", "4", open_mpi, "--export=own"]
            # srun splits values at commas.
            (made,) = capture(command, tmp_path / f"out,{number}", clock="cpu")
            assert shape(made.file) == [CALLS] * 4
        with monkeypatch.context() as patch:
            patch.setenv("SLURM_EXPORT_ENV", "NONE")
            command = ["srun", "--mpi=pmix", "-n", "2", open_mpi]
            (made,) = capture(command, tmp_path / "none", clock="cpu")
            assert shape(made.file) == [CALLS] * 2
        batch = [
            "sbatch",
            "--wait",
            "-n",
            "3",
            "-o",
            str(tmp_path / "log"),
            str(tmp_path / "two.sh"),
        ]
        made_by_batch = capture(batch, tmp_path / "batch", clock="cpu")
        assert [len(shape(made.file)) for made in made_by_batch] == [2, 3]
        assert shape(made_by_batch[1].file) == [CALLS] * 3
        monkeypatch.setenv("MPICC", "mpicc.mpich")
        (made,) = capture(["srun", "--mpi=pmi2", "-n", "2", mpich], tmp_path / "mpich", clock="cpu")
        assert shape(made.file) == [CALLS] * 2


def test_a_batch_job_that_nobody_waits_for_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = tmp_path / "sbatch"
    program.write_text("#!/bin/sh\nexit 1\n")
    program.chmod(0o755)
    with pytest.raises(UsageError) as raised:
        capture([str(program), "job.sh"], tmp_path / "out")
    assert str(raised.value) == (
        "sbatch: returns before its job runs; add --wait, or capture in the batch script"
    )
    assert not (tmp_path / "out").exists()
