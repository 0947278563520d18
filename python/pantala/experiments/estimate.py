"""The estimated cost of the missing runs of an experiment: time, memory, disk.

Stored runs of the same experiment are the best estimate. Without one, the traffic of a few missing
runs gives the number of packets, and the typical speed of a core gives the time.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import TYPE_CHECKING

from pantala.core.extension import Threads
from pantala.core.plan import Plan
from pantala.planning.run_cost import seconds_of, traffic
from pantala.system.memory import available_memory
from pantala.system.parallel import cores

if TYPE_CHECKING:
    from pantala.experiments.runner import Sweep
    from pantala.store.index import Entry

__all__ = ["Estimate", "estimate", "local_workers"]

#: Time of a run without packets, with its files.
_SECONDS_PER_RUN = 0.03
#: Memory of a process, of a node and of a recorded packet.
_BYTES_PER_PROCESS = 100e6
_BYTES_PER_NODE = 4e3
_BYTES_PER_PACKET = 15.0
#: Compressed bytes of a run besides its rows, of a rank and of a node with its links.
_BYTES_PER_RUN = 30e3
_BYTES_PER_ROW = 60.0
#: Kept tables lie in the run and, better compressed, in the consolidated tables.
_CONSOLIDATED = 1.5


@dataclass(frozen=True)
class Estimate:
    """The cost of missing runs.

    Attributes:
        runs: their number.
        seconds: the time with one worker.
        memory_bytes: the memory of one worker, for the largest run.
        disk_bytes: the additional disk space.
        measured: whether stored runs gave the estimate.
    """

    runs: int
    seconds: float
    memory_bytes: float
    disk_bytes: float
    measured: bool

    def fitting(self, memory_bytes: float) -> int:
        """Returns the number of workers, at least one, that fit into a memory."""
        return max(1, int(memory_bytes / max(self.memory_bytes, 1.0)))


def local_workers(cost: Estimate, threads: Threads) -> int:
    """Returns the number of processes of this machine that cores and memory allow.

    Args:
        cost: the cost of the runs.
        threads: the number of threads of each simulation.
    """
    each = threads if isinstance(threads, int) else 1
    return min(max(1, cores() // each), cost.fitting(available_memory()))


def estimate(sweep: Sweep) -> Estimate:
    """Returns the estimated cost of the missing runs of an experiment."""
    missing = sweep.missing
    unknown = sweep.listing.frame["run"].null_count()
    count = len(missing) + unknown
    if not count:
        return Estimate(0, 0.0, 0.0, 0.0, measured=True)
    there = [sweep.entries[run] for run in sweep.listing.runs if run in sweep.entries]
    stored = [entry for entry in there if entry["state"] == "done"]
    costs = (
        [_measured(entry) for entry in stored] if stored else _samples(sweep, missing or [])
    ) or [(_SECONDS_PER_RUN, _BYTES_PER_PROCESS, _BYTES_PER_RUN)]
    seconds, memory, disk = zip(*costs, strict=True)
    return Estimate(
        count,
        fmean(seconds) * count,
        max(memory),
        fmean(disk) * _CONSOLIDATED * count,
        measured=bool(stored),
    )


def _measured(entry: Entry) -> tuple[float, float, float]:
    return entry["seconds"], float(entry["peak_bytes"]), float(entry["bytes"])


def _samples(sweep: Sweep, missing: Sequence[str]) -> list[tuple[float, float, float]]:
    """Returns the expected cost of the first, the middle and the last missing run."""
    if not missing:
        return []
    chosen = {missing[0], missing[len(missing) // 2], missing[-1]}
    places = [place for place in sweep.listing.first_places() if place[0] in chosen]
    return [_expected(sweep.listing.plan(case, part, sweep.entries)) for _, case, part in places]


def _expected(plan: Plan) -> tuple[float, float, float]:
    packets = sum(job["bytes"] for job in traffic(plan).values()) / plan["packet_bytes"]
    nodes = sum(len(job["nodes"]) for job in plan["jobs"])
    return (
        _SECONDS_PER_RUN + seconds_of(plan, packets),
        _BYTES_PER_PROCESS + nodes * _BYTES_PER_NODE + packets * _BYTES_PER_PACKET,
        _BYTES_PER_RUN + 6 * nodes * _BYTES_PER_ROW,
    )
