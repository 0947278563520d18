"""Figures of runs and interference experiments, drawn with Matplotlib.

Each function reads the tables of a run and returns a `matplotlib.figure.Figure`; `save` writes one
to a file::

    import pantala as pt
    from pantala import figures

    experiment = pt.load("runs/interference")
    figures.save(figures.throughput(experiment.together, experiment.alone), "throughput.pdf")

Every job keeps its colour from figure to figure. A run of a job alone has the job's colour, and the
run of all jobs together has one of its own.
"""

# ruff: noqa: E402 - Matplotlib comes first.
from typing import TYPE_CHECKING

from pantala.figures.light_import import import_matplotlib

import_matplotlib()

from pantala.analysis.hottest_links import hottest_table, link_name
from pantala.analysis.link_load import SATURATED, LinkLoads, link_loads, shared_time
from pantala.figures.bars import communication_bars
from pantala.figures.blame import blame_matrix
from pantala.figures.calls import calls_over_time, time_in_calls
from pantala.figures.communication import communication_time
from pantala.figures.counters import system_counters
from pantala.figures.curve import curve
from pantala.figures.effects import effect_matrix
from pantala.figures.grid import Bar, bar_grid
from pantala.figures.hottest import hottest_links
from pantala.figures.intervals import Mark, difference_intervals
from pantala.figures.iterations import rank_iterations
from pantala.figures.job_sizes import job_sizes
from pantala.figures.latency import packet_latency
from pantala.figures.latency_time import latency_over_time
from pantala.figures.learning import learning
from pantala.figures.link_map import group_matrix, link_load_map, link_shift_map
from pantala.figures.link_shares import saturation_shares, traffic_shares
from pantala.figures.link_time import links_over_time
from pantala.figures.matrix import communication_matrix
from pantala.figures.nic_latency import latency_percentiles
from pantala.figures.placement import placement_map
from pantala.figures.rank_message_boxes import rank_latency_boxes
from pantala.figures.rank_messages import rank_latency
from pantala.figures.ring import group_ring
from pantala.figures.routers_time import routers_over_time
from pantala.figures.routing_time import nonminimal_over_time
from pantala.figures.save import FORMATS, check_place, save, to_svg
from pantala.figures.scores import z_scores
from pantala.figures.seeds import Box, seed_boxes
from pantala.figures.slowdown import slowdown_bars
from pantala.figures.style import DASHES, MARKERS, PALETTE, style
from pantala.figures.system_time import system_over_time
from pantala.figures.tail import latency_tail
from pantala.figures.throughput import throughput, throughput_windows
from pantala.figures.tile_ratios import tile_ratios
from pantala.figures.tiles import stall_scatter, stalls_and_flits
from pantala.figures.vc_occupancy import vc_occupancy, vc_occupancy_table

__all__ = [
    "DASHES",
    "FORMATS",
    "KINDS",
    "MARKERS",
    "PALETTE",
    "SATURATED",
    "Bar",
    "Box",
    "Kind",
    "LinkLoads",
    "Mark",
    "bar_grid",
    "blame_matrix",
    "calls_over_time",
    "check_place",
    "communication_bars",
    "communication_matrix",
    "communication_time",
    "curve",
    "difference_intervals",
    "draw",
    "effect_matrix",
    "group_matrix",
    "group_ring",
    "hottest_links",
    "hottest_table",
    "job_sizes",
    "kind_of",
    "latency_over_time",
    "latency_percentiles",
    "latency_tail",
    "learning",
    "link_load_map",
    "link_loads",
    "link_name",
    "link_shift_map",
    "links_over_time",
    "nonminimal_over_time",
    "packet_latency",
    "placement_map",
    "rank_iterations",
    "rank_latency",
    "rank_latency_boxes",
    "routers_over_time",
    "saturation_shares",
    "save",
    "seed_boxes",
    "shared_time",
    "slowdown_bars",
    "stall_scatter",
    "stalls_and_flits",
    "style",
    "system_counters",
    "system_over_time",
    "throughput",
    "throughput_windows",
    "tile_ratios",
    "time_in_calls",
    "to_svg",
    "traffic_shares",
    "vc_occupancy",
    "vc_occupancy_table",
    "z_scores",
]

if TYPE_CHECKING:
    from pantala.figures.drawing import draw
    from pantala.figures.registry import KINDS, Kind, kind_of
else:

    def __getattr__(name: str) -> object:
        # The kinds import what sweeps and comparisons need, which a report of a run does not.
        if name in ("KINDS", "Kind", "draw", "kind_of"):
            from pantala.figures import drawing, registry

            return getattr(drawing if name == "draw" else registry, name)
        raise AttributeError(f"module 'pantala.figures' has no attribute '{name}'")
