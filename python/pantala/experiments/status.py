"""The status of an experiment: its runs by state, and the reasons of failures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import polars as pl

from pantala.errors import RunDirectoryError
from pantala.experiments.experiment import Experiment
from pantala.experiments.stored_status import stored_status
from pantala.files.run_directory import experiment_names
from pantala.store.lease import live_leases

__all__ = ["crossed_text", "status", "status_of"]


def status(path: Path) -> list[dict[str, Any]]:
    """Returns the status of every experiment in a directory; see `status_of`.

    Experiments are those of `pantala sweep`, an interference experiment of `pantala run`, a study,
    and the runs that none of them lists: of a curve, a table of a paper, or a sweep before it
    changed.

    Raises:
        RunDirectoryError: the directory holds no experiment.
    """
    sweeps = [Experiment(path, name) for name in experiment_names(path)]
    listed = [run for sweep in sweeps for run in sweep.cases["run"]]
    found = [status_of(sweep) for sweep in sweeps]
    found += stored_status(path, set(filter(None, listed)), listed.count(None))
    if not found:
        raise RunDirectoryError(
            path,
            "holds no experiment",
            "name a directory of pantala sweep, curve, study, or of an interference experiment",
        )
    return found


def crossed_text(found: Mapping[str, Any], between: str) -> str:
    """Returns the axes of a status as text: ``2 routing.algorithm x 5 seeds``; zipped keys once."""
    return between.join(
        f"{axis['points']} {', '.join(axis['columns'])}"
        + ("s" if axis["columns"] == ["seed"] and axis["points"] != 1 else "")
        for axis in found["crossed"]
    )


def status_of(experiment: Experiment) -> dict[str, Any]:
    """Returns the status of an experiment.

    Returns:
        ``kind`` (``sweep``), ``name``, ``directory``, ``axes`` (number of values by column),
        ``crossed`` (one object per axis: its ``columns``, which are zipped, and its number of
        ``points``), ``cases``, and of these ``refused``, which cannot be run; ``runs``, each
        counted once, and of these ``done``, ``failed``, ``running`` (a process holds its lease) and
        ``missing``; ``incomplete``, the done runs with a job that did not end; ``seconds`` (of all
        done runs) and ``bytes`` (of their files); ``failures``, one object per failed run: its
        axes, ``part``, ``run`` and ``reason``; ``refused_cases``, one object per refused case: its
        axes and ``reason``; ``caveats``, what makes the results approximate or partial: the
        ``kind`` and ``text`` of each.
    """
    every = experiment.runs
    refused = every.filter(pl.col("state") == "refused")
    frame = every.filter(pl.col("state") != "refused")
    known = frame.filter(pl.col("run").is_not_null()).unique("run", keep="first")
    unknown = frame["run"].null_count()
    states = dict(known.group_by("state").len().iter_rows())
    missing = set(known.filter(pl.col("state") == "missing")["run"])
    running = sum(run in missing for run in live_leases(experiment.path / "leases"))
    done = known.filter(pl.col("state") == "done")
    failed = known.filter(pl.col("state") == "failed").sort("case", "part")
    shown: Sequence[str] = [*experiment.axes, "part", "run", "reason"]
    return {
        "kind": "sweep",
        "name": experiment.name,
        "directory": str(experiment.path),
        "axes": {axis: every[axis].n_unique() for axis in experiment.axes},
        "crossed": [
            {"columns": columns, "points": every.select(columns).n_unique()}
            for columns in (axis["columns"] for axis in experiment.document["axes"])
        ],
        "cases": every["case"].n_unique(),
        "refused": refused.height,
        "runs": experiment.run_count,
        "done": states.get("done", 0),
        "failed": states.get("failed", 0),
        "running": running,
        "missing": states.get("missing", 0) + unknown - running,
        "incomplete": done.filter(~pl.col("complete")).height,
        "seconds": done["seconds"].sum(),
        "bytes": done["bytes"].sum(),
        "failures": failed.select(shown).to_dicts(),
        "refused_cases": refused.select(*experiment.axes, "reason").to_dicts(),
        "caveats": [caveat.to_dict() for caveat in experiment.caveats],
    }
