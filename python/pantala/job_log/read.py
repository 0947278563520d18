"""The jobs of a log that ran at a time."""

from __future__ import annotations

from pathlib import Path

from pantala.files.input_file import LARGE_TEXT, read_text, unreadable
from pantala.job_log.entry import JobLogError, LoggedJob
from pantala.job_log.sacct import has_zone, sacct_jobs, seconds_of
from pantala.job_log.swf import begin_of, swf_jobs

__all__ = ["running_at"]


def running_at(path: Path, at: str | int | float) -> list[LoggedJob]:
    """Returns the jobs that ran at a time, by their start and then in the order of the log.

    Args:
        path: a log of SWF, or of `sacct -P`, which is one with bars in its first line.
        at: the time: a date and time such as `2026-05-01T12:00:00`, or for SWF a number of seconds
            since the log's begin.

    Raises:
        JobLogError: the log cannot be read, the time does not fit the log, or nothing ran.
    """
    try:
        lines = read_text(path, most=LARGE_TEXT, errors="replace").splitlines()
    except OSError as error:
        raise JobLogError(*unreadable(error)) from None
    lines = [line for line in lines if line.strip()]
    if not lines:
        raise JobLogError("is empty", "give a log of SWF or of sacct -P")
    slurm = "|" in lines[0]
    jobs = list(sacct_jobs(lines) if slurm else swf_jobs(lines))
    if slurm and jobs:
        _check_zone(at, zoned=any(job.zoned for job in jobs))
    time = _time(at, None if slurm else begin_of(lines), slurm=slurm)
    found = [job for job in jobs if job.runs_at(time)]
    if not found:
        if not jobs:
            raise JobLogError("has no job", "give a log with jobs")
        message = f"no job of {path} ran then; its jobs start from {_shown(jobs, slurm=slurm)}"
        begin = None if slurm else begin_of(lines)
        if begin is not None and any(job.runs_at(time - begin) for job in jobs):
            remedy = f"write seconds since the log's begin ({time - begin:g}), or a date"
            raise JobLogError(message, remedy, "at")
        raise JobLogError(message, "take another time", "at")
    _check_once(found)
    return sorted(found, key=lambda job: job.start)


def _check_once(found: list[LoggedJob]) -> None:
    """Refuses a log that has a job twice at one time."""
    seen: set[str] = set()
    for job in found:
        if job.number in seen:
            raise JobLogError(
                f"has the job {job.number} ({job.name}) twice at this time",
                "remove one of its lines, or write the log without sacct --duplicates",
            )
        seen.add(job.number)


def _check_zone(at: str | int | float, *, zoned: bool) -> None:
    """Refuses a time with a zone for a log without, and the reverse: both would count as UTC."""
    try:
        asked = has_zone(str(at))
    except ValueError:
        return  # told by `_time`
    if asked and not zoned:
        raise JobLogError(
            "has a zone, and the times of the log have none: they are local times of the cluster",
            "write the local time without a zone",
            "at",
        )
    if zoned and not asked:
        raise JobLogError("has no zone, and the times of the log have one", "add its zone", "at")


def _time(at: str | int | float, begin: int | None, *, slurm: bool) -> float:
    """Returns a time in the count of the log."""
    try:
        seconds = float(at)
    except ValueError:
        seconds = None
    if seconds is not None:
        if slurm:
            raise JobLogError(
                "is a number, and the log has dates", "write e.g. 2026-05-01T12:00:00", "at"
            )
        return seconds
    try:
        date = seconds_of(str(at))
    except ValueError:
        remedy = "write e.g. 2026-05-01T12:00:00" + ("" if slurm else ", or seconds")
        raise JobLogError("is not a time", remedy, "at") from None
    if slurm:
        return date
    if begin is None:
        message = "is a date, but the log has no UnixStartTime in its header"
        raise JobLogError(message, "write seconds since the log's begin", "at")
    return date - begin


def _shown(jobs: list[LoggedJob], *, slurm: bool) -> str:
    from datetime import UTC, datetime

    times = sorted(job.start for job in jobs)
    shown = [
        datetime.fromtimestamp(time, UTC).strftime("%Y-%m-%dT%H:%M:%S") if slurm else f"{time:g} s"
        for time in (times[0], times[-1])
    ]
    return " to ".join(shown)
