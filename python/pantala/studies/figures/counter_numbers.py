"""The numbers of the figures of samples, tiles and counters; see `numbers`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import polars as pl

from pantala.analysis.tiles import TILE_CLASSES
from pantala.figures.counters import windows_of
from pantala.figures.job_sizes import sizes_of
from pantala.figures.scores import scored
from pantala.metrics.samples import PERCENTILES, percentiles
from pantala.metrics.times import OUTSIDE
from pantala.studies.figures.cells import cells_of, check_one, seeds_of
from pantala.studies.figures.rows import FigureRows

__all__ = ["COMPUTING", "COUNTER_NUMBERS", "OTHER_CALLS", "TILES"]

#: The words of parts of a bar that are no call.
COMPUTING, OTHER_CALLS = "computing", "other calls"
#: The calls of a panel that have a part of their own.
_CALLS = 3
#: The class of a tile by the class of its link.
TILES = {link: tile for tile, (_, _, links) in TILE_CLASSES.items() for link in links}
_LATENCY = "request_response_latency_mean_ns"


def sample_boxes(figure: FigureRows) -> pl.DataFrame:
    """Returns a row per job and run: its run time, or the time relative to its panel's samples.

    A panel that lacks a series is left out then: its samples say how the others differ from each
    other only.
    """
    rows = _samples(figure)
    value, panels = figure.entry.value, list(figure.entry.panels or ())
    if value:
        rows = _complete(rows, panels, list(figure.entry.series or ()))
    if value == "relative":
        mean = pl.col("execution_time_ns").mean()
        over = mean.over(panels) if panels else mean
        rows = rows.with_columns(relative=pl.col("execution_time_ns") / over)
    elif value == "z_score":
        rows = scored(rows, panels, "execution_time_ns")
    return rows.select(*figure.entry.keys, *_id(rows), value or "execution_time_ns")


def _complete(rows: pl.DataFrame, panels: Sequence[str], series: Sequence[str]) -> pl.DataFrame:
    """Returns the rows of the panels that have every series."""
    if not panels or not series or rows.is_empty():
        return rows
    shown = pl.struct(series).n_unique()
    return rows.filter(shown.over(panels) == rows.select(shown).item())


def z_scores(figure: FigureRows) -> pl.DataFrame:
    """Returns a row per job and run: groups spanned and z-score among the samples of its panel."""
    rows = scored(_samples(figure), list(figure.entry.panels or ()), "execution_time_ns")
    spans = figure.rows("ranks", "group")
    keys = ["case", "part", "job"]
    groups = spans.group_by(keys).agg(groups=pl.col("group").n_unique())
    found = rows.join(groups, on=keys, maintain_order="left")
    return found.select(*figure.entry.keys, *_id(found), "groups", "execution_time_ns", "z_score")


def call_bars(figure: FigureRows) -> pl.DataFrame:
    """Returns the parts of the run time of each job and run: computing, three calls, other calls.

    Times are means over ranks. The calls are those with the longest times in their panel.
    """
    keys = ["case", "part", "job"]
    ranks = figure.rows("ranks", "compute_time_ns")
    means = ranks.group_by(keys).agg(pl.col("compute_time_ns").mean(), ranks=pl.len())
    calls = figure.rows("calls", "call", "time_ns").filter(~pl.col("call").is_in(OUTSIDE))
    calls = calls.join(means, on=keys, maintain_order="left").with_columns(
        time_ns=pl.col("time_ns") / pl.col("ranks")
    )
    found = []
    panels = list(figure.entry.panels or ())
    for own in calls.partition_by(panels, maintain_order=True) if panels else [calls]:
        sums = own.group_by("call").agg(pl.col("time_ns").sum())
        longest = sums.sort("time_ns", "call", descending=[True, False])["call"][:_CALLS].to_list()
        names = pl.when(pl.col("call").is_in(longest)).then("call").otherwise(pl.lit(OTHER_CALLS))
        shown = [*figure.entry.keys, *_id(own), "case", "part", "job"]
        shown = list(dict.fromkeys(shown))
        parts = own.group_by(*shown, names.alias("of"), maintain_order=True).agg(
            pl.col("time_ns").sum()
        )
        computing = own.unique([*shown], maintain_order=True).select(
            *shown, of=pl.lit(COMPUTING), time_ns=pl.col("compute_time_ns")
        )
        found += [computing, parts.select(computing.columns)]
    every = pl.concat(found) if found else pl.DataFrame()
    return every if every.is_empty() else every.drop("case", "part").rename({"of": "part"})


def tile_scatter(figure: FigureRows) -> pl.DataFrame:
    """Returns flits and stalled flits of each tile that moved or held one."""
    tiles = _tiles(figure, figure.entry.keys)
    for cell, own in cells_of(figure, tiles):
        check_one(cell, own.select("case", "part").n_unique(), 1)
    moved = (pl.col("flits") > 0) | (pl.col("stalled_flits") > 0)
    return tiles.filter(moved).drop("case", "part", "router")


def tile_ratios(figure: FigureRows) -> pl.DataFrame:
    """Returns the ratio of each tile with a flit, rising, on the routers that serve the jobs."""
    served = figure.rows("ranks", "router")
    for cell, own in cells_of(figure, served):
        check_one(cell, own.select("case", "part").n_unique(), 1)
    tiles = _tiles(figure, []).filter(pl.col("flits") > 0)
    ids = ["case", "part", "router"]
    routers = served.select(list(dict.fromkeys([*figure.entry.keys, *ids]))).unique()
    found = routers.join(tiles, on=ids).with_columns(
        stalls_to_flits=pl.col("stalled_flits") / pl.col("flits")
    )
    shown = [*figure.entry.keys, "tiles", "link", "stalls_to_flits"]
    return found.sort("stalls_to_flits", "link").select(shown)


def system_counters(figure: FigureRows) -> pl.DataFrame:
    """Returns flits, stalled flits and their ratio in each window, over links between routers."""
    keys = [*figure.entry.keys, "case", "part"]
    rows = figure.of_runs(
        "system_windows", "window_ns", "window_start_ns", "class", "flits", "stall_ns"
    ).filter(pl.col("class").is_in(["local", "row", "column", "global"]))
    times = figure.plan["derived"]["flit_time_ps"]
    found = windows_of(rows, times, keys)
    for cell, own in cells_of(figure, found):
        check_one(cell, own.select("case", "part").n_unique(), 1)
    return found.drop("case", "part")


def latency_percentiles(figure: FigureRows) -> pl.DataFrame:
    """Returns percentiles over nodes and windows of the mean latency, means over seeds."""
    found = []
    for cell, every in cells_of(figure, figure.of_runs("nic_windows", _LATENCY)):
        seeds = [list(percentiles(own[_LATENCY].to_list()).values()) for own in seeds_of(every)]
        means = np.mean(seeds, axis=0).tolist()
        found += [
            {**cell, "percentile": share, "latency_ns": value, "seeds": len(seeds)}
            for share, value in zip(PERCENTILES, means, strict=True)
        ]
    return pl.DataFrame(found, infer_schema_length=None)


def job_sizes(figure: FigureRows) -> pl.DataFrame:
    """Returns nodes and node time of each job, over all runs."""
    jobs = figure.rows("jobs", "start_ns", "end_ns")
    nodes = figure.rows("ranks", "node")
    last = jobs["end_ns"].max()
    end = float(last) if isinstance(last, float) else 0.0
    found = []
    for cell, own in cells_of(figure, jobs):
        for (case, part), rows in own.group_by("case", "part", maintain_order=True):
            ranks = nodes.filter(pl.col("case") == case, pl.col("part") == part)
            ends = rows["end_ns"].max()
            sizes = sizes_of(rows, ranks, float(ends) if isinstance(ends, float) else end)
            found += [
                {**cell, "nodes": row["nodes"], "node_ns": row["node_ns"]}
                for row in sizes.iter_rows(named=True)
            ]
    return pl.DataFrame(found, infer_schema_length=None)


#: The function of each kind.
COUNTER_NUMBERS: Mapping[str, Callable[[FigureRows], pl.DataFrame]] = {
    "sample-boxes": sample_boxes,
    "z-scores": z_scores,
    "call-bars": call_bars,
    "tile-scatter": tile_scatter,
    "tile-ratios": tile_ratios,
    "system-counters": system_counters,
    "latency-percentiles": latency_percentiles,
    "job-sizes": job_sizes,
}


def _samples(figure: FigureRows) -> pl.DataFrame:
    """Returns the jobs that ended, with the column ``execution_time_ns``."""
    rows = figure.rows("jobs", "complete", "start_ns", "end_ns").filter(pl.col("complete"))
    return rows.with_columns(execution_time_ns=pl.col("end_ns") - pl.col("start_ns"))


def _id(rows: pl.DataFrame) -> list[str]:
    """Returns the columns that tell samples of one cell apart."""
    return [name for name in ("seed", "job") if name in rows.columns]


def _tiles(figure: FigureRows, keys: Sequence[str]) -> pl.DataFrame:
    """Returns the counters of each tile, with some columns of the figure."""
    ends = ["link", "class", "source_router", "target_router", "busy_ns", "stall_ns"]
    rows = figure.of_runs("links", *ends)
    times: Mapping[str, Any] = figure.plan["derived"]["flit_time_ps"]
    flit = {name: time / 1000 for name, time in times.items()}
    flit |= dict.fromkeys(("injection", "ejection"), flit["terminal"])
    time = pl.col("class").replace_strict(flit, return_dtype=pl.Float64)
    return rows.select(
        *keys,
        "case",
        "part",
        "link",
        tiles=pl.col("class").replace_strict(TILES, default=pl.col("class")),
        router=pl.col("source_router").fill_null(pl.col("target_router")),
        flits=pl.col("busy_ns") / time,
        stalled_flits=pl.col("stall_ns") / time,
    )
