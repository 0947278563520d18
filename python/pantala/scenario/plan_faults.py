"""Conversion of the core's faults in a plan to faults of the scenario, with its keys and units."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from pantala.errors import Fault, PlanError, ScenarioError, nearest
from pantala.models.key_path import Named, parse, value_at
from pantala.text.core_times import in_units
from pantala.text.units import Bandwidth, Duration, Quantity, Size, TimePerByte

__all__ = [
    "at_written_jobs",
    "error_of_plan",
    "quantity_text",
    "scenario_key",
    "with_remedy",
]

#: Tables of a plan that are below ``machine`` in a scenario.
_OF_MACHINE = frozenset(
    {"topology", "service_nodes", "links", "packet_bytes", "flit_bytes", "router", "nic"}
)
_JOB = re.compile(r"jobs\[(\d+)\]")
_UNIT = re.compile(r"_(bytes_per_s|bytes|ps|fs|flits|packets|millionths)(?=$|\.|\[)")

#: The quantity of a plan's key, by the suffix of its name.
_QUANTITIES: Mapping[str, type[Quantity]] = {
    "_bytes_per_s": Bandwidth,
    "_bytes": Size,
    "_ps": Duration,
    "_fs": TimePerByte,
}
_COUNTED = {"_flits": "flits", "_packets": "packets"}
#: The keys that a bare string can set.
_SHORTHANDS = frozenset({"algorithm", "kind", "distribution", "model", "preset"})


def error_of_plan(error: PlanError, source: str, given: Mapping[str, Any]) -> ScenarioError:
    """Returns the scenario's error for the faults of its plan.

    Args:
        error: the fault that the core found, with its `others`.
        source: the scenario's file, or another name for it.
        given: the scenario as given, without values of presets and defaults.
    """
    found = [(each, _is_given(given, scenario_key(each.key))) for each in (error, *error.others)]
    said = {(each.value, each.message) for each, is_given in found if is_given}
    own = [each for each, is_given in found if is_given or (each.value, each.message) not in said]
    first, *others = (_fault(each, given) for each in own)
    return ScenarioError(source, first.key, first.value, first.message, first.remedy, others)


def at_written_jobs(error: PlanError, places: Sequence[str], names: Sequence[str]) -> PlanError:
    """Returns an error with the numbers of jobs as in the scenario, where copies are one job.

    A fault of a job that the scenario does not write names the job: its key makes many jobs.

    Args:
        error: the fault that the core found, with its `others`.
        places: by job of the plan, the key that makes it. Further jobs are those of the background.
        names: by job of the plan, its name.
    """

    def written(each: PlanError) -> tuple[str, str, str, str]:
        said = each.key, each.value, each.message, each.remedy
        match = _JOB.match(each.key)
        if match is None:
            return said
        number, rest = int(match[1]), each.key[match.end() :]
        place = places[number] if number < len(places) else "background"
        if place.startswith("jobs"):
            return f"{place}{rest}", *said[1:]
        name = f"its job {names[number]}" if number < len(names) else "a job"
        root = place.partition(".")[0]
        if root == "snapshot" and not rest.startswith(".workload"):
            return place, each.value, f"{name}: {each.message}", each.remedy
        # The scenario has neither the key nor the value, so the remedy is not about them.
        makes = "applications, sizes or placement" if root == "background" else "applications"
        own = f"{rest.removeprefix('.')} = {quantity_text(each.key, each.value)}"
        return place, "", f"{name}: {own}: {each.message}", f"correct the {makes} of {root}"

    own = written(error)
    others = dict.fromkeys(map(written, error.others))
    others.pop(own, None)
    return PlanError(*own, others)


def with_remedy(error: PlanError, remedy: str) -> PlanError:
    """Returns the error of a plan with another remedy."""
    others = [(each.key, each.value, each.message, each.remedy) for each in error.others]
    return PlanError(error.key, error.value, error.message, remedy, others)


def scenario_key(plan_key: str) -> str:
    """Returns the scenario's key for a key of the plan.

    ``links.local.latency_ps`` becomes ``machine.links.local.latency``.
    """
    key = _UNIT.sub("", plan_key.replace(".workload.parts[", ".workload["))
    root = re.split(r"[.\[]", plan_key, maxsplit=1)[0]
    return f"machine.{key}" if root in _OF_MACHINE else key


def _fault(error: PlanError, given: Mapping[str, Any]) -> Fault:
    key = scenario_key(error.key)
    value = value_at(given, key)
    if not value:
        value = quantity_text(error.key, error.value)
        if not _is_given(given, key) and error.value.isdecimal() and not key.startswith("jobs"):
            value = f"{value} (default)"
    return Fault(
        key, value, in_units(error.message), _nearest_first(error) or in_units(error.remedy)
    )


def _nearest_first(error: PlanError) -> str:
    """Returns the remedy with the word nearest to a wrong one; empty if there is no such word."""
    words = error.remedy.removeprefix("choose among ")
    close = nearest(error.value, words.split(", ")) if words != error.remedy else None
    return f"did you mean {close}? {error.remedy}" if close else ""


def quantity_text(plan_key: str, value: str) -> str:
    """Returns the value of a plan's key in the scenario's spelling."""
    if not value.isdecimal():
        return value
    if plan_key.endswith("_millionths"):
        return f"{int(value) / 10_000:g} %"
    for suffix, quantity in _QUANTITIES.items():
        if plan_key.endswith(suffix):
            return str(quantity(int(value)))
    return next(
        (f"{value} {noun}" for suffix, noun in _COUNTED.items() if plan_key.endswith(suffix)), value
    )


def _is_given(given: Any, key: str) -> bool:
    """Returns whether the scenario has a key; a bare string for a table sets one key of it."""
    for step in parse(key):
        if isinstance(given, str):
            return step in _SHORTHANDS
        try:
            given = given[step.name if isinstance(step, Named) else step]
        except (KeyError, IndexError, TypeError):
            return False
    return True
