"""What a reader must know before trusting the numbers."""

from __future__ import annotations

import polars as pl

from pantala.figures.runs import RunLike, is_endless, job_names
from pantala.report.subject import Subject
from pantala.report.words import duration, significant

__all__ = ["warnings"]

_REASONS = {
    "interrupted": "was interrupted",
    "duration": "ended at its set duration, before every job had finished",
    "stalled": "stalled: packets were in flight and none moved",
    "failed": "failed",
}
# Accepted below this share of offered is saturated.
_SATURATED = 0.97


def warnings(subject: Subject) -> list[str]:
    """Say of every part of the report what is wrong with it; an empty list is good news."""
    found = []
    for title, run in subject.parts.items():
        texts = (*_ending(run), *_planned(run), *_conservation(run), *_saturation(run))
        found += [f"{title}: {text}" for text in texts]
    if subject.slowdown is not None:
        unknown = subject.slowdown.filter(pl.col("slowdown").is_null())["name"].to_list()
        endless = [name for job, name in job_names(subject.run).items() if is_endless(subject.run, job)]
        found += [
            f"{name}: no slowdown, as it was not run alone or did not communicate."
            for name in unknown
            if name not in endless
        ]
    return found


def _ending(run: RunLike) -> list[str]:
    document = run.document
    endless = all(is_endless(run, job) for job in job_names(run))
    if document["complete"] or (document["reason"] == "duration" and endless):
        return []
    what = _REASONS.get(document["reason"], f"is incomplete ({document['reason']})")
    text = f"the run {what}, after {duration(document['simulated_ns'])} simulated. Its numbers cover that much."
    if document.get("diagnosis"):
        text += f"\n{document['diagnosis']}"
    return [text]


def _planned(run: RunLike) -> list[str]:
    """What was known before the run: that its packets could wait for each other in a circle."""
    return [f"{text}." for text in run.document["plan"].get("derived", {}).get("warnings", [])]


def _conservation(run: RunLike) -> list[str]:
    lost = [name for name, kept in run.document["conservation"].items() if not kept]
    return [f"the count of {name} does not balance; please report this as a bug." for name in lost]


def _saturation(run: RunLike) -> list[str]:
    document, found = run.document, []
    bandwidth = document["plan"]["links"]["terminal"]["bandwidth_bytes_per_s"] / 1e9
    delivered = dict(run.jobs.select("job", pl.col("delivered_bytes")).collect().iter_rows())
    for number, job in enumerate(document["plan"]["jobs"]):
        offered = job["workload"].get("load")
        length = document["simulated_ns"] - job["start_ps"] / 1000
        if offered is None or length <= 0:
            continue
        accepted = delivered.get(number, 0) / (length * job["ranks"] * bandwidth)
        if accepted < _SATURATED * offered:
            found.append(
                f"{job['name']} is saturated: {significant(accepted)} accepted of {offered:g} offered. "
                "Its latency grows with the length of the run."
            )
    return found
