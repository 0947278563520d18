"""The figures and tables of a study, from the runs in its directory."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import polars as pl

from pantala.errors import PantalaError, UsageError, first_line
from pantala.studies.evidence import Evidence
from pantala.studies.figures.checks import check_figure, values_of
from pantala.studies.figures.entry import EXPERIMENT, FigureEntry, TableEntry
from pantala.studies.figures.kinds import completed, kind_of
from pantala.studies.figures.table_lines import check_table_lines
from pantala.studies.job_names import job_names
from pantala.studies.shared_seeds import seeds_in_words
from pantala.text.amounts import count, counted

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from pantala.caveats import Caveat
    from pantala.experiments.description import Description
    from pantala.experiments.experiment import Experiment
    from pantala.studies.definition import StudyDefinition

__all__ = ["MadeFigure", "MadeTable", "check_figures", "figures_of", "tables_of"]

#: Caveats of an experiment that a figure says otherwise, or that are no matter for it.
_SAID = frozenset({"absent", "one_seed", "equal_seeds", "windows"})
#: The same for figures of tables; an overlap has a reason of the study's own.
_SAID_BY_TABLES = _SAID - {"absent"} | {"overlap"}


@dataclass(frozen=True)
class MadeFigure:
    """A figure of a study.

    Attributes:
        entry: its entry; that of a table with `lines` is the table's.
        caption: what it shows, of which runs.
        numbers: its numbers; empty if it cannot be drawn.
        draw: draws it; None if it cannot be drawn: the caption says why.
        notes: in a few words each, what limits it.
    """

    entry: FigureEntry | TableEntry
    caption: str
    numbers: pl.DataFrame
    draw: Callable[[], Figure] | None
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class MadeTable:
    """A table of a study: a row per thing, null where the runs are missing.

    Attributes:
        entry: its entry.
        rows: the table.
        remark: what its function says of it, such as its seeds; empty if nothing.
    """

    entry: TableEntry
    rows: pl.DataFrame
    remark: str = ""


def check_figures(study: StudyDefinition) -> None:
    """Checks the figures and tables of a study before there are runs.

    Raises:
        UsageError: one asks for what the study does not have.
    """
    descriptions = study.descriptions(quick=False)
    names = [each.name for each in study.file.figures] + [each.name for each in study.file.tables]
    for name in names:
        if names.count(name) > 1:
            raise UsageError(f"study {study.name}: figure {name}: is there twice; rename one")
    for entry in study.file.figures:
        try:
            check_figure(entry, descriptions)
        except UsageError as error:
            raise UsageError(f"study {study.name}: figure {entry.name}: {error}") from None
    _check_lines(study, list(tables_of(study, Evidence(descriptions, {}))))


def figures_of(
    study: StudyDefinition,
    experiments: Mapping[str, Experiment],
    limits: Sequence[Caveat],
    *,
    quick: bool,
) -> Iterator[MadeFigure]:
    """Yields the figures of a study: the lines of its tables, then its figures, in order.

    Args:
        study: the study.
        experiments: the experiments that have been begun.
        limits: what limits the study. The function of a table can read all of it, so its figure
            says all.
        quick: whether they are those of the quick version.

    Raises:
        UsageError: a figure asks for what the study does not have, or its cells are not told apart.
    """
    check_figures(study)
    descriptions = study.descriptions(quick=False)
    evidence = Evidence(descriptions, experiments)
    if any(each.lines for each in study.file.tables):
        tables = list(tables_of(study, evidence))
        yield from _of_tables(study, tables, limits)
    for entry in study.file.figures:
        try:
            yield _figure(study, entry, descriptions, experiments, evidence, quick=quick)
        except UsageError as error:
            raise UsageError(f"study {study.name}: figure {entry.name}: {error}") from None


def tables_of(study: StudyDefinition, evidence: Evidence) -> Iterator[MadeTable]:
    """Yields the tables of a study in order.

    Raises:
        UsageError: a function asks for what no experiment has, or fails.
    """
    for entry in study.file.tables:
        where = f"study {study.name}: table {entry.name}"
        try:
            found = study.tables[entry.name](evidence)
        except UsageError as error:
            raise UsageError(f"{where}: {error}") from None
        except PantalaError:
            raise
        except Exception as error:  # of the user's function
            raise UsageError(f"{where}: {type(error).__name__}: {first_line(error)}") from None
        rows, remark = found if isinstance(found, tuple) and len(found) == 2 else (found, "")
        if not isinstance(rows, pl.DataFrame) or not isinstance(remark, str):
            raise UsageError(
                f"{where}: its function returns no frame of Polars; return one, or a frame and a"
                " sentence for the caption"
            )
        yield MadeTable(entry, rows.fill_nan(None), remark)


def _check_lines(study: StudyDefinition, tables: list[MadeTable]) -> None:
    for made in tables:
        if made.entry.lines is not None:
            try:
                check_table_lines(made.entry.lines, made.rows)
            except UsageError as error:
                raise UsageError(f"study {study.name}: table {made.entry.name}: {error}") from None


def _of_tables(
    study: StudyDefinition, tables: list[MadeTable], limits: Sequence[Caveat]
) -> Iterator[MadeFigure]:
    """Yields the figures of tables with `lines`."""
    _check_lines(study, tables)
    notes = tuple(each.short for each in limits if each.short and each.kind not in _SAID_BY_TABLES)
    for made in tables:
        if (lines := made.entry.lines) is None:
            continue
        from pantala.studies.figures.table_lines import table_lines

        columns = [each for each in lines.numbers if each in made.rows.columns]
        caption = " ".join(filter(None, [made.entry.caption, made.remark]))
        if all(made.rows[each].null_count() == len(made.rows) for each in columns[1:]):
            why = "Not drawn: the runs of its table are missing."
            yield MadeFigure(made.entry, why, made.rows, None)
            continue
        yield MadeFigure(
            made.entry,
            caption,
            made.rows,
            partial(table_lines, made.rows, lines, study.file.labels),
            notes,
        )


def _figure(
    study: StudyDefinition,
    given: FigureEntry,
    descriptions: Mapping[str, Description],
    experiments: Mapping[str, Experiment],
    evidence: Evidence,
    *,
    quick: bool,
) -> MadeFigure:
    from pantala.studies.figures.drawings import DRAWINGS
    from pantala.studies.figures.look import Look
    from pantala.studies.figures.numbers import NUMBERS
    from pantala.studies.figures.rows import FigureRows

    kind, entry = kind_of(given), completed(given)
    there = [experiments[name] for name in entry.experiments if name in experiments]
    lacking = [name for name in entry.experiments if name not in experiments]
    none = [f"experiment {name} has no run" for name in lacking]
    if not there:
        return MadeFigure(given, f"Not drawn: {' and '.join(none)}.", pl.DataFrame(), None)
    rows = FigureRows(
        entry, there, evidence.seeds, one_seed=kind.one_seed, equal_seeds=kind.equal_seeds
    )
    numbers = NUMBERS[kind.name](rows) if rows and rows.whole else pl.DataFrame()
    if numbers.is_empty():
        why = f"Not drawn: {_lacking(rows, entry, quick=quick)}"
        return MadeFigure(given, why, numbers, None)
    own = [descriptions[name] for name in entry.experiments]
    jobs = job_names(list(descriptions.values()))
    orders = {**values_of(own), EXPERIMENT: entry.experiments}
    look = Look(entry, study.file.labels, jobs, orders)
    numbers = look.sorted(numbers)
    words = [kind.of_one if kind.of_one and len(rows.seeds) < 2 else kind.text, entry.caption]
    notes = ["quick"] if quick else []
    if rows.seed is not None:
        words.append(f"Seed {rows.seed}.")
        notes.append(f"seed {rows.seed}")
    several = any(each.seeds > 1 for each in own)
    if several and rows.only_done is not None:
        none.append(f"only seed {rows.only_done} has runs")
    elif several and len(rows.seeds) == 1:
        none.append(f"only seed {rows.seeds[0]} has runs of all cells")
    elif len(rows.seeds) > 1:
        words.append(f"{seeds_in_words(rows.seeds).capitalize()}.")
        notes.append(seeds_in_words(rows.seeds))
    if rows.absent:
        none.append(f"of {counted(rows.wanted, 'run')}, {count(rows.absent)} are missing")
    words += [f"{each[0].upper()}{each[1:]}." for each in none]
    notes += none
    for experiment in there:
        notes += [each.short for each in experiment.caveats if each.kind not in _SAID]
    draw = DRAWINGS[kind.name]
    caption = " ".join(filter(None, words))
    return MadeFigure(
        given, caption, numbers, lambda: draw(numbers, look), tuple(dict.fromkeys(notes))
    )


def _lacking(rows: Any, entry: FigureEntry, *, quick: bool) -> str:
    """Returns why a figure has no numbers."""
    names = " and ".join(entry.experiments)
    if rows and rows.whole:
        return f"its {counted(rows.wanted, 'run')} have no rows of it."
    if rows.wanted and rows.whole:
        return f"{counted(rows.wanted, 'run')} of experiment {names} are missing."
    if quick:
        return "the quick version does not have its cases."
    return f"experiment {names} has no run of its cases."
