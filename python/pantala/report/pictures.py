"""The figures of the report, each with a caption that says how to read it and where its metric comes from."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from markupsafe import Markup
from matplotlib.figure import Figure

from pantala import figures
from pantala.figures.runs import table
from pantala.report.finding import hottest_sentence
from pantala.report.inline import inline_svg
from pantala.report.subject import Subject
from pantala.report.words import duration, percent, significant

__all__ = ["Picture", "pictures"]

KANG = "Kang et al., SC22"
YANG = "Yang et al., SC16"


@dataclass(frozen=True)
class Picture:
    """One figure in the page; without `svg` the caption says why there is none."""

    title: str
    caption: str
    source: str = ""
    svg: Markup | None = None


def pictures(subject: Subject) -> dict[str, Picture]:
    """Draw every figure for which the runs hold the data, by the key that the template asks for."""
    makers: dict[str, Callable[[Subject], Picture | None]] = {
        "slowdown": _slowdown,
        "ranks": _ranks,
        "throughput": _throughput,
        "latency": _latency,
        "load": _load,
        "stall": _stall,
        "shift": _shift,
        "hottest": _hottest,
    }
    drawn = {key: maker(subject) for key, maker in makers.items()}
    return {key: picture for key, picture in drawn.items() if picture is not None}


def _picture(key: str, title: str, caption: str, source: str, alt: str, figure: Figure) -> Picture:
    return Picture(title, caption, source, inline_svg(figure, key, alt))


def _slowdown(subject: Subject) -> Picture | None:
    if subject.slowdown is None:
        return None
    rows = subject.slowdown.drop_nulls("slowdown")
    if rows.is_empty():
        return None
    told = [
        f"{row['name']}: {duration(row['alone_communication_time_mean_ns'])} alone, "
        f"{duration(row['together_communication_time_mean_ns'])} together, {row['slowdown']:.2f} times."
        for row in rows.to_dicts()
    ]
    return _picture(
        "slowdown",
        "Communication time, alone and together",
        "Each bar is the mean over the job's ranks. The whisker reaches one standard deviation to either side, the "
        "diamond is the slowest rank. The factor is the mean together over the mean alone.",
        f"{KANG}, Fig. 4",
        "Bars of mean communication time. " + " ".join(told),
        figures.slowdown_bars(rows),
    )


def _ranks(subject: Subject) -> Picture | None:
    ranks = table(subject.run, "ranks")
    if ranks is None or not ranks.select("communication_time_ns").sum().collect().item():
        return None
    return _picture(
        "ranks",
        "Communication time, rank by rank",
        "For each time on the horizontal axis, the share of ranks that communicated no longer than that. A steep line: "
        "all ranks alike. A long foot or head: some ranks fare better or worse than the rest.",
        f"{YANG}, Fig. 3",
        f"Distribution of communication time over the ranks of {_jobs(subject)}; the table above has mean, standard "
        "deviation and maximum.",
        figures.communication_time(subject.run, subject.alone),
    )


def _throughput(subject: Subject) -> Picture:
    title = "Throughput over time"
    if table(subject.run, "job_windows") is None:
        return Picture(title, "This run kept no windows of time, so there is no throughput over time to draw.")
    frame = figures.throughput_windows(subject.run, 0)
    step = "" if frame is None else f" One step is {duration(float(frame['end_ns'][0] - frame['start_ns'][0]))}."
    return _picture(
        "throughput",
        title,
        "Payload delivered to each job per unit of simulated time" + _dashed(subject) + step,
        f"{KANG}, Fig. 5 and 9",
        f"Delivered throughput of {_jobs(subject)} over simulated time.",
        figures.throughput(subject.run, subject.alone),
    )


def _latency(subject: Subject) -> Picture | None:
    jobs = subject.run.jobs.sort("job").collect()
    if jobs["packet_latency_mean_ns"].null_count() == jobs.height:
        return None
    packets = table(subject.run, "packets")
    record = subject.plan["record"]
    caption = "Median, mean and the 95th and 99th percentiles cover every packet delivered. "
    if packets is None:
        caption += "Single packets were not recorded in this run, so the quartiles are missing; set record.packets to see them."
    elif record["packets"] == "sampled":
        caption += f"The box, from the first to the third quartile, is of one packet in {record['packet_sample']}."
    else:
        caption += "The box reaches from the first to the third quartile."
    told = [
        f"{row['name']}: median {duration(row['packet_latency_p50_ns'])}, p99 {duration(row['packet_latency_p99_ns'])}."
        for row in jobs.to_dicts()
        if row["packet_latency_p50_ns"] is not None
    ]
    together = " together with the others" if subject.alone else ""
    return _picture(
        "latency",
        "Packet latency",
        caption,
        f"{KANG}, Fig. 6",
        f"Packet latency of each job{together}. " + " ".join(told),
        figures.packet_latency(subject.run, subject.alone),
    )


def _load(subject: Subject) -> Picture:
    until = figures.shared_until(subject.run) if subject.alone else None
    last = list(subject.parts)[-1]
    note = ""
    if until is not None:
        note = f" The panel “{last}” counts the first {duration(until)}, while all jobs were running."
    return _picture(
        "load",
        "Link load, group by group",
        "A square is the mean load of the global links from the group of its row to the group of its column; the "
        "diagonal is the mean over the group's local links. Load is the share of time in which a link was sending: what "
        f"Kang et al. call the congestion index.{note}",
        f"{KANG}, Fig. 12",
        f"Heat map of link load, {subject.plan['topology']['g']} groups by as many. {hottest_sentence(subject)}",
        figures.link_load_map(subject.parts, until_ns={} if until is None else {last: until}),
    )


def _stall(subject: Subject) -> Picture:
    worst = figures.hottest_table(subject.run, 1)
    told = "" if worst.is_empty() else f" The hottest link is stalled {percent(worst['stall_share'][0])} of the time."
    return _picture(
        "stall",
        "Stalls, group by group",
        "Laid out as the map of load, over each whole run: the mean share of time in which a flit was ready at the link "
        "and could not advance for want of credit.",
        f"{KANG}, Fig. 11",
        f"Heat map of the share of time stalled.{told}",
        figures.link_load_map(subject.parts, "stall"),
    )


def _shift(subject: Subject) -> Picture | None:
    if not subject.alone or not all(run.document["complete"] for run in subject.parts.values()):
        return None
    total = sum(_sent(subject, title) for title in subject.parts if title != "together")
    more = _sent(subject, "together") / total - 1 if total else 0.0
    return _picture(
        "shift",
        "Traffic that company moved",
        "Bytes over a link together, minus the bytes over it in all runs alone. The jobs send the same messages between "
        "the same nodes, so that only the routing's answer to the others' traffic can move bytes: orange squares carry "
        f"more in company, purple ones less. In all, the links between routers carried {significant(100 * abs(more), 2)} % "
        f"{'more' if more >= 0 else 'less'} together, as more or fewer packets took longer ways.",
        "",
        "Heat map of the bytes that the routing moved between links because the jobs ran together.",
        figures.link_shift_map(subject.run, subject.alone),
    )


def _sent(subject: Subject, title: str) -> float:
    links = subject.parts[title].links.collect()
    return float(links.filter(links["class"].is_in(["local", "global"]))["bytes"].sum())


def _hottest(subject: Subject) -> Picture | None:
    if figures.hottest_table(subject.run, 1).is_empty():
        return None
    return _picture(
        "hottest",
        "Hottest links between routers",
        "The links of the highest load over the whole run, divided by the job whose bytes they carried.",
        "",
        hottest_sentence(subject) + " The table below has the numbers.",
        figures.hottest_links(subject.run),
    )


def _jobs(subject: Subject) -> str:
    return ", ".join(subject.names) + (" alone and together" if subject.alone else "")


def _dashed(subject: Subject) -> str:
    return ": dashed alone, solid together." if subject.alone else "."
