"""The report's first sentences: each job's slowdown, and the hottest link."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import polars as pl

from pantala.analysis.link_busy import ROUNDING
from pantala.analysis.link_load import SATURATED, LinkLoads, is_rough, shared_time
from pantala.analysis.uncompared import finished_in_words, why_unknown
from pantala.report.paths import paths_sentence
from pantala.report.reported_run import ReportedRun
from pantala.run_tables.link_classes import INSIDE_GROUPS
from pantala.run_tables.run_like import (
    InterferenceLike,
    RunLike,
    is_endless,
    job_names,
    job_row,
    table,
)
from pantala.text.amounts import PAGE, count, join, significant

__all__ = ["counted_time", "finding", "finding_of", "hottest_sentence", "iterations_compared"]

#: A ratio that is as close to one as this counts as unchanged.
_UNCHANGED = 0.02
_WITHIN = f"within {100 * _UNCHANGED:g} %"
#: The jobs that a sentence names; of more jobs it gives the number, and the tables have them.
_MANY = 4


def finding_of(run: RunLike | InterferenceLike) -> str:
    """Returns the report's opening sentences: slowdowns, binding resources, the hottest link."""
    reported = ReportedRun.of(run)
    lines = [
        finding(reported),
        paths_sentence(reported),
        reported.binding,
        hottest_sentence(reported),
    ]
    return " ".join(filter(None, lines))


def finding(reported: ReportedRun) -> str:
    """Returns the sentences on each job's slowdown, or on communication times in a single run."""
    if reported.slowdown is None:
        return " ".join(_single(reported))
    return " ".join(_comparison(reported.slowdown, reported.beside, reported.background))


def iterations_compared(row: dict[str, Any]) -> str:
    """Returns how many iterations a row of the slowdown table compares; empty for whole runs."""
    number = row["compared_iterations"]
    if row["compared"] == "nothing" and number is None:
        return "not recorded"
    if row["compared"] == "unequal":
        return "different work"
    if row["compared"] not in ("iterations", "nothing"):
        return ""
    return f"{count(number)} ({finished_in_words(row)})"


def _comparison(
    slowdown: pl.DataFrame, partly: Mapping[str, str], background: Sequence[str]
) -> list[str]:
    rows = slowdown.to_dicts()
    names = [row["name"] for row in rows]
    everyone = [*names, *background]
    beside = {
        name: everyone[1 - number]
        if len(everyone) == 2
        else f"the background ({_some(list(background))})"
        if len(names) == 1
        else "the others"
        for number, name in enumerate(names)
    }
    timed = [row for row in rows if row["slowdown"] is not None]
    if len(rows) > 2:
        sentences = [
            _grouped("With all jobs together, communication time", timed, "slowdown", partly),
            _grouped(
                "Run time",
                [row for row in rows if row["run_time_slowdown"] is not None],
                "run_time_slowdown",
                partly,
            ),
        ]
    else:
        sentences = [_job(row, beside[row["name"]], partly) for row in timed]
    sentences += [
        _traffic(row, beside[row["name"]]) for row in rows if row["compared"] == "duration"
    ]
    sentences += _missing([row for row in rows if row["compared"] != "duration"])
    if background and len(names) > 1:
        sentences.append(f"The background: {_some(list(background))}.")
    return [sentence for sentence in sentences if sentence]


def _job(row: dict[str, Any], other: str, partly: Mapping[str, str]) -> str:
    """Returns a sentence with the two slowdowns of a job.

    Args:
        row: the row of the slowdown table.
        other: the job beside it, or the others.
        partly: the jobs that shared the network for a part of their run only: how much, in words.
    """
    name, ratio, run_time = row["name"], row["slowdown"], row["run_time_slowdown"]
    if name in partly:
        other += f" for {partly[name]} of its run"
    over = ""
    if row["compared"] == "iterations":
        over = f"{_iterations(row['compared_iterations'])} ({finished_in_words(row)}), "
    if _is_unchanged(ratio):
        text = f"{name}'s communication time is unchanged ({_times(ratio)}, {_WITHIN})"
    else:
        text = f"{name} communicates {_times(ratio)} as long as alone"
    if run_time is not None:
        unchanged = f"unchanged ({_times(run_time)})"
        text += (
            "; its run time is"
            f" {unchanged if _is_unchanged(run_time) else f'{_times(run_time)} as long'}"
        )
    if row["compared"] == "unequal":
        text += " (its runs sent different numbers of bytes, so they are not of equal work)"
    return f"{over}together with {other}, {text}." if over else f"Together with {other}, {text}."


def _iterations(number: int) -> str:
    return (
        "Over the one iteration that finished in both runs"
        if number == 1
        else (f"Over the {count(number)} iterations that finished in both runs")
    )


