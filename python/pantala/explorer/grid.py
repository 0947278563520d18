"""The cases of a sweep: axes, metrics of each run, and the runs that a cell opens."""

from __future__ import annotations

from typing import Any

import polars as pl

from pantala.comparison.labels import label_of
from pantala.experiments.experiment import Experiment
from pantala.results.run import Run
from pantala.runs.parts import TOGETHER

__all__ = ["MOST_RUNS", "grid_of"]

#: Runs that the page can open at most.
MOST_RUNS = 2000
#: Numbers of a job that a cell can show, besides its slowdown.
_METRICS = (
    "communication_time_mean_ns",
    "end_ns",
    "packet_latency_mean_ns",
    "packet_latency_p99_ns",
    "nonminimal_share",
)

#: Columns whose words are not those of a metric of this name.
_WORDS = {"end_ns": "end of the job", "nonminimal_share": "packets on non-minimal paths"}


def _title(row: dict[str, Any], axes: list[str]) -> str:
    """Returns the title of a run: the values of its axes and its part, then its case."""
    # A number alone says nothing: it follows the last part of its key.
    values = [
        str(row[axis]) if isinstance(row[axis], str) else f"{axis.split('.')[-1]} {row[axis]}"
        for axis in axes
    ]
    return f"{', '.join([*values, row['part']])} (case {row['case']})"


def grid_of(experiment: Experiment) -> tuple[dict[str, Any], dict[str, Run]]:
    """Returns the cases of an experiment as JSON, and its finished runs by title.

    The JSON has the `axes`, the `metrics` with their `labels`, and `rows`: for each case, part and
    job the values of axes and metrics, and the number of its run on the page (null beyond
    `MOST_RUNS`).
    """
    axes = experiment.axes
    frame = experiment.table("jobs").collect()
    slowdowns = experiment.slowdowns()
    ratios: dict[tuple[int, str], float | None] = {}
    for row in slowdowns.filter(pl.col("job_set") == TOGETHER).iter_rows(named=True):
        ratios[row["case"], row["name"]] = row["slowdown"]
    known = [name for name in _METRICS if name in frame.columns]
    titles: dict[str, int] = {}
    runs: dict[str, Run] = {}
    rows = []
    for row in frame.iter_rows(named=True):
        identity = row["run"]
        if identity not in titles and len(runs) < MOST_RUNS:
            title = _title(row, axes)
            titles[identity] = len(runs)
            runs[title] = experiment.run(identity)
        together = row["part"] == TOGETHER
        rows.append(
            {
                "case": row["case"],
                "part": row["part"],
                "job": row["name"],
                "run": titles.get(identity),
                "axes": [str(row[axis]) for axis in axes],
                "values": [
                    ratios.get((row["case"], row["name"])) if together else None,
                    *(row[name] for name in known),
                ],
            }
        )
    metrics = ["slowdown", *known]
    labels = [_WORDS.get(name) or label_of(name) for name in metrics]
    return {"axes": axes, "metrics": metrics, "labels": labels, "rows": rows}, runs
