"""Points of a study: each is simulated until its throughput is known, and kept on disk.

A point is one scenario with one job of synthetic traffic. It is simulated for `first`. While the
throughput after the warm-up is not known to `PRECISION` at 99 % confidence, the simulation
continues for the time that this should take, up to `longest`. The runs lie in a store of runs, with
the values of the point in run.json, so that an interrupted study continues with the missing points.
Points are simulated in parallel.
"""

from __future__ import annotations

import json
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from pantala.analysis.steady_state import Estimate, estimate
from pantala.core.plan import Plan
from pantala.errors import RunDirectoryError
from pantala.files.input_file import LARGE_TEXT, read_text
from pantala.files.json_file import write_json
from pantala.files.run_directory import RUN_FILE
from pantala.results.run import Run
from pantala.scenario import Scenario
from pantala.store.identity import canonical_text, id_of_text
from pantala.store.run_store import RunStore
from pantala.system.parallel import in_processes
from pantala.text.units import Duration

__all__ = ["PRECISION", "Point", "Record", "simulate"]

#: The half width of the 99 % confidence interval to which every point is simulated, as a share of
#: the mean.
PRECISION = 0.01

#: Windows of throughput: 80 averages of five for the warm-up, then 10 or more windows per batch. A
#: run that continues joins windows, so that it has this number or less than twice as many.
WINDOWS = 400

#: The version of the measurement. Raise it if a point of an equal plan would be measured
#: differently, so that stored points are not reused.
_PROTOCOL = 5

#: The tables that are kept of a run. The values of the links are in the record.
_KEEP = ("jobs",)

#: A measured point; `Point.measure` lists its values.
Record = dict[str, Any]


