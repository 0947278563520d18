"""The workload of a job in readable units, for any motif."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import groupby
from typing import Any

from pantala.text.amounts import PAGE, TIMES, count

__all__ = ["application", "picoseconds", "workload_lines"]

#: Keys with lists of extents.
_SIDES = frozenset({"grid", "block", "points", "sweep_grid", "transform_grid"})
#: Keys that only one pattern reads; the plan holds them for all patterns.
_OF_PATTERNS = {"offset": "shift", "hotspots": "hotspot", "hotspot_share": "hotspot"}


def application(job: Mapping[str, Any]) -> str:
    """Returns the name of a planned job's application or pattern; its motif in old plans."""
    workload = job["workload"]
    return str(job.get("application") or workload.get("pattern") or workload["kind"])


def workload_lines(job: Mapping[str, Any]) -> list[str]:
    """Returns lines that describe a planned job's work: one per motif, and one more per phase."""
    workload, name = job["workload"], application(job)
    if workload["kind"] == "sequence":
        parts, names = workload["parts"], name.split(", ")
        if len(names) != len(parts):
            names = [part["kind"] for part in parts]
        return [
            line for name, part in zip(names, parts, strict=True) for line in _lines(name, part)
        ]
    return _lines(name, workload)


def _lines(name: str, workload: Mapping[str, Any]) -> list[str]:
    traffic = workload["kind"] == "pattern"
    sentences = [f"pattern {name}" if traffic else name]
    if workload["kind"] == "operations":
        return [f"{name}, operation file {workload['hash'][:12]}"]
    if workload["kind"] not in (name, "pattern"):
        sentences.append(f"motif {_words(workload['kind'])}")
    skipped = {"kind", "pattern", "phases"} if traffic else {"kind", "phases"}
    skipped |= {key for key, pattern in _OF_PATTERNS.items() if traffic and pattern != name}
    lines = [", ".join(sentences + _keys(workload, skipped))]
    for number, phase in enumerate(workload.get("phases", ()), 1):
        lines.append(
            ", ".join([f"phase {number}: {_words(phase['phase'])}", *_keys(phase, {"phase"})])
        )
    return lines


def picoseconds(ps: float) -> str:
    """Returns a duration of the plan in readable units."""
    return PAGE.duration(ps / 1000, exact=True) if ps else "0 ns"


def _keys(table: Mapping[str, Any], skipped: set[str]) -> list[str]:
    return [
        _words(key) if value is True else f"{_words(key)} {_value(key, value)}"
        for key, value in table.items()
        if key not in skipped and value is not None and value is not False and value != []
    ]


def _words(key: str) -> str:
    for unit in ("_bytes", "_ps", "_percent"):
        key = key.removesuffix(unit)
    return key.replace("_", " ")


def _value(key: str, value: Any) -> str:
    if not isinstance(value, list):
        return _one(key, value)
    if key in _SIDES:
        if any(isinstance(side, list) for side in value):
            return ", ".join(_value(key, sides) for sides in value)
        return f" {TIMES} ".join(count(side) for side in value)
    if key == "neighbours":
        return f"of {count(len(value))} ranks, {count(sum(map(len, value)))} in all"
    # A list shows equal neighbours once with their number: a model may have sixteen equal parts.
    runs = [(text, len(list(same))) for text, same in groupby(_one(key, each) for each in value)]
    return " + ".join(text if times == 1 else f"{times} {TIMES} {text}" for text, times in runs)


def _one(key: str, value: Any) -> str:
    if isinstance(value, list):
        return f"({_value(key, value)})" if value else "(none)"
    if isinstance(value, Mapping):
        return f"({', '.join(_keys(value, set()))})"
    if key == "bytes" or key.endswith("_bytes"):
        return PAGE.size(value, exact=True) if value else "0 B"
    if key.endswith("_ps"):
        return picoseconds(value)
    if key.endswith("_percent"):
        return f"{value} %"
    if key.endswith("_share"):
        return PAGE.percent(value)
    if isinstance(value, str):
        return _words(value)
    return f"{value:g}" if isinstance(value, float) else count(value)
