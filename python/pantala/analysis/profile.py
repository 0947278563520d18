"""The profile of a job: its MPI calls, and the counters of the routers that serve it.

AutoPerf reports both for a job on a real machine (Chunduri et al., IPDPS 2021, III.B).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import polars as pl

from pantala.metrics.run_metrics import chosen_job
from pantala.run_tables.job_nodes import job_nodes

if TYPE_CHECKING:
    from pantala.run_tables.run_like import RecordedRun

__all__ = ["call_profile", "profile"]


def call_profile(
    calls: pl.DataFrame, ranks: pl.DataFrame, rank_calls: pl.DataFrame | None = None
) -> pl.DataFrame:
    """Returns the MPI calls of a job, the call with the longest time first.

    Args:
        calls: rows of `Run.calls` of the job: `call`, `calls`, `bytes`, `time_ns`.
        ranks: rows of `Run.ranks` of the job: `rank`, `start_ns`, `end_ns`.
        rank_calls: rows of `Run.rank_calls` of the job, if the run recorded them.

    Returns:
        `call`, `calls`, `bytes_mean` (per call; null without a call), `time_mean_ns` (per rank),
        `share` (of the time of all ranks; null if a rank has not ended). With `rank_calls`, also
        `callers` (the number of ranks that made the call), `time_min_ns` and `time_max_ns` (over
        all ranks; 0 for a rank without the call) and `slowest_rank` (the first rank with the
        longest time).
    """
    ended = bool(ranks.height) and not ranks["end_ns"].null_count()
    busy = float((ranks["end_ns"] - ranks["start_ns"]).sum()) if ended else 0.0
    share = pl.col("time_ns") / busy if busy else pl.lit(None, pl.Float64)
    profiled = calls.select(
        "call",
        "calls",
        bytes_mean=pl.when(pl.col("calls") > 0).then(pl.col("bytes") / pl.col("calls")),
        time_mean_ns=pl.col("time_ns") / max(1, ranks.height),
        share=share,
    ).sort("time_mean_ns", "call", descending=[True, False])
    if rank_calls is None or rank_calls.is_empty():
        return profiled
    spread = (
        rank_calls.sort("rank")
        .group_by("call")
        .agg(
            callers=(pl.col("calls") > 0).sum(),
            time_min_ns=pl.when(pl.len() < ranks.height)
            .then(0.0)
            .otherwise(pl.col("time_ns").min()),
            time_max_ns=pl.col("time_ns").max(),
            slowest_rank=pl.col("rank").get(pl.col("time_ns").arg_max()),
        )
    )
    return profiled.join(spread, on="call", how="left", maintain_order="left")


def profile(run: RecordedRun, job: str | None = None, *, by_kind: bool = False) -> dict[str, Any]:
    """Returns the profile of a job.

    Args:
        run: the run.
        job: the job; optional if there is only one.
        by_kind: whether requests and responses have counters of their own, as in
            `Run.router_counters`.

    Returns:
        `job`, `ranks` and `routers` (their numbers), `calls` (`call_profile`) and `counters`
        (`Run.router_counters`).

    Raises:
        UsageError: there is no such job, the job is missing, or with `by_kind` the run has no
            counters of requests and responses.
    """
    name = chosen_job(run, "profile", job)
    number = run.job_names.index(name)
    of_job = pl.col("job") == number
    ranks = run.ranks.filter(of_job).collect()
    return {
        "job": name,
        "ranks": int(run.plan["jobs"][number]["ranks"]),
        "routers": job_nodes(run.ranks, run.plan, number)["router"].n_unique(),
        "calls": call_profile(
            run.calls.filter(of_job).collect(), ranks, run.rank_calls.filter(of_job).collect()
        ),
        "counters": run.router_counters(name, by_kind=by_kind),
    }
