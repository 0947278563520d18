"""The drawings of the figures of a study, from their numbers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import polars as pl
from matplotlib.figure import Figure

from pantala.comparison.labels import label_of, unit_of
from pantala.figures.grouped_bars import GroupedBar, grouped_bars
from pantala.figures.link_map import map_of
from pantala.figures.link_shares import PANELS, by_column, shares_of
from pantala.figures.panel_lines import StepLine, panel_lines
from pantala.figures.quantile_boxes import QuantileBox, quantile_boxes
from pantala.figures.ring import ring_of
from pantala.figures.stacked_areas import stacked_areas
from pantala.figures.style import DASHES, MUTED, unit_for, with_unit
from pantala.studies.figures.counter_drawings import COUNTER_DRAWINGS
from pantala.studies.figures.entry import ALONE
from pantala.studies.figures.look import Look, first_of, parts_of
from pantala.studies.figures.numbers import OF_ROUTERS

__all__ = ["DRAWINGS"]


def bars(numbers: pl.DataFrame, look: Look) -> Figure:
    """Draws groups of bars."""
    entry, value = look.entry, look.entry.value or ""
    made = []
    for row in numbers.iter_rows(named=True):
        panel, group, series = (
            look.words(each or (), row) for each in (entry.panels, entry.groups, entry.series)
        )
        low = -np.inf if row["low"] is None else row["low"]
        high = np.inf if row["high"] is None else row["high"]
        colour, hatch = look.fill(row)
        pale = "condition" in (entry.series or ()) and row["condition"] == ALONE
        made.append(GroupedBar(panel, group, series, row[value], low, high, colour, hatch, pale))
    return grouped_bars(made, label_of(value), unit_of(value))


def throughput(numbers: pl.DataFrame, look: Look) -> Figure:
    """Draws delivered throughput over time."""
    return panel_lines(
        _lines(numbers, look, "gb_per_s"),
        "delivered payload",
        "GB/s",
    )


def latency_over_time(numbers: pl.DataFrame, look: Look) -> Figure:
    """Draws the mean latency over time."""
    return panel_lines(
        _lines(numbers, look, "latency_mean_ns"),
        "mean packet latency",
        "ns",
    )


def packet_latency(numbers: pl.DataFrame, look: Look) -> Figure:
    """Draws boxes of packet latency."""
    return quantile_boxes(_boxes(numbers, look), "packet latency")


def rank_boxes(numbers: pl.DataFrame, look: Look) -> Figure:
    """Draws boxes of communication time or longest message latency over ranks."""
    of_messages = look.entry.value == "latency_max_ns"
    label = "longest message latency of a rank" if of_messages else "communication time of a rank"
    return quantile_boxes(_boxes(numbers, look), label)


def routers_over_time(numbers: pl.DataFrame, look: Look) -> Figure:
    """Draws the traffic at the routers of a job over time, stacked by the job of the bytes."""
    panels = {}
    for own in parts_of(numbers, look.entry.panels or ()):
        title = look.words(look.entry.panels or (), first_of(own))
        panels[title] = {
            str(name): (
                np.append(part["start_ns"].to_numpy(), part["end_ns"][-1]),
                part["gb_per_s"].to_numpy(),
            )
            for (name,), part in own.group_by("source", maintain_order=True)
        }
    return stacked_areas(panels, look.jobs, look.labels)


def group_ring(numbers: pl.DataFrame, look: Look) -> Figure:
    """Draws the ring of groups."""
    return ring_of(_matrices(numbers, look, look.entry.value or ""))


def link_load_map(numbers: pl.DataFrame, look: Look) -> Figure:
    """Draws heat maps of groups."""
    value = look.entry.value or ""
    return map_of(
        _matrices(numbers, look, value), "stall" if value == "stall_ns" else "utilization"
    )


def link_shares(numbers: pl.DataFrame, look: Look) -> Figure:
    """Draws the distribution of a value over links, a panel per kind of link."""
    value = look.entry.value or ""
    words = {"bytes": "traffic", "stall_ns": "stall", "saturated_ns": "saturation time"}[value]
    panels = {kind: numbers.filter(pl.col("links") == kind) for kind in PANELS}
    return _shares(panels, look, value, f"{words} of a link", len(PANELS))


def router_traffic(numbers: pl.DataFrame, look: Look) -> Figure:
    """Draws the distribution of traffic over the links of the routers that serve each job."""
    columns = [*(look.entry.panels or ()), "links"]
    panels = {look.words(columns, first_of(each)): each for each in parts_of(numbers, columns)}
    return _shares(panels, look, "bytes", "traffic of a link", len(OF_ROUTERS))


#: The function of each kind.
DRAWINGS: Mapping[str, Callable[[pl.DataFrame, Look], Figure]] = {
    "bars": bars,
    "throughput": throughput,
    "latency-over-time": latency_over_time,
    "packet-latency": packet_latency,
    "rank-boxes": rank_boxes,
    "routers-over-time": routers_over_time,
    "group-ring": group_ring,
    "link-load-map": link_load_map,
    "link-shares": link_shares,
    "router-traffic": router_traffic,
    **COUNTER_DRAWINGS,
}


def _lines(numbers: pl.DataFrame, look: Look, value: str) -> list[StepLine]:
    entry, found = look.entry, []
    panels, series = entry.panels or [], entry.series or []
    # Values of an axis differ in their dashes, and jobs in their colours.
    dashed = any(each not in ("name", "condition") for each in series)
    coloured = dashed or "name" in series
    dashes: dict[str, Any] = {}
    for own in parts_of(numbers, entry.keys):
        row = first_of(own)
        label = look.words(series, row)
        alone = row.get("condition") == ALONE
        dash = dashes.setdefault(label, DASHES[len(dashes) % len(DASHES)]) if dashed else "-"
        line = {
            "color": look.colour(row),
            "lw": 0.9 if alone else 1.3,
            "ls": (0, (4, 1.5)) if alone else dash,
            "alpha": 0.9 if alone else 1.0,
        }
        found.append(
            StepLine(
                look.words(panels[:1], row),
                look.words(panels[1:], row),
                label,
                np.append(own["start_ns"].to_numpy(), own["end_ns"][-1]),
                own[value].cast(pl.Float64).fill_null(float("nan")).to_numpy(),
                line,
                line if coloured else {**line, "color": MUTED},
                filled=not alone and not coloured,
            )
        )
    return found


def _boxes(numbers: pl.DataFrame, look: Look) -> list[QuantileBox]:
    entry, found = look.entry, []
    names = {"min": "min_ns", "q1": "p25_ns", "p50": "p50_ns", "q3": "p75_ns", "max": "max_ns"}
    names |= {"p95": "p95_ns", "p99": "p99_ns", "mean": "mean_ns"}
    for row in numbers.iter_rows(named=True):
        group = look.words([*(entry.panels or ()), *(entry.groups or ())], row)
        series = look.words(entry.series or (), row)
        values = {key: row[column] for key, column in names.items() if column in row}
        label = ", ".join(filter(None, (group, series)))
        pale = row.get("condition") == ALONE
        found.append(QuantileBox(label, group, look.colour(row), pale, values))
    return found


def _matrices(numbers: pl.DataFrame, look: Look, value: str) -> dict[str, np.ndarray]:
    found = {}
    for own in parts_of(numbers, look.entry.keys):
        size = int(own.select(pl.max_horizontal("from_group", "to_group").max()).item()) + 1
        matrix = np.full((size, size), np.nan)
        matrix[own["from_group"].to_numpy(), own["to_group"].to_numpy()] = own[value].to_numpy()
        found[look.words(look.entry.keys, first_of(own))] = matrix
    return found


def _shares(
    panels: Mapping[str, pl.DataFrame], look: Look, value: str, label: str, columns: int
) -> Figure:
    most = max(float(frame[value].max() or 0) for frame in panels.values())  # type: ignore[arg-type]
    divisor, unit = unit_for("B" if value == "bytes" else "ns", most)
    series = look.entry.series or []
    looks: dict[str, dict[str, Any]] = {}
    for frame in panels.values():
        for own in filter(len, parts_of(frame, series)):
            row = first_of(own)
            looks.setdefault(look.words(series, row), look.line(row))
    lines = {
        panel: {
            look.words(series, first_of(own)): own[value].to_numpy() / divisor
            for own in filter(len, parts_of(frame, series))
        }
        for panel, frame in panels.items()
    }
    return shares_of(lines, with_unit(label, unit), looks, by_column(lines, columns), columns)
