"""Distributions of stalls-to-flits ratios over tiles or links."""

from __future__ import annotations

from collections.abc import Mapping

import polars as pl
from matplotlib.figure import Figure

from pantala.analysis.hottest_links import ALL_CLASSES
from pantala.analysis.tiles import TILE_CLASSES
from pantala.errors import UsageError
from pantala.figures.link_shares import shares_of
from pantala.figures.runs import Given, check_jobs
from pantala.figures.shown_parts import shown_parts
from pantala.figures.tiles import counters_of
from pantala.run_tables.run_like import RunLike, job_names

__all__ = ["NETWORK_TILES", "RATIO", "TERMINAL", "tile_ratios"]

#: The title of the panel of all network tiles.
NETWORK_TILES = "network tiles"
RATIO = "stalls-to-flits ratio"
#: The classes of tiles and links that are not between routers.
TERMINAL = ("processor", "injection", "ejection")


def tile_ratios(
    given: Given, alone: Mapping[str, RunLike] | None = None, job: str | None = None
) -> Figure:
    """Draws the share of tiles with a stalls-to-flits ratio of at most x: a panel per class.

    The first panel has all network tiles together: 40 per router of an Aries. Tiles without a flit
    have no ratio. On machines without tiles, each link counts. Processor tiles and links of nodes
    have a scale of their own. A ratio is over the whole run; runs of different lengths say how long
    they lasted. Chunduri et al. (IPDPS 2021), Fig. 6 and 11.

    Args:
        given: one run, or several runs and experiments by title.
        alone: the run of each job alone, by name; only for one run.
        job: only the routers to which the nodes of this job are attached, in the runs with this
            job.

    Raises:
        UsageError: no link carried a packet, or no run has such a job.
    """
    shown = shown_parts(given, alone, spans=", over ")
    if job is not None:
        names = dict.fromkeys(name for each in shown for name in job_names(each.run).values())
        check_jobs([job], names)
        shown = [each for each in shown if job in job_names(each.run).values()]
    found = {each.title: _ratios(each.run, job) for each in shown}
    known = {name for frame in found.values() for name in frame["class"].unique().to_list()}
    if not known:
        raise UsageError("figure tile-ratios: no link carried a packet; name another run")
    tiles = known <= set(TILE_CLASSES)
    classes = [name for name in (TILE_CLASSES if tiles else ALL_CLASSES) if name in known]
    panels = {
        NETWORK_TILES if tiles else "network links": [
            name for name in classes if name not in TERMINAL
        ],
        **{name: [name] for name in classes},
    }
    return shares_of(
        {
            panel: {
                title: frame.filter(pl.col("class").is_in(of))["stalls_to_flits"].to_numpy()
                for title, frame in found.items()
            }
            for panel, of in panels.items()
        },
        RATIO,
        {each.title: each.line for each in shown},
        # Processor tiles stall many times as long: on one scale, the other lines are at its edge.
        {name: "terminal" for name in panels if name in TERMINAL},
        what="tiles" if tiles else "links",
    )


def _ratios(run: RunLike, job: str | None) -> pl.DataFrame:
    """Returns the class and the ratio of each tile with a flit."""
    counters = counters_of(run).filter(pl.col("flits") > 0)
    if job is not None:
        number = next(each for each, name in job_names(run).items() if name == job)
        own = run.ranks.filter(pl.col("job") == number).select("router").unique().collect()
        counters = counters.join(own, on="router", how="semi")
    return counters.select("class", "stalls_to_flits")
