"""The MPI calls of the first ranks of a job: bars, or shares of time if there are too many bars."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
from matplotlib.axes import Axes
from matplotlib.colors import to_rgb

from pantala.run_tables.exact_sums import exact_sum
from pantala.run_tables.skipped_time import cut_out

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["CallBars", "call_bars"]

#: Ranks of a panel.
_RANKS = 16
#: With more bars than this, a panel is an image.
BARS = 4000
#: Columns of an image; a figure has 1,800 dots in print.
_COLUMNS = 2000
#: Lines of an image per rank: space, bar, space.
_LINES = (2, 21, 2)


@dataclass(frozen=True)
class CallBars:
    """The calls that take time of the first ranks of a job that have any."""

    #: The rows of these ranks; they may not fit into memory.
    events: pl.LazyFrame
    ranks: list[int]
    #: Time and number of calls, by call.
    totals: dict[str, float]
    number: int
    start_ns: float
    end_ns: float

    def draw(
        self,
        axes: Axes,
        looks: Sequence[tuple[str, str]],
        ends_ns: tuple[float, float],
        unit: float,
    ) -> None:
        """Draws a row per rank.

        Args:
            axes: the panel; its vertical axis has the place of a rank in `ranks`.
            looks: calls with a colour of their own, and last, if others have one, an empty name.
            ends_ns: the first and the last time of the figure.
            unit: the unit of the horizontal axis in ns.
        """
        call = pl.col("call")
        look = pl.when(call.is_in([name for name, _ in looks])).then(call).otherwise(pl.lit(""))
        events = self.events.with_columns(look=look)
        colours = dict(looks)
        if self.number > BARS:
            self._draw_image(axes, events, colours, ends_ns, unit)
            return
        bars = (
            events.group_by("rank", "look")
            .agg("start_ns", length=pl.col("end_ns") - pl.col("start_ns"))
            .sort("rank", "look")
            .collect()
        )
        for rank, name, starts, lengths in bars.iter_rows():
            axes.broken_barh(
                [(at / unit, long / unit) for at, long in zip(starts, lengths, strict=True)],
                (self.ranks.index(rank) - 0.42, 0.84),
                facecolor=colours[name],
                lw=0,
            )

    def _draw_image(
        self,
        axes: Axes,
        events: pl.LazyFrame,
        colours: dict[str, str],
        ends_ns: tuple[float, float],
        unit: float,
    ) -> None:
        shares = _shares(events, self.ranks, list(colours), ends_ns)
        inside = shares.sum(axis=2, keepdims=True)
        mixed = shares @ np.array([to_rgb(colour) for colour in colours.values()])
        rgb = np.divide(mixed, inside, out=np.zeros_like(mixed), where=inside > 0)
        rows = np.concatenate([rgb, inside.clip(0, 1)], axis=2)
        above, bar, below = _LINES
        image = np.zeros((len(rows), above + bar + below, *rows.shape[1:]))
        image[:, above : above + bar] = rows[:, np.newaxis]
        axes.imshow(
            (255 * image.reshape(-1, *rows.shape[1:])).round().astype(np.uint8),
            aspect="auto",
            interpolation="none",
            extent=(ends_ns[0] / unit, ends_ns[1] / unit, len(rows) - 0.5, -0.5),
        )


def call_bars(events: pl.LazyFrame, skipped: Sequence[tuple[float, float]] = ()) -> CallBars | None:
    """Returns the calls of the first ranks that have any; None without a call that takes time.

    Args:
        events: the rows of one job in the table `call_events`.
        skipped: the skipped time of the run, which is cut out.
    """
    lasting = events.filter(pl.col("end_ns") > pl.col("start_ns")).with_columns(
        cut_out(skipped, pl.col("start_ns", "end_ns"))
    )
    every = lasting.select(pl.col("rank").unique()).collect(engine="streaming")
    ranks = every["rank"].sort().head(_RANKS).to_list()
    if not ranks:
        return None
    own = lasting.filter(pl.col("rank").is_in(ranks)).select(
        "rank", "call", "start_ns", "end_ns", "time_ns"
    )
    calls = (
        own.group_by("call")
        .agg(exact_sum("time_ns"), pl.len(), pl.col("start_ns").min(), pl.col("end_ns").max())
        .collect(engine="streaming")
    )
    return CallBars(
        own,
        ranks,
        dict(calls.select("call", "time_ns").iter_rows()),
        int(calls["len"].sum()),
        float(calls["start_ns"].to_numpy().min()),
        float(calls["end_ns"].to_numpy().max()),
    )


def _shares(
    events: pl.LazyFrame, ranks: Sequence[int], names: Sequence[str], ends_ns: tuple[float, float]
) -> NDArray[Any]:
    """Returns the share of each column of time that a rank spends in each call.

    The time inside calls before an edge of columns is the sum of (edge - start) over the calls that
    start before it, less that of (edge - end) over the calls that end before it. So the numbers
    and sums of starts and ends in each column are enough.
    """
    first, width = ends_ns[0], (ends_ns[1] - ends_ns[0]) / _COLUMNS
    edges = np.arange(_COLUMNS + 1) * width
    inside = np.zeros((len(ranks), len(names), _COLUMNS + 1))
    for column, sign in (("start_ns", 1.0), ("end_ns", -1.0)):
        at = pl.col(column) - first
        counted = (
            events.group_by("rank", "look", place=(at / width).floor().clip(0, _COLUMNS - 1))
            .agg(pl.len(), total=exact_sum(at))
            .collect(engine="streaming")
        )
        numbers, totals = (np.zeros_like(inside) for _ in range(2))
        for rank, look, place, number, total in counted.iter_rows():
            where = ranks.index(rank), names.index(look), int(place) + 1
            numbers[where], totals[where] = number, total
        inside += sign * (numbers.cumsum(axis=2) * edges - totals.cumsum(axis=2))
    shares: NDArray[Any] = np.diff(inside, axis=2).transpose(0, 2, 1) / width
    return shares.clip(0, 1)
