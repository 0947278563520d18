"""The tail of packet latency: the share of packets that take longer than x."""

from __future__ import annotations

from collections.abc import Collection, Mapping

import numpy as np
from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator, NullFormatter

from pantala.figures.legend import add_key, markers_key, runs_key
from pantala.figures.packet_latencies import PacketLatencies, packet_latencies
from pantala.figures.runs import Given, cases, recorded
from pantala.figures.style import marker, new_figure, style
from pantala.run_tables.run_like import RunLike
from pantala.text.amounts import time_unit

__all__ = ["latency_tail"]

#: The maximum number of points of a line; the tail keeps every packet.
_POINTS = 400


def latency_tail(
    given: Given,
    alone: Mapping[str, RunLike] | None = None,
    jobs: Collection[str] = (),
) -> Figure:
    """Draws the share of packets with a latency above x (CCDF) of each job, alone and together.

    Both axes are logarithmic, so that the slowest packet in ten thousand is as visible as the
    median. The figure reads the recorded packets; in a sample, the tail ends at one over its size.

    Args:
        given: one run, or several runs and experiments by title.
        alone: the run of each job alone, by name; only for one run.
        jobs: only these jobs; all by default.

    Raises:
        UsageError: a run recorded no packets, or there is no such job.
    """
    found = cases(given, alone, jobs)
    counted = [(case, packet_latencies(case.run, case.job)) for case in found]
    rows = [(case, latencies) for case, latencies in counted if latencies is not None]
    if not rows and found:
        recorded(found[-1].run, "packets")
    names = list(dict.fromkeys(case.name for case, _ in rows))
    divisor, unit = time_unit(max((float(each.values[-1]) for _, each in rows), default=1.0))
    with style():
        figure = new_figure(3.4)
        axes = figure.add_subplot()
        for case, latencies in rows:
            above, share = _tail(latencies)
            axes.plot(
                above / divisor,
                share,
                drawstyle="steps-post",
                marker=marker(names.index(case.name)),
                markevery=0.12,
                ms=4,
                mfc=case.colour if not case.alone else "white",
                **case.line,
            )
        axes.set_xscale("log")
        axes.set_yscale("log")
        axes.set_ylim(top=1)
        axes.yaxis.set_major_formatter(lambda share, _: f"{100 * share:g} %")
        axes.xaxis.set_major_formatter("{x:g}")
        low, high = axes.get_xlim()
        axes.xaxis.set_major_locator(LogLocator(subs=(1, 2, 5) if high < 500 * low else (1,)))
        axes.xaxis.set_minor_formatter(NullFormatter())
        axes.grid()
        axes.set_xlabel(f"packet latency ({unit}, logarithmic)")
        axes.set_ylabel("share of packets above")
        shown = [case for case, _ in rows]
        add_key(figure, [*markers_key(shown, names), *runs_key(shown)])
    return figure


def _tail(latencies: PacketLatencies) -> tuple[np.ndarray, np.ndarray]:
    """Returns the points of the step line: each latency, and the share of packets above it."""
    number = len(latencies)
    left = np.unique(np.geomspace(1, number, min(number, _POINTS)).astype(int))  # packets above
    at = np.unique(np.concatenate([number - 1 - left, [0, number - 2, number - 1]]))
    at = at[(at >= 0) & (at < number)]
    share = (number - 1 - at) / number
    kept = share > 0
    first, last = latencies.values[:1], latencies.values[-1:]
    above = np.concatenate([first, latencies.at(at[kept]), last])
    return above, np.concatenate([[1.0], share[kept], share[kept][-1:] if kept.any() else [1.0]])
