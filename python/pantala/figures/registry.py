"""The kinds of figures that `pantala figure` draws: each with its function, sentence and source."""

from __future__ import annotations

from pantala.analysis.hottest_links import ALL_CLASSES
from pantala.errors import UsageError, nearest
from pantala.figures.bars import communication_bars
from pantala.figures.blame import blame_matrix
from pantala.figures.calls import calls_over_time, time_in_calls
from pantala.figures.cases import boxes_of_sweep, grid_of_sweep
from pantala.figures.communication import communication_time
from pantala.figures.counters import system_counters
from pantala.figures.effects import effect_matrix
from pantala.figures.given_forms import effects, links, load_map, slowdowns
from pantala.figures.grid import bar_grid
from pantala.figures.hottest import hottest_links
from pantala.figures.iterations import rank_iterations
from pantala.figures.job_sizes import job_sizes
from pantala.figures.kind import (
    CHUNDURI,
    EFFECTS,
    KANG,
    PAIR,
    RUN,
    RUNS,
    SEVERAL,
    SWEEP,
    WANG,
    YANG,
    Kind,
)
from pantala.figures.latency import packet_latency
from pantala.figures.latency_time import latency_over_time
from pantala.figures.learning import learning
from pantala.figures.link_map import link_load_map, link_shift_map
from pantala.figures.link_shares import saturation_shares, traffic_shares
from pantala.figures.link_time import links_over_time
from pantala.figures.nic_latency import latency_percentiles
from pantala.figures.placement import placement_map
from pantala.figures.rank_message_boxes import rank_latency_boxes
from pantala.figures.rank_messages import DIRECTIONS, rank_latency
from pantala.figures.ring import group_ring
from pantala.figures.routers_time import routers_over_time
from pantala.figures.routing_time import nonminimal_over_time
from pantala.figures.scores import z_scores, z_scores_of_sweep
from pantala.figures.seeds import seed_boxes
from pantala.figures.slowdown import slowdown_bars
from pantala.figures.system_time import MEASURES, system_over_time
from pantala.figures.tail import latency_tail
from pantala.figures.throughput import throughput
from pantala.figures.tile_ratios import tile_ratios
from pantala.figures.tiles import stall_scatter
from pantala.figures.vc_occupancy import vc_occupancy
from pantala.run_tables.link_classes import NETWORK

__all__ = ["CLASSES", "KINDS", "RUN", "RUNS", "SWEEP", "Kind", "kind_of"]

#: Link classes by the words of the option ``--class``.
CLASSES: dict[str, tuple[str, ...]] = {
    "network": NETWORK,
    "terminal": ("injection", "ejection"),
    "all": ALL_CLASSES,
    **{name: (name,) for name in ALL_CLASSES},
}


#: The option of kinds that have a row, a line or a panel per job.
_JOBS = {"job": SEVERAL}
_CASES = {"metric": None, "job": None, "where": None}

