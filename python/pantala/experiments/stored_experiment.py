"""An experiment in its directory: cases, states of runs, and the tables of all runs."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from functools import cached_property
from pathlib import Path
from typing import Any

import polars as pl

from pantala.catalogue.interference_modes import has_targets
from pantala.catalogue.job_sets import TOGETHER, targets_of_set
from pantala.catalogue.tables import TABLES
from pantala.caveats import Absent, Caveat, Facts, caveats_of
from pantala.errors import UsageError, nearest
from pantala.experiments.cases_file import REFUSED, SIZE
from pantala.experiments.drawn_jobs import drawn_jobs
from pantala.experiments.equal_results import EqualResults
from pantala.experiments.listed_cases import listed_cases
from pantala.results.run import Run
from pantala.run_tables.table_display import converted
from pantala.store.consolidate import Segments, table_of_run
from pantala.store.index import Entry, Index, facts_of_entry
from pantala.store.run_store import RunStore

__all__ = ["StoredExperiment"]


class StoredExperiment:
    """The runs of an experiment, and their tables as one.

    Attributes:
        path: the directory.
        name: the name of the experiment.
        document: the file that describes it: experiment.json of a sweep has the scenario, the
            axes and the kept tables; interference.json of an interference experiment has its parts.
    """

    def __init__(self, path: str | Path, name: str | None = None) -> None:
        """Opens an experiment.

        Args:
            path: the directory.
            name: the name of a sweep; optional if the directory holds one experiment.

        Raises:
            RunDirectoryError: the directory holds no experiment.
            UsageError: it holds several, and the name is missing or none of them.
        """
        self.path = Path(path)
        self._listed = listed_cases(self.path, name)  # errors have the path as it was given
        #: The directory, also when the working directory changes.
        self._home = self.path.absolute()
        if self._home != self.path:
            self._listed = listed_cases(self._home, self._listed.name if name else None)
        self.name = self._listed.name
        self.document: dict[str, Any] = self._listed.document
        self._store = RunStore(self._home, self._listed.elsewhere)
        #: The number of the only case that is left; None if all are.
        self._only: int | None = None

    @property
    def axes(self) -> list[str]:
        """The columns of the axes, in order; ``seed`` comes last if there are seeds."""
        return [column for columns in self._listed.axes for column in columns]

    @property
    def cases(self) -> pl.DataFrame:
        """One row per case and part: ``case``, the axes, ``part``, ``run``.

        Cases that cannot be run are in `refused`.
        """
        return self._cases[0].drop(SIZE)

    @property
    def run_count(self) -> int:
        """The number of runs, each counted once; refused cases have none."""
        runs = self.cases["run"]  # those whose identity is not known yet are different runs
        return runs.drop_nulls().n_unique() + runs.null_count()

    @property
    def refused(self) -> pl.DataFrame:
        """One row per case that cannot be run: ``case``, the axes, ``refused`` (the reason).

        There are none without ``skip_refused`` (``--skip-refused``) of a sweep.
        """
        return self._cases[1]

    @property
    def _cases(self) -> tuple[pl.DataFrame, pl.DataFrame]:
        runs, refused = self._listed.read()
        if self._only is None:
            return runs, refused
        only = pl.col("case") == self._only
        return runs.filter(only), refused.filter(only)

    @property
    def runs(self) -> pl.DataFrame:
        """The cases with the ``state`` of each run (done, failed, missing), reason and cost.

        A refused case has one row without a run: its state is ``refused``.
        """
        schema = {
            "run": pl.String,
            "state": pl.String,
            "reason": pl.String,
            "complete": pl.Boolean,
            "simulated_ns": pl.Float64,
            "packets": pl.UInt64,
            "packet_hops": pl.UInt64,
            "seconds": pl.Float64,
            "bytes": pl.UInt64,
            "result_hash": pl.String,
        }
        entries = [{name: entry.get(name) for name in schema} for entry in self._entries.values()]
        index = pl.DataFrame(entries, schema=schema)
        cases = self.cases
        joined = cases.join(index, on="run", how="left", maintain_order="left")
        joined = joined.with_columns(pl.col("state").fill_null("missing"))
        refused = self.refused
        if refused.is_empty():
            return joined
        parts = cases["part"].unique()
        shown = refused.rename({REFUSED: "reason"}).with_columns(
            part=pl.lit(parts[0] if len(parts) == 1 else TOGETHER), state=pl.lit("refused")
        )
        return pl.concat([joined, shown], how="diagonal").sort("case", maintain_order=True)

    @property
    def absent(self) -> Absent:
        """The runs that failed or are missing, and the cases that cannot be run."""
        every = self.runs
        wanted = every.filter(pl.col("state") != "refused")
        # Runs whose identity is not known yet are different runs.
        distinct = pl.concat(
            [
                wanted.filter(pl.col("run").is_not_null()).unique("run"),
                wanted.filter(pl.col("run").is_null()),
            ]
        )
        states = dict(distinct["state"].value_counts().iter_rows())
        return Absent(
            failed=states.get("failed", 0),
            missing=states.get("missing", 0),
            refused=every.height - wanted.height,
            runs=sum(states.values()),
            cases=every["case"].n_unique(),
        )

    @property
    def caveats(self) -> list[Caveat]:
        """What makes the results approximate or partial: of the runs that are there."""
        absent = self.absent
        cases = absent.cases
        titles = self._titles(with_axes=cases > 1)
        facts = {titles[run]: each for run, each in self._facts_of_targets().items()}
        if cases > 1:
            groups = self._equal.seed_groups()
            seeds = [[titles[run] for run in group] for group in groups]
            found = caveats_of(facts, seeds=seeds, absent=absent)
        else:
            found = caveats_of(facts, absent=absent)
        if until := self.document.get("until_precise"):
            from pantala.experiments.throughputs import imprecise_runs

            found += imprecise_runs(self, until["precision"])
        return found

    def _titles(self, *, with_axes: bool) -> dict[str, str]:
        """Returns the words for each run: its first case on the axes with several values; its part.

        The words have no comma, so a list of them can be read.
        """
        cases = self.cases.filter(pl.col("run").is_not_null())
        varied = [axis for axis in self.axes if with_axes and cases[axis].n_unique() > 1]
        several = cases["part"].n_unique() > 1 or not varied
        titles: dict[str, str] = {}
        for row in cases.iter_rows(named=True):
            words = [f"{axis}={row[axis]}" for axis in varied] + [row["part"]] * several
            titles.setdefault(row["run"], " ".join(words))
        return titles

    @property
    def _has_targets(self) -> bool:
        """Whether the key `interference` names targets, in the scenario or on an axis."""
        axis = "interference"
        values = self.cases[axis].to_list() if axis in self.axes else []
        return any(map(has_targets, [self._listed.interference, *values]))

    def _facts_of_targets(self) -> dict[str, Facts]:
        """Returns the facts of each run that is there; of a job set with targets, theirs."""
        found = dict(self.facts)
        if not self._has_targets:
            return found
        for (_,), rows in self.cases.group_by("case"):
            parts = set(rows["part"])
            for part, run in rows.select("part", "run").iter_rows():
                if run in found:
                    targets = targets_of_set(part, found[run].jobs, parts)
                    found[run] = found[run].about(targets)
        return found

    @cached_property
    def facts(self) -> dict[str, Facts]:
        """The facts of each run that is there, by its identity: what the caveats are made of."""
        entries = self._entries
        runs = self.cases["run"].drop_nulls().unique(maintain_order=True)
        return {
            run: facts_of_entry(self._store, entries[run])
            for run in runs
            if run in entries and entries[run]["state"] == "done"
        }

    @property
    def open_ended(self) -> pl.LazyFrame:
        """The jobs that did not end: ``run``, ``name``, and ``cut_off``: whether they should have.

        The others last as long as their run, synthetic traffic not among them. They are known if
        the table jobs is kept.
        """
        found = [(run, name) for run, each in self.facts.items() for name in each.unfinished]
        schema = {"run": pl.String, "name": pl.String}
        cut_off = pl.LazyFrame(found, schema, orient="row").with_columns(cut_off=pl.lit(True))
        if "jobs" not in self._listed.keep:
            return cut_off
        rows = self.table("jobs").filter(
            ~pl.col("complete"), pl.col("communication_time_mean_ns").is_not_null()
        )
        endless = rows.select("run", "name").unique().join(cut_off, on=["run", "name"], how="anti")
        return pl.concat([cut_off, endless.with_columns(cut_off=pl.lit(False))])

    @property
    def drawn(self) -> pl.DataFrame:
        """The jobs that are drawn per seed, such as those of a background.

        They are other jobs under other seeds, so statistics over seeds leave them out: the axes
        without ``seed``, ``part``, and ``name``.
        """
        return drawn_jobs(self.cases, self.axes, self.facts)

    @property
    def _equal(self) -> EqualResults:
        """Which runs of seeds have equal results."""
        return EqualResults(self.cases, self.axes, self.facts)

    def table(self, name: str) -> pl.LazyFrame:
        """Returns a table of all runs that are there: one of the tables that the experiment keeps.

        Raises:
            UsageError: the experiment keeps no such table.
        """
        keep = self._listed.keep
        if name not in keep:
            close = nearest(name, keep)
            hint = f"did you mean '{close}'?" if close else f"it keeps {', '.join(keep)}"
            if name in TABLES:
                hint += f"; add '{name}' to keep and sweep again"
            raise UsageError(f"{self.path}: table '{name}': is not kept; {hint}")
        cases = self.cases
        rows, covered = Segments(self._store).scan(name)
        wanted = set(cases["run"].drop_nulls()) - covered
        loose = [
            table_of_run(self._store, run, name)
            for run in cases["run"].drop_nulls().unique(maintain_order=True)
            if run in wanted and self._store.has(run, [name])
        ]
        parts = ([] if rows is None else [rows]) + [frame.lazy() for frame in loose]
        if not parts:
            parts = [pl.LazyFrame(schema={"run": pl.String, **TABLES[name].polars_schema})]
        whole = pl.concat(parts, how="diagonal_relaxed")
        # A run that two cases share has its rows once for each case.
        joined = cases.lazy().join(whole, on="run", how="inner", maintain_order="left_right")
        return converted(joined.select(pl.exclude("run"), "run"))

    def batches(self, name: str, runs: Collection[str]) -> Iterator[pl.DataFrame]:
        """Yields the rows of a table that the experiment keeps, some runs at a time.

        Args:
            name: the table.
            runs: the identities of the runs; those that are not there are left out.
        """
        left = set(runs)
        for frame, there in Segments(self._store).batches(name):
            if wanted := there & left:
                left -= wanted
                whole = len(wanted) == len(there)
                yield (frame if whole else frame.filter(pl.col("run").is_in(wanted))).collect()
        for run in sorted(left):
            if self._store.has(run, [name]):
                yield table_of_run(self._store, run, name)

    def run(self, run: str) -> Run:
        """Opens one run with the tables that are kept, by its identity.

        Raises:
            RunDirectoryError: it is not there.
        """
        return self._opened(self._store.path(run))

    def _opened(self, folder: Path) -> Run:
        """Opens a run in the directory; its path is shown as that of the experiment was given."""
        run = Run(folder)
        if folder.is_relative_to(self._home):
            run.path = self.path / folder.relative_to(self._home)
        return run

    def zipped_with(self, column: str) -> list[str]:
        """Returns the columns of the axis that has a column, with the column itself."""
        return next((list(each) for each in self._listed.axes if column in each), [])

    @cached_property
    def _entries(self) -> dict[str, Entry]:
        index = Index(self._store)
        entries = index.read()
        # A sweep notes runs some time after they are stored, and pantala run does not note them.
        index.look_up(entries, self.cases["run"].drop_nulls().unique(maintain_order=True))
        return entries
