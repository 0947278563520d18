"""The measures of the claims about the mix: arrays over seeds, from its cells.

An increase is the mean communication time of a job in the mix over its time alone, under the same
routing, minus one. Adaptive routings are UGALg, UGALn and PAR.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
import polars as pl

from pantala.analysis.latency_mixture import LEVELS, mixture_quantile
from pantala.run_tables.exact_sums import exact_sum
from pantala.studies.evidence import SLOWDOWNS, Evidence

Measures = Mapping[str, np.ndarray]
Measure = Callable[[Evidence], Measures]

#: The jobs of the mix. The first five are those of the paper's averages.
MIX = ("fft3d", "cosmoflow", "lu", "ur", "lqcd", "stencil5d")
ROUTINGS = ("ugal_g", "ugal_n", "par", "q_adaptive")
#: The directed links between the eight routers of a group.
LOCAL_LINKS = 56
PAR, Q = 2, 3  # places in ROUTINGS; those before Q are adaptive


def mixed(e: Evidence, column: str, table: str = SLOWDOWNS, **where: object) -> np.ndarray:
    """Returns a column of the mix, [routing, seed]."""
    where |= {"job_set" if table == SLOWDOWNS else "part": "together"}
    cells = [{"routing.algorithm": each, **where} for each in ROUTINGS]
    return np.array([e.cell("mix", column, cell, table) for cell in cells])


def of_jobs(e: Evidence, column: str, table: str = "jobs") -> np.ndarray:
    """Returns a column of the jobs of the mix, [job, routing, seed]."""
    return np.array([mixed(e, column, table, name=each) for each in MIX])


def delays(*chosen: str) -> Measure:
    """Returns the measures of the increases in the mix."""

    def measure(e: Evidence) -> Measures:
        found = of_jobs(e, "slowdown", SLOWDOWNS) - 1
        five, adaptive = found[:5], found[:5, :Q].mean(axis=1)
        lqcd, stencil5d = found[4], found[5]
        made = {
            "stencil5d": stencil5d.max(axis=0),
            "stencil5d_smallest": (five.min(axis=0) - stencil5d).min(axis=0),
            "lqcd_below_others": (found[:4].mean(axis=0) - lqcd).min(axis=0),
            "lqcd_adaptive": lqcd[:Q].mean(axis=0),
            "lqcd_q_adaptive": lqcd[Q],
            "lqcd_less_under_q": lqcd[:Q].mean(axis=0) - lqcd[Q],
            "adaptive": adaptive.mean(axis=0),
            "reduction": 1 - five[:, Q].mean(axis=0) / adaptive.mean(axis=0),
            "mean_of_reductions": (1 - five[:, Q] / adaptive).mean(axis=0),
        }
        return {name: made[name] for name in chosen}

    return measure


def of_class(e: Evidence, column: str, link_class: str) -> np.ndarray:
    """Returns a column of a link class of the mix, summed over links, [routing, seed]."""
    return mixed(e, column, "system_windows", **{"class": link_class})


def stalls(link_class: str, links: int) -> Measure:
    """Returns the stall of links as SST counts it, PAR over Q-adaptive, and in ms.

    Args:
        link_class: the class of the links.
        links: the links over which the times in ms are summed.
    """

    def measure(e: Evidence) -> Measures:
        par, q_adaptive = (
            np.array([_mean(each["sst_stall_ns"]) for each in of_links(e, name, link_class)])
            for name in ("par", "q_adaptive")
        )
        ms = links / 1e6
        return {"ratio": par / q_adaptive, "par_ms": par * ms, "q_adaptive_ms": q_adaptive * ms}

    return measure


def _mean(values: pl.Series) -> float:
    return float(values.to_numpy().mean()) if len(values) else np.nan


def of_links(e: Evidence, routing: str, link_class: str) -> list[pl.DataFrame]:
    """Returns source group, bytes and SST's stall of each link of a class, for each seed."""
    where = {"routing.algorithm": routing, "part": "together", "class": link_class}
    columns, rows = ("source_group", "bytes", "sst_stall_ns"), e.rows("mix", "links")
    if rows.is_empty():
        for column in columns:  # only checks the question
            e.cell("mix", column, where, "links")
        return [pl.DataFrame(schema=dict.fromkeys(columns, pl.Float64)) for _ in e.seeds]
    chosen = rows.filter([pl.col(name) == value for name, value in where.items()])
    return [chosen.filter(pl.col("seed") == seed).select(columns) for seed in e.seeds]


def _less_even_under_par(
    e: Evidence, link_class: str, uneven: Callable[[pl.DataFrame], float]
) -> np.ndarray:
    par, q = (
        np.array([uneven(each) if len(each) else np.nan for each in of_links(e, name, link_class)])
        for name in ("par", "q_adaptive")
    )
    more: np.ndarray = par - q
    return more


def hot_spots(e: Evidence) -> Measures:
    """Returns the stall of the group with most over that of the mean group, PAR minus Q-adaptive.

    The stall of a group is that of its local links, as SST counts it.
    """

    def peak(links: pl.DataFrame) -> float:
        by_group = links.group_by("source_group").agg(exact_sum("sst_stall_ns"))
        stall = by_group.sort("source_group")["sst_stall_ns"].to_numpy()
        return float(stall.max() / stall.mean())

    return {"more_under_par": _less_even_under_par(e, "local", peak)}


