"""The rows of tables that a figure of a study shows, with the columns of `FigureEntry`."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import polars as pl

from pantala.experiments.experiment import Experiment
from pantala.studies.figures.entry import ALONE, EXPERIMENT, OWN, TOGETHER, FigureEntry
from pantala.studies.figures.links import links_of
from pantala.studies.shared_seeds import shared_seeds

__all__ = ["FigureRows"]

_ALONE_PART = "alone-"
_ID = ("case", "part")
#: More than the cases of an experiment: the cases of the second one start here.
_NEXT = 10_000_000


class FigureRows:
    """The cells of a figure in the runs that are there.

    Attributes:
        entry: the figure.
        absent: the number of its runs that are missing or failed.
        wanted: the number of all its runs.
        whole: whether each table of `where` has runs in this version of the study.
        seed: the only seed that a figure of one seed shows; None for others.
        seeds: of a figure of equal seeds, those that all its cells have; of a figure that shows all
            seeds, those with runs. Empty for figures of one seed, and without an axis of seeds.
        only_done: the only seed with runs, in a figure of several; None if several have.
    """

    def __init__(
        self,
        entry: FigureEntry,
        experiments: Sequence[Experiment],
        seeds: Sequence[int],
        *,
        one_seed: bool,
        equal_seeds: bool = False,
    ) -> None:
        """Chooses the runs.

        Args:
            entry: the figure.
            experiments: its experiments, as far as they have been begun.
            seeds: the seeds that count; see `Evidence`.
            one_seed: whether it shows one seed: the first of those with the most runs.
            equal_seeds: whether it shows the seeds that all its cells have.
        """
        self.entry = entry
        self._parts = [_Part(entry, each) for each in experiments]
        runs = pl.concat([part.runs for part in self._parts], how="diagonal_relaxed")
        self.seed: int | None = None
        self.only_done: int | None = None
        self.seeds: list[int] = []
        if "seed" in runs.columns:
            runs = runs.filter(pl.col("seed").is_in(seeds))
            done_seeds = runs.filter(pl.col("state") == "done")["seed"].unique()
            if not one_seed and len(done_seeds) == 1:
                self.only_done = done_seeds[0]
            if one_seed and not runs.is_empty():
                done = (pl.col("state") == "done").sum()
                ranked = runs.group_by("seed").agg(done=done).sort("done", -pl.col("seed"))
                self.seed = ranked["seed"][-1]
                runs = runs.filter(pl.col("seed") == self.seed)
            if equal_seeds and len(done_seeds):
                self.seeds = self._shared(runs)
                runs = runs.filter(pl.col("seed").is_in(self.seeds))
            elif not one_seed:
                self.seeds = done_seeds.sort().to_list()
        for part in self._parts:
            part.only(self.seeds or (seeds if self.seed is None else [self.seed]))
        known = [*runs.columns]
        self.whole = all(not _chosen(runs, [cell], known).is_empty() for cell in entry.cells)
        self.wanted = _number(runs)
        self.absent = _number(runs.filter(pl.col("state") != "done"))

    def __bool__(self) -> bool:
        """Whether there is a run."""
        return any(part.there for part in self._parts)

    def rows(self, table: str, *columns: str) -> pl.DataFrame:
        """Returns columns of a table that has jobs, with the columns of the figure.

        A run that several cells share has its rows once for each combination of panels, groups and
        series that it appears in.
        """
        return self._concat([part.rows(table, columns) for part in self._parts if part.there])

    def links(self, *values: str) -> pl.DataFrame:
        """Returns the links of each run with class, routers, groups and some values.

        Values are columns of the table `links`, or of `link_jobs` summed over jobs if the
        experiment keeps no links. There are none for ``link`` alone.
        """
        return self._concat([part.links(values) for part in self._parts if part.there])

    def of_runs(self, table: str, *columns: str) -> pl.DataFrame:
        """Returns columns of a table of links, with axes and condition."""
        return self._concat([part.of_runs(table, columns) for part in self._parts if part.there])

    def window_ns(self, key: str) -> float:
        """Returns the length of windows that the runs recorded, such as ``window_ps``."""
        return float(self.plan["record"][key]) / 1000

    @property
    def plan(self) -> Mapping[str, Any]:
        """The plan of a run of the figure."""
        return next(part for part in self._parts if part.there).plan

    def _shared(self, runs: pl.DataFrame) -> list[int]:
        """Returns the seeds that all cells have a run of."""
        axes = [axis for part in self._parts for axis in part.axes if axis != "seed"]
        done = runs.filter(pl.col("state") == "done")
        cells = done.group_by(*dict.fromkeys(axes), "part").agg(pl.col("seed").unique())
        return shared_seeds(cells["seed"].to_list())

    def _concat(self, frames: Sequence[pl.DataFrame]) -> pl.DataFrame:
        """Returns the rows of all experiments; cases of different experiments have own numbers."""
        numbered = [
            frame.with_columns(pl.col("case").cast(pl.UInt32) + place * _NEXT)
            for place, frame in enumerate(frames)
        ]
        return pl.concat(numbered, how="diagonal_relaxed")


class _Part:
    """The cells of a figure in one experiment."""

    def __init__(self, entry: FigureEntry, experiment: Experiment) -> None:
        self._entry = entry
        self._experiment = experiment
        self.axes = [*experiment.axes, "condition", EXPERIMENT]
        self.runs = self._of_entry()
        self._names: pl.DataFrame | None = None

    @property
    def there(self) -> bool:
        """Whether there is a run."""
        return not self.runs.is_empty()

    @property
    def plan(self) -> Mapping[str, Any]:
        """The plan of a run."""
        plan: Mapping[str, Any] = self._experiment.run(self.runs["run"][0]).document["plan"]
        return plan

    def only(self, seeds: Sequence[int]) -> None:
        """Leaves the runs of some seeds that are done."""
        self.runs = self.runs.filter(pl.col("state") == "done")
        if "seed" in self.runs.columns:
            self.runs = self.runs.filter(pl.col("seed").is_in(seeds))

    def rows(self, table: str, columns: Sequence[str]) -> pl.DataFrame:
        found = self._table(table, ["job", *columns])
        own = found.join(self._of_jobs(), on=[*_ID, "job"], maintain_order="left")
        own = own.with_columns(self._of_experiment())
        return self._once(_chosen(own, self._entry.cells, [*self.axes, *OWN]))

    def of_runs(self, table: str, columns: Sequence[str]) -> pl.DataFrame:
        return self._once(
            self._table(table, columns).with_columns(self._of_experiment(), condition=_condition())
        )

    def links(self, values: Sequence[str]) -> pl.DataFrame:
        ends = ("link", "class", "source_router", "source_group", "target_group")
        if _keeps_links(self._experiment):
            return self.of_runs("links", [*ends, *values])
        runs = self.runs.select(*_ID, "run", *self._experiment.axes, "condition", EXPERIMENT)
        every = runs.join(links_of(self.plan["topology"]), how="cross")
        if values:
            parts = self._table("link_jobs", ["link", *values])
            sums = parts.group_by(*_ID, "link").agg(pl.col(values).sum())
            every = every.join(sums, on=[*_ID, "link"], how="left", maintain_order="left")
            every = every.with_columns(pl.col(values).fill_null(0))
        return self._once(every)

    def _of_experiment(self) -> pl.Expr:
        return pl.lit(self._experiment.name).alias(EXPERIMENT)

    def _of_entry(self) -> pl.DataFrame:
        """Returns the runs of the entry's cells, without those alone of other jobs."""
        runs = self._experiment.runs.filter(pl.col("state") != "refused")
        shown = runs.with_columns(self._of_experiment(), condition=_condition())
        found = _chosen(shown, self._entry.cells, self.axes)
        if not self._entry.jobs:
            return found
        alone = pl.col("part").str.starts_with(_ALONE_PART)
        own = pl.col("part").is_in([_ALONE_PART + name for name in self._entry.jobs])
        return found.filter(~alone | own)

    def _table(self, name: str, columns: Sequence[str]) -> pl.DataFrame:
        """Returns columns of a table for the chosen runs, case by case."""
        ids = self.runs.select(_ID).lazy()
        rows = self._experiment.table(name).filter(pl.col("run").is_in(self.runs["run"].to_list()))
        chosen = rows.join(ids, on=_ID, how="semi", maintain_order="left")
        return chosen.select(*_ID, *self._experiment.axes, "run", *columns).collect()

    def _of_jobs(self) -> pl.DataFrame:
        """Returns a row per job of each run: its name, the jobs beside it, and the condition."""
        if self._names is None:
            jobs = self._table("jobs", ["job", "name"]).select(*_ID, "job", "name")
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
            if self._entry.jobs:
                named = named.filter(pl.col("name").is_in(self._entry.jobs))
            self._names = named
        return self._names

    def _once(self, rows: pl.DataFrame) -> pl.DataFrame:
        """Returns rows without those that two cases share."""
        keys = [each for each in [*self._entry.keys, "seed"] if each in rows.columns]
        first = rows.group_by([*keys, "run"]).agg(pl.col("case").min())
        on = [*keys, "run", "case"]
        return rows.join(first, on=on, how="semi", maintain_order="left", nulls_equal=True)


def _keeps_links(experiment: Experiment) -> bool:
    return "links" in experiment.document["keep"]


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
