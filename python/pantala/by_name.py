"""Things that stand in a module each and are imported when they are asked for by name: studies,
tables of papers.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from typing import Any

from pantala.errors import UsageError, nearest

__all__ = ["member"]


def member(kind: str, name: str, names: Sequence[str], package: str, attribute: str) -> Any:
    """What the module `name` of a package has under a name of its own.

    Args:
        kind: what it is called in an error, ``study``.
        name: the module.
        names: those that there are.
        package: where they are.
        attribute: the name in the module.

    Raises:
        UsageError: `name` is none of `names`.
    """
    if name not in names:
        close = nearest(name, names)
        remedy = f"did you mean '{close}'?" if close else f"choose one of {', '.join(names)}"
        raise UsageError(f"{kind} = '{name}': is not a {kind}; {remedy}")
    return getattr(import_module(f"{package}.{name}"), attribute)
