"""How a figure of a study looks: the words, the colours and the order of its values.

A job has one colour in all figures of a study. Values of other columns, such as routings, have
softer colours, which no job has.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl

from pantala.figures.style import DASHES, HATCHES, PALETTE
from pantala.studies.figures.entry import ALONE, FigureEntry

__all__ = ["LINES", "NOBODY", "TONES", "Look", "first_of", "parts_of"]

#: The colour of bars without another job, and those of lines and bars of what is no job. Hatches
#: and dashes tell them apart, too.
NOBODY = "#B9BEC6"
LINES = ("#3F5A80", "#C98A2B", "#7FA98B", "#A57C9B", "#8C7B6B", "#C26A5A", "#6F87A8", "#A9B8CC")
TONES = ("#A9B8CC", "#6F87A8", "#3F5A80", "#C98A2B", "#7FA98B", "#A57C9B", "#8C7B6B", "#C26A5A")


@dataclass(frozen=True)
class Look:
    """How a figure looks.

    Attributes:
        entry: the figure, complete.
        labels: words in place of values, such as ``FFT3D`` for ``fft3d``.
        jobs: the jobs of the study in order, which have its colours.
        orders: the values of each axis in order.
    """

    entry: FigureEntry
    labels: Mapping[str, str]
    jobs: Sequence[str]
    orders: Mapping[str, Sequence[Any]]

    def words(self, columns: Sequence[str], row: Mapping[str, Any]) -> str:
        """Returns the values of some columns in words."""
        return ", ".join(self._word(column, row[column]) for column in columns)

    def colour(self, row: Mapping[str, Any]) -> str:
        """Returns the colour of a row: of its job if it shows one, else of its series or group."""
        if "name" in row and row["name"] in self.jobs:
            return PALETTE[self.jobs.index(row["name"]) % len(PALETTE)]
        for columns in (self.entry.series, self.entry.groups):
            for column in columns or ():
                if column in self.orders:
                    return TONES[self._place(column, row) % len(TONES)]
        return PALETTE[0]

    def fill(self, row: Mapping[str, Any]) -> tuple[str, str]:
        """Returns colour and hatch of a bar: those of its series, unless that is a condition."""
        for column in self.entry.series or ():
            if column in ("beside", "name"):
                if row[column] not in self.jobs:
                    return (NOBODY if row[column] == ALONE else TONES[0]), ""
                at = self.jobs.index(row[column])
                return PALETTE[at % len(PALETTE)], HATCHES[at % len(HATCHES)]
            if column in self.orders:
                at = self._place(column, row)
                return TONES[at % len(TONES)], HATCHES[at % len(HATCHES)]
        return self.colour(row), ""

    def line(self, row: Mapping[str, Any]) -> dict[str, Any]:
        """Returns the look of a line: colour by the first series column, dashes by the second."""
        first, *others = [each for each in self.entry.series or () if each in self.orders] or [""]
        if not first:
            return {"color": self.colour(row), "ls": "--" if row.get("condition") == ALONE else "-"}
        dash = self._place(others[0] if others else first, row)
        return {
            "color": LINES[self._place(first, row) % len(LINES)],
            "ls": DASHES[dash % len(DASHES)],
        }

    def _place(self, column: str, row: Mapping[str, Any]) -> int:
        return list(self.orders[column]).index(row[column])

    def sorted(self, numbers: pl.DataFrame) -> pl.DataFrame:
        """Returns the rows in the order of axes and jobs, each job alone first."""
        if numbers.is_empty():
            return numbers
        by = []
        for column in self.entry.keys:
            known = list(self.orders.get(column, ()))
            if column == "name":
                known = [*self.entry.jobs, *self.jobs]
            if column in ("condition", "beside"):
                by.append(pl.col(column) != ALONE)
            elif known:
                places = {value: place for place, value in reversed(list(enumerate(known)))}
                by.append(pl.col(column).replace_strict(places, default=len(known)))
        return numbers.sort(by, maintain_order=True) if by else numbers

    def _word(self, column: str, value: Any) -> str:
        text = str(value)
        if column == "beside":
            return "+".join(self.labels.get(each, each) for each in text.split("+"))
        return self.labels.get(text, text)


def parts_of(numbers: pl.DataFrame, columns: Sequence[str]) -> list[pl.DataFrame]:
    """Returns the rows of each combination of values of some columns."""
    if not columns:
        return [numbers]
    return numbers.partition_by(columns, maintain_order=True)


def first_of(numbers: pl.DataFrame) -> dict[str, Any]:
    """Returns the first row."""
    return numbers.row(0, named=True)
