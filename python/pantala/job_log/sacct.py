"""The output of `sacct --parsable2` (or -P) of Slurm: fields separated by bars, with a header."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime

from pantala.job_log.entry import JobLogError, LoggedJob

__all__ = ["has_zone", "sacct_jobs", "seconds_of"]

_NEEDED = ("JobID", "Start", "End", "NodeList")
#: Fields of free text, which can have bars, besides the name of the job.
_FREE_TEXT = frozenset(
    {"AdminComment", "Comment", "Container", "SubmitLine", "SystemComment", "WCKey", "WorkDir"}
)
#: Words of sacct for a time or a list of nodes that does not exist.
_NOTHING = frozenset({"", "Unknown", "None", "None assigned", "N/A"})


def sacct_jobs(lines: Sequence[str]) -> Iterator[LoggedJob]:
    """Yields the jobs of a log that have started, without their steps.

    Raises:
        JobLogError: a field is missing, or a time is not one.
    """
    header = lines[0].rstrip("\n").split("|")
    missing = [name for name in _NEEDED if name not in header]
    if missing:
        raise JobLogError(
            f"line 1 has no field {missing[0]}",
            "write the log with sacct -P --format=JobID,JobName,Start,End,NodeList",
        )
    for place, line in enumerate(lines[1:], start=2):
        if not line.strip():
            continue
        words = _fields(line.rstrip("\n").split("|"), header, place)
        row = dict(zip(header, words, strict=True))
        if "." in row["JobID"] or row["Start"] in _NOTHING or row["NodeList"] in _NOTHING:
            continue  # a step, or a job that has not started
        yield LoggedJob(
            number=row["JobID"],
            name=row.get("JobName") or row["JobID"],
            start=_time(row["Start"], place),
            end=None if row["End"] in _NOTHING else _time(row["End"], place),
            hosts=row["NodeList"],
            nodes=None,
            processors=None,
            zoned=has_zone(row["Start"]),
        )


def _fields(words: list[str], header: list[str], place: int) -> list[str]:
    """Returns the fields of a line. A job's name may have bars, if no other field can."""
    more = len(words) - len(header)
    if more > 0 and header.count("JobName") == 1 and not _FREE_TEXT & set(header):
        at = header.index("JobName")
        words = [*words[:at], "|".join(words[at : at + more + 1]), *words[at + more + 1 :]]
    if len(words) != len(header):
        message = f"line {place} has {len(words)} fields, and the header has {len(header)}"
        remedy = "write the log anew with sacct -P --format=JobID,JobName,Start,End,NodeList"
        if more > 0:
            message += "; a bar in a text counts as the end of a field"
        raise JobLogError(message, remedy)
    return words


def _time(text: str, place: int) -> float:
    try:
        return seconds_of(text)
    except ValueError:
        message = f"line {place} has {text!r}, which is not a time"
        raise JobLogError(message, "write times such as 2026-05-01T12:00:00") from None


def has_zone(text: str) -> bool:
    """Returns whether a date and time states its offset from UTC.

    Raises:
        ValueError: the text is not a time of ISO 8601.
    """
    return datetime.fromisoformat(text).tzinfo is not None


def seconds_of(text: str) -> float:
    """Returns a date and time in seconds since the epoch. Without a zone, it counts as UTC.

    The zone does not matter if neither a log nor the time that is asked for states it.

    Raises:
        ValueError: the text is not a time of ISO 8601.
    """
    time = datetime.fromisoformat(text)
    return (time if time.tzinfo else time.replace(tzinfo=UTC)).timestamp()
