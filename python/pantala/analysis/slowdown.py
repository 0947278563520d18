"""The slowdown of jobs: the same work of a job, alone and together with the others.

A job that ended in both runs after equal work is compared over both whole runs. A job that was cut
off in one of them, or did different work, is compared over the iterations that all of its ranks
finished in both runs; without such iterations it is not compared. Synthetic traffic has no end and
no iterations: it runs alone for as long as together, and its packets are compared.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import polars as pl

from pantala.catalogue.job_sets import alone_runs, job_sets
from pantala.errors import UsageError
from pantala.run_tables.run_like import stop_ns
from pantala.run_tables.skipped_time import skipped_spans

if TYPE_CHECKING:
    from polars.datatypes import DataTypeClass

    from pantala.run_tables.run_like import RecordedRun, RunLike

__all__ = [
    "SLOWDOWN_COLUMNS",
    "accepted_throughput",
    "share_of_terminals",
    "slowdown_of",
    "slowdowns_of",
]

#: The columns that name an iteration of a job, or a phase of it.
_ITERATION = ("motif", "iteration", "phase")

_MEASURES: Mapping[str, str] = MappingProxyType(
    {
        "communication_time_mean_ns": "communication time over the work compared, mean over ranks",
        "communication_time_std_ns": (
            "communication time over the work compared, standard deviation over ranks"
        ),
        "communication_time_max_ns": (
            "communication time over the work compared, of the slowest rank"
        ),
        "run_time_ns": "duration from the job's start to the end of the work compared",
        "message_latency_mean_ns": "mean message latency; null for a job that was cut off",
        "packet_latency_mean_ns": "mean packet latency; null for a job that was cut off",
        "packet_latency_p99_ns": (
            "99th percentile of packet latency; null for a job that was cut off"
        ),
        "accepted_throughput": (
            "payload delivered, as a share of terminal bandwidth; null for a job that ends"
        ),
    }
)

#: The measures of which a slowdown is the value together over alone, and the slowdown's name.
_TIMES = (("communication_time_mean_ns", "slowdown"), ("run_time_ns", "run_time_slowdown"))
_LATENCIES = (
    ("message_latency_mean_ns", "message_latency_slowdown"),
    ("packet_latency_mean_ns", "packet_latency_slowdown"),
    ("packet_latency_p99_ns", "packet_latency_p99_slowdown"),
)

#: The columns of the slowdown table: type and meaning by name.
SLOWDOWN_COLUMNS: Mapping[str, tuple[DataTypeClass, str]] = MappingProxyType(
    {
        "job": (pl.UInt16, "Number of the job in the plan."),
        "name": (pl.String, "The job's name."),
        "compared": (
            pl.String,
            (
                "The work that is compared: `run`, all of both runs; `iterations`, those that"
                " finished in both runs (of runs that skip time: all, scaled to the smaller"
                " number); `duration`, the same simulated time; `unequal`, all of both runs, which"
                " sent different numbers of bytes; `nothing`, as no iteration finished in both."
            ),
        ),
        "alone_iterations": (
            pl.UInt32,
            "Iterations that all ranks finished alone; null without `record.iterations`.",
        ),
        "together_iterations": (pl.UInt32, "The same together."),
        "compared_iterations": (pl.UInt32, "Iterations that all ranks finished in both runs."),
        **{
            f"{case}_{name}": (pl.Float64, f"{case.capitalize()}: {text}.")
            for name, text in _MEASURES.items()
            for case in ("alone", "together")
        },
        "slowdown": (
            pl.Float64,
            "Mean communication time together over alone; null for a pattern.",
        ),
        "run_time_slowdown": (pl.Float64, "Run time together over alone; null for a pattern."),
        "message_latency_slowdown": (
            pl.Float64,
            "Mean message latency together over alone; null for a job that was cut off.",
        ),
        "packet_latency_slowdown": (
            pl.Float64,
            "Mean packet latency together over alone; null for a job that was cut off.",
        ),
        "packet_latency_p99_slowdown": (
            pl.Float64,
            (
                "99th percentile of packet latency together over alone; null for a job that was cut"
                " off."
            ),
        ),
        "accepted_throughput_slowdown": (
            pl.Float64,
            "Accepted throughput alone over together; null for a job that ends.",
        ),
    }
)


_SLOWDOWNS: Mapping[str, Any] = {
    "job_set": pl.String,
    "beside": pl.List(pl.String),
    **{name: dtype for name, (dtype, _) in SLOWDOWN_COLUMNS.items()},
}


def slowdown_of(together: RecordedRun, alone: Mapping[str, RecordedRun]) -> pl.DataFrame:
    """Compares every job of the run together with its run alone.

    The slowdown is the mean over ranks together divided by the mean over ranks alone (Kang et al.,
    SC 2022, V: "variation" plus one). It is null for a job that was not run alone, that did not
    communicate, or that finished no iteration in both runs.

    Returns:
        One row per job, with the columns of `SLOWDOWN_COLUMNS`.

    Raises:
        UsageError: the runs differ in detail: one is coarse or skips time and the other does not.
    """
    for name, run in alone.items():
        ours, theirs = _coarsen(together), _coarsen(run)
        if ours != theirs:
            raise UsageError(
                f"the run of {name} alone has detail.coarsen = {theirs} and the run together"
                f" {ours}: their difference is not a slowdown; run both with one detail"
            )
        if _skips(run) and not _skips(together):
            raise UsageError(
                f"the run of {name} alone skips time and the run together does not: their"
                " difference is not a slowdown; run both with the same key skip"
            )
    rows = []
    for job in together.jobs.sort("job").collect().to_dicts():
        row: dict[str, Any] = {"job": job["job"], "name": job["name"]}
        other = alone.get(job["name"])
        if other is not None:
            row |= _compared(_Part.of(other, job["name"]), _Part.of(together, job["name"]))
        rows.append(row)
    return pl.DataFrame(rows, {name: dtype for name, (dtype, _) in SLOWDOWN_COLUMNS.items()})


def slowdowns_of(runs: Mapping[str, RecordedRun]) -> pl.DataFrame:
    """Compares every job with its run alone, in each job set of an interference experiment.

    Args:
        runs: the runs by the names of their parts: `pantala.catalogue.job_sets`.

    Returns:
        One row per job set and job: ``job_set``, the name of the run; ``beside``, the names of the
        other jobs; then the columns of `SLOWDOWN_COLUMNS`, in which "together" is the job set.
    """
    tables = []
    for job_set, jobs in job_sets({name: run.job_names for name, run in runs.items()}).items():
        alone = {job: runs[name] for job, name in alone_runs(job_set, jobs, runs).items()}
        beside = [[other for other in jobs if other != job] for job in jobs]
        tables.append(
            slowdown_of(runs[job_set], alone).select(
                pl.lit(job_set).alias("job_set"),
                pl.Series("beside", beside, dtype=pl.List(pl.String)),
                pl.all(),
            )
        )
    return pl.concat(tables) if tables else pl.DataFrame(schema=_SLOWDOWNS)


def _coarsen(run: RunLike) -> int:
    """Returns the number of the machine's packets that a packet of the run stands for."""
    return int((run.document["plan"].get("detail") or {}).get("coarsen", 1))


