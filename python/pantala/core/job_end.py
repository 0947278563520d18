"""How a job of a plan ends: by itself, at a set time, or with the run."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

__all__ = ["ends_by_itself"]


def ends_by_itself(job: Mapping[str, Any]) -> bool:
    """Returns whether a job of a plan ends when its work is done.

    A pattern sends until the run stops, a job that repeats starts again, and a job with a set end
    stops at that time. Such jobs are not unfinished when the run ends.
    """
    endless = job["workload"]["kind"] == "pattern"
    return not endless and not job.get("repeat") and not job.get("end_ps")
