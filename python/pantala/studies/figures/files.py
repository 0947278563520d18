"""The figures and tables of a study as files."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from pantala.errors import UsageError
from pantala.files.atomic_file import write_bytes
from pantala.files.csv_text import csv_text
from pantala.studies.figures.entry import FigureEntry

if TYPE_CHECKING:
    import polars as pl

    from pantala.studies.campaign import Campaign

__all__ = ["write_figures"]


def write_figures(campaign: Campaign, target: Path, form: str) -> Iterator[str]:
    """Writes the tables and figures of a study; yields a line about each.

    A table or figure has its numbers in ``NAME.csv``.

    Args:
        campaign: the study in its directory.
        target: the directory to write to; made if it is not there.
        form: pdf, svg or png.

    Raises:
        UsageError: the study has no figures, the form is unknown, or a file cannot be written.
    """
    from pantala.figures.notes import write_below
    from pantala.figures.save import FORMATS, save

    file = campaign.study.file
    if form not in FORMATS:
        raise UsageError(f"--format {form}: is not one of pdf, svg and png; write one of them")
    if not file.figures and not file.tables:
        raise UsageError(
            f"study {campaign.study.name}: has no figures; add [[figures]] to its study.toml"
        )
    try:
        target.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(
            f"{target}: cannot be made: {error.strerror or error}; choose another --to"
        ) from None
    for table in campaign.tables():
        yield f"{table.entry.name}: {_write(table.rows, target / f'{table.entry.name}.csv')}"
    for made in campaign.figures():
        name = made.entry.name
        if made.draw is None:
            yield f"{name}: {made.caption}"
            continue
        numbers = target / f"{name}.csv"
        if isinstance(made.entry, FigureEntry):  # the tables are written already
            _write(made.numbers, numbers)
        drawn = made.draw()
        write_below(drawn, *made.notes)
        yield f"{name}: {save(drawn, target / f'{name}.{form}')}, {numbers.name}"


def _write(rows: pl.DataFrame, path: Path) -> Path:
    try:
        write_bytes(path, csv_text(rows).encode())
    except OSError as error:
        raise UsageError(
            f"{path}: cannot be written: {error.strerror or error}; choose another --to"
        ) from None
    return path
