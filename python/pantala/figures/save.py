"""Write a figure to a file: the same figure gives the same bytes."""

from __future__ import annotations

import io
import os
from pathlib import Path

import matplotlib as mpl
from matplotlib.figure import Figure

__all__ = ["FORMATS", "save", "to_svg"]

# Matplotlib writes the date and its own version unless each key is switched off.
_NO_METADATA: dict[str, dict[str, str | None]] = {
    "svg": {"Date": None, "Creator": None, "Format": None, "Type": None},
    "pdf": {"CreationDate": None, "Creator": None, "Producer": None},
    "png": {"Software": None},
}

#: File endings that `save` knows.
FORMATS = tuple(_NO_METADATA)


def save(figure: Figure, path: str | os.PathLike[str], *, dpi: float = 200) -> Path:
    """Write `figure` as SVG, PDF or PNG, by the ending of `path`, and return the path.

    Args:
        figure: What a function of this package returned.
        path: File to write; replaced if it exists.
        dpi: Dots an inch, for PNG only.

    Raises:
        ValueError: The ending is none of .svg, .pdf and .png.
    """
    target = Path(path)
    kind = target.suffix.lower().removeprefix(".")
    if kind not in _NO_METADATA:
        known = ", ".join(f".{name}" for name in FORMATS)
        raise ValueError(f"cannot write a figure as {target.name!r}: end the name in one of {known}")
    with mpl.rc_context({"svg.hashsalt": "pantala", "pdf.fonttype": 42}):
        figure.savefig(target, format=kind, dpi=dpi, metadata=_NO_METADATA[kind])
    return target


def to_svg(figure: Figure) -> str:
    """Return `figure` as SVG text on a transparent ground, its letters as text, for placing in a page."""
    buffer = io.StringIO()
    with mpl.rc_context({"svg.hashsalt": "pantala", "svg.fonttype": "none"}):
        figure.savefig(buffer, format="svg", transparent=True, metadata=_NO_METADATA["svg"])
    return buffer.getvalue()
