"""Whether this process is a command of `pantala`, and not a program of the user."""

from __future__ import annotations

import atexit
import gc

__all__ = ["begin_command", "is_command"]

_BEGUN: list[None] = []
#: A command builds much that stays until its end: models, plans, figures. With Python's thresholds
#: the collector of garbage looks through it a hundred times in a small run.
_THRESHOLDS = (10_000, 20, 100)


def begin_command() -> None:
    """Says that this process is a command. Garbage is collected less often from then on.

    At the end nothing is collected: the interpreter would look through all that it gives back.
    """
    _BEGUN.append(None)
    gc.set_threshold(*_THRESHOLDS)
    atexit.register(gc.freeze)


def is_command() -> bool:
    """Returns whether this process is a command."""
    return bool(_BEGUN)
