"""The checks of the figures of a study before its runs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from pantala.catalogue.tables import TABLES
from pantala.errors import UsageError, nearest, show
from pantala.studies.figures.entry import ALONE, EXPERIMENT, OWN, TOGETHER, FigureEntry
from pantala.studies.figures.kinds import StudyKind, completed, kind_of
from pantala.studies.job_names import job_names

if TYPE_CHECKING:
    from pantala.experiments.description import Description

__all__ = ["check_figure", "values_of"]

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
    for name in entry.experiments:
        if name not in descriptions:
            raise UsageError(_unknown("experiment", name, descriptions))
    own = [descriptions[name] for name in entry.experiments]
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
        for name, description in zip(entry.experiments, own, strict=True):
            if not set(table.split("|")) & set(description.keep):
                raise UsageError(
                    f"kind = '{kind.name}': reads the table {table.replace('|', ' or ')}, which"
                    f" experiment {name} does not keep; add it to the experiment's keep"
                )
    if kind.serves and len(entry.jobs) != 1:
        raise UsageError(
            f"jobs = {show(entry.jobs)}: figure {kind.name} shows the routers of one job; name one"
        )
    _check_columns(whole, kind, own)
    _check_cells(whole, kind, own)
    names = job_names(own)
    for name in entry.jobs:
        if name not in names:
            raise UsageError(_unknown("jobs", name, names))


def values_of(descriptions: Sequence[Description]) -> dict[str, list[Any]]:
    """Returns the values of each axis of experiments, in their order."""
    found: dict[str, dict[Any, None]] = {}
    for description in descriptions:
        for axis in description.axes:
            for column in axis.columns:
                values = found.setdefault(column, {})
                values |= dict.fromkeys(point.shown[column] for point in axis.points)
    return {column: list(values) for column, values in found.items()}


def _known(kind: StudyKind, descriptions: Sequence[Description]) -> list[str]:
    """Returns the columns that all experiments have."""
    own = ("condition",) if kind.of_links else OWN
    first, *others = descriptions
    shared = [each for each in first.columns if all(each in other.columns for other in others)]
    return [*shared, *own, EXPERIMENT]


def _check_columns(entry: FigureEntry, kind: StudyKind, own: Sequence[Description]) -> None:
    known = _known(kind, own)
    for key in _FOR:
        for column in getattr(entry, key):
            if column not in known:
                raise UsageError(_unknown(key, column, known))
    if kind.most_panels and len(entry.panels or ()) > kind.most_panels:
        raise UsageError(
            f"panels = {show(entry.panels)}: figure {kind.name} has rows and columns of panels;"
            f" name at most {kind.most_panels} columns"
        )


def _check_cells(entry: FigureEntry, kind: StudyKind, own: Sequence[Description]) -> None:
    known = _known(kind, own)
    for cell in entry.cells:
        for column, given in cell.items():
            if column not in known:
                raise UsageError(_unknown("where", column, known))
            values = _values(column, own)
            for value in given if isinstance(given, list) else [given]:
                if values is not None and value not in values:
                    raise UsageError(_unknown(f"where.{column}", value, values))


def _values(column: str, descriptions: Sequence[Description]) -> list[Any] | None:
    """Returns the values of a column that are known before the runs."""
    if column == "condition":
        return [ALONE, TOGETHER]
    if column == "name":
        return job_names(descriptions)
    if column == EXPERIMENT:
        return [each.name for each in descriptions]
    return values_of(descriptions).get(column)


def _unknown(key: str, given: object, known: Iterable[Any]) -> str:
    words = [str(each) for each in known]
    close = nearest(str(given), words)
    hint = f"did you mean '{close}'?" if close else f"choose {', '.join(words)}"
    return f"{key} = {show(given)}: the study has none; {hint}"
