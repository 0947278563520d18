"""The rows of tables that a figure of a study shows, with the columns of `FigureEntry`."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import polars as pl

from pantala.experiments.experiment import Experiment
from pantala.studies.figures.entry import ALONE, OWN, TOGETHER, FigureEntry

__all__ = ["FigureRows"]

_ALONE_PART = "alone-"
_ID = ("case", "part")


class FigureRows:
    """The cells of a figure in the runs that are there.

    Attributes:
        entry: the figure.
        absent: the number of its runs that are missing or failed.
        wanted: the number of all its runs.
        whole: whether each table of `where` has runs in this version of the study.
        seed: the only seed that it shows; None if it shows all.
    """

    def __init__(
        self,
        entry: FigureEntry,
        experiment: Experiment,
        seeds: Sequence[int],
        *,
        one_seed: bool,
    ) -> None:
        """Chooses the runs.

        Args:
            entry: the figure.
            experiment: its experiment.
            seeds: the seeds that count; see `Evidence`.
            one_seed: whether it shows one seed: the first of those with the most runs.
        """
        self.entry = entry
        self._experiment = experiment
        known = [*experiment.axes, "condition"]
        runs = self._of_entry(experiment.runs, known)
        self.seed: int | None = None
        if "seed" in runs.columns:
            runs = runs.filter(pl.col("seed").is_in(seeds))
            if one_seed and not runs.is_empty():
                done = (pl.col("state") == "done").sum()
                ranked = runs.group_by("seed").agg(done=done).sort("done", -pl.col("seed"))
                self.seed = ranked["seed"][-1]
                runs = runs.filter(pl.col("seed") == self.seed)
        there = pl.col("state") == "done"
        self.wanted = _number(runs)
        self.whole = all(not _chosen(runs, [cell], known).is_empty() for cell in entry.cells)
        self.absent = _number(runs.filter(~there))
        self._runs = runs.filter(there)
        self._names: pl.DataFrame | None = None

    def __bool__(self) -> bool:
        """Whether there is a run."""
        return not self._runs.is_empty()

    @property
    def axes(self) -> list[str]:
        """The axes of the experiment."""
        return self._experiment.axes

    def rows(self, table: str) -> pl.DataFrame:
        """Returns the rows of a table that keeps jobs, with the columns of the figure.

        A run that several cells share has its rows once for each combination of the panels, groups
        and series that it appears in.
        """
        found = self._table(table)
        found = found.drop("name") if "name" in found.columns else found
        own = found.join(self._of_jobs(), on=[*_ID, "job"], maintain_order="left")
        return self._once(_chosen(own, self.entry.cells, [*self.axes, *OWN]))

    def of_runs(self, table: str) -> pl.DataFrame:
        """Returns the rows of a table of links, with axes and condition."""
        return self._once(self._table(table).with_columns(condition=_condition()))

    def window_ns(self, key: str) -> float:
        """Returns the length of windows that the runs recorded, such as ``window_ps``."""
        plan = self._experiment.run(self._runs["run"][0]).document["plan"]
        return float(plan["record"][key]) / 1000

    def _of_entry(self, runs: pl.DataFrame, known: Sequence[str]) -> pl.DataFrame:
        """Returns the runs of the entry's cells, without those alone of other jobs."""
        found = _chosen(
            runs.filter(pl.col("state") != "refused").with_columns(condition=_condition()),
            self.entry.cells,
            known,
        )
        if not self.entry.jobs:
            return found
        alone = pl.col("part").str.starts_with(_ALONE_PART)
        own = pl.col("part").is_in([_ALONE_PART + name for name in self.entry.jobs])
        return found.filter(~alone | own)

    def _table(self, name: str) -> pl.DataFrame:
        """Returns the rows of a table for the chosen runs, case by case."""
        ids = self._runs.select(_ID).lazy()
        rows = self._experiment.table(name)
        return rows.join(ids, on=_ID, how="semi", maintain_order="left").collect()

    def _of_jobs(self) -> pl.DataFrame:
        """Returns a row per job of each run: its name, the jobs beside it, and the condition."""
        if self._names is None:
            jobs = self._table("jobs").select(*_ID, "job", "name")
            others: dict[tuple[Any, ...], list[str]] = {}
            for *run, _, name in jobs.iter_rows():
                others.setdefault(tuple(run), []).append(name)
            beside = [
                "+".join(each for each in others[tuple(run)] if each != name) or ALONE
                for *run, _, name in jobs.iter_rows()
            ]
            named = jobs.with_columns(
                pl.Series("beside", beside, pl.String), condition=_condition()
            )
            if self.entry.jobs:
                named = named.filter(pl.col("name").is_in(self.entry.jobs))
            self._names = named
        return self._names

    def _once(self, rows: pl.DataFrame) -> pl.DataFrame:
        """Returns rows without those that two cases share."""
        keys = [each for each in [*self.entry.keys, "seed"] if each in rows.columns]
        first = rows.group_by([*keys, "run"]).agg(pl.col("case").min())
        on = [*keys, "run", "case"]
        return rows.join(first, on=on, how="semi", maintain_order="left", nulls_equal=True)


def _chosen(
    rows: pl.DataFrame, cells: Sequence[Mapping[str, Any]], known: Collection[str]
) -> pl.DataFrame:
    """Returns the rows that lie in one of the cells, as far as they have its columns."""
    inside = [
        pl.all_horizontal(
            pl.lit(value=True),
            *(
                pl.col(name).is_in(value if isinstance(value, list) else [value])
                for name, value in cell.items()
                if name in known and name in rows.columns
            ),
        )
        for cell in cells
    ]
    return rows.filter(pl.any_horizontal(inside))


def _condition() -> pl.Expr:
    alone = pl.col("part").str.starts_with(_ALONE_PART)
    return pl.when(alone).then(pl.lit(ALONE)).otherwise(pl.lit(TOGETHER))


def _number(runs: pl.DataFrame) -> int:
    """Returns the number of distinct runs; those without an identity yet are distinct."""
    named = runs.filter(pl.col("run").is_not_null())
    return named["run"].n_unique() + (runs.height - named.height)