def _skips(run: RunLike) -> bool:
    """Returns whether a run may skip time. A job alone that does not repeat has no such key."""
    return bool(run.document["plan"].get("skip"))


def accepted_throughput(run: RunLike, job: int) -> float | None:
    """Returns the payload that a job's nodes accepted, as a share of terminal bandwidth.

    It is None if the job never ran.
    """
    row = run.jobs.filter(pl.col("job") == job).collect().row(0, named=True)
    return share_of_terminals(
        row["delivered_bytes"],
        row["ranks"],
        stop_ns(run, job) - row["start_ns"],
        run.document["plan"]["links"]["terminal"]["bandwidth_bytes_per_s"],
    )


def share_of_terminals(
    delivered_bytes: float, ranks: int, length_ns: float, bandwidth_bytes_per_s: float
) -> float | None:
    """Returns the payload that a job's nodes accepted, as a share of terminal bandwidth.

    Args:
        delivered_bytes: the payload, as in the table jobs.
        ranks: of the job, each on its node.
        length_ns: from the job's start to its `end`, or to the end of the run.
        bandwidth_bytes_per_s: of a terminal link.

    Returns:
        The share; None if the job never ran.
    """
    if length_ns <= 0:
        return None
    return delivered_bytes / (length_ns * ranks * (bandwidth_bytes_per_s / 1e9))


