"""Where keys belong that stand at the top level of a scenario by mistake."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from pantala.models.base import Model
from pantala.scenario.detail import Detail
from pantala.scenario.machine import Machine
from pantala.scenario.mpi import Mpi
from pantala.scenario.record import Record
from pantala.scenario.stop import Stop

__all__ = ["key_homes"]


@cache
def key_homes() -> Mapping[str, str]:
    """Returns the table to which each key of a table belongs, if it is a key of one table only."""
    tables: dict[str, type[Model]] = {
        "machine": Machine,
        "detail": Detail,
        "mpi": Mpi,
        "stop": Stop,
        "record": Record,
    }
    found: dict[str, list[str]] = {}
    for name, model in tables.items():
        for key in model.known_keys().values():
            found.setdefault(key, []).append(f"[{name}]")
    for key in ("kind", "ranks", "workload"):
        found[key] = ["the workload of a job" if key == "kind" else "[[jobs]]"]
    return {key: names[0] for key, names in found.items() if len(set(names)) == 1}
