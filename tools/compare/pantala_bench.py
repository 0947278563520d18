"""Pantala: a bench in its own process."""

from __future__ import annotations

import json
from collections.abc import Set
from pathlib import Path

from compare.description import Description
from compare.process import Failed, Process
from compare.simulator import Moved

__all__ = ["CHILD", "Pantala"]

#: The program of the process. It runs one case of a bench and prints the result as JSON.
CHILD = (
    "import json, sys; from pantala.runs.benchmark import bench_case;"
    " print(json.dumps(bench_case(*sys.argv[1:])))"
)


class Pantala:
    """Pantala. Its executable is the Python in which it is installed."""

    key = "pantala"
    title = "Pantala"
    install = "make build"
    hops = "counted: every traversal of a link between routers, every ejection"
    statuses: Set[int] = frozenset({0})

    def differences(self, described: Description) -> list[str]:
        """Returns nothing, because the description is made from Pantala's plan."""
        return []

    def prepare(self, described: Description, directory: Path) -> list[str]:
        """Returns the arguments of Python; the bench itself makes the plan."""
        return ["-c", CHILD, described.bench, described.case]

    def moved(self, described: Description, directory: Path, process: Process) -> Moved:
        """Returns the bench's own count and its CPU time without set-up."""
        try:
            result = json.loads(process.output)
        except json.JSONDecodeError as error:
            raise Failed(f"pantala printed no result: {process.output.strip()[-200:]}") from error
        return Moved(result["packet_hops"], result["cpu_seconds"])
