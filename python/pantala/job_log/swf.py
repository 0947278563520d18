"""The Standard Workload Format of the Parallel Workloads Archive, version 2.

A line has 18 numbers; comments begin with a semicolon. Times are seconds since the log's begin.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator

from pantala.job_log.entry import JobLogError, LoggedJob

__all__ = ["begin_of", "swf_jobs"]

_FIELDS = 18
_BEGIN = re.compile(r";\s*UnixStartTime:\s*(\d+)", re.IGNORECASE)


def swf_jobs(lines: Iterable[str]) -> Iterator[LoggedJob]:
    """Yields the jobs of a log that have run.

    Raises:
        JobLogError: a line has something else than 18 numbers.
    """
    for place, line in enumerate(lines, start=1):
        words = line.split()
        if not words or words[0].startswith(";"):
            continue
        try:
            values = [float(word) for word in words]
        except ValueError:
            values = []
        if len(values) != _FIELDS or not all(map(math.isfinite, values)):
            message = f"line {place} has not the {_FIELDS} numbers of SWF"
            raise JobLogError(message, "give a log of SWF, or of sacct -P with its header line")
        number, submitted, waited, ran, allocated = values[:5]
        processors = int(allocated if allocated > 0 else values[7])
        if ran < 0 or waited < 0 or processors <= 0:
            continue  # unknown, or cancelled before its start
        start = submitted + waited
        yield LoggedJob(
            number=f"{number:g}",
            name=f"executable-{values[13]:g}",
            start=start,
            end=start + ran,
            hosts=None,
            nodes=None,
            processors=processors,
        )


def begin_of(lines: Iterable[str]) -> int | None:
    """Returns the begin of the log in seconds since the epoch, if its header states it."""
    for line in lines:
        if not line.startswith(";"):
            return None
        if match := _BEGIN.match(line):
            return int(match[1])
    return None
