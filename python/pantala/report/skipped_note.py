"""What the page says of skipped time below figures over time."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from pantala.report.page_figure import PageFigure
from pantala.report.reported_run import ReportedRun
from pantala.run_tables.skipped_time import skipped_spans

__all__ = ["with_cuts"]

#: The figures over simulated time, from which skipped time is cut out.
_OVER_TIME = (
    "throughput",
    "latency_time",
    "message_time",
    "response_time",
    "nonminimal_time",
    "system_time",
    "routers_time",
    "links_time",
    "calls_time",
    "learning",
)

#: Figures of sums over windows, of which skipped time has none.
_SUMS = ("blame", "saturation")

#: Figures of the run of all jobs, or with one run in each panel.
_ONE_RUN = ("links_time", "routers_time", "calls_time", "learning")


def with_cuts(drawn: Mapping[str, PageFigure], reported: ReportedRun) -> dict[str, PageFigure]:
    """Returns the figures of a page; captions of figures over time say what a break is.

    Captions of sums over windows say that they leave skipped time out.

    Args:
        drawn: the figures by key.
        reported: their runs.
    """
    skipping = sum(bool(skipped_spans(run)) for run in reported.parts.values())
    if not skipping:
        return dict(drawn)
    note = " A double line is a break of the axis, where a run skipped time."
    if skipping > 1:
        note += (
            " Each run has breaks of its own, in the dashes of its line, so its later times are not"
            " those of another run."
        )
    single = " A double line is a break of the axis, where the run skipped time."
    notes = {key: single if key in _ONE_RUN else note for key in _OVER_TIME}
    notes["iterations"] = " A double line is where the run skipped iterations."
    notes |= dict.fromkeys(_SUMS, " Skipped time does not count.")
    return {
        key: replace(figure, caption=figure.caption + notes.get(key, ""))
        if figure.svg is not None
        else figure
        for key, figure in drawn.items()
    }
