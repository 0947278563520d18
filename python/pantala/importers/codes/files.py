"""The files of CODES' MPI replay: jobs, their nodes, and the times of synthetic jobs."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from pantala.errors import ScenarioWarning
from pantala.files.input_file import LARGE_TEXT
from pantala.importers.place import Place, read_text

__all__ = ["JobLine", "intervals_of", "node_lines", "starts_of", "workload_lines"]

_FORM = "write e.g. `36 milc 0 0`: ranks, workload, qos_level and mean_interval"
_LARGEST = 2**31 - 1


@dataclass(frozen=True)
class JobLine:
    """A line of a workload file.

    Attributes:
        place: the line.
        ranks: the number of ranks.
        workload: the name of the workload.
        qos_level: the traffic class; 0 is the first.
        mean_interval: nanoseconds between the messages of a synthetic workload.
    """

    place: Place
    ranks: int
    workload: str
    qos_level: int
    mean_interval: float


def workload_lines(path: Path) -> list[JobLine]:
    """Returns the jobs of a workload file. Older files have only ranks and workload.

    Raises:
        ScenarioError: the file is not a workload file.
    """
    jobs: list[JobLine] = []
    for place, words in _lines(path):
        if len(words) not in (2, 4):
            raise place.error(f"has {len(words)} fields instead of 4, or 2 in older files", _FORM)
        ranks = _count(words[0], place, "the number of ranks")
        if ranks == 0:
            raise place.error("the job has 0 ranks", "write a number from 1 on, or remove the line")
        qos_level = _count(words[2], place, "qos_level") if len(words) == 4 else 0
        interval = _nanoseconds(words[3], place, "mean_interval") if len(words) == 4 else 0.0
        jobs.append(JobLine(place, ranks, words[1], qos_level, interval))
    if not jobs:
        raise Place(str(path)).error("the workload file has no jobs", _FORM)
    classes = {job.qos_level for job in jobs}
    if len(classes) > 1:
        other = next(job for job in jobs if job.qos_level != jobs[0].qos_level)
        message = (
            f"qos_level {other.qos_level} differs from {jobs[0].qos_level} at line"
            f" {jobs[0].place.line}, and Pantala has no traffic classes"
        )
        raise other.place.error(message, "give all jobs the same qos_level")
    return jobs


def node_lines(path: Path, jobs: Sequence[JobLine]) -> list[tuple[Place, tuple[int, ...]]]:
    """Returns the line and the nodes of each job in an allocation file.

    Raises:
        ScenarioError: the file does not give each rank of the jobs a node of its own.
    """
    lines = list(_lines(path))
    _check_count(lines, jobs, path)
    found: list[tuple[Place, tuple[int, ...]]] = []
    owners: dict[int, int] = {}
    for (place, words), job in zip(lines, jobs, strict=True):
        nodes = tuple(_count(word, place, "a node") for word in words)
        if len(nodes) != job.ranks:
            message = f"has {len(nodes)} nodes, but the job has {job.ranks} ranks ({job.place})"
            raise place.error(message, "write one node per rank")
        for node in nodes:
            if node in owners:
                first = owners[node]
                also = "twice" if first == place.line else f"also at line {first}"
                raise place.error(f"names node {node} {also}", "give each rank a node of its own")
            owners[node] = place.line
        found.append((place, nodes))
    return found


def starts_of(path: Path, jobs: Sequence[JobLine], intervals: Sequence[float]) -> list[float]:
    """Returns the start of each job in nanoseconds, from a timer file.

    A line ``start end`` stops the messages of a synthetic job after `start` and until `end`; with
    start 0 nothing stops (``gen_synthetic_tr`` of CODES' model-net-mpi-replay.c). Pantala reads the
    form whose start is before the second message: a job that starts at `end`.

    Raises:
        ScenarioError: a job pauses after its start.

    Warns:
        ScenarioWarning: a line has no effect, because its job is not synthetic.
    """
    lines = list(_lines(path))
    _check_count(lines, jobs, path)
    starts: list[float] = []
    for (place, words), job, interval in zip(lines, jobs, intervals, strict=True):
        if len(words) != 2:
            raise place.error(f"has {len(words)} fields instead of 2", "write e.g. `1 5000`")
        start, end = (_nanoseconds(word, place, "a time") for word in words)
        stops = 0 < start < end
        if stops and not job.workload.startswith("synthetic"):
            message = "this line stops nothing: CODES stops the messages of synthetic jobs only"
            warnings.warn(ScenarioWarning(str(place), message), stacklevel=2)
            stops = False
        if stops and start >= max(interval, 2.0):
            message = f"the job pauses from {words[0]} to {words[1]} ns, which Pantala does not do"
            raise place.error(message, f"write `1 {words[1]}` to start it later, or `0 0`")
        starts.append(end if stops else 0.0)
    return starts


def intervals_of(path: Path, jobs: Sequence[JobLine]) -> list[float]:
    """Returns the interval of each job in nanoseconds, from a period file.

    Raises:
        ScenarioError: the interval of a job changes during the run.
    """
    lines = list(_lines(path))
    _check_count(lines, jobs, path)
    intervals: list[float] = []
    for (place, words), job in zip(lines, jobs, strict=True):
        count = _count(words[0], place, "the number of changes")
        if count != len(words) - 1:
            message = f"announces {count} changes and has {len(words) - 1}"
            raise place.error(message, "write e.g. `1 0:2000`")
        interval = job.mean_interval
        for word in words[1:]:
            time, colon, value = word.partition(":")
            if not colon:
                raise place.error(f"{word}: is not time:interval", "write e.g. 0:2000")
            when = _nanoseconds(time, place, "a time")
            new = _nanoseconds(value, place, "an interval")
            if when > 0 and new != interval:
                message = f"{word}: the interval changes during the run, which Pantala does not do"
                raise place.error(message, "write one interval per job, e.g. `1 0:2000`")
            interval = new
        intervals.append(interval)
    return intervals


def _lines(path: Path) -> Iterator[tuple[Place, list[str]]]:
    """Yields the words of each line, without blank lines and comments."""
    text = read_text(path, "a text file of CODES", most=LARGE_TEXT)
    for number, line in enumerate(text.splitlines(), 1):
        words = line.partition("#")[0].split()
        if words:
            yield Place(str(path), number), words


def _check_count(
    lines: Sequence[tuple[Place, list[str]]], jobs: Sequence[JobLine], path: Path
) -> None:
    if len(lines) == len(jobs):
        return
    has = f"{len(lines)} {'line' if len(lines) == 1 else 'lines'}"
    wants = f"{len(jobs)} {'job' if len(jobs) == 1 else 'jobs'}"
    message = f"has {has}, but the workload file has {wants}"
    place = lines[len(jobs)][0] if len(lines) > len(jobs) else Place(str(path))
    raise place.error(message, "write one line per job, in the same order")


def _count(word: str, place: Place, name: str) -> int:
    if not (word.isascii() and word.isdecimal()) or len(word) > 10 or int(word) > _LARGEST:
        message = f"{name}: {word[:40]} is not a whole number from 0 on"
        raise place.error(message, "write digits only")
    return int(word)


def _nanoseconds(word: str, place: Place, name: str) -> float:
    try:
        value = float(word)
    except ValueError:
        value = -1.0
    if not 0 <= value <= 1e15:
        message = f"{name}: {word[:40]} is not a number of nanoseconds from 0 on"
        raise place.error(message, "write e.g. 2000")
    return value
