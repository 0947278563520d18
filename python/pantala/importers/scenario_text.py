"""The TOML text of a scenario that a front end made: one line per key, one per motif."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Iterable, Mapping
from typing import Any

__all__ = ["scenario_text"]

_WIDTH = 100


def scenario_text(tables: Mapping[str, Any], comments: Iterable[str] = ()) -> str:
    """Returns the text of a scenario file.

    Args:
        tables: the scenario's tables.
        comments: lines at the start of the file.
    """
    lines = [f"# {comment}" for comment in comments]
    jobs = tables.get("jobs", [])
    lines += [f"{key} = {_inline(value)}" for key, value in tables.items() if key != "jobs"]
    for job in jobs:
        lines += ["", "[[jobs]]"]
        below = {key: value for key, value in job.items() if _is_long(key, value)}
        for key, value in job.items():
            if key not in below:
                lines += _entry(key, value)
        for key, table in below.items():
            lines += [f"[jobs.{key}]", *(f"{_key(k)} = {_inline(v)}" for k, v in table.items())]
    return "\n".join(lines) + "\n"


def _is_long(key: str, value: Any) -> bool:
    """Returns whether a table has more keys than a line holds; each then has its own line."""
    if not isinstance(value, Mapping) or len(f"{key} = {_inline(value)}") <= _WIDTH:
        return False
    return all(len(_inline(each)) < _WIDTH // 2 for each in value.values())


def _entry(key: str, value: Any) -> list[str]:
    """Returns the lines of a key: one line, or one per item of a list that does not fit."""
    if isinstance(value, list) and any(isinstance(item, dict) for item in value):
        return [f"{key} = [", *(f"  {_inline(item)}," for item in value), "]"]
    line = f"{key} = {_inline(value)}"
    if len(line) <= _WIDTH or not isinstance(value, dict):
        return [line]
    # The numbers of a table's long list fill lines; TOML allows line breaks inside a list.
    lines: list[str] = []
    for number, piece in enumerate(line.split("[", 1)):
        if number == 0:
            lines.append(f"{piece}[")
            continue
        numbers, rest = piece.split("]", 1)
        lines += textwrap.wrap(numbers, _WIDTH, initial_indent="  ", subsequent_indent="  ")
        lines.append(f"]{rest}")
    return lines if len(lines) > 1 else [line]


def _inline(value: Any) -> str:
    if isinstance(value, Mapping):
        return f"{{ {', '.join(f'{_key(k)} = {_inline(v)}' for k, v in value.items())} }}"
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(_inline, value))}]"
    if isinstance(value, float) and value.is_integer():
        return f"{value:.1f}" if abs(value) < 1e15 else f"{value:e}"
    return json.dumps(value, ensure_ascii=False)


def _key(key: str) -> str:
    return key if key.replace("_", "").replace("-", "").isalnum() else json.dumps(key)
