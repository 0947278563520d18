"""Why a program could not be captured, where nothing of it says so."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

__all__ = ["NO_RANK", "is_static", "why_no_rank", "why_not_loaded"]

#: What it can be, where `why_no_rank` finds nothing.
NO_RANK = (
    "the program makes no MPI calls, uses sessions of MPI, or is started by a launcher that a"
    " script names by its full path; use the launcher's name"
)

_PT_INTERP = 3


def why_not_loaded(library: Path) -> str | None:
    """Returns a message if the loader of this system does not load the library."""
    environment = {**os.environ, "LD_PRELOAD": str(library), "LC_ALL": "C"}
    true = shutil.which("true") or "/bin/true"
    ended = subprocess.run([true], env=environment, capture_output=True, text=True, check=False)
    if ended.returncode == 0 and not ended.stderr:
        return None
    lines = ended.stderr.splitlines() or [f"the loader ends with status {ended.returncode}"]
    return (
        f"{library}: the capture library cannot be loaded: {lines[0]}; is the MPI library of MPICC"
        " on the search path (LD_LIBRARY_PATH)?"
    )


def why_no_rank(command: Sequence[str]) -> str | None:
    """Returns why no rank of a command called MPI_Init, with the remedy, if its words show it."""
    for word in command:
        path = shutil.which(word) or word
        if is_static(Path(path)):
            return (
                f"{word} is linked statically, so no library stands before it; link it dynamically"
            )
    python = next((word for word in command if Path(word).name.startswith("python")), None)
    if python is not None and shutil.which(python) is not None and not _has_mpi4py(python):
        return f"{python} has no mpi4py; install it there: {python} -m pip install mpi4py"
    return None


def _has_mpi4py(python: str) -> bool:
    look = "import importlib.util, sys; sys.exit(importlib.util.find_spec('mpi4py') is None)"
    return subprocess.run([python, "-c", look], capture_output=True, check=False).returncode == 0


def is_static(path: Path) -> bool:
    """Returns whether a file is a program that names no loader (ELF without PT_INTERP).

    A shared library names none either, but has no place to start at.
    """
    try:
        with path.open("rb") as file:
            start = file.read(64)
            if start[:5] != b"\x7fELF\x02" or start[5:6] != b"\x01" or start[16] not in (2, 3):
                return False
            if not any(start[24:32]):
                return False
            table, size = int.from_bytes(start[32:40], "little"), start[54] | start[55] << 8
            count = start[56] | start[57] << 8
            file.seek(table)
            headers = file.read(size * count)
    except OSError:
        return False
    kinds = [int.from_bytes(headers[at : at + 4], "little") for at in range(0, len(headers), size)]
    return _PT_INTERP not in kinds
