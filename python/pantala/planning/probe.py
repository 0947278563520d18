"""A probe: the first part of a run, simulated for a short time to learn what all of it costs.

The probe writes its tables into a temporary folder, because writing is a part of the cost. It grows
step by step until its time is spent, so that it is bounded for every plan. No result depends on it.
"""

from __future__ import annotations

import ctypes
import json
import resource
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pantala.core.plan import Done, Plan, Progress
from pantala.errors import PlanError, SimulationError, UnwritableError
from pantala.files.atomic_file import temporary_folder
from pantala.files.forks import check_no_fork
from pantala.files.run_directory import RUN_FILE

__all__ = ["PROBE_SECONDS", "Probe", "Sample", "probe"]

#: The CPU time of a probe. It takes as long as its set-up if that is longer: the first microseconds
#: of a large machine say little of the others.
PROBE_SECONDS = 0.5
#: A probe ends at this multiple of its time, wherever it is.
_MOST = 2.0
#: The most CPU time of a probe for the sake of its set-up.
_LONGEST_SECONDS = 4.0
#: The simulated time of the first step: packets that the jobs can send in it, and its bounds in ps.
_FIRST_PACKETS = 20_000
_SHORTEST, _LONGEST = 1_000, 1_000_000
#: The keys of windows that a run may not be shorter than: one window each, or several in a table.
_WINDOW_KEY, _WINDOWS_KEY = "_windows_ps", "windows_ps"
#: Windows of a record up to this length are probed; longer ones cost little.
_WINDOW = 10_000_000
_PAGE = resource.getpagesize()


@dataclass(frozen=True)
class Sample:
    """The state of a probe at the end of a step.

    Attributes:
        seconds: CPU time since the start of the set-up.
        simulated_ps: simulated time.
        delivered: the bytes that each job has received, in the order of the plan.
        resident_bytes: the memory that the run has taken so far.
        packets: the packets that were delivered, responses included.
        in_flight: the packets in the network.
    """

    seconds: float
    simulated_ps: int
    delivered: tuple[int, ...]
    resident_bytes: int
    packets: int = 0
    in_flight: int = 0


@dataclass(frozen=True)
class Probe:
    """What a probe has measured.

    Attributes:
        samples: the end of its set-up, then its steps, at least one.
        seconds: CPU time of the whole probe, the end of its tables included.
        ended: whether the run came to its end.
        packets: the packets that were delivered, responses included.
        rows: the rows of its tables, by name.
        files: the size of each file of its directory, by the table that it holds, or its name.
        base_bytes: the memory of the process before.
    """

    samples: tuple[Sample, ...]
    seconds: float
    ended: bool
    packets: int
    rows: Mapping[str, int]
    files: Mapping[str, int]
    base_bytes: int


class _Enough(Exception):
    """Ends a probe whose step takes too long."""