KINDS: dict[str, Kind] = {
    kind.name: kind
    for kind in (
        Kind(
            communication_bars,
            "Communication time of each job: mean, standard deviation over ranks, slowest rank.",
            f"{KANG}, Fig. 4, 8 and 10",
            options=_JOBS,
        ),
        Kind(
            communication_time,
            "Share of ranks with a communication time of at most x.",
            f"{YANG}, Fig. 3",
            options=_JOBS,
        ),
        Kind(
            rank_iterations,
            "Heat map of ranks and iterations: time inside MPI calls, or duration.",
            options=_JOBS | {"measure": ("communication", "duration")},
            reads="iterations",
        ),
        Kind(
            time_in_calls,
            "Time inside each MPI call, mean over ranks: one bar per job, with computing if asked.",
            f"{CHUNDURI}, Fig. 5 and 8",
            options=_JOBS | {"measure": ("calls", "run")},
        ),
        Kind(
            calls_over_time,
            "MPI calls of single ranks over simulated time.",
            options=_JOBS,
            reads="call_events",
        ),
        Kind(
            throughput,
            "Delivered throughput of each job over simulated time.",
            f"{KANG}, Fig. 5 and 9",
            options=_JOBS,
        ),
        Kind(
            packet_latency,
            "Box plot of packet latency per job: quartiles, median, mean, p95 and p99.",
            f"{KANG}, Fig. 6",
            options=_JOBS,
        ),
        Kind(
            latency_over_time,
            "Latency of packets, messages or request and response of each job over time.",
            f"{KANG}, Fig. 7",
            options=_JOBS | {"measure": ("packet", "message", "request-response")},
        ),
        Kind(
            latency_tail,
            "Share of packets with a latency above x, with logarithmic axes.",
            options=_JOBS,
            reads="packets",
        ),
        Kind(
            latency_percentiles,
            "Percentiles of request-response latency over all nodes and windows.",
            f"{CHUNDURI}, Fig. 14",
            reads="nic_windows",
        ),
        Kind(
            rank_latency,
            "Shortest, mean and longest message latency of each rank, a panel per job.",
            options=_JOBS | {"measure": DIRECTIONS},
            reads="rank_messages",
        ),
        Kind(
            rank_latency_boxes,
            "Box plot over ranks of the longest message latency of a rank, per job.",
            f"{WANG}, Fig. 7",
            options=_JOBS | {"measure": DIRECTIONS},
            reads="rank_messages",
        ),
        Kind(
            slowdown_bars,
            "Communication time of each job alone and together, and the slowdown.",
            options=_JOBS,
            takes=PAIR,
            draw=slowdowns,
        ),
        Kind(
            effect_matrix,
            "Matrix of slowdowns: the job that is slowed down, and the job that slows it.",
            options={"where": None},
            takes=EFFECTS,
            draw=effects,
        ),
        Kind(
            bar_grid,
            "Mean of a metric of each job in each case of a sweep, with intervals over seeds.",
            f"{KANG}, Fig. 4 and 8",
            options=_CASES,
            takes=SWEEP,
            draw=lambda given, _, **options: grid_of_sweep(given, **options),
        ),
        Kind(
            seed_boxes,
            "Box plot over seeds of a metric of each job in each case of a sweep, a point per run.",
            f"{YANG}, Fig. 3; {CHUNDURI}, Fig. 3",
            options=_CASES,
            takes=SWEEP,
            draw=lambda given, _, **options: boxes_of_sweep(given, **options),
        ),
        Kind(
            z_scores,
            "z-scores of a metric of each job by the groups that it spans, a point per run.",
            f"{CHUNDURI}, Fig. 3, 4 and 9",
            options=_CASES,
            takes=SWEEP,
            draw=lambda given, _, **options: z_scores_of_sweep(given, **options),
        ),
        Kind(
            blame_matrix,
            "Matrix of waiting time: the job that waited, and the job that caused it.",
            options={"class": tuple(CLASSES)},
            reads="blame",
            draw=lambda given, _, **options: blame_matrix(given, **options),
        ),
        Kind(
            link_load_map,
            "Heat map of groups by groups: mean utilization (congestion index) or stall of links.",
            f"{KANG}, Fig. 12",
            options={"measure": ("load", "stall")},
            draw=load_map,
        ),
        Kind(
            group_ring,
            "Ring of groups: circles show stall inside groups, lines show stall between groups.",
            f"{KANG}, Fig. 11",
        ),
        Kind(
            links_over_time,
            "Heat map of links and time, load or stall, the highest peak on top.",
            options={"class": tuple(CLASSES), "job": None, "measure": ("load", "stall")},
            reads="link_windows",
            draw=links,
        ),
        Kind(
            hottest_links,
            "The links of highest utilization, divided by job.",
            options={"class": tuple(CLASSES)},
            takes=RUN,
            draw=lambda given, _, **options: hottest_links(given, **options),
        ),
        Kind(
            system_over_time,
            "Load, stall or saturation of each link class over simulated time.",
            options={"measure": tuple(MEASURES)},
            reads="system_windows",
            needs="record.system.windows",
        ),
        Kind(
            system_counters,
            "Flits, stalled flits and their ratio over windows of time, a box per run.",
            f"{CHUNDURI}, Fig. 13",
            options={"class": tuple(CLASSES)},
            reads="system_windows",
            needs="record.system.windows",
        ),
        Kind(
            routers_over_time,
            "Bytes per time on the routers that serve each job, divided by job.",
            f"{WANG}, Fig. 8",
            options=_JOBS,
            reads="router_windows",
            needs="record.routers.windows",
        ),
        Kind(
            traffic_shares,
            "Share of links that carried at most x bytes, by kind of link.",
            f"{YANG}, Fig. 2 (a) to (c)",
        ),
        Kind(
            saturation_shares,
            "Share of links that were saturated for at most x, by kind of link.",
            f"{YANG}, Fig. 2 (d) to (f)",
            reads="port_windows",
        ),
        Kind(
            vc_occupancy,
            "Flits in the buffer of each virtual channel, mean and maximum, by link class.",
            needs="record.ports.split",
            options={"class": tuple(CLASSES)},
            reads="port_windows",
        ),
        Kind(
            stall_scatter,
            "Stalled flits against flits, one point per Aries tile or link.",
            f"{CHUNDURI}, Fig. 10 and 12",
        ),
        Kind(
            tile_ratios,
            "Share of Aries tiles or links with a stalls-to-flits ratio of at most x, by class.",
            f"{CHUNDURI}, Fig. 6 and 11",
            options={"job": None},
        ),
        Kind(
            job_sizes,
            "Share of core-hours in jobs of more than x nodes.",
            f"{CHUNDURI}, Fig. 1",
        ),
        Kind(
            placement_map,
            "Map of all nodes, each with the mark of its job.",
            draw=lambda given, _: placement_map(given),
        ),
        Kind(
            link_shift_map,
            "Bytes on links inside and between groups: together minus the sum of all runs alone.",
            takes=PAIR,
        ),
        Kind(
            nonminimal_over_time,
            "Share of each job's packets on non-minimal paths over simulated time.",
            options=_JOBS,
            reads="routing_windows",
        ),
        Kind(
            learning,
            "Estimates of q_adaptive's routers over simulated time.",
            "Kang et al. (HPDC 2021)",
            reads="q_learning",
            takes=RUN,
            draw=lambda given, _: learning(given),
        ),
    )
}


def kind_of(name: str) -> Kind:
    """Returns a kind of figure by its name, with hyphens or with underscores.

    Raises:
        UsageError: there is no such kind; the text names the nearest.
    """
    found = KINDS.get(name.replace("_", "-"))
    if found is None:
        named = (each for each in KINDS if name in each.split("-"))
        close = next(named, None) or nearest(name, KINDS)
        hint = f"did you mean '{close}'?" if close else "pantala figure lists the kinds"
        raise UsageError(f"there is no figure '{name}'; {hint}")
    return found
