"""Small MPI programs for tests: how to build and start them, and what they need."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

__all__ = ["MPIRUN", "compiled", "needs_mpi"]

#: Marks a test that builds and runs MPI programs.
needs_mpi = pytest.mark.needs("mpicc", "mpirun")
MPIRUN = ["mpirun", "--allow-run-as-root", "--oversubscribe", "-n"]


def compiled(source: Path, out: Path, *options: str) -> Path:
    """Builds a program with ``mpicc`` and returns its path."""
    subprocess.run(["mpicc", "-o", out, source, *options], check=True)
    return out
