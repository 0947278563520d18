"""`Experiment`: all runs of an experiment as tables, with the axes as columns."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import polars as pl

from pantala.analysis.statistics import (
    Method,
    distinct,
    marked,
    mean_interval,
    paired_difference,
)
from pantala.catalogue.tables import TABLES
from pantala.caveats import Absent, Caveat, Facts, caveats_of
from pantala.errors import RunDirectoryError, UsageError, nearest
from pantala.experiments.cases_file import CASES_FILE, REFUSED, SIZE, read_cases
from pantala.experiments.effects import effects_over, slowdowns_over
from pantala.experiments.listing import DESCRIPTION_FILE, EXPERIMENTS
from pantala.experiments.samples import check_column, check_numeric, check_single
from pantala.files.input_file import LARGE_TEXT, read_text
from pantala.results.run import Run
from pantala.run_tables.table_display import converted
from pantala.runs.parts import TOGETHER
from pantala.store.consolidate import Segments, table_of_run
from pantala.store.index import Entry, Index, facts_of_entry
from pantala.store.run_store import RunStore

__all__ = ["Experiment", "experiment_names"]


class Experiment:
    """An experiment that `pantala sweep` made: many runs, read as one table.

    Example::

        experiment = pt.Experiment("runs/routings")
        experiment.table("jobs").group_by("routing.algorithm").agg(pl.col("end_ns").median())
        experiment.pivot("end_ns", rows="routing.algorithm", columns="jobs.*.placement")

    Tables are lazy frames of Polars. They have the columns ``case``, one per axis, ``part``, the
    columns of the table, and ``run``.

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
        return caveats_of(self.facts, seeds=self._seed_groups(), absent=absent)

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
    def _results(self) -> pl.DataFrame:
        """The hash of the results of each run: ``run``, ``result``; the run itself if unknown."""
        found = [(run, each.result_hash or run) for run, each in self.facts.items()]
        return pl.DataFrame(found, {"run": pl.String, "result": pl.String}, orient="row")

    def _distinct(self, frame: pl.LazyFrame, over: str) -> pl.LazyFrame:
        """Leaves out the runs of seeds whose results equal those of an earlier seed.

        Adds ``repeated``: how many seeds of the case and part are left out.
        """
        axes = [axis for axis in self.axes if axis != over]
        alike = [*axes, "part", "result"]
        if over != "seed" or "seed" not in self.axes:
            return frame.with_columns(repeated=pl.lit(0, pl.UInt32))
        cases = self.cases.join(self._results, on="run", maintain_order="left")
        counted = cases.with_columns(
            repeated=(pl.len() - pl.col("result").n_unique()).over([*axes, "part"]).cast(pl.UInt32)
        ).unique(alike, keep="first", maintain_order=True)
        kept = counted.select("case", "part", "repeated").lazy()
        return frame.join(kept, on=["case", "part"], maintain_order="left")

    def _distinct_cases(self, rows: pl.DataFrame) -> pl.DataFrame:
        """Leaves out cases whose results in all parts equal those of another seed."""
        axes = [axis for axis in self.axes if axis != "seed"]
        cases = self.cases.join(self._results, on="run", maintain_order="left")
        results = cases.group_by(["case", *axes], maintain_order=True).agg(
            pl.concat_str("part", pl.lit(" "), "result").sort().str.join("\n")
        )
        kept = results.unique([*axes, "part"], keep="first", maintain_order=True)
        return rows.filter(pl.col("case").is_in(kept["case"].to_list()))

    def _seed_groups(self) -> list[list[str]]:
        """Returns the runs that differ in their seed only."""
        others = [axis for axis in self.axes if axis != "seed"]
        cases = self.cases.filter(pl.col("run").is_not_null())
        return cases.group_by([*others, "part"], maintain_order=True).agg("run")["run"].to_list()

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

    def medians(self, value: str, *, table: str = "jobs", over: str = "seed") -> pl.DataFrame:
        """Returns the median of a column over seeds, for each case, part and job.

        Args:
            value: a numeric column of the table, such as ``communication_time_mean_ns``.
            table: the table.
            over: the axis that the median is over.

        Returns:
            The other axes, ``part``, ``name`` (of the job, if the table has it), the number of
            ``runs``, and the median. Seeds with equal results (equal ``result_hash``) count once.
        """
        frame = self._with(table, value)
        keys = self._groups(frame, over)
        frame = self._distinct(frame, over)
        return (
            frame.group_by(keys, maintain_order=True)
            .agg(
                pl.col("case").filter(pl.col(value).is_not_null()).n_unique().alias("runs"),
                pl.col(value).median(),
            )
            .collect()
        )

    def intervals(
        self,
        value: str,
        *,
        table: str = "jobs",
        over: str = "seed",
        confidence: float = 0.95,
        method: Method = "student",
    ) -> pl.DataFrame:
        """Returns the mean of a column over seeds with its confidence interval, for each case.

        Args:
            value: a numeric column of the table.
            table: the table, with one row per run or per run and job.
            over: the axis that the mean is over.
            confidence: the probability that an interval covers the true mean.
            method: student or bootstrap; see `pantala.analysis.statistics.mean_interval`.

        Returns:
            The other axes, ``part``, ``name``, the number of ``runs``, ``mean``, ``low``, ``high``,
            ``relative`` (half the width over the mean), ``outliers``, the number of values beyond 3
            sigma, and ``cut_off``, the number of values of jobs that did not end; the mean contains
            both. ``repeated`` is the number of seeds that are left out because their results equal
            those of another seed. An interval of one run is infinite. Cases without a value are
            left out.

        Raises:
            UsageError: there is no such table, column, axis or method, the column has no numbers,
                or the table has several rows per run and job.
        """
        frame = self._with(table, value).filter(pl.col(value).is_not_null())
        keys = self._groups(frame, over)
        cut = pl.lit(0, pl.UInt32)
        if "name" in keys:
            frame = frame.join(
                self._unfinished, on=["run", "name"], how="left", maintain_order="left"
            )
            cut = pl.col("unfinished").count().cast(pl.UInt32)
        groups = (
            self._distinct(frame, over)
            .group_by(keys, maintain_order=True)
            .agg(
                pl.col(value),
                pl.col("case").n_unique().alias("cases"),
                pl.col("repeated").max(),
                cut_off=cut,
            )
            .collect()
        )
        check_single(groups, groups[value].list.len(), f"{self.path}: table {table}")
        values = groups[value].to_list()
        found = [mean_interval(each, confidence, method) for each in values]
        return groups.select(keys).with_columns(
            runs=pl.Series([each.count for each in found], dtype=pl.UInt32),
            mean=pl.Series([each.mean for each in found], dtype=pl.Float64),
            low=pl.Series([each.low for each in found], dtype=pl.Float64),
            high=pl.Series([each.high for each in found], dtype=pl.Float64),
            relative=pl.Series([each.relative for each in found], dtype=pl.Float64),
            outliers=pl.Series([sum(marked(each)[1]) for each in values], dtype=pl.UInt32),
            cut_off=groups["cut_off"],
            repeated=groups["repeated"],
        )

    def outliers(self, value: str, *, table: str = "jobs", over: str = "seed") -> pl.DataFrame:
        """Returns all values of a column, with the outliers among seeds marked.

        A value is an outlier if it lies more than 3 standard deviations from the mean over seeds of
        its case, part and job (Chunduri et al., IPDPS 2021, III). Nothing is left out. With ten
        seeds or fewer no value can be an outlier.

        Args:
            value: a numeric column of the table.
            table: the table, with one row per run or per run and job.
            over: the axis of the samples.

        Returns:
            The axes, ``part``, ``name``, the value, ``z_score`` (its distance from the mean in
            standard deviations), ``outlier``, and ``run``. Rows without a value are left out.
        """
        frame = self._with(table, value).filter(pl.col(value).is_not_null())
        keys = self._groups(frame, over)
        columns = [*self.axes, *(key for key in keys if key not in self.axes), value, "run"]
        rows = frame.select(columns).collect()
        cases = (
            frame.group_by(keys).agg(pl.len(), pl.col("case").n_unique().alias("cases")).collect()
        )
        check_single(cases, cases["len"], f"{self.path}: table {table}")
        parts = []
        for group in rows.partition_by(keys, maintain_order=True):
            scores, beyond = marked(group[value].to_list())
            parts.append(
                group.with_columns(
                    z_score=pl.Series(scores, dtype=pl.Float64),
                    outlier=pl.Series(beyond, dtype=pl.Boolean),
                )
            )
        empty = rows.clear().with_columns(
            z_score=pl.lit(None, pl.Float64), outlier=pl.lit(None, pl.Boolean)
        )
        return pl.concat([empty, *parts]).select(pl.exclude("run"), "run")

    def differences(
        self,
        value: str,
        axis: str,
        base: object,
        *,
        table: str = "jobs",
        over: str = "seed",
        confidence: float = 0.95,
        method: Method = "student",
    ) -> pl.DataFrame:
        """Returns how a column differs from a base case, seed by seed.

        Runs of one seed share placement, traffic and noise, so their difference does not contain
        what they share.

        Args:
            value: a numeric column of the table.
            axis: the axis whose values are compared, such as ``routing.algorithm``.
            base: the value of the axis that the others are compared with.
            table: the table, with one row per run or per run and job.
            over: the axis of the pairs.
            confidence: the probability that an interval covers the true mean.
            method: student or bootstrap.

        Returns:
            The axes, ``part`` and ``name``, the number of pairs (``runs``; pairs with equal results
            count once), the mean difference
            (``mean``), its ``low`` and ``high``, and whether the interval excludes zero
            (``significant``).

        Raises:
            UsageError: there is no such table, column, axis, base or method, the column has no
                numbers, or the table has several rows per run and job.
        """
        frame = self._with(table, value).filter(pl.col(value).is_not_null())
        check_column(axis, self.axes, f"{self.path}: axes")
        if over == axis:
            raise UsageError(
                f"{self.path}: over = '{over}': is the axis whose values are compared; choose"
                f" another one of {', '.join(each for each in self.axes if each != axis) or 'seed'}"
            )
        known = self.cases[axis].unique(maintain_order=True).to_list()
        if base not in known:
            shown = ", ".join(map(str, known))
            raise UsageError(f"{self.path}: {axis} has no value {base!r}; it has {shown}")
        keys = self._groups(frame, over)
        pairs = [*(key for key in keys if key not in self.zipped_with(axis)), over]
        frame = frame.join(self._results.lazy(), on="run", how="left", maintain_order="left")
        there = frame.filter(pl.col(axis) == base).select(
            *pairs, pl.col(value).alias("base"), pl.col("result").alias("base_result")
        )
        joined = (
            frame.filter(pl.col(axis) != base)
            .join(there, on=pairs, nulls_equal=True, maintain_order="left")
            .group_by(keys, maintain_order=True)
            .agg(
                pl.col(value),
                pl.col("base"),
                pl.concat_list("result", "base_result").alias("results"),
                pl.col("case").n_unique().alias("cases"),
            )
            .collect()
        )
        check_single(joined, joined[value].list.len(), f"{self.path}: table {table}")
        found = []
        for base_values, values, results in joined.select("base", value, "results").iter_rows():
            counted = distinct(list(map(tuple, results)) if over == "seed" else range(len(values)))
            one, other = ([each[place] for place in counted] for each in (base_values, values))
            found.append(paired_difference(one, other, confidence, method))
        return joined.select(keys).with_columns(
            runs=pl.Series([each.count for each in found], dtype=pl.UInt32),
            mean=pl.Series([each.mean for each in found], dtype=pl.Float64),
            low=pl.Series([each.low for each in found], dtype=pl.Float64),
            high=pl.Series([each.high for each in found], dtype=pl.Float64),
            significant=pl.Series([each.excludes_zero for each in found], dtype=pl.Boolean),
        )

    def pivot(
        self,
        value: str,
        *,
        rows: str | Sequence[str],
        columns: str,
        table: str = "jobs",
        part: str | None = None,
    ) -> pl.DataFrame:
        """Returns the median of a column, with one axis down and another across.

        Args:
            value: a numeric column of the table.
            rows: the columns whose values go down, such as ``["name", "routing.algorithm"]``.
            columns: the axis whose values go across.
            table: the table.
            part: only this part, such as ``together``.
        """
        frame = self._with(table, value)
        if part is not None:
            frame = frame.filter(pl.col("part") == part)
        index = [rows] if isinstance(rows, str) else list(rows)
        known = frame.collect_schema().names()
        for column in [*index, columns]:
            check_column(column, known, f"{self.path}: table {table}")
        chosen = frame.select(*index, columns, value).collect()
        return chosen.pivot(on=columns, index=index, values=value, aggregate_function="median")

    def representative(
        self,
        value: str = "communication_time_mean_ns",
        *,
        job: str | None = None,
        over: str = "seed",
    ) -> pl.DataFrame:
        """Returns, for each case, part and job, the run that represents its seeds: the median run.

        The median run is the run whose value is the lower median of the values over seeds, as Yang
        et al. (SC 2016, 3.4) choose a representative run per application.

        Args:
            value: a numeric column of the table `jobs`.
            job: only this job.
            over: the axis that the run represents.

        Returns:
            The columns of the case, the value, and ``run``; `run` opens it.
        """
        frame = self._with("jobs", value).filter(pl.col(value).is_not_null())
        keys = self._groups(frame, over)
        if job is not None:
            known = frame.select(pl.col("name").unique(maintain_order=True)).collect()["name"]
            if job not in known:
                close = nearest(job, known)
                hint = f"did you mean '{close}'?" if close else f"choose one of {', '.join(known)}"
                raise UsageError(
                    f"{self.path}: job = '{job}': no job of this name has {value}; {hint}"
                )
            frame = frame.filter(pl.col("name") == job)
        ranked = frame.sort(value, "case", maintain_order=True)
        middle = (pl.len() - 1) // 2
        picked = (
            pl.col("case", *([over] if over in self.axes else []), value, "run")
            .gather(middle)
            .first()
        )
        place = frame.select(*keys).unique(maintain_order=True)
        found = ranked.group_by(keys).agg(picked)
        return place.join(found, on=keys, nulls_equal=True, maintain_order="left").collect()

    def slowdowns(self) -> pl.DataFrame:
        """Returns the slowdown of each job in each set of jobs, for each case.

        Returns:
            ``case``, the axes, and the columns of `pantala.analysis.slowdown.slowdowns_of`. Without
            runs of `interference`, there are no rows.
        """
        return slowdowns_over(self.cases, self.axes, self._store)

    def effects(
        self, *, over: str = "seed", confidence: float = 0.95, method: Method = "student"
    ) -> pl.DataFrame:
        """Returns the effect of each job on each other job, with intervals over seeds.

        `pantala.analysis.attribution` defines the effects: the slowdown as a pair, and the marginal
        effect of removing the aggressor. `matrix_of` there makes a matrix from them, and
        `effect_in_words` a sentence.

        Args:
            over: the axis that the mean is over.
            confidence: the probability that an interval covers the true mean.
            method: student or bootstrap; see `pantala.analysis.statistics.mean_interval`.

        Returns:
            The other axes, ``method``, ``victim``, ``aggressor``, ``measure``, the number of
            ``runs``, ``mean``, ``low``, ``high``, and whether the interval excludes one
            (``significant``). An interval of one run is infinite.
        """
        self._check_over(over)
        slowdowns = self.slowdowns()
        if over == "seed" and "seed" in self.axes:
            slowdowns = self._distinct_cases(slowdowns)
        return effects_over(slowdowns, self.axes, over, confidence, method)

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

    def _with(self, table: str, value: str) -> pl.LazyFrame:
        frame = self.table(table)
        schema = frame.collect_schema()
        check_column(value, schema.names(), f"{self.path}: table {table}")
        check_numeric(value, schema[value], f"{self.path}: table {table}")
        return frame

    def _groups(self, frame: pl.LazyFrame, over: str) -> list[str]:
        self._check_over(over)
        named = [name for name in ("name",) if name in frame.collect_schema().names()]
        return [*(axis for axis in self.axes if axis != over), "part", *named]

    def _check_over(self, over: str) -> None:
        if over != "seed":
            check_column(over, [*self.axes, "seed"], f"{self.path}: axes")

    def _repr_html_(self) -> str:
        from pantala.experiments.notebook import sweep_html

        return sweep_html(self)

    def __repr__(self) -> str:
        return f"Experiment('{self.path}', '{self.name}', axes={self.axes})"


def experiment_names(path: Path) -> list[str]:
    """Returns the names of the experiments in a directory."""
    return sorted(file.parent.name for file in path.glob(f"{EXPERIMENTS}/*/{DESCRIPTION_FILE}"))
