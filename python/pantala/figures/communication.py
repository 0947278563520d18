"""Distribution of communication time over the ranks of every job."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import polars as pl
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from pantala.figures.runs import RunLike, cases
from pantala.figures.style import MUTED, new_figure, style, time_unit

__all__ = ["communication_time"]


def communication_time(run: RunLike, alone: Mapping[str, RunLike] | None = None) -> Figure:
    """Draws the share of ranks with a communication time of at most x, one line per job.

    Lines of jobs alone are dashed, lines of jobs together are solid. Yang et al. (SC16), Fig. 3,
    judge an application by this distribution over its ranks.

    Args:
        run: the run of all jobs together, or the only run.
        alone: the run of each job alone, by name.
    """
    measured = [
        (
            case,
            case.run.ranks.filter(pl.col("job") == case.job)
            .collect()["communication_time_ns"]
            .sort()
            .to_numpy(),
        )
        for case in cases(run, alone)
    ]
    rows = [
        (case, times) for case, times in measured if len(times)
    ]  # synthetic traffic has no ranks that communicate
    divisor, unit = time_unit(max((float(times[-1]) for _, times in rows), default=1.0))
    with style():
        figure = new_figure(2.7)
        axes = figure.add_subplot()
        for case, times in rows:
            share = np.arange(len(times) + 1) / len(times)
            axes.step(
                np.append(times[:1], times) / divisor,
                share,
                where="post",
                color=case.colour,
                lw=1.3 if case.alone else 1.9,
                ls=(0, (4, 1.5)) if case.alone else "-",
            )
        axes.set_xlim(left=0)
        axes.set_ylim(0, 1)
        axes.set_yticks([0, 0.25, 0.5, 0.75, 1], ["0", "25 %", "50 %", "75 %", "100 %"])
        axes.grid()
        axes.set_xlabel(f"communication time of a rank ({unit})")
        axes.set_ylabel("share of ranks")
        seen = {case.name: case.colour for case, _ in rows}
        key = [Line2D([], [], color=colour, lw=1.9, label=name) for name, colour in seen.items()]
        if any(case.alone for case, _ in rows):
            key += [
                Line2D([], [], color=MUTED, lw=1.3, ls=(0, (4, 1.5)), label="alone"),
                Line2D([], [], color=MUTED, lw=1.9, label="together"),
            ]
        if key:
            figure.legend(handles=key, loc="outside upper left", ncols=len(key))
    return figure
