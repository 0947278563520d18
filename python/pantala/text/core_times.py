"""The times in texts of the core, which are in ps, in the unit that a reader expects."""

from __future__ import annotations

import re

from pantala.text.units import Duration

__all__ = ["in_units"]

_RAW_TIME = re.compile(r"\b(\d+) ps\b")


def in_units(text: str) -> str:
    """Returns a text of the core with its times in units: ``90000000 ps`` becomes ``90 us``."""
    return _RAW_TIME.sub(lambda match: str(Duration(int(match[1]))), text)
