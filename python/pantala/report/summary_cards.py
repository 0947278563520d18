"""The large numbers at the top of an interference report: one tile per job."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pantala.analysis.uncompared import why_unknown
from pantala.report.finding import iterations_compared
from pantala.report.reported_run import ReportedRun
from pantala.text.amounts import PAGE, TIMES, significant

__all__ = ["Tile", "tiles"]


@dataclass(frozen=True)
class Tile:
    """One job: its slowdown, and the lines below it."""

    name: str
    number: str
    lines: list[str]


def tiles(reported: ReportedRun) -> list[Tile]:
    """Returns a tile for each job of an interference experiment; none for a single run."""
    return (
        []
        if reported.slowdown is None
        else [_tile(row, reported.beside) for row in reported.slowdown.to_dicts()]
    )


def _tile(row: dict[str, Any], beside: Mapping[str, str]) -> Tile:
    others = (
        [f"beside other jobs for {beside[row['name']]} of its run"] if row["name"] in beside else []
    )
    if unknown := why_unknown(row):
        return Tile(row["name"], "not known", [unknown, *others])
    if row["compared"] == "duration":
        lines = [
            _before_and_after("packet latency", row, "packet_latency_mean_ns"),
            _before_and_after("accepted throughput", row, "accepted_throughput", significant),
        ]
        return Tile(row["name"], _times(row["packet_latency_slowdown"]), lines + others)
    lines = [
        _before_and_after("communication time", row, "communication_time_mean_ns"),
        _before_and_after("run time", row, "run_time_ns", ratio=row["run_time_slowdown"]),
    ]
    if over := iterations_compared(row):
        lines.append(f"iterations compared: {over}")
    return Tile(row["name"], _times(row["slowdown"]), lines + others)


def _times(ratio: float | None) -> str:
    return "no communication" if ratio is None else f"{ratio:.2f}\N{NO-BREAK SPACE}{TIMES}"


def _before_and_after(
    what: str, row: dict[str, Any], key: str, shown: Any = PAGE.duration, ratio: float | None = None
) -> str:
    alone, together = row[f"alone_{key}"], row[f"together_{key}"]
    if alone is None or together is None:
        return f"{what}: not compared"
    factor = "" if ratio is None else f" ({ratio:.2f}\N{NO-BREAK SPACE}{TIMES})"
    return f"{what}: {shown(alone)} alone, {shown(together)} together{factor}"
