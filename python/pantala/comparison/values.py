"""The metrics of all runs of a subject, as one table."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

import polars as pl

from pantala.analysis.slowdown import SLOWDOWN_COLUMNS, share_of_terminals, slowdown_of
from pantala.comparison.subject import ENDINGS, SEED, Subject
from pantala.core.job_end import ends_by_itself, stop_of
from pantala.errors import RunDirectoryError, UsageError, nearest
from pantala.experiments.drawn_jobs import without_drawn
from pantala.metrics import all_metrics, job_values, link_metrics, link_values
from pantala.metrics.run_metrics import SET_BY_PLAN, grows_with_run
from pantala.runs.parts import TOGETHER

__all__ = [
    "ACCEPTED",
    "SLOWDOWNS",
    "check_metrics",
    "distinct_values",
    "metric_names",
    "values_of",
    "values_with_means",
]

ACCEPTED = "accepted_throughput"
#: The metrics of a job that its run alone belongs to.
SLOWDOWNS = tuple(name for name in SLOWDOWN_COLUMNS if name.endswith("slowdown"))
_COUNTED = ("simulated_ns", "packets_delivered", "packet_hops")
_SCHEMA = {
    "run": pl.String,
    "job": pl.String,
    "metric": pl.String,
    "value": pl.Float64,
    "whole": pl.Boolean,
}


def metric_names() -> list[str]:
    """Returns the names of all metrics that a comparison can have, in order."""
    found = [metric.name for metric in all_metrics() if metric.name not in SET_BY_PLAN]
    return [*SLOWDOWNS, ACCEPTED, *found]


def check_metrics(names: Collection[str]) -> None:
    """Checks names of metrics.

    Raises:
        UsageError: there is no such metric.
    """
    known = metric_names()
    for name in names:
        if name not in known:
            close = nearest(name, known)
            hint = f"did you mean '{close}'?" if close else "`pantala metrics` lists them"
            raise UsageError(f"there is no metric '{name}'; {hint}")


def values_of(subject: Subject, metrics: Collection[str] = ()) -> pl.DataFrame:
    """Returns the metrics of every run of a subject that has tables.

    Args:
        subject: the subject.
        metrics: only these metrics.

    Returns:
        The axes, ``seed``, ``part``, ``job`` (empty for a metric of the whole run), ``metric``,
        ``value``, ``whole``: whether the value covers all of its job or run, and ``result``: the
        hash of the results that the value is made of. Metrics without a value are left out.

    Raises:
        RunDirectoryError: a table is damaged, or lacks a column.
    """
    there = subject.there()
    keys = there["run"].unique(maintain_order=True).to_list()
    columns = [*subject.axes, SEED, "part"]
    if not keys:
        schema = {name: there.schema[name] for name in columns}
        return pl.DataFrame(schema={**schema, **_SCHEMA, "result": pl.String}).drop("run")
    complete = dict(there.select("run", pl.col("state") == "done").iter_rows())
    try:
        of_jobs = job_values(_jobs(subject, keys))
    except UsageError as error:
        raise RunDirectoryError(subject.path, *str(error).split("; ", 1)) from None
    ends = pl.col("communication_time_mean_ns").is_not_null()
    whole = pl.col("run").replace_strict(complete, return_dtype=pl.Boolean)
    lasting = _lasting(subject)
    lasted = pl.col("run").replace_strict(lasting, return_dtype=pl.Boolean)
    # A pattern has no end: it is whole if its run lasted as long as its plan says.
    of_job = pl.when(ends).then(pl.col("complete")).otherwise(lasted)
    of_jobs = of_jobs.join(_cut_off(subject), on=["run", "name"], how="left").with_columns(
        whole=of_job,
        # A job that repeats has none either, and values that do not grow with its run.
        steady=of_job | (lasted & pl.col("cut_off").is_null()),
    )
    known = [name for name in metric_names() if not metrics or name in metrics]
    if ACCEPTED in known:
        accepted = pl.Series(ACCEPTED, _accepted(subject, of_jobs), pl.Float64)
        of_jobs = of_jobs.with_columns(accepted)
    names = [name for name in known if name in of_jobs.columns]
    long = _long(of_jobs.with_columns(job=pl.col("name")), ["run", "job", "whole", "steady"], names)
    growing = pl.col("metric").is_in([name for name in names if grows_with_run(name)])
    frames = [long.with_columns(whole=pl.when(growing).then("whole").otherwise("steady"))]
    of_links = {metric.name for metric in link_metrics()}
    if {*_COUNTED, *of_links} & {*known}:
        counted = pl.DataFrame(list(_counters(subject, keys)))
        links = _links(subject, keys) if of_links & {*known} else None
        if links is not None:
            counted = counted.join(link_values(links, "run"), on="run", how="left")
        counted = counted.with_columns(whole=whole, job=pl.lit(""))
        of_run = [name for name in counted.columns if name in known]
        frames.append(_long(counted, ["run", "job", "whole"], of_run))
    if {*SLOWDOWNS} & {*known}:
        found = (row for row in _slowdowns(subject) if row[2] in known)
        frames.append(pl.DataFrame(list(found), _SCHEMA, orient="row"))
    long = pl.concat(frame.select(list(_SCHEMA)) for frame in frames)
    joined = there.select(*columns, "run").join(
        long.filter(pl.col("value").is_finite()), on="run", maintain_order="left_right"
    )
    joined = _with_results(subject, joined)
    # A run that two parts share has its slowdowns in the run together only.
    own = (pl.col("part") == TOGETHER) | ~pl.col("metric").is_in(SLOWDOWNS)
    return joined.filter(own).drop("run")


def distinct_values(values: pl.DataFrame, axes: Sequence[str]) -> pl.DataFrame:
    """Leaves out the values of seeds whose results equal those of an earlier seed.

    Args:
        values: rows of `values_of`.
        axes: the axes without the seed.
    """
    keys = [*axes, "part", "job", "metric", "result"]
    return values.unique(keys, keep="first", maintain_order=True)


def values_with_means(subject: Subject, values: pl.DataFrame) -> pl.DataFrame:
    """Leaves out the values of jobs that are drawn per seed, which have no mean over seeds.

    Args:
        subject: the subject.
        values: rows of `values_of`.
    """
    return without_drawn(values.lazy(), subject.drawn, "job").collect()


def _with_results(subject: Subject, values: pl.DataFrame) -> pl.DataFrame:
    """Adds the hash of the results: of the run, or of all runs of a slowdown."""
    runs = subject.there()["run"].drop_nulls().unique(maintain_order=True)
    facts = subject.facts
    hashes = {run: facts[run].result_hash or str(run) for run in runs}
    keys = [*subject.axes, SEED]
    of_runs = subject.there().with_columns(
        result=pl.col("run").replace_strict(hashes, return_dtype=pl.String)
    )
    whole = of_runs.group_by(keys).agg(pl.concat_str("part", pl.lit(" "), "result").sort())
    of_case = whole.select(*keys, pl.col("part").list.join("\n").alias("results"))
    slowed = pl.col("metric").is_in(SLOWDOWNS)
    return (
        values.join(of_case, on=keys, how="left", nulls_equal=True, maintain_order="left")
        .with_columns(
            result=pl.when(slowed)
            .then("results")
            .otherwise(pl.col("run").replace_strict(hashes, return_dtype=pl.String))
        )
        .drop("results")
    )


def _jobs(subject: Subject, keys: list[str]) -> pl.DataFrame:
    if subject.experiment is not None:
        rows = subject.experiment.table("jobs").filter(pl.col("run").is_in(keys)).collect()
        return rows.unique(["run", "job"], maintain_order=True)
    frames = [subject.run(key).jobs.select(pl.lit(key).alias("run"), pl.all()) for key in keys]
    return pl.concat(frames).collect()


def _links(subject: Subject, keys: list[str]) -> Iterator[pl.DataFrame] | None:
    """Returns the links of all runs in batches; None if the experiment does not keep them."""
    if subject.experiment is None:
        named = (pl.lit(key).alias("run") for key in keys)
        runs = (subject.run(key).links for key in keys)
        return (
            links.select(run, pl.all()).collect() for run, links in zip(named, runs, strict=True)
        )
    if "links" not in subject.experiment.document["keep"]:
        return None
    return subject.experiment.batches("links", keys)


def _counters(subject: Subject, keys: list[str]) -> Iterator[dict[str, Any]]:
    if subject.experiment is not None:
        known = subject.experiment.runs.unique("run", keep="first").filter(
            pl.col("run").is_in(keys)
        )
        yield from known.select(
            "run", "simulated_ns", packets_delivered="packets", packet_hops="packet_hops"
        ).to_dicts()
        return
    for key in keys:
        document = subject.run(key).document
        counters = document["counters"]
        yield {
            "run": key,
            "simulated_ns": document["simulated_ns"],
            "packets_delivered": counters["packets_delivered"],
            "packet_hops": counters["packet_hops"],
        }


def _accepted(subject: Subject, jobs: pl.DataFrame) -> Iterator[float | None]:
    """Yields the accepted throughput of each pattern; None for a job that ends.

    The bandwidth of terminals and the ends of jobs are read from one run of each case: seeds do not
    change them.
    """
    patterns = jobs.filter(pl.col("communication_time_mean_ns").is_null())["run"].unique()
    cases = subject.there().filter(pl.col("run").is_in(patterns.implode()))
    plans: dict[str, Mapping[str, Any]] = {}
    for _, rows in cases.group_by(*subject.axes, "part", maintain_order=True):
        plans |= dict.fromkeys(rows["run"], subject.run(rows["run"][0]).plan)
    lengths = {str(row["run"]): float(row["simulated_ns"]) for row in _counters(subject, [*plans])}
    for row in jobs.iter_rows(named=True):
        if row["communication_time_mean_ns"] is not None:
            yield None
            continue
        plan, run = plans[row["run"]], row["run"]
        yield share_of_terminals(
            row["delivered_bytes"],
            row["ranks"],
            stop_of(plan["jobs"][row["job"]], lengths[run]) - row["start_ns"],
            plan["links"]["terminal"]["bandwidth_bytes_per_s"],
        )


def _slowdowns(subject: Subject) -> Iterator[tuple[str, str, str, float, bool]]:
    """Yields the slowdowns of interference experiments whose runs are all there."""
    done: set[str] = set()
    keys = [*subject.axes, SEED]
    lasting = _lasting(subject)
    if not subject.there()["part"].str.starts_with("alone-").any():
        return
    for _, rows in subject.there().group_by(keys, maintain_order=True):
        runs = dict(rows.select("part", "run").iter_rows())
        together = runs.pop(TOGETHER, None)
        alone = {
            name: subject.run(runs[f"alone-{name}"])
            for name in (subject.run(together).job_names if together else ())
            if f"alone-{name}" in runs
        }
        if together is None or not alone or together in done:
            continue
        done.add(together)
        jobs = subject.run(together).plan["jobs"]
        for row in slowdown_of(subject.run(together), alone).iter_rows(named=True):
            # Of a job that was cut off, a slowdown covers the work that both runs finished only.
            of_all = row["compared"] in ("run", "unequal")
            whole = of_all or (lasting[together] and not ends_by_itself(jobs[row["job"]]))
            for name in SLOWDOWNS:
                if row[name] is not None:
                    yield together, row["name"], name, row[name], whole


def _lasting(subject: Subject) -> dict[str, bool]:
    """Returns whether each run that has tables lasted as long as its plan says."""
    lasted = (pl.col("state") == "done") | (pl.col("reason") == ENDINGS["duration"])
    return dict(subject.there().select("run", lasted).iter_rows())


def _cut_off(subject: Subject) -> pl.DataFrame:
    """Returns the jobs that should end and did not: ``run``, ``name``, and ``cut_off``, true."""
    found = [(run, name) for run, each in subject.facts.items() for name in each.unfinished]
    rows = pl.DataFrame(found, {"run": pl.String, "name": pl.String}, orient="row")
    return rows.with_columns(cut_off=pl.lit(True))


def _long(frame: pl.DataFrame, keys: list[str], names: list[str]) -> pl.DataFrame:
    if not names:
        return pl.DataFrame(schema={**_SCHEMA, **dict.fromkeys(keys[2:], pl.Boolean)})
    return frame.select(*keys, pl.col(names).cast(pl.Float64)).unpivot(
        names, index=keys, variable_name="metric", value_name="value"
    )
