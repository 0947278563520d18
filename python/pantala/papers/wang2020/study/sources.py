"""AlexNet from three sources: built in, a coNCePTuaL program and a Python program."""

from __future__ import annotations

import itertools
from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any

import pantala
from pantala.core import native
from pantala.export.program_forms.operations import CODES, RUN, read_operations
from pantala.files.atomic_file import temporary_folder
from pantala.scenario import Scenario

__all__ = ["SOURCES", "calls", "received", "transitions"]

RANKS = 512
#: The programs lie in the source tree; an installed package does not have them.
_PROGRAMS = Path(pantala.__file__).parents[2] / "examples" / "programs"
SOURCES: dict[str, dict[str, Any]] = {
    "built in": {"kind": "alexnet"},
    "coNCePTuaL": {"kind": "ncptl", "file": str(_PROGRAMS / "alexnet.ncptl")},
    "Python": {"kind": "python", "file": str(_PROGRAMS / "alexnet.py")},
}
_CALLS = {"bcast": "MPI_Bcast", "allreduce": "MPI_Allreduce"}
_NO_CALLS = frozenset({"compute"})


def exists(source: str) -> bool:
    """Returns whether a source is there."""
    file = SOURCES[source].get("file")
    return file is None or Path(file).is_file()


@cache
def _plan(source: str, iterations: int = 0, gradient: str = "") -> dict[str, Any]:
    workload = dict(SOURCES[source])
    if iterations:
        workload |= {"iterations": iterations, "gradient": gradient}
    scenario = Scenario.from_dict(
        {
            "name": "alexnet",
            "machine": "wang2020_1d",
            "routing": "minimal",
            "jobs": [{"name": "alexnet", "ranks": RANKS, "workload": workload}],
        }
    )
    return scenario.plan()


@cache
def _ranks(source: str, iterations: int = 0, gradient: str = "") -> list[dict[str, Any]]:
    (job,) = native.communication(_plan(source, iterations, gradient))
    found: list[dict[str, Any]] = job["ranks"]
    return found


def calls(source: str) -> dict[str, int]:
    """Returns the calls of Table IV.

    Each rank starts and ends its program once, which counts as MPI_Init and MPI_Finalize. These are
    summed over ranks. The other calls are those of a rank, the same for all ranks.

    Raises:
        ValueError: the ranks make different numbers of calls.
    """
    ranks = _ranks(source)
    found = {"MPI_Init": len(ranks)}
    for call, name in _CALLS.items():
        (found[name],) = {rank["calls"].get(call, 0) for rank in ranks}
    return {**found, "MPI_Finalize": len(ranks)}


def received(source: str, iterations: int = 0, gradient: str = "") -> dict[str, int]:
    """Returns the bytes of Table V: received in Bcasts and Allreduces, by rank 0 and by the others.

    Args:
        source: the source.
        iterations: another number of updates, of the built-in source.
        gradient: with it, the bytes that an update sums.

    Raises:
        ValueError: the other ranks receive different numbers of bytes.
    """
    ranks = _ranks(source, iterations, gradient)
    found = {}
    for call, name in _CALLS.items():
        own = [rank["collective_bytes_received"].get(call, 0) for rank in ranks]
        found[f"{name} of rank 0"] = own[0]
        (found[f"{name} of ranks 1 to 511"],) = set(own[1:])
    return found


@cache
def transitions(source: str) -> dict[tuple[str, str], int]:
    """Returns how often a call follows another one on a rank, in a whole training.

    Raises:
        ValueError: the ranks have different control flows.
    """
    with temporary_folder() as folder:
        file = folder / "alexnet.ops"
        native.export_operations(_plan(source), "alexnet", file)
        operations = read_operations(file)
    flows: set[tuple[str, ...]] = set()
    for number in set(operations.starts):
        # Marks of iterations are no calls.
        names = [CODES[code] for code in _codes(operations, number) if code in CODES]
        flows.add(tuple(_CALLS[name] for name in names if name not in _NO_CALLS))
    (flow,) = flows
    whole = ("MPI_Init", *flow, "MPI_Finalize")
    return dict(Counter(itertools.pairwise(whole)))


def _codes(operations: Any, number: int) -> list[int]:
    found: list[int] = []
    for record in operations.block(number).tolist():
        if record[0] == RUN:
            found += _codes(operations, record[3]) * record[6]
        else:
            found.append(record[0])
    return found
