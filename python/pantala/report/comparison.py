"""The page of a comparison: plans, metrics with intervals, figures overlaid, what is left out."""

from __future__ import annotations

import math
import os
from collections.abc import Iterator
from pathlib import Path

import polars as pl

import pantala
from pantala.comparison.comparison import HEADLINES, Comparison, Row
from pantala.comparison.labels import label_of
from pantala.comparison.quantities import with_interval
from pantala.comparison.subject import SEED
from pantala.comparison.values import distinct_values
from pantala.errors import UsageError
from pantala.figures.intervals import Mark, difference_intervals
from pantala.figures.seeds import Box, seed_boxes
from pantala.report.overlay import overlaid, representatives
from pantala.report.page import render, write
from pantala.report.page_figure import PageFigure, page_figure
from pantala.report.tables import Cell, ReportTable
from pantala.runs.parts import TOGETHER
from pantala.text.amounts import count, join

__all__ = ["comparison_finding", "render_comparison", "write_comparison"]

_TIME = "communication_time_mean_ns"
_NO_FIGURES = (
    "There are no figures: not every side has a complete run of a common case and of equal jobs."
)
#: Rows that a figure can show legibly.
_MOST_ROWS = 48
#: Rows of a table of the page; more would make it too large for a browser.
_MOST_TABLE = 2000
#: What is left out and listed on the page.
_MOST_LINES = 100


def write_comparison(comparison: Comparison, path: str | os.PathLike[str]) -> Path:
    """Writes a comparison as one HTML file; returns its path.

    Raises:
        RunDirectoryError: the file cannot be written.
    """
    return write(render_comparison(comparison), path, "choose another --out")


def render_comparison(comparison: Comparison) -> str:
    """Returns the page of a comparison as HTML text. Equal runs give equal text."""
    shown = [row for row in comparison.rows if row.metric in HEADLINES] or list(comparison.rows)
    runs = representatives(comparison)
    page_figures = {"differences": _differences(comparison, shown), "seeds": _seeds(comparison)}
    page_figures |= overlaid(runs)
    left_out = [each.text for each in comparison.left_out]
    more = len(left_out) - _MOST_LINES
    return render(
        "comparison.html.j2",
        {
            "title": join(comparison.titles),
            "caveats": comparison.caveats,
            "summary": _summary(comparison),
            "finding": comparison_finding(comparison),
            "scope": f"{_scope(comparison)} {comparison.note}".strip(),
            "left_out": left_out[:_MOST_LINES] + ([f"{count(more)} more"] if more > 0 else []),
            "plans": _plan_table(comparison),
            "metrics": _metric_table(comparison, shown, "The main metrics."),
            "all_metrics": _metric_table(comparison, list(comparison.rows), "All metrics."),
            # The columns from the metric to the difference in words, and the name of the other.
            "text_columns": range(1, 3 + len(comparison.axes) + comparison.has_parts),
            "number": count(len(comparison.rows)),
            "figures": {key: found for key, found in page_figures.items() if found is not None},
            "overlay": runs.caption if runs else _NO_FIGURES,
            "subjects": _subject_table(comparison),
            "colours": {},
            "version": pantala.__version__,
        },
    )


def comparison_finding(comparison: Comparison) -> str:
    """Returns the opening sentences: communication time of each job, in words or in counts."""
    known = {row.metric for row in comparison.rows if row.part == TOGETHER}
    metric = next((name for name in HEADLINES if name in known), None)
    rows = [row for row in comparison.rows if row.metric == metric and row.part == TOGETHER]
    if metric is None:
        return f"{count(len(comparison.rows))} values are compared."
    label = label_of(metric)
    lines = []
    for other in dict.fromkeys(row.other for row in rows):
        of_other = [row for row in rows if row.other == other]
        against = f"{other} against {comparison.titles[0]}"
        if len(of_other) <= 3:
            each = [f"{_where(comparison, row)}{label} is {_told(row)}" for row in of_other]
            lines.append(f"{against}: {'. '.join(each)}.")
        else:
            lines.append(
                f"{against}, {label} of {len(of_other)} jobs and cases: {_counts(of_other)}."
            )
    return " ".join(lines)


def _told(row: Row) -> str:
    """Returns the words of a row as the end of a sentence that begins with "is"."""
    if row.words.startswith("no significant difference"):
        return row.words.replace("no significant difference", "not significantly different", 1)
    return row.words


def _counts(rows: list[Row]) -> str:
    kinds = {
        "significantly higher": [
            row for row in rows if row.difference.significant and row.difference.difference.mean > 0
        ],
        "significantly lower": [
            row for row in rows if row.difference.significant and row.difference.difference.mean < 0
        ],
        "not significantly different": [row for row in rows if row.difference.significant is False],
        "without an interval": [row for row in rows if row.difference.significant is None],
    }
    return ", ".join(f"{len(found)} {kind}" for kind, found in kinds.items() if found)


def _where(comparison: Comparison, row: Row) -> str:
    case = comparison.case_text(row.case)
    return f"{row.job}'s " + (f"({case}) " if case else "")


def _summary(comparison: Comparison) -> str:
    sentences = []
    for subject in comparison.subjects:
        number = subject.there().height
        sentences.append(f"{subject.title}: {count(number)} {'run' if number == 1 else 'runs'}")
    return " · ".join(sentences)


