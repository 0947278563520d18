"""Runs of an earlier form of an experiment: its directory lists them, and its file no longer does.

Measures read the runs that the directory lists. If the experiment changes, they are of another
scenario until the next `pantala study run`.
"""

from __future__ import annotations

import polars as pl

from pantala.errors import UsageError
from pantala.experiments.experiment import Experiment
from pantala.experiments.listing import Listing

__all__ = ["check_axes", "earlier_runs"]


def check_axes(stored: Experiment, axes: list[str]) -> None:
    """Checks that a directory lists the cases of an experiment by the axes that it has.

    Args:
        stored: the experiment in its directory.
        axes: the columns of the axes that the study gives it.

    Raises:
        UsageError: the axes are others.
    """
    if set(stored.axes) - {"seed"} != set(axes) - {"seed"}:
        raise UsageError(
            f"{stored.path}: experiment {stored.name}: its runs have the axes"
            f" {_named(stored.axes)}, and the study gives it {_named(axes)}; give pantala study run"
            " to list its runs anew"
        )


def earlier_runs(stored: Experiment, listing: Listing) -> tuple[int, int]:
    """Returns how many finished runs an experiment no longer lists, and how many there are.

    Cases that only one of the two has do not count: a study can be run with other seeds.

    Args:
        stored: the experiment in its directory.
        listing: its runs by the study as it is now.
    """
    keys = [*stored.axes, "part"]
    done = stored.runs.filter(pl.col("state") == "done")
    if not set(keys) <= set(listing.frame.columns):
        return 0, done.height
    before, now = (
        frame.select(pl.col(keys).cast(pl.String), "run") for frame in (done, listing.frame)
    )
    both = before.join(now.drop_nulls("run"), on=keys, suffix="_now")
    return both.filter(pl.col("run") != pl.col("run_now")).height, done.height


def _named(axes: list[str]) -> str:
    return ", ".join(axes) if axes else "(none)"
