"""The figures of the report, each with a caption and the source of its metric."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import polars as pl
from markupsafe import Markup
from matplotlib.figure import Figure

from pantala import figures
from pantala.figures.runs import RunLike, is_endless, job_names, job_row, table
from pantala.link_classes import NETWORK
from pantala.report.finding import hottest_sentence
from pantala.report.formatting import duration, join, percent, significant
from pantala.report.inline_svg import inline_svg
from pantala.report.reported_run import ReportedRun

__all__ = ["Picture", "pictures"]

KANG = "Kang et al., SC22"
YANG = "Yang et al., SC16"


@dataclass(frozen=True)
class Picture:
    """One figure of the page. Without `svg` the caption says why there is no figure."""

    title: str
    caption: str
    source: str = ""
    svg: Markup | None = None


def pictures(reported: ReportedRun) -> dict[str, Picture]:
    """Returns every figure that the data of the runs allow, by the key in the template."""
    makers: dict[str, Callable[[ReportedRun], Picture | None]] = {
        "slowdown": _slowdown,
        "ranks": _ranks,
        "throughput": _throughput,
        "latency": _latency,
        "load": _load,
        "stall": _stall,
        "shift": _shift,
        "hottest": _hottest,
        "learning": _learning,
    }
    drawn = {key: maker(reported) for key, maker in makers.items()}
    return {key: picture for key, picture in drawn.items() if picture is not None}


def _picture(key: str, title: str, caption: str, source: str, alt: str, figure: Figure) -> Picture:
    return Picture(title, caption, source, inline_svg(figure, key, alt))


def _slowdown(reported: ReportedRun) -> Picture | None:
    if reported.slowdown is None:
        return None
    rows = reported.slowdown.drop_nulls("slowdown")
    if rows.is_empty():
        return None
    told = [
        f"{row['name']}: {duration(row['alone_communication_time_mean_ns'])} alone,"
        f" {duration(row['together_communication_time_mean_ns'])} together, {row['slowdown']:.2f}"
        " times."
        for row in rows.to_dicts()
    ]
    partly = rows.filter(pl.col("compared") == "iterations")["name"].to_list()
    note = (
        f" For {join(partly)}, only the iterations that finished in both runs count."
        if partly
        else ""
    )
    return _picture(
        "slowdown",
        "Communication time, alone and together",
        "Each bar is the mean over the job's ranks. The whisker reaches one standard deviation to"
        " either side, the diamond is the slowest rank. The factor is the mean together over the"
        f" mean alone.{note}",
        f"{KANG}, Fig. 4",
        "Bars of mean communication time. " + " ".join(told),
        figures.slowdown_bars(rows),
    )


def _ranks(reported: ReportedRun) -> Picture | None:
    ranks = table(reported.run, "ranks")
    if ranks is None or not ranks.select("communication_time_ns").sum().collect().item():
        return None
    return _picture(
        "ranks",
        "Communication time, rank by rank",
        "For each time on the horizontal axis, the share of ranks with at most this communication"
        " time. A steep line means that all ranks communicate for about the same time. A long foot"
        " or head means that some ranks communicate for a much shorter or longer time.",
        f"{YANG}, Fig. 3",
        f"Distribution of communication time over the ranks of {_jobs(reported)}; the table above"
        " has mean, standard deviation and maximum.",
        figures.communication_time(reported.run, reported.alone),
    )


def _throughput(reported: ReportedRun) -> Picture:
    title = "Throughput over time"
    if table(reported.run, "job_windows") is None:
        return Picture(
            title, "This run did not record time windows, so throughput over time is unknown."
        )
    frame = figures.throughput_windows(reported.run, 0)
    step = (
        "" if frame is None else f" One step is {duration(float(frame['end_ns'][0]), exact=True)}."
    )
    figure = figures.throughput(reported.run, reported.alone)
    scales = (
        " The panels have different scales."
        if len({axes.get_ylim() for axes in figure.axes}) > 1
        else ""
    )
    return _picture(
        "throughput",
        title,
        "Payload delivered to each job per unit of simulated time"
        f"{_dashed(reported)}{step} A dotted line marks the end of another job.{scales}",
        f"{KANG}, Fig. 5 and 9",
        f"Delivered throughput of {_jobs(reported)} over simulated time.",
        figure,
    )


def _latency(reported: ReportedRun) -> Picture | None:
    jobs = [job_row(reported.run, job) for job in job_names(reported.run)]
    if all(row["packet_latency_mean_ns"] is None for row in jobs):
        return None
    packets = table(reported.run, "packets")
    record = reported.plan["record"]
    caption = "Median, mean and the 95th and 99th percentiles cover every packet delivered. "
    if packets is None:
        caption += (
            "This run did not record single packets, so the quartiles are missing. To record them,"
            ' set record.packets = "sampled".'
        )
    elif record["packets"] == "sampled":
        caption += (
            "The box reaches from the first to the third quartile of a sample: one packet in"
            f" {record['packet_sample']}."
        )
    else:
        caption += "The box reaches from the first to the third quartile."
    told = [
        f"{row['name']}: median {duration(row['packet_latency_p50_ns'])}, p99"
        f" {duration(row['packet_latency_p99_ns'])}."
        for row in jobs
        if row["packet_latency_p50_ns"] is not None
    ]
    together = " together with the others" if reported.alone else ""
    return _picture(
        "latency",
        "Packet latency",
        caption,
        f"{KANG}, Fig. 6",
        f"Packet latency of each job{together}. " + " ".join(told),
        figures.packet_latency(reported.run, reported.alone),
    )


def _load(reported: ReportedRun) -> Picture:
    loads, last = reported.loads, list(reported.parts)[-1]
    part = (
        loads.shared
        and loads.end_ns - loads.start_ns < 0.97 * reported.run.document["simulated_ns"]
    )
    note = ""
    if part:
        after = f", from {duration(loads.start_ns, exact=True)} on" if loads.start_ns else ""
        note = (
            f" The panel “{last}” counts the {duration(loads.end_ns - loads.start_ns)} in which all"
            f" jobs ran{after}."
        )
    return _picture(
        "load",
        "Link utilization, group by group",
        "A square is the mean utilization of the global links from the group of its row to the"
        " group of its column; the diagonal is the mean over the links inside the group."
        " Utilization is the share of time in which a link was sending, the congestion index of"
        f" Kang et al.{note}",
        f"{KANG}, Fig. 12",
        f"Heat map of link utilization, {reported.plan['topology']['g']} groups by as many."
        f" {hottest_sentence(reported)}",
        figures.link_load_map(reported.parts, shared=[last] if part else []),
    )


def _stall(reported: ReportedRun) -> Picture:
    worst = reported.hottest
    told = (
        ""
        if worst.is_empty()
        else f" The hottest link is stalled {percent(worst['stall_share'][0])} of the run."
    )
    return _picture(
        "stall",
        "Stalls, group by group",
        "The same layout as the map of utilization, over each whole run. A square is the mean stall"
        " time of its links. A link stalls while a flit is ready but has no credit to advance.",
        f"{KANG}, Fig. 11",
        f"Heat map of stall time.{told}",
        figures.link_load_map(reported.parts, "stall"),
    )


def _shift(reported: ReportedRun) -> Picture | None:
    if set(reported.alone) != set(reported.names) or not all(
        run.document["complete"] for run in reported.parts.values()
    ):
        return None
    if any(is_endless(reported.run, job) for job in job_names(reported.run)):
        return (
            None  # an endless job sends as long as it may, and so not the same alone and together
        )
    alone = sum(_sent(run) for run in reported.alone.values())
    more = _sent(reported.run) / alone - 1 if alone else 0.0
    changed = f"{significant(100 * abs(more), 2)} % {'more' if more >= 0 else 'less'}"
    return _picture(
        "shift",
        "Traffic that the other jobs moved",
        "Bytes over a link in the run together, minus its bytes in all runs alone. The jobs send"
        " the same messages between the same nodes, so only the routing can move bytes to other"
        " links. Orange squares carry more bytes in the run together, purple squares carry fewer."
        f" In total, the links between routers carried {changed} in the run together.",
        "",
        "Heat map of the bytes that the routing moved between links because the jobs ran together.",
        figures.link_shift_map(reported.run, reported.alone),
    )


def _sent(run: RunLike) -> float:
    links = run.links.filter(pl.col("class").is_in(NETWORK))
    return float(links.select(pl.col("bytes").sum()).collect().item())


def _hottest(reported: ReportedRun) -> Picture | None:
    if reported.hottest.is_empty():
        return None
    peak = (
        ""
        if reported.loads.window_ns is None
        else " A tick marks the utilization in the link's peak window."
    )
    return _picture(
        "hottest",
        "Hottest links",
        "The links of the highest utilization"
        f" {'while all jobs ran' if reported.loads.shared else 'over the whole run'}, of any class,"
        f" divided by the job whose bytes they carried.{peak}",
        "",
        hottest_sentence(reported) + " The table below has the numbers.",
        figures.hottest_links(reported.run),
    )


def _learning(reported: ReportedRun) -> Picture | None:
    rows = table(reported.run, "q_learning")
    if rows is None:
        return None
    updates = int(rows.select(pl.col("updates").sum()).collect().item())
    return _picture(
        "learning",
        "Estimates of the routers over time",
        "The time from a router to the destination group by each kind of port, in the tables of"
        " q_adaptive. Solid lines are the estimates after correction. Dotted lines are the times"
        " that packets measured. Each point is the mean over the corrections of a window.",
        KANG,
        f"Estimates of q_adaptive's tables over simulated time, after {updates:,} corrections in"
        " all.",
        figures.learning(reported.run),
    )


def _jobs(reported: ReportedRun) -> str:
    return ", ".join(reported.names) + (" alone and together" if reported.alone else "")


def _dashed(reported: ReportedRun) -> str:
    return ": dashed alone, solid together." if reported.alone else "."
