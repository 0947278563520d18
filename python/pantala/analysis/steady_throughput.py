"""The steady accepted throughput of jobs: from the bytes that a run delivers per window.

Throughput is a fraction of the bandwidth of the job's terminals. `pantala.analysis.steady_state`
has the rules for warm-up and confidence interval.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import polars as pl

from pantala.analysis.steady_state import Estimate, estimate
from pantala.core.job_end import ends_by_itself, stop_of

__all__ = ["LEAST_WINDOWS", "THROUGHPUT_COLUMNS", "WINDOWS", "steady_throughput", "throughputs_of"]

#: Windows of a series: 80 averages of five for the warm-up, then 10 or more windows per batch. A
#: longer run joins windows, so that it has this number or less than twice as many.
WINDOWS = 400
#: The least windows that `estimate` takes.
LEAST_WINDOWS = 60

#: The columns of the table of throughputs, with a sentence about each.
THROUGHPUT_COLUMNS: Mapping[str, str] = {
    "name": "The job.",
    "accepted": "Mean after the warm-up, as a fraction of the bandwidth of the job's terminals.",
    "half_width": "Half the width of the 99 % confidence interval of the mean.",
    "relative": "The half width as a share of the mean.",
    "steady": "Whether the throughput after the warm-up has no drift.",
    "warm_up_ns": "The time after the job's start that is left out.",
    "simulated_ns": "The simulated time.",
}
_SCHEMA = {
    name: {"name": pl.String, "steady": pl.Boolean}.get(name, pl.Float64)
    for name in THROUGHPUT_COLUMNS
}


def throughputs_of(
    plan: Mapping[str, Any],
    job_windows: pl.DataFrame,
    simulated_ns: float,
    ends: Mapping[int, float] | None = None,
) -> pl.DataFrame:
    """Returns the steady throughput of each job of a run, from the job's start to its end.

    Args:
        plan: the resolved plan.
        job_windows: the run's table job_windows.
        simulated_ns: the simulated time.
        ends: the ends in ns of the jobs that have ended, by number; None if they are not known.

    Returns:
        One row per job with `THROUGHPUT_COLUMNS`. A job that ran for less than `LEAST_WINDOWS`
        windows has no values, nor has one that ends by itself, if `ends` is not known, nor a run
        with `skip`: skipped time has no windows.
    """
    window_ns = plan["record"]["window_ps"] / 1000
    rows = []
    for number, job in enumerate(plan["jobs"]):
        row: dict[str, Any] = dict.fromkeys(_SCHEMA) | {"name": job["name"]}
        row["simulated_ns"] = float(simulated_ns)
        stop = min(stop_of(job, simulated_ns), (ends or {}).get(number, simulated_ns))
        first = -(-job.get("start_ps", 0) // plan["record"]["window_ps"])
        windows = int(stop / window_ns + 1e-6) - first
        known = ends is not None or not ends_by_itself(job)
        if windows >= LEAST_WINDOWS and known and not plan.get("skip"):
            mine = job_windows.filter(pl.col("job") == number)
            starts, delivered = mine["window_start_ns"], mine["delivered_bytes"]
            numbers = (starts / window_ns).round().cast(pl.Int64) - first
            found = steady_throughput(plan, number, zip(numbers, delivered, strict=True), windows)
            row |= {
                "accepted": found.mean,
                "half_width": found.half_width,
                "relative": found.relative,
                "steady": found.steady,
                "warm_up_ns": found.warm_up * windows * window_ns,
            }
        rows.append(row)
    return pl.DataFrame(rows, schema=_SCHEMA)


def steady_throughput(
    plan: Mapping[str, Any], job: int, delivered: Iterable[tuple[int, int]], windows: int
) -> Estimate:
    """Returns the steady throughput of a job.

    Args:
        plan: the resolved plan.
        job: the number of the job.
        delivered: numbers of windows and the bytes delivered in them; windows without bytes may be
            missing. Numbers below 0 and from `windows` on do not count.
        windows: the number of windows, `LEAST_WINDOWS` or more.
    """
    per_second = plan["links"]["terminal"]["bandwidth_bytes_per_s"]
    per_node = per_second * plan["record"]["window_ps"] / 1e12
    return estimate(merged(delivered, windows) / (per_node * len(set(plan["jobs"][job]["nodes"]))))


def merged(delivered: Iterable[tuple[int, int]], windows: int) -> np.ndarray:
    """Returns the mean bytes per window over time.

    Args:
        delivered: numbers of windows and the bytes delivered in them; windows without bytes may be
            missing. Numbers below 0 and from `windows` on do not count.
        windows: the number of windows.

    Returns:
        The mean bytes per window of equal intervals: `WINDOWS` of them or more, less than twice as
        many, if there are so many windows. Windows left over at the beginning are in no interval.
    """
    together = max(1, windows // WINDOWS)
    series = np.zeros(windows)
    for number, amount in delivered:
        if 0 <= number < windows:
            series[number] = amount
    joined: np.ndarray = series[windows % together :].reshape(-1, together).mean(axis=1)
    return joined
