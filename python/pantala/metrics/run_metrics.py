"""Metrics by name: one number of a run or of a job, with its unit, its meaning and its source."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import polars as pl

from pantala.catalogue.tables import TABLES
from pantala.errors import UsageError, nearest
from pantala.metrics.registry import all_functions
from pantala.metrics.traffic import injection_rate
from pantala.run_tables.link_classes import INSIDE_GROUPS

if TYPE_CHECKING:
    from pantala.run_tables.run_like import RecordedRun

__all__ = [
    "SET_BY_PLAN",
    "Metric",
    "all_metrics",
    "chosen_job",
    "grows_with_run",
    "job_values",
    "link_metrics",
    "link_values",
    "value_of",
]

_NOT_METRICS = frozenset({"job", "name", "complete"})
#: Words in the names of values of a job that do not grow with the time that it runs.
_STEADY = ("latency", "share", "hops", "rate", "utilization")
#: Numbers of a job that the plan sets.
SET_BY_PLAN = frozenset({"ranks", "start_ns"})


@dataclass(frozen=True)
class Metric:
    """A number of a run or of a job.

    Attributes:
        name: its name; ends in its unit, if it has one.
        scope: whether it is a number of a job or of the whole run.
        text: its meaning and its source.
    """

    name: str
    scope: Literal["job", "run"]
    text: str


#: A row of the table jobs, by column.
_Row = Mapping[str, Any]


def _of_column(name: str) -> Callable[[_Row], float | None]:
    return lambda row: row[name]


def _execution_time(row: _Row) -> float | None:
    end: float | None = row["end_ns"]
    return None if end is None else end - row["start_ns"]


def _per_execution_time(column: str) -> Callable[[_Row], float | None]:
    def compute(row: _Row) -> float | None:
        time, value = _execution_time(row), row[column]
        return None if time is None or value is None else injection_rate(value, time)

    return compute


def _counter(name: str) -> Callable[[RecordedRun], float | None]:
    return lambda run: run.document["counters"].get(name)


def _of_links(aggregate: pl.Expr) -> Callable[[RecordedRun], float | None]:
    def compute(run: RecordedRun) -> float | None:
        value: float | None = run.links.select(aggregate).collect().item()
        return value

    return compute


_JOB_METRICS: dict[str, tuple[str, Callable[[_Row], float | None]]] = {
    **{
        column.name: (column.text, _of_column(column.name))
        for column in TABLES["jobs"].columns
        if column.name not in _NOT_METRICS
    },
    "execution_time_ns": ("From the job's start to the end of its last rank.", _execution_time),
    "message_injection_rate_gb_per_s": (
        (
            "`mpi_bytes` over execution time, in GB/s: the message injection rate of Kang et al."
            " (SC 2022), IV."
        ),
        _per_execution_time("mpi_bytes"),
    ),
    "link_injection_rate_gb_per_s": (
        (
            "`injected_bytes` over execution time, in GB/s: the rate on all injection links of the"
            " job."
        ),
        _per_execution_time("injected_bytes"),
    ),
}

_RUN_METRICS: dict[str, tuple[str, Callable[[RecordedRun], float | None]]] = {
    "simulated_ns": ("Simulated time.", lambda run: run.document["simulated_ns"]),
    "packets_delivered": (
        "Packets delivered in simulated time, without skipped time; responses included.",
        _counter("packets_delivered"),
    ),
    "packet_hops": (
        "Link traversals between routers, plus ejections, in simulated time, without skipped time.",
        _counter("packet_hops"),
    ),
}

#: The link classes with metrics, by the prefix of the metrics' names; in two dimensions, local
#: means row and column.
_GROUPS_OF_LINKS: dict[str, tuple[str, tuple[str, ...]]] = {
    "local": ("links inside groups", INSIDE_GROUPS),
    "row": ("row links (none in one dimension)", ("row",)),
    "column": ("column links (none in one dimension)", ("column",)),
    "global": ("global links", ("global",)),
}
#: The metrics of links: an aggregate of rows of the table links by the metric's name.
_LINK_METRICS: dict[str, pl.Expr] = {}
_LINK_COLUMNS = ("class", "utilization", "stall_ns", "bytes")
for _name, (_links, _classes) in _GROUPS_OF_LINKS.items():
    _chosen = pl.col("class").is_in(_classes)
    _utilization = pl.col("utilization").filter(_chosen)
    for _metric, _text, _aggregate in (
        (
            f"{_name}_utilization_mean",
            (
                f"Mean over {_links} of the share of time that a link was busy (congestion index;"
                " Kang et al., SC 2022, VI.B)."
            ),
            _utilization.mean(),
        ),
        (
            f"{_name}_utilization_max",
            f"The largest share of time that one of the {_links} was busy.",
            _utilization.max(),
        ),
        (
            f"{_name}_stall_mean_ns",
            (
                f"Mean over {_links} of the time that a flit was ready and had no credit (Kang et"
                " al., SC 2022, VI.B)."
            ),
            pl.col("stall_ns").filter(_chosen).mean(),
        ),
        (
            f"{_name}_load_bytes",
            f"Payload on {_links}, summed over them (Wang et al., IPDPS 2020, Table VI).",
            pl.when(_chosen.any()).then(pl.col("bytes").filter(_chosen).sum().cast(pl.Float64)),
        ),
        (
            f"{_name}_load_mean_bytes",
            f"Payload on {_links}, mean over them (Wang et al., IPDPS 2020, Table VI).",
            pl.col("bytes").filter(_chosen).mean(),
        ),
    ):
        _LINK_METRICS[_metric] = _aggregate
        _RUN_METRICS[_metric] = (_text, _of_links(_aggregate))
_BETWEEN = pl.col("bytes").filter(pl.col("class").is_in((*INSIDE_GROUPS, "global")))
_LINK_METRICS["global_load_share"] = pl.when(_BETWEEN.sum() > 0).then(
    pl.col("bytes").filter(pl.col("class") == "global").sum() / _BETWEEN.sum()
)
_RUN_METRICS["global_load_share"] = (
    (
        "Share of global links in the payload that links between routers carried (Wang et al.,"
        " IPDPS 2020, VI.C)."
    ),
    _of_links(_LINK_METRICS["global_load_share"]),
)


def all_metrics() -> list[Metric]:
    """Returns all metrics: those of a job, then those of a run."""
    of_job = [Metric(name, "job", text) for name, (text, _) in _JOB_METRICS.items()]
    return of_job + [Metric(name, "run", text) for name, (text, _) in _RUN_METRICS.items()]


def link_metrics() -> list[Metric]:
    """Returns the metrics of a run that are made from the table links."""
    return [metric for metric in all_metrics() if metric.name in _LINK_METRICS]


def grows_with_run(name: str) -> bool:
    """Returns whether a value of a job grows with the time that it runs, as times and bytes do.

    Such values of jobs without an end of their own say how long their runs took.

    Args:
        name: a metric of a job, or a numeric column of a table.
    """
    return name not in SET_BY_PLAN and not any(word in name for word in _STEADY)


def value_of(run: RecordedRun, name: str, job: str | None) -> float | None:
    """Returns a metric of a run; see `Run.metric`.

    Raises:
        UsageError: there is no such metric, it is no metric of a job, or the job is not given.
    """
    if name in _RUN_METRICS:
        if job is not None:
            raise UsageError(f"metric {name} belongs to the whole run; remove job = '{job}'")
        return _RUN_METRICS[name][1](run)
    if name not in _JOB_METRICS:
        if name == "binding_resource":
            raise UsageError(
                f"metric {name} is a name, not a number; call"
                " pantala.analysis.binding.bindings_of(run), or run pantala metrics"
                " binding_resource --run DIR"
            )
        if name in {each.name for each in all_functions()}:
            raise UsageError(
                f"metric {name} is a function of tables, not a number of a run; call"
                f" pantala.metrics.{name}, whose arguments pantala metrics {name} prints"
            )
        close = nearest(name, [*_JOB_METRICS, *_RUN_METRICS])
        hint = f"did you mean '{close}'?" if close else "`pantala metrics` lists them"
        raise UsageError(f"there is no metric '{name}'; {hint}")
    job = chosen_job(run, name, job)
    rows = run.jobs.filter(pl.col("name") == job).collect()
    return _JOB_METRICS[name][1](rows.row(0, named=True))


def job_values(jobs: pl.DataFrame) -> pl.DataFrame:
    """Returns rows of the table jobs, perhaps of many runs, with a column per metric of a job.

    Raises:
        UsageError: the rows lack a column.
    """
    lacking = [name for name in TABLES["jobs"].polars_schema if name not in jobs.columns]
    if lacking:
        raise UsageError(
            f"table jobs has no column '{lacking[0]}'; another version of Pantala wrote it: run the"
            " scenario again"
        )
    names = jobs.columns
    derived = {name: compute for name, (_, compute) in _JOB_METRICS.items() if name not in names}
    rows = jobs.select("start_ns", "end_ns", "mpi_bytes", "injected_bytes").to_dicts()
    return jobs.with_columns(
        pl.Series(name, [compute(row) for row in rows], pl.Float64)
        for name, compute in derived.items()
    )


def link_values(batches: Iterable[pl.DataFrame], by: str) -> pl.DataFrame:
    """Returns the metrics of links for each group of rows of the table links, one row per group.

    Args:
        batches: rows of the table links, perhaps of many runs; a group is in one batch.
        by: the column that says which rows belong together, such as ``run``.
    """
    named = [aggregate.alias(name) for name, aggregate in _LINK_METRICS.items()]
    schema = {by: pl.String, **dict.fromkeys(_LINK_METRICS, pl.Float64)}
    found = [pl.DataFrame(schema=schema)]
    for batch in batches:
        # In the order of the rows, a sum does not depend on the number of threads.
        groups = batch.select(by, *_LINK_COLUMNS).group_by(by, maintain_order=True)
        found.append(groups.agg(named))
    return pl.concat(found)


def chosen_job(run: RecordedRun, metric: str, job: str | None) -> str:
    """Returns the job of a metric: the named job, or the only one.

    Raises:
        UsageError: there is no such job, or there are several and none is named.
    """
    names = ", ".join(run.job_names)
    if job is None:
        if len(run.job_names) == 1:
            return run.job_names[0]
        raise UsageError(f"metric {metric} is one of a job; add job = one of {names}")
    if job not in run.job_names:
        raise UsageError(f"there is no job '{job}'; the jobs are {names}")
    return job
