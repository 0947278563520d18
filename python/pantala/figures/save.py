"""Write a figure to a file: the same figure gives the same bytes."""

from __future__ import annotations

import io
import os
from pathlib import Path

import matplotlib as mpl
from matplotlib.figure import Figure

from pantala.errors import UsageError

__all__ = ["FORMATS", "check_place", "save", "to_svg"]

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
        UsageError: The ending is none of .svg, .pdf and .png, or the file cannot be written.
    """
    target = check_place(path)
    kind = target.suffix.lower().removeprefix(".")
    with mpl.rc_context({"svg.hashsalt": "pantala", "pdf.fonttype": 42}):
        try:
            figure.savefig(target, format=kind, dpi=dpi, metadata=_NO_METADATA[kind])
        except OSError as error:
            raise UsageError(
                f"{target}: cannot be written: {error.strerror or error}; name another file"
            ) from None
    return target


def check_place(path: str | os.PathLike[str]) -> Path:
    """See whether a figure can be written at `path`, before the work whose figure it is.

    Raises:
        UsageError: The ending is none of .svg, .pdf and .png, or there is no such directory.
    """
    target = Path(path)
    if target.suffix.lower().removeprefix(".") not in _NO_METADATA:
        known = ", ".join(f".{name}" for name in FORMATS)
        raise UsageError(f"{target}: is no kind of figure; end the name in one of {known}")
    if not target.parent.is_dir():
        raise UsageError(
            f"{target}: cannot be written: there is no directory {target.parent}; make it first"
        )
    return target


def to_svg(figure: Figure) -> str:
    """Return `figure` as SVG text on a transparent ground, its letters as text, for placing in a
    page.
    """
    buffer = io.StringIO()
    with mpl.rc_context({"svg.hashsalt": "pantala", "svg.fonttype": "none"}):
        figure.savefig(buffer, format="svg", transparent=True, metadata=_NO_METADATA["svg"])
    return buffer.getvalue()
