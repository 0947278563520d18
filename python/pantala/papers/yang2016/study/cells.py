"""What the measures share: values of all configurations as arrays.

The first axes of an array are those of its grid: placement, then routing (or the measure of
congestion), then seed. Runs that are not there are NaN. A link's number is that of the tables: 15
ports for each of 264 routers, then the injection links by node.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache

import numpy as np
import polars as pl

from pantala.papers.yang2016.study.platform import PLACEMENTS, QUEUES, ROUTINGS, WORKLOADS
from pantala.studies.evidence import Evidence

Measures = Mapping[str, np.ndarray]
Measure = Callable[[Evidence], Measures]

CONTIGUOUS, RANDOM = 0, 1  # places in PLACEMENTS
MINIMAL, ADAPTIVE, PROGRESSIVE = 0, 1, 2  # places in ROUTINGS

ROUTERS, PORTS, NODES = 264, 15, 1056
#: The ports of a router by class of their links; ports 0 to 3 lead to nodes.
CLASSES = {"local": slice(4, 11), "global": slice(11, 15)}
_BETWEEN = ROUTERS * PORTS

#: The axes of each experiment besides seeds: their columns and values.
GRIDS: Mapping[str, Mapping[str, tuple[str, ...]]] = {
    "workload1": {"placement": PLACEMENTS, "routing.algorithm": ROUTINGS},
    "workload2": {"placement": PLACEMENTS, "routing.algorithm": ROUTINGS},
    "hybrid": {"placement": ("hybrid",), "routing.algorithm": ROUTINGS},
    "sensing": {"placement": PLACEMENTS, "routing.queue": QUEUES},
}

#: The experiments with jobs alone: only there, a run has a part.
WITH_ALONE = frozenset({"workload1"})


def apps(experiment: str) -> tuple[str, ...]:
    """Returns the applications of an experiment, in the order of their numbers."""
    return WORKLOADS["workload2" if experiment == "workload2" else "workload1"]


def _read(
    e: Evidence, experiment: str, table: str, columns: tuple[str, ...], part: str
) -> tuple[pl.DataFrame, tuple[np.ndarray, ...], tuple[int, ...]]:
    """Returns rows of all runs, their places on the grid, and the grid's shape."""
    grid = GRIDS[experiment]
    shape = (*(len(values) for values in grid.values()), len(e.seeds))
    where = {"part": part} if experiment in WITH_ALONE else {}
    rows = e.chosen(experiment, table, (*grid, *columns), where)
    if rows.is_empty():
        return rows, tuple(np.empty((len(shape), 0), dtype=int)), shape
    rows = rows.filter(pl.col("seed").is_in(e.seeds))
    order = {**grid, "seed": e.seeds}
    places = tuple(
        rows[column]
        .replace_strict(list(values), list(range(len(values))), return_dtype=pl.Int64)
        .to_numpy()
        for column, values in order.items()
    )
    return rows, places, shape


@lru_cache(maxsize=32)
def ranks(
    e: Evidence, experiment: str, column: str, part: str = "together"
) -> dict[str, np.ndarray]:
    """Returns a column of the ranks of each application, [grid, rank]."""
    names = apps(experiment) if part == "together" else (part.removeprefix("alone-"),)
    rows, places, shape = _read(e, experiment, "ranks", ("job", "rank", column), part)
    if rows.is_empty():
        return {name: np.full((*shape, 1), np.nan) for name in names}
    job, rank = rows["job"].to_numpy(), rows["rank"].to_numpy()
    values = rows[column].to_numpy()
    found = {}
    for number, name in enumerate(names):
        own = job == number
        array = np.full((*shape, int(rank[own].max(initial=0)) + 1), np.nan)
        array[(*(place[own] for place in places), rank[own])] = values[own]
        found[name] = array
    return found


def medians(e: Evidence, experiment: str, part: str = "together") -> dict[str, np.ndarray]:
    """Returns the median over ranks of the communication time, [grid] in ns."""
    times = ranks(e, experiment, "communication_time_ns", part)
    return {name: np.median(each, axis=-1) for name, each in times.items()}


