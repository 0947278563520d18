"""Pantala: a bench in a process of its own."""

from __future__ import annotations

import json
from collections.abc import Set
from pathlib import Path

from compare.description import Description
from compare.process import Failed, Process
from compare.simulator import Moved

__all__ = ["CHILD", "Pantala"]

#: The program of the process: one case of a bench, its result as JSON.
CHILD = (
    "import json, sys; from pantala.benchmark import bench_case;"
    " print(json.dumps(bench_case(*sys.argv[1:])))"
)


class Pantala:
    """Pantala; its executable is the Python that it is installed in."""

    key = "pantala"
    title = "Pantala"
    install = "make build"
    hops = "counted: every traversal of a link between routers, every ejection"
    statuses: Set[int] = frozenset({0})

    def differences(self, described: Description) -> list[str]:
        """None: the description is that of its plan."""
        return []

    def prepare(self, described: Description, directory: Path) -> list[str]:
        """The arguments of Python; the plan is made by the bench itself."""
        return ["-c", CHILD, described.bench, described.case]

    def moved(self, described: Description, directory: Path, process: Process) -> Moved:
        """The bench's own count and its processor time without set-up."""
        try:
            result = json.loads(process.output)
        except json.JSONDecodeError as error:
            raise Failed(f"pantala printed no result: {process.output.strip()[-200:]}") from error
        return Moved(result["packet_hops"], result["cpu_seconds"])
