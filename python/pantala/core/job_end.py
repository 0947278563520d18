"""How a job of a plan ends: by itself, at a set time, or with the run."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

__all__ = ["ends_by_itself", "stop_of"]


def ends_by_itself(job: Mapping[str, Any]) -> bool:
    """Returns whether a job of a plan ends when its work is done.

    A pattern sends until the run stops, a job that repeats starts again, and a job with a set end
    stops at that time. Such jobs are not unfinished when the run ends.
    """
    endless = job["workload"]["kind"] == "pattern"
    return not endless and not job.get("repeat") and not job.get("end_ps")


def stop_of(job: Mapping[str, Any], last_ns: float) -> float:
    """Returns the time in ns at which a job of a plan stops if it has not ended: at its `end`.

    Args:
        job: the job.
        last_ns: the end of the run, or of what it counts.
    """
    end = job.get("end_ps")
    return min(end / 1000, last_ns) if end else last_ns