@lru_cache(maxsize=4)
def job_bytes(e: Evidence, experiment: str) -> np.ndarray:
    """Returns the bytes that each job sends over each link, [grid, job, link]."""
    rows, places, shape = _read(e, experiment, "link_jobs", ("job", "link", "bytes"), "together")
    found = np.full((*shape, len(apps(experiment)), _BETWEEN + NODES), np.nan)
    if not rows.is_empty():
        found[places] = 0.0
        found[(*places, rows["job"].to_numpy(), rows["link"].to_numpy())] = rows["bytes"].to_numpy()
    return found


@lru_cache(maxsize=4)
def saturation(e: Evidence, experiment: str) -> np.ndarray:
    """Returns how long the buffer behind each link was full, [grid, link] in ns."""
    rows, places, shape = _read(e, experiment, "port_windows", ("link", "saturated_ns"), "together")
    found = np.full((*shape, _BETWEEN + NODES), np.nan)
    if not rows.is_empty():
        found[places] = 0.0
        found[(*places, rows["link"].to_numpy())] = rows["saturated_ns"].to_numpy()
    return found


@lru_cache(maxsize=4)
def of_jobs(e: Evidence, experiment: str, column: str) -> dict[str, np.ndarray]:
    """Returns a column of the jobs of an experiment, [grid]."""
    rows, places, shape = _read(e, experiment, "jobs", ("job", column), "together")
    found = np.full((*shape, len(apps(experiment))), np.nan)
    if not rows.is_empty():
        found[(*places, rows["job"].to_numpy())] = rows[column].to_numpy()
    return {name: found[..., number] for number, name in enumerate(apps(experiment))}


def by_router(links: np.ndarray, link_class: str) -> np.ndarray:
    """Returns the values of the links of a class, [..., router, port], from [..., link]."""
    ports = links[..., :_BETWEEN].reshape(*links.shape[:-1], ROUTERS, PORTS)
    return ports[..., CLASSES[link_class]]


def of_class(links: np.ndarray, link_class: str) -> np.ndarray:
    """Returns the values of the links of a class, [..., link of the class]."""
    found = by_router(links, link_class)
    return found.reshape(*found.shape[:-2], -1)


def traffic(e: Evidence, experiment: str, link_class: str) -> np.ndarray:
    """Returns the bytes over each link of a class, [grid, link of the class]."""
    return of_class(job_bytes(e, experiment).sum(axis=-2), link_class)


def saturated(e: Evidence, experiment: str, link_class: str) -> np.ndarray:
    """Returns the saturation of each link of a class, [grid, link of the class] in ns."""
    return of_class(saturation(e, experiment), link_class)


def injection(links: np.ndarray) -> np.ndarray:
    """Returns the values of the injection links by node, [..., node], from [..., link]."""
    return links[..., _BETWEEN:]


def at(links: np.ndarray, places: np.ndarray) -> np.ndarray:
    """Returns values at numbers of nodes or routers, [grid, rank], from [grid, number].

    Args:
        links: the values.
        places: for each rank the number, or NaN.
    """
    known = np.isfinite(places)
    found = np.take_along_axis(links, np.where(known, places, 0).astype(int), axis=-1)
    return np.where(known, found, np.nan)


def serving(e: Evidence, experiment: str) -> dict[str, np.ndarray]:
    """Returns for each application which routers have one of its ranks, [grid, router]; or NaN."""
    found = {}
    for name, routers in ranks(e, experiment, "router").items():
        known = np.isfinite(routers)
        mask = np.full((*routers.shape[:-1], ROUTERS), np.nan)
        mask[known.any(axis=-1)] = 0.0
        index = np.nonzero(known)
        mask[(*index[:-1], routers[known].astype(int))] = 1.0
        found[name] = mask
    return found


def over_routers(
    links: np.ndarray, routers: np.ndarray, statistic: Callable[[np.ndarray], np.ndarray]
) -> np.ndarray:
    """Returns a statistic of the links of some routers, [grid].

    Args:
        links: [grid, router, port] the values of the links.
        routers: [grid, router] one for the routers that count, zero for the others.
        statistic: a function of an array of links.
    """
    found = np.full(routers.shape[:-1], np.nan)
    for place in np.ndindex(found.shape):
        chosen = links[place][routers[place] == 1]
        if chosen.size:
            found[place] = statistic(chosen.ravel())
    return found


