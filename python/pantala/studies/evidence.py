"""What the measures of claims read: values of the cells of a study's experiments, seed by seed.

A cell is a combination of values of the axes. A measure computes with arrays over seeds, so that
what runs of one seed share (placement, traffic) cancels in ratios and differences. A cell that is
not simulated yet has NaN.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
import polars as pl

from pantala.analysis.slowdown import SLOWDOWN_COLUMNS
from pantala.analysis.steady_throughput import THROUGHPUT_COLUMNS
from pantala.catalogue.tables import TABLES
from pantala.errors import UsageError, nearest
from pantala.studies.job_names import known_jobs, known_parts

if TYPE_CHECKING:
    from pantala.experiments.description import Description

__all__ = ["SLOWDOWNS", "THROUGHPUTS", "Evidence", "Results"]

#: The table of slowdowns, which is computed from the tables jobs and iterations.
SLOWDOWNS = "slowdowns"
#: The table of steady throughputs, which is computed from the table job_windows.
THROUGHPUTS = "throughputs"
#: The columns of the table of slowdowns that name a row.
_NAMES = ("job_set", "name")


class Results(Protocol):
    """What measures read of an experiment: `pantala.Experiment`, or a variation of one."""

    @property
    def runs(self) -> pl.DataFrame:
        """One row per case and part."""

    def slowdowns(self) -> pl.DataFrame:
        """The slowdowns of jobs that ran alone and together."""

    def throughputs(self) -> pl.DataFrame:
        """The steady throughputs of jobs."""

    def table(self, name: str) -> pl.LazyFrame:
        """A table of all runs, with the axes as columns."""


class Evidence:
    """The results of a study's experiments.

    Attributes:
        seeds: the seeds of the experiments, rising: the order of every array. A seed whose results
            all equal those of an earlier seed is left out, because it tells nothing new; see also
            `repeated`.
    """

    def __init__(
        self,
        descriptions: Mapping[str, Description],
        experiments: Mapping[str, Results],
        *,
        without_seeds: Collection[str] = (),
    ) -> None:
        """Takes the experiments that are there.

        Args:
            descriptions: the experiments of the whole study by name: what measures may ask for.
            experiments: those that have runs.
            without_seeds: those whose seeds do not count, such as variations with one seed.
        """
        self._descriptions = descriptions
        self._experiments = experiments
        self._frames: dict[tuple[str, str], pl.DataFrame] = {}
        self._runs = {
            name: self._seeded(name, each.runs)
            for name, each in experiments.items()
            if name not in without_seeds
        }
        self.seeds = _distinct(_results_by_seed(self._runs)) or [1]

    def cell(
        self, experiment: str, column: str, where: Mapping[str, object], table: str = SLOWDOWNS
    ) -> np.ndarray:
        """Returns a column of one row of a table, for each seed.

        Args:
            experiment: the experiment.
            column: a numeric column of the table.
            where: the row: values of axes and of columns.
            table: ``slowdowns`` (`Experiment.slowdowns`), ``throughputs``
                (`Experiment.throughputs`), or a table that the experiment keeps.

        Returns:
            [seed] the values; NaN for a seed without the row.

        Raises:
            UsageError: the study has no such experiment, table, column or value, or a seed has
                several such rows.
        """
        self._check(experiment, [column], where, table)
        chosen = self.rows(experiment, table)
        if chosen.is_empty():
            return np.full(len(self.seeds), np.nan)
        chosen = chosen.filter([pl.col(name) == value for name, value in where.items()])
        if chosen["seed"].n_unique() < chosen.height:
            raise UsageError(
                f"experiment {experiment}: table {table}: {dict(where)} is several rows of a seed;"
                " name the row's axes, part and job"
            )
        values = dict(chosen.select("seed", column).iter_rows())
        return np.array([_number(values.get(seed)) for seed in self.seeds])

    def rows(self, experiment: str, table: str = SLOWDOWNS) -> pl.DataFrame:
        """Returns a table of an experiment with the axes as columns; empty if there are no runs.

        Raises:
            UsageError: the study has no such experiment, or the experiment does not keep the table.
        """
        self._description(experiment, table)
        key = experiment, table
        if key not in self._frames:
            there = self._experiments.get(experiment)
            if there is None:
                frame = pl.DataFrame()
            elif table == SLOWDOWNS:
                frame = there.slowdowns()
            elif table == THROUGHPUTS:
                frame = there.throughputs()
            else:
                frame = there.table(table).collect()
            self._frames[key] = self._seeded(experiment, frame)
        return self._frames[key]

    def chosen(
        self, experiment: str, table: str, columns: Sequence[str], where: Mapping[str, object]
    ) -> pl.DataFrame:
        """Returns ``seed`` and some columns of some rows of a table, and reads nothing else.

        Args:
            experiment: the experiment.
            table: a table that the experiment keeps.
            columns: columns of the table, and axes.
            where: values of axes and of columns that the rows have.

        Returns:
            The rows; empty and without columns if there are no runs.

        Raises:
            UsageError: the study has no such experiment, table, column or value.
        """
        self._check(experiment, columns, where, table)
        there = self._experiments.get(experiment)
        if there is None:
            return pl.DataFrame()
        rows = there.table(table)
        for name, value in where.items():
            rows = rows.filter(pl.col(name) == value)
        if "seed" not in rows.collect_schema().names():
            rows = rows.with_columns(seed=pl.lit(self._descriptions[experiment].base.seed))
        return rows.select("seed", *columns).collect()

    def repeated(self, cases: Mapping[str, pl.Expr]) -> list[int]:
        """Returns the places of the seeds whose results in some cases equal those of earlier seeds.

        Runs can depend on the seed in some cases only, such as those with random placements.

        Args:
            cases: for each experiment that counts a condition on the axes.
        """
        own = {name: runs.filter(cases[name]) for name, runs in self._runs.items() if name in cases}
        results = _results_by_seed(own)
        return [
            self.seeds.index(each)
            for each in self.seeds
            if each in results.keys() - {*_distinct(results)}
        ]

    def _seeded(self, experiment: str, frame: pl.DataFrame) -> pl.DataFrame:
        """Returns a frame with the column ``seed``; without an axis, it is the scenario's seed."""
        if "seed" in frame.columns:
            return frame
        return frame.with_columns(seed=pl.lit(self._descriptions[experiment].base.seed))

    def _description(self, experiment: str, table: str) -> Description:
        """Returns an experiment of the study; checks that it has a table."""
        description = self._descriptions.get(experiment)
        if description is None:
            raise UsageError(_unknown("experiment", experiment, list(self._descriptions)))
        needed = {SLOWDOWNS: "jobs", THROUGHPUTS: "job_windows"}.get(table, table)
        if needed not in TABLES:
            known = [SLOWDOWNS, THROUGHPUTS, *description.keep]
            raise UsageError(f"experiment {experiment}: {_unknown('table', table, known)}")
        if needed not in description.keep:
            raise UsageError(
                f"experiment {experiment}: table {needed}: is not kept; add it to the experiment's"
                " keep"
            )
        return description

    def _check(
        self, experiment: str, columns: Sequence[str], where: Mapping[str, object], table: str
    ) -> None:
        """Checks a question against the whole study, so that it can be asked before the runs."""
        description = self._description(experiment, table)
        computed = {
            SLOWDOWNS: [*_NAMES, *SLOWDOWN_COLUMNS],
            THROUGHPUTS: ["part", *THROUGHPUT_COLUMNS],
        }
        own = computed.get(table) or ["part", *(each.name for each in TABLES[table].columns)]
        known = [*own, *description.columns]
        for name in [*columns, *where]:
            if name not in known:
                raise UsageError(f"experiment {experiment}: {_unknown('column', name, known)}")
        decided = {"name": known_jobs, "part": known_parts, "job_set": known_parts}
        for name in decided.keys() & where.keys():
            values = decided[name](description)
            if values is not None and where[name] not in values:
                raise UsageError(f"experiment {experiment}: {_unknown(name, where[name], values)}")
        for axis in description.axes:
            for name in axis.columns:
                values = [point.shown[name] for point in axis.points]
                if name in where and where[name] not in values:
                    raise UsageError(
                        f"experiment {experiment}: {_unknown(name, where[name], values)}"
                    )


