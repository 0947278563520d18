"""The estimated cost of the missing runs of an experiment: time, memory, disk.

Stored runs of the same experiment are the best estimate: of a missing run, those of the same part
and with the most equal values of axes. Without one, a few missing runs are probed: each part of an
interference experiment, in cases spread over the axes. Runs that differ in their seed only cost the
same, so they are one choice.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import fmean
from typing import TYPE_CHECKING, TypeVar

from pantala.core.extension import Threads
from pantala.planning.cost import cost_of, from_traffic
from pantala.planning.run_cost import RunCost, traffic
from pantala.system.memory import available_memory
from pantala.system.parallel import cores
from pantala.text.amounts import counted

if TYPE_CHECKING:
    from pantala.experiments.listing import Listing
    from pantala.experiments.runner import Sweep
    from pantala.store.index import Entry

__all__ = ["Estimate", "estimate", "local_workers", "probes_before"]

Item = TypeVar("Item")
#: The part of a run, and the numbers of its case's points on the axes other than the seed.
_Place = tuple[str, tuple[int, ...]]

#: Kept tables lie in the run and, better compressed, in the consolidated tables.
_CONSOLIDATED = 1.5
#: Runs that are looked at, and the CPU time of each probe.
_MOST = 8
_PROBE_SECONDS = 0.4
#: A sweep that is not only estimated probes one of this many runs.
_SHARE = 10
#: A sweep of fewer runs is probed all the same if their traffic says that all take longer than this
#: many seconds: the typical speed of a core can be wrong by a factor of ten.
_SHORT = 30.0
_FEW = 2
#: What a worker takes beyond a process that simulates: the library that reads the tables of a run.
_BYTES_PER_WORKER = 25e6


@dataclass(frozen=True)
class Estimate:
    """The cost of missing runs.

    Attributes:
        runs: their number.
        seconds: the time with one worker.
        memory_bytes: the memory of one worker, for the largest run.
        disk_bytes: the additional disk space.
        basis: what the estimate is based on, in words.
        at_least: whether the cost of a run is a lower bound.
    """

    runs: int
    seconds: float
    memory_bytes: float
    disk_bytes: float
    basis: str
    at_least: bool = False

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


def estimate(sweep: Sweep, probes: int = _MOST) -> Estimate:
    """Returns the estimated cost of the missing runs of an experiment.

    Args:
        sweep: the experiment.
        probes: the most runs of which a part is simulated. Without probes, the traffic of a few
            runs gives the cost, unless it says that the runs take long.
    """
    missing = sweep.to_simulate
    unknown = sweep.asked.frame["run"].null_count()
    count = len(missing) + unknown
    if not count:
        return Estimate(0, 0.0, 0.0, 0.0, "")
    there = [sweep.entries[run] for run in sweep.listing.runs if run in sweep.entries]
    stored = [entry for entry in there if entry["state"] == "done"]
    if stored:
        return _by_finished(sweep, missing, {entry["run"]: _measured(entry) for entry in stored})
    places = _chosen(sweep, missing, min(probes, _MOST) or _MOST)
    found: dict[str, list[RunCost]] = {}
    for case, part, _ in places:
        plan = sweep.listing.plan(case, part, sweep.entries)
        kept = sweep.description.keep
        cost = (
            cost_of(plan, seconds=_PROBE_SECONDS, kept=kept)
            if probes
            else from_traffic(plan, traffic(plan))
        )
        found.setdefault(part, []).append(cost)
    if not found:
        return Estimate(count, 0.0, 0.0, 0.0, "")
    runs = {part: number for _, part, number in places}
    basis = f"by probes of {counted(len(places), 'run')}" if probes else "by their traffic"
    # A run that continues until it is precise has at least its first part.
    precise = sweep.description.until_precise is not None
    of_all = replace(
        _summed(count, [(found[part], runs[part]) for part in found], basis),
        at_least=precise or any(cost.at_least for costs in found.values() for cost in costs),
    )
    return estimate(sweep, _FEW) if not probes and of_all.seconds > _SHORT else of_all


def _summed(count: int, groups: Sequence[tuple[Sequence[RunCost], int]], basis: str) -> Estimate:
    """Returns the cost of all missing runs.

    Args:
        count: their number.
        groups: the cost of some runs of a part, and the number of runs of the part.
        basis: what the estimate is based on.
    """
    all_of_them = sum(number for _, number in groups)

    def mean(value: str) -> float:
        return (
            sum(fmean(getattr(cost, value) for cost in costs) * number for costs, number in groups)
            / all_of_them
        )

    return Estimate(
        count,
        mean("seconds") * count,
        max(cost.memory_bytes for costs, _ in groups for cost in costs) + _BYTES_PER_WORKER,
        mean("disk_bytes") * _CONSOLIDATED * count,
        basis,
    )


def _by_finished(sweep: Sweep, missing: Sequence[str], costs: Mapping[str, RunCost]) -> Estimate:
    """Returns the cost of the missing runs: for each, that of the finished runs most like it.

    Args:
        sweep: the experiment.
        missing: the runs to simulate.
        costs: by finished run, what it took.
    """
    wanted = {*missing, None}
    groups: dict[_Place, list[RunCost]] = {}
    for place, run in _places(sweep.listing):
        if run is not None and run in costs:
            groups.setdefault(place, []).append(costs[run])
    left = Counter(place for place, run in _places(sweep.asked) if run in wanted)
    found = [(_most_alike(groups, place), number) for place, number in left.items()]
    unlike = sum(number for place, number in left.items() if place not in groups)
    basis = "by the finished runs"
    if unlike:
        basis += f", of other cases for {unlike} of {left.total()}"
    return _summed(left.total(), found, basis)


def _places(listing: Listing) -> Iterator[tuple[_Place, str | None]]:
    """Yields each known run with its first place, and each place whose run is not known yet."""
    seen = set[str]()
    for case, part, run in listing.frame.select("case", "part", "run").iter_rows():
        if run not in seen:
            yield (part, listing.expansion.without_seed(case)), run
        if run is not None:
            seen.add(run)


def _most_alike(groups: Mapping[_Place, list[RunCost]], place: _Place) -> list[RunCost]:
    """Returns the costs of the finished runs of the same part with the most equal values."""

    def equal(other: _Place) -> tuple[bool, int]:
        points = zip(other[1], place[1], strict=True)
        return other[0] == place[0], sum(one == another for one, another in points)

    most = max(map(equal, groups))
    return [cost for other, costs in groups.items() if equal(other) == most for cost in costs]


def _measured(entry: Entry) -> RunCost:
    seconds, peak, disk = entry["seconds"], float(entry["peak_bytes"]), float(entry["bytes"])
    return RunCost(seconds, peak, disk, 0.0, "measured")


def probes_before(runs: int) -> int:
    """Returns the number of probes that a sweep of so many runs makes before it begins."""
    return min(_MOST, runs // _SHARE)


def _chosen(sweep: Sweep, missing: Sequence[str], most: int) -> list[tuple[int, str, int]]:
    """Returns the case and the part of runs to look at, and the missing runs of that part.

    Of each part, the runs are spread evenly over the cases with different values besides the seed.
    """
    listing, wanted = sweep.listing, set(missing)
    by_part: dict[str, list[int]] = {}
    for run, case, part in listing.first_places():
        if run in wanted:
            by_part.setdefault(part, []).append(case)
    parts = _spread(list(by_part), most)
    each = max(1, most // max(1, len(parts)))
    found = []
    for part in parts:
        distinct = {listing.expansion.without_seed(case): case for case in reversed(by_part[part])}
        cases = sorted(distinct.values())
        found += [(case, part, len(by_part[part])) for case in _spread(cases, each)]
    return found


def _spread(items: list[Item], most: int) -> list[Item]:
    """Returns at most so many items, evenly spread, with the first and the last."""
    if len(items) <= most:
        return items
    if most == 1:
        return [items[len(items) // 2]]
    return [items[round(number * (len(items) - 1) / (most - 1))] for number in range(most)]
