"""The parts of the campaign, one module each.

A part is a module with a `TITLE` (the heading of its section on the page), a `COLUMNS` (the columns
of its table in order, with their headings), a function `run(stretch)` that tries cases until the
stretch is over, and a docstring that says what is promised and how it is tried; the page shows it.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable
from typing import Protocol, cast

from campaign.stretch import Stretch

__all__ = ["Part", "names", "part"]


class Part(Protocol):
    """What a module of this package offers."""

    TITLE: str
    COLUMNS: dict[str, str]
    run: Callable[[Stretch], None]


def names() -> list[str]:
    """Returns the names of all parts in order of their files."""
    return sorted(each.name for each in pkgutil.iter_modules(__path__))


def part(name: str) -> Part:
    """Returns the part of a name."""
    return cast(Part, importlib.import_module(f"campaign.parts.{name}"))
