"""Metrics of time: communication time of ranks, variation, interference."""

from __future__ import annotations

from collections.abc import Mapping

import polars as pl

from pantala.errors import UsageError
from pantala.metrics.registry import metric

__all__ = [
    "OUTSIDE",
    "communication_share",
    "communication_time",
    "communication_variation",
    "interference",
    "interference_reduction",
    "slowdown",
]

#: The MPI calls at the start and the end of a program, as the table calls names them. Their time is
#: no communication time, as in Ember's motifs, in CODES' replay and in AutoPerf.
OUTSIDE = ("init", "finalize")


@metric(of="ranks", unit="ns", source="Kang et al., SC 2022, Fig. 4; Yang et al., SC 2016, 3.3")
def communication_time(ranks: pl.DataFrame) -> dict[str, float | None]:
    """Communication time of a job: the time that its ranks spend in the application's MPI calls.

    `MPI_Init` and `MPI_Finalize` do not count.

    Args:
        ranks: rows of `Run.ranks` of one job, with `communication_time_ns`.

    Returns:
        `mean`, `std` (of the ranks as a population), `median`, `p95` and `max`; None without ranks.
    """
    times = ranks["communication_time_ns"].cast(pl.Float64)
    values = {
        "mean": times.mean(),
        "std": times.std(ddof=0),
        "median": times.median(),
        "p95": times.quantile(0.95, "linear"),
        "max": times.max(),
    }
    return {name: None if value is None else float(value) for name, value in values.items()}  # type: ignore[arg-type]


@metric(of="ranks", unit="", source="Kang et al., SC 2022, Fig. 4 (deviation of the bars)")
def communication_variation(ranks: pl.DataFrame) -> float | None:
    """Variation over ranks: standard deviation over mean of the ranks' communication times.

    The variation of the text of Kang et al. (V.A) is another one, against the run alone: see
    `interference`.

    Returns:
        The quotient; None if the mean is zero or there are no ranks.
    """
    found = communication_time(ranks)
    mean, std = found["mean"], found["std"]
    return None if not mean or std is None else std / mean


@metric(of="ranks", unit="", source="Chunduri et al., IPDPS 2021, IV and Table I")
def communication_share(ranks: pl.DataFrame) -> float | None:
    """Communication share: communication time of all ranks over their run times.

    Run times are without `MPI_Init` and `MPI_Finalize`, as communication times are.

    Args:
        ranks: rows of `Run.ranks` with `communication_time_ns`, `start_ns`, `end_ns`, `init_ns` and
            `finalize_ns`. Ranks without an end do not count.

    Returns:
        The share from 0 to 1; None if no rank has ended.
    """
    ended = ranks.filter(pl.col("end_ns").is_not_null())
    run = float((ended["end_ns"] - ended["start_ns"]).sum())
    # Runs of former versions count both as communication, and have no columns of them.
    outside = [name for name in (f"{call}_ns" for call in OUTSIDE) if name in ended.columns]
    run -= sum(float(ended[name].sum()) for name in outside)
    return float(ended["communication_time_ns"].sum()) / run if run else None


@metric(of="jobs", unit="", source="Wang et al., IPDPS 2020, VI.A")
def slowdown(alone: float, together: float) -> float:
    """Slowdown: a time of a job together with others over the same time alone.

    Raises:
        UsageError: the time alone is not positive.
    """
    if not alone > 0:
        raise UsageError(f"alone = {alone}: is not positive; a slowdown needs a time alone")
    return together / alone


@metric(of="jobs", unit="%", source="Kang et al., SC 2022, V.A")
def interference(alone: float, together: float) -> float:
    """Interference: the increase of a time of a job over its run alone, in percent.

    It is 100 times (slowdown - 1), the variation of the text of Kang et al. Both runs have the
    same routing and placement.

    Raises:
        UsageError: the time alone is not positive.
    """
    return 100.0 * (slowdown(alone, together) - 1.0)


@metric(of="jobs", unit="%", source="Kang et al., SC 2022, VI.A (its averaging is not stated)")
def interference_reduction(base: Mapping[str, float], other: Mapping[str, float]) -> float | None:
    """Interference reduction: how much less another routing slows jobs down, in percent.

    It is 100 times (1 - sum of `other` / sum of `base`), over the jobs of both. The sum keeps jobs
    with almost no interference from ruling the mean.

    Args:
        base: interference by job under the routing that is compared with.
        other: interference by job under the other routing.

    Returns:
        The reduction; negative if jobs suffer more; None if `base` has no interference.

    Raises:
        UsageError: the jobs differ.
    """
    if set(base) != set(other):
        odd = sorted(set(base) ^ set(other))
        raise UsageError(f"interference of job {odd[0]} is given for one routing only")
    total = sum(base.values())
    return 100.0 * (1.0 - sum(other.values()) / total) if total > 0 else None