def _results_by_seed(tables: Mapping[str, pl.DataFrame]) -> dict[int, set[tuple[object, ...]]]:
    """Returns for each seed the results of its runs, each with its place.

    Args:
        tables: the runs of each experiment, as `Experiment.runs` with the column ``seed``.
    """
    results: dict[int, set[tuple[object, ...]]] = {}
    for name, table in tables.items():
        axes = table.columns[: table.columns.index("part")]
        keys = [axis for axis in axes if axis not in ("case", "seed")]
        done = table.filter(pl.col("result_hash").is_not_null())
        for seed, *row in done.select("seed", *keys, "part", "result_hash").iter_rows():
            results.setdefault(seed, set()).add((name, *row))
    return results


def _distinct(results: Mapping[int, set[tuple[object, ...]]]) -> list[int]:
    """Returns the seeds, rising; of seeds with equal results the first only."""
    found: list[int] = []
    for seed in sorted(results):
        if all(results[seed] != results[earlier] for earlier in found):
            found.append(seed)
    return found


def _unknown(what: str, name: object, known: Sequence[Any]) -> str:
    close = nearest(str(name), [str(each) for each in known])
    hint = f"did you mean '{close}'?" if close else f"choose {', '.join(map(str, known))}"
    return f"{what} '{name}': there is none; {hint}"


def _number(value: Any) -> float:
    return float("nan") if value is None else float(value)
