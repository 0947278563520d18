"""The kinds of figures that `pantala figure` draws, each with its sentence and its source."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from matplotlib.figure import Figure

from pantala.attribution import METHODS
from pantala.errors import UsageError, nearest
from pantala.figures.bars import communication_bars
from pantala.figures.blame import blame_matrix
from pantala.figures.calls import calls_over_time, time_in_calls
from pantala.figures.communication import communication_time
from pantala.figures.effects import effect_matrix
from pantala.figures.hottest import ALL_CLASSES, hottest_links
from pantala.figures.iterations import rank_iterations
from pantala.figures.latency import packet_latency
from pantala.figures.latency_time import latency_over_time
from pantala.figures.learning import learning
from pantala.figures.link_map import link_load_map, link_shift_map
from pantala.figures.link_shares import saturation_shares, traffic_shares
from pantala.figures.link_time import links_over_time
from pantala.figures.placement import placement_map
from pantala.figures.rank_messages import DIRECTIONS, rank_latency
from pantala.figures.ring import group_ring
from pantala.figures.routers_time import routers_over_time
from pantala.figures.routing_time import nonminimal_over_time
from pantala.figures.runs import Given, InterferenceLike, RunLike, is_experiment, parts, runs_of
from pantala.figures.system_time import MEASURES, system_over_time
from pantala.figures.tail import latency_tail
from pantala.figures.throughput import throughput
from pantala.figures.tiles import stall_scatter
from pantala.figures.vc_occupancy import vc_occupancy
from pantala.link_classes import NETWORK

__all__ = ["CLASSES", "KINDS", "Kind", "draw", "kind_of"]

#: Link classes by the words of the option ``--class``.
CLASSES: dict[str, tuple[str, ...]] = {
    "network": NETWORK,
    "terminal": ("injection", "ejection"),
    "all": ALL_CLASSES,
    **{name: (name,) for name in ALL_CLASSES},
}

KANG = "Kang et al. (SC 2022)"
YANG = "Yang et al. (SC 2016)"
CHUNDURI = "Chunduri et al. (IPDPS 2021)"


@dataclass(frozen=True)
class Kind:
    """One kind of figure.

    Attributes:
        name: its name on the command line.
        text: what it shows, in one sentence.
        draw: draws it from runs by title, or from one run, with the options.
        source: the figure that it follows; empty if there is none.
        options: the options that it takes, with the values allowed; None allows any text.
        records: the key that records a table that the figure needs; empty if every run has all.
        whole: whether it is drawn from an interference experiment, and not from its runs.
    """

    name: str
    text: str
    draw: Callable[..., Figure]
    source: str = ""
    options: Mapping[str, tuple[str, ...] | None] | None = None
    records: str = ""
    whole: bool = False


def _one(given: Given, kind: str) -> RunLike:
    """Returns the only run of a figure that cannot show several."""
    runs = runs_of(given)
    if len(runs) > 1:
        raise UsageError(f"figure {kind}: takes one run, not {len(runs)}; name one run")
    return next(iter(runs.values()))


def _congestion(given: Given, alone: Mapping[str, RunLike], measure: str = "load") -> Figure:
    return link_load_map(parts(given, alone), "utilization" if measure == "load" else "stall")


def _moved(given: Given, alone: Mapping[str, RunLike]) -> Figure:
    run = _one(given, "moved")
    if not alone:
        raise UsageError(
            "figure moved: compares jobs together with jobs alone; name the directory of an"
            " interference experiment"
        )
    return link_shift_map(run, alone)


def _effects(given: Given, alone: Mapping[str, RunLike]) -> Figure:
    effects = getattr(given, "effects", None)
    if effects is None:
        raise UsageError(
            "figure effects: compares companies of jobs; name the directory of one interference"
            " experiment"
        )
    mode = getattr(given, "mode", None)
    return effect_matrix(effects, mode if mode in METHODS else None)


def _links(given: Given, alone: Mapping[str, RunLike], **options: Any) -> Figure:
    return links_over_time(given, **options)


KINDS: dict[str, Kind] = {
    kind.name: kind
    for kind in (
        Kind(
            "communication",
            "Communication time of each job: mean, standard deviation over ranks, slowest rank.",
            communication_bars,
            f"{KANG}, Fig. 4, 8 and 10",
        ),
        Kind(
            "communication-cdf",
            "Share of ranks with a communication time of at most x.",
            communication_time,
            f"{YANG}, Fig. 3",
        ),
        Kind(
            "iterations",
            "Heat map of ranks and iterations: time inside MPI calls, or duration.",
            rank_iterations,
            options={"measure": ("communication", "duration")},
            records="record.iterations",
        ),
        Kind(
            "calls",
            "Time inside each MPI call, mean over ranks: one bar per job.",
            time_in_calls,
        ),
        Kind(
            "calls-time",
            "MPI calls of single ranks over simulated time.",
            calls_over_time,
            records="record.call_events",
        ),
        Kind(
            "throughput",
            "Delivered throughput of each job over simulated time.",
            throughput,
            f"{KANG}, Fig. 5 and 9",
        ),
        Kind(
            "latency",
            "Box plot of packet latency per job: quartiles, median, mean, p95 and p99.",
            packet_latency,
            f"{KANG}, Fig. 6",
        ),
        Kind(
            "latency-time",
            "Latency of packets, messages or request and response of each job over time.",
            latency_over_time,
            f"{KANG}, Fig. 7",
            options={"measure": ("packet", "message", "request-response")},
        ),
        Kind(
            "latency-ccdf",
            "Share of packets with a latency above x, with logarithmic axes.",
            latency_tail,
            records="record.packets",
        ),
        Kind(
            "rank-messages",
            "Shortest, mean and longest message latency of each rank, a panel per job.",
            rank_latency,
            options={"measure": DIRECTIONS},
            records="record.rank_messages",
        ),
        Kind(
            "effects",
            "Matrix of slowdowns: the job that is slowed down, and the job that slows it.",
            _effects,
            whole=True,
        ),
        Kind(
            "blame",
            "Matrix of waiting time: the job that waited, and the job that caused it.",
            lambda given, alone, **options: blame_matrix(given, **options),
            options={"class": tuple(CLASSES)},
            records="record.blame",
        ),
        Kind(
            "congestion",
            "Heat map of groups by groups: mean utilization (congestion index) or stall of links.",
            _congestion,
            f"{KANG}, Fig. 12",
            options={"measure": ("load", "stall")},
        ),
        Kind(
            "ring",
            "Ring of groups: circles show stall inside groups, lines show stall between groups.",
            group_ring,
            f"{KANG}, Fig. 11",
        ),
        Kind(
            "links-time",
            "Heat map of links and time, load or stall, the highest peak on top.",
            _links,
            options={"class": tuple(CLASSES), "job": None, "measure": ("load", "stall")},
            records="record.link_windows",
        ),
        Kind(
            "hottest",
            "The links of highest utilization, divided by job.",
            lambda given, alone, **options: hottest_links(_one(given, "hottest"), **options),
            options={"class": tuple(CLASSES)},
        ),
        Kind(
            "system-time",
            "Load, stall or saturation of each link class over simulated time.",
            system_over_time,
            options={"measure": tuple(MEASURES)},
            records="record.system",
        ),
        Kind(
            "routers-time",
            "Bytes per time on the routers that serve each job, divided by job.",
            routers_over_time,
            "Wang et al. (IPDPS 2020), Fig. 8",
            records="record.routers",
        ),
        Kind(
            "traffic-cdf",
            "Share of links that carried at most x bytes, by kind of link.",
            traffic_shares,
            f"{YANG}, Fig. 2 (a) to (c)",
        ),
        Kind(
            "saturation-cdf",
            "Share of links that were saturated for at most x, by kind of link.",
            saturation_shares,
            f"{YANG}, Fig. 2 (d) to (f)",
            records="record.ports",
        ),
        Kind(
            "vc-occupancy",
            "Flits in the buffer of each virtual channel, mean and maximum, by link class.",
            vc_occupancy,
            options={"class": tuple(CLASSES)},
            records="record.ports",
        ),
        Kind(
            "stall-scatter",
            "Stalled flits against flits, one point per Aries tile or link.",
            stall_scatter,
            f"{CHUNDURI}, Fig. 10 and 12",
        ),
        Kind(
            "placement",
            "Map of all nodes, each with the mark of its job.",
            lambda given, alone: placement_map(given),
        ),
        Kind(
            "moved",
            "Bytes on links inside and between groups: together minus the sum of all runs alone.",
            _moved,
        ),
        Kind(
            "nonminimal-time",
            "Share of each job's packets on non-minimal paths over simulated time.",
            nonminimal_over_time,
            records="record.routing_windows",
        ),
        Kind(
            "learning",
            "Estimates of q_adaptive's routers over simulated time.",
            lambda given, alone: learning(_one(given, "learning")),
            "Kang et al. (HPDC 2021)",
            records="record.q_learning",
        ),
    )
}


def kind_of(name: str) -> Kind:
    """Returns a kind of figure.

    Raises:
        UsageError: there is no such kind; the text names the nearest.
    """
    if name not in KINDS:
        close = nearest(name, KINDS)
        hint = f"did you mean '{close}'?" if close else "pantala figure lists the kinds"
        raise UsageError(f"there is no figure '{name}'; {hint}")
    return KINDS[name]


def draw(
    name: str, runs: Mapping[str, RunLike | InterferenceLike], options: Mapping[str, str]
) -> Figure:
    """Draws a figure of one or several runs.

    Args:
        name: the kind.
        runs: the runs and experiments by title, at least one.
        options: the values of ``class``, ``job`` and ``measure``, as far as they are given.

    Raises:
        UsageError: there is no such kind or option, or a run did not record what the kind needs.
    """
    kind = kind_of(name)
    allowed = kind.options or {}
    chosen: dict[str, Any] = {}
    for option, value in options.items():
        if option not in allowed:
            takes = ", ".join(f"--{each}" for each in allowed) or "no such option"
            raise UsageError(f"--{option} {value}: figure {name} takes {takes}; remove it")
        values = allowed[option]
        if values is not None and value not in values:
            close = nearest(value, values)
            hint = f"did you mean '{close}'?" if close else f"write one of {', '.join(values)}"
            raise UsageError(f"--{option} {value}: is not one of {', '.join(values)}; {hint}")
        if option == "class":
            chosen["classes"] = CLASSES[value]
        else:
            chosen[option] = value
    if len(runs) > 1:
        return kind.draw(runs, {}, **chosen)
    only = next(iter(runs.values()))
    if is_experiment(only) and not kind.whole:
        return kind.draw(only.together, only.alone, **chosen)
    return kind.draw(only, {}, **chosen)
