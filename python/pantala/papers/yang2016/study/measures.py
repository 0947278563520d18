"""The measures of the claims: arrays over seeds. Here are those of the applications' times.

The file network_measures.py has those of traffic and saturation. A time is the median over the
ranks of an application. Measures with ``representative`` in their names are of the run that stands
for all seeds (`cells.representative`).
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from pantala.papers.yang2016.study.cells import (
    ADAPTIVE,
    CONTIGUOUS,
    MINIMAL,
    PROGRESSIVE,
    RANDOM,
    Measure,
    Measures,
    apps,
    at_representative,
    farthest_from_one,
    less,
    medians,
    of_jobs,
    ratio,
    serving,
)
from pantala.papers.yang2016.study.network_measures import (
    NETWORK_MEASURES,
    others,
    random_is_lower,
)
from pantala.papers.yang2016.study.platform import QUEUES
from pantala.studies.evidence import Evidence


def bytes_sent(e: Evidence) -> Measures:
    """Returns the bytes that the applications send, in MB of 10^6 B."""
    found = {**of_jobs(e, "workload2", "mpi_bytes"), **of_jobs(e, "workload1", "mpi_bytes")}
    return {f"{name}_mb": each[CONTIGUOUS, MINIMAL] / 1e6 for name, each in found.items()}


def share(holds: np.ndarray, known: np.ndarray) -> np.ndarray:
    """Returns one for seeds where a condition holds, zero for others, NaN where it is unknown."""
    return np.where(np.isfinite(known), holds.astype(float), np.nan)


def random_is_faster(e: Evidence) -> Measures:
    """Returns what random placement saves, under the routing where it saves least."""
    times = medians(e, "workload1")
    found = {name: random_is_lower(times[name]) for name in ("multigrid", "crystal_router")}
    least = np.minimum(*found.values())
    return {**found, "share_of_seeds": share(least > 0, least)}


def random_minimal_beside_adaptive(e: Evidence) -> Measures:
    """Returns AMG's time with random placement and minimal routing over contiguous, adaptive."""
    amg, shown = medians(e, "workload1")["amg"], at_representative(e, "workload1")["amg"]
    return {
        "ratio": ratio(amg[RANDOM, MINIMAL], amg[CONTIGUOUS, ADAPTIVE]),
        "representative": ratio(shown[RANDOM, MINIMAL], shown[CONTIGUOUS, ADAPTIVE])[None],
    }


def amg_is_bullied(e: Evidence) -> Measures:
    """Returns AMG's increase from contiguous to random placement, under adaptive routings."""
    amg, shown = medians(e, "workload1")["amg"], at_representative(e, "workload1")["amg"]
    increase = ratio(amg[RANDOM], amg[CONTIGUOUS]) - 1
    return {
        "adaptive": increase[ADAPTIVE],
        "progressive": increase[PROGRESSIVE],
        "share_of_seeds": share(increase[ADAPTIVE] >= 0.15, increase[ADAPTIVE]),
        "over_random_minimal": ratio(amg[RANDOM, ADAPTIVE], amg[RANDOM, MINIMAL]) - 1,
        "representative": ratio(shown[RANDOM], shown[CONTIGUOUS])[ADAPTIVE][None] - 1,
    }


def more_routers(e: Evidence) -> Measures:
    """Returns how many more routers serve an application under random placement, at least."""
    found = {}
    for name, routers in serving(e, "workload1").items():
        count = routers.sum(axis=-1)
        found[name] = (count[RANDOM] - count[CONTIGUOUS]).min(axis=0)
    return found


def consistent(e: Evidence) -> Measures:
    """Returns the largest change beside the other jobs, in one configuration and in the others."""
    together = medians(e, "workload1")
    changes = [
        np.abs(ratio(together[name], medians(e, "workload1", f"alone-{name}")[name]) - 1)
        for name in apps("workload1")
    ]
    change = np.max(changes, axis=0)
    there = change[CONTIGUOUS, MINIMAL]
    return {
        "change_there": there,
        "least_more_elsewhere": others(change).min(axis=0) - there,
        "most_elsewhere": others(change).max(axis=0),
    }


