"""Figures of several runs in one panel: one representative run of each subject of a comparison."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import polars as pl
from matplotlib.figure import Figure

from pantala import figures
from pantala.comparison.comparison import Comparison
from pantala.comparison.subject import SEED, Subject
from pantala.report.page_figure import KANG, YANG, PageFigure, page_figure
from pantala.results.run import Run
from pantala.run_tables.run_like import table
from pantala.runs.parts import TOGETHER

__all__ = ["Representatives", "overlaid", "representatives"]

_TIME = "communication_time_mean_ns"


@dataclass(frozen=True)
class Representatives:
    """One run of each subject, by title, and the sentence that says which."""

    runs: dict[str, Run]
    caption: str


def representatives(comparison: Comparison) -> Representatives | None:
    """Returns one complete run of each subject: of the first common case, and of one seed.

    The seed is that of the base's median run by communication time of its first job, as Yang et
    al. (SC 2016, 3.4) choose a representative. Without common seeds, each subject has its own.

    Returns:
        The runs; None if the subjects have no complete runs of a common case, or other jobs.
    """
    cases = list(dict.fromkeys(row.case for row in comparison.rows if row.part == TOGETHER))
    if not cases:
        return None
    case = cases[0]
    found = [_by_seed(subject, comparison.axes, case) for subject in comparison.subjects]
    if not all(found):
        return None
    shared = [seed for seed in found[0] if all(seed in each for each in found)]
    if shared:
        middle = _median(comparison.subjects[0], {seed: found[0][seed] for seed in shared})
        chosen = [middle for _ in found]
    else:
        chosen = [
            _median(subject, each) for subject, each in zip(comparison.subjects, found, strict=True)
        ]
    runs = {
        subject.title: subject.run(each[seed])
        for subject, each, seed in zip(comparison.subjects, found, chosen, strict=True)
    }
    if len({tuple(sorted(run.job_names)) for run in runs.values()}) > 1:
        return None
    seeds = f"seed {chosen[0]}" if shared else f"seeds {', '.join(map(str, chosen))}"
    why = ", the median run of the base" if any(len(each) > 1 for each in found) else ""
    where = comparison.case_text(case)
    of_case = f" of the case {where}" if where else ""
    return Representatives(runs, f"The figures show one run of each side{of_case}: {seeds}{why}.")


def overlaid(chosen: Representatives | None) -> dict[str, PageFigure | None]:
    """Returns the figures that the tables of all runs allow, by key; colours are jobs."""
    if chosen is None:
        return {}
    runs = chosen.runs
    communicates = any(
        run.ranks.select(pl.col("communication_time_ns").sum()).collect().item()
        for run in runs.values()
    )
    skips = any(run.document.get("skipped") for run in runs.values())
    makers: dict[str, tuple[bool, str, str, str, Callable[[], Figure]]] = {
        "bars": (
            communicates,
            "Communication time",
            "Bars are means over the job's ranks, whiskers one standard deviation, diamonds the"
            " slowest rank.",
            f"{KANG}, Fig. 4",
            lambda: figures.communication_bars(runs),
        ),
        "ranks": (
            communicates,
            "Communication time, rank by rank",
            "For each time on the horizontal axis, the share of ranks with at most this"
            " communication time. Dashes tell the runs apart.",
            f"{YANG}, Fig. 3",
            lambda: figures.communication_time(runs),
        ),
        "latency": (
            any(run.jobs.select(pl.col("packets").sum()).collect().item() for run in runs.values()),
            "Packet latency",
            "Median, mean, 95th and 99th percentile cover every packet delivered"
            f"{' in the time that was simulated' if skips else ''}.",
            f"{KANG}, Fig. 6",
            lambda: figures.packet_latency(runs),
        ),
        "throughput": (
            _all_have(runs, "job_windows"),
            "Throughput over time",
            "Bytes delivered to each job per unit of simulated time. Dashes tell the runs apart.",
            f"{KANG}, Fig. 5 and 9",
            lambda: figures.throughput(runs),
        ),
        "latency_time": (
            _all_have(runs, "job_windows"),
            "Packet latency over time",
            "Latency of the packets that arrive in each time window. Dashes tell the runs apart.",
            f"{KANG}, Fig. 7",
            lambda: figures.latency_over_time(runs),
        ),
        "traffic": (
            _all_have(runs, "links"),
            "Traffic of links",
            "For each number of bytes on the horizontal axis, the share of links that carried at"
            " most this number.",
            f"{YANG}, Fig. 2",
            lambda: figures.traffic_shares(runs),
        ),
    }
    names = " and ".join(runs)
    return {
        key: page_figure(key, title, caption, source, f"{title} of {names}, overlaid.", draw())
        for key, (possible, title, caption, source, draw) in makers.items()
        if possible
    }


def _all_have(runs: dict[str, Run], name: str) -> bool:
    return all(table(run, name) is not None for run in runs.values())


def _by_seed(
    subject: Subject, axes: tuple[str, ...], case: tuple[str, ...]
) -> dict[int | None, str]:
    """Returns the complete runs of all jobs in a case, by seed."""
    rows = subject.runs.filter(
        pl.col("state") == "done",
        pl.col("part") == TOGETHER,
        *(pl.col(axis) == value for axis, value in zip(axes, case, strict=True)),
    )
    return dict(rows.select(SEED, "run").iter_rows())


def _median(subject: Subject, runs: dict[int | None, str]) -> int | None:
    """Returns the seed of the lower median by communication time of the first job."""
    if len(runs) == 1:
        return next(iter(runs))
    first = subject.run(next(iter(runs.values()))).job_names[0]
    if subject.experiment is None:
        found = {key: subject.run(key).metric(_TIME, first) for key in runs.values()}
    else:
        rows = subject.experiment.table("jobs").filter(pl.col("name") == first)
        found = dict(rows.select("run", _TIME).collect().iter_rows())
    ranked = sorted(runs, key=lambda seed: found[runs[seed]] or 0.0)
    return ranked[(len(ranked) - 1) // 2]
