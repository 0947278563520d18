"""Writing figures to files: equal figures give equal bytes."""

from __future__ import annotations

import io
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import matplotlib as mpl
from matplotlib.figure import Figure
from matplotlib.text import Text
from matplotlib.ticker import FuncFormatter

from pantala.errors import UsageError
from pantala.figures.page_svg import write_svg
from pantala.files.atomic_file import write_bytes
from pantala.text.plain_text import plain

__all__ = ["FORMATS", "check_place", "save", "to_svg"]

# Matplotlib writes the date and its own version unless each key is switched off.
_NO_METADATA: dict[str, dict[str, str | None]] = {
    "svg": {"Date": None, "Creator": None, "Format": None, "Type": None},
    "pdf": {"CreationDate": None, "Creator": None, "Producer": None},
    "png": {"Software": None},
}

#: The file endings that `save` accepts.
FORMATS = tuple(_NO_METADATA)


def save(figure: Figure, path: str | os.PathLike[str], *, dpi: float = 200) -> Path:
    """Writes `figure` as SVG, PDF or PNG, by the ending of `path`, and returns the path.

    Args:
        figure: a figure that a function of this package returned.
        path: the file to write; replaced if it exists.
        dpi: dots per inch, for PNG only.

    Raises:
        UsageError: the ending is none of .svg, .pdf and .png, or the file cannot be written.
    """
    target = check_place(path)
    kind = target.suffix.lower().removeprefix(".")
    _make_plain(figure)
    with mpl.rc_context({"svg.hashsalt": "pantala", "pdf.fonttype": 42}):
        try:
            # Not into the file: Matplotlib leaves a PDF open if the disk is full.
            drawn = io.BytesIO()
            figure.savefig(drawn, format=kind, dpi=dpi, metadata=_NO_METADATA[kind])
            write_bytes(target, drawn.getvalue())
        except OSError as error:
            raise UsageError(
                f"{target}: cannot be written: {error.strerror or error}; name another file"
            ) from None
    return target


def check_place(path: str | os.PathLike[str]) -> Path:
    """Checks whether a figure can be written at `path`, before the work for the figure starts.

    Raises:
        UsageError: the ending is none of .svg, .pdf and .png, or there is no such directory.
    """
    target = Path(path)
    if target.suffix.lower().removeprefix(".") not in _NO_METADATA:
        known = ", ".join(f".{name}" for name in FORMATS)
        raise UsageError(f"{target}: has no ending of a figure; end the name in one of {known}")
    if not target.parent.is_dir():
        raise UsageError(
            f"{target}: cannot be written: there is no directory {target.parent}; make it first"
        )
    return target


def to_svg(figure: Figure) -> str:
    """Returns `figure` as SVG text for a page: transparent background, letters as text."""
    _make_plain(figure)
    buffer = io.StringIO()
    with (
        mpl.rc_context({"svg.hashsalt": "pantala", "svg.fonttype": "none"}),
        _transparent(figure),
    ):
        # `savefig` would draw everything once more, to lay the figure out before it writes it.
        write_svg(figure, buffer, _NO_METADATA["svg"])
    return buffer.getvalue()


@contextmanager
def _transparent(figure: Figure) -> Iterator[None]:
    """Leaves out the background of a figure and its axes inside the ``with`` block."""
    patches = [figure.patch, *(axes.patch for axes in figure.axes)]
    before = [patch.get_facecolor() for patch in patches]
    for patch in patches:
        patch.set_facecolor("none")
    try:
        yield
    finally:
        for patch, colour in zip(patches, before, strict=True):
            patch.set_facecolor(colour)


def _make_plain(figure: Figure) -> None:
    """Makes every text of a figure plain: an SVG with a control character is no XML."""
    for text in figure.findobj(Text):
        if (now := plain(text.get_text())) != text.get_text():
            text.set_text(now)
    for axes in figure.axes:
        for axis in (axes.xaxis, axes.yaxis):
            # A list of labels is drawn by a function that maps positions to labels.
            named = axis.get_major_formatter()
            if isinstance(named, FuncFormatter) and any(
                plain(label) != label
                for label in named.format_ticks(list(axis.get_majorticklocs()))
            ):
                axis.set_major_formatter(_plainly(named))


def _plainly(named: FuncFormatter) -> FuncFormatter:
    return FuncFormatter(lambda value, position: plain(named(value, position)))