def _grouped(reported: str, rows: list[dict[str, Any]], key: str, partly: Mapping[str, str]) -> str:
    """Returns a sentence that groups jobs by whether they take longer, less long or as long."""
    rows = sorted(rows, key=lambda row: -row[key])
    changed = [row for row in rows if not _is_unchanged(row[key])]
    groups = (
        ("longer than alone for", [row for row in changed if row[key] > 1]),
        ("shorter for", [row for row in changed if row[key] < 1]),
        (f"unchanged ({_WITHIN}) for", [row for row in rows if _is_unchanged(row[key])]),
    )

    def named(row: dict[str, Any]) -> str:
        number, over = row["compared_iterations"], ""
        if row["compared"] == "iterations":
            over = f" over {count(number)} {'iteration' if number == 1 else 'iterations'}"
        if row["name"] in partly:
            over += f", beside other jobs for {partly[row['name']]} of its run"
        return f"{row['name']} ({_times(row[key])}{over})"

    sentences = [f"{words} {_some(list(map(named, group)))}" for words, group in groups if group]
    return f"{reported} is {'; it is '.join(sentences)}." if sentences else ""


def _some(texts: list[str]) -> str:
    """Returns the first texts of a list, and how many more there are."""
    more = len(texts) - _MANY
    return join(texts) if more <= 1 else join([*texts[:_MANY], f"{more} more"])


def _is_unchanged(ratio: float) -> bool:
    """Returns whether a ratio counts as unchanged: as printed, so that equal texts agree."""
    return abs(round(ratio, 3) - 1) < _UNCHANGED + 1e-9


def _times(ratio: float) -> str:
    """Returns a ratio in words. Beside the limit of unchanged ratios a third decimal decides."""
    near = abs(abs(round(ratio, 2) - 1) - _UNCHANGED) < 1e-9
    return f"{ratio:.{3 if near else 2}f} times"


def _missing(rows: list[dict[str, Any]]) -> list[str]:
    """Returns sentences on the jobs without a slowdown, one per reason."""
    unknown: dict[str, list[str]] = {}
    silent = []
    for row in rows:
        if reason := why_unknown(row):
            unknown.setdefault(reason, []).append(row["name"])
        elif row["slowdown"] is None:
            silent.append(row["name"])
    sentences = [
        f"{jobs[0]}'s slowdown is not known: {reason}."
        if len(jobs) == 1
        else f"The slowdowns of {_some(jobs)} are not known: {reason}."
        for reason, jobs in unknown.items()
    ]
    if silent:
        has = "has" if len(silent) == 1 else "have"
        sentences.append(f"{_some(silent)} {has} no slowdown: there was no communication.")
    return sentences


def _traffic(row: dict[str, Any], other: str) -> str:
    """Returns a sentence with the two slowdowns of synthetic traffic."""
    name, ratio = row["name"], row["packet_latency_slowdown"]
    alone, together = row["alone_accepted_throughput"], row["together_accepted_throughput"]
    if ratio is None or not alone or not together:
        return f"{name}'s slowdown is not known: it delivered no packet in one of its runs."
    load = f"is unchanged at {significant(together)} ({_WITHIN})"
    if not _is_unchanged(together / alone):
        load = (
            f"{'falls' if together < alone else 'rises'} from {significant(alone)} to"
            f" {significant(together)}"
        )
    latency = f"its packet latency is unchanged ({_times(ratio)}, {_WITHIN})"
    if not _is_unchanged(ratio):
        latency = f"its packets take {_times(ratio)} as long as alone"
    return (
        f"{name} is synthetic traffic. Together with {other}, {latency}, and its accepted"
        f" throughput {load}."
    )


def _single(reported: ReportedRun) -> list[str]:
    rows = [
        job_row(reported.run, job) | {"endless": is_endless(reported.run, job)}
        for job in job_names(reported.run)
    ]
    timed = [row for row in rows if row["communication_time_mean_ns"]]
    if len(timed) > _MANY:
        return [_range(timed)]
    sentences = [text for row in rows if (text := _communication(row))]
    if len(rows) == 1 or not sentences:
        sentences += [text for row in rows if (text := _latency(row))]
    text = "; ".join(sentences) + "." if sentences else "no packet was delivered."
    return [
        text[0].upper() + text[1:]
        if not sentences or sentences[0].startswith(("a rank", "half"))
        else text
    ]


def _range(rows: list[dict[str, Any]]) -> str:
    """Returns a sentence on many jobs: the least and the longest communication time."""
    ordered = sorted(rows, key=lambda row: row["communication_time_mean_ns"])
    slowest = max(rows, key=lambda row: row["communication_time_max_ns"])
    (least, shortest), (most, longest) = (
        (row["name"], PAGE.duration(row["communication_time_mean_ns"]))
        for row in (ordered[0], ordered[-1])
    )
    return (
        f"A rank of the {len(rows)} jobs communicates for {shortest} ({least}) to {longest}"
        f" ({most}) on average; the slowest rank, of {slowest['name']}, for"
        f" {PAGE.duration(slowest['communication_time_max_ns'])}."
    )


