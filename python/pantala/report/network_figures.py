"""The figures of links, groups and nodes in the report."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
import polars as pl

from pantala import figures
from pantala.figures.steps import MOST
from pantala.report.finding import counted_time, hottest_sentence
from pantala.report.page_figure import KANG, PageFigure, page_figure
from pantala.report.reported_run import ReportedRun
from pantala.run_tables.link_classes import NETWORK
from pantala.run_tables.run_like import RunLike, link_window_ns, table
from pantala.run_tables.skipped_time import skipped_spans, without_skipped
from pantala.text.amounts import PAGE, count, significant

__all__ = ["NETWORK_FIGURES"]

#: Links of the heat map over time.
_LINKS = 60
#: Figures that draw each group on its own are left out of machines with more groups.
_GROUPS = 200
#: Totals of bytes closer than this count as equal.
_SAME = 0.01


def _load(reported: ReportedRun) -> PageFigure:
    title = "Link utilization, group by group"
    between = figures.group_matrix(reported.run, pl.col("bytes"))
    if np.isnan(between).all():
        return PageFigure(title, "The machine has one router: there is no link between routers.")
    loads, last = reported.loads, list(reported.parts)[-1]
    part = (
        loads.shared
        and loads.end_ns - loads.start_ns < 0.97 * reported.run.document["simulated_ns"]
    )
    note = ""
    if part:
        after = f", from {PAGE.duration(loads.start_ns, exact=True)} on" if loads.start_ns else ""
        note = f" The panel “{last}” counts {counted_time(reported)}{after}."
    elif reported.beside and not loads.shared:
        note = f" The panel “{last}” counts the whole run, also the time in which not all jobs ran."
    if np.isnan(between).any():
        note += " A white square has no link."
    return page_figure(
        "load",
        title,
        "A square is the mean utilization of the global links from the group of its row to the"
        " group of its column; the diagonal is the mean over the links inside the group."
        " Utilization is the share of time in which a link was sending, the congestion index of"
        f" Kang et al.{note}{_moved(reported)}",
        f"{KANG}, Fig. 12",
        f"Heat map of link utilization, {reported.plan['topology']['g']} groups by as many."
        f" {hottest_sentence(reported)}",
        figures.link_load_map(reported.parts, shared=[last] if part else []),
    )


def _moved(reported: ReportedRun) -> str:
    """Returns a sentence on the bytes on links together and alone; empty if they are unknown.

    It names longer or shorter paths only if all jobs sent equal bytes into the network in both
    runs. Otherwise, such as for a job that repeats, the jobs may have done more or less work.
    """
    if set(reported.alone) != set(reported.names) or not all(
        run.document["complete"] for run in reported.parts.values()
    ):
        return ""
    alone = sum(_sent(run) for run in reported.alone.values())
    together = _sent(reported.run)
    if not alone:
        return ""
    more = together / alone - 1
    if abs(more) < _SAME:
        return (
            " The links between routers carried as many bytes together as in all runs alone (within"
            f" {100 * _SAME:g} %)."
        )
    text = (
        f" The links between routers carried {significant(100 * abs(more), 2)} %"
        f" {'more' if more > 0 else 'fewer'} bytes together than in all runs alone"
    )
    injected = _injected(reported.run)
    before = {name: _injected(run)[name] for name, run in reported.alone.items()}
    if injected == before and all(injected.values()):
        links = [sent / sum(injected.values()) for sent in (alone, together)]
        return (
            f"{text}, for equal injected bytes: a byte crossed {links[1]:.2f} links on average,"
            f" {links[0]:.2f} alone."
        )
    change = sum(injected.values()) / sum(before.values()) - 1
    if abs(change) < _SAME:
        return f"{text}. The jobs injected as many bytes (within {100 * _SAME:g} %)."
    return (
        f"{text}. The jobs injected {significant(100 * abs(change), 2)} %"
        f" {'more' if change > 0 else 'fewer'} bytes."
    )


def _injected(run: RunLike) -> dict[str, int]:
    """Returns the bytes that each job sent into the network."""
    return dict(run.jobs.select("name", "injected_bytes").collect().iter_rows())


def _sent(run: RunLike) -> float:
    links = run.links.filter(pl.col("class").is_in(NETWORK))
    return float(links.select(pl.col("bytes").sum()).collect().item())


def _links_time(reported: ReportedRun) -> PageFigure | None:
    if table(reported.run, "link_windows") is None:
        return None
    links = reported.run.links.filter(pl.col("class").is_in(NETWORK), pl.col("bytes") > 0)
    used = links.select(pl.len()).collect().item()
    if not used:
        return None
    shown = min(_LINKS, used)
    simulated = without_skipped(
        skipped_spans(reported.run), np.array(float(reported.run.document["simulated_ns"]))
    )
    column = "A column is a window. The colour is the share of the window"
    if float(simulated) > MOST * link_window_ns(reported.run):
        column = "A column is a window or several. The colour is the share of its time"
    return page_figure(
        "links_time",
        "The busiest links over time",
        f"A row is one of the {shown} links between routers with the highest load in a window, of"
        f" {count(used)} that sent. {column} in which the link was sending.",
        "",
        f"Heat map of the load of {shown} links over simulated time.",
        figures.links_over_time(reported.run, count=_LINKS),
    )


def _ring(reported: ReportedRun) -> PageFigure | None:
    title = "Stalls inside and between groups"
    stalls = figures.group_matrix(reported.run, pl.col("stall_ns"))
    if not np.nansum(stalls):
        if np.isnan(stalls).all():
            return None
        return PageFigure(title, "No link between routers stalled: credits never ran out.")
    if len(stalls) > _GROUPS or len(stalls) < 2:
        return None
    between = np.nan_to_num(stalls)
    np.fill_diagonal(between, 0)
    source, target = np.unravel_index(int(between.argmax()), between.shape)
    return page_figure(
        "ring",
        title,
        "A circle is a group; its area grows with the mean stall time of the links inside the"
        " group. A line gets wider and stronger with the mean stall time of the global links"
        " between two groups. A link stalls while a packet is ready and the link idle, but no"
        " packet has credit: the buffer behind the link is full. All panels share the scales;"
        " a run with almost no stall has no panel.",
        f"{KANG}, Fig. 11",
        f"Ring of {len(stalls)} groups. "
        + (
            f"The global links from group {source} to group {target} stalled longest:"
            f" {PAGE.duration(float(between.max()))} per link."
            if between.any()
            else "No global link stalled."
        ),
        figures.group_ring(reported.run, reported.alone),
    )


def _placement(reported: ReportedRun) -> PageFigure | None:
    if reported.plan["topology"]["g"] > _GROUPS:
        return None
    return page_figure(
        "placement",
        "Placement",
        "Each mark is a node of the job with that mark, each small dot an idle node. A frame is a"
        " group, with its number. A column of a frame is a router; large groups have several lines"
        " of routers.",
        "",
        f"Map of the nodes of {', '.join(reported.names)} in {reported.plan['topology']['g']}"
        " groups.",
        figures.placement_map(reported.run),
    )


def _hottest(reported: ReportedRun) -> PageFigure | None:
    if reported.hottest.is_empty():
        return None
    peak = (
        ""
        if reported.loads.window_ns is None
        else " A tick marks the utilization in the link's peak window."
    )
    return page_figure(
        "hottest",
        "Hottest links",
        "The links of the highest utilization"
        f" {'while all jobs ran' if reported.loads.shared else 'over the whole run'}, of any class,"
        f" divided by the job whose bytes they carried.{peak}",
        "",
        hottest_sentence(reported) + " The table below has the numbers.",
        figures.hottest_links(reported.run),
    )


NETWORK_FIGURES: Mapping[str, Callable[[ReportedRun], PageFigure | None]] = {
    "load": _load,
    "links_time": _links_time,
    "ring": _ring,
    "hottest": _hottest,
    "placement": _placement,
}
