"""`make mpi` says what it lacks before it builds anything."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from support import ROOT

CHECK = ROOT / "requirements/check-mpi"


def folder_of_programs(folder: Path, *names: str) -> Path:
    """Returns a folder with the shell's own programs and stand-ins for `names`."""
    folder.mkdir()
    for name in ("sh", "tr"):
        (folder / name).symlink_to(shutil.which(name) or f"/bin/{name}")
    for name in names:
        (folder / name).write_text("#!/bin/sh\n")
        (folder / name).chmod(0o755)
    return folder


def checked(path: Path, libclang: Path) -> tuple[int, list[str]]:
    environment = {"PATH": str(path), "LIBCLANG_PATH": str(libclang)}
    ended = subprocess.run([CHECK], env=environment, capture_output=True, text=True, check=False)
    return ended.returncode, ended.stderr.splitlines()


def test_each_missing_program_is_one_line_with_its_remedy(tmp_path: Path) -> None:
    status, lines = checked(folder_of_programs(tmp_path / "bin"), tmp_path)
    assert status == 1
    assert lines == [
        "pantala: make mpi: mpicc, the compiler of an MPI library, is not installed; remedy:"
        " apt-get install libopenmpi-dev",
        "pantala: make mpi: mpirun is not installed; remedy: apt-get install openmpi-bin",
        "pantala: make mpi: libclang is not installed; remedy: apt-get install libclang-dev, or set"
        " LIBCLANG_PATH to the folder of libclang.so",
    ]


@pytest.mark.parametrize("name", ["libclang.so", "libclang.so.1", "libclang-14.so.13"])
def test_libclang_alone_is_missed(name: str, tmp_path: Path) -> None:
    path = folder_of_programs(tmp_path / "bin", "mpicc", "mpirun")
    libraries = tmp_path / "lib"
    libraries.mkdir()
    (libraries / "libclang-cpp.so.14").touch()  # a library of its own
    status, lines = checked(path, libraries)
    assert (status, len(lines)) == (1, 1)
    assert "libclang is not installed" in lines[0]
    (libraries / name).touch()
    assert checked(path, libraries) == (0, [])


def test_make_mpi_checks_first() -> None:
    shown = subprocess.run(
        ["make", "--no-print-directory", "-n", "mpi"],
        cwd=ROOT, capture_output=True, text=True, check=True, env={**os.environ, "MAKEFLAGS": ""},
    ).stdout  # fmt: skip
    assert shown.splitlines()[0] == "requirements/check-mpi"
