"""Files that a scenario file names: beside the scenario file, or in the current directory."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

__all__ = ["with_paths_beside"]

#: The keys of jobs whose values are files.
_KEYS = ("file", "path", "graphfile")


def with_paths_beside(tables: Mapping[str, Any], folder: Path) -> dict[str, Any]:
    """Returns the tables of a scenario file with the paths of files that lie in its folder.

    A relative path in `jobs` is that of a file in the folder, if there is one, and otherwise stays
    as it is: relative to the current directory. So are the files of a topology's links and the
    table that q_adaptive starts from.

    Args:
        tables: the tables of a scenario.
        folder: the folder of the scenario file.
    """
    found = dict(tables)
    if "jobs" in found:
        found["jobs"] = _within(found["jobs"], folder, _KEYS)
    for table in ("background", "snapshot"):
        if table in found:
            found[table] = _within(found[table], folder, _KEYS)
    if isinstance(found.get("machine"), Mapping):
        found["machine"] = _machine(found["machine"], folder)
    for routing in ("routing", "routing_all_to_all"):
        if isinstance(found.get(routing), Mapping):
            found[routing] = _within(found[routing], folder, ("table",))
    return found


def _machine(machine: Mapping[str, Any], folder: Path) -> dict[str, Any]:
    """Returns the machine with the files of its links."""
    topology = machine.get("topology")
    if not isinstance(topology, Mapping):
        return dict(machine)
    found = _within(topology, folder, ("links_file", "file"))
    if isinstance(found.get("failed_links"), str):
        found["failed_links"] = _file(found["failed_links"], folder)
    return {**machine, "topology": found}


def _within(value: Any, folder: Path, keys: tuple[str, ...]) -> Any:
    if isinstance(value, Mapping):
        return {
            key: _file(each, folder)
            if key in keys and isinstance(each, str)
            else each
            if key == "arguments"  # of a user's program
            else _within(each, folder, keys)
            for key, each in value.items()
        }
    if isinstance(value, list):
        return [_within(each, folder, keys) for each in value]
    return value


def _file(name: str, folder: Path) -> str:
    """Returns the path of a file or of a trace's files in the folder; else the name as given."""
    there = folder / name
    if Path(name).is_absolute() or not name:
        return name
    # DUMPI and Chakra: a path can be the beginning of the names of the ranks' files.
    exists = there.exists() or (there.name and any(there.parent.glob(f"{_plain(there.name)}*")))
    return str(there) if exists else name


def _plain(name: str) -> str:
    """Returns a name in which no character is a pattern."""
    return "".join(f"[{letter}]" if letter in "*?[" else letter for letter in name)
