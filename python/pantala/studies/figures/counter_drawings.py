"""The drawings of the figures of samples, tiles and counters; see `drawings`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import polars as pl
from matplotlib.figure import Figure
from matplotlib.patches import Patch

from pantala.analysis.hottest_links import ALL_CLASSES
from pantala.analysis.tiles import TILE_CLASSES
from pantala.figures.calls import NO_CALL
from pantala.figures.counters import counter_boxes
from pantala.figures.job_sizes import size_lines
from pantala.figures.legend import add_key
from pantala.figures.link_shares import by_column, shares_of
from pantala.figures.nic_latency import percentile_lines
from pantala.figures.scores import score_panels
from pantala.figures.seeds import Box, seed_boxes
from pantala.figures.style import MUTED, PALETTE, new_figure, style, unit_for
from pantala.figures.tile_ratios import NETWORK_TILES, RATIO, TERMINAL
from pantala.figures.tiles import scatter_of
from pantala.metrics.samples import PERCENTILES
from pantala.studies.figures.counter_numbers import COMPUTING, OTHER_CALLS
from pantala.studies.figures.look import Look, first_of, parts_of

__all__ = ["COUNTER_DRAWINGS"]

_SAMPLES = {
    "execution_time_ns": ("run time", "ns"),
    "relative": ("run time over the mean of all samples", ""),
    "z_score": ("z-score of the run time", ""),
}
#: The most columns of panels of bars.
_COLUMNS = 4


def sample_boxes(numbers: pl.DataFrame, look: Look) -> Figure:
    """Draws a box over the samples of each cell, and every sample."""
    entry, value = look.entry, look.entry.value or "execution_time_ns"
    boxes = []
    for own in parts_of(numbers, entry.keys):
        row = first_of(own)
        names = (look.words(each or (), row) for each in (entry.panels, entry.groups, entry.series))
        label = ", ".join(filter(None, names))
        boxes.append(Box(label, look.words(entry.series or (), row), own[value].to_list()))
    return seed_boxes(boxes, *_SAMPLES[value], point="one sample")


def z_scores(numbers: pl.DataFrame, look: Look) -> Figure:
    """Draws z-scores by groups spanned."""
    entry = look.entry
    panels = [look.words(entry.panels or (), row) for row in numbers.iter_rows(named=True)]
    series = [look.words(entry.series or (), row) for row in numbers.iter_rows(named=True)]
    rows = numbers.select("groups", "z_score").with_columns(
        pl.Series("panel", panels, pl.String), pl.Series("series", series, pl.String)
    )
    looks = {name: _line(look, numbers, name)["color"] for name in dict.fromkeys(series)}
    return score_panels(rows, "run time", looks)


def call_bars(numbers: pl.DataFrame, look: Look) -> Figure:
    """Draws a bar per job and run, from the shortest to the longest in each panel."""
    entry = look.entry
    panels = parts_of(numbers, entry.panels or [])
    samples = [name for name in ("seed", "job") if name in numbers.columns]
    others = [name for name in entry.keys if name not in (entry.panels or ())]
    calls = [
        name
        for name in numbers["part"].unique(maintain_order=True).to_list()
        if name not in (COMPUTING, OTHER_CALLS)
    ]
    colours = {COMPUTING: NO_CALL} | dict(zip(calls, PALETTE, strict=False)) | {OTHER_CALLS: MUTED}
    high = max(
        float(
            own.group_by([*samples, *others])
            .agg(pl.col("time_ns").sum())["time_ns"]
            .to_numpy()
            .max()
        )
        for own in panels
    )
    divisor, unit = unit_for("ns", high)
    columns = min(_COLUMNS, len(panels))
    down = -(-len(panels) // columns)
    with style():
        figure = new_figure(0.9 + 2.3 * down)
        grid = figure.subplots(down, columns, sharey=True, squeeze=False).ravel()
        for axes in grid[len(panels) :]:
            axes.set_visible(False)
        for axes, own in zip(grid, panels, strict=False):
            keys = [*samples, *others]
            wide = own.pivot("part", index=keys, values="time_ns", aggregate_function="sum")
            parts = [name for name in colours if name in wide.columns]
            wide = wide.with_columns(pl.col(parts).fill_null(0.0))
            wide = wide.with_columns(total=pl.sum_horizontal(parts)).sort("total")
            bottom = np.zeros(wide.height)
            for name in parts:
                height = wide[name].to_numpy() / divisor
                axes.bar(range(wide.height), height, 0.9, bottom=bottom, color=colours[name], lw=0)
                bottom += height
            axes.set_title(look.words(entry.panels or (), first_of(own)))
            axes.set_xticks([])
            axes.set_xlim(-0.8, wide.height - 0.2)
            axes.grid(axis="y")
        grid[(down - 1) * columns].set_xlabel("runs, from the shortest to the longest")
        figure.supylabel(f"run time ({unit})", fontsize=9)
        known = set(numbers["part"].to_list())
        add_key(
            figure,
            [
                Patch(facecolor=colour, label=name)
                for name, colour in colours.items()
                if name in known
            ],
        )
    return figure


def tile_scatter(numbers: pl.DataFrame, look: Look) -> Figure:
    """Draws stalled flits against flits of tiles."""
    return scatter_of(
        {
            look.words(look.entry.keys, first_of(own)): own.select(
                "link", "flits", "stalled_flits", pl.col("tiles").alias("class")
            )
            for own in parts_of(numbers, look.entry.keys)
        }
    )


def tile_ratios(numbers: pl.DataFrame, look: Look) -> Figure:
    """Draws the distribution of ratios over tiles, a panel per class after all network tiles."""
    entry = look.entry
    every = (*TILE_CLASSES, *ALL_CLASSES)  # machines without tiles have links
    classes = [name for name in every if (numbers["tiles"] == name).any()]
    network = [name for name in classes if name not in TERMINAL]
    panels: dict[str, dict[str, Any]] = {}
    looks: dict[str, dict[str, Any]] = {}
    for own in parts_of(numbers, entry.panels or []):
        title = look.words(entry.panels or (), first_of(own))
        for name, of in {NETWORK_TILES: network, **{each: [each] for each in classes}}.items():
            if entry.panels and name != NETWORK_TILES:
                continue  # several panels of a paper's figure show all network tiles
            lines = panels.setdefault(", ".join(filter(None, (title, name))), {})
            for line in parts_of(own, entry.series or []):
                row = first_of(line)
                words = look.words(entry.series or (), row)
                looks.setdefault(words, look.line(row))
                chosen = line.filter(pl.col("tiles").is_in(of))
                lines[words] = chosen["stalls_to_flits"].to_numpy()
    return shares_of(panels, RATIO, looks, by_column(panels), what="tiles")


def system_counters(numbers: pl.DataFrame, look: Look) -> Figure:
    """Draws boxes of counters over windows."""
    found, colours = {}, {}
    for own in parts_of(numbers, look.entry.keys):
        row = first_of(own)
        name = look.words(look.entry.keys, row)
        found[name] = (name, own)
        colours[name] = str(look.line(row)["color"])
    return counter_boxes(found, colours)


def latency_percentiles(numbers: pl.DataFrame, look: Look) -> Figure:
    """Draws percentiles of latency side by side."""
    lines, looks = {}, {}
    for own in parts_of(numbers, look.entry.keys):
        row = first_of(own)
        name = look.words(look.entry.keys, row)
        lines[name] = own["latency_ns"].to_list()
        looks[name] = look.line(row)
    return percentile_lines(lines, PERCENTILES, looks)


def job_sizes(numbers: pl.DataFrame, look: Look) -> Figure:
    """Draws the share of core-hours in larger jobs."""
    lines, looks = {}, {}
    for own in parts_of(numbers, look.entry.keys):
        row = first_of(own)
        name = look.words(look.entry.keys, row)
        lines[name] = own["nodes"].to_numpy(), own["node_ns"].to_numpy()
        looks[name] = look.line(row)
    return size_lines(lines, looks)


#: The function of each kind.
COUNTER_DRAWINGS: Mapping[str, Callable[[pl.DataFrame, Look], Figure]] = {
    "sample-boxes": sample_boxes,
    "z-scores": z_scores,
    "call-bars": call_bars,
    "tile-scatter": tile_scatter,
    "tile-ratios": tile_ratios,
    "system-counters": system_counters,
    "latency-percentiles": latency_percentiles,
    "job-sizes": job_sizes,
}


def _line(look: Look, numbers: pl.DataFrame, series: str) -> dict[str, Any]:
    """Returns the look of a series by its words."""
    for own in parts_of(numbers, look.entry.series or []):
        row = first_of(own)
        if look.words(look.entry.series or (), row) == series:
            return look.line(row)
    return {"color": MUTED}
