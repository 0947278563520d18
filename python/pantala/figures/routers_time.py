"""Traffic of every job on the routers that serve one job, over simulated time."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Patch

from pantala.figures.cuts import ShownRun, mark_cuts, time_label
from pantala.figures.legend import add_key
from pantala.figures.runs import Case, Given, cases, recorded, refuse_without_windows
from pantala.figures.steps import stairs, steps_of
from pantala.figures.style import HATCHES, colours, new_figure, style
from pantala.metrics.routers import arrival_rate, serving_routers
from pantala.run_tables.job_nodes import job_nodes
from pantala.run_tables.run_like import RunLike, job_names
from pantala.run_tables.skipped_time import skipped_spans, without_skipped
from pantala.text.amounts import time_unit

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["routers_over_time"]


def routers_over_time(
    given: Given,
    alone: Mapping[str, RunLike] | None = None,
    jobs: Collection[str] = (),
) -> Figure:
    """Draws the bytes per time on the routers that serve each job, divided by the job of the bytes.

    A panel has the routers of one job. The areas are stacked: all routers of the panel together
    send the sum. The figure follows Wang et al. (IPDPS 2020), Fig. 8. It shows windows of the
    shortest length that the run recorded; it joins them if there are more than 1,000.

    Args:
        given: one run, or several runs and experiments by title.
        alone: the run of each job alone, by name; only for one run.
        jobs: only these jobs; all by default.

    Raises:
        UsageError: a run did not record its routers, or there is no such job.
    """
    found = [(case, *_rates(case)) for case in cases(given, alone, jobs)]
    names = list(dict.fromkeys(case.name for case in cases(given, alone)))
    names += [n for case, *_ in found for n in job_names(case.run).values() if n not in names]
    colour = colours(names)
    hatch = {name: HATCHES[at % len(HATCHES)] for at, name in enumerate(names)}
    divisor, unit = time_unit(max((float(edges[-1]) for _, _, edges, _ in found), default=1.0))
    with style():
        figure = new_figure(0.75 + 1.35 * max(1, len(found)))
        panels = figure.subplots(
            max(1, len(found)), sharex=True, sharey=True, squeeze=False
        ).ravel()
        for axes, (case, routers, edges, rates) in zip(panels, found, strict=False):
            _areas(axes, edges / divisor, rates, colour, hatch)
            axes.set_title(f"routers that serve {case.label}: {routers:,}")
        panels[0].set_ylim(bottom=0)  # of all panels, after the last: a limit ends the scaling
        starts = [
            edges[np.flatnonzero(rate)[0]]
            for _, _, edges, rates in found
            for rate in rates.values()
        ]
        panels[-1].set_xlim(left=min(starts, default=0.0) / divisor)
        runs = list({id(case.run): case.run for case, *_ in found}.values())
        mark_cuts(
            [(axes, [ShownRun(case.run)]) for axes, (case, *_) in zip(panels, found, strict=False)],
            divisor,
        )
        panels[-1].set_xlabel(time_label(runs, unit))
        figure.supylabel("traffic (GB/s)", fontsize=9)
        shown = {name for *_, rates in found for name in rates}
        add_key(
            figure,
            [
                Patch(facecolor=colour[name], hatch=hatch[name], edgecolor="#ffffff", label=name)
                for name in names
                if name in shown
            ],
        )
    return figure


def _areas(
    axes: Axes,
    edges: NDArray[Any],
    rates: Mapping[str, NDArray[Any]],
    colour: Mapping[str, str],
    hatch: Mapping[str, str],
) -> None:
    below = np.zeros(len(edges) - 1)
    for name, rate in rates.items():
        stairs(
            axes,
            below + rate,
            edges,
            baseline=below,
            fill=True,
            facecolor=colour[name],
            edgecolor="#ffffff",
            hatch=hatch[name],
            lw=0,
        )
        below = below + rate
    axes.grid(axis="y")
    axes.margins(x=0)


def _rates(case: Case) -> tuple[int, NDArray[Any], dict[str, NDArray[Any]]]:
    """Returns the number of routers of a job, edges of windows, and GB/s by job with traffic."""
    run = case.run
    refuse_without_windows(run, "routers")
    windows = recorded(run, "router_windows").filter(
        pl.col("window_ns") == pl.col("window_ns").min(),
        pl.col("window_start_ns") < run.document["simulated_ns"],
    )
    ranks = job_nodes(run.ranks, run.document["plan"], case.job)
    routers = serving_routers(ranks)
    # One row per window and job, as if one router sent it all: the table may not fit into memory.
    serves = pl.col("router").is_in(routers)
    frame = (
        windows.group_by("window_ns", "window_start_ns", "job")
        .agg(pl.col("bytes").filter(serves).sum(), pl.col("router").filter(serves).first())
        .with_columns(
            pl.when(pl.col("router").is_not_null()).then(pl.lit(routers[0])).alias("router")
        )
        .collect(engine="streaming")
    )
    spans = skipped_spans(run)
    end = float(without_skipped(spans, np.array(run.document["simulated_ns"])))
    length = float(frame["window_ns"][0])
    steps = steps_of(without_skipped(spans, frame["window_start_ns"].to_numpy()), length, end)
    rates = arrival_rate(frame, ranks)
    by_job = {}
    for job, name in job_names(run).items():
        own = rates.filter(pl.col("job") == job)
        if own.is_empty():
            continue
        bytes_ = own["rate_gb_per_s"].to_numpy() * length  # of a whole window; the last is shorter
        starts = without_skipped(spans, own["window_start_ns"].to_numpy())
        by_job[name] = steps.sums(starts, bytes_) / steps.widths_ns
    return len(routers), steps.edges_ns, by_job
