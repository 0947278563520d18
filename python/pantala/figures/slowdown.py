"""Communication time of every job, alone and together."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import polars as pl
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from pantala.analysis.uncompared import why_unknown
from pantala.errors import UsageError
from pantala.figures.runs import check_jobs
from pantala.figures.style import INK, MUTED, colours, horizontal_rows, new_figure, style
from pantala.text.amounts import time_unit

__all__ = ["slowdown_bars"]

#: Jobs that a message names.
_MOST = 4


def slowdown_bars(
    slowdown: pl.DataFrame, jobs: Collection[str] = (), names: Sequence[str] = ()
) -> Figure:
    """Draws communication time as bars with the mean, the standard deviation and the slowest rank.

    The metric and the comparison with a run alone are those of Kang et al. (SC22), Fig. 4.

    Args:
        slowdown: the content of slowdown.parquet: `name`,
            `{alone,together}_communication_time_{mean,std,max}_ns` and `slowdown` per job. Rows
            without a slowdown are left out.
        jobs: only these jobs; all by default.
        names: all jobs of the run, in the order of the plan: a job has the colour of its place, as
            in the other figures. By default the jobs of the table.

    Raises:
        UsageError: there is no such job, or no job that is shown has a slowdown.
    """
    check_jobs(jobs, slowdown["name"].to_list())
    colour = colours(dict.fromkeys([*names, *slowdown["name"]]))
    rows = [row for row in slowdown.to_dicts() if not jobs or row["name"] in jobs]
    rows = [row for row in rows if row["slowdown"] is not None]
    if not rows:
        shown = slowdown.filter(pl.col("name").is_in(list(jobs))) if jobs else slowdown
        raise UsageError(_without(shown))
    longest = max(
        max(row[f"{part}_communication_time_max_ns"] for part in ("alone", "together"))
        for row in rows
    )
    divisor, unit = time_unit(longest)
    with style():
        figure = new_figure(0.9 + 0.78 * len(rows))
        axes = figure.add_subplot()
        for index, row in enumerate(rows):
            for offset, part in ((-0.19, "alone"), (0.19, "together")):
                mean, std, slowest = (
                    row[f"{part}_communication_time_{key}_ns"] / divisor
                    for key in ("mean", "std", "max")
                )
                y = index + offset
                alone = part == "alone"
                axes.barh(y, mean, 0.33, color=colour[row["name"]], alpha=0.35 if alone else 1.0)
                axes.errorbar(mean, y, xerr=std, color=INK, lw=1.0, capsize=2.5)
                axes.plot(slowest, y, "D", color=MUTED, ms=4)
        # The factors stand on the left because a narrow screen shows only the left part.
        labels = [f"{row['name']}\n{row['slowdown']:.2f} \N{MULTIPLICATION SIGN}" for row in rows]
        horizontal_rows(axes, labels, range(len(rows)))
        axes.set_xlim(0, longest / divisor * 1.04)
        axes.set_xlabel(f"communication time of a rank ({unit})")
        key = [
            Patch(facecolor=MUTED, alpha=0.35, label="alone"),
            Patch(facecolor=MUTED, label="together"),
            Line2D([], [], color=INK, lw=1.0, marker="|", ms=6, label="± 1 standard deviation"),
            Line2D([], [], color=MUTED, ls="", marker="D", ms=4, label="slowest rank"),
        ]
        figure.legend(handles=key, loc="outside upper left", ncols=4)
    return figure


def _without(slowdown: pl.DataFrame) -> str:
    """Returns the message on jobs of which none has a slowdown."""
    reasons = [
        f"{row['name']}: {why_unknown(row) or 'it has no communication time'}"
        for row in slowdown.to_dicts()
        if row["compared"] is not None
    ]
    why = "; ".join(reasons[:_MOST]) or "there is no run alone"
    return (
        f"figure slowdown-bars: no job has a slowdown of communication time; {why}; let the runs"
        " last longer (stop.duration), or name another figure"
    )
