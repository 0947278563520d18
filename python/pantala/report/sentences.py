"""The sentences of a report, each with the place in the explorer that shows it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import urlencode

import polars as pl

from pantala.analysis.blame import Blame, blame_of, cause_in_words, cause_of
from pantala.report.finding import finding, hottest_sentence
from pantala.report.paths import alone_row, paths_sentence, waiting_share
from pantala.report.reported_run import ReportedRun
from pantala.run_tables.run_like import job_names, job_row, table

__all__ = ["Sentence", "cause_sentences", "link_place", "opening", "permalink"]


@dataclass(frozen=True)
class Sentence:
    """A sentence and its place.

    Attributes:
        text: the sentence.
        place: the state of the explorer that shows it, as the part of an address after ``#``.
    """

    text: str
    place: str


def permalink(state: Mapping[str, object]) -> str:
    """Returns a state of the explorer as the part of an address after ``#``; None is left out."""
    return urlencode({key: value for key, value in state.items() if value is not None}, safe=",")


def opening(reported: ReportedRun) -> list[Sentence]:
    """Returns the report's first sentences: slowdowns, binding resources, the hottest link."""
    hottest = "" if reported.hottest.is_empty() else link_place(reported.hottest.row(0, named=True))
    found = [
        Sentence(finding(reported), permalink({"view": "jobs"})),
        Sentence(paths_sentence(reported), permalink({"view": "jobs"})),
        Sentence(reported.binding, permalink({"view": "heat"})),
        Sentence(hottest_sentence(reported), hottest),
    ]
    return [each for each in found if each.text]


def link_place(link: Mapping[str, object]) -> str:
    """Returns the place of a row of `links`: the history of the link, beside its group."""
    group = link["source_group"]
    group = link["target_group"] if group is None else group
    return permalink({"group": group, "link": link["link"], "view": "link"})


def cause_sentences(reported: ReportedRun, most: int | None = None) -> list[Sentence]:
    """Returns a sentence for each job: how its p99 changed, and which job caused its waiting.

    Its place is the pair of jobs, the link class and the interval that it names. The list is empty
    if the run did not record `blame`.

    Args:
        reported: the run.
        most: the maximum number of sentences: of the jobs that wait longest for other jobs, the
            longest first. By default, all jobs have one, in the order of the plan.
    """
    rows = table(reported.run, "blame")
    if rows is None:
        return []
    window = (reported.plan["record"].get("blame") or {}).get("window_ps")
    blame = blame_of(
        rows.collect(),
        reported.names,
        window_ns=window / 1000 if window else None,
        end_ns=float(reported.run.document["simulated_ns"]),
    )
    return [
        Sentence(
            cause_in_words(
                blame, number, slowdown=_tail(reported, number), metric="p99 packet latency"
            )
            + _share_of_rise(reported, blame, number),
            _place(blame, number),
        )
        for number in _victims(blame, most)
    ]


def _share_of_rise(reported: ReportedRun, blame: Blame, number: int) -> str:
    """Returns how much of the longer latency of a compared job is waiting, if not most of it."""
    if _tail(reported, number) is None:
        return ""
    return waiting_share(reported, number, blame.total_ns(number) - blame.wait_ns[number][number])


def _victims(blame: Blame, most: int | None) -> list[int]:
    """Returns the jobs that have a sentence."""
    jobs = list(range(len(blame.jobs)))
    if most is None or len(jobs) <= most:
        return jobs
    waits = [blame.total_ns(job) - blame.wait_ns[job][job] for job in jobs]
    return sorted(jobs, key=lambda job: -waits[job])[:most]


def _tail(reported: ReportedRun, number: int) -> float | None:
    """Returns the p99 packet latency of a job together, divided by that alone; None without it."""
    name = job_names(reported.run)[number]
    rows = pl.DataFrame() if reported.slowdown is None else reported.slowdown
    compared = {row["name"]: row["compared"] for row in rows.iter_rows(named=True)}
    alone = alone_row(reported, name)
    if alone is None or compared.get(name) not in ("run", "duration"):
        return None
    before = alone["packet_latency_p99_ns"]
    after = job_row(reported.run, number)["packet_latency_p99_ns"]
    return after / before if before and after else None


def _place(blame: Blame, victim: int) -> str:
    cause = cause_of(blame, victim)
    if cause is None:
        return permalink({"view": "blame", "victim": victim, "aggressor": victim, "jobs": victim})
    jobs = ",".join(map(str, sorted((victim, cause.aggressor))))
    pair = {"victim": victim, "aggressor": cause.aggressor, "jobs": jobs}
    if len(cause.places) == 1:
        pair["cls"] = cause.places[0][0]
    when = dict(zip(("from", "to"), map(_time, cause.span_ns or ()), strict=False))
    return permalink(pair | when | {"view": "blame"})


def _time(ns: float) -> str:
    return f"{ns:.3f}".rstrip("0").rstrip(".")
