"""The import of Matplotlib, which a command makes lighter."""

from __future__ import annotations

import gc
import sys
import warnings
from typing import Any

from pantala.system.command import is_command

__all__ = ["import_matplotlib"]

_SOLID = "mpl_toolkits.mplot3d"


def import_matplotlib() -> None:
    """Imports Matplotlib. In a command, it leaves out what only programs can use.

    These are the list of properties in the docstring of each artist, and axes in three dimensions.
    They take a third of the time. A program of the user gets all of Matplotlib. The collector of
    garbage waits until the end: it would look through all modules several times.
    """
    if is_command() and "matplotlib.figure" not in sys.modules:
        gc.disable()
        try:
            _import_without_the_rest()
        finally:
            gc.freeze()  # what has been imported stays, so nobody needs to look through it again
            gc.enable()
    import matplotlib.figure  # noqa: F401


def _import_without_the_rest() -> None:
    import matplotlib.artist as artists

    modules: dict[str, Any] = sys.modules
    properties, solid = artists.kwdoc, modules.get(_SOLID)
    artists.kwdoc = _nothing
    modules.setdefault(_SOLID, None)  # an import of it fails
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # that there are no axes in three dimensions
            import matplotlib.figure  # noqa: F401
    finally:
        artists.kwdoc = properties
        if solid is None:
            del modules[_SOLID]


def _nothing(artist: Any) -> str:
    return ""
