"""The share of a job's ranks that are inside MPI calls, over time."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from pantala.results.run import Run
from pantala.run_tables.run_like import table

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["presence", "time_inside"]

#: Calls whose time is no communication time.
_NO_COMMUNICATION = ("init", "finalize")
#: Windows at most.
_MOST = 1000


def presence(run: Run) -> tuple[pl.DataFrame, dict[str, Any]]:
    """Returns the time that ranks spend inside MPI calls in windows of the run, from call_events.

    Returns:
        `window_start_ns`, `job`, `inside_ns` (summed over ranks) and `ranks`; the facts have the
        length of a window.
    """
    events = table(run, "call_events")
    if events is None:
        return pl.DataFrame(), {"needs": "call_events"}
    length = float(run.plan["record"]["window_ps"]) / 1000
    end = float(run.document["simulated_ns"])
    length *= max(1, math.ceil(end / length / _MOST))
    edges = np.minimum(np.arange(math.ceil(end / length - 1e-6) + 1) * length, end)
    chosen = events.filter(~pl.col("call").is_in(_NO_COMMUNICATION))
    found = []
    for job in range(len(run.job_names)):
        rows = chosen.filter(pl.col("job") == job).select("rank", "start_ns", "end_ns").collect()
        if rows.is_empty():
            continue
        inside = time_inside(rows["start_ns"].to_numpy(), rows["end_ns"].to_numpy(), edges)
        found.append(
            pl.DataFrame({"window_start_ns": edges[:-1], "inside_ns": inside}).with_columns(
                job=pl.lit(job, pl.UInt16), ranks=pl.lit(rows["rank"].n_unique(), pl.UInt32)
            )
        )
    if not found:
        return pl.DataFrame(), {"needs": "call_events"}
    return pl.concat(found).sort("window_start_ns", "job"), {"window_ns": length}


def time_inside(
    starts: NDArray[Any], ends: NDArray[Any], edges: NDArray[Any]
) -> NDArray[np.float64]:
    """Returns the time of intervals inside each window, summed.

    Args:
        starts: the starts of the intervals.
        ends: their ends, none before its start.
        edges: the edges of the windows, in order.
    """
    # The time before an edge t: the sum of t - start over started intervals, less that of ended.
    return np.diff(_passed(starts, edges) - _passed(ends, edges))


def _passed(times: NDArray[Any], edges: NDArray[Any]) -> NDArray[np.float64]:
    ordered = np.sort(times)
    sums = np.concatenate([[0.0], np.cumsum(ordered)])
    number = np.searchsorted(ordered, edges)
    passed: NDArray[np.float64] = number * edges - sums[number]
    return passed
