"""Stacked areas over simulated time, a panel below the other: traffic by job."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.figure import Figure
from matplotlib.patches import Patch
from numpy.typing import NDArray

from pantala.figures.legend import add_key
from pantala.figures.steps import stairs
from pantala.figures.style import HATCHES, PALETTE, new_figure, style
from pantala.text.amounts import time_unit

__all__ = ["stacked_areas"]

Areas = Mapping[str, "tuple[NDArray[Any], NDArray[Any]]"]


def stacked_areas(
    panels: Mapping[str, Areas], jobs: Sequence[str], labels: Mapping[str, str]
) -> Figure:
    """Draws the traffic of jobs in GB/s, stacked, in panels with shared axes.

    Args:
        panels: for each title the jobs, each with the edges of its steps in ns and its rates.
        jobs: all jobs in order, which have the colours.
        labels: words in place of names of jobs.
    """
    ends = [edges[-1] for areas in panels.values() for edges, _ in areas.values()]
    starts = [
        edges[np.flatnonzero(rates)[0]]
        for areas in panels.values()
        for edges, rates in areas.values()
        if rates.any()
    ]
    divisor, unit = time_unit(max(map(float, ends), default=1.0))
    shown = [each for each in jobs if any(each in areas for areas in panels.values())]
    with style():
        figure = new_figure(0.75 + 1.7 * max(1, len(panels)))
        axes = figure.subplots(max(1, len(panels)), sharex=True, sharey=True, squeeze=False).ravel()
        for own, (title, areas) in zip(axes, panels.items(), strict=False):
            below: NDArray[Any] | None = None
            for name in shown:
                if name not in areas:
                    continue
                edges, rates = areas[name]
                low = np.zeros(len(rates)) if below is None else below
                at = jobs.index(name)
                stairs(
                    own,
                    low + rates,
                    edges / divisor,
                    baseline=low,
                    fill=True,
                    facecolor=PALETTE[at % len(PALETTE)],
                    edgecolor="#ffffff",
                    hatch=HATCHES[at % len(HATCHES)],
                    lw=0,
                )
                below = low + rates
            own.set_title(title)
            own.grid(axis="y")
            own.margins(x=0)
        axes[0].set_ylim(bottom=0)
        axes[-1].set_xlim(min(starts, default=0.0) / divisor, max(ends, default=divisor) / divisor)
        axes[-1].set_xlabel(f"simulated time ({unit})")
        figure.supylabel("traffic (GB/s)", fontsize=9)
        key = [
            Patch(
                facecolor=PALETTE[jobs.index(name) % len(PALETTE)],
                hatch=HATCHES[jobs.index(name) % len(HATCHES)],
                edgecolor="#ffffff",
                label=labels.get(name, name),
            )
            for name in shown
        ]
        add_key(figure, key)
    return figure
