"""Figures that are drawn from what is given on the command line in a form of their own."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from matplotlib.figure import Figure

from pantala.analysis.attribution import effects_of
from pantala.errors import UsageError
from pantala.figures.cases import effects_of_sweep
from pantala.figures.effects import effect_matrix
from pantala.figures.link_map import link_load_map
from pantala.figures.link_time import links_over_time
from pantala.figures.runs import Given
from pantala.figures.shown_parts import shown_parts
from pantala.figures.slowdown import slowdown_bars
from pantala.run_tables.run_like import RunLike, job_names

__all__ = ["effects", "links", "load_map", "slowdowns"]


def load_map(given: Given, alone: Mapping[str, RunLike], measure: str = "load") -> Figure:
    """Draws `link_load_map` of load or stall; runs of different lengths say their lengths."""
    between = "\nmean over " if measure == "load" else "\nover "
    runs = {each.title: each.run for each in shown_parts(given, alone, spans=between)}
    return link_load_map(runs, "utilization" if measure == "load" else "stall")


def effects(given: Any, _: Mapping[str, RunLike], **options: Any) -> Figure:
    """Draws `effect_matrix` of an experiment, or of a case of a sweep.

    Raises:
        UsageError: an option chooses a case of an experiment that has none.
    """
    if given.axes:
        return effects_of_sweep(given, **options)
    if options:
        raise UsageError(
            "--where: chooses a case of a sweep; remove it for an interference experiment"
        )
    return effect_matrix(effects_of(given.slowdowns()), next(iter(given.methods), None))


def slowdowns(given: Any, _: Mapping[str, RunLike], **options: Any) -> Figure:
    """Draws `slowdown_bars` of an experiment; a job has the colour of its place in the run."""
    names = list(job_names(given.together).values())
    return slowdown_bars(given.slowdown.collect(), names=names, **options)


def links(given: Given, alone: Mapping[str, RunLike], **options: Any) -> Figure:
    """Draws `links_over_time` of the runs together."""
    return links_over_time(given, **options)
