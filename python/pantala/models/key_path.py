"""Paths of keys such as ``jobs[0].workload.grid``; only this module reads and writes them.

A path names a value of a scenario. Dots separate keys. A position, counted from 0, names an item of
a list. A job's name also names the job::

    routing.algorithm           a key in a table
    jobs[0].ranks               the first job, as in error messages
    jobs.0.ranks                the same
    jobs.fft3d.ranks            the job named fft3d
    jobs["fft.2"].ranks         the job named fft.2

A bare number is always a position. A name can contain dots. If several names match, the longest
name with a key after it is used. A name in brackets and quotes is taken literally.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import takewhile
from typing import Any

from pantala.errors import show

__all__ = ["KeyPathError", "Named", "Step", "dotted", "parse", "position", "value_at"]

_STEP = re.compile(
    r"""(?P<dot>\.?)(?:(?P<key>[^.\[\]"']+)|\[\s*(?:(?P<index>\d+)|(?P<quote>["'])(?P<name>[^"']+)(?P=quote))\s*\])"""
)


class KeyPathError(ValueError):
    """Text that is not a path of keys."""


@dataclass(frozen=True)
class Named:
    """A literal key or name in brackets and quotes, never a position or a part of a name."""

    name: str


#: One step of a path. Between dots it is a key, a position, a name or a part of a name. In brackets
#: it is a position or a name in quotes.
Step = str | int | Named


def parse(path: str) -> list[Step]:
    """Returns the steps of a path; `position` interprets a step between dots in a list.

    Raises:
        KeyPathError: the text is not a path.
    """
    steps: list[Step] = []
    at = 0
    while at < len(path):
        match = _STEP.match(path, at)
        if match is None or bool(match["dot"]) != (match["key"] is not None and bool(steps)):
            raise KeyPathError(path)
        at = match.end()
        if match["key"] is not None:
            steps.append(match["key"].strip())
        else:
            steps.append(int(match["index"]) if match["index"] else Named(match["name"]))
    if not steps:
        raise KeyPathError(path)
    return steps


def dotted(path: Iterable[str | int]) -> str:
    """Returns a path in the form of error messages: ``("jobs", 1, "grid")`` is ``jobs[1].grid``."""
    text = ""
    for step in path:
        if isinstance(step, int):
            text += f"[{step}]"
        else:
            text += f".{step}" if text else step
    return text


def position(count: int, names: Sequence[str], steps: Sequence[Step]) -> tuple[int, int] | None:
    """Returns the position of the list item that the first steps of a path name.

    Args:
        count: the number of items.
        names: the names of the items in order; empty if they have none.
        steps: the steps below the list, at least one.

    Returns:
        The item's position and the number of steps that name it; None if there is no such item.
    """
    first = steps[0]
    if isinstance(first, str) and first.isdecimal():
        first = int(first)
    if isinstance(first, int):
        return (first, 1) if first < count else None
    if isinstance(first, Named):
        return (names.index(first.name), 1) if first.name in names else None
    texts = [
        step
        for step in takewhile(lambda step: isinstance(step, str), steps)
        if isinstance(step, str)
    ]
    lengths = sorted(range(1, len(texts) + 1), key=lambda length: (length == len(steps), -length))
    for length in lengths:  # the longest name with a key after it, else the whole path
        name = ".".join(texts[:length])
        if name in names:
            return names.index(name), length
    return None


def value_at(data: Any, path: str) -> str:
    """Returns the value at a path as text; empty for nothing, a table or a list of tables.

    Args:
        data: the scenario as given.
        path: the path, as `dotted` writes it.
    """
    for step in parse(path):
        try:
            data = data[step.name if isinstance(step, Named) else step]
        except (KeyError, IndexError, TypeError):
            return ""
    tables = isinstance(data, Mapping) or (
        isinstance(data, list | tuple) and any(isinstance(i, Mapping) for i in data)
    )
    return "" if tables else show(data)
