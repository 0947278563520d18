"""The page of a study: what limits it, counts of verdicts, each claim with its numbers, figures."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import polars as pl

import pantala
from pantala.analysis.statistics import mean_interval
from pantala.experiments.experiment import Experiment
from pantala.figures.grid import Bar, bar_grid
from pantala.report.page import render, write
from pantala.report.page_figure import PageFigure, page_figure
from pantala.report.tables import NONE, Cell, ReportTable
from pantala.studies.campaign import Campaign
from pantala.studies.claims_document import (
    bounds_in_words,
    counts_in_words,
    measured_in_words,
)
from pantala.studies.figures.made import MadeTable
from pantala.studies.judgement import Judgement, Verdict, coverage
from pantala.studies.shared_seeds import shared_seeds
from pantala.studies.variations import open_claims, varied_measures
from pantala.text.amounts import PAGE, count, significant

__all__ = ["experiments_table", "made_table", "render_study", "varied_tables", "write_study"]

_TIME = "communication_time_mean_ns"
#: Columns of a grid: the values of the axis that goes across.
_MOST_COLUMNS = 6
#: The runs of an experiment that has not been begun.
_NO_RUN = pl.DataFrame(schema={"seconds": pl.Float64, "packets": pl.UInt64})


def write_study(campaign: Campaign, path: str | os.PathLike[str]) -> Path:
    """Writes the page of a study as one HTML file; returns its path.

    Raises:
        RunDirectoryError: the file cannot be written.
        UsageError: a measure asks for what no experiment has.
    """
    return write(render_study(campaign), path, "choose another --page")


def render_study(campaign: Campaign) -> str:
    """Returns the page of a study as HTML text. Equal runs give equal text."""
    found = campaign.judgements()
    experiments = campaign.experiments
    figures: dict[str, PageFigure] = {}
    if campaign.study.file.has_figures:
        figures = _of_entries(campaign)
    else:
        for name, experiment in experiments.items():
            figures |= _figures(name, experiment)
    return render(
        "study.html.j2",
        {
            "title": campaign.study.title,
            "source": campaign.study.source,
            "caveats": campaign.caveats,
            "counts": counts_in_words(found),
            "claims": _claims(
                [one for one in found if not campaign.quick or one.verdict is not Verdict.NOT_RUN]
            ),
            "varied": varied_tables(campaign, found),
            "tables": [made_table(campaign, each) for each in campaign.tables()],
            "experiments": experiments_table(campaign),
            "figures": figures,
            "colours": {},
            "version": pantala.__version__,
        },
    )


def _claims(found: list[Judgement]) -> ReportTable:
    rows = []
    for each in found:
        claim = each.claim
        left_out = [claim.partly, claim.unjudged, claim.test and f"shown by {claim.test}"]
        remarks = " ".join(filter(None, [*left_out, claim.changed]))
        rows.append(
            [
                Cell(claim.id),
                Cell(each.words, strong=each.verdict is Verdict.HOLDS),
                Cell(f"{claim.statement} ({claim.where})"),
                Cell(measured_in_words(each)),
                Cell(claim.paper),
                Cell(remarks),
            ]
        )
    columns = ("claim", "verdict", "statement", "measured", "paper", "remarks")
    return ReportTable(f"The claims. Measured: {_of_seeds(found)}", columns, rows)


def _of_seeds(found: list[Judgement]) -> str:
    """Returns what the numbers of the claims are, with what their intervals are worth."""
    seeds = {each.seeds for each in found if each.seeds}
    if seeds == {1}:
        return "the value of one seed [bounds of the claim]."
    text = "mean over seeds (95 % bootstrap interval) [bounds of the claim]."
    if 1 in seeds:
        text += " With one seed there is no interval."
    if least := min(seeds - {1}, default=0):
        text += (
            f" With {least} seeds an interval contains the true mean in about"
            f" {100 * coverage(least):.0f} % of cases if values are normal."
        )
    return text


def varied_tables(campaign: Campaign, found: list[Judgement]) -> list[ReportTable]:
    """Returns for each varied experiment the measures of the claims that do not hold."""
    variations = campaign.variations()
    tables = []
    for experiment, measures in varied_measures(variations, open_claims(found)).items():
        names = [each.name for each in variations if each.experiment == experiment]
        rows = [
            [
                Cell(f"{each.claim}: {each.measure}"),
                Cell(bounds_in_words(each.bounds)),
                *(_varied_cell(each.values.get(name)) for name in names),
            ]
            for each in measures
        ]
        caption = (
            f"What was varied of {experiment}, for claims that do not hold or are undecided. Bold"
            " values lie inside the bounds of the claim."
        )
        tables.append(ReportTable(caption, ("measure", "bounds", *names), rows))
    return tables


def _varied_cell(found: tuple[float, str] | None) -> Cell:
    if found is None:
        return NONE
    value, place = found
    return Cell(significant(value), value, strong=place == "inside")


def experiments_table(campaign: Campaign) -> ReportTable:
    """Returns what each experiment has and what it cost."""
    experiments = campaign.experiments
    rows = []
    for name, sweep in campaign.sweeps.items():
        runs = (
            experiments[name].runs.filter(pl.col("state") == "done")
            if name in experiments
            else None
        )
        done = _NO_RUN if runs is None else runs.unique("run")
        cells = (
            str(len(sweep.listing.expansion)),
            count(done.height),
            count(len(sweep.missing)),
            count(int(done["packets"].sum())),
            PAGE.duration(float(done["seconds"].sum()) * 1e9),
        )
        rows.append([Cell(name), *map(Cell, cells)])
    columns = ("experiment", "cases", "runs done", "runs missing", "packets", "time of simulation")
    return ReportTable("The experiments; the time is summed over runs.", columns, rows)


def _of_entries(campaign: Campaign) -> dict[str, PageFigure]:
    """Returns the figures of study.toml; those without runs have a caption only."""
    found = {}
    for made in campaign.figures():
        entry = made.entry
        source = f"{campaign.study.source}, {entry.source}" if entry.source else ""
        if made.draw is None:
            found[entry.name] = PageFigure(entry.title, made.caption, source)
            continue
        alt = f"{entry.title}. {entry.name}.csv has the numbers."
        found[entry.name] = page_figure(
            entry.name, entry.title, made.caption, source, alt, made.draw()
        )
    return found


def made_table(campaign: Campaign, made: MadeTable) -> ReportTable:
    """Returns a table of study.toml with its caption."""
    entry, rows = made.entry, []
    for row in made.rows.iter_rows():
        rows.append([NONE if value is None else _cell(value) for value in row])
    source = f"After {campaign.study.source}, {entry.source}." if entry.source else ""
    caption = " ".join(filter(None, (f"{entry.title}.", entry.caption, made.remark, source)))
    return ReportTable(caption, made.rows.columns, rows)


def _cell(value: object) -> Cell:
    if isinstance(value, bool | str):
        return Cell(str(value))
    if isinstance(value, int):
        return Cell(count(value), value)
    return Cell(significant(float(value), 4), float(value))  # type: ignore[arg-type]


def _figures(name: str, experiment: Experiment) -> dict[str, PageFigure]:
    """Returns a grid of bars for each job that ran alone, or one of all jobs with equal rows."""
    bars = list(_bars(experiment))
    rows_of: dict[str, list[str]] = {}
    for bar in bars:
        rows_of.setdefault(bar.job, []).append(bar.row)
    together = len({tuple(dict.fromkeys(rows)) for rows in rows_of.values()}) == 1
    groups = [bars] if together else [[bar for bar in bars if bar.job == job] for job in rows_of]
    axes = [axis for axis in experiment.axes if axis != "seed"] or ["one case"]
    found = {}
    for group in filter(None, groups):
        key = f"{name}-all" if together else f"{name}-{group[0].job}"
        found[key] = page_figure(
            key,
            f"Communication time, {name}" + ("" if together else f": {group[0].job}"),
            "Each bar is the mean over the seeds that all bars have of the mean over the job's"
            " ranks, together with the other jobs. The whisker is its 95 % interval; without one,"
            " there is one run. The diamond is the job alone.",
            "",
            "Bars of communication time by case; the tables of the experiment have the numbers.",
            bar_grid(group, "communication time", axes),
        )
    return found


def _bars(experiment: Experiment) -> Iterator[Bar]:
    """Yields the mean communication time of each job that ran alone, by case."""
    axes = [axis for axis in experiment.axes if axis != "seed"]
    found = experiment.slowdowns()
    if found.is_empty():
        return
    found = found.filter(pl.col("slowdown").is_not_null())
    across = [axis for axis in axes[1:] if found[axis].n_unique() <= _MOST_COLUMNS][:1]
    down = [axis for axis in axes if axis not in across]
    keys = ["name", *down, *across]
    if "seed" in found.columns:
        cells = found.group_by(keys).agg(pl.col("seed").unique())
        found = found.filter(pl.col("seed").is_in(shared_seeds(cells["seed"].to_list())))
    grouped = found.group_by(keys, maintain_order=True).agg(
        f"together_{_TIME}", pl.col(f"alone_{_TIME}").mean()
    )
    for row in grouped.iter_rows(named=True):
        interval = mean_interval(row[f"together_{_TIME}"])
        yield Bar(
            row["name"],
            ", ".join(str(row[axis]) for axis in down),
            str(row[across[0]]) if across else "",
            interval.mean,
            interval.low,
            interval.high,
            row[f"alone_{_TIME}"],
        )
