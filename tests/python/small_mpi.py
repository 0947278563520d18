"""Small MPI programs for tests: how to build and start them, and what they need."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

__all__ = ["MPIRUN", "compiled", "missing_program", "needs_mpi"]

MPIRUN = ["mpirun", "--allow-run-as-root", "--oversubscribe", "-n"]


def missing_program() -> str | None:
    """Returns why no MPI program can be built and run here; None if one can."""
    missing = [name for name in ("mpicc", "mpirun") if shutil.which(name) is None]
    return f"{' and '.join(missing)} of Open MPI: not installed" if missing else None


needs_mpi = pytest.mark.skipif(missing_program() is not None, reason=missing_program() or "")


def compiled(source: Path, out: Path, *options: str) -> Path:
    """Builds a program with ``mpicc`` and returns its path."""
    subprocess.run(["mpicc", "-o", out, source, *options], check=True)
    return out
