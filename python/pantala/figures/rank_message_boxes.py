"""Boxes over the ranks of a job: the longest latency of the messages of each rank."""

from __future__ import annotations

from collections.abc import Collection, Mapping

import polars as pl
from matplotlib.figure import Figure

from pantala.errors import UsageError
from pantala.figures.quantile_boxes import QuantileBox, quantile_boxes
from pantala.figures.rank_messages import DIRECTIONS
from pantala.figures.runs import Given, cases, rows_of
from pantala.run_tables.run_like import RunLike

__all__ = ["rank_latency_boxes"]


def rank_latency_boxes(
    given: Given,
    alone: Mapping[str, RunLike] | None = None,
    measure: str = "received",
    jobs: Collection[str] = (),
) -> Figure:
    """Draws the longest message latency of a rank, as a box over the ranks of each job.

    A box has the extremes, quartiles, median and mean over ranks. The figure follows Wang et al.
    (IPDPS 2020), Fig. 7. Ranks without a message are left out.

    Args:
        given: one run, or several runs and experiments by title.
        alone: the run of each job alone, by name; only for one run.
        measure: `sent` or `received`: the messages that count for a rank.
        jobs: only these jobs; all by default.

    Raises:
        UsageError: a run did not record its messages by rank, no rank has such a message, or there
            is no such job.
    """
    if measure not in DIRECTIONS:
        raise UsageError(f"measure = '{measure}': there is none; choose {', '.join(DIRECTIONS)}")
    boxes = []
    for case, rows in rows_of(cases(given, alone, jobs), "rank_messages"):
        own = rows.filter(pl.col("direction") == measure)["latency_max_ns"].drop_nulls()
        if own.is_empty():
            continue
        shares = {"min": 0.0, "q1": 0.25, "p50": 0.5, "q3": 0.75, "max": 1.0}
        numbers = {
            name: float(own.quantile(share, "linear") or 0.0) for name, share in shares.items()
        }
        numbers["mean"] = float(own.cast(pl.Float64).to_numpy().mean())
        boxes.append(QuantileBox(case.label, case.name, case.colour, case.alone, numbers))
    if not boxes:
        raise UsageError(
            f"figure rank-latency-boxes: no rank has {measure} a message; name a run of MPI jobs"
        )
    return quantile_boxes(boxes, f"longest latency of a message {measure}")
