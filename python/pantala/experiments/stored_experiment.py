"""An experiment in its directory: cases, states of runs, and the tables of all runs."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator
from functools import cached_property
from pathlib import Path
from typing import Any

import polars as pl

from pantala.catalogue.tables import TABLES
from pantala.caveats import Absent, Caveat, Facts, caveats_of
from pantala.errors import RunDirectoryError, UsageError, nearest
from pantala.experiments.cases_file import CASES_FILE, REFUSED, SIZE, read_cases
from pantala.experiments.equal_results import EqualResults
from pantala.experiments.listing import DESCRIPTION_FILE, EXPERIMENTS
from pantala.files.input_file import LARGE_TEXT, read_text
from pantala.results.run import Run
from pantala.run_tables.table_display import converted
from pantala.runs.parts import TOGETHER
from pantala.store.consolidate import Segments, table_of_run
from pantala.store.index import Entry, Index, facts_of_entry
from pantala.store.run_store import RunStore

__all__ = ["StoredExperiment", "experiment_names"]


class StoredExperiment:
    """The runs of an experiment, and their tables as one.

    Attributes:
        path: the directory.
        name: the name of the experiment.
        document: experiment.json: the scenario, the axes, the kept tables.
    """

    def __init__(self, path: str | Path, name: str | None = None) -> None:
        """Opens an experiment.

        Args:
            path: the directory.
            name: its name; optional if the directory holds one experiment.

        Raises:
            RunDirectoryError: the directory holds no experiment.
            UsageError: it holds several, and the name is missing or none of them.
        """
        self.path = Path(path)
        names = experiment_names(self.path)
        if not names:
            raise RunDirectoryError(
                self.path,
                "holds no experiment",
                "name a directory that pantala sweep wrote",
            )
        if name is None and len(names) == 1:
            name = names[0]
        if name not in names:
            close = nearest(name or "", names)
            hint = f"did you mean '{close}'?" if close else f"choose one of {', '.join(names)}"
            what = "needs the name of an experiment" if name is None else f"has no '{name}'"
            raise UsageError(f"{self.path}: {what}; {hint}")
        self.name = name
        self._folder = self.path / EXPERIMENTS / name
        self._store = RunStore(self.path)
        try:
            self.document: dict[str, Any] = json.loads(
                read_text(self._folder / DESCRIPTION_FILE, most=LARGE_TEXT)
            )
        except (OSError, ValueError) as error:
            raise RunDirectoryError(
                self._folder, f"{DESCRIPTION_FILE} cannot be read: {error}", "repeat pantala sweep"
            ) from None

    @property
    def axes(self) -> list[str]:
        """The columns of the axes, in order; ``seed`` comes last if there are seeds."""
        return [column for axis in self.document["axes"] for column in axis["columns"]]

    @property
    def cases(self) -> pl.DataFrame:
        """One row per case and part: ``case``, the axes, ``part``, ``run``.

        Cases that cannot be run are in `refused`.
        """
        return self._cases[0].drop(SIZE)

    @property
    def refused(self) -> pl.DataFrame:
        """One row per case that cannot be run: ``case``, the axes, ``refused`` (the reason).

        There are none without ``skip_refused`` (``--skip-refused``).
        """
        return self._cases[1]

    @property
    def _cases(self) -> tuple[pl.DataFrame, pl.DataFrame]:
        try:
            return read_cases(self._folder)
        except (OSError, pl.exceptions.PolarsError) as error:
            raise RunDirectoryError(
                self._folder, f"{CASES_FILE} cannot be read: {error}", "repeat pantala sweep"
            ) from None

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
    def caveats(self) -> list[Caveat]:
        """What makes the results approximate or partial: of the runs that are there."""
        every = self.runs
        states = dict(
            every.filter(pl.col("run").is_not_null())
            .unique("run")["state"]
            .value_counts()
            .iter_rows()
        )
        refused = every.filter(pl.col("state") == "refused").height
        absent = Absent(
            failed=states.get("failed", 0),
            missing=states.get("missing", 0),
            refused=refused,
            runs=sum(states.values()),
            cases=every["case"].n_unique(),
        )
        return caveats_of(self.facts, seeds=self._equal.seed_groups(), absent=absent)

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
    def _unfinished(self) -> pl.LazyFrame:
        """The jobs that should end and did not: ``run``, ``name``, and ``unfinished``, true."""
        found = [(run, name) for run, each in self.facts.items() for name in each.unfinished]
        schema = {"run": pl.String, "name": pl.String}
        return pl.LazyFrame(found, schema, orient="row").with_columns(unfinished=pl.lit(True))

    @property
    def _equal(self) -> EqualResults:
        """Which runs of seeds have equal results."""
        return EqualResults(self.cases, self.axes, self.facts)

    def table(self, name: str) -> pl.LazyFrame:
        """Returns a table of all runs that are there: one of the tables that the experiment keeps.

        Raises:
            UsageError: the experiment keeps no such table.
        """
        if name not in self.document["keep"]:
            close = nearest(name, self.document["keep"])
            hint = f"did you mean '{close}'?" if close else f"it keeps {', '.join(self._kept)}"
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
        return Run(self._store.path(run))

    def zipped_with(self, column: str) -> list[str]:
        """Returns the columns of the axis that has a column, with the column itself."""
        axes: list[list[str]] = [axis["columns"] for axis in self.document["axes"]]
        return next((list(columns) for columns in axes if column in columns), [])

    @property
    def _kept(self) -> list[str]:
        kept: list[str] = self.document["keep"]
        return kept

    @cached_property
    def _entries(self) -> dict[str, Entry]:
        return Index(self._store).read()


def experiment_names(path: Path) -> list[str]:
    """Returns the names of the experiments in a directory."""
    return sorted(file.parent.name for file in path.glob(f"{EXPERIMENTS}/*/{DESCRIPTION_FILE}"))
