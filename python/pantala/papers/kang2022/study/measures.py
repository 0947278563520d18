"""The measures of the claims: arrays over seeds, from the cells of `pairs`.

The file order_measures.py has those of the order of jobs, mix_measures.py those of the mix.

An increase is the mean communication time of a job beside others over its time alone, under the
same routing, minus one. Adaptive routings are UGALg, UGALn and PAR.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import polars as pl
from scipy import stats

from pantala.papers.kang2022.study.cells import (
    ADAPTIVE,
    PAR,
    ROUTINGS,
    WINDOW_NS,
    Measure,
    Measures,
    Q,
    alone,
    beside,
    increase,
    increases,
    largest,
    pair,
    together,
)
from pantala.papers.kang2022.study.mix_measures import MIX_MEASURES
from pantala.papers.kang2022.study.order_measures import ingress_and_slowdown, rate_and_slowdown
from pantala.papers.kang2022.study.pairs import TARGETS, backgrounds
from pantala.papers.kang2022.study.tables import ALONE
from pantala.studies.evidence import Evidence


def execution_times(e: Evidence) -> Measures:
    """Returns the execution times alone under Q-adaptive, in ms."""
    found = {
        name: pair(e, case, "end_ns", name=name, table="jobs", part=f"alone-{name}")[Q] / 1e6
        for case, name in ALONE.values()
    }
    times = np.array(list(found.values()))
    return {**found, "shortest": times.min(axis=0), "longest": times.max(axis=0)}


def alike_alone(e: Evidence) -> Measures:
    """Returns the longest time alone over the shortest one, over routings."""
    times = {each: alone(e, each) for each in ("fft3d", "cosmoflow")}
    return {name: time.max(axis=0) / time.min(axis=0) for name, time in times.items()}


def fastest_alone(e: Evidence) -> Measures:
    """Returns the saving alone under Q-adaptive: the mean over four jobs, and the least."""
    times = np.array([alone(e, each) for each in ("lu", "lqcd", "stencil5d", "lulesh")])
    return {
        "average": (1 - times[:, Q] / times[:, PAR]).mean(axis=0),
        "least": (1 - times[:, Q] / times[:, :Q].min(axis=1)).min(axis=0),
    }


def most_from_halo3d(e: Evidence) -> Measures:
    """Returns LU's increase beside Halo3D, and how far it is above other backgrounds."""
    means = {each: increase(e, "lu", each)[:Q].mean(axis=0) for each in backgrounds("lu")}
    ours = means.pop("halo3d")
    return {
        "adaptive": ours,
        "above_others": ours - np.max(list(means.values()), axis=0),
        **beside("lu", "halo3d", "adaptive_ms")(e),
    }


def lulesh_beside_others(e: Evidence) -> Measures:
    """Returns LULESH's largest increase beside jobs other than Halo3D and DL."""
    found = increases(e, "lulesh", [b for b in backgrounds("lulesh") if b not in ("halo3d", "dl")])
    return {
        "adaptive": found[:, :Q].mean(axis=1).max(axis=0),
        "q_adaptive": found[:, Q].max(axis=0),
    }


# Throughput over time


def frames(
    e: Evidence, table: str, where: Mapping[str, object], *columns: str
) -> list[pl.DataFrame]:
    """Returns the chosen rows of a table for each seed; without runs, only checks the question."""
    rows = e.rows("pairs", table)
    if rows.is_empty():
        for column in columns:
            e.cell("pairs", column, where, table)
        return [pl.DataFrame(schema=dict.fromkeys(columns, pl.Float64)) for _ in e.seeds]
    chosen = rows.filter([pl.col(name) == value for name, value in where.items()])
    return [chosen.filter(pl.col("seed") == seed).select(columns) for seed in e.seeds]


def series(e: Evidence, routing: int, part: str) -> list[pl.DataFrame]:
    """Returns the windows of FFT3D beside Halo3D, or of one of them alone, for each seed."""
    cell = {"pair": "fft3d+halo3d", "routing.algorithm": ROUTINGS[routing]}
    names = ("window_start_ns", "window_ns", "delivered_bytes")
    return frames(e, "job_windows", {**cell, "part": part, "job": 0}, *names)


