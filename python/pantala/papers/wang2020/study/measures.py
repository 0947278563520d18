"""The measures of the claims: arrays over seeds, from the cells of the three workloads.

Latency of a job: the mean over its ranks of the longest latency of a message that the rank
receives. Slowdown: together over alone. Communication time: that of the slowest rank (Figure 9).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

import numpy as np
import polars as pl
from scipy import stats

from pantala.papers.wang2020.study.cells import (
    ADAPTIVE,
    GROUPS,
    MINIMAL,
    NODES,
    ONE,
    ROUTERS,
    TOGETHER,
    TWO,
    Measure,
    Measures,
    Only,
    alone,
    latencies,
    latency_slowdown,
    links,
    of_jobs,
    time_slowdown,
    where_is,
)
from pantala.papers.wang2020.study.platform import ML, ROUTINGS, WORKLOADS
from pantala.studies.evidence import Evidence

#: The applications of Figures 7 and 9, and those that the paper calls HPC applications.
APPLICATIONS = ("cosmoflow", "alexnet", "lammps", "milc", "nekbone", "nn")
HPC = ("lammps", "milc", "nekbone")

Slowdown = Callable[[Evidence, str, str, Only], np.ndarray]


def in_workloads(e: Evidence, what: Slowdown, name: str, only: Only = ()) -> np.ndarray:
    """Returns slowdowns of a job, [workload, network, placement, routing, seed]."""
    return np.array([what(e, each, name, only) for each in where_is(name)])


def cells(e: Evidence, what: Slowdown, *names: str) -> np.ndarray:
    """Returns slowdowns of jobs, [job and workload, network, placement, routing, seed]."""
    return np.concatenate([in_workloads(e, what, each) for each in names])


def share(found: np.ndarray, known: np.ndarray) -> np.ndarray:
    """Returns the share of cells for which a condition holds, by seed; NaN without all cells.

    Args:
        found: whether it holds; the last axis is the seed.
        known: the values that it compares, with one more axis first.
    """
    there = np.isfinite(known).all(axis=tuple(range(known.ndim - 1)))
    return np.where(there, found.mean(axis=tuple(range(found.ndim - 1))), np.nan)


def lowest_on_random_nodes(e: Evidence) -> Measures:
    """Returns the number of applications whose median latency alone is lowest on random nodes."""
    of_jobs_ = []
    for name in APPLICATIONS:
        workload = where_is(name)[0]
        found = latencies(e, workload, median=True)[f"alone-{name}", name]
        of_jobs_.append(found.mean(axis=2))
    every = np.array(of_jobs_)  # [job, network, placement, seed]
    there = np.isfinite(every).all(axis=(0, 1, 2))
    count = (every.argmin(axis=2) == NODES).sum(axis=0)
    made = np.where(there, count, np.nan)
    return {"applications_1d": made[ONE], "applications_2d": made[TWO]}


def lammps_rises(e: Evidence) -> Measures:
    """Returns the largest slowdown of LAMMPS' latency on each network."""
    largest = in_workloads(e, latency_slowdown, "lammps").max(axis=(0, 2, 3))
    mean = np.array(
        [
            latencies(e, each, "latency_mean_ns")[TOGETHER, "lammps"]
            / latencies(e, each, "latency_mean_ns")["alone-lammps", "lammps"]
            for each in where_is("lammps")
        ]
    ).max(axis=(0, 2, 3))
    return {
        "largest_1d": largest[ONE],
        "more_in_1d": largest[ONE] - largest[TWO],
        "largest_2d": largest[TWO],
        "largest_of_means_1d": mean[ONE],
        "largest_of_means_2d": mean[TWO],
    }


def grows_with_intensity(e: Evidence) -> Measures:
    """Returns the rises of the mean latency over combinations, the least of both networks."""

    def mean(name: str, workload: str) -> np.ndarray:
        found: np.ndarray = latency_slowdown(e, workload, name).mean(axis=(1, 2))
        return found

    one, two = mean("lammps", "workload1"), mean("lammps", "workload2")
    three = mean("nekbone", "workload3")
    found = {
        "lammps_in_1": one - 1,
        "lammps_from_1_to_2": two / one - 1,
        "nekbone_in_3": three - 1,
    }
    return {name: each.min(axis=0) for name, each in found.items()}


