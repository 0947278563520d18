"""Runs of sweeps for the kinds of figures that are drawn from runs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias

from pantala.errors import UsageError
from pantala.experiments.axis_values import listed, with_values
from pantala.experiments.experiment import Experiment
from pantala.figures.kind import RUN, RUNS, Kind
from pantala.results.run import Run
from pantala.run_tables.run_like import InterferenceLike, RunLike

__all__ = ["Drawable", "choose_runs"]

#: What a figure is drawn from.
Drawable: TypeAlias = RunLike | InterferenceLike | Experiment

#: The most runs of a sweep that a figure shows.
_MOST = 8


def choose_runs(
    kind: Kind, given: Mapping[str, Drawable], options: Mapping[str, Any]
) -> tuple[Mapping[str, Drawable], Mapping[str, Any]]:
    """Replaces sweeps by their runs that ``where`` chooses, if a kind is drawn from runs.

    A case of several runs has its run of all jobs together. The titles are the values of the axes
    that differ.

    Args:
        kind: the kind.
        given: runs, interference experiments and sweeps by title.
        options: the options; ``where`` has the value of each axis.

    Returns:
        The runs by title, and the options without ``where``; what is given for other kinds.

    Raises:
        UsageError: there is no such axis or value, a run is missing, too many runs are left, or
            there is no sweep to choose from.
    """
    if kind.takes not in (RUN, RUNS):
        return given, options
    where = options.get("where", {})
    found: dict[str, Drawable] = {}
    swept = False
    for title, each in given.items():
        if isinstance(each, Experiment) and ((where and each.axes) or not each.single):
            swept = True
            for case, run in _runs(kind, each, where).items():
                found[": ".join(filter(None, (title if len(given) > 1 else "", case)))] = run
        else:
            found[title] = each
    if where and not swept:
        axis, value = next(iter(where.items()))
        raise UsageError(f"--where {axis}={value}: chooses runs of a sweep; remove it for a run")
    return found, {name: value for name, value in options.items() if name != "where"}


def _runs(kind: Kind, sweep: Experiment, where: Mapping[str, str]) -> dict[str, Run]:
    """Returns the chosen runs of a sweep by title."""
    rows = sweep.cases.unique("case", keep="first", maintain_order=True)
    rows = with_values(rows, sweep.axes, where, sweep.path)
    several = [axis for axis in sweep.axes if rows[axis].n_unique() > 1]
    most = 1 if kind.takes == RUN else _MOST
    if rows.height > most:
        choices = ", ".join(f"{axis} ({listed(rows, axis)})" for axis in several)
        left = f"--where leaves {rows.height:,} of its runs" if where else ""
        what = left or f"it is a sweep of {rows.height:,} cases"
        raise UsageError(
            f"figure {kind.name}: {sweep.path}: {what}, and the figure shows at most {most}; choose"
            f" with --where AXIS=VALUE: {choices}"
        )
    return {
        _title(sweep, several, row): sweep.case(row["case"]).together
        for row in rows.iter_rows(named=True)
    }


def _title(sweep: Experiment, several: list[str], row: Mapping[str, Any]) -> str:
    """Returns the values of the axes that differ; the name of the sweep for a single run."""
    words = [f"seed {row[axis]}" if axis == "seed" else str(row[axis]) for axis in several]
    return ", ".join(words) or sweep.name