@dataclass(frozen=True)
class Point:
    """One scenario and the limits of its simulation.

    Attributes:
        key: its name.
        scenario: one job of synthetic traffic, without an end.
        first: the simulated time before the first look at the throughput.
        longest: the maximum simulated time.
        max_packets: the expected number of delivered packets at which the simulation ends.
        cost: an estimate of the work, in any unit; the most expensive points are simulated first.
    """

    key: str
    scenario: Scenario
    first: Duration
    longest: Duration
    max_packets: int = 1_000_000_000
    cost: float = 0.0

    def plan(self) -> dict[str, Any]:
        """Returns the plan of the first part, with throughput in `WINDOWS` windows.

        The plan records nothing else over time.
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

    def run_id(self, resolved: Mapping[str, Any]) -> str:
        """Returns the identity of the point's run: a hash of its plan and of its limits.

        Args:
            resolved: the resolved plan of the first part.
        """
        limits = [_PROTOCOL, WINDOWS, PRECISION, int(self.longest), self.max_packets]
        return id_of_text(canonical_text(resolved) + json.dumps({"study": limits}))

    def measure(self) -> Record:
        """Simulates the point in one run until its throughput is known.

        Returns:
            ``accepted`` (throughput as a fraction of the injection bandwidth) and
            ``half_width`` (of its 99 % confidence interval); ``precise`` (whether the half width is
            within `PRECISION` of the mean) and ``steady`` (whether there is no drift after the
            warm-up); ``simulated_ns``, ``warm_up_ns``; over the whole run ``packets``,
            ``link_hops_mean``, ``delivered_bytes``, ``delivered_bytes_by_group``, ``local_bytes``
            and ``global_bytes`` (over all links of the class), ``local_utilization_max`` and
            ``global_utilization_max`` (the busiest link of the class, as a share of time);
            ``wall_seconds``.

        Raises:
            SimulationError: the network stalled.
        """
        with tempfile.TemporaryDirectory(prefix="pantala-study-") as directory:
            return self.measure_into(Path(directory), Plan(self.plan()))

    def measure_into(self, directory: Path, plan: Plan) -> Record:
        """Simulates the point into an empty directory.

        Args:
            directory: the directory.
            plan: the resolved plan of the first part.

        Returns:
            The values of `measure`.

        Raises:
            SimulationError: the network stalled.
        """
        began = time.perf_counter()
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
            """Returns the time to which the run continues; None if it ends."""
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

        plan.run(directory, extend=extend)
        record = _record(Run(directory))
        return {
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
    """Returns the mean bytes per window over time.

    Args:
        delivered: numbers of windows and the bytes delivered in them; windows without bytes may be
            missing.
        windows: the number of windows, `WINDOWS` or more.

    Returns:
        The mean bytes per window of equal intervals, `WINDOWS` of them or more, less than twice as
        many. Windows left over at the beginning are in no interval.
    """
    together = windows // WINDOWS
    series = np.zeros(windows)
    for number, amount in delivered:
        series[number] = amount
    joined: np.ndarray = series[windows % together :].reshape(-1, together).mean(axis=1)
    return joined


def _factor(found: Estimate) -> float:
    """Returns the factor by which the run becomes longer.

    The half width falls with the root of the time after the warm-up. The factor is a tenth larger,
    because a half width is an estimate too. It is 1.5 at most, and 1.5 if there is a drift: a look
    is cheap because the run only continues, but simulated time beyond the need is lost.
    """
    if not found.steady:
        return 1.5
    lacking = 1.1 * (found.relative / PRECISION) ** 2
    warm = found.warm_up
    return min(max(warm + (1 - warm) * lacking, 1.2), 1.5)


#: A run continues only if it becomes longer by this factor at least.
_LEAST_FACTOR = 1.1


def _record(run: Run) -> Record:
    """Returns the values of a run besides its throughput; see `Point.measure`."""
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
    root: Path,
    workers: int,
    on_point: Callable[[Record, bool], None] = lambda _record, _kept: None,
) -> dict[str, Record]:
    """Measures all points that are not in the store of runs yet, `workers` at a time.

    The result does not depend on `workers`, and not on earlier interruptions of the study.

    Args:
        points: the points; each has its own key.
        root: the directory of the store.
        workers: the number of processes; with 1, this process simulates.
        on_point: called with each record, and whether it was stored before.

    Returns:
        The records by key, in the order of `points`: ``key``, ``run`` (the identity of the run),
        and the values of `Point.measure`.

    Raises:
        SimulationError: a network stalled. The measured points are kept.
        RunDirectoryError: the store cannot be written. The measured points are kept.
        KeyboardInterrupt: Ctrl-C. The measured points are kept.
    """
    store = RunStore(root)
    store.begin()
    records: dict[str, Record] = {}
    missing = []
    for point in points:
        kept = _read(store, point)
        if kept is None:
            missing.append(point)
        else:
            records[point.key] = kept
            on_point(kept, True)
    missing.sort(key=lambda point: (-point.cost, point.key))
    for record in in_processes(partial(_stored, root), missing, workers):
        records[record["key"]] = record
        on_point(record, False)
    return {point.key: records[point.key] for point in points}


def _read(store: RunStore, point: Point) -> Record | None:
    """Returns the stored record of a point; None if it is missing or damaged."""
    run = point.run_id(Plan(point.plan()))
    try:
        if store.has(run, _KEEP):
            return {"key": point.key, "run": run, **store.document(run)["measured"]}
    except RunDirectoryError:
        pass
    return None


def _stored(root: Path, point: Point) -> Record:
    """Simulates a point into the store, unless it is there, and returns its record."""
    store = RunStore(root)
    plan = Plan(point.plan())
    run = point.run_id(plan)

    def write(directory: Path) -> None:
        measured = point.measure_into(directory, plan)
        file = directory / RUN_FILE
        document = json.loads(read_text(file, most=LARGE_TEXT))
        write_json(file, {**document, "measured": measured})

    return {"key": point.key, "run": run, **store.obtain(run, _KEEP, write)["measured"]}
