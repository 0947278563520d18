"""The JSON Schema of a scenario for editors and other programs, made from the models."""

from __future__ import annotations

import json
from typing import Any

from pantala.scenario.scenario import Scenario

__all__ = ["scenario_json_schema", "scenario_schema_text"]

_WORKLOADS = {
    "Workload": "A pattern, an application, a motif of Ember, or a program. `kind` names it.",
    "Workloads": "A workload, or a list of applications that run one after another.",
}


def scenario_json_schema() -> dict[str, Any]:
    """Returns the JSON Schema (2020-12) of scenario files.

    It checks keys, types and ranges. Only ``pantala check`` also checks units and whether the jobs
    fit the machine.
    """
    described: dict[str, Any] = _with_one_workload(_tidied(Scenario.model_json_schema()))
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        **described,
        "title": "Pantala scenario",
    }


def scenario_schema_text() -> str:
    """Returns the JSON Schema as the text of a file."""
    return json.dumps(scenario_json_schema(), indent=2, ensure_ascii=False) + "\n"


def _with_one_workload(schema: dict[str, Any]) -> dict[str, Any]:
    """Returns the schema with the list of all workloads in one place.

    Jobs, the background and the snapshot have a workload, or several in a row. Pydantic repeats the
    list of all kinds at each place.
    """
    one, several = schema["$defs"]["Job"]["properties"]["workload"]["oneOf"]
    named = {"Workload": one, "Workloads": {"oneOf": [one, several]}}
    definitions = schema["$defs"] | named
    for name, definition in definitions.items():
        for key in ("Workloads", "Workload"):
            if name != key:
                definition = _referring(definition, named[key], key)
        text = {"description": _WORKLOADS[name]} if name in _WORKLOADS else {}
        definitions[name] = text | definition
    return {**schema, "$defs": dict(sorted(definitions.items()))}


def _referring(node: Any, known: dict[str, Any], name: str) -> Any:
    """Returns a schema in which a reference replaces the keys of a known one."""
    if isinstance(node, list):
        return [_referring(item, known, name) for item in node]
    if not isinstance(node, dict):
        return node
    if all(node.get(key) == value for key, value in known.items()):
        own = {key: value for key, value in node.items() if key not in known}
        return {"$ref": f"#/$defs/{name}", **own}
    return {key: _referring(value, known, name) for key, value in node.items()}


def _tidied(node: Any, inside_properties: bool = False) -> Any:
    """Returns the schema without generated titles and with descriptions unwrapped."""
    if isinstance(node, list):
        return [_tidied(item) for item in node]
    if not isinstance(node, dict):
        return node
    tidy = {}
    for key, value in node.items():
        if key == "title" and isinstance(value, str) and not inside_properties:
            continue
        if key == "description" and isinstance(value, str):
            paragraphs = [_unwrapped(part) for part in value.split("\n\n")]
            tidy[key] = "\n\n".join(text for text in paragraphs if not text.startswith("Raises:"))
            continue
        tidy[key] = _tidied(
            value, inside_properties=key in {"properties", "$defs"} and not inside_properties
        )
    return tidy


def _unwrapped(paragraph: str) -> str:
    """Returns a paragraph on one line, or a list with one line per item."""
    lines: list[str] = []
    for line in paragraph.split("\n"):
        words = " ".join(line.split())
        if lines and not words.startswith("- "):
            lines[-1] += f" {words}"
        else:
            lines.append(words)
    return "\n".join(lines)