def milc_hardly_rises(e: Evidence) -> Measures:
    """Returns MILC's largest slowdown of latency, in 1D under adaptive routing and elsewhere."""
    found = in_workloads(e, latency_slowdown, "milc")
    elsewhere = np.concatenate(
        [
            found[:, TWO].reshape(-1, found.shape[-1]),
            found[:, ONE, :, MINIMAL].reshape(-1, found.shape[-1]),
        ]
    )
    return {
        "largest": elsewhere.max(axis=0),
        "largest_1d_adaptive": found[:, ONE, :, ADAPTIVE].max(axis=(0, 1)),
        "median": np.median(elsewhere, axis=0),
    }


def training_on_random_routers(e: Evidence) -> Measures:
    """Returns the largest rise of AlexNet and CosmoFlow on random routers, by network."""
    found = cells(e, latency_slowdown, *ML)[:, :, ROUTERS] - 1
    largest, mean = found.max(axis=(0, 2)), found.mean(axis=(0, 2))
    return {
        "largest_2d": largest[TWO],
        "less_in_2d": mean[ONE] - mean[TWO],
        "largest_1d": largest[ONE],
    }


def intensive_rise_less(e: Evidence) -> Measures:
    """Returns how far the rises of light applications are above those of intensive ones."""
    mean = {
        name: in_workloads(e, latency_slowdown, name).mean(axis=(0, 2, 3))
        for name in ("alexnet", "milc", "lammps", "nekbone")
    }
    light = np.array([mean["lammps"], mean["nekbone"]])
    heavy = np.array([mean["alexnet"], mean["milc"]])
    return {
        "margin": (light.min(axis=0) - heavy.max(axis=0)).min(axis=0),
        "mean_margin": (light.mean(axis=0) - heavy.mean(axis=0)).min(axis=0),
        **{f"{name}_1d": each[ONE] for name, each in mean.items()},
    }


def worst_on_random_nodes(e: Evidence) -> Measures:
    """Returns the number of applications whose largest rise of latency is on random nodes."""
    count = np.zeros(len(e.seeds))
    for name in APPLICATIONS:
        largest = in_workloads(e, latency_slowdown, name).max(axis=(0, 1, 3))
        there = np.isfinite(largest).all(axis=0)
        count += np.where(there, largest.argmax(axis=0) == NODES, np.nan)
    return {"applications": count}


def least_in_random_groups(e: Evidence) -> Measures:
    """Returns the share of cells in which random groups have the smallest rise of latency."""
    found = cells(e, latency_slowdown, *APPLICATIONS)
    return {"share": share(found.argmin(axis=2) == GROUPS, found)}


def at_alexnets_routers(e: Evidence) -> Measures:
    """Returns AlexNet's rate at its routers on random routers over that on random groups.

    Also its variation, and the largest bytes of other jobs in a window.
    """
    means, variations, peaks = (np.full((2, len(e.seeds)), np.nan) for _ in range(3))
    for number, placement in enumerate(("random_groups", "random_routers")):
        for seed, (own, others) in enumerate(alexnet_windows(e, placement)):
            if own.size:
                means[number, seed] = own.mean()
                variations[number, seed] = own.std() / own.mean()
                peaks[number, seed] = others.max()
    return {
        "mean_ratio": means[1] / means[0],
        "more_variation": variations[1] - variations[0],
        "peak_of_others_mb_groups": peaks[0] / 1e6,
        "peak_of_others_mb_routers": peaks[1] / 1e6,
    }


