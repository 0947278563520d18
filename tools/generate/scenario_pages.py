"""docs/reference/scenario: the keys of a scenario, one page for each part of the file."""

from __future__ import annotations

import json
import posixpath
import re
from functools import cache
from typing import Any

from generate.reference import clean, page, table

__all__ = ["PAGES", "index_page", "keys", "object_", "path_of", "scenario_page"]

Json = dict[str, Any]

#: The pages in the order of the sidebar: the title, and what the page holds.
PAGES = {
    "machine": ("Machine", "topology, failed links, bandwidths and latencies"),
    "router": ("Router and NIC", "buffers, stages and clocks of the routers, and the NICs"),
    "routing": ("Routing", "the algorithm and its parameters"),
    "mpi": ("MPI", "costs, protocols and algorithms of collectives"),
    "jobs": ("Job", "ranks, start, end, repetition and noise of a job"),
    "placements": ("Placements", "the nodes of a job's ranks"),
    "workloads": ("Workloads", "what a job does: patterns, programs, traces, applications"),
    "snapshot": ("Snapshot", "jobs from the log of a batch system"),
    "background": ("Background", "jobs drawn at random that fill the machine"),
    "run": (
        "Targets, detail and stop",
        "the targets of an experiment, coarse packets, and the end of the run",
    ),
    "record": ("Record", "the optional tables of a run"),
}
#: Definitions of the schema from which on, in the order of their first use, a page begins.
_FIRST = {
    "Targets": "run",
    "Machine": "machine",
    "Router": "router",
    "Detail": "run",
    "Routing": "routing",
    "Mpi": "mpi",
    "Job": "jobs",
    "RandomPlacement": "placements",
    "ComputeNoise": "jobs",
    "Workloads": "workloads",
    "Snapshot": "snapshot",
    "Background": "background",
    "Stop": "run",
    "Record": "record",
}
#: The start of the names of Ember's motifs, which have a page of their own.
_EMBER = "Ember"


def path_of(name: str) -> str:
    """Returns the path of a page of `PAGES` below docs/reference."""
    return f"scenario/{name}.md"


def index_page() -> str:
    """Returns the page of the keys of the file, with a list of the other pages."""
    from pantala import scenario_json_schema

    here = path_of("index")
    return page(
        [
            "# Scenario keys",
            (
                "A scenario is a TOML file, or the same objects in Python. `pantala schema` prints"
                " its JSON Schema; an editor that has the schema completes keys and marks errors."
                " [Write a scenario](../../how-to/scenario.md) explains the keys by example."
            ),
            table(
                ("page", "keys"),
                [(f"[{title}]({name}.md)", words) for name, (title, words) in PAGES.items()],
            ),
            "## The file",
            keys(scenario_json_schema(), here),
        ]
    )


def scenario_page(name: str) -> str:
    """Returns a page of `PAGES`: its definitions with their keys, from the JSON Schema."""
    from pantala import scenario_json_schema

    schema, here = scenario_json_schema(), path_of(name)
    title = PAGES[name][0]
    parts = [f"# {title}"]
    for definition, (place, heading) in _places().items():
        if place != here:
            continue
        plain = object_(schema["$defs"][definition])
        body = keys(plain, here) if "properties" in plain else f"Value: {_type(plain, here)}."
        # The first definition has the title of most pages.
        if heading.lower() != title.lower():
            parts.append(f"## {heading}")
        parts += [clean(plain.get("description", "")), body]
    return page(parts)


def object_(definition: Json) -> Json:
    """Returns the definition of the table itself, without the bare string that can replace it."""
    found: Json = next(
        (item for item in definition.get("anyOf", []) if "properties" in item), definition
    )
    return found


def keys(schema: Json, here: str) -> str:
    """Returns the table of the keys of an object for the page `here`, below docs/reference."""
    required = schema.get("required", [])
    rows = []
    for key, value in schema.get("properties", {}).items():
        default = (
            "required"
            if key in required
            else _value(value["default"])
            if "default" in value
            else ""
        )
        rows.append((f"`{key}`", _type(value, here), default, value.get("description", "")))
    return table(("key", "value", "default", "meaning"), rows)


def _type(value: Json, here: str) -> str:
    if "$ref" in value:
        return _link(value["$ref"], here)
    if "const" in value:
        return f'`"{value["const"]}"`'
    if "enum" in value:
        return ", ".join(f'`"{item}"`' for item in value["enum"])
    for several in ("anyOf", "oneOf"):
        if several in value:
            kinds = [_type(item, here) for item in value[several] if item.get("type") != "null"]
            return " or ".join(dict.fromkeys(kinds))
    if value.get("type") == "array":
        if "prefixItems" in value:
            first, *others = value["prefixItems"]
            return f"list of {1 + len(others)} {_plural(_type(first, here))}"
        return f"list of {_plural(_type(value['items'], here))}"
    if value.get("examples"):
        return "text, e.g. " + ", ".join(f'`"{item}"`' for item in value["examples"])
    names = {
        "string": "text",
        "integer": "integer",
        "number": "number",
        "boolean": "`true` or `false`",
    }
    return names.get(value.get("type", ""), "table") + _range(value)


def _plural(kind: str) -> str:
    """Returns a type with its noun in the plural: ``integers, at least 1``."""
    return re.sub(r"^(integer|number|text)\b", r"\1s", kind)


def _range(value: Json) -> str:
    low, high = value.get("minimum"), value.get("maximum")
    if value.get("type") not in {"integer", "number"} or low is None:
        return ""
    return f", {low:g} to {high:g}" if high is not None and high < 2**31 else f", at least {low:g}"


def _value(default: Any) -> str:
    if default is None:
        return "none"
    if isinstance(default, dict):
        if set(default) == {"count", "unit"}:
            return f'`"{default["count"]} {default["unit"]}s"`'
        return f'`"{default["kind"]}"`' if list(default) == ["kind"] else "as below"
    return f"`{json.dumps(default)}`"


def _link(reference: str, here: str) -> str:
    """Returns a link from the page `here` to the section of a definition."""
    name = reference.rsplit("/", 1)[-1]
    page, heading = _places()[name]
    words = f"ember.{heading}" if name.startswith(_EMBER) else heading
    there = "" if page == here else posixpath.relpath(page, posixpath.dirname(here))
    return f"[{words}]({there}#{heading.lower()})"


@cache
def _places() -> dict[str, tuple[str, str]]:
    """Returns the page and the heading of each definition of the schema."""
    from pantala import scenario_json_schema
    from pantala.workloads import APPLICATIONS

    kinds = {application.__name__: kind for kind, application in APPLICATIONS.items()}
    places, page = {}, ""
    for name in _in_order(scenario_json_schema()):
        page = _FIRST.get(name, page)
        if name.startswith(_EMBER):
            places[name] = "ember.md", name.removeprefix(_EMBER)
        elif name in kinds:
            places[name] = "applications.md", kinds[name]
        else:
            places[name] = path_of(page), name
    return places


def _in_order(schema: Json) -> list[str]:
    """Returns the definitions in the order of their first use."""
    found: list[str] = []
    waiting: list[Any] = [schema["properties"]]
    while waiting:
        node = waiting.pop(0)
        if isinstance(node, dict):
            if "$ref" in node:
                name = node["$ref"].rsplit("/", 1)[-1]
                if name not in found:
                    found.append(name)
                    waiting.insert(0, schema["$defs"][name])
            waiting[:0] = [value for key, value in node.items() if key != "default"]
        elif isinstance(node, list):
            waiting[:0] = node
    return found
