"""Calls of Fortran are captured by each binding, beside calls of C, as a counter says."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

import pantala as pt
from operation_files import Operation, operations_of
from pantala.capture import capture
from small_mpi import MPIRUN, compiled, needs_mpi
from support import ROOT

pytestmark = [pytest.mark.full, pytest.mark.needs("gfortran", "mpif90"), needs_mpi]

PROGRAMS = ROOT / "tests" / "mpi_programs" / "fortran"
BINDINGS = {"mpif.h": (), "mpi": ("-DMODULE",), "mpi_f08": ("-DF08",)}


def fortran(out: Path, binding: str, *options: str) -> Path:
    """Builds the subroutine of ``bindings.F90`` as a shared library."""
    flags = ("-w", "-fallow-argument-mismatch", *BINDINGS[binding], *options)
    source = str(PROGRAMS / "bindings.F90")
    command = ["mpif90", *flags, "-fPIC", "-shared", "-o", str(out), source]
    subprocess.run(command, check=True, cwd=out.parent)
    return out


def shown(operation: Operation) -> str | None:
    """Returns an operation as ``fortran/count.c`` writes it; None if it does not count it."""
    name, peer, size = operation.name, operation.peer, operation.first
    if name in {"wait", "waitall"}:
        return "Waitall"
    if name == "barrier":
        return "Barrier"
    if name in {"send", "isend", "bcast"}:
        return f"{name.capitalize()} {peer} {size}"
    if name in {"recv", "irecv", "allreduce", "alltoall"}:
        return f"{name.capitalize()} {size}"
    return f"Sendrecv to {peer} {size}" if name == "sendrecv_to" else None


@pytest.mark.parametrize("binding", BINDINGS)
def test_a_library_in_fortran_is_captured_beside_calls_of_c(binding: str, tmp_path: Path) -> None:
    library = fortran(tmp_path / "libtraffic.so", binding)
    program = compiled(PROGRAMS / "bindings.c", tmp_path / "main", "-ldl")
    counter = PROGRAMS / "count.c"
    subprocess.run(["mpif90", "-shared", "-fPIC", "-o", tmp_path / "count.so", counter], check=True)
    command = [*MPIRUN, "4", str(program), str(library)]
    environment = {
        **os.environ,
        "OMPI_MCA_mca_base_env_list": f"LD_PRELOAD={tmp_path / 'count.so'}",
        "COUNT_DIR": str(tmp_path),
    }
    subprocess.run(command, check=True, env=environment)
    (made,) = capture(command, tmp_path / "out", clock="cpu")
    assert made.notes == ()
    for rank, operations in enumerate(operations_of(made.file)):
        calls = [text for text in map(shown, operations) if text]
        # The calls of C are the first, the second last and the last.
        assert calls[0] == "Irecv 64"
        assert calls[-2:] == [f"Send {(rank + 1) % 4} 64", "Waitall"]
        counted = (tmp_path / f"fortran-{rank}.txt").read_text().splitlines()
        assert calls[1:-2] == counted
        assert len(counted) == 13 + (rank < 2)
        assert not any(each.flags & 3 for each in operations)
    job = {"name": "app", "ranks": 4, "workload": {"kind": "operations", "path": str(made.file)}}
    pt.run(
        pt.Scenario.from_dict(
            {"name": "app", "machine": "kang2022", "routing": "minimal", "jobs": [job]}
        ),
        out=tmp_path / "run",
        report=False,
        progress=False,
    )


@pytest.mark.parametrize("binding", BINDINGS)
def test_a_program_in_fortran_is_captured(binding: str, tmp_path: Path) -> None:
    library = fortran(tmp_path / "libtraffic.so", binding)
    source = tmp_path / "main.f90"
    source.write_text(
        "use mpi\ninterface\nsubroutine traffic() bind(c, name='traffic_')\nend subroutine\n"
        "end interface\ncall MPI_Init(i)\ncall traffic()\ncall MPI_Finalize(i)\nend\n"
    )
    program = tmp_path / "main"
    linked = [str(library), f"-Wl,-rpath,{tmp_path}"]
    command = ["mpif90", "-o", str(program), str(source), *linked]
    subprocess.run(command, check=True, cwd=tmp_path)
    (made,) = capture([*MPIRUN, "4", str(program)], tmp_path / "out")
    assert made.iterations == 2
    names = [each.name for each in operations_of(made.file)[2] if each.name != "compute"]
    assert names == [
        "comm_split",
        *["irecv", "isend", "waitall", "allreduce"] * 2,
        *["sendrecv_to", "sendrecv_from", "bcast", "bcast", "alltoall", "barrier", "comm_free"],
    ]  # fmt: skip
