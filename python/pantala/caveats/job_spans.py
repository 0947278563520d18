"""When the jobs of a run ran, and for how much of its run each ran beside another job."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pantala.core.job_end import ends_by_itself, stop_of

if TYPE_CHECKING:
    from pantala.run_tables.run_like import RunLike

__all__ = ["JobSpan", "beside_others", "job_spans", "spans_of_run"]


@dataclass(frozen=True)
class JobSpan:
    """The time in which a job ran.

    Attributes:
        start_ns: its start.
        end_ns: its end.
        counted_ns: its end, or the end of the last job that ends by itself if that is earlier. A
            run with endless jobs ends at the end of a window, soon after its last job: that they
            run on until then is no reason to name them.
        ended: whether the job ended by itself.
    """

    start_ns: float
    end_ns: float
    counted_ns: float
    ended: bool


def job_spans(
    planned: Sequence[Mapping[str, Any]],
    rows: Mapping[str, Mapping[str, Any]],
    simulated_ns: float,
    reason: str,
) -> dict[str, JobSpan]:
    """Returns when each job ran, by name.

    Args:
        planned: the jobs of the plan.
        rows: the rows of the table jobs by name. A job without a row is left out.
        simulated_ns: the simulated time.
        reason: why the run ended.
    """
    jobs = {job["name"]: job for job in planned if job["name"] in rows}
    ends = {
        name: rows[name]["end_ns"]
        for name, job in jobs.items()
        if ends_by_itself(job) and rows[name]["end_ns"] is not None
    }
    last = max(ends.values()) if ends and reason == "finished" else simulated_ns
    spans = {}
    for name, job in jobs.items():
        start = rows[name]["start_ns"]
        end = max(start, ends.get(name, stop_of(job, simulated_ns)))
        spans[name] = JobSpan(start, end, min(end, last), name in ends)
    return spans


def spans_of_run(run: RunLike) -> dict[str, JobSpan]:
    """Returns when each job of a run ran, by name.

    Raises:
        RunDirectoryError: the table jobs is damaged.
    """
    document = run.document
    rows = {row["name"]: row for row in run.jobs.collect().iter_rows(named=True)}
    planned = document["plan"].get("jobs") or ()
    return job_spans(planned, rows, float(document["simulated_ns"]), str(document.get("reason")))


def beside_others(spans: Mapping[str, JobSpan]) -> dict[str, float]:
    """Returns the share of its run in which at least one other job ran, for each job.

    The share is 1 for a job that was alone only after the last job that ends by itself, and 0 for
    one that starts after the run.
    """
    shares = {}
    for name, span in spans.items():
        others = [other for key, other in spans.items() if key != name]
        start, end, counted = span.start_ns, span.end_ns, span.counted_ns
        if counted < start:
            shares[name] = 0.0
            continue
        whole = _covered(start, counted, others) >= counted - start
        shares[name] = 1.0 if whole else _covered(start, end, others) / (end - start)
    return shares


def _covered(start_ns: float, end_ns: float, spans: Iterable[JobSpan]) -> float:
    """Returns the time of an interval in which at least one of some jobs ran.

    Args:
        start_ns: the start of the interval.
        end_ns: its end.
        spans: when the jobs ran.
    """
    joined: list[tuple[float, float]] = []
    for span in sorted(spans, key=lambda span: span.start_ns):
        begin, end = max(span.start_ns, start_ns), min(span.end_ns, end_ns)
        if joined and begin <= joined[-1][1]:
            joined[-1] = (joined[-1][0], max(end, joined[-1][1]))
        elif end > begin:
            joined.append((begin, end))
    return sum(end - begin for begin, end in joined)
