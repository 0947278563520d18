"""The paths of every job's packets over simulated time."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from pantala.figures.cuts import mark_cuts, of_jobs, time_label
from pantala.figures.legend import add_key, runs_key
from pantala.figures.runs import Case, Given, cases, rows_of
from pantala.figures.steps import stairs, steps_of
from pantala.figures.style import MUTED, new_figure, panels_height, style
from pantala.run_tables.run_like import RunLike
from pantala.run_tables.skipped_time import skipped_spans, without_skipped
from pantala.text.amounts import time_unit

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["nonminimal_over_time"]

#: The maximum number of steps; beyond it, windows are joined.
_STEPS = 240


def nonminimal_over_time(
    given: Given,
    alone: Mapping[str, RunLike] | None = None,
    jobs: Collection[str] = (),
) -> Figure:
    """Draws the share of packets on non-minimal paths in each window, one panel per job.

    A packet counts in the window in which it arrives. The filled part of a single run is the share
    that a router after the source diverted, as progressive routings do. A window without a packet
    has no line.

    Args:
        given: one run, or several runs and experiments by title.
        alone: the run of each job alone, by name; only for one run.
        jobs: only these jobs; all by default.

    Raises:
        UsageError: no run recorded `routing_windows`, or there is no such job.
    """
    found = [
        (case, _shares(case, frame)) for case, frame in rows_of(cases(given, alone, jobs), _TABLE)
    ]
    names = list(dict.fromkeys(case.name for case, _ in found))
    divisor, unit = time_unit(max(float(edges[-1]) for _, (edges, *_) in found))
    rerouted = False
    with style():
        figure = new_figure(panels_height(len(names)))
        panels = figure.subplots(len(names), sharex=True, squeeze=False).ravel()
        for axes, name in zip(panels, names, strict=True):
            for case, (edges, nonminimal, later) in found:
                if case.name != name:
                    continue
                if not case.alone and not case.place and np.nansum(later) > 0:
                    rerouted = True
                    stairs(axes, later, edges / divisor, fill=True, color=case.colour, alpha=0.25)
                stairs(axes, nonminimal, edges / divisor, baseline=None, **case.line)
            axes.set_title(name)
            axes.grid(axis="y")
            axes.margins(x=0)
            axes.set_ylim(0, 100)
        shown = list({id(case.run): case.run for case, _ in found}.values())
        mark_cuts(of_jobs(panels, names, [case for case, _ in found]), divisor)
        panels[-1].set_xlabel(time_label(shown, unit))
        figure.supylabel("packets on non-minimal paths (%)", fontsize=9)
        key = runs_key([case for case, _ in found])
        if rerouted and not key:
            key.append(Line2D([], [], color=MUTED, label="all non-minimal"))
        if rerouted:
            key.append(Patch(color=MUTED, alpha=0.4, lw=0, label="diverted after the source"))
        add_key(figure, key)
    return figure


_TABLE = "routing_windows"


def _shares(case: Case, frame: pl.DataFrame) -> tuple[NDArray[Any], ...]:
    """Returns the edges of steps, the share of non-minimal and of rerouted packets in each."""
    length = float(case.run.document["plan"]["record"]["routing_windows_ps"]) / 1000
    starts = without_skipped(skipped_spans(case.run), frame["window_start_ns"].to_numpy())
    steps = steps_of(starts, length, float(starts.max()) + length, _STEPS)
    counts = [
        steps.sums(starts, frame[column].to_numpy())
        for column in ("packets", "nonminimal", "rerouted")
    ]
    nothing = np.full(len(counts[0]), np.nan)
    shares = [
        100 * np.divide(part, counts[0], out=nothing.copy(), where=counts[0] > 0)
        for part in counts[1:]
    ]
    return steps.edges_ns, *shares
