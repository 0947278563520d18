"""Drawing of a kind of figure: its runs and its options, checked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from matplotlib.figure import Figure

from pantala.errors import UsageError, nearest
from pantala.experiments.experiment import Experiment
from pantala.figures.kind import PAIR, RUNS, SEVERAL, SWEEP, Kind
from pantala.figures.registry import CLASSES, KINDS, kind_of
from pantala.figures.runs import is_experiment
from pantala.figures.slowdown import slowdown_bars
from pantala.figures.sweep_runs import Drawable, choose_runs

__all__ = ["draw"]


def draw(name: str, runs: Mapping[str, Drawable], options: Mapping[str, Any]) -> Figure:
    """Draws a figure of one or several runs, or of a sweep.

    Args:
        name: the kind.
        runs: the runs, interference experiments or sweeps by title, at least one.
        options: the values of ``class``, ``job`` (one, or a list of several), ``measure``,
            ``metric`` and ``where`` (the value of each axis), as far as they are given.

    Raises:
        UsageError: there is no such kind or option, the kind is drawn from something else, or a run
            did not record what the kind needs.
    """
    kind = kind_of(name)
    runs, options = choose_runs(kind, runs, options)
    chosen = _chosen(kind, options)
    for title, each in runs.items():
        _check(kind, title, each)
    drawn = kind.draw or kind.figure
    if kind.takes == RUNS and len(runs) > 1:
        return drawn(runs, {}, **chosen)
    if len(runs) > 1:
        raise UsageError(f"figure {kind.name}: takes {kind.takes}, not {len(runs)}; name one")
    only = next(iter(runs.values()))
    if SWEEP in kind.takes or kind.figure is slowdown_bars:
        return drawn(only, {}, **chosen)
    if is_experiment(only):
        return drawn(only.together, only.alone, **chosen)
    return drawn(only, {}, **chosen)


def _chosen(kind: Kind, options: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the arguments of a kind's options.

    Raises:
        UsageError: the kind has no such option, or the option no such value.
    """
    chosen: dict[str, Any] = {}
    for option, value in options.items():
        shown = value
        if option == "where":
            shown = ", ".join(f"{axis}={each}" for axis, each in value.items())
        if option not in kind.options:
            takes = ", ".join(f"--{each}" for each in kind.options) or "no such option"
            raise UsageError(
                f"--{option} {shown}: figure {kind.name} takes {takes}; remove --{option}"
            )
        values = kind.options[option]
        if option == "job":
            chosen |= _jobs(kind, value)
            continue
        if values is not None and value not in values:
            close = nearest(value, values)
            hint = f"did you mean '{close}'?" if close else f"write one of {', '.join(values)}"
            raise UsageError(f"--{option} {value}: is not one of {', '.join(values)}; {hint}")
        if option == "class":
            chosen["classes"] = CLASSES[value]
        else:
            chosen[option] = value
    return chosen


def _jobs(kind: Kind, value: str | Sequence[str]) -> dict[str, Any]:
    """Returns the argument of ``--job``.

    Raises:
        UsageError: there are several, and the kind takes one.
    """
    jobs = [value] if isinstance(value, str) else list(value)
    if kind.options["job"] is SEVERAL:
        return {"jobs": jobs}
    if len(jobs) > 1:
        raise UsageError(f"--job {jobs[1]}: figure {kind.name} takes one job; remove the others")
    return {"job": jobs[0]}


def _check(kind: Kind, title: str, given: Drawable) -> None:
    """Checks whether a kind can be drawn from what is given.

    Raises:
        UsageError: it is drawn from something else; the text says what to name.
    """
    place = getattr(given, "path", title)
    if isinstance(given, Experiment) and not given.single:
        if SWEEP not in kind.takes:
            of_sweeps = [each.name for each in KINDS.values() if SWEEP in each.takes]
            raise UsageError(
                f"figure {kind.name}: takes {kind.takes}; {place} is a sweep of"
                f" {given.run_count:,} runs; draw {' or '.join(of_sweeps)}"
            )
    elif not is_experiment(given) and PAIR in kind.takes:
        remedy = "name the directory that pantala run wrote for interference = true"
        raise UsageError(f"figure {kind.name}: takes {kind.takes}; {place} is a run; {remedy}")
    elif kind.takes == SWEEP and not isinstance(given, Experiment):
        raise UsageError(
            f"figure {kind.name}: compares the cases of a sweep; {place} is none; name the"
            " directory that pantala sweep wrote"
        )
