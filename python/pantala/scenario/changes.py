"""Changes of scenario values by path, for `Scenario.replace`, `changes=` and ``--set``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pantala.errors import ScenarioError, nearest, shortened, show
from pantala.models.copied import copied
from pantala.models.key_path import KeyPathError, Named, Step, parse, position
from pantala.scenario.detail import Detail
from pantala.scenario.job import ComputeNoise
from pantala.scenario.machine import Machine, Router
from pantala.scenario.mixes import mix_of
from pantala.scenario.mpi import Collectives, Mpi
from pantala.scenario.presets import merge, mix_preset, mix_presets
from pantala.scenario.record import Record
from pantala.scenario.routing import Routing
from pantala.scenario.skip import Skip
from pantala.scenario.toml import TOO_DEEP, is_deep

__all__ = ["SHORTHANDS", "changed"]

#: The key that a bare string sets: ``machine = "kang2022"`` means ``machine = { preset =
#: "kang2022" }``.
SHORTHANDS: Mapping[str, str | None] = {
    "collectives": Collectives.shorthand,
    "compute_noise": ComputeNoise.shorthand,
    "detail": Detail.shorthand,
    "jobs": "preset",
    "machine": Machine.shorthand,
    "mpi": Mpi.shorthand,
    "placement": "kind",
    "record": Record.shorthand,
    "router": Router.shorthand,
    "routing": Routing.shorthand,
    "routing_all_to_all": Routing.shorthand,
    "skip": Skip.shorthand,
}


#: The most characters of a path of keys.
_LONGEST_PATH = 1000


class _NoSuchKey(Exception):
    def __init__(self, message: str, remedy: str) -> None:
        self.message = message
        self.remedy = remedy


def changed(data: object, changes: object, source: str) -> dict[str, Any]:
    """Returns a copy of `data` with `changes` applied.

    Args:
        data: the tables of a scenario.
        changes: path to value; `pantala.models.key_path` describes the paths. ``jobs.*.KEY`` is
            the key of every job. Longer paths are applied after shorter ones, and ``jobs.*`` before
            a path of one job: a case that replaces the jobs has its own, and the order of the
            changes has no effect.
        source: the name for errors.

    Raises:
        ScenarioError: `data` or `changes` is no table, or a path is not valid, or passes through a
            value that is not a table or a list.
    """
    if not isinstance(data, Mapping):
        remedy = "give a dict, or read a file with Scenario.from_toml('FILE.toml')"
        raise ScenarioError(source, "", "", f"{show(data)} is not a table of keys", remedy)
    if not isinstance(changes, Mapping) or not all(isinstance(path, str) for path in changes):
        message = f"{show(changes)} are no values by path"
        raise ScenarioError(source, "", "", message, "write e.g. {'jobs[0].ranks': 8}")
    for place, value in (("", data), *changes.items()):
        if is_deep(value) or len(place) > _LONGEST_PATH:
            raise ScenarioError(source, shortened(place, 60), "", *TOO_DEEP)
    result = merge({}, copied(data))
    paths: list[tuple[str, list[Step]]] = []
    for path in changes:
        try:
            paths.append((path, parse(path)))
        except KeyPathError:
            raise ScenarioError(
                source, path, "", "is not a path of keys", "write e.g. jobs[0].ranks"
            ) from None
    for path, steps in sorted(paths, key=lambda each: (len(each[1]), not _is_every(each[1]))):
        try:
            for each in _every(result, steps) if _is_every(steps) else [steps]:
                _put(result, each, copied(changes[path]))
        except _NoSuchKey as error:
            raise ScenarioError(source, path, "", error.message, error.remedy) from None
    return result


def _is_every(steps: Sequence[Step]) -> bool:
    """Returns whether a path names a key of every job: ``jobs.*.KEY``."""
    return len(steps) > 2 and list(steps[:2]) == ["jobs", "*"]


def _every(data: Mapping[str, Any], steps: Sequence[Step]) -> list[list[Step]]:
    """Returns the paths of a key of every job that a scenario has now."""
    jobs = data.get("jobs", [])
    mix = mix_of(jobs)
    places: list[Step] = (
        [Named(name) for name in mix_preset(mix)]
        if mix in mix_presets()
        else list(range(len(jobs)))
        if isinstance(jobs, list | tuple)
        else []
    )
    if not places:
        raise _NoSuchKey("there is no job to change", "add jobs, or remove the key")
    return [["jobs", place, *steps[2:]] for place in places]


def _put(data: dict[str, Any], steps: Sequence[Step], value: Any) -> None:
    place: Any = data
    key: Any = None
    while steps:
        if key is not None:
            place = _below(place, key)
        key, used = _spot(place, key, steps)
        steps = steps[used:]
    place[key] = value


def _below(place: Any, key: Any) -> Any:
    """Returns the value at a key, converted to a table or a list that can be changed."""
    below = place[key] if isinstance(place, list) else place.setdefault(key, {})
    if isinstance(below, str) and SHORTHANDS.get(key):
        place[key] = {SHORTHANDS[key]: below}
    elif isinstance(below, tuple):
        place[key] = list(below)
    return place[key]


def _spot(place: Any, above: Any, steps: Sequence[Step]) -> tuple[str | int, int]:
    """Returns the key or position in `place` that the first steps name, and their number.

    Args:
        place: a table or a list of the scenario.
        above: the key of `place`.
        steps: the remaining steps of the path.
    """
    step = steps[0]
    if isinstance(place, list):
        names = [
            str(item["name"]) for item in place if isinstance(item, Mapping) and "name" in item
        ]
        return _item(len(place), names if len(names) == len(place) else [], above, steps)
    if not isinstance(place, dict):
        raise _NoSuchKey(
            "there is no such key to change", f"{above} is not a table; check the spelling"
        )
    mix = mix_of(place) if above == "jobs" else None
    if mix in mix_presets():
        names = list(mix_preset(mix))
        if isinstance(step, int | Named) or step.isdecimal() or position(len(names), names, steps):
            at, used = _item(len(names), names, above, steps)
            return names[at], used
    if isinstance(step, int):
        raise _NoSuchKey(
            "there is no such key to change", f"{above or 'the scenario'} is not a list"
        )
    return (step.name if isinstance(step, Named) else step).removesuffix("_"), 1


def _item(
    count: int, names: Sequence[str], above: object, steps: Sequence[Step]
) -> tuple[int, int]:
    found = position(count, names, steps)
    if found is not None:
        return found
    noun = "job" if above == "jobs" else "item"
    step = steps[0].name if isinstance(steps[0], Named) else str(steps[0])
    close = None if step.isdecimal() else nearest(step, names)
    if close is not None:
        raise _NoSuchKey(f"there is no such {noun}", f"did you mean '{close}'?")
    known = f"one of {', '.join(names)}, or " if names else ""
    numbers = f"a number from 0 to {count - 1}" if count > 1 else "0"
    raise _NoSuchKey(f"there is no such {noun}", f"choose {known}{numbers}")
