"""Percentiles of request-response latency over all nodes and windows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from pantala.figures.legend import add_key
from pantala.figures.runs import Given, recorded
from pantala.figures.shown_parts import shown_parts
from pantala.figures.style import MARKERS, MUTED, new_figure, style
from pantala.metrics.samples import PERCENTILES, percentiles
from pantala.run_tables.run_like import RunLike
from pantala.text.amounts import time_unit

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["latency_percentiles", "percentile_lines"]

_LATENCY = "request_response_latency_mean_ns"


def latency_percentiles(given: Given, alone: Mapping[str, RunLike] | None = None) -> Figure:
    """Draws percentiles of request-response latency over the whole machine, a line per run.

    A sample is the mean latency of one node in one window. Chunduri et al. (IPDPS 2021), V.D and
    Fig. 14, have such samples from counters of Aries NICs.

    Args:
        given: one run, or several runs and experiments by title.
        alone: the run of each job alone, by name; only for one run.

    Raises:
        UsageError: a run did not record its nodes.
    """
    shown = shown_parts(given, alone)
    samples = [recorded(each.run, "nic_windows").select(_LATENCY).collect() for each in shown]
    lines = {
        each.title: _values(rows[_LATENCY].to_list())
        for each, rows in zip(shown, samples, strict=True)
    }
    looks = {each.title: each.line for each in shown}
    return percentile_lines(lines, PERCENTILES, looks, [rows.height for rows in samples])


def _values(samples: Sequence[float]) -> list[float]:
    return list(percentiles(samples).values())


def percentile_lines(
    lines: Mapping[str, Sequence[float]],
    shares: Iterable[float],
    looks: Mapping[str, dict[str, Any]],
    samples: Sequence[int] = (),
) -> Figure:
    """Draws percentiles side by side, on a logarithmic axis if they differ much.

    A percentile beyond which a line has less than one sample is near its largest one: its marker is
    hollow.

    Args:
        lines: the values of each line in ns.
        shares: the percentiles.
        looks: the colour and dashes of each line.
        samples: of how many samples each line is, if it is of one run.
    """
    shares = tuple(shares)
    names = [f"p{share:g}" for share in shares]
    high = max(max(values) for values in lines.values())
    low = min(min(values) for values in lines.values())
    divisor, unit = time_unit(high)
    with style():
        figure = new_figure(3.2)
        axes = figure.add_subplot()
        for at, (title, values) in enumerate(lines.items()):
            shown = [value / divisor for value in values]
            marker = MARKERS[at % len(MARKERS)]
            axes.plot(range(len(names)), shown, marker=marker, ms=4.5, **looks[title])
            places = [n for n, each in enumerate(shares) if samples and _few(samples[at], each)]
            if places:
                own = [shown[n] for n in places]
                look = {**looks[title], "ls": ""}
                axes.plot(places, own, marker=marker, ms=4.5, mfc="white", **look)
        axes.set_xticks(range(len(names)), names)
        if low > 0 and high > 20 * low:
            axes.set_yscale("log")
            axes.yaxis.set_major_formatter("{x:g}")
        else:
            axes.set_ylim(bottom=0)
        axes.grid(axis="y")
        axes.set_xlabel(f"percentile over {_of(samples)}")
        axes.set_ylabel(f"mean request-response latency ({unit})")
        keys = [
            Line2D([], [], marker=MARKERS[at % len(MARKERS)], label=title, **looks[title])
            for at, title in enumerate(lines)
        ]
        key = keys if len(lines) > 1 else []
        if any(_few(each, share) for each in samples for share in shares):
            look = {"color": MUTED, "ls": "", "marker": "o", "mfc": "white", "ms": 4.5}
            key.append(Line2D([], [], label="less than one sample beyond", **look))
        add_key(figure, key)
    return figure


def _few(samples: int, share: float) -> bool:
    """Returns whether less than one sample is expected beyond a percentile."""
    return samples * (100 - share) < 100 - 1e-9


def _of(samples: Sequence[int]) -> str:
    if not samples:
        return "nodes and windows"
    least, most = min(samples), max(samples)
    number = f"{least:,}" if least == most else f"{least:,} to {most:,}"
    return f"{number} samples, one per node and window"
