"""`Experiment`: all runs of an experiment as tables, with the axes as columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import polars as pl

from pantala.analysis.statistics import Method
from pantala.catalogue.job_sets import TOGETHER
from pantala.errors import UsageError, nearest
from pantala.experiments.case_parts import CaseParts
from pantala.experiments.drawn_jobs import without_drawn
from pantala.experiments.effects import effects_over, mean_slowdowns_over, slowdowns_over
from pantala.experiments.over_seeds import (
    Sample,
    differences_of,
    intervals_of,
    median_runs,
    medians_of,
    outliers_of,
)
from pantala.experiments.samples import check_column, check_numeric
from pantala.results.run import Run

__all__ = ["Experiment"]


class Experiment(CaseParts):
    """Runs that belong together, read as one table: a sweep, or an interference experiment.

    `pantala.sweep` makes an experiment of many cases. `pantala.run` makes one of a single case from
    a scenario with ``interference``: its parts are each job alone, and all jobs together.

    Example::

        experiment = pt.Experiment("runs/routings")
        experiment.table("jobs").group_by("routing.algorithm").agg(pl.col("end_ns").median())
        experiment.pivot("end_ns", rows="name", columns="routing.algorithm", part="together")
        experiment.case(0).together.links.collect()

    Statistics over seeds leave out the jobs that are drawn per seed, such as those of a background;
    `drawn` lists them.

    Tables are lazy frames of Polars. They have the columns ``case``, one per axis, ``part``, the
    columns of the table, and ``run``.

    Attributes:
        path: the directory.
        name: the name of the experiment.
        document: the file that describes it: experiment.json of a sweep has the scenario, the
            axes and the kept tables; interference.json of an interference experiment has its parts.
    """

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
        sample = self._sample(value, table, over)
        return medians_of(sample, self._equal)

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
            sigma, ``cut_off``, the number of values of jobs that should end and did not, and
            ``endless``, that of jobs that last as long as their run, which their times and bytes
            grow with; the mean contains all of them. ``repeated`` is the number of seeds that are
            left out because their results equal those of another seed. An interval of one run is
            infinite. Cases without a value are left out.

        Raises:
            UsageError: there is no such table, column, axis or method, the column has no numbers,
                or the table has several rows per run and job.
        """
        sample = self._sample(value, table, over).given()
        return intervals_of(sample, self._equal, self.open_ended, confidence, method)

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
        return outliers_of(self._sample(value, table, over).given(), self.axes)

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
            (``mean``), its ``low`` and ``high``, whether the interval excludes zero
            (``significant``), and ``cut_off`` and ``endless`` as in `intervals`. Times and bytes of
            jobs that last as long as their run differ as the lengths of the runs do, so
            ``significant`` is null for them.

        Raises:
            UsageError: there is no such table, column, axis, base or method, the column has no
                numbers, or the table has several rows per run and job.
        """
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
        sample = self._sample(value, table, over).given()
        zipped = self.zipped_with(axis)
        return differences_of(
            sample, self._equal, axis, base, zipped, self.open_ended, confidence, method
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
            part: only this part, such as ``together``; optional if the cases have one part, or if
                ``part`` is one of the columns.

        Raises:
            UsageError: there is no such table, column or part, the column has no numbers, or the
                cases have several parts and none is chosen.
        """
        frame = self._with(table, value)
        index = [rows] if isinstance(rows, str) else list(rows)
        if part is not None or "part" not in [*index, columns]:
            frame = frame.filter(pl.col("part") == self._one_part(part))
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
        sample = self._sample(value, "jobs", over).given()
        if job is not None:
            known = sample.rows.select(pl.col("name").unique(maintain_order=True)).collect()["name"]
            if job not in known:
                close = nearest(job, known)
                hint = f"did you mean '{close}'?" if close else f"choose one of {', '.join(known)}"
                raise UsageError(
                    f"{self.path}: job = '{job}': no job of this name has {value}; {hint}"
                )
            sample = replace(sample, rows=sample.rows.filter(pl.col("name") == job))
        return median_runs(sample, self.axes)

    def slowdowns(self) -> pl.DataFrame:
        """Returns the slowdown of each job in each set of jobs, for each case.

        Returns:
            ``case``, the axes, and the columns of `pantala.analysis.slowdown.slowdowns_of`. Without
            runs of `interference`, there are no rows.
        """
        return slowdowns_over(self.cases, self.axes, self._with_jobs)

    def throughputs(self) -> pl.DataFrame:
        """Returns the steady accepted throughput of each job, for each case and part.

        The throughput is a fraction of the bandwidth of the job's terminals, from the start of the
        job to its end. The experiment must keep the table job_windows, and jobs for jobs that end
        by themselves.

        Returns:
            ``case``, the axes, ``part``, and
            `pantala.analysis.steady_throughput.THROUGHPUT_COLUMNS`.

        Raises:
            UsageError: the experiment does not keep the table job_windows.
        """
        from pantala.experiments.throughputs import throughputs_over

        return throughputs_over(self)

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
            ``runs``, ``mean``, ``low``, ``high``, whether the interval excludes one
            (``significant``), and ``fewest_iterations`` and ``most_iterations``, the iterations
            that were compared in a run: null if the values are of all of the victim's work. An
            interval of one run is infinite.
        """
        found = effects_over(self._slowdowns(over), self.axes, over, confidence, method)
        if over == "seed":
            drawn = self.drawn["name"].unique().implode()
            found = found.filter(~pl.col("victim").is_in(drawn), ~pl.col("aggressor").is_in(drawn))
        return found

    def mean_slowdowns(
        self, *, over: str = "seed", confidence: float = 0.95, method: Method = "student"
    ) -> pl.DataFrame:
        """Returns the slowdown of each job in each set of jobs, with intervals over seeds.

        The arguments are those of `effects`.

        Returns:
            The other axes, ``job_set``, ``name``, ``beside``, ``measure``, the number of ``runs``,
            ``mean``, ``low``, ``high``, ``significant``, ``fewest_iterations`` and
            ``most_iterations``, as in `effects`.
        """
        slowdowns = self._slowdowns(over)
        if over == "seed":
            of_set = self.drawn.rename({"part": "job_set"})
            slowdowns = without_drawn(slowdowns.lazy(), of_set).collect()
        return mean_slowdowns_over(slowdowns, self.axes, over, confidence, method)

    def _slowdowns(self, over: str) -> pl.DataFrame:
        """Returns the slowdowns that count in means over an axis."""
        self._check_over(over)
        slowdowns = self.slowdowns()
        if over == "seed" and "seed" in self.axes:
            return self._equal.distinct_cases(slowdowns)
        return slowdowns

    def _one_part(self, part: str | None) -> str:
        """Returns the part that a caller chose, or the only one.

        Raises:
            UsageError: there is no such part, or there are several and none is chosen.
        """
        known = self.cases["part"].unique(maintain_order=True).to_list()
        if part is None and len(known) > 1:
            raise UsageError(
                f"{self.path}: the cases have several parts, and a median over them means nothing;"
                f" give part = one of {', '.join(known)}"
            )
        if part is not None and part not in known:
            close = nearest(part, known)
            hint = f"did you mean '{close}'?" if close else f"choose one of {', '.join(known)}"
            raise UsageError(f"{self.path}: part = '{part}': there is no such part; {hint}")
        return part or "".join(known)

    def _with_jobs(self, rows: pl.DataFrame) -> dict[str, Run]:
        """Returns the runs of a case that are there with the table jobs, by part."""
        kept = [run is not None and self._store.has(run, ["jobs"]) for run in rows["run"]]
        return self._parts_of(rows.filter(pl.Series(kept, dtype=pl.Boolean)))

    def _with(self, table: str, value: str) -> pl.LazyFrame:
        frame = self.table(table)
        if (table, value) == ("jobs", "execution_time_ns"):  # a metric, as in `Run.metric`
            frame = frame.with_columns(execution_time_ns=pl.col("end_ns") - pl.col("start_ns"))
        schema = frame.collect_schema()
        check_column(value, schema.names(), f"{self.path}: table {table}")
        check_numeric(value, schema[value], f"{self.path}: table {table}")
        return frame

    def _sample(self, value: str, table: str, over: str) -> Sample:
        frame = self._with(table, value)
        self._check_over(over)
        named = [name for name in ("name",) if name in frame.collect_schema().names()]
        if named and over == "seed":
            frame = without_drawn(frame, self.drawn)
        keys = [*(axis for axis in self.axes if axis != over), "part", *named]
        return Sample(frame, value, keys, over, f"{self.path}: table {table}")

    def _check_over(self, over: str) -> None:
        if over != "seed":
            check_column(over, [*self.axes, "seed"], f"{self.path}: axes")

    def _repr_html_(self) -> str:
        from pantala.experiments.notebook import sweep_html
        from pantala.results.notebook import experiment_html

        if self.single and self.alone and TOGETHER in self.parts:
            return experiment_html(self)
        return sweep_html(self)

    def __repr__(self) -> str:
        if self.axes:
            return f"Experiment('{self.path}', '{self.name}', axes={self.axes})"
        state = "" if self.complete else ", incomplete"
        return f"Experiment('{self.path}', '{self.name}', parts={list(self.parts)}{state})"
