"""The files of CODES' MPI replay as the tables of a scenario."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pantala.errors import ScenarioError, nearest
from pantala.importers.codes import swm
from pantala.importers.codes.files import (
    JobLine,
    intervals_of,
    node_lines,
    starts_of,
    workload_lines,
)
from pantala.importers.codes.synthetic import synthetic_workload
from pantala.importers.codes.union import conceptual_workload
from pantala.importers.place import Place, located

__all__ = ["PRESET", "ROUTING", "CodesFiles", "CodesScenario", "codes_scenario"]

#: The machine and the routing if the user names none: CODES has both in a file of its own.
PRESET, ROUTING = "kang2022", "minimal"
_UNFIT = re.compile(r"[^A-Za-z0-9_]+")


@dataclass(frozen=True)
class CodesFiles:
    """The files of a replay; all but the first are optional.

    Attributes:
        workload: the workload file.
        allocation: the nodes of each job. Default: one job after another, in the order of nodes.
        timer: the pause of each job.
        period: the intervals of each job.
        data: the folder of JSON files and coNCePTuaL programs. Default: that of `workload`.
    """

    workload: Path
    allocation: Path | None = None
    timer: Path | None = None
    period: Path | None = None
    data: Path | None = None


@dataclass(frozen=True)
class CodesScenario:
    """A replay of CODES as a scenario.

    Attributes:
        tables: the tables of the scenario.
        places: lines of the files by the start of a key, such as ``jobs[0].placement``.
    """

    tables: dict[str, Any]
    places: Mapping[str, Place]

    def check_nodes(self, count: int, machine: str) -> None:
        """Checks that a machine with `count` nodes has the nodes of the allocation.

        Raises:
            ScenarioError: a node is outside.
        """
        for number, job in enumerate(self.tables["jobs"]):
            placement = job["placement"]
            last = placement.get("first_node", 0) + job["ranks"] - 1
            nodes = placement.get("nodes", [last])
            outside = [node for node in nodes if node >= count]
            if outside:
                message = (
                    f"job {job['name']} uses node {outside[0]}, but the machine {machine} has the"
                    f" nodes 0 to {count - 1}"
                )
                remedy = "choose other nodes, or a larger machine with --preset"
                raise self.places[f"jobs[{number}].placement"].error(message, remedy)

    def located(self, error: ScenarioError) -> ScenarioError:
        """Returns an error with the line of a file of CODES; unchanged if it has none."""
        return located(error, self.places)


def codes_scenario(
    files: CodesFiles,
    terminal_bandwidth: int,
    *,
    preset: str = PRESET,
    routing: str = ROUTING,
    payload: int = 1024,
    duration: str | None = None,
) -> CodesScenario:
    """Returns the files of a replay as a scenario.

    Args:
        files: the files.
        terminal_bandwidth: of the machine, in bytes per second; synthetic jobs offer a share of it.
        preset: the machine.
        routing: the routing.
        payload: bytes of a synthetic message (``--payload_sz`` of CODES).
        duration: the end of the run. Needed if all jobs are synthetic.

    Raises:
        ScenarioError: Pantala cannot run a file. The text starts with the file and the line.
    """
    jobs = workload_lines(files.workload)
    intervals = [job.mean_interval for job in jobs]
    if files.period is not None:
        intervals = intervals_of(files.period, jobs)
    starts = [0.0] * len(jobs) if files.timer is None else starts_of(files.timer, jobs, intervals)
    placements = _placements(files, jobs)
    tables: dict[str, Any] = {
        "name": _UNFIT.sub("-", files.workload.name.split(".")[0]).strip("-_")[:64] or "codes",
        "machine": preset,
        "routing": routing,
    }
    if duration is not None:
        tables["stop"] = {"duration": duration}
    folder = files.data or files.workload.parent
    places: dict[str, Place] = {}
    made: list[dict[str, Any]] = []
    for number, job in enumerate(jobs):
        workload = _workload(job, intervals[number], folder, payload, terminal_bandwidth)
        name = _name(job.workload)
        if any(_name(other.workload) == name for other in jobs if other is not job):
            name = f"{name}-{number}"
        place, placement = placements[number]
        table: dict[str, Any] = {"name": name, "ranks": job.ranks, "placement": placement}
        if starts[number]:
            table["start"] = f"{starts[number]:g} ns"
        made.append(table | {"workload": workload})
        places[f"jobs[{number}]"] = job.place
        places[f"jobs[{number}].placement"] = place
    if duration is None and all(each["workload"]["kind"] == "pattern" for each in made):
        message = "all jobs are synthetic, and no job ends by itself"
        raise Place(str(files.workload)).error(message, "add e.g. --duration '100 us'")
    return CodesScenario(tables | {"jobs": made}, places)


def _placements(files: CodesFiles, jobs: list[JobLine]) -> list[tuple[Place, dict[str, Any]]]:
    """Returns the placement of each job with the line that says so."""
    found: list[tuple[Place, dict[str, Any]]] = []
    if files.allocation is None:
        first = 0
        for job in jobs:
            found.append((job.place, {"kind": "contiguous", "first_node": first}))
            first += job.ranks
        return found
    for place, nodes in node_lines(files.allocation, jobs):
        if nodes == tuple(range(nodes[0], nodes[0] + len(nodes))):
            found.append((place, {"kind": "contiguous", "first_node": nodes[0]}))
        else:
            found.append((place, {"kind": "nodes", "nodes": list(nodes)}))
    return found


def _name(workload: str) -> str:
    """Returns a job's name: the program's name, or the first part of a trace's path."""
    name = workload.removeprefix("conceptual-")
    return _UNFIT.sub("-", Path(name).name).strip("-_")[:48] or "trace"


def _workload(
    job: JobLine, interval: float, folder: Path, payload: int, bandwidth: int
) -> dict[str, Any]:
    name = job.workload
    if name.startswith("conceptual-"):
        return conceptual_workload(name.removeprefix("conceptual-"), folder, job.place)
    if name.startswith("synthetic") and "/" not in name:
        number = name.removeprefix("synthetic")
        return synthetic_workload(number, job.ranks, interval, payload, bandwidth, job.place)
    if name in swm.FILES or name in swm.REFUSED:
        return swm.swm_workload(name, job.ranks, folder, job.place)
    return _trace(job, folder)


def _trace(job: JobLine, folder: Path) -> dict[str, Any]:
    """Returns the replay of a DUMPI trace, whose prefix the workload file names."""
    for base in (Path(), folder):
        prefix = base / job.workload
        if prefix.with_name(f"{prefix.name}0000.bin").is_file():
            # CODES' prefix ends with the hyphen before the rank; that of a trace does not.
            return {"kind": "trace", "path": str(prefix).removesuffix("-")}
    known = [*swm.FILES, *swm.REFUSED, *(f"synthetic{number}" for number in range(1, 7))]
    message = f"{job.workload}: is no workload of CODES, and {job.workload}0000.bin does not exist"
    close = nearest(job.workload, known)
    remedy = f"did you mean {close}?" if close else "write the prefix of the trace's files"
    raise job.place.error(message, remedy)
