"""Small random values of the keys of a scenario, from their JSON Schema."""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import Any

__all__ = ["Values"]

_SIZES = ("1 B", "64 B", "500 B", "1 KiB", "3 kB", "10 KiB", "20 kB", "40 KiB")
_TIMES = ("0 ns", "1 ns", "20 ns", "300 ns", "1 us", "2.5 us", "7 us", "15 us")
_RATES = ("2 GB/s", "5 GB/s", "12.5 GB/s", "25 GB/s", "100 GB/s")
_PER_BYTE = ("0 ps/B", "10 ps/B", "344 ps/B")
_NAMES = "^[A-Za-z0-9][A-Za-z0-9._-]*$"


class Values:
    """Draws values for schemas of one scenario.

    Args:
        draws: the random numbers.
        schema: the JSON Schema of a scenario.
        jobs: the names of the jobs, for keys that name some.
        ranks: the ranks of the job that the values are for.
    """

    def __init__(
        self,
        draws: random.Random,
        schema: Mapping[str, Any],
        jobs: list[str],
        ranks: int = 8,
    ) -> None:
        self.draws = draws
        self.schema = schema
        self.jobs = jobs
        self.ranks = ranks

    def resolved(self, schema: Mapping[str, Any]) -> tuple[str, Mapping[str, Any]]:
        """Returns the name of a schema's table, if it has one, and the schema itself."""
        name = ""
        while "$ref" in schema:
            name = str(schema["$ref"]).rsplit("/", 1)[-1]
            schema = self.schema["$defs"][name]
        return name, schema

    def table(self, schema: Mapping[str, Any]) -> tuple[str, Mapping[str, Any] | None]:
        """Returns the name of the table that a schema allows, and the schemas of its keys."""
        name, schema = self.resolved(schema)
        if "properties" in schema:
            return name, schema
        for choice in (*schema.get("anyOf", ()), *schema.get("oneOf", ())):
            found, inner = self.resolved(choice)
            if "properties" in inner:
                return found or name, inner
        return name, None

    def draw(self, schema: Mapping[str, Any], depth: int = 0) -> Any:
        """Returns a value for a schema."""
        _, schema = self.resolved(schema)
        for several in ("anyOf", "oneOf"):
            if several in schema:
                choices = [each for each in schema[several] if each.get("type") != "null"]
                return self.draw(self.draws.choice(choices), depth)
        if "enum" in schema:
            return self.draws.choice(schema["enum"])
        if "const" in schema:
            return schema["const"]
        return getattr(self, f"_{schema.get('type', 'object')}")(schema, depth)

    def _boolean(self, schema: Mapping[str, Any], depth: int) -> bool:
        return self.draws.random() < 0.7 if not schema.get("default") else False

    def _integer(self, schema: Mapping[str, Any], depth: int) -> int:
        least, most = schema.get("minimum", 0), schema.get("maximum", 2**31)
        usual = schema.get("default")
        near = [1, 2, 3, 4, 5, 8, 16] + ([usual, usual + 1, usual * 2] if usual else [])
        return int(min(max(self.draws.choice(near), least), most))

    def _number(self, schema: Mapping[str, Any], depth: int) -> float:
        least = schema.get("minimum", schema.get("exclusiveMinimum", 0.0)) or 0.0
        most = schema.get("maximum", 2.0)
        return float(round(least + (most - least) * self.draws.uniform(0.05, 0.6), 3))

    def _string(self, schema: Mapping[str, Any], depth: int) -> str:
        if schema.get("pattern") == _NAMES:
            return self.draws.choice(self.jobs)
        examples = " ".join(map(str, schema.get("examples", ())))
        if "packets" in examples:
            return self.draws.choice(("8 packets", "30 packets", "60 flits", "15 KiB", "32 KiB"))
        if "GB/s" in examples:
            return self.draws.choice(_RATES)
        if "ps/B" in examples:
            return self.draws.choice(_PER_BYTE)
        if examples.endswith(" B"):
            return self.draws.choice(_SIZES)
        return self.draws.choice(_TIMES)

    def _array(self, schema: Mapping[str, Any], depth: int) -> list[Any]:
        if "prefixItems" in schema:
            sides = schema["prefixItems"]
            if schema.get("default") is None:
                return self._grid(len(sides))
            return [self.draw(side, depth + 1) for side in sides]
        count = self.draws.randint(max(1, schema.get("minItems", 1)), 3)
        found = [self.draw(schema.get("items", {}), depth + 1) for _ in range(count)]
        return [each for number, each in enumerate(found) if each not in found[:number]]

    def _grid(self, sides: int) -> list[int]:
        """Returns a grid of the job's ranks."""
        grid, left = [], self.ranks
        for _ in range(sides - 1):
            side = self.draws.choice([n for n in range(1, left + 1) if left % n == 0])
            grid.append(side)
            left //= side
        return [*grid, left]

    def _object(self, schema: Mapping[str, Any], depth: int) -> dict[str, Any]:
        keys = schema.get("properties", {})
        wanted = set(schema.get("required", ()))
        if depth < 3:
            wanted |= {key for key in keys if self.draws.random() < 0.4}
        return {key: self.draw(keys[key], depth + 1) for key in keys if key in wanted}
