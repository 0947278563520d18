"""Load or stall of single links over time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import polars as pl
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.image import AxesImage

from pantala.analysis.link_busy import LEAST_PART, ROUNDING, busy_windows
from pantala.errors import UsageError
from pantala.figures.absent_links import has_links, without_links
from pantala.figures.cuts import ShownRun, mark_cuts, time_label
from pantala.figures.runs import Given, recorded, runs_of
from pantala.figures.steps import steps_of
from pantala.figures.style import PERCENT, new_figure, style
from pantala.run_tables.exact_sums import exact_sum
from pantala.run_tables.link_classes import INSIDE_GROUPS, NETWORK
from pantala.run_tables.run_like import RunLike, job_names, link_window_ns
from pantala.run_tables.skipped_time import skipped_spans, without_skipped
from pantala.text.amounts import time_unit

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["LinkTimes", "links_over_time", "links_over_time_table"]

#: Steps of a share of a window, in sums that are only compared.
_SHARE_STEPS = 2**32
#: The quantities of a cell.
LinkTimes = Literal["load", "stall"]
# Rows that have their own label.
_NAMED = 40


def links_over_time(
    given: Given,
    measure: LinkTimes = "load",
    classes: Sequence[str] = NETWORK,
    job: str | None = None,
    count: int = 100,
) -> Figure:
    """Draws a heat map of links (rows) and time windows (columns): load or stall.

    The link with the highest peak is at the top. Load is the share of the window in which the link
    was sending; stall is the share in which a packet was ready, the link idle, and no packet had
    credit. If there are more than 1,000 windows, several share a column, with their mean. A last
    window shorter than a tenth of the others is no peak.

    Args:
        given: one run, or several runs by title; each has a panel.
        measure: the quantity of a cell.
        classes: the link classes to include.
        job: count only the bytes or the stall of this job.
        count: the maximum number of links; the links of lower peaks are left out.

    Raises:
        UsageError: a run recorded no link windows, or has no such job, or no link has anything to
            show.
    """
    runs = runs_of(given)
    found = {
        title: links_over_time_table(run, measure, classes, job, count)
        for title, run in runs.items()
    }
    if not any(links for links, *_ in found.values()):
        if not any(has_links(run, classes) for run in runs.values()):
            raise UsageError(without_links("links-over-time", classes))
        did = "stalled" if measure == "stall" else "carried a packet"
        whose = "" if job is None else f" of job {job}"
        raise UsageError(
            f"figure links-over-time: no link of {', '.join(classes)} {did}{whose}; name another"
            " --class or another run"
        )
    top = max((float(cells.max(initial=0)) for _, cells, _ in found.values()), default=0.0)
    start = min((float(edges[0]) for *_, edges in found.values()), default=0.0)
    end = max((float(edges[-1]) for *_, edges in found.values()), default=1.0)
    divisor, unit = time_unit(end)
    with style():
        heights = [min(3.6, max(1.0, 0.5 + 0.15 * len(links))) for links, *_ in found.values()]
        figure = new_figure(0.7 + sum(heights))
        panels = figure.subplots(len(found), squeeze=False, sharex=True, height_ratios=heights)
        for axes, (title, (links, cells, edges)) in zip(panels.ravel(), found.items(), strict=True):
            image = _panel(axes, links, cells, edges / divisor, top or 1.0)
            of = f"the {len(links)} links with the highest peak"
            whose = f", {job} only" if job else ""
            axes.set_title(
                f"{title}: {of}{whose}" if len(found) > 1 else f"{of}{whose}".capitalize()
            )
        panels[-1, 0].set_xlim(start / divisor, end / divisor)
        marked = zip(panels.ravel(), runs.values(), strict=True)
        mark_cuts([(axes, [ShownRun(run)]) for axes, run in marked], divisor)
        panels[-1, 0].set_xlabel(time_label(runs.values(), unit))
        bar = figure.colorbar(image, ax=panels.ravel().tolist(), aspect=30, pad=0.015)
        bar.ax.yaxis.set_major_formatter(PERCENT)
        joined = any(
            len(edges) > 1 and edges[1] - edges[0] > 1.5 * link_window_ns(run)
            for run, (*_, edges) in zip(runs.values(), found.values(), strict=True)
        )
        bar.set_label(f"{measure}: share of the {'time of a column' if joined else 'window'}")
        bar.outline.set_visible(False)
    return figure


def links_over_time_table(
    run: RunLike,
    measure: LinkTimes,
    classes: Sequence[str] = NETWORK,
    job: str | None = None,
    count: int = 100,
) -> tuple[list[dict[str, Any]], NDArray[np.float64], NDArray[np.float64]]:
    """Returns the links with the highest peak, their cells by window, and the windows' edges in ns.

    Arguments and errors are those of `links_over_time`.
    """
    recorded(run, "link_windows")
    windows, of_job = busy_windows(run), pl.lit(value=True)
    if job is not None:
        numbers = [number for number, name in job_names(run).items() if name == job]
        if not numbers:
            known = ", ".join(job_names(run).values())
            raise UsageError(f"there is no job '{job}'; the jobs are {known}")
        of_job = pl.col("job").is_in(numbers)
    length = link_window_ns(run)
    simulated = float(run.document["simulated_ns"])
    links = run.links.filter(pl.col("class").is_in(classes))
    start = pl.col("window_start_ns")
    value = windows.busy_ns if measure == "load" else exact_sum("stall_ns")
    width = pl.min_horizontal(pl.lit(length), simulated - start)
    long = width >= min(LEAST_PART * length, simulated) - ROUNDING
    cells = [
        part.filter(pl.col("class").is_in(classes), of_job)
        .group_by("link", "window_start_ns")
        .agg(value.alias("value"))
        .with_columns((pl.col("value") / width).clip(0, 1))
        .filter(pl.col("value") > 0)
        for part in windows.parts
    ]
    peaks = [
        part.group_by("link")
        .agg(
            peak=pl.col("value").filter(long).max().fill_null(0.0),
            total=exact_sum("value", _SHARE_STEPS),
            first=start.min(),
        )
        .collect(engine="streaming")
        for part in cells
    ]
    best = (
        pl.concat(peaks)
        .group_by("link")
        .agg(pl.col("peak").max(), pl.col("total").sum(), pl.col("first").min())
        .sort(["peak", "total", "link"], descending=[True, True, False])
        .head(count)
        .with_row_index("row")
    )
    chosen = best.lazy().select("link", "row")
    spans = skipped_spans(run)
    starts = without_skipped(spans, best["first"].to_numpy() if best.height else np.zeros(1))
    end = float(without_skipped(spans, np.array(simulated)))
    steps = steps_of(starts, length, end)
    shown = np.zeros((best.height, len(steps.widths_ns)))
    for part in cells:
        inside = part.join(chosen, on="link").collect(engine="streaming")
        starts = without_skipped(spans, inside["window_start_ns"].to_numpy())
        places = steps.places(starts)
        share = np.minimum(length, end - starts) / steps.widths_ns[places]
        np.add.at(shown, (inside["row"].to_numpy(), places), inside["value"].to_numpy() * share)
    rows = best.join(links.collect(), on="link", how="left", maintain_order="left").to_dicts()
    return rows, shown, steps.edges_ns


def _panel(
    axes: Axes,
    links: Sequence[Mapping[str, Any]],
    cells: NDArray[np.float64],
    edges: NDArray[np.float64],
    top: float,
) -> AxesImage:
    whole = edges[1] - edges[0] if len(edges) > 1 else 1.0
    image = axes.imshow(
        cells if len(cells) else np.zeros((1, 1)),
        cmap="magma_r",
        vmin=0,
        vmax=top,
        aspect="auto",
        interpolation="none",
        extent=(
            float(edges[0]),
            float(edges[0] + whole * max(1, cells.shape[1])),
            max(1, len(links)) - 0.5,
            -0.5,
        ),
    )
    for spine in axes.spines.values():
        spine.set_visible(False)
    axes.tick_params(length=2)
    if 0 < len(links) <= _NAMED:
        size = 7.5 if len(links) <= 24 else 6
        axes.set_yticks(range(len(links)), [_short(link) for link in links], fontsize=size)
    else:
        axes.set_ylabel("link")
    return image


def _short(link: Mapping[str, Any]) -> str:
    if link["class"] == "global":
        return f"global g{link['source_group']} → g{link['target_group']}"
    if link["class"] in INSIDE_GROUPS:
        return f"{link['class']} r{link['source_router']} → r{link['target_router']}"
    return f"{link['class']} n{link['node']}"
