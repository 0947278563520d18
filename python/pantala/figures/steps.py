"""Steps of time in figures: windows of a table, joined if there are too many to tell apart."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import StepPatch

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["MOST", "Steps", "stairs", "steps_of"]

#: The maximum number of steps of a figure with one panel per class or job.
MOST = 1000


@dataclass(frozen=True)
class Steps:
    """Steps of equal length; the last may be shorter.

    Attributes:
        edges_ns: the start of each step, and the end of the last one.
        step_ns: the length of a step.
    """

    edges_ns: NDArray[Any]
    step_ns: float

    @property
    def widths_ns(self) -> NDArray[Any]:
        """The length of each step."""
        return np.diff(self.edges_ns)

    def sums(self, starts_ns: NDArray[Any], values: NDArray[Any]) -> NDArray[Any]:
        """Returns the sum of the values of the windows in each step."""
        return np.bincount(self.places(starts_ns), values.astype(float), len(self.edges_ns) - 1)

    def places(self, starts_ns: NDArray[Any]) -> NDArray[Any]:
        """Returns the number of the step of each window."""
        at = np.floor((starts_ns - self.edges_ns[0]) / self.step_ns + 1e-6).astype(int)
        places: NDArray[Any] = np.clip(at, 0, len(self.edges_ns) - 2)
        return places


def steps_of(
    starts_ns: NDArray[Any],
    length_ns: float,
    end_ns: float,
    most: int = MOST,
    least_ns: float = 0.0,
) -> Steps:
    """Returns steps that cover windows up to an end.

    The first step starts at 0. If nothing happens in the first half of the time, it starts with the
    first window.

    Args:
        starts_ns: the starts of the windows that have rows, at least one.
        length_ns: the length of a window.
        end_ns: the end of the last step.
        most: the maximum number of steps.
        least_ns: the shortest length of a step.
    """
    first = float(starts_ns.min())
    origin = first if first > end_ns / 2 else 0.0
    windows = max(1, int(np.ceil((end_ns - origin) / length_ns - 1e-6)))
    step = length_ns * max(-(-windows // most), int(np.ceil(least_ns / length_ns - 1e-6)))
    number = max(1, int(np.ceil((end_ns - origin) / step - 1e-6)))
    edges = origin + np.arange(number + 1) * step
    edges[-1] = max(min(edges[-1], end_ns), np.nextafter(edges[-2], np.inf))
    return Steps(edges, step)


def stairs(
    axes: Axes,
    values: NDArray[Any],
    edges: NDArray[Any],
    *,
    baseline: NDArray[Any] | float | None = 0.0,
    fill: bool = False,
    color: Any = None,
    **look: Any,
) -> None:
    """Draws values over edges as `Axes.stairs` does, in a time that does not matter.

    `Axes.stairs` looks for the extent of each piece of the outline, which takes seconds for ten
    thousand windows. The values and the edges have it.
    """
    if color is not None:
        look = {"facecolor" if fill else "edgecolor": color} | look
    if fill:
        look = {"linewidth": 0} | look
    patch = StepPatch(values, edges, baseline=baseline, fill=fill, **look)  # type: ignore[arg-type]
    axes.add_artist(patch)
    lowest = 0.0 if baseline is None else float(np.min(baseline))
    patch.sticky_edges.y.append(lowest)
    known = values[np.isfinite(values)]
    highest = float(known.max()) if known.size else lowest
    least = min(lowest, float(known.min())) if known.size else lowest
    axes.update_datalim([(edges[0], least), (edges[-1], max(lowest, highest))])
    axes.autoscale_view()
