"""What `pantala curve` shows: the table of points, windows of time, the saturation load."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pantala.cli.tables import table

if TYPE_CHECKING:
    from rich.table import Table

    from pantala.runs.curve_points import CurvePoint
    from pantala.runs.saturation import Saturation

__all__ = ["bracket_in_words", "curve_table", "document", "equal_seeds", "timeline_table"]


def equal_seeds(points: list[CurvePoint], seeds: int) -> str:
    """Returns a sentence if seeds gave equal results; empty if not."""
    same = [f"{point['load']:.4g}" for point in points if point.get("seeds", seeds) < seeds]
    if not same:
        return ""
    return (
        f"At {', '.join(same)}, seeds gave equal results. Equal results count as one value: the"
        " seed decides nothing there."
    )


def document(points: list[CurvePoint], found: Saturation | None) -> Any:
    """Returns what ``--json`` prints."""
    if found is None:
        return points
    bracket = {key: value for key, value in found.items() if key != "points"}
    return {"points": points, "saturation": bracket}


def bracket_in_words(found: Saturation) -> str:
    """Returns the bracket of the saturation load as a line, and doubts in a second."""
    from pantala.runs.saturation import DOUBLINGS

    accepted = "" if found["accepted"] is None else f" (accepted {found['accepted']:.4g})"
    text = (
        "saturation load: none; the network accepts load 1"
        if found["high"] is None
        else f"saturation load: between {found['low']:.4g}{accepted} and {found['high']:.4g}"
    )
    if found["unsettled"]:
        loads = ", ".join(f"{load:.4g}" for load in found["unsettled"])
        text += (
            f"\nThe answer at {loads} is not certain: the network had not settled after a warm-up"
            f" {2**DOUBLINGS} times as long. Give a longer --warmup and --measure."
        )
    return text


_HEADINGS = (
    "load",
    "accepted",
    "state",
    "mean",
    "p50",
    "p95",
    "p99",
    "network",
    "hops",
    "non-minimal",
    "packets",
)


def curve_table(points: list[CurvePoint], title: str) -> Table:
    """Returns a row per load, and the meaning of each state in the caption."""
    from pantala.runs.curve_states import MEANINGS, STATES
    from pantala.text.amounts import PLAIN

    caption = "columns mean to network: latencies in ns; loads: fractions of terminal bandwidth"
    shown_states = {point["state"] for point in points} - {"steady"}
    for state in STATES:
        if state in shown_states:
            caption += f"\n{state}: {MEANINGS[state]}"
    if "saturated" not in shown_states and any(point["saturated"] for point in points):
        caption += f"\n*: {MEANINGS['saturated']}"
    if few := _few_packets(points):
        caption += f"\n{few}"
    if any("intervals" in point for point in points):
        caption += "\n\N{PLUS-MINUS SIGN}: half of the 95 % interval over seeds"
    shown = table(title, _HEADINGS, caption, gap=1)
    for point in points:
        shown.add_row(
            f"{point['load']:.4g}",
            f"{point['accepted']:.3f}{_half(point, 'accepted', 3)}"
            f"{'*' if point['saturated'] else ' '}",
            point["state"],
            _number(point["latency_mean_ns"]) + _half(point, "latency_mean_ns", 1),
            _number(point["latency_p50_ns"]),
            _number(point["latency_p95_ns"]),
            _number(point["latency_p99_ns"]),
            _number(point["network_latency_mean_ns"]),
            _number(point["link_hops_mean"], 2),
            _number(point["nonminimal_share"], 3),
            PLAIN.rounded(point["packets"]),
        )
    return shown


def _few_packets(points: list[CurvePoint]) -> str:
    """Returns a sentence if points have too few packets to tell 3 % of a load; empty if not."""
    from pantala.runs.curve_states import ACCEPTED, deviation
    from pantala.text.amounts import PLAIN

    unsure = {
        point["load"]: deviation(point["packets"]) for point in points if not point["saturated"]
    }
    few = {load: bound for load, bound in unsure.items() if bound > 2 * (1 - ACCEPTED)}
    if not few:
        return ""
    loads = ", ".join(f"{load:.4g}" for load in few)
    return (
        f"At {loads}, few packets were counted: throughput up to"
        f" {PLAIN.percent(min(1.0, max(few.values())))} below the load is taken as accepted."
        " Give a longer --measure."
    )


def timeline_table(points: list[CurvePoint]) -> Table:
    """Returns a table of accepted throughput and non-minimal share per load and window of time."""
    from pantala.text.amounts import PLAIN

    shown = table(
        "Over time", ("load", "from", "accepted", "non-minimal"), "with the warm-up", gap=2
    )
    for point in points:
        for window in point["timeline"]:
            start = PLAIN.duration(window["window_start_ns"], exact=True)
            share = _number(window["nonminimal_share"], 3)
            shown.add_row(f"{point['load']:g}", start, f"{window['accepted']:.3f}", share)
        shown.add_section()
    return shown


def _half(point: CurvePoint, key: str, decimals: int) -> str:
    """Returns half of an interval as text; empty if the point has none."""
    interval = point.get("intervals", {}).get(key)
    if interval is None:
        return ""
    return f" \N{PLUS-MINUS SIGN}{(interval[1] - interval[0]) / 2:.{decimals}f}"


def _number(value: float | None, decimals: int = 1) -> str:
    return "" if value is None else f"{value:.{decimals}f}"
