"""Points of a study: a scenario run until its throughput is known well enough, in parallel, each
kept on disk.

A point is one scenario of one job of synthetic traffic. It is simulated for `first`; while the
throughput behind the warm-up is not known to `PRECISION` at 99 % confidence, it goes on for as long
as that should take, up to `longest`. What came out is one JSON file a point, written in one go, so
that a study that is interrupted goes on where it was.
"""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from pantala import native
from pantala.parallel import in_processes
from pantala.plan import resolve_plan
from pantala.results import Run
from pantala.scenario import Scenario
from pantala.studies.steady_state import Estimate, estimate
from pantala.units import Duration

__all__ = ["PRECISION", "Point", "Record", "simulate"]

#: The half width of the 99 % confidence interval that every point is simulated for, as a share of
#: the mean.
PRECISION = 0.01

#: Windows of throughput: 80 averages of five for the warm-up, then 10 or more windows a batch. A
#: run that goes on has so many of several windows each, and less than twice as many.
WINDOWS = 400

#: What of a plan, and of its jobs, counts for a point. No message layer: there are no ranks with
#: programs.
_OF_PLAN = (
    "seed",
    "topology",
    "service_nodes",
    "links",
    "packet_bytes",
    "flit_bytes",
    "router",
    "nic",
    "routing",
    "stop",
)
_OF_JOB = ("ranks", "start_ps", "placement", "routing", "workload")

#: Raised when a point of the same plan would be measured otherwise, so that files of old points are
#: not taken.
_PROTOCOL = 5

#: What is known of a point; `Point.measure` says what is in it.
Record = dict[str, Any]


@dataclass(frozen=True)
class Point:
    """One scenario and how long it may be simulated.

    Attributes:
        key: its name, which is also that of its file.
        scenario: one job of synthetic traffic, without an end.
        first: the simulated time after which its throughput is looked at for the first time.
        longest: what it is simulated at most.
        max_packets: no more is simulated than should deliver so many packets.
        cost: about how much work it is, in any unit; the most expensive points are simulated first.
    """

    key: str
    scenario: Scenario
    first: Duration
    longest: Duration
    max_packets: int = 1_000_000_000
    cost: float = 0.0

    def plan(self) -> dict[str, Any]:
        """The plan of the first stretch, throughput in `WINDOWS` windows and nothing else recorded
        over time.
        """
        changes = {
            "stop.duration": f"{self._window() * WINDOWS} ps",
            "record.window": f"{self._window()} ps",
            "record.packets": "off",
            "record.messages": False,
            "record.iterations": False,
            "record.link_windows": False,
        }
        return self.scenario.replace(changes).plan()

    def _window(self) -> int:
        return max(1, round(int(self.first) / WINDOWS))

    def digest(self) -> str:
        """What a stored point must have been made of: the parts of the plan that synthetic traffic
        depends on.
        """
        plan = self.plan()
        jobs = [{key: job[key] for key in _OF_JOB} for job in plan["jobs"]]
        made_of = [
            _PROTOCOL,
            WINDOWS,
            PRECISION,
            native.core().VERSION,
            int(self.longest),
            self.max_packets,
        ]
        made_of += [{key: plan[key] for key in _OF_PLAN}, jobs]
        return hashlib.sha256(json.dumps(made_of, sort_keys=True).encode()).hexdigest()

    def measure(self) -> Record:
        """Simulates the point until its throughput is known, in one run.

        Returns:
            key, digest; ``accepted`` (throughput as a fraction of the injection bandwidth) and
            ``half_width`` (of its 99 % confidence interval); ``precise`` (whether that is within
            `PRECISION` of the mean) and ``steady`` (whether no drift is left behind the warm-up);
            ``simulated_ns``, ``warm_up_ns``; over the whole run ``packets``, ``link_hops_mean``,
            ``delivered_bytes``, ``delivered_bytes_by_group``, ``local_bytes`` and ``global_bytes``
            (over all links of the class), ``local_utilization_max`` and ``global_utilization_max``
            (the busiest link of the class, as a share of time); ``wall_seconds``.

        Raises:
            SimulationError: the network stalled.
        """
        began = time.perf_counter()
        plan = resolve_plan(self.plan())
        window: int = plan["record"]["window_ps"]
        carried = (
            plan["links"]["terminal"]["bandwidth_bytes_per_s"]
            * window
            / 1e12
            * plan["jobs"][0]["ranks"]
        )
        packet = plan["packet_bytes"]
        windows, found = WINDOWS, Estimate(0.0, float("inf"), 0, steady=False)

        def extend(jobs: list[list[tuple[int, int]]]) -> int | None:
            """Up to when the run goes on; None once the throughput is known, or cannot be."""
            nonlocal windows, found
            (delivered,) = jobs
            found = estimate(merged(delivered, windows) / carried)
            if found.steady and found.relative <= PRECISION:
                return None
            packets = sum(amount for _, amount in delivered) / packet
            factor = min(
                _factor(found),
                int(self.longest) / (windows * window),
                self.max_packets / max(packets, 1),
            )
            if factor < _LEAST_FACTOR:
                return None
            windows = int(windows * factor)
            return windows * window

        with tempfile.TemporaryDirectory(prefix="pantala-study-") as directory:
            native.run(plan, Path(directory), None, extend=extend)
            record = _record(Run(directory))
        return {
            "key": self.key,
            "digest": self.digest(),
            "accepted": found.mean,
            "half_width": found.half_width,
            "precise": found.relative <= PRECISION,
            "steady": found.steady,
            "simulated_ns": windows * window / 1000,
            "warm_up_ns": found.warm_up * windows * window / 1000,
            **record,
            "wall_seconds": time.perf_counter() - began,
        }


