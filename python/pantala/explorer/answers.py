"""The tables that the page reads, each by its name: the numbers of every view.

A table has one row per window, or all rows of a small table of the run. The page sums windows over
the interval that its user selects.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import polars as pl

from pantala.analysis.tiles import has_tiles
from pantala.errors import UsageError
from pantala.explorer.cube import Cube
from pantala.explorer.latencies import latencies
from pantala.explorer.packets import packets_over
from pantala.explorer.presence import phases, presence
from pantala.explorer.waits import links_waited_at, waits_at, waits_between
from pantala.results.run import Run
from pantala.run_tables.job_nodes import job_nodes
from pantala.run_tables.run_like import table

__all__ = [
    "ARGUMENTS",
    "FROM_CUBE",
    "MOST_GROUP_ROWS",
    "TABLES_OF_PAGE",
    "WORST",
    "Answer",
    "answer",
    "side_by_side",
]

#: A table and its facts.
Answer = tuple[pl.DataFrame, dict[str, Any]]
#: Links of each class that the heat map has, by peak load and again by peak stall.
WORST = 60
#: Rows of the links of one group at most; windows are joined beyond that.
MOST_GROUP_ROWS = 1_000_000
#: Rows of bands and of ranks and iterations at most.
_MOST_BANDS, _MOST_RANKS = 4000, 400_000
_CLASSES = ("injection", "ejection", "local", "row", "column", "global")


def answer(run: Run, cube: Cube | None, name: str, argument: int | None = None) -> Answer:
    """Returns a table of the page; it has no rows if the run did not record what it needs.

    The facts then name the table of the run in `needs`.

    Args:
        run: the run.
        cube: its cube; None if it has none.
        name: one of `TABLES_OF_PAGE`.
        argument: the group of `group`, the link of `packets`, `queue` and `waiters`; None for
            other tables.

    Raises:
        UsageError: there is no such table, or the argument is missing or not asked for.
        RunDirectoryError: a table of the run is damaged.
    """
    if name in _OF_RUN and argument is None:
        return _OF_RUN[name](run)
    if name in _OF_CUBE and argument is None:
        return (
            (pl.DataFrame(), {"needs": "link_windows"})
            if cube is None
            else _OF_CUBE[name](run, cube)
        )
    if name == "group" and argument is not None:
        return (
            (pl.DataFrame(), {"needs": "link_windows"}) if cube is None else _group(cube, argument)
        )
    if name == "packets" and argument is not None:
        return packets_over(run, argument)
    if name == "queue" and argument is not None:
        return _queue(run, argument)
    if name == "waiters" and argument is not None:
        return waits_at(run, argument)
    raise UsageError(f"the explorer has no table {name}")


def _floats(frame: pl.DataFrame, *names: str) -> pl.DataFrame:
    return frame.with_columns(pl.col(names).cast(pl.Float32))


def _classes(frame: pl.LazyFrame | pl.DataFrame) -> Any:
    """Returns the column `class` as the number of the class in `facts.classes`."""
    kinds = pl.Enum(_CLASSES)
    return frame.with_columns(pl.col("class").cast(kinds).to_physical().cast(pl.UInt8))


def _numbered(found: Answer) -> Answer:
    """Returns a table with the number of each link class, unless it has no rows."""
    frame, facts = found
    return (frame, facts) if frame.is_empty() else (_classes(frame), facts | {"classes": _CLASSES})


def _groups(_run: Run, cube: Cube) -> Answer:
    frame = _classes(cube.groups).collect()
    least = (pl.UInt8, pl.UInt16)[int((frame["source"].max() or 0) > 255)]
    frame = frame.with_columns(
        pl.col("source", "target").cast(least),
        pl.col("job").cast(pl.UInt8 if (frame["job"].max() or 0) < 256 else pl.UInt16),
    )
    return _floats(frame, "busy_ns", "stall_ns"), {"classes": _CLASSES}


def _pairs(run: Run) -> Answer:
    """Returns the number of links between groups by class, those without traffic included."""
    frame = (
        run.links.filter(pl.col("class").is_in(("local", "row", "column", "global")))
        .group_by(source="source_group", target="target_group", kind="class")
        .agg(links=pl.len())
        .rename({"kind": "class"})
        .sort("source", "target", "class")
    )
    return _classes(frame).collect(), {"classes": _CLASSES}


def _links(run: Run, cube: Cube) -> Answer:
    """Returns every link: its ends, its peaks, and its sums over the run."""
    frame = (
        run.links.drop("packets", "bytes", "utilization", "target_port")
        .drop("busy_ns", "stall_ns")
        .join(cube.peaks, on="link", how="left")
        .sort("link")
    )
    whole = _classes(frame).collect()
    ends = [name for name, form in whole.schema.items() if form == pl.UInt32 and name != "link"]
    # Null, an end that the link has not, is -1.
    whole = whole.with_columns(pl.col(ends).cast(pl.Int32).fill_null(-1))
    sums = ("peak_busy", "peak_stall", "busy_ns", "stall_ns")
    whole = whole.with_columns(pl.col(sums).fill_null(0.0), pl.col("peak_window").fill_null(0))
    return _floats(whole, *sums), {"classes": _CLASSES}


def _worst(run: Run, cube: Cube) -> Answer:
    """Returns the windows of the links of each class with the highest peaks of load or stall."""
    return _windows_of_links(cube, _worst_links(run, cube)), {"most": WORST}


def _worst_links(run: Run, cube: Cube) -> set[int]:
    peaks = cube.peaks.join(run.links.select("link", "class"), on="link").collect()
    chosen: set[int] = set()
    for by in ("peak_busy", "peak_stall"):
        ordered = peaks.filter(pl.col(by) > 0).sort([by, "link"], descending=[True, False])
        chosen |= set(ordered.group_by("class", maintain_order=True).head(WORST)["link"])
    return chosen


def side_by_side(run: Run, cube: Cube, other: Run, others: Cube) -> Answer:
    """Returns the windows of the links that are the worst ones in a run or in another.

    If their machines differ, the table has no rows, and the facts say so.

    Args:
        run: the run whose windows are returned.
        cube: its cube.
        other: the run beside it.
        others: the cube of that run.
    """
    first, second = (each.plan["topology"] for each in (run, other))
    if first != second:
        remedy = "The machines of the two runs differ, so their links cannot be compared."
        return pl.DataFrame(), {"remedy": remedy}
    chosen = _worst_links(run, cube) | _worst_links(other, others)
    return _windows_of_links(cube, chosen), {"most": WORST}


def _group(cube: Cube, group: int) -> Answer:
    """Returns the windows of all links that a group sends on, and of its injection links."""
    frame = cube.links.filter(pl.col("group") == group).drop("group").collect()
    by = max(1, -(-frame.height // MOST_GROUP_ROWS))
    if by > 1:
        frame = (
            frame.with_columns(pl.col("window") // by)
            .group_by("link", "window", "job")
            .agg(pl.col("bytes", "busy_ns", "stall_ns").sum())
            .with_columns(pl.col("window") * by)
        )
    frame = frame.sort("window", "link", "job")
    return _floats(frame, "bytes", "busy_ns", "stall_ns"), {"joined": by}


def _windows_of_links(cube: Cube, links: set[int]) -> pl.DataFrame:
    """Returns the windows of links in the order of windows."""
    frame = cube.links.filter(pl.col("link").is_in(sorted(links))).drop("group").collect()
    return _floats(frame.sort("window", "link", "job"), "bytes", "busy_ns", "stall_ns")


def _throughput(run: Run) -> Answer:
    """Returns the bytes of each job in windows of the run; the page divides by their length."""
    windows = table(run, "job_windows")
    if windows is None:
        return pl.DataFrame(), {"needs": "job_windows"}
    columns = ("window_start_ns", "window_ns", "job", "delivered_bytes", "injected_bytes")
    return windows.select(columns).sort("window_start_ns", "job").collect(), {}


def _latency(run: Run) -> Answer:
    windows = table(run, "latency_windows")
    if windows is None:
        return pl.DataFrame(), {"needs": "latency_windows"}
    columns = ("window_start_ns", "job", "count", "p50_ns", "p95_ns", "p99_ns")
    frame = windows.filter(pl.col("kind") == "packet").select(columns)
    return frame.sort("window_start_ns", "job").collect(), _length(run, "latency_windows_ps")


def _routing(run: Run) -> Answer:
    windows = table(run, "routing_windows")
    if windows is None:
        return pl.DataFrame(), {"needs": "routing_windows"}
    ways = ("packets", "minimal", "nonminimal", "nonminimal_at_source", "rerouted", "link_hops")
    frame = windows.select("window_start_ns", "job", *ways).sort("window_start_ns", "job").collect()
    return frame, _length(run, "routing_windows_ps")


def _length(run: Run, key: str) -> dict[str, Any]:
    return {"window_ns": run.plan["record"][key] / 1000}


def _blame(run: Run) -> Answer:
    rows = table(run, "blame")
    if rows is None:
        return pl.DataFrame(), {"needs": "blame"}
    frame = rows.sort("window_start_ns", "class", "victim", "aggressor").collect()
    length = run.plan["record"]["blame"]["window_ps"] / 1000
    return _classes(frame), {"classes": _CLASSES, "window_ns": length}


def _bands(run: Run) -> Answer:
    """Returns the first start and the last end of each iteration of a job."""
    rows = table(run, "iterations")
    if rows is None:
        return pl.DataFrame(), {"needs": "iterations"}
    frame = (
        rows.group_by("job", "motif", "iteration", "phase")
        .agg(start_ns=pl.col("start_ns").min(), end_ns=pl.col("end_ns").max(), ranks=pl.len())
        .sort("job", "start_ns", "motif", "iteration")
        .with_columns(pl.col("phase").fill_null(""))
        .collect()
    )
    return frame.head(_MOST_BANDS), {"left_out": max(0, frame.height - _MOST_BANDS)}


def _iterations(run: Run) -> Answer:
    """Returns the communication time of ranks by iteration, phases summed."""
    rows = table(run, "iterations")
    if rows is None:
        return pl.DataFrame(), {"needs": "iterations"}
    frame = (
        rows.group_by("job", "rank", "motif", "iteration")
        .agg(
            communication_ns=pl.col("communication_time_ns").sum(),
            start_ns=pl.col("start_ns").min(),
            end_ns=pl.col("end_ns").max(),
        )
        .sort("job", "motif", "iteration", "rank")
        .collect()
    )
    return frame.head(_MOST_RANKS), {"left_out": max(0, frame.height - _MOST_RANKS)}


def _placement(run: Run) -> Answer:
    """Returns the node, router and group of each job's nodes, of synthetic traffic too."""
    topology = run.plan["topology"]
    found = [
        job_nodes(run.ranks, run.plan, number).with_columns(job=pl.lit(number, pl.UInt16))
        for number in range(len(run.job_names))
    ]
    frame = pl.concat(found).with_columns(group=pl.col("router") // int(topology["a"]))
    return frame.with_columns(pl.col("group").cast(pl.UInt32)), {}


def _calls(run: Run) -> Answer:
    rows = table(run, "calls")
    return (pl.DataFrame() if rows is None else rows.sort("job", "call").collect()), {}


def _jobs(run: Run) -> Answer:
    return run.jobs.sort("job").collect(), {}


def _ports(run: Run) -> Answer:
    """Returns traffic and stall by virtual channel over the run, if the run has them."""
    rows = table(run, "port_windows")
    if rows is None or "vc" not in (run.plan["record"].get("ports") or {}).get("split", []):
        return pl.DataFrame(), {"needs": "port_windows"}
    shortest = rows.filter(pl.col("window_ns") == pl.col("window_ns").min())
    frame = (
        shortest.filter(pl.col("vc").is_not_null())
        .group_by("link", "vc")
        .agg(pl.col("bytes", "stall_ns").sum())
        .sort("link", "vc")
    )
    return frame.collect(), {}


def _queue(run: Run, link: int) -> Answer:
    """Returns the flits beyond a link, sent and not yet credited, in windows of the run."""
    rows = table(run, "port_windows")
    if rows is None:
        return pl.DataFrame(), {"needs": "port_windows"}
    whole = [pl.col(name).is_null() for name in ("vc", "job", "kind")]
    frame = (
        rows.filter(pl.col("link") == link, pl.col("occupancy_mean_flits").is_not_null(), *whole)
        .filter(pl.col("window_ns") == pl.col("window_ns").min())
        .select("window_start_ns", "window_ns", "occupancy_mean_flits", "occupancy_max_flits")
        .sort("window_start_ns")
    )
    return frame.collect(), {}


def _tiles(run: Run) -> Answer:
    """Returns the tile of each link of an Aries router, and its row and column on the router."""
    if not has_tiles(run.plan["topology"]):
        return pl.DataFrame(), {}
    frame = run.tiles.filter(pl.col("link").is_not_null()).collect()
    return frame.select("link", "router", "tile", "tile_row", "tile_column"), {}


_OF_RUN: Mapping[str, Callable[[Run], Answer]] = {
    "bands": _bands,
    "blame": _blame,
    "calls": _calls,
    "iterations": _iterations,
    "jobs": _jobs,
    "latency": _latency,
    "pairs": _pairs,
    "phases": phases,
    "placement": _placement,
    "ports": _ports,
    "presence": presence,
    "routing": _routing,
    "throughput": _throughput,
    "tiles": _tiles,
    "waited": lambda run: _numbered(links_waited_at(run)),
    "waits": lambda run: _numbered(waits_between(run)),
}
_OF_CUBE: Mapping[str, Callable[[Run, Cube], Answer]] = {
    "groups": _groups,
    "latencies": latencies,
    "links": _links,
    "worst": _worst,
}
#: The tables with an argument, and what it is. `Subject.answer` makes `beside`.
ARGUMENTS: Mapping[str, str] = {
    "beside": "run",
    "group": "group",
    "packets": "link",
    "queue": "link",
    "waiters": "link",
}
#: The tables that are made from the cube.
FROM_CUBE = frozenset({*_OF_CUBE, "group"})
#: All tables of the page.
TABLES_OF_PAGE = tuple(sorted((*_OF_RUN, *_OF_CUBE, *ARGUMENTS)))