# Statistics over the last axis


def gini(values: np.ndarray) -> np.ndarray:
    """Returns the Gini coefficient: 0 for equal values, 1 - 1/n for a single one; 0 for no load."""
    ordered, count = np.sort(values, axis=-1), values.shape[-1]
    weights = 2 * np.arange(1, count + 1) - count - 1
    total = ordered.sum(axis=-1)
    found: np.ndarray = (ordered @ weights) / (count * np.where(total == 0, 1, total))
    return found


def most_over_mean(values: np.ndarray) -> np.ndarray:
    """Returns the largest value over the mean; 1 for no load."""
    return _share(values.max(axis=-1), values.mean(axis=-1))


def variation(values: np.ndarray) -> np.ndarray:
    """Returns the coefficient of variation; 1 for no load."""
    return _share(values.std(axis=-1), values.mean(axis=-1))


def tail(values: np.ndarray) -> np.ndarray:
    """Returns the 99th percentile over the median, without values that are NaN."""
    flat = values.reshape(-1, values.shape[-1])
    known = [row[np.isfinite(row)] for row in flat]
    found = [_ratio_of_tail(row) if row.size else np.nan for row in known]
    return np.array(found).reshape(values.shape[:-1])


def _ratio_of_tail(row: np.ndarray) -> float:
    middle, high = np.percentile(row, [50, 99])
    return float(_share(high, middle))


def _share(above: np.ndarray, below: np.ndarray) -> np.ndarray:
    """Returns a quotient; 1 for nothing over nothing."""
    with np.errstate(divide="ignore", invalid="ignore"):
        found = np.asarray(above) / np.asarray(below)
    return np.where((np.asarray(above) == 0) & (np.asarray(below) == 0), 1.0, found)


def ratio(above: np.ndarray, below: np.ndarray) -> np.ndarray:
    """Returns a quotient, with 1 for nothing over nothing, and infinity for something over it."""
    return _share(above, below)


def less(ours: np.ndarray, others: np.ndarray) -> np.ndarray:
    """Returns by what fraction ours is below others; 0 if both are nothing."""
    return 1 - ratio(ours, others)


def farthest_from_one(ratios: np.ndarray) -> np.ndarray:
    """Returns the row of ratios, [.., seed], whose mean over seeds is farthest from one."""
    flat = ratios.reshape(-1, ratios.shape[-1])
    with np.errstate(divide="ignore", invalid="ignore"):
        off = [abs(np.log(row[np.isfinite(row)].mean())) if _any(row) else -1.0 for row in flat]
    chosen: np.ndarray = flat[int(np.argmax(off))]
    return chosen


def _any(row: np.ndarray) -> bool:
    return bool(np.isfinite(row).any())


# The run that stands for all seeds


def representative(times: np.ndarray) -> np.ndarray:
    """Returns the number of the seed that stands for all, for each configuration.

    The paper (3.4) chooses a run by the median performance of each application. Here it is the seed
    whose applications are nearest to their medians over seeds: the sum over applications of the
    relative distance is smallest.

    Args:
        times: [application, ..., seed] the median communication times; NaN without a run.

    Returns:
        [...] the numbers; 0 for a configuration without runs.
    """
    with np.errstate(invalid="ignore"):
        known = np.isfinite(times).all(axis=0)
        masked = np.where(known, times, np.nan)
        middle = np.full(times.shape[:-1], np.nan)
        some = known.any(axis=-1)
        middle[:, some] = np.nanmedian(masked[:, some], axis=-1)
        off = np.abs(masked / middle[..., None] - 1).sum(axis=0)
    nearest: np.ndarray = np.argmin(np.where(np.isfinite(off), off, np.inf), axis=-1)
    return nearest


def at_representative(e: Evidence, experiment: str) -> dict[str, np.ndarray]:
    """Returns the median communication times of the representative runs, [placement, routing]."""
    every = medians(e, experiment)
    chosen = representative(np.array(list(every.values())))[..., None]
    return {name: np.take_along_axis(time, chosen, -1)[..., 0] for name, time in every.items()}