def _scope(comparison: Comparison) -> str:
    """Returns what the intervals cover, and how many there are; empty without any."""
    tested = [row for row in comparison.rows if row.difference.significant is not None]
    share = f"{100 * comparison.confidence:g} %"
    if not tested:
        return ""
    chance = (1 - comparison.confidence) * len(tested)
    return (
        f"Intervals are {share} intervals over seeds"
        f" ({'bootstrap' if comparison.method == 'bootstrap' else 'Student'}), of differences in"
        f" pairs of equal seeds where there are any. The page has {count(len(tested))} of them:"
        f" without any true difference, about {chance:.0f} would exclude zero by chance."
    )


def _plan_table(comparison: Comparison) -> ReportTable:
    table = ReportTable(
        "Keys of the plans that are not equal, in the spelling of a scenario. Values that follow"
        " from others are left out.",
        ["key", *comparison.titles, "cases"],
    )
    for change in comparison.plans:
        scope = change.scope or "all"
        table.rows.append([Cell(change.key), *map(Cell, change.values), Cell(scope)])
    return table


def _metric_table(comparison: Comparison, rows: list[Row], caption: str) -> ReportTable:
    several = len(comparison.subjects) > 2
    columns = [
        "job",
        "metric",
        *comparison.axes,
        *["part"] * comparison.has_parts,
        "difference",
        comparison.titles[0],
        *(["compared with"] if several else []),
        "other" if several else comparison.titles[1],
    ]
    cut = f" The first {count(_MOST_TABLE)} of {count(len(rows))} rows; --json has all."
    table = ReportTable(
        f"{caption} Means over the compared seeds, ± half of the interval; the difference is"
        f" relative to the mean of {comparison.titles[0]}.{cut * (len(rows) > _MOST_TABLE)}",
        columns,
    )
    for row in rows[:_MOST_TABLE]:
        numbers = row.difference
        table.rows.append(
            [
                Cell(row.job or "(run)"),
                Cell(row.metric),
                *map(Cell, row.case),
                *([Cell(row.part)] if comparison.has_parts else []),
                Cell(row.words, numbers.relative, strong=bool(numbers.significant)),
                Cell(with_interval(row.metric, numbers.base), numbers.base.mean),
                *([Cell(row.other)] if several else []),
                Cell(with_interval(row.metric, numbers.other), numbers.other.mean),
            ]
        )
    return table


def _subject_table(comparison: Comparison) -> ReportTable:
    states = ("done", "truncated", "failed", "missing")
    table = ReportTable("The directories and their runs.", ["title", *states, "directory"])
    for subject in comparison.subjects:
        found = dict(subject.runs.group_by("state").len().iter_rows())
        table.rows.append(
            [
                Cell(subject.title),
                *(Cell(count(found.get(state, 0)), found.get(state, 0)) for state in states),
                Cell(str(subject.path)),
            ]
        )
    return table


def _differences(comparison: Comparison, rows: list[Row]) -> PageFigure | None:
    marks = list(_marks(rows))
    labels = list(dict.fromkeys(mark.row for mark in marks))[:_MOST_ROWS]
    if not marks:
        return None
    kept = [mark for mark in marks if mark.row in labels]
    cut = len({mark.row for mark in marks}) - len(labels)
    return page_figure(
        "differences",
        "Differences of the main metrics",
        f"Difference from {comparison.titles[0]}, as a share of its mean, with the interval over"
        " seeds. A filled mark has an interval that excludes zero. A hollow mark has an interval"
        " that includes zero, or none."
        + (f" {count(cut)} more rows are in the tables only." if cut else ""),
        "",
        "Marks with intervals; the table below has the numbers.",
        difference_intervals(kept, comparison.titles[0]),
    )


def _marks(rows: list[Row]) -> Iterator[Mark]:
    for row in rows:
        numbers = row.difference
        if numbers.relative is None or not math.isfinite(numbers.relative):
            continue
        scale = abs(numbers.base.mean)
        case = ", ".join(row.case)
        part = "" if row.part == TOGETHER else f" {row.part.removesuffix(f'-{row.job}')}"
        label = f"{row.job}{part}: {label_of(row.metric)}"
        yield Mark(
            f"{label} ({case})" if case else label,
            row.other,
            numbers.relative,
            numbers.difference.low / scale,
            numbers.difference.high / scale,
        )


def _seeds(comparison: Comparison) -> PageFigure | None:
    """Returns the box plots of communication time over seeds; None if no side has several."""
    boxes: dict[tuple[str, str, str], list[float]] = {}
    wanted = {(row.job, row.case) for row in comparison.rows if row.metric == _TIME}
    order = list(dict.fromkeys(row.job for row in comparison.rows if row.metric == _TIME))
    for subject, values in zip(comparison.subjects, comparison.values, strict=True):
        frame = values.filter(
            pl.col("metric") == _TIME, pl.col("part") == TOGETHER, pl.col("whole")
        )
        for row in distinct_values(frame, subject.axes).sort(SEED).iter_rows(named=True):
            case = tuple(row[axis] for axis in comparison.axes)
            if (row["job"], case) in wanted:
                key = (row["job"], ", ".join(case), subject.title)
                boxes.setdefault(key, []).append(row["value"])
    if not any(len(values) > 1 for values in boxes.values()):
        return None
    keys = sorted(boxes, key=lambda key: (order.index(key[0]), key[1]))[:_MOST_ROWS]
    try:
        figure = seed_boxes(
            [
                Box(" ".join(filter(None, (job, case, title))), job, boxes[job, case, title])
                for job, case, title in keys
            ],
            "communication time, mean over ranks",
            order=order,
        )
    except UsageError:
        return None
    return page_figure(
        "seeds",
        "Communication time over seeds",
        "A point is one run: the mean communication time over the ranks of the job. Boxes reach"
        " from the first to the third quartile, whiskers to the extremes.",
        "",
        "Box plots of communication time over seeds.",
        figure,
    )