def alexnet_windows(e: Evidence, placement: str) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Yields the bytes of AlexNet and of others at AlexNet's routers by window, for each seed.

    Only windows count in which AlexNet sends.
    """
    job = WORKLOADS["workload3"].index("alexnet")
    where = {"placement": placement}
    windows = e.chosen(
        "routers", "router_windows", ("window_start_ns", "router", "job", "bytes"), where
    )
    ranks = e.chosen("routers", "ranks", ("job", "router"), where)
    for seed in e.seeds:
        if windows.is_empty():
            yield np.empty(0), np.empty(0)
            continue
        own = ranks.filter(pl.col("seed") == seed, pl.col("job") == job)["router"].unique()
        rows = windows.filter(pl.col("seed") == seed, pl.col("router").is_in(own.to_list()))
        mine = pl.col("job") == job
        sums = rows.group_by("window_start_ns").agg(
            own=pl.col("bytes").filter(mine).sum(), others=pl.col("bytes").filter(~mine).sum()
        )
        active = sums.filter(pl.col("own") > 0)
        yield active["own"].to_numpy().astype(float), active["others"].to_numpy().astype(float)


def groups_reduce_slowdowns(e: Evidence) -> Measures:
    """Returns the share of cells with the smallest slowdown in random groups, and 1D minus 2D."""
    found = cells(e, time_slowdown, *HPC)
    in_groups = found[:, :, GROUPS].mean(axis=(0, 2))
    others = found[:, :, :GROUPS].mean(axis=(0, 1, 2, 3))
    return {
        "share": share(found.argmin(axis=2) == GROUPS, found),
        "less_in_2d": in_groups[ONE] - in_groups[TWO],
        "less_than_others": others - in_groups.mean(axis=0),
    }


def latency_shows_in_time(e: Evidence) -> Measures:
    """Returns the rank correlation of slowdowns of latency and of time over cells."""
    latency, time = (cells(e, what, *HPC) for what in (latency_slowdown, time_slowdown))
    found = []
    for seed in range(len(e.seeds)):
        one, other = latency[..., seed].ravel(), time[..., seed].ravel()
        there = bool(np.isfinite(one).all() and np.isfinite(other).all())
        found.append(stats.spearmanr(one, other).statistic if there else np.nan)
    return {"correlation": np.array(found)}


def minimal_in_2d(e: Evidence) -> Measures:
    """Returns how much longer training communicates under minimal routing in 2D, alone."""
    found = {}
    for name in ML:
        time = alone(e, name)[TWO].mean(axis=0)
        found[name] = time[MINIMAL] / time[ADAPTIVE] - 1
    return found


def longer_in_2d(e: Evidence) -> Measures:
    """Returns how much longer training communicates in 2D under minimal routing, alone."""
    ratio = {name: alone(e, name)[TWO] / alone(e, name)[ONE] - 1 for name in ML}
    return {
        **{name: each[:, MINIMAL].mean(axis=0) for name, each in ratio.items()},
        "cosmoflow_largest": ratio["cosmoflow"][:, MINIMAL].max(axis=0),
    }


def alexnet_absorbs(e: Evidence) -> Measures:
    """Returns AlexNet's slowdowns in 1D on random nodes under adaptive routing, the largest."""
    only = (("network", "1D"), ("placement", "random"), ("routing.algorithm", ROUTINGS[ADAPTIVE]))
    latency, time = (
        in_workloads(e, what, "alexnet", only)[:, ONE, NODES, ADAPTIVE].max(axis=0)
        for what in (latency_slowdown, time_slowdown)
    )
    return {"latency": latency, "time": time - 1, "latency_beyond_time": latency - time}


def cosmoflow_absorbs(e: Evidence) -> Measures:
    """Returns CosmoFlow's largest rises of communication time and latency."""
    latency, time = (
        in_workloads(e, what, "cosmoflow").max(axis=(0, 1, 2, 3)) - 1
        for what in (latency_slowdown, time_slowdown)
    )
    return {"time": time, "latency": latency, "latency_beyond_time": latency - time}


def training_absorbs(e: Evidence) -> Measures:
    """Returns how far the ratios of slowdowns, time over latency, of HPC are above training's."""
    ratio = {
        name: (in_workloads(e, time_slowdown, name) / in_workloads(e, latency_slowdown, name)).mean(
            axis=(0, 1, 2, 3)
        )
        for name in (*HPC, *ML)
    }
    hpc, ml = np.array([ratio[n] for n in HPC]), np.array([ratio[n] for n in ML])
    return {
        "margin": hpc.min(axis=0) - ml.max(axis=0),
        "mean_margin": hpc.mean(axis=0) - ml.mean(axis=0),
        **ratio,
    }


