"""The time that a job's ranks spend inside MPI calls, over time: all of it, and by call."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from pantala.explorer.windows import joined_window
from pantala.results.run import Run
from pantala.run_tables.run_like import table

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["calls_table", "phases", "presence", "time_inside"]

#: The tables with the time inside calls, the first preferred.
_TABLES = ("call_windows", "call_events")

#: Calls whose time is no communication time.
_NO_COMMUNICATION = ("init", "finalize")
#: Windows at most.
_MOST = 1000


def presence(run: Run) -> tuple[pl.DataFrame, dict[str, Any]]:
    """Returns the time that ranks spend inside MPI calls in windows of the run.

    It is from call_windows, or from call_events if the run has only these.

    Returns:
        `window_start_ns`, `job`, `inside_ns` (summed over ranks) and `ranks`; the facts have the
        length of a window.
    """
    return _inside(run, by_call=False)


def phases(run: Run) -> tuple[pl.DataFrame, dict[str, Any]]:
    """Returns `presence` by call: the MPI phases of each job.

    Returns:
        `window_start_ns`, `job`, `call`, `inside_ns` (summed over ranks) and `ranks`, the ranks of
        the job whose calls were recorded; windows without time inside a call are left out.
    """
    return _inside(run, by_call=True)


def calls_table(run: Run) -> str | None:
    """Returns the table that the times inside calls are from; None if the run has none.

    Raises:
        RunDirectoryError: the table is damaged.
    """
    return next((name for name in _TABLES if table(run, name) is not None), None)


def _inside(run: Run, *, by_call: bool) -> tuple[pl.DataFrame, dict[str, Any]]:
    if (windows := table(run, "call_windows")) is not None:
        return _of_windows(run, windows, by_call=by_call)
    events = table(run, "call_events")
    if events is None:
        return pl.DataFrame(), {"needs": "call_windows"}
    length = float(run.plan["record"]["window_ps"]) / 1000
    end = float(run.document["simulated_ns"])
    length *= max(1, math.ceil(end / length / _MOST))
    edges = np.minimum(np.arange(math.ceil(end / length - 1e-6) + 1) * length, end)
    chosen = events.filter(~pl.col("call").is_in(_NO_COMMUNICATION))
    key = ["window_start_ns", "job", *["call"] * by_call]
    found = []
    for job in range(len(run.job_names)):
        of_job = chosen.filter(pl.col("job") == job)
        rows = of_job.select("rank", "call", "start_ns", "end_ns").collect()
        for name, part in rows.group_by("call") if by_call else [(("",), rows)]:
            if part.is_empty():
                continue
            inside = time_inside(part["start_ns"].to_numpy(), part["end_ns"].to_numpy(), edges)
            frame = pl.DataFrame({"window_start_ns": edges[:-1], "inside_ns": inside})
            found.append(
                frame.with_columns(
                    job=pl.lit(job, pl.UInt16),
                    call=pl.lit(str(name[0])),
                    ranks=pl.lit(rows["rank"].n_unique(), pl.UInt32),
                )
            )
    if not found:
        return pl.DataFrame(), {"needs": "call_windows"}
    every = pl.concat(found)
    if by_call:
        # Rounding leaves a millionth of a nanosecond in windows without the call.
        every = every.filter(pl.col("inside_ns") > 1e-3)
    return every.sort(key).select(*key, "inside_ns", "ranks"), {"window_ns": length}


def _of_windows(
    run: Run, windows: pl.LazyFrame, *, by_call: bool
) -> tuple[pl.DataFrame, dict[str, Any]]:
    length = float(run.plan["record"]["call_windows_ps"]) / 1000
    end = float(run.document["simulated_ns"])
    length *= (by := max(1, math.ceil(end / length / _MOST)))
    key = ["window_start_ns", "job", *["call"] * by_call]
    rows = windows.filter(~pl.col("call").is_in(_NO_COMMUNICATION))
    if by > 1:
        rows = rows.with_columns(joined_window(pl.col("window_start_ns"), length) * length)
    ranks = {number: job["ranks"] for number, job in enumerate(run.plan["jobs"])}
    frame = (
        rows.group_by(key)
        .agg(inside_ns=pl.col("time_ns").sum())
        .sort(key)
        .with_columns(ranks=pl.col("job").replace_strict(ranks, return_dtype=pl.UInt32))
        .collect()
    )
    return frame.select(*key, "inside_ns", "ranks"), {"window_ns": length}


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
