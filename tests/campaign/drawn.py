"""Drawn scenarios of the campaign: case `n` of a seed is one scenario."""

from __future__ import annotations

import json
from typing import Any

from scenarios.draw import Drawing
from scenarios.record import ROOT

__all__ = ["drawn"]

#: Keys that are tried beside the base of a scenario.
_KEYS = 10
_APART = 1_000_000


def drawn(seed: int, case: int) -> dict[str, Any] | None:
    """Returns the tables of a drawn scenario, or None if the draws led to none."""
    schema = json.loads((ROOT / "schema" / "scenario.schema.json").read_text(encoding="utf-8"))
    return Drawing(schema, seed * _APART + case).scenario(case, _KEYS)
