"""The entries ``[[figures]]`` and ``[[tables]]`` of study.toml.

A figure shows cells of an experiment. Its columns are the axes of the experiment, ``name`` and
``job`` (the job and its number), ``condition`` (alone or together), and ``beside`` (the other jobs
of the run, or alone).
"""

from __future__ import annotations

from typing import Annotated, Any, Self

from pydantic import Field, model_validator

from pantala.models.base import Model

__all__ = [
    "ALONE",
    "EXPERIMENT",
    "OWN",
    "TOGETHER",
    "FigureEntry",
    "Series",
    "TableEntry",
    "TableLines",
]

#: Columns of a figure beside the axes.
OWN = ("name", "job", "condition", "beside")
#: The column with the name of the experiment, for a figure of several.
EXPERIMENT = "experiment"
#: The values of the column ``condition``.
ALONE, TOGETHER = "alone", "together"

_FileName = Annotated[str, Field(pattern=r"^[A-Za-z][A-Za-z0-9_-]*$", max_length=80)]


class FigureEntry(Model):
    """A figure of a study."""

    name: _FileName
    """Its name, such as "figure-05": the name of its files."""
    kind: str
    """The kind; `pantala.studies.figures.kinds` has them."""
    experiment: str | list[str]
    """The experiment, or several with equal axes."""
    title: str
    """Its heading."""
    caption: str = ""
    """What to see in it, in own words."""
    source: str = ""
    """The figure of the paper that it is drawn after, such as "Fig. 5"."""
    where: dict[str, Any] | list[dict[str, Any]] = Field(default_factory=dict)
    """The cells: for each column a value or a list of values. A list of tables is their union."""
    jobs: list[str] = Field(default_factory=list)
    """The jobs; all without it."""
    panels: list[str] | None = None
    """The columns with a panel per value: one down, or one down and one across."""
    groups: list[str] | None = None
    """The columns with a group of bars or boxes per value."""
    series: list[str] | None = None
    """The columns with a bar, box or line per value."""
    value: str | None = None
    """The quantity, of kinds that show one of several."""
    pool: bool = False
    """Whether the jobs are taken together."""

    @property
    def experiments(self) -> list[str]:
        """The names of `experiment`."""
        return [self.experiment] if isinstance(self.experiment, str) else self.experiment

    @property
    def keys(self) -> list[str]:
        """The columns of panels, groups and series, each once."""
        found = [*(self.panels or ()), *(self.groups or ()), *(self.series or ())]
        return list(dict.fromkeys(found))

    @property
    def cells(self) -> list[dict[str, Any]]:
        """The tables of `where`, at least one."""
        return self.where if isinstance(self.where, list) else [self.where]


class Series(Model):
    """What one colour of the lines of a table shows: points, a line, or both."""

    label: str
    """Its words in the key."""
    points: str | None = None
    """The column of its points."""
    line: str | None = None
    """The column of its line. A series without points has a dashed one in grey."""

    @model_validator(mode="after")
    def _one_of_both(self) -> Self:
        if self.points is None and self.line is None:
            raise ValueError("has neither points nor line; name a column")
        return self

    @property
    def columns(self) -> list[str]:
        """The columns of its points and its line."""
        return [each for each in (self.points, self.line) if each is not None]


class TableLines(Model):
    """The lines of a table: its columns over one of them."""

    x: str
    """The column along the x axis; a column of numbers."""
    x_label: str = ""
    """What the x axis shows; the column's name without it."""
    log: bool = False
    """Whether the x axis is logarithmic."""
    label: str
    """What the y axis shows, with its unit."""
    panels: str | None = None
    """The column with a panel per value."""
    series: Annotated[list[Series], Field(min_length=1, max_length=12)]
    """The series, in the order of the key."""

    @property
    def numbers(self) -> list[str]:
        """The columns that have to be numbers, each once."""
        found = [self.x, *(column for each in self.series for column in each.columns)]
        return list(dict.fromkeys(found))


class TableEntry(Model):
    """A table of a study; the function of this name in tables.py makes it."""

    name: _FileName
    """Its name, such as "table-1": the name of its file, and the function's in tables.py."""
    title: str
    """Its heading."""
    source: str = ""
    """The table of the paper that it follows."""
    caption: str = ""
    """What to see in it, in own words."""
    lines: TableLines | None = None
    """A figure of its columns."""