def traffic_balance(e: Evidence) -> Measures:
    """Returns the variation of traffic, PAR minus Q-adaptive: over global links, and over groups.

    It is the standard deviation over the mean. Traffic of a group is that of its local links, as on
    the diagonal of the paper's map.
    """

    def over_links(links: pl.DataFrame) -> float:
        sent = links["bytes"].to_numpy()
        return float(sent.std() / sent.mean())

    def over_groups(links: pl.DataFrame) -> float:
        by_group = links.group_by("source_group").agg(pl.col("bytes").sum())
        return over_links(by_group.sort("source_group"))

    return {
        "global_more_under_par": _less_even_under_par(e, "global", over_links),
        "local_more_under_par": _less_even_under_par(e, "local", over_groups),
    }


def congestion_index(e: Evidence) -> Measures:
    """Returns the mean throughput of links between routers, PAR over Q-adaptive, minus one.

    All of these links have one capacity, so the ratio of congestion indices is equal.
    """
    classes = ("local", "global")
    sent, room = (
        np.sum([of_class(e, column, each) for each in classes], axis=0)
        for column in ("bytes", "links")
    )
    throughput = sent / room / of_class(e, "window_ns", "local")
    return {"more_under_par": throughput[PAR] / throughput[Q] - 1}


def system_quantiles(e: Evidence, *shares: float) -> np.ndarray:
    """Returns quantiles of packet latency over all jobs of the mix, [share, routing, seed]."""
    found = np.full((len(shares), len(ROUTINGS), len(e.seeds)), np.nan)
    for r, routing in enumerate(ROUTINGS):
        for s, part in enumerate(_latencies(e, routing)):
            if len(part):
                found[:, r, s] = [mixture_quantile(part[:, 0], part[:, 1:], q) for q in shares]
    return found


def _latencies(e: Evidence, routing: str) -> list[np.ndarray]:
    """Returns count and percentiles of each job and window, for each seed."""
    where = {"routing.algorithm": routing, "part": "together", "kind": "packet"}
    columns, rows = ("count", *LEVELS), e.rows("mix", "latency_windows")
    if rows.is_empty():
        for column in columns:  # only checks the question
            e.cell("mix", column, where, "latency_windows")
        return [np.empty((0, 0))] * len(e.seeds)
    chosen = rows.filter([pl.col(name) == value for name, value in where.items()])
    return [chosen.filter(pl.col("seed") == s).select(columns).to_numpy() for s in e.seeds]


def mean_over_packets(e: Evidence, column: str) -> np.ndarray:
    """Returns the mean of a column over all packets of the mix, [routing, seed]."""
    packets = of_jobs(e, "packets")
    mean: np.ndarray = (packets * of_jobs(e, column)).sum(axis=0) / packets.sum(axis=0)
    return mean


def system_latency(e: Evidence) -> Measures:
    """Returns the reduction of mean and high percentiles of latency, Q-adaptive below PAR."""
    mean, (p95, p99) = (
        mean_over_packets(e, "packet_latency_mean_ns"),
        system_quantiles(e, 0.95, 0.99),
    )
    return {
        "mean": 1 - mean[Q] / mean[PAR],
        "p99": 1 - p99[Q] / p99[PAR],
        "p95": 1 - p95[Q] / p95[PAR],
        "q_adaptive_mean_us": mean[Q] / 1000,
        "q_adaptive_p99_us": p99[Q] / 1000,
        "q_adaptive_p95_us": p95[Q] / 1000,
    }


def most_concentrated(e: Evidence) -> Measures:
    """Returns Q-adaptive's least reduction of mean, interquartile range and 99th percentile."""
    low, high, p99 = system_quantiles(e, 0.25, 0.75, 0.99)
    mean = mean_over_packets(e, "packet_latency_mean_ns")
    found = {"mean": mean, "interquartile_range": high - low, "p99": p99}
    return {name: 1 - each[Q] / each[:Q].min(axis=0) for name, each in found.items()}


def system_throughput(e: Evidence) -> Measures:
    """Returns the gain of payload per time until the last job ends, Q-adaptive over PAR."""
    rate = of_jobs(e, "delivered_bytes").sum(axis=0) / of_jobs(e, "end_ns").max(axis=0) / 1000
    return {
        "gain": rate[Q] / rate[PAR] - 1,
        "par_gb_per_ms": rate[PAR],
        "q_adaptive_gb_per_ms": rate[Q],
    }


def detours(e: Evidence) -> Measures:
    """Returns how much adaptive routings exceed Q-adaptive in detours and bytes over links."""
    share = mean_over_packets(e, "nonminimal_share")
    carried = of_class(e, "bytes", "local") + of_class(e, "bytes", "global")
    carried = carried / of_jobs(e, "delivered_bytes").sum(axis=0)
    found = {"nonminimal_share": share, "link_bytes": carried}
    return {name: each[:Q].min(axis=0) - each[Q] for name, each in found.items()}


MIX_MEASURES: Mapping[str, Measure] = {
    "KANG-VI-02": delays("stencil5d", "stencil5d_smallest"),
    "KANG-VI-03": delays("lqcd_adaptive", "lqcd_q_adaptive", "lqcd_less_under_q"),
    "KANG-VI-04": delays("adaptive"),
    "KANG-VI-05": delays("reduction", "mean_of_reductions", "adaptive"),
    "KANG-VI-06": stalls("local", LOCAL_LINKS),
    "KANG-VI-07": stalls("global", 1),
    "KANG-VI-08": hot_spots,
    "KANG-VI-09": congestion_index,
    "KANG-VI-10": traffic_balance,
    "KANG-VI-11": system_latency,
    "KANG-VI-12": most_concentrated,
    "KANG-VI-13": system_throughput,
    "KANG-VI-14": detours,
    "KANG-VI-15": delays("stencil5d_smallest", "lqcd_below_others"),
}