def merged(delivered: Sequence[tuple[int, int]], windows: int) -> np.ndarray:
    """What was delivered a window on average, over time.

    Args:
        delivered: numbers of windows and the bytes delivered in them; those without any may be
            missing.
        windows: how many there were, `WINDOWS` or more.

    Returns:
        A mean for each of `WINDOWS` or more (less than twice as many) stretches of equal length,
        bytes a window. What is left over at the beginning is in none.
    """
    together = windows // WINDOWS
    series = np.zeros(windows)
    for number, amount in delivered:
        series[number] = amount
    stretches: np.ndarray = series[windows % together :].reshape(-1, together).mean(axis=1)
    return stretches


def _factor(found: Estimate) -> float:
    """How many times as long the run is to be: the half width falls with the root of the time
    behind the warm-up.

    A tenth more than that, since a half width is an estimate as well. Half as long again at most,
    and where there is a drift: looking is cheap, as the run only goes on, and what is simulated
    beyond what it takes is not.
    """
    if not found.steady:
        return 1.5
    lacking = 1.1 * (found.relative / PRECISION) ** 2
    warm = found.warm_up
    return min(max(warm + (1 - warm) * lacking, 1.2), 1.5)


#: A run does not go on for less than this many times as long.
_LEAST_FACTOR = 1.1


def _record(run: Run) -> Record:
    """What is kept of a run besides its throughput; see `Point.measure`."""
    links = run.links.collect()
    job = run.jobs.collect().row(0, named=True)
    classes = links.group_by("class").agg(pl.col("bytes").sum(), pl.col("utilization").max())
    by_class = {row["class"]: row for row in classes.iter_rows(named=True)}
    nothing = {"bytes": 0, "utilization": 0.0}
    record: Record = {
        "packets": job["packets"],
        "link_hops_mean": job["link_hops_mean"],
        "delivered_bytes": job["delivered_bytes"],
        "delivered_bytes_by_group": (
            links.filter(pl.col("class") == "ejection")
            .group_by("source_group")
            .agg(pl.col("bytes").sum())
            .sort("source_group")["bytes"]
            .to_list()
        ),
    }
    for name in ("local", "global"):
        row = by_class.get(name, nothing)
        record |= {f"{name}_bytes": row["bytes"], f"{name}_utilization_max": row["utilization"]}
    return record


def simulate(
    points: Sequence[Point],
    directory: Path,
    workers: int,
    on_point: Callable[[Record, bool], None] = lambda _record, _kept: None,
) -> dict[str, Record]:
    """Measures all points that are not in `directory` yet, `workers` at a time.

    The result does not depend on `workers`, nor on whether the study was interrupted before.

    Args:
        points: the points; no two of the same key.
        directory: one file a point; it must exist.
        workers: how many processes simulate at a time; with 1, this one does.
        on_point: called with each record as it comes, and whether it was there before.

    Returns:
        The records by key, in the order of `points`.

    Raises:
        SimulationError: a network stalled. What has been measured is kept.
        KeyboardInterrupt: Ctrl-C; likewise.
    """
    records: dict[str, Record] = {}
    missing = []
    for point in points:
        kept = _read(directory, point)
        if kept is None:
            missing.append(point)
        else:
            records[point.key] = kept
            on_point(kept, True)
    missing.sort(key=lambda point: (-point.cost, point.key))
    for record in in_processes(Point.measure, missing, workers):
        _write(directory, record)
        records[record["key"]] = record
        on_point(record, False)
    return {point.key: records[point.key] for point in points}


def _path(directory: Path, key: str) -> Path:
    return directory / f"{key}.json"


def _read(directory: Path, point: Point) -> Record | None:
    """The record of a point if it is there, whole, and made of the same."""
    try:
        record = json.loads(_path(directory, point.key).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return record if isinstance(record, dict) and record.get("digest") == point.digest() else None


def _write(directory: Path, record: Record) -> None:
    """Writes a record beside its place, then moves it there: no reader sees half of it."""
    path = _path(directory, record["key"])
    half = path.with_suffix(f".{os.getpid()}.partial")
    half.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")
    half.replace(path)
