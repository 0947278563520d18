"""What a reader must know before trusting the numbers."""

from __future__ import annotations

import polars as pl

from pantala.figures.runs import RunLike
from pantala.report.subject import Subject
from pantala.report.words import duration, significant

__all__ = ["warnings"]

_REASONS = {
    "interrupted": "was interrupted",
    "duration": "ended at its set duration, before every job had finished",
    "stalled": "stalled: packets were in flight and none moved",
}
# Accepted below this share of offered is saturated.
_SATURATED = 0.97


def warnings(subject: Subject) -> list[str]:
    """Say of every part of the report what is wrong with it; an empty list is good news."""
    found = []
    for title, run in subject.parts.items():
        found += [f"{title}: {text}" for text in (*_ending(run), *_conservation(run), *_saturation(run))]
    return found


def _ending(run: RunLike) -> list[str]:
    document = run.document
    endless = all(job["workload"]["kind"] == "pattern" for job in document["plan"]["jobs"])
    if document["complete"] or (document["reason"] == "duration" and endless):
        return []
    what = _REASONS.get(document["reason"], f"is incomplete ({document['reason']})")
    text = f"the run {what}, after {duration(document['simulated_ns'])} simulated. Its numbers cover what was simulated."
    if document.get("diagnosis"):
        text += f" {document['diagnosis']}"
    return [text]


def _conservation(run: RunLike) -> list[str]:
    lost = [name for name, kept in run.document["conservation"].items() if not kept]
    return [f"the count of {name} does not balance; please report this as a bug." for name in lost]


def _saturation(run: RunLike) -> list[str]:
    document, found = run.document, []
    bandwidth = document["plan"]["links"]["terminal"]["bandwidth_bytes_per_s"] / 1e9
    delivered = dict(run.jobs.select("job", pl.col("bytes")).collect().iter_rows())
    for number, job in enumerate(document["plan"]["jobs"]):
        offered = job["workload"].get("load")
        length = document["simulated_ns"] - job["start_ps"] / 1000
        if offered is None or length <= 0:
            continue
        accepted = delivered.get(number, 0) / (length * job["ranks"] * bandwidth)
        if accepted < _SATURATED * offered:
            found.append(
                f"{job['name']} is saturated: {significant(accepted)} accepted of {significant(offered)} offered. "
                "Its latency grows with the length of the run."
            )
    return found