class _Steps:
    """The steps of a probe: lengthens the run until the time is spent."""

    def __init__(self, duration_ps: int, first_ps: int, seconds: float) -> None:
        self.samples: list[Sample] = []
        self._duration = duration_ps
        self._now = first_ps
        self._seconds = seconds
        self._base = resident_bytes()
        #: The time at which `watch` ended the probe within a step; 0 if it did not.
        self._stopped = 0.0
        #: The CPU time of the set-up, which does not count: large machines take a second. Until the
        #: end of the first step, that of the first report of progress.
        self._set_up: float | None = None
        self._began = time.process_time()

    def spent(self) -> float:
        """Returns the CPU time since the start."""
        return time.process_time() - self._began

    def _simulating(self, spent: float) -> float:
        """Returns the part of a CPU time since the start that came after the set-up."""
        if self._set_up is None:
            self._set_up = spent
        return spent - self._set_up

    def extend(self, done: Done) -> int | None:
        """Notes a sample, and returns the end of the next step; None at the end of the probe."""
        of_jobs = tuple(sum(size for _, size in job) for job in done["delivered"])
        spent = self.spent()
        memory = resident_bytes() - self._base
        if not self.samples:
            self._set_up = min(done["setup_seconds"], spent)
            self._seconds = max(self._seconds, min(self._set_up, _LONGEST_SECONDS))
            self.samples.append(Sample(self._set_up, 0, (0,) * len(of_jobs), memory))
        packets = done["packets_delivered"], done["packets_in_flight"]
        self.samples.append(Sample(spent, self._now, of_jobs, memory, *packets))
        simulating = self._simulating(spent)
        if simulating >= self._seconds or self._now == self._duration:
            return None
        step = self._now // 2
        before = self.samples[-2]
        rate = (spent - before.seconds) / (self._now - before.simulated_ps)
        if rate > 0:
            step = min(step, 1 + int((self._seconds - simulating) / rate))
        # Steps do not become tiny, and two rates of a run can differ.
        self._now += max(step, self._now // 8, _SHORTEST)
        if self._duration:
            self._now = min(self._now, self._duration)
        return self._now

    def probe(self, folder: Path) -> Probe | None:
        """Returns what the probe has measured; None if it did not come to a first sample.

        Args:
            folder: the directory of its run.
        """
        spent, memory = self.spent(), resident_bytes() - self._base
        document = json.loads((folder / RUN_FILE).read_text(encoding="utf-8"))
        finished = document["reason"] == "finished"
        simulated = round(document["simulated_ns"] * 1000)
        counters = document["counters"]
        packets = counters["packets_delivered"], counters["packets_in_flight"]
        if finished:
            self.samples.append(Sample(spent, simulated, (), memory, *packets))
        elif self._stopped:
            arrived = _delivered(folder)
            if not self.samples:
                begun = Sample(self._set_up or 0.0, 0, (0,) * len(arrived), memory)
                self.samples.append(begun)
            self.samples.append(Sample(self._stopped, simulated, arrived, memory, *packets))
        if not self.samples:
            return None
        return Probe(
            tuple(self.samples),
            spent,
            finished or self.samples[-1].simulated_ps == self._duration,
            packets[0],
            document["tables"],
            {path.name.removesuffix(".parquet"): path.stat().st_size for path in folder.iterdir()},
            self._base,
        )

    def watch(self, _: Progress) -> None:
        """Ends the probe in a step that takes too long."""
        spent = self.spent()
        if self._simulating(spent) > _MOST * self._seconds:
            self._stopped = spent
            raise _Enough


def probe(plan: Plan, seconds: float = PROBE_SECONDS) -> Probe | None:
    """Simulates the first part of a run on one thread.

    Args:
        plan: a resolved plan.
        seconds: about how much CPU time it may take, or as much as the set-up of the simulation if
            that is longer. At the end of a step it may take more, up to twice as much, and the
            set-up comes on top.

    Returns:
        What it measured; None if the run fails, or cannot be simulated so shortly.
    """
    duration = plan["stop"]["duration_ps"]
    first = _first_ps(plan)
    stop = {**plan["stop"], "duration_ps": first}
    # A run that skips is refused if it is too short to skip anything.
    short = plan.with_(stop=stop, record=_short_record(plan["record"], first), skip=None)
    _release_memory()
    steps = _Steps(duration, first, seconds)
    with suppress(OSError), temporary_folder() as folder:
        with suppress(_Enough):
            try:
                short.run(folder, steps.watch, 1, steps.extend)
            except (PlanError, SimulationError, UnwritableError):
                return None
        return steps.probe(folder)
    return None


def resident_bytes() -> int:
    """Returns the memory of this process; 0 if the system does not tell."""
    try:
        return int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1]) * _PAGE
    except (OSError, ValueError, IndexError):
        return 0


def _delivered(folder: Path) -> tuple[int, ...]:
    """Returns the bytes that each job has received, from the tables of a run."""
    import polars as pl

    check_no_fork(folder / "jobs.parquet")
    jobs = pl.read_parquet(folder / "jobs.parquet", columns=["job", "delivered_bytes"], glob=False)
    return tuple(jobs.sort("job")["delivered_bytes"])


def _release_memory() -> None:
    """Gives free memory back to the system, so that what a run takes next can be seen."""
    with suppress(OSError, AttributeError):
        ctypes.CDLL(None).malloc_trim(0)


def _first_ps(plan: Mapping[str, Any]) -> int:
    """Returns the simulated time of the first step."""
    rate = plan["links"]["terminal"]["bandwidth_bytes_per_s"]
    nodes = len({node for job in plan["jobs"] for node in job["nodes"]})
    first = int(_FIRST_PACKETS * plan["packet_bytes"] / rate / max(1, nodes) * 1e12)
    first = max(_SHORTEST, min(first, _LONGEST), _longest_window(plan["record"]))
    return min(first, plan["stop"]["duration_ps"] or first)


def _longest_window(record: Mapping[str, Any]) -> int:
    """Returns the longest window of a record that a probe can have."""
    return max((each for each in _windows(record) if each <= _WINDOW), default=0)


def _windows(record: Mapping[str, Any]) -> list[int]:
    found = [each for key, each in record.items() if key.endswith(_WINDOW_KEY)]
    for of in record.values():
        if isinstance(of, Mapping):
            found += of.get(_WINDOWS_KEY, ())
    return found


def _short_record(record: Mapping[str, Any], first: int) -> dict[str, Any]:
    """Returns the record of a run that is as short as the first step: no window is longer."""
    short = dict(record)
    for key, of in record.items():
        if key.endswith(_WINDOW_KEY) and of > first:
            short[key] = 0
        elif isinstance(of, Mapping) and _WINDOWS_KEY in of:
            short[key] = {**of, _WINDOWS_KEY: [each for each in of[_WINDOWS_KEY] if each <= first]}
    short["packet_from_ps"] = short["packet_until_ps"] = 0
    return short