@dataclass(frozen=True)
class _Part:
    """One job in one run."""

    run: RecordedRun
    row: dict[str, Any]

    @classmethod
    def of(cls, run: RecordedRun, name: str) -> _Part:
        return cls(run, run.jobs.filter(pl.col("name") == name).collect().row(0, named=True))

    @property
    def endless(self) -> bool:
        return bool(
            self.run.document["plan"]["jobs"][self.row["job"]]["workload"]["kind"] == "pattern"
        )

    @property
    def simulated_ns(self) -> float:
        return float(self.run.document["simulated_ns"])

    @property
    def iterations(self) -> pl.LazyFrame:
        return self.run.iterations.filter(pl.col("job") == self.row["job"])

    def finished(self) -> pl.DataFrame:
        """Returns the iterations that every rank has finished, or their phases."""
        counted = self.iterations.group_by(_ITERATION).len()
        return counted.filter(pl.col("len") == self.row["ranks"]).select(_ITERATION).collect()

    @property
    def skips(self) -> bool:
        """Whether time was skipped, so that not every iteration has a row."""
        return bool(skipped_spans(self.run))

    def count(self, finished: pl.DataFrame) -> int:
        """Returns the number of iterations, with those that were skipped.

        Args:
            finished: the result of `finished`.
        """
        if not self.skips:
            return _count(finished)
        highest = finished.group_by("motif").agg(pl.col("iteration").max() + 1)
        return int(highest["iteration"].sum())

    def share(self, part: float) -> dict[str, float | None]:
        """Returns communication time and run time of a share of all iterations."""
        end = self.row["end_ns"] or self.simulated_ns
        times = {name: self.row[name] for name in _MEASURES if name.startswith("communication")}
        times["run_time_ns"] = end - self.row["start_ns"]
        return {name: value if value is None else value * part for name, value in times.items()}

    def whole(self) -> dict[str, float | None]:
        """Returns the measurements of a job that ended."""
        times = {name: self.row[name] for name in _MEASURES if name.startswith("communication")}
        run_time = {"run_time_ns": self.row["end_ns"] - self.row["start_ns"]}
        return times | run_time | self.latencies()

    def latencies(self) -> dict[str, float | None]:
        """Returns the latencies over the whole run; null if nothing was delivered."""
        return {name: self.row.get(name) for name, _ in _LATENCIES}

    def during(self, iterations: pl.DataFrame) -> dict[str, float | None]:
        """Returns communication time and run time of the job over some iterations only."""
        chosen = self.iterations.join(
            iterations.lazy(), on=_ITERATION, how="semi", nulls_equal=True
        )
        of_ranks = chosen.group_by("rank").agg(pl.col("communication_time_ns").sum())
        time, prefix = pl.col("communication_time_ns"), "communication_time"
        spread = of_ranks.sort("rank").select(
            time.mean().alias(f"{prefix}_mean_ns"),
            time.std(ddof=0).alias(f"{prefix}_std_ns"),
            time.max().alias(f"{prefix}_max_ns"),
        )
        end = chosen.select(pl.col("end_ns").max()).collect().item()
        return spread.collect().row(0, named=True) | {"run_time_ns": end - self.row["start_ns"]}

    def traffic(self) -> dict[str, float | None]:
        """Returns the measurements of synthetic traffic."""
        latencies = self.latencies() if self.row["packets"] else {}
        return latencies | {"accepted_throughput": accepted_throughput(self.run, self.row["job"])}


def _compared(alone: _Part, together: _Part) -> dict[str, Any]:
    """Returns the columns of one job after its name."""
    row: dict[str, Any]
    if together.endless:
        if alone.simulated_ns != together.simulated_ns:
            return {}  # a run alone for another job set
        before, after = alone.traffic(), together.traffic()
        row = {"compared": "duration", **_beside(before, after)}
        row["accepted_throughput_slowdown"] = _ratio(
            before["accepted_throughput"], after["accepted_throughput"]
        )
        return row | _ratios(row, _LATENCIES)
    first, second = alone.finished(), together.finished()
    both = first.join(second, on=_ITERATION, how="semi", nulls_equal=True)
    row = {"compared": "nothing"}
    skips = alone.skips or together.skips
    counts = alone.count(first), together.count(second)
    common = min(counts) if skips else _count(both)
    if together.run.document["plan"]["record"]["iterations"]:
        row |= {
            "alone_iterations": counts[0],
            "together_iterations": counts[1],
            "compared_iterations": common,
        }
    as_many = counts[0] == counts[1] if skips else len(first) == len(second)
    equal = alone.row["mpi_bytes"] == together.row["mpi_bytes"] and as_many
    ended = alone.row["complete"] and together.row["complete"]
    if ended and (equal or both.is_empty()):
        # A program that runs for a set time ends in both runs, with more work in one of them.
        compared = "run" if equal else "unequal"
        row |= {"compared": compared} | _beside(alone.whole(), together.whole())
    elif skips and common:
        # Skipped iterations have no rows, so the times of all are scaled to the smaller number.
        shares = [common / count for count in counts]
        both_shares = alone.share(shares[0]), together.share(shares[1])
        row |= {"compared": "iterations"} | _beside(*both_shares)
    elif len(both):
        row |= {"compared": "iterations"} | _beside(alone.during(both), together.during(both))
    return row | _ratios(row, (*_TIMES, *_LATENCIES))


def _count(iterations: pl.DataFrame) -> int:
    """Returns the number of iterations. Phases of one iteration count once."""
    return iterations.select("motif", "iteration").unique().height


def _beside(
    alone: Mapping[str, float | None], together: Mapping[str, float | None]
) -> dict[str, float | None]:
    return {f"alone_{name}": value for name, value in alone.items()} | {
        f"together_{name}": value for name, value in together.items()
    }


def _ratios(row: Mapping[str, Any], measures: Iterable[tuple[str, str]]) -> dict[str, float | None]:
    """Returns the slowdowns of times and latencies: together over alone."""
    return {
        name: _ratio(row.get(f"together_{measure}"), row.get(f"alone_{measure}"))
        for measure, name in measures
    }


def _ratio(one: float | None, other: float | None) -> float | None:
    return one / other if one is not None and other else None
