"""Times of a run without the time that it has skipped, for axes of figures."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, TypeVar

import polars as pl

from pantala.run_tables.run_like import RunLike, table

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["cut_out", "skipped_between", "skipped_spans", "without_skipped"]

#: An array of times, or columns of a table.
Times = TypeVar("Times", bound=Any)


def skipped_spans(run: RunLike) -> list[tuple[float, float]]:
    """Returns start and end of each span of skipped time in ns, in order; none without `skip`."""
    if not run.document["plan"].get("skip"):
        return []
    epochs = table(run, "epochs")
    if epochs is None:
        return []
    spans = epochs.filter(pl.col("skipped")).select("start_ns", "end_ns").unique().sort("start_ns")
    return list(spans.collect().iter_rows())


def skipped_between(run: RunLike, start_ns: float, end_ns: float) -> float:
    """Returns how much time between two times of a run was skipped, in ns."""
    parts = (min(end, end_ns) - max(start, start_ns) for start, end in skipped_spans(run))
    return sum(max(0.0, part) for part in parts)


def cut_out(spans: Sequence[tuple[float, float]], times_ns: Times) -> Times:
    """Returns times on a clock that stands still while time is skipped.

    Args:
        spans: the skipped spans, in order.
        times_ns: times of the run in ns: an array, or columns of a table.
    """
    for start, end in reversed(spans):
        times_ns = times_ns - (times_ns - start).clip(0, end - start)
    return times_ns


def without_skipped(spans: Sequence[tuple[float, float]], times_ns: NDArray[Any]) -> NDArray[Any]:
    """Returns times as `cut_out` does, as an array of numbers.

    Args:
        spans: the skipped spans.
        times_ns: times of the run in ns, of any shape.
    """
    import numpy as np  # slowdowns without figures start without it

    return cut_out(spans, np.array(times_ns, float))
