"""The figures of records that a run has only if its scenario asks for them, and of MPI calls."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
import polars as pl
from matplotlib.figure import Figure

from pantala import figures
from pantala.analysis.tiles import has_tiles
from pantala.figures.runs import has_windows
from pantala.figures.steps import steps_of
from pantala.metrics.times import OUTSIDE
from pantala.report.page_figure import YANG, PageFigure, page_figure
from pantala.report.reported_run import ReportedRun
from pantala.run_tables.run_like import RunLike, table
from pantala.run_tables.skipped_time import skipped_spans, without_skipped
from pantala.text.amounts import PAGE

__all__ = ["RECORD_FIGURES"]


def _calls(reported: ReportedRun) -> PageFigure | None:
    if not any(_takes_time(run) for run in reported.parts.values()):
        return None
    return page_figure(
        "calls",
        "Time inside MPI calls",
        "A bar is the communication time of a rank, mean over the ranks of the job, divided by the"
        " MPI call in which it passed. The table below has the numbers, also of init and finalize,"
        f" whose time is no communication.{reported.endless_note}",
        "",
        f"Bars of time inside MPI calls of {', '.join(reported.names)}.",
        figures.time_in_calls(reported.run, reported.alone),
    )


def _takes_time(run: RunLike) -> bool:
    rows = table(run, "calls")
    if rows is None:
        return False
    own = rows.filter(~pl.col("call").is_in(OUTSIDE))
    return bool(own.select(pl.col("time_ns").sum()).collect().item() > 0)


def _calls_time(reported: ReportedRun) -> PageFigure | None:
    if not _recorded(reported, "call_events"):
        return None
    takes_time = pl.col("end_ns") > pl.col("start_ns")
    frames = [run.call_events for run in reported.parts.values()]  # type: ignore[attr-defined]
    if not any(frame.filter(takes_time).head(1).collect().height for frame in frames):
        return None
    shown = reported.panels("call_events", takes_time)
    return page_figure(
        "calls_time",
        "MPI calls, rank by rank",
        "A row is a rank, a bar is an MPI call from its start to its end. Between two bars the rank"
        " computes. A panel has at most 16 of the recorded ranks.",
        "",
        f"MPI calls over simulated time of single ranks of {', '.join(shown)}.",
        figures.calls_over_time(reported.run, reported.alone, shown),
    )


def _latency_of(reported: ReportedRun, key: str, measure: str, words: str) -> PageFigure | None:
    """Returns the latency over time of messages or of request and response; None without one."""
    kind = pl.col("kind") == measure.replace("-", "_")
    for run in reported.parts.values():
        rows = table(run, "latency_windows")
        if rows is None or rows.filter(kind).head(1).collect().is_empty():
            return None
    name = measure.capitalize()
    shown = reported.panels("latency_windows", kind)
    dashed = ": dashed alone, solid together." if reported.alone else "."
    return page_figure(
        key,
        f"{name} latency over time",
        f"{name} latency is the time {words}. A line is the median of a window, the band reaches to"
        f" the 99th percentile{dashed}",
        "",
        f"{name} latency of {', '.join(shown)} over simulated time.",
        figures.latency_over_time(reported.run, reported.alone, measure, shown),
    )


def _message_time(reported: ReportedRun) -> PageFigure | None:
    words = "from the posted send to the last byte received"
    return _latency_of(reported, "message_time", "message", words)


def _response_time(reported: ReportedRun) -> PageFigure | None:
    words = "from a packet's entry into the network to the arrival of its response at the sender"
    return _latency_of(reported, "response_time", "request-response", words)


def _rank_messages(reported: ReportedRun) -> PageFigure | None:
    sent = pl.col("direction") == "sent", pl.col("messages") > 0
    frames = [table(run, "rank_messages") for run in reported.parts.values()]
    if any(frame is None for frame in frames):
        return None
    if all(
        frame.filter(*sent).head(1).collect().is_empty() for frame in frames if frame is not None
    ):
        return None
    dashed = " The dashed line and the pale band are the job alone." if reported.alone else ""
    shown = reported.panels("rank_messages", *sent)
    return page_figure(
        "rank_messages",
        "Message latency, rank by rank",
        "The latency of the messages that each rank sent. A line is the mean, the band reaches from"
        f" the shortest to the longest.{dashed}",
        "",
        f"Message latency by rank of {', '.join(shown)}.",
        figures.rank_latency(reported.run, reported.alone, jobs=shown),
    )


def _vc_occupancy(reported: ReportedRun) -> PageFigure | None:
    if not _recorded(reported, "port_windows") or not _splits(reported, "vc"):
        return None
    tables = [figures.vc_occupancy_table(run) for run in reported.parts.values()]
    if not any((frame["max_flits"] > 0).any() for frame in tables):
        return None
    full = pl.concat(tables).sort("max_flits", "mean_flits").row(-1, named=True)
    return page_figure(
        "vc_occupancy",
        "How full virtual channels are, by link class",
        "Flits beyond a link, sent and not yet credited: on the link, in the buffer behind it, or"
        " on their way back as credits. At the left the mean over links and time, at the right the"
        " maximum of any link.",
        "",
        f"Occupancy of each virtual channel. The fullest is VC {full['vc']} of the"
        f" {full['class']} links, with at most {full['max_flits']:,} flits.",
        figures.vc_occupancy(reported.run, reported.alone),
    )


def _saturation(reported: ReportedRun) -> PageFigure | None:
    if not _recorded(reported, "port_windows"):
        return None
    saturated = pl.col("saturated_ns").sum()
    frames = [run.port_windows for run in reported.parts.values()]  # type: ignore[attr-defined]
    if not any(frame.select(saturated).collect().item() for frame in frames):
        return PageFigure("Saturation of links", "No link was saturated: its buffers had room.")
    return page_figure(
        "saturation",
        "Saturation of links",
        "For each time on the horizontal axis, the share of links that were saturated for at most"
        " this time. A link is saturated while the buffer of one of its virtual channels lacks room"
        " for a packet of maximum size.",
        f"{YANG}, Fig. 2 (d) to (f)",
        "Distribution of saturation time over the links of each kind.",
        figures.saturation_shares(reported.run, reported.alone),
    )


def _splits(reported: ReportedRun, part: str) -> bool:
    return part in (reported.plan["record"].get("ports") or {}).get("split", ())


def _nonminimal_time(reported: ReportedRun) -> PageFigure | None:
    chosen = pl.col("nonminimal").sum()
    frames = [table(run, "routing_windows") for run in reported.parts.values()]
    there = [frame for frame in frames if frame is not None]
    if len(there) < len(frames):
        return None
    if not any(frame.select(chosen).collect().item() for frame in there):
        return PageFigure(
            "Non-minimal paths over time", "Every packet of every window took a minimal path."
        )
    shown = reported.panels("routing_windows")
    return page_figure(
        "nonminimal_time",
        "Non-minimal paths over time",
        "The share of each job's packets that took a non-minimal path, by the window in which they"
        " arrived. Adaptive routing takes longer paths where the minimal one is busy.",
        "",
        f"Share of non-minimal packets of {', '.join(shown)} over simulated time.",
        figures.nonminimal_over_time(reported.run, reported.alone, shown),
    )


def _system_time(reported: ReportedRun) -> PageFigure | None:
    if not has_windows(reported.run, "system") or not _recorded(reported, "system_windows"):
        return None
    return page_figure(
        "system_time",
        "Link classes over time",
        "The share of time in which a link was sending, mean over all links of the class. A step is"
        f" {_step(reported, 'system_windows')}.",
        "",
        "Mean load of each link class over simulated time.",
        figures.system_over_time(reported.run, reported.alone),
    )


def _routers_time(reported: ReportedRun) -> PageFigure | None:
    if not has_windows(reported.run, "routers") or not _recorded(reported, "router_windows"):
        return None
    shown = reported.panels()
    return page_figure(
        "routers_time",
        "Traffic on the routers of each job",
        "What the routers to which a job's nodes are attached send per time, divided by the job"
        " whose bytes they are. A byte counts once on each of these routers. A step is"
        f" {_step(reported, 'router_windows')}.",
        "Wang et al., IPDPS 2020, Fig. 8",
        f"Traffic over simulated time on the routers that serve {', '.join(shown)}.",
        figures.routers_over_time(reported.run, reported.alone, jobs=shown),
    )


def _tiles(reported: ReportedRun) -> PageFigure | None:
    if not has_tiles(reported.plan["topology"]):
        return None
    title = "Stalls and flits, tile by tile"
    stalled = pl.col("stall_ns").sum()
    if not any(run.links.select(stalled).collect().item() for run in reported.parts.values()):
        return PageFigure(title, "No tile stalled: credits never ran out.")
    figure: Figure = figures.stall_scatter(reported.run, reported.alone)
    return page_figure(
        "tiles",
        title,
        "A mark is a tile of a router. Grey lines have equal ratios of stalls to flits. A tile"
        " that sends much and rarely stalls lies at the lower right; a tile above 1 stalls longer"
        " than it sends. A class without a stall has no panel.",
        "Chunduri et al., IPDPS 2021, Fig. 10 and 12",
        "Scatter of stalled flits against flits by class of tiles. The table above has the sums.",
        figure,
    )


def _recorded(reported: ReportedRun, name: str) -> bool:
    return all(table(run, name) is not None for run in reported.parts.values())


def _step(reported: ReportedRun, name: str) -> str:
    rows = table(reported.run, name)
    assert rows is not None
    shortest = rows.filter(pl.col("window_ns") == pl.col("window_ns").min())
    windows = shortest.select("window_ns", "window_start_ns").collect()
    spans = skipped_spans(reported.run)
    end = float(without_skipped(spans, np.array(reported.run.document["simulated_ns"])))
    starts = without_skipped(spans, windows["window_start_ns"].to_numpy())
    steps = steps_of(starts, float(windows["window_ns"][0]), end)
    return PAGE.duration(steps.step_ns, exact=True)


RECORD_FIGURES: Mapping[str, Callable[[ReportedRun], PageFigure | None]] = {
    "calls": _calls,
    "calls_time": _calls_time,
    "message_time": _message_time,
    "response_time": _response_time,
    "rank_messages": _rank_messages,
    "vc_occupancy": _vc_occupancy,
    "saturation": _saturation,
    "nonminimal_time": _nonminimal_time,
    "system_time": _system_time,
    "routers_time": _routers_time,
    "tiles": _tiles,
}
