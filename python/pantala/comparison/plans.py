"""Differences of plans: the keys that differ, with their values in the units of a scenario."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pantala.scenario.plan_faults import quantity_text, scenario_key

__all__ = ["PlanChange", "plan_changes"]

#: Parts of a plan that say nothing about what is simulated, or that follow from other parts.
_LEFT_OUT = frozenset({"name", "assumptions", "derived", "plan_version"})
#: Keys whose zero means that a scenario does not set them.
_NONE_IF_ZERO = frozenset({"stop.duration_ps", "record.packet_until_ps"})
_ABSENT = "(none)"
_NO_RUN = "(no run)"
#: Longer lists are described and not listed.
_MOST_ITEMS = 8


@dataclass(frozen=True)
class PlanChange:
    """A key whose value is not equal in all plans.

    Attributes:
        key: the key, in the spelling of a scenario.
        values: the value in each plan as text, in the order of the subjects.
        cases: the number of cases with these values. all_cases: the number of cases looked at.
    """

    key: str
    values: tuple[str, ...]
    cases: int
    all_cases: int

    @property
    def scope(self) -> str:
        """How many of the cases it concerns; empty if it concerns all of them."""
        return "" if self.cases == self.all_cases else f"in {self.cases} of {self.all_cases} cases"


def plan_changes(compared: Iterable[Sequence[Mapping[str, Any] | None]]) -> list[PlanChange]:
    """Returns the keys that differ between the plans of subjects.

    Args:
        compared: for each case looked at, the resolved plan of each subject, in one order; None
            for a subject without a run. Jobs are told apart by their names.
    """
    found: dict[tuple[str, tuple[str, ...]], int] = {}
    number = 0
    for plans in compared:
        number += 1
        flat = [dict(_flat(_by_name(plan), "")) for plan in plans if plan is not None]
        keys = dict.fromkeys(key for each in flat for key in each)
        for key in keys:
            values = [each.get(key, _ABSENT) for each in flat]
            if any(value != values[0] for value in values):
                texts = iter(_texts(key, values))
                sentences = tuple(_NO_RUN if plan is None else next(texts) for plan in plans)
                entry = (scenario_key(key), sentences)
                found[entry] = found.get(entry, 0) + 1
    return [PlanChange(key, values, count, number) for (key, values), count in found.items()]


def _by_name(plan: Mapping[str, Any]) -> dict[str, Any]:
    kept = {key: value for key, value in plan.items() if key not in _LEFT_OUT}
    return {**kept, "jobs": {job["name"]: job for job in plan["jobs"]}}


def _flat(value: Any, key: str) -> Iterator[tuple[str, Any]]:
    if isinstance(value, Mapping) and value:
        for name, below in value.items():
            if not (key.startswith("jobs.") and key.count(".") == 1 and name == "name"):
                yield from _flat(below, f"{key}.{name}" if key else str(name))
    elif isinstance(value, list) and any(isinstance(item, Mapping) for item in value):
        for number, item in enumerate(value):
            yield from _flat(item, f"{key}[{number}]")
    else:
        yield key, value


def _texts(key: str, values: Sequence[Any]) -> tuple[str, ...]:
    """Returns the values as text; of long lists, their length and how many items differ."""
    lists = [value for value in values if isinstance(value, list)]
    if not any(len(value) > _MOST_ITEMS for value in lists):
        return tuple(_text(key, value) for value in values)
    first = values[0] if isinstance(values[0], list) else []
    texts = []
    for place, value in enumerate(values):
        if not isinstance(value, list):
            texts.append(_text(key, value))
            continue
        sentence = f"{len(value)} items"
        if place and value != first:
            changed = sum(one != two for one, two in zip(first, value, strict=False))
            sentence += f", {changed + abs(len(first) - len(value))} of them other"
        texts.append(sentence)
    return tuple(texts)


def _text(key: str, value: Any) -> str:
    if value is None or (key in _NONE_IF_ZERO and value == 0):
        return "none"
    if key == "topology.failed_links" and isinstance(value, list):
        return ", ".join(":".join(map(str, link)) for link in value) or "none"
    if isinstance(value, str):
        return value
    if isinstance(value, float) and math.isfinite(value):
        return f"{value:g}"
    text = json.dumps(value, ensure_ascii=False)
    return quantity_text(key, text)
