"""Titles of directories on the command line, which tell them apart."""

from __future__ import annotations

import os
from pathlib import Path

from pantala.errors import UsageError

__all__ = ["titles"]


def titles(paths: list[Path]) -> list[str]:
    """Returns a title for each directory: the shortest end of its path that no other one has.

    Raises:
        UsageError: two paths are the same directory.
    """
    resolved = [path.resolve() for path in paths]
    for place, path in enumerate(resolved):
        if path in resolved[:place]:
            raise UsageError(f"{paths[place]}: is named twice; name each run once")
    # A run of an experiment is a link; its target has no name that a user knows.
    whole = [Path(os.path.abspath(path)) for path in paths]  # noqa: PTH100
    for length in range(1, max(len(path.parts) for path in whole) + 1):
        found = ["/".join(path.parts[-length:]) for path in whole]
        if len(set(found)) == len(found):
            break
    return found
