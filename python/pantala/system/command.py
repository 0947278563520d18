"""Whether this process is a command of `pantala`, and not a program of the user."""

from __future__ import annotations

__all__ = ["begin_command", "is_command"]

_BEGUN: list[None] = []


def begin_command() -> None:
    """Says that this process is a command."""
    _BEGUN.append(None)


def is_command() -> bool:
    """Returns whether this process is a command."""
    return bool(_BEGUN)
