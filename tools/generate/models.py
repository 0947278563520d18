"""Files made from the pydantic models of a scenario.

The package is imported late, because it reads generated modules.
"""

from __future__ import annotations


def scenario_schema() -> str:
    """Returns the text of schema/scenario.schema.json: the JSON Schema of a scenario."""
    from pantala.scenario.json_schema import scenario_schema_text

    return scenario_schema_text()
