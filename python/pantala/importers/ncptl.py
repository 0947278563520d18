"""A coNCePTuaL program as the tables of a scenario with one job."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

__all__ = ["ncptl_tables"]

#: The routing of a program that runs alone.
ROUTING = "minimal"
_UNFIT = re.compile(r"[^A-Za-z0-9._-]+")


def ncptl_tables(
    file: Path, ranks: int, preset: str, arguments: Mapping[str, str]
) -> dict[str, Any]:
    """Returns the tables of a scenario in which a program runs alone.

    Args:
        file: the program.
        ranks: the number of ranks.
        preset: the machine.
        arguments: the values of the program's options.
    """
    name = _UNFIT.sub("-", file.stem).lstrip("._-")[:64] or "program"
    workload = {"kind": "ncptl", "file": str(file), "arguments": dict(arguments)}
    job = {"name": name, "ranks": ranks, "placement": "contiguous", "workload": workload}
    return {"name": name, "machine": {"preset": preset}, "routing": ROUTING, "jobs": [job]}
