"""The form of run.json, as far as Python reads it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

__all__ = ["misfit"]

_TEXT, _NUMBER, _FLAG, _TABLE, _LIST = "a text", "a number", "true or false", "an object", "a list"
_ABSENT = object()
#: The keys whose absence is a fault; older runs may lack others.
_NEEDED = ("plan", "plan.name", "plan.jobs", "complete")
_NEEDED_OF_A_JOB = ("name", "ranks", "workload.kind")
#: The types of keys that are there; all but numbers may be null.
_TYPES = {
    **dict.fromkeys(("reason", "result_hash", "coarsened", "pantala", "plan.name"), _TEXT),
    **dict.fromkeys(("complete",), _FLAG),
    **dict.fromkeys(("simulated_ns", "plan.seed", "plan.packet_bytes"), _NUMBER),
    **dict.fromkeys(("plan", "skipped", "counters", "conservation", "provenance"), _TABLE),
    **dict.fromkeys(("tables", "plan.topology", "plan.links", "plan.router"), _TABLE),
    **dict.fromkeys(("plan.nic", "plan.routing", "plan.routing_all_to_all", "plan.mpi"), _TABLE),
    **dict.fromkeys(("plan.detail", "plan.record", "plan.stop", "plan.derived"), _TABLE),
    **dict.fromkeys(("plan.record.blame", "plan.record.ports", "plan.record.system"), _TABLE),
    **dict.fromkeys(("plan.record.routers", "plan.routing.q_adaptive"), _TABLE),
    **dict.fromkeys(("plan.assumptions", "plan.links.terminal", "plan.links.global"), _TABLE),
    **dict.fromkeys(("plan.links.local", "plan.links.row", "plan.links.column"), _TABLE),
    **dict.fromkeys(("plan.detail.coarsen", "plan.stop.duration_ps"), _NUMBER),
    **dict.fromkeys(("plan.stop.watchdog_ps", "plan.record.packet_sample"), _NUMBER),
    **dict.fromkeys(
        [
            f"plan.record.{key}_ps"
            for key in (
                *("window", "link_window", "routing_windows", "latency_windows", "nic_windows"),
                *("packet_from", "packet_until"),
            )
        ],
        _NUMBER,
    ),
    **dict.fromkeys(("plan.jobs",), _LIST),
}
_TYPES_OF_A_JOB = {
    **dict.fromkeys(("name", "application", "workload.kind"), _TEXT),
    **dict.fromkeys(("ranks", "ranks_per_node", "start_ps", "end_ps"), _NUMBER),
    **dict.fromkeys(("repeat",), _FLAG),
    **dict.fromkeys(("workload", "placement", "routing", "routing_all_to_all"), _TABLE),
    **dict.fromkeys(("routing.q_adaptive", "routing_all_to_all.q_adaptive"), _TABLE),
    **dict.fromkeys(("nodes", "workload.notes"), _LIST),
}


def misfit(document: Any) -> str:
    """Returns what is wrong with the form of a run.json, as key and fault; empty if nothing is."""
    if not isinstance(document, dict):
        return "it is no object"
    if found := _misfit(document, "", _TYPES, _NEEDED):
        return found
    for number, job in enumerate(document["plan"]["jobs"]):
        place = f"plan.jobs[{number}]"
        if not isinstance(job, dict):
            return f"'{place}' is not {_TABLE}"
        if found := _misfit(job, f"{place}.", _TYPES_OF_A_JOB, _NEEDED_OF_A_JOB):
            return found
    return ""


def _misfit(
    table: Mapping[str, Any], place: str, types: Mapping[str, str], needed: tuple[str, ...]
) -> str:
    for key in needed:
        if _at(table, key) in (None, _ABSENT):
            return f"'{place}{key}' is missing"
    for key, kind in types.items():
        value = _at(table, key)
        if value is None and kind != _NUMBER:
            continue
        if value is not _ABSENT and not _is(value, kind):
            return f"'{place}{key}' is not {kind}"
    return ""


def _at(table: Any, key: str) -> Any:
    """Returns the value of a key; `_ABSENT` if it, or a table on the way, is not there."""
    for part in key.split("."):
        if not isinstance(table, dict):
            return _ABSENT
        table = table.get(part, _ABSENT)
    return table


def _is(value: Any, kind: str) -> bool:
    match kind:
        case "a text":
            return isinstance(value, str)
        case "a number":
            return isinstance(value, int | float) and not isinstance(value, bool)
        case "true or false":
            return isinstance(value, bool)
        case "an object":
            return isinstance(value, dict)
        case _:
            return isinstance(value, list)
