"""A job of a log, and the error of a log that cannot be read."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["JobLogError", "LoggedJob"]


@dataclass(frozen=True)
class LoggedJob:
    """A job of a log.

    Attributes:
        number: the job's number in the log, such as `1234` or `1234_7`.
        name: the job's name; of SWF, the number of its executable as `executable-3`.
        start: the start in seconds, since the epoch or, if the log has no date, since its begin.
        end: the end in seconds, in the same count; None if the job still ran at the log's end.
        hosts: the host list of its nodes; None if the log has none.
        nodes: the number of its nodes, or None.
        processors: the number of its processors, or None.
        zoned: whether the log states the zone of its times.
    """

    number: str
    name: str
    start: float
    end: float | None
    hosts: str | None
    nodes: int | None
    processors: int | None
    zoned: bool = False

    def runs_at(self, time: float) -> bool:
        """Returns whether the job runs at a time: from its start to just before its end."""
        return self.start <= time and (self.end is None or time < self.end)


class JobLogError(ValueError):
    """A log that cannot be read.

    Attributes:
        message: what is wrong, with the line.
        remedy: what to do.
        key: the key of the snapshot at fault: `file`, or `at` if the time is not one of the log.
    """

    def __init__(self, message: str, remedy: str, key: str = "file") -> None:
        self.message = message
        self.remedy = remedy
        self.key = key
        super().__init__(f"{message}; {remedy}")
