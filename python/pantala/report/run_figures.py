"""The figures of jobs in the report, each with a caption and the source of its metric."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import polars as pl

from pantala import figures
from pantala.analysis.attribution import METHODS
from pantala.figures.blame import has_numbers
from pantala.report.network_figures import NETWORK_FIGURES
from pantala.report.page_figure import KANG, YANG, PageFigure, page_figure
from pantala.report.panels import with_panels
from pantala.report.record_figures import RECORD_FIGURES
from pantala.report.reported_run import MANY, ReportedRun, few
from pantala.report.sentences import cause_sentences
from pantala.report.skipped_note import with_cuts
from pantala.run_tables.run_like import job_names, job_row, table
from pantala.text.amounts import PAGE
from pantala.text.steps import announce

__all__ = ["run_figures"]


def run_figures(reported: ReportedRun) -> dict[str, PageFigure]:
    """Returns every figure that the data of the runs allow, by the key in the template."""
    makers: dict[str, Callable[[ReportedRun], PageFigure | None]] = {
        "slowdown": _slowdown,
        "ranks": _ranks,
        "throughput": _throughput,
        "latency": _latency,
        "iterations": _iterations,
        "latency_time": _latency_time,
        "tail": _tail,
        "effects": _effects,
        "blame": _blame,
        "learning": _learning,
        **RECORD_FIGURES,
        **NETWORK_FIGURES,
    }
    drawn: dict[str, PageFigure] = {}
    for at, (key, maker) in enumerate(makers.items(), 1):
        announce(f"figure {at} of {len(makers)}")
        if (figure := maker(reported)) is not None:
            drawn[key] = figure
    return with_cuts(with_panels(drawn, reported.run, reported.targets), reported)


def _slowdown(reported: ReportedRun) -> PageFigure | None:
    if reported.slowdown is None:
        return None
    rows = reported.slowdown.drop_nulls("slowdown")
    if rows.is_empty():
        return None
    sentences = [
        f"{row['name']}: {PAGE.duration(row['alone_communication_time_mean_ns'])} alone,"
        f" {PAGE.duration(row['together_communication_time_mean_ns'])} together,"
        f" {row['slowdown']:.2f} times."
        for row in rows.to_dicts()
    ]
    partly = rows.filter(pl.col("compared") == "iterations")["name"].to_list()
    note = (
        f" For {few(partly)}, only the iterations that finished in both runs count."
        if partly
        else ""
    )
    return page_figure(
        "slowdown",
        "Communication time, alone and together",
        "Each bar is the mean over the job's ranks. The whisker reaches one standard deviation to"
        " either side, the diamond is the slowest rank. The factor is the mean together over the"
        f" mean alone.{note}",
        f"{KANG}, Fig. 4",
        "Bars of mean communication time. " + " ".join(sentences),
        figures.slowdown_bars(rows, names=reported.names),
    )


def _ranks(reported: ReportedRun) -> PageFigure | None:
    ranks = table(reported.run, "ranks")
    if ranks is None or not ranks.select("communication_time_ns").sum().collect().item():
        return None
    return page_figure(
        "ranks",
        "Communication time, rank by rank",
        "For each time on the horizontal axis, the share of ranks with at most this communication"
        " time. A steep line means that all ranks communicate for about the same time. A long foot"
        " or head means that some ranks communicate for a much shorter or longer time."
        f"{reported.endless_note}",
        f"{YANG}, Fig. 3",
        f"Distribution of communication time over the ranks of {_jobs(reported)}; the table above"
        " has mean, standard deviation and maximum.",
        figures.communication_time(reported.run, reported.alone),
    )


def _throughput(reported: ReportedRun) -> PageFigure:
    title = "Throughput over time"
    if table(reported.run, "job_windows") is None:
        return PageFigure(
            title,
            "No packet entered the network."
            if reported.run.document["tables"].get("job_windows") == 0
            else "This run did not record time windows, so throughput over time is unknown.",
        )
    frame = figures.throughput_windows(reported.run, 0)
    step = ""
    if frame is not None:
        length = float(frame["end_ns"][0] - frame["start_ns"][0])
        step = f" One step is {PAGE.duration(length, exact=True)}."
    shown = reported.panels("job_windows")
    figure = figures.throughput(reported.run, reported.alone, shown)
    scales = (
        " The panels have different scales."
        if len({axes.get_ylim() for axes in figure.axes}) > 1
        else ""
    )
    return page_figure(
        "throughput",
        title,
        "Bytes delivered to each job per unit of simulated time"
        f"{_dashed(reported)}{step} A dotted line marks the end of another job.{scales}",
        f"{KANG}, Fig. 5 and 9",
        f"Delivered throughput of {_jobs(reported, shown)} over simulated time.",
        figure,
    )


def _latency(reported: ReportedRun) -> PageFigure | None:
    jobs = [job_row(reported.run, job) for job in job_names(reported.run)]
    if all(row["packet_latency_mean_ns"] is None for row in jobs):
        return None
    packets = table(reported.run, "packets")
    record = reported.plan["record"]
    when = " in the time that was simulated" if reported.run.document.get("skipped") else ""
    caption = f"Median, mean and the 95th and 99th percentiles cover every packet delivered{when}. "
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
    sentences = [
        f"{row['name']}: median {PAGE.duration(row['packet_latency_p50_ns'])}, p99"
        f" {PAGE.duration(row['packet_latency_p99_ns'])}."
        for row in jobs
        if row["packet_latency_p50_ns"] is not None
    ]
    together = " together with the others" if reported.alone else ""
    return page_figure(
        "latency",
        "Packet latency",
        caption,
        f"{KANG}, Fig. 6",
        f"Packet latency of each job{together}. " + " ".join(sentences),
        figures.packet_latency(reported.run, reported.alone),
    )


def _latency_time(reported: ReportedRun) -> PageFigure | None:
    if table(reported.run, "job_windows") is None:
        return None
    what = "The mean latency of the packets that arrive in each time window"
    if all(table(run, "latency_windows") is not None for run in reported.parts.values()):
        what = (
            "The latency of the packets that arrive in each time window: a line is the median, the"
            " band reaches to the 99th percentile"
        )
    shown = reported.panels("job_windows")
    return page_figure(
        "latency_time",
        "Packet latency over time",
        f"{what}{_dashed(reported)} A gap is a window in which no packet arrived.",
        f"{KANG}, Fig. 7",
        f"Packet latency of {_jobs(reported, shown)} over simulated time.",
        figures.latency_over_time(reported.run, reported.alone, jobs=shown),
    )


def _tail(reported: ReportedRun) -> PageFigure | None:
    if any(table(run, "packets") is None for run in reported.parts.values()):
        return None
    record = reported.plan["record"]
    sample = (
        f" The figure shows a sample: one packet in {record['packet_sample']}."
        if record["packets"] == "sampled"
        else ""
    )
    return page_figure(
        "tail",
        "The slowest packets",
        "For each latency on the horizontal axis, the share of packets that take longer. Where a"
        " solid line is above its dashed line, more packets take that long together than alone."
        f"{sample}"
        if reported.alone
        else "For each latency on the horizontal axis, the share of packets that take longer."
        f"{sample}",
        "",
        f"Share of packets above a latency, of {_jobs(reported)}.",
        figures.latency_tail(reported.run, reported.alone),
    )


def _iterations(reported: ReportedRun) -> PageFigure | None:
    found = [table(run, "iterations") for run in reported.parts.values()]
    recorded = [frame for frame in found if frame is not None]
    if len(recorded) < len(found):
        return None
    if not recorded[-1].select(pl.col("iteration").max()).collect().item():
        return None  # one iteration each, which the distribution over ranks shows
    shown = reported.panels("iterations")
    return page_figure(
        "iterations",
        "Communication time, iteration by iteration",
        "A row is a rank, a column is an iteration, and the colour is the time inside MPI calls."
        " All panels of a job share one scale. A column of high values is an iteration with long"
        " MPI calls of all ranks; a row of high values is a rank with long MPI calls in all"
        " iterations.",
        "",
        f"Heat maps of communication time by rank and iteration, of {_jobs(reported, shown)}.",
        figures.rank_iterations(reported.run, reported.alone, jobs=shown),
    )


def _effects(reported: ReportedRun) -> PageFigure | None:
    effects = reported.effects
    if effects is None or effects["effect"].is_null().all():
        return None
    method = effects["method"][0]
    removed = " It is the effect of removing the job of the column." * (method == "leave_one_out")
    return page_figure(
        "effects",
        "Which job slows which",
        f"A cell is a slowdown: {METHODS[method]}.{removed} Orange cells are slower, blue cells are"
        " faster, and the strongest colour is the largest effect. One seed has no interval.",
        "",
        "Matrices of slowdowns by victim and aggressor; the tables below have the numbers.",
        figures.effect_matrix(effects, method),
    )


def _blame(reported: ReportedRun) -> PageFigure | None:
    if len(reported.names) < 2:
        return None
    title = "Which job the packets waited for"
    causes = cause_sentences(reported, MANY)
    if not causes:
        return PageFigure(
            title,
            "This run did not record which job caused waiting. To get the matrix of waiting time"
            ' by victim and aggressor, set record.blame.window = "10 us" and run again.',
        )
    text = " ".join(each.text for each in causes)
    cell = "The darker a cell, the larger its share of the waiting time of the row."
    if has_numbers(len(reported.names)):
        cell = "A cell has the waiting time, summed over packets, and its share of the row."
    if len(causes) < len(reported.names):
        text = (
            f"The {len(causes)} of {len(reported.names)} jobs that wait longest for other jobs:"
            f" {text}"
        )
    return page_figure(
        "blame",
        title,
        f"{text} A row is the job whose packets waited, a column is the job that caused the"
        f" waiting. {cell}",
        "",
        f"Matrix of waiting time. {text}",
        figures.blame_matrix(reported.run),
    )


def _learning(reported: ReportedRun) -> PageFigure | None:
    rows = table(reported.run, "q_learning")
    if rows is None:
        return None
    updates = int(rows.select(pl.col("updates").sum()).collect().item())
    return page_figure(
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


def _jobs(reported: ReportedRun, names: Sequence[str] = ()) -> str:
    return ", ".join(names or reported.names) + (" alone and together" if reported.alone else "")


def _dashed(reported: ReportedRun) -> str:
    return ": dashed alone, solid together." if reported.alone else "."
