"""Who waited because of whom, by the groups that links connect and at single links."""

from __future__ import annotations

from typing import Any

import polars as pl

from pantala.results.run import Run
from pantala.run_tables.run_like import table

__all__ = ["MOST_WAITS", "links_waited_at", "waits_at", "waits_between"]

#: Rows of waits between groups at most. Windows are joined beyond that.
MOST_WAITS = 500_000


def waits_between(run: Run) -> tuple[pl.DataFrame, dict[str, Any]]:
    """Returns the waiting times between groups in windows of the run.

    Returns:
        `window`, `class`, `source`, `target`, `victim`, `aggressor` and `wait_ns`, in the order of
        windows; the facts have the length of a window.
    """
    rows = table(run, "blame_groups")
    if rows is None:
        return pl.DataFrame(), {"needs": "blame_groups"}
    names = {"source_group": "source", "target_group": "target"}
    frame, length = _windows(run, rows.rename(names).collect())
    keys = ["window", "class", "source", "target", "victim", "aggressor"]
    by = 1
    while frame.height > MOST_WAITS and _most(frame, "window") > 0:
        by *= 2
        frame = frame.with_columns(pl.col("window") // 2)
        frame = frame.group_by(keys).agg(pl.col("wait_ns").sum())
    frame = frame.sort(keys).select(*keys, "wait_ns")
    most = max(_most(frame, "source"), _most(frame, "target"))
    frame = frame.with_columns(
        pl.col("source", "target").cast(pl.UInt8 if most < 256 else pl.UInt16),
        pl.col("wait_ns").cast(pl.Float32),
    )
    return frame, {"window_ns": length * by, "joined": by}


def waits_at(run: Run, link: int) -> tuple[pl.DataFrame, dict[str, Any]]:
    """Returns the waiting times at a link in windows of the run.

    Returns:
        `window`, `victim`, `aggressor` and `wait_ns`, in the order of windows. The facts have the
        length of a window; without rows, `why` says what that means.
    """
    rows = table(run, "blame_links")
    if rows is None:
        return pl.DataFrame(), {"needs": "blame_links"}
    frame, length = _windows(run, rows.filter(pl.col("link") == link).collect())
    keys = ["window", "victim", "aggressor"]
    facts: dict[str, Any] = {"window_ns": length}
    if frame.is_empty():
        facts["why"] = _why(run, rows, link)
    return frame.sort(keys).select(*keys, "wait_ns"), facts


def links_waited_at(run: Run) -> tuple[pl.DataFrame, dict[str, Any]]:
    """Returns the waiting times of the whole run at the links that packets waited for longest.

    Returns:
        `link`, `class`, `victim`, `aggressor` and `wait_ns`, the longest first.
    """
    rows = table(run, "blame_links")
    if rows is None:
        return pl.DataFrame(), {"needs": "blame_links"}
    frame = rows.group_by("link", "class", "victim", "aggressor").agg(pl.col("wait_ns").sum())
    order = ["wait_ns", "link", "victim", "aggressor"]
    return frame.sort(order, descending=[True, False, False, False]).collect(), {}


def _most(frame: pl.DataFrame, name: str) -> int:
    found: int = frame.select(pl.col(name).max().fill_null(0).cast(int)).item() or 0
    return found


def _windows(run: Run, rows: pl.DataFrame) -> tuple[pl.DataFrame, float]:
    """Returns rows with the number of their window, and the length of a window in ns."""
    length = float(run.plan["record"]["blame"]["window_ps"]) / 1000
    if not rows.is_empty():
        length = float(rows["window_ns"][0])
    number = (pl.col("window_start_ns") / length).round().cast(pl.UInt32)
    return rows.with_columns(window=number), length


def _why(run: Run, rows: pl.LazyFrame, link: int) -> str:
    """Returns the sentence on a link without waiting times."""
    kind = run.links.filter(pl.col("link") == link).select("class").collect()
    if kind.is_empty():
        return f"The run has no link {link}."
    name = kind.item()
    of_class = rows.filter(pl.col("class") == name).select(pl.col("link").n_unique())
    most = int(run.plan["record"]["blame"]["links"])
    if int(of_class.collect().item()) < most:
        return "No packet waited for this link in the run."
    return (
        f"The run has the causes of waiting at the {most} {name} links that packets waited for"
        f" longest; this link is not among them. The view Blame has all {name} links together."
    )
