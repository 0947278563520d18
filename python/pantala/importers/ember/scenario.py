"""A load file as the tables of a scenario."""

from __future__ import annotations

import re
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pantala.errors import ScenarioError, ScenarioWarning
from pantala.files import input_file
from pantala.importers.ember.items import items_of
from pantala.importers.ember.jobs import LoadJob, jobs_of
from pantala.importers.ember.parameters import common_keys
from pantala.importers.place import Errors, Place, located, read_text

__all__ = ["MPI", "PRESET", "ROUTING", "EmberScenario", "ember_scenario", "is_load_file"]

#: The machine, the host stack and the routing of a load file, which names none.
PRESET, MPI, ROUTING = "kang2022", "sst_sc22", "minimal"
_UNFIT = re.compile(r"[^A-Za-z0-9._-]+")


@dataclass(frozen=True)
class EmberScenario:
    """A load file as a scenario.

    Attributes:
        tables: the tables of the scenario.
        jobs: the jobs of the load file, those of idle nodes included.
        places: lines of the load file by the start of a key, such as ``jobs[0].workload[1]``.
    """

    tables: dict[str, Any]
    jobs: tuple[LoadJob, ...]
    places: Mapping[str, Place]

    def check_nodes(self, count: int, machine: str) -> None:
        """Checks that a machine with `count` nodes has all nodes of the lists.

        Raises:
            ScenarioError: a node is outside.
        """
        for job in self.jobs:
            outside = [node for node in job.nodes if node >= count]
            if outside:
                message = (
                    f"[NID_LIST] of job {job.number} names node {outside[0]}, but the machine"
                    f" {machine} has the nodes 0 to {count - 1}"
                )
                remedy = "choose other nodes, or a larger machine with --preset"
                raise (job.nodes_place or job.place).error(message, remedy)

    def located(self, error: ScenarioError) -> ScenarioError:
        """Returns an error with the line of the load file; unchanged if it has none."""
        return located(error, self.places)


def is_load_file(path: Path) -> bool:
    """Returns whether a file is a load file: its name ends in ``.load``, or it has ``[JOB_ID]``."""
    if path.suffix in {".load", ".toml"}:
        return path.suffix == ".load"
    try:
        return "[JOB_ID]" in input_file.read_text(path, errors="replace")
    except OSError:
        return False


def ember_scenario(
    path: Path, preset: str = PRESET, variables: Mapping[str, str] | None = None
) -> EmberScenario:
    """Returns a load file as a scenario.

    Args:
        path: the load file.
        preset: the machine.
        variables: values of variables; they replace the values of ``[VAR]`` in the file.

    Raises:
        ScenarioError: the file is not a load file that Pantala can run. It has a fault for each
            wrong line, which starts with the file and the line.

    Warns:
        ScenarioWarning: a job has no Init or no Fini.
    """
    file = str(path)
    errors = Errors()
    text = read_text(path, "a load file of Ember, which is text")
    jobs = jobs_of(items_of(text, file, variables or {}, errors), file, errors)
    errors.refuse()
    busy = [job for job in jobs if not job.idle]
    if not busy:
        message = "all jobs are Null, so nothing runs"
        raise Place(file).error(message, "add a job with another motif")
    places: dict[str, Place] = {}
    tables: dict[str, Any] = {
        "name": _name(path),
        "machine": preset,
        "routing": ROUTING,
        "mpi": MPI,
    }
    for job in busy:
        _warn(job, alone=len(busy) == 1)
    for key, value in common_keys((job.number, job.parameters) for job in busy).items():
        _set(tables, key, value)
    tables["jobs"] = []
    for number, job in enumerate(busy):
        tables["jobs"].append(_job(job))
        start = f"jobs[{number}]"
        places[start] = job.place
        places[f"{start}.placement"] = job.nodes_place or job.place
        places[f"{start}.workload"] = job.working[0].place if job.working else job.place
        for motif_number, motif in enumerate(job.working):
            places[f"{start}.workload[{motif_number}]"] = motif.place
    return EmberScenario(tables, tuple(jobs), places)


def _job(job: LoadJob) -> dict[str, Any]:
    table: dict[str, Any] = {"name": job.name, "ranks": job.ranks}
    if job.cores > 1:
        table["ranks_per_node"] = job.cores
    first, count = job.nodes[0], len(job.nodes)
    if job.nodes == tuple(range(first, first + count)):
        table["placement"] = {"kind": "contiguous", "first_node": first}
    else:
        table["placement"] = {"kind": "nodes", "nodes": list(job.nodes)}
    motifs = [{"kind": f"ember.{motif.name}", **motif.given} for motif in job.working]
    if not motifs:
        motifs = [{"kind": "ember.Null"}]
    table["workload"] = motifs[0] if len(motifs) == 1 else motifs
    return table


def _name(path: Path) -> str:
    name = _UNFIT.sub("-", path.name.removesuffix(".load")).strip("-._")[:64]
    return name or "ember"


def _warn(job: LoadJob, *, alone: bool) -> None:
    """Warns if a job starts, ends or stops otherwise than in SST."""
    names = [motif.name for motif in job.motifs]
    missing = [name for name in ("Init", "Fini") if name not in names]
    if missing:
        calls = " and ".join({"Init": "MPI_Init", "Fini": "MPI_Finalize"}[name] for name in missing)
        message = f"job {job.number} has no {' and no '.join(missing)}; Pantala runs {calls} anyway"
        warnings.warn(ScenarioWarning(str(job.place), message), stacklevel=4)
    stops = [motif for motif in job.motifs if motif.name == "Stop"]
    if stops and not alone:
        message = "Ember ends the whole simulation after Stop; Pantala lets the other jobs end"
        warnings.warn(ScenarioWarning(str(stops[0].place), message), stacklevel=4)


def _set(tables: dict[str, Any], key: str, value: object) -> None:
    """Sets a dotted key. A bare string on the way becomes a table."""
    *path, last = key.split(".")
    table = tables
    for step in path:
        below = table.setdefault(step, {})
        if isinstance(below, str):
            table[step] = {"algorithm" if step == "routing" else "preset": below}
        table = table[step]
    table[last] = value
