"""How an experiment of a sweep shows itself in a notebook: as HTML."""

from __future__ import annotations

from math import isfinite
from typing import TYPE_CHECKING

import polars as pl

from pantala.text.amounts import PAGE, count
from pantala.text.notebook_page import page, table

if TYPE_CHECKING:
    from pantala.experiments.experiment import Experiment

__all__ = ["sweep_html"]

#: Rows of the table.
_MOST_ROWS = 40


def sweep_html(experiment: Experiment) -> str:
    """Returns an experiment: its runs, and the communication time of each job by case."""
    runs = experiment.runs
    done = runs.filter(pl.col("state") == "done").height
    facts = {
        "axes": ", ".join(f"{axis} ({runs[axis].n_unique()})" for axis in experiment.axes),
        "runs": f"{count(done)} of {count(runs.height)}",
        "directory": str(experiment.path),
    }
    value = "communication_time_mean_ns"
    title = f"Experiment {experiment.name}: mean communication time over seeds"
    if not done:
        return page(title, facts, "")
    times = experiment.intervals(value)
    keys = times.columns[: times.columns.index("runs")]
    rows = [
        [*map(str, row[:-3]), count(row[-3]), PAGE.duration(row[-2]), _half(row[-1])]
        for row in times.select(
            *keys, "runs", "mean", (pl.col("high") - pl.col("low")) / 2
        ).iter_rows()
    ]
    more = len(rows) - _MOST_ROWS
    note = f"<small>... {count(more)} more rows: Experiment.intervals</small>" if more > 0 else ""
    headings = [*keys, "seeds", "communication", "\N{PLUS-MINUS SIGN}"]
    return page(title, facts, table(headings, rows[:_MOST_ROWS]) + note)


def _half(half: float) -> str:
    return PAGE.duration(half) if isfinite(half) else "-"
