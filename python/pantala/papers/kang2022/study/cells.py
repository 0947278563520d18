"""What the measures of pairs share: cells of `pairs` as arrays over routings and seeds.

An increase is the mean communication time of a job beside others over its time alone, under the
same routing, minus one. Adaptive routings are UGALg, UGALn and PAR.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from pantala.studies.evidence import SLOWDOWNS, Evidence

Measures = Mapping[str, np.ndarray]
Measure = Callable[[Evidence], Measures]


ADAPTIVE = ("ugal_g", "ugal_n", "par")
ROUTINGS = (*ADAPTIVE, "q_adaptive")
PAR, Q = 2, 3  # places in ROUTINGS
WINDOW_NS = 100_000.0  # record.window of pairs


# Pairs


def pair(
    e: Evidence,
    case: str,
    column: str,
    *,
    name: str = "",
    table: str = SLOWDOWNS,
    part: str = "together",
    **where: object,
) -> np.ndarray:
    """Returns a column of a job of a pair, [routing, seed]; the target's without a name."""
    name = name or case.partition("+")[0]
    if table in (SLOWDOWNS, "jobs"):
        where["name"] = name
    where |= {"job_set": part} if table == SLOWDOWNS else {"part": part}
    cells = [{"pair": case, "routing.algorithm": each, **where} for each in ROUTINGS]
    return np.array([e.cell("pairs", column, cell, table) for cell in cells])


def increase(e: Evidence, target: str, background: str) -> np.ndarray:
    """Returns the increase of a target's communication time, [routing, seed]."""
    return pair(e, f"{target}+{background}", "slowdown") - 1


def increases(e: Evidence, target: str, among: Sequence[str]) -> np.ndarray:
    """Returns the increases of a target beside backgrounds, [background, routing, seed]."""
    return np.array([increase(e, target, each) for each in among])


def alone(e: Evidence, target: str, what: str = "mean") -> np.ndarray:
    """Returns a target's communication time alone, [routing, seed] in ns."""
    case, column = f"{target}+halo3d", f"communication_time_{what}_ns"
    return pair(e, case, column, table="jobs", part=f"alone-{target}")


def together(e: Evidence, case: str, name: str) -> np.ndarray:
    """Returns the communication time of a job of a pair, [routing, seed] in ns."""
    return pair(e, case, "communication_time_mean_ns", name=name, table="jobs")


def compared(increase: np.ndarray) -> dict[str, np.ndarray]:
    """Returns the increases of [routing, seed], and how Q-adaptive compares with the others."""
    adaptive, q = increase[:Q], increase[Q]
    return {
        **dict(zip(ROUTINGS, increase, strict=True)),
        "adaptive": adaptive.mean(axis=0),
        "largest_adaptive": adaptive.max(axis=0),
        "ugal_g_less_under_q": adaptive[0] - q,
        "less_under_q": adaptive.mean(axis=0) - q,
        "least_less_under_q": adaptive.min(axis=0) - q,
        "less_than_half_under_q": adaptive.mean(axis=0) / 2 - q,
    }


def beside(target: str, background: str, *chosen: str) -> Measure:
    """Returns the measures of a pair: increases, times in ms, and savings under Q-adaptive."""
    case = f"{target}+{background}"

    def measure(e: Evidence) -> Measures:
        increased = increase(e, target, background)
        time = together(e, case, target)
        found = {
            **compared(increased),
            "reduction": 1 - increased[Q] / increased[1],
            "less_than_half_of_par": increased[PAR] / 2 - increased[Q],
            "less_than_par": increased[PAR] - increased[Q],
            "spread": np.ptp(increased[:Q], axis=0),
            "par_below_largest": increased[:PAR].max(axis=0) - increased[PAR],
            "saving": 1 - time[Q] / time[PAR],
            "least_saving": 1 - time[Q] / time[:Q].min(axis=0),
            "adaptive_ms": time[:Q].mean(axis=0) / 1e6,
            **{f"{name}_ms": row / 1e6 for name, row in zip(ROUTINGS, time, strict=True)},
        }
        return {name: found[name] for name in chosen}

    return measure


def largest(target: str, *among: str) -> Measure:
    """Returns the largest increase beside some backgrounds, under any routing."""
    return lambda e: {"largest": increases(e, target, among).max(axis=(0, 1))}
