"""Communication time of every job in every run, as bars with deviations."""

from __future__ import annotations

from collections.abc import Collection, Mapping

import polars as pl
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from pantala.errors import UsageError
from pantala.figures.legend import add_key
from pantala.figures.runs import Given, cases
from pantala.figures.style import INK, MUTED, horizontal_rows, new_figure, style
from pantala.run_tables.run_like import RunLike
from pantala.text.amounts import time_unit

__all__ = ["communication_bars"]


def communication_bars(
    given: Given,
    alone: Mapping[str, RunLike] | None = None,
    jobs: Collection[str] = (),
) -> Figure:
    """Draws the communication time of each job and run: mean, deviation over ranks, slowest rank.

    The figure follows Kang et al. (SC22), Fig. 4, 8 and 10. Bars of jobs alone are pale.

    Args:
        given: one run, or several runs and experiments by title.
        alone: the run of each job alone, by name; only for one run.
        jobs: only these jobs; all by default.

    Raises:
        UsageError: no rank communicates, or there is no such job.
    """
    time = pl.col("communication_time_ns")
    measured = [
        (
            case,
            case.run.ranks.filter(pl.col("job") == case.job)
            .select(time.mean().alias("mean"), time.std(ddof=0).alias("std"), time.max())
            .collect()
            .row(0),
        )
        for case in cases(given, alone, jobs)
    ]
    rows = [(case, numbers) for case, numbers in measured if numbers[2]]
    if not rows:
        raise UsageError("figure communication-bars: no rank communicates; name a run of MPI jobs")
    divisor, unit = time_unit(max(numbers[2] for _, numbers in rows))
    with style():
        figure = new_figure(0.95 + 0.36 * len(rows))
        axes = figure.add_subplot()
        positions, y = [], 0.0
        for number, (case, (mean, deviation, slowest)) in enumerate(rows):
            if number:
                y += 1.0 if rows[number - 1][0].name == case.name else 1.5
            positions.append(y)
            axes.barh(
                y,
                mean / divisor,
                0.8,
                facecolor=case.colour,
                alpha=0.35 if case.alone else 1.0,
            )
            axes.errorbar(
                mean / divisor, y, xerr=deviation / divisor, color=INK, lw=1.0, capsize=2.5
            )
            axes.plot(slowest / divisor, y, "D", color=MUTED, ms=4)
        horizontal_rows(axes, [case.label for case, _ in rows], positions)
        axes.set_xlim(left=0)
        axes.set_xlabel(f"communication time of a rank ({unit})")
        key = [
            Patch(facecolor=MUTED, label="mean over ranks"),
            Line2D([], [], color=INK, lw=1.0, marker="|", ms=6, label="± 1 standard deviation"),
            Line2D([], [], color=MUTED, ls="", marker="D", ms=4, label="slowest rank"),
        ]
        add_key(figure, key)
    return figure
