"""Hybrid placement: jobs that communicate little are contiguous (Yang et al., SC 2016, 6)."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping

__all__ = ["random_jobs"]


def random_jobs(
    intensity: Mapping[str, float], thresholds: Mapping[str, float | None] | None = None
) -> set[str]:
    """Returns the jobs that hybrid placement puts on random nodes.

    Args:
        intensity: the payload in bytes that a rank sends on average, by job; infinite for patterns.
        thresholds: the payload from which a job is random, by job. For a job without one, the
            largest ratio between neighbours in the sorted payloads decides. Jobs with equal
            payloads are all random, because none communicates less than the others.
    """
    given = thresholds or {}
    edge = _edge(sorted(set(intensity.values())))
    return {
        job
        for job, payload in intensity.items()
        if payload >= (edge if (own := given.get(job)) is None else own)
    }


def _edge(payloads: list[float]) -> float:
    """Returns the first payload after the largest ratio; with a tie, the smaller payload."""
    if len(payloads) < 2:
        return payloads[0] if payloads else math.inf
    ratios = [
        math.inf if below == 0 or above == math.inf else above / below
        for below, above in itertools.pairwise(payloads)
    ]
    return payloads[ratios.index(max(ratios)) + 1]
