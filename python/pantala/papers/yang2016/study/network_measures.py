"""The measures of traffic and saturation: how even they are, and whom the busy links serve."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
from scipy import stats

from pantala.papers.yang2016.study.cells import (
    ADAPTIVE,
    CLASSES,
    CONTIGUOUS,
    MINIMAL,
    RANDOM,
    Measure,
    Measures,
    apps,
    at,
    by_router,
    farthest_from_one,
    gini,
    injection,
    job_bytes,
    less,
    medians,
    most_over_mean,
    of_jobs,
    over_routers,
    ranks,
    ratio,
    saturated,
    saturation,
    serving,
    tail,
    traffic,
    variation,
)
from pantala.studies.evidence import Evidence

#: Statistics of unevenness.
_UNEVEN = {"most_over_mean": most_over_mean, "gini": gini}
#: The configuration with contiguous placement and minimal routing.
_FIRST = (CONTIGUOUS, MINIMAL)


def others(grid: np.ndarray) -> np.ndarray:
    """Returns the values of all configurations but the first, [configuration, seed]."""
    flat: np.ndarray = grid.reshape(-1, grid.shape[-1])[1:]
    return flat


def above_others(grid: np.ndarray) -> np.ndarray:
    """Returns by what fraction the others lie below the first configuration, at least."""
    return less(others(grid).max(axis=0), grid[_FIRST])


def adaptive_saves(grid: np.ndarray) -> np.ndarray:
    """Returns what the worse adaptive routing saves under contiguous placement."""
    return less(grid[CONTIGUOUS, ADAPTIVE:].max(axis=0), grid[_FIRST])


def random_is_lower(grid: np.ndarray) -> np.ndarray:
    """Returns by what fraction random placement is lower, where it saves least over routings."""
    saved: np.ndarray = less(grid[RANDOM], grid[CONTIGUOUS]).min(axis=0)
    return saved


# System level


def most_saturated(e: Evidence) -> Measures:
    """Returns how far saturation under the first configuration exceeds that of the others."""
    found = {}
    for each in CLASSES:
        times = saturated(e, "workload1", each)
        found[f"{each}_total"] = above_others(times.sum(axis=-1))
        found[f"{each}_longest"] = above_others(times.max(axis=-1))
    return found


def relieved_by_routing(
    values: Callable[[Evidence, str, str], np.ndarray], statistic: str
) -> Measure:
    """Returns what adaptive routing saves under contiguous placement, by class of links."""
    return lambda e: {
        each: adaptive_saves(getattr(values(e, "workload1", each), statistic)(axis=-1))
        for each in CLASSES
    }


def routings_alike(e: Evidence) -> Measures:
    """Returns progressive over plain adaptive: of each kind, what is farthest from one."""
    tables: dict[str, list[np.ndarray]] = {"traffic": [], "saturation": [], "time": []}
    for experiment in ("workload1", "workload2"):
        for each in CLASSES:
            tables["traffic"].append(traffic(e, experiment, each))
            tables["saturation"].append(saturated(e, experiment, each))
        tables["time"] += ranks(e, experiment, "communication_time_ns").values()
    statistics: dict[str, Callable[[np.ndarray], np.ndarray]] = {
        "median": lambda table: np.median(table, axis=-1),
        "most": lambda table: np.max(table, axis=-1),
    }
    found = {}
    for kind, of_kind in tables.items():
        for name, statistic in statistics.items():
            values = np.array([statistic(table) for table in of_kind])
            adaptive, progressive = np.moveaxis(values[:, :, ADAPTIVE:], 2, 0)
            found[f"{kind}_{name}"] = farthest_from_one(ratio(progressive, adaptive))
    return found


def random_is_more_even(experiment: str, *chosen: str) -> Measure:
    """Returns how much more even random placement is, by class of links and statistic."""

    def measure(e: Evidence) -> Measures:
        return {
            f"{each}_{name}" if len(chosen) > 1 else each: random_is_lower(
                _UNEVEN[name](traffic(e, experiment, each))
            )
            for each in CLASSES
            for name in chosen
        }

    return measure


def first_is_least_even(e: Evidence) -> Measures:
    """Returns how much less even the first configuration is than the others, in Workload II."""
    kinds = {"": traffic, "saturation_": saturated}
    return {
        f"{kind}{each}_{name}": above_others(statistic(values(e, "workload2", each)))
        for kind, values in kinds.items()
        for each in CLASSES
        for name, statistic in _UNEVEN.items()
    }


def of_terminals(e: Evidence, links: np.ndarray) -> np.ndarray:
    """Returns the values of the injection links of all ranks of Workload I, [grid, rank]."""
    nodes = ranks(e, "workload1", "node")
    return np.concatenate([at(injection(links), each) for each in nodes.values()], axis=-1)


def terminal_traffic(e: Evidence) -> Measures:
    """Returns how far terminal traffic is off the ranks' bytes, and off that of other runs."""
    sent = np.concatenate(list(ranks(e, "workload1", "bytes_sent").values()), axis=-1)
    carried = of_terminals(e, job_bytes(e, "workload1").sum(axis=-2))
    curves = np.sort(carried, axis=-1)
    mean = curves.mean(axis=(0, 1))
    return {
        "off_rank": np.abs(ratio(carried, sent) - 1).max(axis=(0, 1, -1)),
        "off_each_other": np.abs(ratio(curves, mean) - 1).max(axis=(0, 1, -1)),
    }


