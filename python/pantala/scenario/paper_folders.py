"""The folders of the papers: one package of `pantala.papers` each."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from importlib.resources import files
from importlib.resources.abc import Traversable

__all__ = ["paper_folders"]


@lru_cache
def paper_folders() -> Mapping[str, Traversable]:
    """Returns the folder of each paper by the paper's name, in the order of names."""
    entries = {entry.name: entry for entry in (files("pantala") / "papers").iterdir()}
    return {
        name: entry
        for name, entry in sorted(entries.items())
        if entry.is_dir() and (entry / "__init__.py").is_file()
    }
