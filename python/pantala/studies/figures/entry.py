"""The entries ``[[figures]]`` and ``[[tables]]`` of study.toml.

A figure shows cells of an experiment. Its columns are the axes of the experiment, ``name`` and
``job`` (the job and its number), ``condition`` (alone or together), and ``beside`` (the other jobs
of the run, or alone).
"""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field

from pantala.models.base import Model

__all__ = ["ALONE", "EXPERIMENT", "OWN", "TOGETHER", "FigureEntry", "TableEntry"]

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
