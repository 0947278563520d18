"""Cuts in the time axis of figures: where a run has skipped time."""

from __future__ import annotations

from collections.abc import Iterable

from matplotlib.axes import Axes

from pantala.figures.style import MUTED
from pantala.run_tables.run_like import RunLike
from pantala.run_tables.skipped_time import skipped_spans
from pantala.text.amounts import PLAIN

__all__ = ["mark_cuts", "time_label"]


def time_label(runs: Iterable[RunLike], unit: str) -> str:
    """Returns the label of an axis of simulated time.

    Args:
        runs: the runs in the figure.
        unit: the unit of the axis.
    """
    cut = ", skipped time cut out" if any(skipped_spans(run) for run in runs) else ""
    return f"simulated time ({unit}{cut})"


def mark_cuts(panels: Iterable[Axes], run: RunLike, divisor: float) -> None:
    """Marks each cut of a run with a dashed line through the panels, and its length in the first.

    Args:
        panels: panels with one axis of time, on which the run's skipped time is cut out.
        run: the run.
        divisor: the unit of the axis in ns.
    """
    first, *others = panels
    before = 0.0
    for start, end in skipped_spans(run):
        at = (start - before) / divisor
        before += end - start
        for axes in (first, *others):
            axes.axvline(at, color=MUTED, lw=1.2, ls=(0, (1, 1)), zorder=5)
        first.annotate(
            f"{PLAIN.duration(end - start)} skipped",
            (at, 1),
            (3, -2),
            xycoords=("data", "axes fraction"),
            textcoords="offset points",
            va="top",
            fontsize=8,
            color=MUTED,
            zorder=6,
        )
