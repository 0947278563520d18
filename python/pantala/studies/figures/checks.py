"""The checks of the figures of a study before its runs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from pantala.catalogue.tables import TABLES
from pantala.errors import UsageError, nearest, show
from pantala.studies.figures.entry import ALONE, OWN, TOGETHER, FigureEntry
from pantala.studies.figures.kinds import StudyKind, completed, kind_of

if TYPE_CHECKING:
    from pantala.experiments.description import Description

__all__ = ["check_figure", "job_names"]

_FOR = ("panels", "groups", "series")


def check_figure(entry: FigureEntry, descriptions: Mapping[str, Description]) -> None:
    """Checks that the study has what a figure asks for.

    Args:
        entry: the figure.
        descriptions: the experiments of the whole study by name.

    Raises:
        UsageError: it has no such kind, experiment, table, column, value or job.
    """
    kind = kind_of(entry)
    description = descriptions.get(entry.experiment)
    if description is None:
        raise UsageError(_unknown("experiment", entry.experiment, descriptions))
    whole = completed(entry)
    if whole.value is not None and kind.name != "bars" and whole.value not in kind.values:
        known = ", ".join(kind.values)
        hint = f"choose {known}" if known else "remove it"
        raise UsageError(f"value = '{whole.value}': figure {kind.name} has no such value; {hint}")
    if kind.name == "bars":
        numeric = [each.name for each in TABLES["jobs"].columns if each.type[0] in "uif"]
        if whole.value not in numeric:
            raise UsageError(_unknown("value", whole.value, numeric))
    if entry.pool and not kind.pools:
        raise UsageError(f"pool = true: figure {kind.name} takes no jobs together; remove it")
    for table in kind.values.get(whole.value or "", kind.tables):
        if table not in description.keep:
            raise UsageError(
                f"kind = '{kind.name}': reads the table {table}, which experiment"
                f" {entry.experiment} does not keep; add it to the experiment's keep"
            )
    _check_columns(whole, kind, description)
    _check_cells(whole, kind, description)
    names = job_names([description])
    for name in entry.jobs:
        if name not in names:
            raise UsageError(_unknown("jobs", name, names))


def job_names(descriptions: Sequence[Description]) -> list[str]:
    """Returns the names of the jobs of experiments, in their order."""
    found: dict[str, None] = {}
    for description in descriptions:
        found |= dict.fromkeys(str(job.name) for job in description.base.jobs)
        for axis in description.axes:
            for point in axis.points:
                jobs = point.changes.get("jobs")
                for job in jobs if isinstance(jobs, list | tuple) else ():
                    name = job.get("name") if isinstance(job, Mapping) else job.name
                    found |= {} if name is None else {str(name): None}
    return list(found)


def _known(kind: StudyKind, description: Description) -> list[str]:
    own = ("condition",) if kind.of_links else OWN
    return [*description.columns, *own]


def _check_columns(entry: FigureEntry, kind: StudyKind, description: Description) -> None:
    known = _known(kind, description)
    for key in _FOR:
        for column in getattr(entry, key):
            if column not in known:
                raise UsageError(_unknown(key, column, known))
    if kind.most_panels and len(entry.panels or ()) > kind.most_panels:
        raise UsageError(
            f"panels = {show(entry.panels)}: figure {kind.name} has rows and columns of panels;"
            f" name at most {kind.most_panels} columns"
        )


def _check_cells(entry: FigureEntry, kind: StudyKind, description: Description) -> None:
    known = _known(kind, description)
    for cell in entry.cells:
        for column, given in cell.items():
            if column not in known:
                raise UsageError(_unknown("where", column, known))
            values = _values(column, description)
            for value in given if isinstance(given, list) else [given]:
                if values is not None and value not in values:
                    raise UsageError(_unknown(f"where.{column}", value, values))


def _values(column: str, description: Description) -> list[Any] | None:
    """Returns the values of a column that are known before the runs."""
    if column == "condition":
        return [ALONE, TOGETHER]
    if column == "name":
        return job_names([description])
    for axis in description.axes:
        if column in axis.columns:
            return [point.shown[column] for point in axis.points]
    return None


def _unknown(key: str, given: object, known: Iterable[Any]) -> str:
    words = [str(each) for each in known]
    close = nearest(str(given), words)
    hint = f"did you mean '{close}'?" if close else f"choose {', '.join(words)}"
    return f"{key} = {show(given)}: the study has none; {hint}"
