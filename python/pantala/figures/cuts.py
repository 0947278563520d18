"""Cuts in the time axis of figures: where a run has skipped time."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.transforms import ScaledTranslation

from pantala.figures.runs import Case
from pantala.figures.style import INK, MUTED
from pantala.run_tables.run_like import RunLike
from pantala.run_tables.skipped_time import skipped_spans
from pantala.text.amounts import PLAIN

__all__ = ["BREAK", "ShownRun", "break_line", "mark_cuts", "of_jobs", "time_label"]

#: Half of the distance between the two lines of a break, in points.
_HALF_GAP = 1.3
#: Runs of a panel whose skipped time is in words.
_RUNS = 2
#: The sign of a break in words.
BREAK = "\N{DOUBLE VERTICAL LINE}"


@dataclass(frozen=True, eq=False)
class ShownRun:
    """A run in a panel.

    Attributes:
        run: the run.
        name: what tells it from the others of the figure; empty for a single one.
        dashes: the dashes of its line.
    """

    run: RunLike
    name: str = ""
    dashes: Any = "-"


def time_label(runs: Iterable[RunLike], unit: str) -> str:
    """Returns the label of an axis of simulated time.

    Args:
        runs: the runs in the figure.
        unit: the unit of the axis.
    """
    cut = ", skipped time cut out" if any(skipped_spans(run) for run in runs) else ""
    return f"simulated time ({unit}{cut})"


def of_jobs(
    panels: Iterable[Axes], names: Iterable[str], rows: Sequence[Case]
) -> list[tuple[Axes, list[ShownRun]]]:
    """Returns panels of one job each with their runs.

    Args:
        panels: the panels.
        names: the job of each.
        rows: the cases of the figure.
    """
    return [
        (
            axes,
            [ShownRun(row.run, row.condition, row.line["ls"]) for row in rows if row.name == name],
        )
        for axes, name in zip(panels, names, strict=False)
    ]


def mark_cuts(panels: Iterable[tuple[Axes, Sequence[ShownRun]]], divisor: float) -> None:
    """Marks each cut of the runs of a panel with a break in the dashes of the run.

    Words above the panel say how much each run skipped, unless they are those of the panel before.

    Args:
        panels: panels with an axis of time, on which each run's skipped time is cut out, with their
            runs.
        divisor: the unit of the axis in ns.
    """
    last = ""
    for axes, shown in panels:
        for each in shown:
            before = 0.0
            for start, end in skipped_spans(each.run):
                break_line(axes, (start - before) / divisor, each.dashes)
                before += end - start
        words = _words(shown)
        if words and words != last:
            axes.set_title(words, loc="right", fontsize=8, fontweight="normal", color=MUTED)
        last = words


def break_line(axes: Axes, at: float, dashes: Any = "-") -> None:
    """Draws a break of the horizontal axis: two lines side by side, as no other mark has.

    Args:
        axes: the panel.
        at: the place of the break.
        dashes: the dashes of both lines.
    """
    figure = axes.get_figure(root=True)
    assert figure is not None
    for side in (-_HALF_GAP, _HALF_GAP):
        aside = ScaledTranslation(side / 72, 0, figure.dpi_scale_trans)
        line = Line2D([at, at], [0, 1], color=INK, lw=0.9, ls=dashes, zorder=5)
        line.set_transform(axes.get_xaxis_transform() + aside)
        axes.add_artist(line)


def _words(shown: Sequence[ShownRun]) -> str:
    """Returns how much each run of a panel skipped."""
    found = [(each.name, spans) for each in shown if (spans := skipped_spans(each.run))]
    if len(found) > _RUNS:
        return f"{BREAK} time skipped by {len(found)} runs"
    parts = []
    for name, spans in found:
        part = f"{PLAIN.duration(sum(end - start for start, end in spans))} skipped"
        part += f" at {len(spans)} places" if len(spans) > 1 else ""
        parts.append(f"{name}: {part}" if name else part)
    return f"{BREAK} {', '.join(parts)}" if parts else ""