def terminal_tail(e: Evidence) -> Measures:
    """Returns how much longer the tail is under the first configuration than under others."""
    tails = tail(of_terminals(e, saturation(e, "workload1")))
    return {
        "tail": above_others(tails),
        "first": tails[_FIRST],
        "others": others(tails).max(axis=0),
    }


def balance(e: Evidence) -> Measures:
    """Returns random placement with adaptive routing over the best configuration."""
    loads = {f"{each}_load": most_over_mean(traffic(e, "workload1", each)) for each in CLASSES}
    total = np.add(*(saturated(e, "workload1", each).sum(axis=-1) for each in CLASSES))
    hops, packets = (
        np.array(list(of_jobs(e, "workload1", column).values()))
        for column in ("link_hops_mean", "packets")
    )
    mean = (hops * packets).sum(axis=0) / packets.sum(axis=0)
    time = np.array(list(medians(e, "workload1").values())).mean(axis=0)
    found = {**loads, "saturation": total, "time": time}
    return {
        **{
            name: ratio(grid[RANDOM, ADAPTIVE], grid.min(axis=(0, 1)))
            for name, grid in found.items()
        },
        "more_hops": mean[RANDOM, ADAPTIVE] - mean[_FIRST],
    }


# Workload II beside Workload I


def more_in_workload_2(e: Evidence) -> Measures:
    """Returns how much less traffic and saturation Workload I has, and rank correlations."""
    found: dict[str, np.ndarray] = {}
    for name, values in (("traffic", traffic), ("saturation", saturated)):
        one, two = (
            np.add(*(values(e, experiment, each).sum(axis=-1) for each in CLASSES))
            for experiment in ("workload1", "workload2")
        )
        found[name] = less(one, two).min(axis=(0, 1))
    for each in CLASSES:
        busiest = [traffic(e, name, each).max(axis=-1) for name in ("workload1", "workload2")]
        flat = [grid.reshape(-1, grid.shape[-1]) for grid in busiest]
        found[f"{each}_rank_correlation"] = spearman(*flat)
    return found


def spearman(one: np.ndarray, two: np.ndarray) -> np.ndarray:
    """Returns the rank correlations of the columns of two arrays; NaN for columns with NaN."""
    there = np.isfinite(one).all(axis=0) & np.isfinite(two).all(axis=0)
    found = [
        stats.spearmanr(x, y).statistic if ok else np.nan
        for ok, x, y in zip(there, one.T, two.T, strict=True)
    ]
    return np.array(found)


def saturation_moves(e: Evidence) -> Measures:
    """Returns the fall of global saturation and the rise of the local share, at least."""
    total = {each: saturated(e, "workload2", each).sum(axis=-1) for each in CLASSES}
    share = ratio(total["local"], total["local"] + total["global"])[CONTIGUOUS]
    return {
        "global_less": adaptive_saves(total["global"]),
        "local_share_more": (share[ADAPTIVE:] - share[MINIMAL]).min(axis=0),
    }


# Routers that serve an application


