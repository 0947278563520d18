"""Small MPI programs for tests: how to build and start them, and what they need."""

from __future__ import annotations

import subprocess
import warnings
from pathlib import Path

import pytest

import pantala as pt

__all__ = ["MPIRUN", "compiled", "needs_mpi", "replay"]

#: Marks a test that builds and runs MPI programs.
needs_mpi = pytest.mark.needs("mpicc", "mpirun")
MPIRUN = ["mpirun", "--allow-run-as-root", "--oversubscribe", "-n"]


def compiled(source: Path, out: Path, *options: str) -> Path:
    """Builds a program with ``mpicc`` and returns its path."""
    subprocess.run(["mpicc", "-o", out, source, *options], check=True)
    return out


def replay(file: Path, ranks: int, out: Path) -> None:
    """Simulates the operations of a file; warnings of its notes are left to the tests of notes."""
    workload = {"kind": "operations", "path": str(file)}
    scenario = pt.Scenario.from_dict(
        {
            "name": "app",
            "machine": "kang2022",
            "routing": "minimal",
            "jobs": [{"name": "app", "ranks": ranks, "workload": workload}],
        }
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", pt.ScenarioWarning)
        pt.run(scenario, out, report=False, progress=False)
