"""What the measures share: values of all combinations as arrays.

An array has the axes network, placement, routing and seed, in the order of NETWORKS, PLACEMENTS,
ROUTINGS and the study's seeds. Runs that are not there are NaN.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache

import numpy as np
import polars as pl

from pantala.papers.wang2020.study.platform import (
    NETWORKS,
    PLACEMENTS,
    ROUTINGS,
    WORKLOADS,
)
from pantala.studies.evidence import Evidence

Measures = Mapping[str, np.ndarray]
Measure = Callable[[Evidence], Measures]
#: Axes and values of the only cells that a measure reads; all cells if it is empty.
Only = tuple[tuple[str, str], ...]

#: Places in the axes of arrays.
ONE, TWO = 0, 1
NODES, ROUTERS, GROUPS = 0, 1, 2
MINIMAL, ADAPTIVE = 0, 1

GRID = {"network": tuple(NETWORKS), "placement": PLACEMENTS, "routing.algorithm": ROUTINGS}
_AXES = tuple(GRID)
TOGETHER = "together"


def shape(e: Evidence) -> tuple[int, ...]:
    """Returns the shape of an array."""
    return (*(len(values) for values in GRID.values()), len(e.seeds))


def _array(e: Evidence, rows: pl.DataFrame, column: str) -> np.ndarray:
    """Returns a column of rows with the axes and the seed as an array."""
    found = np.full(shape(e), np.nan)
    if rows.is_empty():
        return found
    rows = rows.filter(pl.col("seed").is_in(e.seeds), pl.col(column).is_not_null())
    order = {**GRID, "seed": tuple(e.seeds)}
    places = tuple(
        rows[name]
        .replace_strict(list(values), list(range(len(values))), return_dtype=pl.Int64)
        .to_numpy()
        for name, values in order.items()
    )
    found[places] = rows[column].to_numpy()
    return found


def parts(workload: str) -> tuple[str, ...]:
    """Returns the parts of a workload's runs: all jobs together, and each alone."""
    return (TOGETHER, *(f"alone-{name}" for name in WORKLOADS[workload]))


@lru_cache(maxsize=64)
def of_jobs(
    e: Evidence, workload: str, column: str, only: Only = ()
) -> dict[tuple[str, str], np.ndarray]:
    """Returns a column of the table jobs by part and job; other cells than `only` are NaN."""
    found = {}
    for part in parts(workload):
        rows = e.chosen(workload, "jobs", (*_AXES, "name", column), {"part": part, **dict(only)})
        for name in WORKLOADS[workload]:
            if part in (TOGETHER, f"alone-{name}"):
                own = rows if rows.is_empty() else rows.filter(pl.col("name") == name)
                found[part, name] = _array(e, own, column)
    return found


@lru_cache(maxsize=64)
def latencies(
    e: Evidence,
    workload: str,
    column: str = "latency_max_ns",
    only: Only = (),
    *,
    median: bool = False,
) -> dict[tuple[str, str], np.ndarray]:
    """Returns the mean over ranks of a latency of the messages that they receive, by part and job.

    With `latency_max_ns` these are the red squares of Figure 7.

    Args:
        e: the results.
        workload: the workload.
        column: a latency of the table rank_messages.
        only: the cells to read; the others are NaN.
        median: whether the median over ranks takes the place of the mean.
    """
    value = pl.col(column).median() if median else pl.col(column).mean()
    found = {}
    for part in parts(workload):
        where = {"part": part, "direction": "received", **dict(only)}
        rows = e.chosen(workload, "rank_messages", (*_AXES, "job", column), where)
        if not rows.is_empty():
            rows = rows.group_by(*_AXES, "seed", "job").agg(value)
        for number, name in enumerate(WORKLOADS[workload]):
            if part in (TOGETHER, f"alone-{name}"):
                place = number if part == TOGETHER else 0
                own = rows if rows.is_empty() else rows.filter(pl.col("job") == place)
                found[part, name] = _array(e, own, column)
    return found


def slowdowns(values: Mapping[tuple[str, str], np.ndarray], name: str) -> np.ndarray:
    """Returns values of a job together over those alone, of `of_jobs` or `latencies`."""
    ratio: np.ndarray = values[TOGETHER, name] / values[f"alone-{name}", name]
    return ratio


def latency_slowdown(e: Evidence, workload: str, name: str, only: Only = ()) -> np.ndarray:
    """Returns the slowdown of a job's average latency in a workload."""
    return slowdowns(latencies(e, workload, only=only), name)


def time_slowdown(e: Evidence, workload: str, name: str, only: Only = ()) -> np.ndarray:
    """Returns the slowdown of a job's maximum communication time in a workload."""
    return slowdowns(of_jobs(e, workload, "communication_time_max_ns", only), name)


def where_is(name: str) -> list[str]:
    """Returns the workloads that have a job."""
    return [workload for workload, names in WORKLOADS.items() if name in names]


def alone(e: Evidence, name: str, what: str = "communication_time_max_ns") -> np.ndarray:
    """Returns a column of jobs, or `latency_max_ns`, of a job alone, in the first workload with it.

    Other workloads can have other nodes for it.
    """
    workload = where_is(name)[0]
    found = latencies(e, workload) if what.startswith("latency") else of_jobs(e, workload, what)
    return found[f"alone-{name}", name]


@lru_cache(maxsize=16)
def of_class(
    e: Evidence, workload: str, link_class: str, column: str, only: Only = ()
) -> np.ndarray:
    """Returns a column of a class of links between routers, all jobs together; 0 without links."""
    where = {"part": TOGETHER, "class": link_class, **dict(only)}
    rows = e.chosen(workload, "system_windows", (*_AXES, column), where)
    return _array(e, rows, column)


def links(e: Evidence, workload: str, column: str, only: Only = ()) -> dict[str, np.ndarray]:
    """Returns a column of global and of local links; in 2D, row and column links are local."""
    inside = [of_class(e, workload, each, column, only) for each in ("local", "row", "column")]
    between = of_class(e, workload, "global", column, only)
    there = ~np.isnan(between)
    return {"global": between, "local": np.where(there, np.nansum(inside, axis=0), np.nan)}