def bullied_however_sensed(e: Evidence) -> Measures:
    """Returns AMG's increase from contiguous to random placement for each measure of congestion."""
    amg = medians(e, "sensing")["amg"]
    return dict(zip(QUEUES, ratio(amg[RANDOM], amg[CONTIGUOUS]) - 1, strict=True))


def roles_change(e: Evidence) -> Measures:
    """Returns the increases from contiguous to random placement in Workload II, at least."""
    times, shown = medians(e, "workload2"), at_representative(e, "workload2")
    found: dict[str, np.ndarray] = {}
    for name in ("multigrid", "crystal_router"):
        increase, one = (
            ratio(t[RANDOM], t[CONTIGUOUS])[ADAPTIVE:] - 1 for t in (times[name], shown[name])
        )
        found[name] = increase.min(axis=0)
        found[f"{name}_representative"] = one.min(axis=0)[None]
    return found


def samg_gains(e: Evidence) -> Measures:
    """Returns what random placement and adaptive routing save of sAMG's best contiguous time."""
    samg = medians(e, "workload2")["samg"]
    return {"saving": less(samg[RANDOM, ADAPTIVE:].max(axis=0), samg[CONTIGUOUS].min(axis=0))}


def first_is_slow(e: Evidence) -> Measures:
    """Returns what adaptive routing saves under contiguous placement; and CrystalRouter's ratio.

    The ratio is its time with contiguous placement and minimal routing over random and adaptive.
    """
    times = medians(e, "workload2")
    saved = {
        name: less(times[name][CONTIGUOUS, ADAPTIVE], times[name][CONTIGUOUS, MINIMAL])
        for name in ("samg", "multigrid")
    }
    last = times["crystal_router"]
    return {
        **saved,
        "crystal_router_over_random": ratio(last[CONTIGUOUS, MINIMAL], last[RANDOM, ADAPTIVE]),
    }


def swings(e: Evidence) -> Measures:
    """Returns how far MultiGrid's range over configurations lies below that of the others."""
    found = {}
    for experiment in ("workload1", "workload2"):
        swing = {
            name: ratio(np.ptp(time, axis=(0, 1)), time.min(axis=(0, 1)))
            for name, time in medians(e, experiment).items()
        }
        own = swing.pop("multigrid")
        found[experiment] = np.minimum(*swing.values()) - own
    least = np.minimum(*found.values())
    return {**found, "share_of_seeds": share(least > 0, least)}


def hybrid_is_like_random(e: Evidence) -> Measures:
    """Returns hybrid over random placement, under the routing where it is farthest from one."""
    hybrid, random = medians(e, "hybrid"), medians(e, "workload1")
    return {
        name: farthest_from_one(ratio(hybrid[name][0], random[name][RANDOM]))
        for name in ("multigrid", "crystal_router")
    }


def hybrid_saves(e: Evidence) -> Measures:
    """Returns what hybrid placement saves of AMG's time under adaptive routings, at least."""
    hybrid, random = medians(e, "hybrid")["amg"][0], medians(e, "workload1")["amg"][RANDOM]
    saving = less(hybrid, random)[ADAPTIVE:].min(axis=0)
    return {"saving": saving, "share_of_seeds": share(saving > 0, saving)}


def hybrid_loses(e: Evidence) -> Measures:
    """Returns AMG's increase from its best contiguous time to its best hybrid time."""
    hybrid, first = medians(e, "hybrid")["amg"][0], medians(e, "workload1")["amg"][CONTIGUOUS]
    return {"increase": ratio(hybrid.min(axis=0), first.min(axis=0)) - 1}


MEASURES: Mapping[str, Measure] = {
    **NETWORK_MEASURES,
    "YANG-3-03": bytes_sent,
    "YANG-42-02": random_is_faster,
    "YANG-42-03": random_minimal_beside_adaptive,
    "YANG-42-04": amg_is_bullied,
    "YANG-42-08": more_routers,
    "YANG-43-02": consistent,
    "YANG-43-03": bullied_however_sensed,
    "YANG-52-01": roles_change,
    "YANG-52-02": samg_gains,
    "YANG-52-03": first_is_slow,
    "YANG-53-01": swings,
    "YANG-6-01": hybrid_is_like_random,
    "YANG-6-02": hybrid_saves,
    "YANG-6-03": hybrid_loses,
}