def shorter_in_2d(e: Evidence) -> Measures:
    """Returns the share of cells with a shorter latency, and time, in 2D."""
    latency, time = [], []
    for name in HPC:
        for workload in where_is(name):
            latency.append(latencies(e, workload)[TOGETHER, name])
            times = of_jobs(e, workload, "communication_time_max_ns")
            time.append(times[TOGETHER, name])
    found = {"latency": np.array(latency), "time": np.array(time)}
    return {name: share(each[:, TWO] < each[:, ONE], each) for name, each in found.items()}


#: The cells of Table VI.
_OF_TABLE_6 = (("placement", "random_groups"), ("routing.algorithm", ROUTINGS[ADAPTIVE]))


def _table_6(e: Evidence, column: str) -> dict[str, np.ndarray]:
    """Returns a column of link classes in Workload 3, random groups, adaptive, [network, seed]."""
    found = links(e, "workload3", column, _OF_TABLE_6)
    return {name: each[:, GROUPS, ADAPTIVE] for name, each in found.items()}


def load_of_classes(e: Evidence) -> Measures:
    """Returns the ratios of the sums of Table VI."""
    sums = _table_6(e, "bytes")
    return {
        "global_1d_over_2d": sums["global"][ONE] / sums["global"][TWO],
        "local_2d_over_1d": sums["local"][TWO] / sums["local"][ONE],
    }


def load_of_links(e: Evidence) -> Measures:
    """Returns the ratios of the loads per link of Table VI."""
    sums, count = _table_6(e, "bytes"), _table_6(e, "links")
    of_link = {name: sums[name] / count[name] for name in sums}
    return {f"{name}_1d_over_2d": each[ONE] / each[TWO] for name, each in of_link.items()}


def share_of_global_links(e: Evidence) -> Measures:
    """Returns the share of global links in the traffic of Table VI."""
    sums = _table_6(e, "bytes")
    found = sums["global"] / (sums["global"] + sums["local"])
    return {"one_d": found[ONE], "two_d": found[TWO], "more_in_1d": found[ONE] - found[TWO]}


def adaptive_is_better(e: Evidence) -> Measures:
    """Returns the share of cells in which adaptive routing is not worse, by network."""
    every = []
    for workload, names in WORKLOADS.items():
        tables = (latencies(e, workload), of_jobs(e, workload, "communication_time_max_ns"))
        for name in names:
            if name == "ur":
                continue
            every += [table[part, name] for table in tables for part in (TOGETHER, f"alone-{name}")]
    found = np.array(every)  # [cell, network, placement, routing, seed]
    better = found[:, :, :, ADAPTIVE] <= found[:, :, :, MINIMAL]
    return {
        name: share(better[:, network], found[:, network])
        for name, network in (("one_d", ONE), ("two_d", TWO))
    }


MEASURES: Mapping[str, Measure] = {
    "WANG-6A-01": lowest_on_random_nodes,
    "WANG-6A-02": lammps_rises,
    "WANG-6A-03": grows_with_intensity,
    "WANG-6A-04": milc_hardly_rises,
    "WANG-6A-05": training_on_random_routers,
    "WANG-6A-07": intensive_rise_less,
    "WANG-6A-08": worst_on_random_nodes,
    "WANG-6A-09": least_in_random_groups,
    "WANG-6A-11": at_alexnets_routers,
    "WANG-6B-02": groups_reduce_slowdowns,
    "WANG-6B-04": latency_shows_in_time,
    "WANG-6B-06": minimal_in_2d,
    "WANG-6B-07": longer_in_2d,
    "WANG-6B-08": alexnet_absorbs,
    "WANG-6B-09": cosmoflow_absorbs,
    "WANG-6B-10": training_absorbs,
    "WANG-6C-01": shorter_in_2d,
    "WANG-6C-02": load_of_classes,
    "WANG-6C-03": load_of_links,
    "WANG-6C-04": share_of_global_links,
    "WANG-6D-01": adaptive_is_better,
}
