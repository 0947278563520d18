"""Descriptions of keys in JSON Schemas."""

from __future__ import annotations

from typing import Any, ClassVar, Literal

from typing_extensions import override

import pantala as pt


class Ring(pt.Application):
    """A user's application."""

    paper_ranks: ClassVar[int] = 8

    kind: Literal["ring"] = "ring"
    iterations: int = 2
    """Rounds of the ring."""

    @override
    def as_plan(self, ranks: int) -> dict[str, Any]:
        return {}


def test_a_class_has_the_strings_after_its_own_and_inherited_fields() -> None:
    keys = Ring.model_json_schema()["properties"]
    assert keys["iterations"]["description"] == "Rounds of the ring."
    assert keys["scaling"]["description"].startswith("Scaling to other numbers of ranks")
    assert "description" not in keys["kind"]


def test_a_class_without_source_has_a_schema_without_descriptions_of_its_own() -> None:
    names: dict[str, Any] = {"Ring": Ring}
    exec("class Typed(Ring):\n    iterations: int = 3\n", names)
    keys = names["Typed"].model_json_schema()["properties"]
    assert keys["iterations"]["default"] == 3
    assert keys["iterations"]["description"] == "Rounds of the ring."
