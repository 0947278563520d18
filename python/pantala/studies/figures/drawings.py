"""The drawings of the figures of a study, from their numbers.

A job has one colour in all figures of a study. Values of other columns, such as routings, have
softer colours, which no job has.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
from matplotlib.figure import Figure

from pantala.comparison.labels import label_of, unit_of
from pantala.figures.grouped_bars import GroupedBar, grouped_bars
from pantala.figures.link_map import map_of
from pantala.figures.link_shares import PANELS, shares_of
from pantala.figures.panel_lines import StepLine, panel_lines
from pantala.figures.quantile_boxes import QuantileBox, quantile_boxes
from pantala.figures.ring import ring_of
from pantala.figures.stacked_areas import stacked_areas
from pantala.figures.style import DASHES, HATCHES, MUTED, PALETTE, unit_for, with_unit
from pantala.studies.figures.entry import ALONE, FigureEntry
from pantala.studies.figures.numbers import OF_ROUTERS

__all__ = ["DRAWINGS", "TONES", "Look"]

#: The colour of bars without another job, and those of lines and bars of what is no job. Hatches
#: and dashes tell them apart, too.
NOBODY = "#B9BEC6"
LINES = ("#3F5A80", "#C98A2B", "#7FA98B", "#A57C9B", "#8C7B6B", "#C26A5A", "#6F87A8", "#A9B8CC")
TONES = ("#A9B8CC", "#6F87A8", "#3F5A80", "#C98A2B", "#7FA98B", "#A57C9B", "#8C7B6B", "#C26A5A")


@dataclass(frozen=True)
class Look:
    """How a figure looks.

    Attributes:
        entry: the figure, complete.
        labels: words in place of values, such as ``FFT3D`` for ``fft3d``.
        jobs: the jobs of the study in order, which have its colours.
        orders: the values of each axis in order.
    """

    entry: FigureEntry
    labels: Mapping[str, str]
    jobs: Sequence[str]
    orders: Mapping[str, Sequence[Any]]

    def words(self, columns: Sequence[str], row: Mapping[str, Any]) -> str:
        """Returns the values of some columns in words."""
        return ", ".join(self._word(column, row[column]) for column in columns)

    def colour(self, row: Mapping[str, Any]) -> str:
        """Returns the colour of a row: of its job if it shows one, else of its series or group."""
        if "name" in row and row["name"] in self.jobs:
            return PALETTE[self.jobs.index(row["name"]) % len(PALETTE)]
        for columns in (self.entry.series, self.entry.groups):
            for column in columns or ():
                if column in self.orders:
                    return TONES[self._place(column, row) % len(TONES)]
        return PALETTE[0]

    def fill(self, row: Mapping[str, Any]) -> tuple[str, str]:
        """Returns colour and hatch of a bar: those of its series, unless that is a condition."""
        for column in self.entry.series or ():
            if column in ("beside", "name"):
                if row[column] not in self.jobs:
                    return (NOBODY if row[column] == ALONE else TONES[0]), ""
                at = self.jobs.index(row[column])
                return PALETTE[at % len(PALETTE)], HATCHES[at % len(HATCHES)]
            if column in self.orders:
                at = self._place(column, row)
                return TONES[at % len(TONES)], HATCHES[at % len(HATCHES)]
        return self.colour(row), ""

    def line(self, row: Mapping[str, Any]) -> dict[str, Any]:
        """Returns the look of a line: colour by the first series column, dashes by the second."""
        first, *others = [each for each in self.entry.series or () if each in self.orders] or [""]
        if not first:
            return {"color": self.colour(row), "ls": "--" if row.get("condition") == ALONE else "-"}
        dash = self._place(others[0] if others else first, row)
        return {
            "color": LINES[self._place(first, row) % len(LINES)],
            "ls": DASHES[dash % len(DASHES)],
        }

    def _place(self, column: str, row: Mapping[str, Any]) -> int:
        return list(self.orders[column]).index(row[column])

    def sorted(self, numbers: pl.DataFrame) -> pl.DataFrame:
        """Returns the rows in the order of axes and jobs, each job alone first."""
        if numbers.is_empty():
            return numbers
        by = []
        for column in self.entry.keys:
            known = list(self.orders.get(column, ()))
            if column == "name":
                known = [*self.entry.jobs, *self.jobs]
            if column in ("condition", "beside"):
                by.append(pl.col(column) != ALONE)
            elif known:
                places = {value: place for place, value in reversed(list(enumerate(known)))}
                by.append(pl.col(column).replace_strict(places, default=len(known)))
        return numbers.sort(by, maintain_order=True) if by else numbers

    def _word(self, column: str, value: Any) -> str:
        text = str(value)
        if column == "beside":
            return "+".join(self.labels.get(each, each) for each in text.split("+"))
        return self.labels.get(text, text)


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
    for own in _parts(numbers, look.entry.panels or ()):
        title = look.words(look.entry.panels or (), _first(own))
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
    return ring_of(_matrices(numbers, look, "stall_ns"))


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
    panels = {look.words(columns, _first(each)): each for each in _parts(numbers, columns)}
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
}


def _parts(numbers: pl.DataFrame, columns: Sequence[str]) -> list[pl.DataFrame]:
    if not columns:
        return [numbers]
    return numbers.partition_by(columns, maintain_order=True)


def _first(numbers: pl.DataFrame) -> dict[str, Any]:
    return numbers.row(0, named=True)


def _lines(numbers: pl.DataFrame, look: Look, value: str) -> list[StepLine]:
    entry, found = look.entry, []
    panels, series = entry.panels or [], entry.series or []
    # Values of an axis differ in their dashes, and jobs in their colours.
    dashed = any(each not in ("name", "condition") for each in series)
    coloured = dashed or "name" in series
    dashes: dict[str, Any] = {}
    for own in _parts(numbers, entry.keys):
        row = _first(own)
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
    for own in _parts(numbers, look.entry.keys):
        size = int(own.select(pl.max_horizontal("from_group", "to_group").max()).item()) + 1
        matrix = np.full((size, size), np.nan)
        matrix[own["from_group"].to_numpy(), own["to_group"].to_numpy()] = own[value].to_numpy()
        found[look.words(look.entry.keys, _first(own))] = matrix
    return found


def _shares(
    panels: Mapping[str, pl.DataFrame], look: Look, value: str, label: str, columns: int
) -> Figure:
    most = max(float(frame[value].max() or 0) for frame in panels.values())  # type: ignore[arg-type]
    divisor, unit = unit_for("B" if value == "bytes" else "ns", most)
    series = look.entry.series or []
    looks: dict[str, dict[str, Any]] = {}
    for frame in panels.values():
        for own in filter(len, _parts(frame, series)):
            row = _first(own)
            looks.setdefault(look.words(series, row), look.line(row))
    lines = {
        panel: {
            look.words(series, _first(own)): own[value].to_numpy() / divisor
            for own in filter(len, _parts(frame, series))
        }
        for panel, frame in panels.items()
    }
    return shares_of(lines, with_unit(label, unit), columns, looks)