def at_routers_of(
    e: Evidence,
    experiment: str,
    app: str,
    link_class: str,
    statistic: Callable[[np.ndarray], np.ndarray],
    *,
    foreign: bool = False,
) -> np.ndarray:
    """Returns a statistic of the traffic of the links of an application's routers, [grid].

    Args:
        e: the results.
        experiment: the experiment.
        app: the application.
        link_class: the class of links.
        statistic: a function of an array of links.
        foreign: whether only bytes of other jobs count.
    """
    by_job = job_bytes(e, experiment)
    if foreign:
        by_job = np.delete(by_job, apps(experiment).index(app), axis=-2)
    links = by_router(by_job.sum(axis=-2), link_class)
    return over_routers(links, serving(e, experiment)[app], statistic)


def unused(links: np.ndarray) -> np.ndarray:
    """Returns the share of links without traffic."""
    return np.asarray((links == 0).mean())


def smoother_for_crystal_router(e: Evidence) -> Measures:
    """Returns unused links and Gini coefficients, contiguous minus random, at least."""
    found = {}
    for each in CLASSES:
        for name, statistic in (("unused", unused), ("gini", gini)):
            grid = at_routers_of(e, "workload1", "crystal_router", each, statistic)
            found[f"{each}_{name}"] = (grid[CONTIGUOUS] - grid[RANDOM]).min(axis=0)
    return found


def varied_for_multigrid(e: Evidence) -> Measures:
    """Returns what random placement saves on the busiest local link, and the variation it keeps."""
    most, varied = (
        at_routers_of(e, "workload1", "multigrid", "local", statistic)[:, ADAPTIVE:]
        for statistic in (np.max, variation)
    )
    return {
        "less_on_busiest": random_is_lower(most),
        "variation_kept": ratio(varied[RANDOM], varied[CONTIGUOUS]).min(axis=0),
    }


def relieved_for_samg(e: Evidence) -> Measures:
    """Returns what random placement saves on the busiest links, and shares of shared routers."""
    found = {
        f"{each}_less_on_busiest": random_is_lower(
            at_routers_of(e, "workload2", "samg", each, np.max)
        )
        for each in CLASSES
    }
    routers = serving(e, "workload2")
    own = routers.pop("samg")
    shared = (own * np.maximum(*routers.values())).sum(axis=-1) / own.sum(axis=-1)
    return {
        **found,
        "shared_random": shared[RANDOM].min(axis=0),
        "shared_contiguous": shared[CONTIGUOUS].max(axis=0),
    }


def foreign_for_multigrid(e: Evidence) -> Measures:
    """Returns the bytes of others at MultiGrid's routers, contiguous over random, at most."""
    local, between = (
        at_routers_of(e, "workload2", "multigrid", each, np.sum, foreign=True) for each in CLASSES
    )
    grid = local + between
    return {"contiguous_over_random": ratio(grid[CONTIGUOUS], grid[RANDOM]).max(axis=0)}


def _change(grid: np.ndarray) -> np.ndarray:
    change: np.ndarray = np.abs(ratio(grid[RANDOM], grid[CONTIGUOUS]) - 1)
    return change


def busiest_changes(e: Evidence) -> Measures:
    """Returns MultiGrid's minus CrystalRouter's change of the busiest link by random placement.

    A change is the distance of random over contiguous placement from one, up or down.
    """
    found = {}
    for each in CLASSES:
        multigrid, crystal_router = (
            at_routers_of(e, "workload2", app, each, np.max)
            for app in ("multigrid", "crystal_router")
        )
        with np.errstate(invalid="ignore"):  # of no traffic under contiguous placement
            gap = _change(multigrid) - _change(crystal_router)
        found[each] = gap.min(axis=0)
    return found


NETWORK_MEASURES: Mapping[str, Measure] = {
    "YANG-41-02": most_saturated,
    "YANG-41-03": relieved_by_routing(traffic, "max"),
    "YANG-41-04": relieved_by_routing(saturated, "sum"),
    "YANG-41-05": routings_alike,
    "YANG-41-06": random_is_more_even("workload1", "most_over_mean", "gini"),
    "YANG-41-10": terminal_traffic,
    "YANG-41-11": terminal_tail,
    "YANG-42-05": smoother_for_crystal_router,
    "YANG-42-06": varied_for_multigrid,
    "YANG-43-01": balance,
    "YANG-51-01": more_in_workload_2,
    "YANG-51-02": saturation_moves,
    "YANG-51-04": first_is_least_even,
    "YANG-52-04": relieved_for_samg,
    "YANG-52-05": foreign_for_multigrid,
    "YANG-52-06": busiest_changes,
    "YANG-53-02": random_is_more_even("workload2", "most_over_mean"),
}
