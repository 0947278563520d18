"""Distribution of communication time over the ranks of every job."""

from __future__ import annotations

from collections.abc import Collection, Mapping

import numpy as np
import polars as pl
from matplotlib.figure import Figure

from pantala.errors import UsageError
from pantala.figures.legend import add_key, markers_key, runs_key
from pantala.figures.runs import Given, cases
from pantala.figures.style import marker, new_figure, style
from pantala.run_tables.run_like import RunLike
from pantala.text.amounts import time_unit

__all__ = ["communication_time"]


def communication_time(
    given: Given,
    alone: Mapping[str, RunLike] | None = None,
    jobs: Collection[str] = (),
) -> Figure:
    """Draws the share of ranks with a communication time of at most x, one line per job.

    Lines of jobs alone are dashed, lines of jobs together are solid; each job has its mark. Yang
    et al. (SC16), Fig. 3, judge an application by this distribution over its ranks.

    Args:
        given: one run, or several runs and experiments by title.
        alone: the run of each job alone, by name; only for one run.
        jobs: only these jobs; all by default.

    Raises:
        UsageError: no rank communicates, or there is no such job.
    """
    measured = [
        (
            case,
            case.run.ranks.filter(pl.col("job") == case.job)
            .collect()["communication_time_ns"]
            .sort()
            .to_numpy(),
        )
        for case in cases(given, alone, jobs)
    ]
    rows = [
        (case, times) for case, times in measured if len(times) and times[-1] > 0
    ]  # synthetic traffic has no ranks that communicate
    if not rows:
        raise UsageError("figure communication-time: no rank communicates; name a run of MPI jobs")
    names = list(dict.fromkeys(case.name for case, _ in rows))
    divisor, unit = time_unit(max(float(times[-1]) for _, times in rows))
    with style():
        figure = new_figure(2.7)
        axes = figure.add_subplot()
        for case, times in rows:
            share = np.arange(len(times) + 1) / len(times)
            axes.step(
                np.append(times[:1], times) / divisor,
                share,
                where="post",
                marker=marker(names.index(case.name)),
                markevery=0.15,
                ms=4,
                mfc="white" if case.alone else case.colour,
                **case.line,
            )
        axes.set_xlim(left=0)
        axes.set_ylim(0, 1)
        axes.set_yticks([0, 0.25, 0.5, 0.75, 1], ["0", "25 %", "50 %", "75 %", "100 %"])
        axes.grid()
        axes.set_xlabel(f"communication time of a rank ({unit})")
        axes.set_ylabel("share of ranks")
        shown = [case for case, _ in rows]
        add_key(figure, [*markers_key(shown, names), *runs_key(shown)])
    return figure