def _communication(row: dict[str, Any]) -> str:
    mean, slowest = row["communication_time_mean_ns"], row["communication_time_max_ns"]
    if not mean:
        return ""
    text = (
        f"a rank of {row['name']} communicates for {PAGE.duration(mean)} on average, the slowest"
        f" for {PAGE.duration(slowest)}"
    )
    if row["endless"]:
        return f"{text}, in the time in which it ran"
    return text if row["complete"] else f"{text} (not finished)"


def _latency(row: dict[str, Any]) -> str:
    half, tail = row["packet_latency_p50_ns"], row["packet_latency_p99_ns"]
    if half is None:
        return ""
    return (
        f"half of {row['name']}'s packets take at most {PAGE.duration(half)}, 99 % at most"
        f" {PAGE.duration(tail)}"
    )


def hottest_sentence(reported: ReportedRun) -> str:
    """Returns a sentence on the hottest link and the number of saturated links."""
    if reported.hottest.is_empty():
        return ""
    loads, link = reported.loads, reported.hottest.row(0, named=True)
    part = not _is_whole(reported)
    text = f"{_when(reported)}, the hottest link is {_place(link)}{_owner(reported, link)}"
    text += f". It is busy {PAGE.percent(link['utilization'])} of the time"
    if loads.window_ns is None or link["peak_utilization"] is None:
        return text + (f" ({_ESTIMATED})." if part and is_rough(link) else ".")
    at = link["peak_start_ns"]
    length = PAGE.duration(min(loads.window_ns, loads.end_ns - at), exact=True)
    estimated = f" ({'both ' if part else ''}{_ESTIMATED})" if is_rough(link) else ""
    text += (
        f", and {PAGE.percent(link['peak_utilization'])} of its peak window{estimated}, which"
        f" starts at {PAGE.duration(at, exact=True)} and lasts {length}"
    )
    return f"{text}. {_saturated(loads)}."


#: The mark of a number that is a rough estimate.
_ESTIMATED = "estimated from bytes"


def _is_whole(reported: ReportedRun) -> bool:
    loads = reported.loads
    return loads.start_ns <= 0 and loads.end_ns >= float(reported.run.document["simulated_ns"])


def _when(reported: ReportedRun) -> str:
    """Returns in words the time of the utilization of links."""
    loads, several = reported.loads, len(reported.names) > 1
    if loads.shared and (several or not _is_whole(reported)):
        return f"In {counted_time(reported)}"
    if loads.shared or loads.sampled:
        return "Over the whole run"
    if table(reported.run, "link_windows") is None:
        return "There are no link windows. Over the whole run"
    return f"No whole time window lies in the time in which {_ran(reported)}. Over the whole run"


def counted_time(reported: ReportedRun) -> str:
    """Returns in words the time in which all jobs ran, as far as whole windows cover it."""
    loads, time = reported.loads, shared_time(reported.run)
    counted = loads.end_ns - loads.start_ns
    part = time is not None and time[1] - time[0] - counted > ROUNDING
    windows = " of whole windows" if part else ""
    return f"the {PAGE.duration(counted)}{windows} in which {_ran(reported)}"


def _ran(reported: ReportedRun) -> str:
    return "all jobs ran" if len(reported.names) > 1 else f"{reported.names[0]} ran"


def _saturated(loads: LinkLoads) -> str:
    """Returns the number of links that are saturated in a window, in words."""
    saturated = loads.links.filter(pl.col("saturated_windows") > 0)
    if saturated.is_empty():
        no = "No link" if loads.none_saturated else "By an estimate from bytes, no link"
        return f"{no} exceeds {PAGE.percent(SATURATED)} in any window"
    number, verb = saturated.height, "link exceeds" if saturated.height == 1 else "links exceed"
    classes = (
        saturated.group_by("class", maintain_order=True)
        .len()
        .sort("len", descending=True)
        .iter_rows()
    )
    by_class = join([f"{count(of_class)} {name}" for name, of_class in classes])
    rough = "By an estimate from bytes, " if loads.count_is_rough else ""
    return (
        f"{rough}{count(number)} {verb} {PAGE.percent(SATURATED)} in at least one window"
        f" ({by_class})"
    )


def _owner(reported: ReportedRun, link: dict[str, Any]) -> str:
    """Returns the job with the largest share of a link's bytes, or an empty text.

    The text is empty if the run has only one job, or if it did not record bytes per job.
    """
    shares = {name: link[f"job_{job}_share"] for job, name in job_names(reported.run).items()}
    if len(shares) < 2 or any(share is None for share in shares.values()):
        return ""
    name = max(shares, key=lambda name: shares[name])
    return f" ({PAGE.percent(shares[name])} of its bytes are {name}'s)"


def _place(link: dict[str, Any]) -> str:
    """Returns the position of a link in words."""
    kind = link["class"]
    if kind == "global":
        ends = f"the global link from group {link['source_group']} to group {link['target_group']}"
    elif kind in INSIDE_GROUPS:
        ends = f"the {kind} link from router {link['source_router']} to {link['target_router']}"
        ends += f" in group {link['source_group']}"
    else:
        ends = f"the {kind} link of node {link['node']}"
    return ends
