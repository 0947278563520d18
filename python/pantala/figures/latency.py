"""Distribution of packet latency per job."""

from __future__ import annotations

from collections.abc import Mapping

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.ticker import LogLocator, NullFormatter

from pantala.errors import UsageError
from pantala.figures.packet_latencies import packet_latencies
from pantala.figures.runs import Case, Given, cases
from pantala.figures.style import INK, MUTED, horizontal_rows, new_figure, style
from pantala.run_tables.run_like import RunLike, job_row
from pantala.text.amounts import time_unit

__all__ = ["packet_latency"]

# If the highest p99 exceeds the lowest median by more than this factor, the axis is logarithmic.
_LOG_FROM = 40.0


def packet_latency(given: Given, alone: Mapping[str, RunLike] | None = None) -> Figure:
    """Draws packet latency per job: quartiles, median, mean, p95 and p99.

    The figure follows Kang et al. (SC22), Fig. 6. Median, mean and percentiles come from the jobs
    table and cover every packet. The quartiles come from the packets table; without recorded
    packets the boxes are left out.

    Args:
        given: one run, or several runs and experiments by title.
        alone: the run of each job alone, by name; only for one run.

    Raises:
        UsageError: no job delivered a packet.
    """
    found = [(case, _numbers(case)) for case in cases(given, alone)]
    rows = [(case, numbers) for case, numbers in found if numbers]
    if not rows:
        raise UsageError("figure packet-latency: no packet was delivered; name another run")
    boxed = any("q1" in numbers for _, numbers in rows)
    high = max((numbers["p99"] for _, numbers in rows), default=1.0)
    low = min((numbers["p50"] for _, numbers in rows), default=1.0)
    divisor, unit = time_unit(high)
    with style():
        figure = new_figure(1.0 + 0.36 * len(rows))
        axes = figure.add_subplot()
        positions = _positions([case for case, _ in rows])
        for y, (case, numbers) in zip(positions, rows, strict=True):
            _row(axes, y, case, {key: value / divisor for key, value in numbers.items()})
        horizontal_rows(axes, [case.label for case, _ in rows], positions)
        if low > 0 and high / low > _LOG_FROM:
            axes.set_xscale("log")
            # The axis needs three labels at least; below three decades, one label per decade is too
            # few.
            axes.xaxis.set_major_locator(LogLocator(subs=(1, 2, 5) if high / low < 1000 else (1,)))
            axes.xaxis.set_major_formatter("{x:g}")
            axes.xaxis.set_minor_formatter(NullFormatter())
            axes.set_xlabel(f"packet latency ({unit}, logarithmic)")
        else:
            axes.set_xlim(0, high / divisor * 1.04)
            axes.set_xlabel(f"packet latency ({unit})")
        box = Patch(facecolor=MUTED, alpha=0.5, label="first to third quartile")
        key = [
            *[box] * boxed,
            Line2D([], [], color=INK, ls="", marker="|", ms=9, mew=2, label="median"),
            Line2D([], [], color=INK, ls="", marker="x", ms=5, label="mean"),
            Line2D([], [], color=MUTED, ls="", marker="o", mfc="none", ms=5, label="p95"),
            Line2D([], [], color=MUTED, ls="", marker="o", ms=5, label="p99"),
        ]
        figure.legend(handles=key, loc="outside upper left", ncols=len(key))
    return figure


def _positions(rows: list[Case]) -> list[float]:
    """Returns the positions of rows: one apart, with a gap before each new job."""
    positions, y = [], 0.0
    for index, case in enumerate(rows):
        if index:
            y += 1.0 if rows[index - 1].name == case.name else 1.4
        positions.append(y)
    return positions


def _numbers(case: Case) -> dict[str, float]:
    """Returns the latencies of one job in ns; empty if it delivered no packet."""
    row = job_row(case.run, case.job)
    numbers = {key: row[f"packet_latency_{key}_ns"] for key in ("mean", "p50", "p95", "p99")}
    if any(value is None for value in numbers.values()):
        return {}
    if (latencies := packet_latencies(case.run, case.job)) is not None:
        numbers |= {"q1": latencies.quantile(0.25), "q3": latencies.quantile(0.75)}
    return numbers


def _row(axes: Axes, y: float, case: Case, numbers: dict[str, float]) -> None:
    start = numbers.get("q3", numbers["p50"])
    axes.plot([start, numbers["p99"]], [y, y], color=case.colour, lw=1.2, zorder=1)
    if "q1" in numbers:
        axes.barh(
            y,
            numbers["q3"] - numbers["q1"],
            0.62,
            numbers["q1"],
            color=case.colour,
            alpha=0.35 if case.alone else 0.9,
        )
    axes.plot(
        [numbers["p50"]] * 2, [y - 0.31, y + 0.31], color=INK, lw=2, solid_capstyle="butt", zorder=3
    )
    axes.plot(numbers["mean"], y, "x", color=INK, ms=5, zorder=4)
    axes.plot(numbers["p95"], y, "o", mfc="white", mec=case.colour, ms=5, zorder=3)
    axes.plot(numbers["p99"], y, "o", color=case.colour, ms=5, zorder=3)
