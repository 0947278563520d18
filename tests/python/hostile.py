"""Hostile values for every key of a scenario that holds a number or a quantity."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

from application_sizes import REQUIRED, fewest_ranks
from support import ROOT, SMALL

SCHEMA = json.loads((ROOT / "schema/scenario.schema.json").read_text(encoding="utf-8"))

#: Values beyond the sense of most keys.
NUMBERS: tuple[Any, ...] = (0, -1, 2**31, 2**32, 2**63, 10**30, 1e308, float("nan"), float("inf"))
#: The same with units; the unit of a key is that of the example in its schema.
AMOUNTS = ("0", "-1", "9223372036854775807", "9223372036854775808", "1e30", "1e308", "nan")

Path = tuple[str | int, ...]


def _followed(schema: dict[str, Any]) -> dict[str, Any]:
    while "$ref" in schema:
        schema = SCHEMA["$defs"][schema["$ref"].rsplit("/", 1)[-1]]
    return schema


def leaves(
    schema: dict[str, Any], path: Path = (), kind: str = ""
) -> Iterator[tuple[Path, str, str]]:
    """Yields each number and quantity below a schema: its path, its unit, the kind of its table.

    The unit is empty for a plain number. The kind is that of the innermost table that has one.
    """
    schema = _followed(schema)
    for choice in (*schema.get("anyOf", ()), *schema.get("oneOf", ())):
        yield from leaves(choice, path, kind)
    types = schema.get("type")
    if types in ("integer", "number"):
        yield path, "", kind
    elif types == "string" and "pattern" in schema and schema.get("examples"):
        number, _, unit = schema["examples"][0].partition(" ")
        if unit and number.replace(".", "").isdigit():
            yield path, unit, kind
    elif types == "array":
        items = schema.get("items", schema.get("prefixItems"))
        if isinstance(items, list):
            items = items[0]
        if items and len(path) < 8:
            yield from leaves(items, (*path, 0), kind)
    elif "properties" in schema:
        known = schema["properties"]
        own = known.get("kind", {}).get("const") or known.get("kind", {}).get("default") or kind
        for name, below in known.items():
            yield from leaves(below, (*path, name), own)


def all_leaves() -> list[tuple[Path, str, str]]:
    """Returns every number and quantity of a scenario, each once.

    Jobs, the background and snapshots share the workloads.
    """
    found = dict.fromkeys(leaves(SCHEMA))
    return [leaf for leaf in found if "workload" not in leaf[0][2:] or leaf[0][0] == "jobs"]


def values(unit: str) -> list[Any]:
    """Returns hostile values of a key with this unit."""
    return [f"{number} {unit}" for number in AMOUNTS] if unit else list(NUMBERS)


def spoilt(base: dict[str, Any], path: Path, kind: str, value: Any) -> dict[str, Any]:
    """Returns a scenario with one hostile value; tables on the way get their `kind`."""
    data: Any = copy.deepcopy(base)
    if path[:3] == ("jobs", 0, "workload") and kind:
        more = dict(REQUIRED.get(kind, {}))
        data["jobs"][0]["workload"] = {"kind": kind, **more}
        try:
            data["jobs"][0]["ranks"] = fewest_ranks(kind)
        except (KeyError, StopIteration, TypeError):
            data["jobs"][0]["ranks"] = 4
    place = data
    for step, after in pairwise(path):
        empty: Any = [] if after == 0 else {}
        if isinstance(place, list):
            if not place:
                place.append(empty)
            place = place[0]
            continue
        below = place.get(step)
        if not isinstance(below, dict | list):
            below = place[step] = empty
        place = below
        if isinstance(place, dict) and kind and after == path[-1] and "kind" not in place:
            place["kind"] = kind
    if isinstance(place, list):
        place[:1] = [value]
    else:
        place[path[-1]] = value
    made: dict[str, Any] = data
    return made


def base() -> dict[str, Any]:
    """Returns the tables of the small scenario."""
    import tomllib

    return tomllib.loads(SMALL)