def throughput(windows: pl.DataFrame, begin: float, end: float) -> float:
    """Returns the mean throughput from begin to end in bytes per ns; NaN for no time or rows.

    Of a window that lies across an end, the share of its bytes counts that its time has.
    """
    if windows.is_empty() or not end > begin:
        return float("nan")
    start, length = windows["window_start_ns"].to_numpy(), windows["window_ns"].to_numpy()
    inside = np.minimum(start + length, end) - np.maximum(start, begin)
    shares = np.clip(inside, 0, None) / length
    return float(windows["delivered_bytes"].to_numpy() @ shares / (end - begin))


def variation(windows: pl.DataFrame) -> float:
    """Returns the coefficient of variation of the throughput from the first to the last window."""
    if windows.is_empty():
        return float("nan")
    places = (windows["window_start_ns"].to_numpy() / WINDOW_NS).round().astype(int)
    rates = np.zeros(int(np.ptp(places)) + 1)
    rates[places - places.min()] = (windows["delivered_bytes"] / windows["window_ns"]).to_numpy()
    return float(rates.std() / rates.mean())


def steady_and_bursty(e: Evidence) -> Measures:
    """Returns FFT3D's variation of throughput over Halo3D's, each alone: the least of two."""
    found = []
    for routing in (PAR, Q):
        bursty, steady = (
            np.array(list(map(variation, series(e, routing, f"alone-{name}"))))
            for name in ("fft3d", "halo3d")
        )
        found.append(bursty / steady)
    return {"ratio": np.min(found, axis=0)}


def halo3d_is_untouched(e: Evidence) -> Measures:
    """Returns the largest change of Halo3D's execution time and throughput beside FFT3D."""
    ends, sent = (
        np.array(
            [
                pair(e, "fft3d+halo3d", column, name="halo3d", table="jobs", part=part)[[PAR, Q]]
                for part in ("alone-halo3d", "together")
            ]
        )
        for column in ("end_ns", "delivered_bytes")
    )
    found = {"execution_time": ends, "throughput": sent / ends}
    return {name: abs(each[1] / each[0] - 1).max(axis=0) for name, each in found.items()}


def fft3d_over_time(e: Evidence, routing: int) -> np.ndarray:
    """Returns FFT3D's throughput alone, until Halo3D ends and after it: [3, seed] in GB/ms.

    The last one is NaN for a seed in which FFT3D ends first.
    """

    def ends(name: str, part: str = "together") -> np.ndarray:
        found = pair(e, "fft3d+halo3d", "end_ns", name=name, table="jobs", part=part)
        return np.asarray(found[routing])

    whole, own, other = ends("fft3d", "alone-fft3d"), ends("fft3d"), ends("halo3d")
    apart, beside_it = series(e, routing, "alone-fft3d"), series(e, routing, "together")
    found = [
        [throughput(frame, 0.0, end) for frame, end in zip(apart, whole, strict=True)],
        [
            throughput(frame, 0.0, end)
            for frame, end in zip(beside_it, np.minimum(own, other), strict=True)
        ],
        [throughput(*each) for each in zip(beside_it, other, own, strict=True)],
    ]
    return np.array(found) / 1000


def fft3d_is_throttled(e: Evidence) -> Measures:
    """Returns the drop of FFT3D's throughput under PAR while Halo3D runs."""
    apart, during, _ = fft3d_over_time(e, PAR)
    return {"drop": 1 - during / apart, "alone_gb_per_ms": apart, "beside_gb_per_ms": during}


def fft3d_recovers(e: Evidence) -> Measures:
    """Returns how much earlier Halo3D ends under Q-adaptive, and FFT3D's throughput afterwards."""
    ends = pair(e, "fft3d+halo3d", "end_ns", name="halo3d", table="jobs")
    apart, _, after = fft3d_over_time(e, Q)
    return {"earlier": 1 - ends[Q] / ends[PAR], "recovery": after / apart}


def fft3d_is_protected(e: Evidence) -> Measures:
    """Returns FFT3D's throughput while Halo3D runs, in GB/ms, and Q-adaptive's over PAR's."""
    (_, par, _), (_, q, _) = (fft3d_over_time(e, routing) for routing in (PAR, Q))
    return {"q_adaptive_gb_per_ms": q, "ratio": q / par, "par_gb_per_ms": par}


# Latency and spread of pairs


