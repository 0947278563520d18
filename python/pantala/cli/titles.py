"""Titles of directories on the command line, which tell them apart."""

from __future__ import annotations

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
    for length in range(1, max(len(path.parts) for path in resolved) + 1):
        found = ["/".join(path.parts[-length:]) for path in resolved]
        if len(set(found)) == len(found):
            break
    return found
