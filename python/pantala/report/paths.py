"""What a slowdown owes to longer paths: adaptive routings go around a busy place."""

from __future__ import annotations

from typing import Any

from pantala.report.reported_run import ReportedRun
from pantala.run_tables.run_like import job_names, job_row
from pantala.text.amounts import PAGE, join

__all__ = ["alone_row", "paths_sentence", "waiting_share"]

#: Paths that are this much longer are named, or packets of which so many more are non-minimal.
_LONGER, _MORE = 1.05, 0.05
#: The jobs that the sentence names, those with the longest paths first.
_MANY = 4
#: A smaller rise of the mean latency is not explained.
_LEAST_RISE = 0.02
#: Where waiting is less of the rise than this, it is said.
_MOSTLY = 0.75


def alone_row(reported: ReportedRun, name: str) -> dict[str, Any] | None:
    """Returns the row of the jobs table of a job alone; None if it did not run alone."""
    alone = reported.alone.get(name)
    if alone is None:
        return None
    return job_row(alone, next(job for job, each in job_names(alone).items() if each == name))


def paths_sentence(reported: ReportedRun) -> str:
    """Returns a sentence on the compared jobs whose packets take longer paths; empty without any.

    It has the mean number of links between routers that a packet takes, and the share of packets
    on non-minimal paths (columns `link_hops_mean` and `nonminimal_share` of `jobs`).
    """
    found = []
    for number, name in job_names(reported.run).items():
        before, after = alone_row(reported, name), job_row(reported.run, number)
        if before is None or not before["link_hops_mean"] or not after["link_hops_mean"]:
            continue
        ratio = after["link_hops_mean"] / before["link_hops_mean"]
        text = f"{name} {after['link_hops_mean']:.2f} instead of {before['link_hops_mean']:.2f}"
        shares = before["nonminimal_share"], after["nonminimal_share"]
        more = 0.0 if None in shares else shares[1] - shares[0]
        if more >= _MORE:
            alone, together = map(PAGE.percent, shares)
            text += f" ({together} of its packets are not on minimal ones, {alone} alone)"
        if ratio >= _LONGER or more >= _MORE:
            found.append((ratio, text))
    if not found:
        return ""
    texts = [text for _, text in sorted(found, key=lambda each: -each[0])]
    if len(texts) > _MANY + 1:
        texts = [*texts[:_MANY], f"{len(texts) - _MANY} more jobs take longer ones"]
    return f"Packets take longer paths than alone, in links between routers: {join(texts)}."


def waiting_share(reported: ReportedRun, number: int, waits_ns: float) -> str:
    """Returns a sentence on how much of a job's longer latency is waiting for other jobs.

    It is empty if that is most of it, or not known: of skipped time, packets are counted and their
    waiting is not.

    Args:
        reported: the run.
        number: the number of the job.
        waits_ns: how long its packets waited for other jobs, summed.
    """
    name = job_names(reported.run)[number]
    before, after = alone_row(reported, name), job_row(reported.run, number)
    if reported.run.document.get("skipped") or before is None:
        return ""
    if None in (before["packet_latency_mean_ns"], after["packet_latency_mean_ns"]):
        return ""
    rise = after["packet_latency_mean_ns"] - before["packet_latency_mean_ns"]
    if rise < _LEAST_RISE * before["packet_latency_mean_ns"]:
        return ""
    share = waits_ns / (rise * after["packets"])
    if share >= _MOSTLY:
        return ""
    return (
        f" Waiting for other jobs is {PAGE.percent(share)} of the rise of its mean packet latency."
    )
