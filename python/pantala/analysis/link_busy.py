"""How long links were busy in windows: measured by port_windows, or estimated from bytes.

The table link_windows has bytes only. A packet occupies whole flits, so the time per byte depends
on the sizes of packets. It is known for each link over the whole run: the estimate takes that mean
in every window. Where port_windows has windows of the link that fill those of link_windows, their
busy time is taken.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import polars as pl

from pantala.run_tables.exact_sums import exact_sum
from pantala.run_tables.remembered import remembered
from pantala.run_tables.run_like import RunLike, link_window_ns, table
from pantala.run_tables.time_slices import edges_of, parts_at

__all__ = [
    "BUSY_STEPS",
    "LEAST_PART",
    "ROUNDING",
    "BusyWindows",
    "busy_windows",
    "byte_times",
    "measured_by",
]

#: Times in ns are multiples of a picosecond, apart from rounding.
ROUNDING = 1e-6
#: The end of a run may cut the last window short. It counts as a peak if it has at least this part
#: of a window.
LEAST_PART = 0.1
#: Steps of a nanosecond in sums of busy time, whose parts are no whole picoseconds.
BUSY_STEPS = 1 << 40
#: Packets that link_windows may count in a window before they start, and one that crosses its end.
_EARLY = 6

_PLACE = ["link", "window_start_ns"]


@dataclass(frozen=True)
class BusyWindows:
    """The windows of links with their busy time.

    Attributes:
        parts: the rows in parts of whole windows: `link`, `class`, `window_start_ns`, `job`,
            `bytes`, `stall_ns`, `byte_ns` (0 for a measured link) and `measured_ns`. A link may be
            busy in a window in which no packet starts; that row has no `job`.
        busy_ns: the busy time of rows of one link, for `agg` and `with_columns` of a group.
    """

    parts: list[pl.LazyFrame]
    busy_ns: pl.Expr


def busy_windows(run: RunLike) -> BusyWindows:
    """Returns the windows of links; without link windows, the whole run is one window.

    The measured time of a window is divided among jobs by their bytes.
    """
    links = byte_times(run).lazy().select("link", "class", "byte_ns")
    estimated = pl.col("bytes").sum() * pl.col("byte_ns").first()
    recorded = table(run, "link_windows")
    rows = _whole_run(run) if recorded is None else recorded
    edges = [] if recorded is None else edges_of(recorded)
    parts, measured = parts_at(rows, edges), None
    if recorded is not None:
        measured = _measured(run)
    if measured is None:
        joined = [part.join(links, on="link") for part in parts]
        return BusyWindows(
            [part.with_columns(measured_ns=pl.lit(0.0)) for part in joined], estimated
        )
    joined = [
        _with_measured(part, busy).join(links, on="link")
        for part, busy in zip(parts, parts_at(measured, edges), strict=True)
    ]
    return BusyWindows(joined, estimated + exact_sum("measured_ns", BUSY_STEPS))


@remembered
def byte_times(run: RunLike) -> pl.DataFrame:
    """Returns the time per byte of each link, and what packets that fill whole flits add to it.

    Returns:
        `link`, `class`; `is_measured`: whether port_windows has the link; `byte_ns`: the mean time
        per byte; `least_byte_ns`: the time of a byte in a full flit; `padding_ns`: the busy time
        that full flits do not explain; `padding_share`: the share of that time in the busy time;
        `early_ns`: the time of packets that link_windows may count one window too early. All times
        but `least_byte_ns` are 0 if the link is measured.
    """
    found = run.links.select("link", "class", "bytes", "busy_ns").collect()
    measured = None if table(run, "link_windows") is None else _measured(run)
    known = pl.lit(value=False)
    if measured is not None:
        links = measured.select("link").unique().collect()["link"]
        known = pl.col("link").is_in(links.implode())
    mean = pl.when(pl.col("bytes") > 0).then(pl.col("busy_ns") / pl.col("bytes")).otherwise(0.0)
    flits, packet = _flit_byte_ns(run), float(run.document["plan"].get("packet_bytes") or 0)
    full = pl.col("class").replace_strict(flits, default=None, return_dtype=pl.Float64)
    padding = (pl.col("busy_ns") - pl.col("bytes") * pl.col("least_byte_ns")).clip(0.0)
    nothing = pl.lit(0.0)
    return (
        found.with_columns(byte_ns=mean, least_byte_ns=pl.min_horizontal(full, mean))
        .with_columns(padding_ns=padding)
        .with_columns(
            padding_share=pl.when(pl.col("busy_ns") > 0)
            .then(pl.col("padding_ns") / pl.col("busy_ns"))
            .otherwise(0.0),
            early_ns=_EARLY * packet * pl.col("least_byte_ns"),
            is_measured=known,
        )
        .with_columns(
            pl.when("is_measured").then(nothing).otherwise(pl.col(name)).alias(name)
            for name in ("byte_ns", "padding_ns", "padding_share", "early_ns")
        )
        .drop("bytes", "busy_ns")
    )


def measured_by(run: RunLike) -> int | None:
    """Returns the length in ps of the windows of port_windows that fill those of link_windows.

    It is None if the run has no such windows. The longest ones are taken.
    """
    window = round(link_window_ns(run) * 1000)
    ports: dict[str, Any] = run.document["plan"]["record"].get("ports") or {}
    lengths: list[int] = ports.get("windows_ps") or []
    fitting = [length for length in lengths if length and window % length == 0]
    if not fitting or table(run, "port_windows") is None:
        return None
    return max(fitting)


def _measured(run: RunLike) -> pl.LazyFrame | None:
    """Returns `link`, `window_start_ns` (of link_windows) and `measured_ns`, a row per port row."""
    length = measured_by(run)
    if length is None:
        return None
    rows: pl.LazyFrame = run.port_windows  # type: ignore[attr-defined]
    window = round(link_window_ns(run) * 1000)
    start = (pl.col("window_start_ns") * 1000).round().cast(pl.Int64)
    return rows.filter((pl.col("window_ns") - length / 1000).abs() < ROUNDING).select(
        "link",
        measured_ns="busy_ns",
        window_start_ns=(start // window * window) / 1000,
    )


def _with_measured(part: pl.LazyFrame, measured: pl.LazyFrame) -> pl.LazyFrame:
    busy = measured.group_by(_PLACE).agg(exact_sum("measured_ns").alias("measured_ns"))
    busy = busy.filter(pl.col("measured_ns") > 0)
    sent = pl.col("bytes").sum().over(_PLACE)
    share = pl.when(sent > 0).then(pl.col("bytes") / sent).otherwise(1 / pl.len().over(_PLACE))
    return (
        part.join(busy, on=_PLACE, how="full", coalesce=True)
        .with_columns(pl.col("bytes").fill_null(0), pl.col("stall_ns", "measured_ns").fill_null(0))
        .with_columns(measured_ns=pl.col("measured_ns") * share)
    )


def _flit_byte_ns(run: RunLike) -> dict[str, float]:
    """Returns the time of a byte in a full flit by link class; empty if the plan lacks it."""
    plan = run.document["plan"]
    times = (plan.get("derived") or {}).get("flit_time_ps") or {}
    flit = plan.get("flit_bytes") or 0
    by_class = {name: time / 1000 / flit for name, time in times.items()} if flit else {}
    terminal = by_class.get("terminal")
    ends = {} if terminal is None else {"injection": terminal, "ejection": terminal}
    return by_class | ends


def _whole_run(run: RunLike) -> pl.LazyFrame:
    """Returns the traffic of each link and job over the run, as rows of one window."""
    whole = table(run, "link_jobs")
    if whole is None:
        alone = run.links.select("link", "bytes", "stall_ns", job=pl.lit(0, pl.UInt16))
        whole = alone.filter(pl.col("bytes") > 0)
    return whole.with_columns(window_start_ns=pl.lit(0.0))