def latency_alone(e: Evidence) -> Measures:
    """Returns FFT3D's mean and median latency alone in us, and what Q-adaptive takes off PAR's."""
    found: dict[str, np.ndarray] = {}
    for name, column in (("mean", "mean"), ("median", "p50")):
        case = {"table": "jobs", "part": "alone-fft3d"}
        latency = pair(e, "fft3d+halo3d", f"packet_latency_{column}_ns", **case)
        found[f"{name}_us"] = latency[Q] / 1000
        found[f"{name}_saving"] = 1 - latency[Q] / latency[PAR]
    return found


def tail_alone(e: Evidence) -> Measures:
    """Returns FFT3D's 99th percentile and communication time alone, Q-adaptive over PAR."""
    p99, time = pair(e, "fft3d+halo3d", "alone_packet_latency_p99_ns"), alone(e, "fft3d")
    return {"p99_ratio": p99[Q] / p99[PAR], "time_ratio": time[Q] / time[PAR]}


def tails(e: Evidence) -> dict[str, np.ndarray]:
    """Returns FFT3D's latencies beside Halo3D, [routing, seed] in us."""
    columns = {each: f"packet_latency_{each}_ns" for each in ("p50", "p95", "p99")}
    return {
        name: pair(e, "fft3d+halo3d", column, table="jobs") / 1000
        for name, column in columns.items()
    }


def median_beside_halo3d(e: Evidence) -> Measures:
    """Returns FFT3D's median latency beside Halo3D in us, and PAR's over Q-adaptive's."""
    median = tails(e)["p50"]
    return {"ratio": median[PAR] / median[Q], "par_us": median[PAR], "q_adaptive_us": median[Q]}


def tail_beside_halo3d(e: Evidence) -> Measures:
    """Returns PAR's over Q-adaptive's tail latency of FFT3D beside Halo3D."""
    p95, p99 = (tails(e)[name][PAR] / tails(e)[name][Q] for name in ("p95", "p99"))
    return {"p95_ratio": p95, "p99_ratio": p99, "p99_ratio_above_p95_ratio": p99 - p95}


def tail_decides(e: Evidence) -> Measures:
    """Returns how much nearer the ratio of times is to that of 99th percentiles than of medians."""
    found = {**tails(e), "time": together(e, "fft3d+halo3d", "fft3d")}
    logs = {name: np.log(each[PAR] / each[Q]) for name, each in found.items()}
    time = logs["time"]
    return {"tail_nearer": abs(time - logs["p50"]) - abs(time - logs["p99"])}


def stencil5d_varies(e: Evidence) -> Measures:
    """Returns Stencil5D's largest change of communication time, beside any job."""
    return {"largest": abs(increases(e, "stencil5d", backgrounds("stencil5d"))).max(axis=(0, 1))}


def stencil5d_beside_lqcd(e: Evidence) -> Measures:
    """Returns Stencil5D's largest change of communication time beside LQCD, under any routing."""
    changes = together(e, "lqcd+stencil5d", "stencil5d") / alone(e, "stencil5d") - 1
    return {"largest": abs(changes).max(axis=0)}


def spread_over_ranks(e: Evidence) -> Measures:
    """Returns Stencil5D's spread over ranks beyond other jobs', and its relation to neighbours.

    A rank's payload is in proportion to its neighbours. `either` is above zero if one of the two
    other measures is, under every routing.
    """
    spread = {each: alone(e, each, "std") / alone(e, each) for each in TARGETS}
    beyond = spread.pop("stencil5d") / np.max(list(spread.values()), axis=0) - 1
    related = np.array([_relation(e, routing) for routing in ROUTINGS])
    return {
        "either": np.maximum(beyond, related).min(axis=0),
        "spread_beyond": beyond.min(axis=0),
        "relation": related.min(axis=0),
    }


def _relation(e: Evidence, routing: str) -> np.ndarray:
    case = {"pair": "stencil5d+halo3d", "routing.algorithm": routing, "part": "alone-stencil5d"}
    found = frames(e, "ranks", case, "bytes_sent", "communication_time_ns")
    return np.array(
        [
            stats.spearmanr(
                (each["bytes_sent"] / 1e5).round(),  # without the empty messages of barriers
                each["communication_time_ns"],
            ).statistic
            if len(each)
            else np.nan
            for each in found
        ]
    )


def latency_beside_stencil5d(e: Evidence) -> Measures:
    """Returns the increases of LQCD's packet latencies in its first 15 ms under PAR."""
    first: dict[str, Any] = {"job": 0, "kind": "packet", "window_start_ns": 0.0}
    mean, p99 = (
        [
            pair(e, "lqcd+stencil5d", column, table="latency_windows", part=part, **first)[PAR]
            for part in ("alone-lqcd", "together")
        ]
        for column in ("mean_ns", "p99_ns")
    )
    found = {"mean": mean[1] / mean[0] - 1, "p99": p99[1] / p99[0] - 1}
    return {**found, "p99_above_mean": found["p99"] - found["mean"]}


