"""The report of an experiment: best and worst configurations, grids, box plots, all runs."""

from __future__ import annotations

import os
from collections.abc import Sequence
from itertools import chain
from pathlib import Path
from typing import Any

import polars as pl

import pantala
from pantala.comparison.ranking import RANKED_BY, SLOWED_BY, Ranking, ranking_of
from pantala.comparison.subject import SEED, Subject, open_subject
from pantala.comparison.values import check_metrics, values_of, values_with_means
from pantala.errors import RunDirectoryError, UsageError, shortened
from pantala.experiments.cases_file import over_seeds
from pantala.experiments.drawn_jobs import drawn_in_words
from pantala.experiments.status import crossed_text, status_of
from pantala.report.experiment_figures import effect_figures, grids, seed_figures
from pantala.report.experiment_tables import SHOWN, configurations_table, runs_table
from pantala.report.page import render, write
from pantala.report.page_figure import PageFigure
from pantala.text.amounts import TIMES, count

__all__ = ["experiment_finding", "render_experiment", "write_experiment"]

#: Failed and missing runs that the page lists.
_MOST_LINES = 200
#: Cases of which the page has slowdowns without being asked; reading two runs takes a while.
_MOST_SLOWED = 500


def write_experiment(path: Path, out: str | os.PathLike[str], metrics: Sequence[str] = ()) -> Path:
    """Writes the report of an experiment as one HTML file; returns its path.

    Args:
        path: the directory of `pantala sweep`, or ``DIR/experiments/NAME``.
        out: the file; its links to runs are relative.
        metrics: what the configurations are ranked by; see `render_experiment`.

    Raises:
        RunDirectoryError: the directory holds no experiment, or the file cannot be written.
        UsageError: the directory holds several experiments, or there is no such metric.
    """
    return write(render_experiment(path, metrics, Path(out).parent), out, "name another --out")


def render_experiment(path: Path, metrics: Sequence[str] = (), place: Path | None = None) -> str:
    """Returns the report of an experiment as HTML text. Equal runs give equal text.

    Args:
        path: the directory of `pantala sweep`, or ``DIR/experiments/NAME``.
        metrics: the metrics of jobs that the configurations are ranked by. If not given:
            communication time (packet latency of jobs without MPI) and, if jobs also ran alone,
            their slowdown.
        place: the folder of the page, for its links; that of the experiment if not given.

    Raises:
        RunDirectoryError: the directory holds no experiment.
        UsageError: the directory holds several experiments, or no job has such a metric.
    """
    check_metrics(metrics)
    subject = open_subject(path.name, path)
    experiment = subject.experiment
    if experiment is None:
        raise RunDirectoryError(
            path, "holds no experiment", "name a directory that pantala sweep wrote"
        )
    groups = [(metric,) for metric in metrics] or _default_groups(subject)
    values = values_of(subject, {*SHOWN, *chain(*groups)})
    meant = values_with_means(subject, values)
    rankings = [each for group in groups for each in ranking_of(meant, subject.axes, metrics=group)]
    if metrics and not rankings and values.height:
        raise UsageError(
            f"no job of {path} has the metric {', '.join(metrics)}; `pantala metrics` explains it"
        )
    status = status_of(experiment)
    page_figures: dict[str, PageFigure] = {}
    for metric in dict.fromkeys(ranking.metric for ranking in rankings):
        page_figures |= grids(subject, meant, metric)
    page_figures |= seed_figures(subject, meant, rankings)
    page_figures |= effect_figures(experiment)
    lines = _not_done(subject)
    more = len(lines) - _MOST_LINES
    return render(
        "experiment.html.j2",
        {
            "title": experiment.name,
            "caveats": experiment.caveats,
            "summary": _summary(status),
            "finding": experiment_finding(rankings, subject.axes),
            "scope": f"{_scope(rankings)} {drawn_in_words(subject.drawn)}".strip(),
            "not_done": lines[:_MOST_LINES] + ([f"{count(more)} more"] if more > 0 else []),
            "figures": page_figures,
            "grids": [key for key in page_figures if key.startswith("grid")],
            "effects": [key for key in page_figures if key.startswith("effects")],
            "boxes": [key for key in page_figures if key.startswith("seeds")],
            "configurations": [configurations_table(ranking, subject.axes) for ranking in rankings],
            "runs": runs_table(subject, values, tuple(dict.fromkeys((*SHOWN, *metrics))), place),
            # The axes, and the difference in words.
            "text_columns": range(1, len(subject.axes) + 2),
            # The axes, the part if there are several, seed and state.
            "run_text_columns": range(1, len(subject.axes) + 4),
            "colours": {},
            "version": pantala.__version__,
        },
    )


def _default_groups(subject: Subject) -> list[tuple[str, ...]]:
    """Returns what configurations are ranked by: a job by the first of each group that it has."""
    parts = subject.runs["part"].str
    slowed = parts.starts_with("alone").any() and subject.runs.height <= _MOST_SLOWED
    return [RANKED_BY, SLOWED_BY] if slowed else [RANKED_BY]


def experiment_finding(rankings: list[Ranking], axes: tuple[str, ...]) -> list[str]:
    """Returns a paragraph for each job and metric: its lowest and its highest configuration."""
    if not rankings:
        return ["No run has ended yet, so there is nothing to rank."]
    return [ranking.words(axes) for ranking in rankings]


def _summary(status: dict[str, object]) -> str:
    sentences = [
        crossed_text(status, f" {TIMES} ") or "one case",
        f"{status['done']} of {status['runs']} runs done",
    ]
    sentences += [
        f"{status[state]} {state}" for state in ("failed", "running", "missing") if status[state]
    ]
    if status["refused"]:
        sentences.append(f"{status['refused']} of {status['cases']} cases refused")
    if status["incomplete"]:
        sentences.append(f"{status['incomplete']} truncated")
    return " · ".join(sentences)


def _scope(rankings: list[Ranking]) -> str:
    """Returns the sentence about what the intervals cover; empty without any."""
    several = any(ranked.interval.count > 1 for each in rankings for ranked in each.ranked)
    if not several:
        return ""
    number = max((len(each.ranked) for each in rankings), default=0)
    text = "Intervals are 95 % intervals over seeds (Student)"
    if number < 2:
        return f"{text}."
    return (
        f"{text}; differences are of pairs of equal seeds. The best and the worst of"
        f" {count(number)} configurations are chosen by the same runs that measure their"
        " difference, so the difference tends to be too large."
    )


def _not_done(subject: Subject) -> list[str]:
    """Returns a line for each run that failed, is missing, or did not end, and each refused case.

    Seeds that are refused for the same reason share a line.
    """
    lines = []
    several = subject.runs["part"].n_unique() > 1

    def place_of(row: dict[str, Any]) -> str:
        return ", ".join(f"{axis} = {row[axis]}" for axis in subject.axes)

    refused = subject.runs.filter(pl.col("state") == "refused").select(
        *subject.axes, SEED, "reason"
    )
    others = subject.runs.filter(~pl.col("state").is_in(["done", "refused"]))
    for row in others.iter_rows(named=True):
        place = place_of(row)
        seed = "" if row[SEED] is None else f"seed {row[SEED]}"
        where = ", ".join(filter(None, (place, row["part"] * several, seed)))
        lines.append(f"{row['state']}: {where}: {shortened(row['reason'])}")
    for row in over_seeds(refused).iter_rows(named=True):
        seed = row[SEED] or ""
        seed = f"seed {seed}" if seed.isdecimal() else seed
        where = ", ".join(filter(None, (place_of(row), seed)))
        lines.append(f"refused: {where}: {row['reason']}")
    return lines