def fastest_stencils(e: Evidence) -> Measures:
    """Returns the largest time under Q-adaptive over another's, of two jobs alone and beside."""
    jobs = ("lqcd", "stencil5d")
    times = [alone(e, each) for each in jobs]
    times += [together(e, "lqcd+stencil5d", each) for each in jobs]
    found = np.array(times)
    return {"largest_ratio": (found[:, Q] / found[:, :Q].min(axis=1)).max(axis=0)}


MEASURES: Mapping[str, Measure] = {
    "KANG-T1-02": execution_times,
    "KANG-V-01": alike_alone,
    "KANG-V-02": fastest_alone,
    "KANG-VA-01": largest("fft3d", "ur", "lu"),
    "KANG-VA-02": beside("fft3d", "cosmoflow", "adaptive", "q_adaptive", "less_under_q"),
    "KANG-VA-04": beside("fft3d", "dl", "least_saving", *(f"{each}_ms" for each in ROUTINGS)),
    "KANG-VA-05": beside("fft3d", "dl", "saving"),
    "KANG-VA-06": beside("fft3d", "dl", "reduction", "ugal_n", "q_adaptive"),
    "KANG-VA-07": beside("fft3d", "dl", "spread", "par_below_largest", *ADAPTIVE),
    "KANG-VA-08": beside("fft3d", "halo3d", *ADAPTIVE),
    "KANG-VA-09": beside("fft3d", "halo3d", "saving", "par_ms", "q_adaptive_ms"),
    "KANG-VA-11": steady_and_bursty,
    "KANG-VA-12": halo3d_is_untouched,
    "KANG-VA-13": fft3d_is_throttled,
    "KANG-VA-15": fft3d_is_protected,
    "KANG-VA-16": fft3d_recovers,
    "KANG-VA-17": largest("lu", "ur", "fft3d"),
    "KANG-VA-18": beside("lu", "cosmoflow", "adaptive", "q_adaptive", "less_under_q"),
    "KANG-VA-19": beside("lu", "dl", *ROUTINGS, "least_less_under_q"),
    "KANG-VA-20": beside("lu", "dl", "least_saving", "q_adaptive_ms"),
    "KANG-VA-21": most_from_halo3d,
    "KANG-VA-22": beside("lu", "halo3d", "q_adaptive", "least_less_under_q", "q_adaptive_ms"),
    "KANG-VA-23": beside("lulesh", "halo3d", "ugal_g", "q_adaptive", "ugal_g_less_under_q"),
    "KANG-VA-24": beside("lulesh", "dl", "adaptive", "q_adaptive", "less_under_q"),
    "KANG-VA-25": lulesh_beside_others,
    "KANG-VA-26": rate_and_slowdown,
    "KANG-VB-01": latency_alone,
    "KANG-VB-02": tail_alone,
    "KANG-VB-03": median_beside_halo3d,
    "KANG-VB-04": tail_beside_halo3d,
    "KANG-VB-05": tail_decides,
    "KANG-VC-01": beside("lqcd", "halo3d", "par"),
    "KANG-VC-02": stencil5d_varies,
    "KANG-VC-03": spread_over_ranks,
    "KANG-VC-04": latency_beside_stencil5d,
    "KANG-VC-05": beside("lqcd", "stencil5d", "par"),
    "KANG-VC-06": stencil5d_beside_lqcd,
    "KANG-VC-07": beside(
        "lqcd", "stencil5d", "q_adaptive", "less_than_half_of_par", "less_than_par"
    ),
    "KANG-VC-08": fastest_stencils,
    "KANG-VC-09": ingress_and_slowdown,
    "KANG-VD-01": largest("cosmoflow", "ur", "lu", "fft3d"),
    "KANG-VD-02": beside("cosmoflow", "dl", "largest_adaptive", "q_adaptive"),
    "KANG-VD-03": beside(
        "cosmoflow", "halo3d", *ROUTINGS, "less_than_half_under_q", "less_under_q"
    ),
    "KANG-VD-04": beside("cosmoflow", "halo3d", "q_adaptive_ms"),
    **MIX_MEASURES,
}
