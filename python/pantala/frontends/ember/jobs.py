"""The jobs of a load file."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from pantala.errors import ScenarioError
from pantala.frontends.ember.items import Item
from pantala.frontends.ember.motif_lines import MotifLine, motif_of
from pantala.frontends.ember.node_lists import NodeLists
from pantala.frontends.ember.parameters import Parameter, parameter_of
from pantala.frontends.place import Place

__all__ = ["LoadJob", "jobs_of"]

#: The one interface of motifs that Pantala has.
_API = "HadesMP"


@dataclass
class LoadJob:
    """A job of a load file.

    Attributes:
        number: the job's number.
        place: the line of ``[JOB_ID]``.
        nodes: its nodes in the order of ``[NID_LIST]``.
        nodes_place: the line of ``[NID_LIST]``; None before it is read.
        cores: ranks per node.
        motifs: its motifs in order.
        parameters: its parameters of SST.
    """

    number: int
    place: Place
    nodes: tuple[int, ...] = ()
    nodes_place: Place | None = None
    cores: int = 1
    cores_place: Place | None = None
    motifs: list[MotifLine] = field(default_factory=list)
    parameters: list[Parameter] = field(default_factory=list)

    @property
    def name(self) -> str:
        """The job's name in a scenario."""
        return f"job{self.number}"

    @property
    def ranks(self) -> int:
        """The number of ranks."""
        return len(self.nodes) * self.cores

    @property
    def idle(self) -> bool:
        """Whether the nodes of the job only wait: all its motifs are Null."""
        return all(motif.name == "Null" for motif in self.motifs)

    @property
    def working(self) -> list[MotifLine]:
        """The motifs that Pantala runs."""
        return [motif for motif in self.motifs if motif.workload is not None]


def jobs_of(items: Iterable[Item], file: str) -> list[LoadJob]:
    """Returns the jobs of a load file in order, those of idle nodes included.

    Raises:
        ScenarioError: an item is not valid, or jobs share a node.
    """
    jobs: list[LoadJob] = []
    lists = NodeLists()
    for item in items:
        if item.key == "JOB_ID":
            jobs.append(_started(item, jobs))
        elif not jobs:
            message = f"[{item.key}] stands before the first [JOB_ID]"
            raise item.place.error(message, "start with [JOB_ID] 0")
        else:
            _read(item, jobs[-1], lists)
    if not jobs:
        raise Place(file).error("the load file has no jobs", "write [JOB_ID] 0, and its lines")
    owners: dict[int, LoadJob] = {}
    for job in jobs:
        _check(job)
        for node in job.nodes:
            if node in owners:
                other = owners[node]
                message = f"node {node} is in the lists of job {other.number} and job {job.number}"
                remedy = f"remove it from one of them (job {other.number} is at {_line(other)})"
                raise (job.nodes_place or job.place).error(message, remedy)
            owners[node] = job
    return jobs


def _line(job: LoadJob) -> str:
    return f"line {(job.nodes_place or job.place).line}"


def _started(item: Item, jobs: list[LoadJob]) -> LoadJob:
    word = item.only_word("0")
    if not word.text.isdecimal() or len(word.text) > 9:
        message = f"[JOB_ID] {word.text}: is not a number"
        raise word.place.error(message, "write e.g. [JOB_ID] 0")
    number = int(word.text)
    for other in jobs:
        if other.number == number:
            message = f"[JOB_ID] {number} is also the number of the job at line {other.place.line}"
            raise word.place.error(message, "give each job its own number")
    return LoadJob(number, item.place)


def _read(item: Item, job: LoadJob, lists: NodeLists) -> None:
    """Adds an item to its job."""
    if item.key == "NID_LIST":
        if job.nodes_place is not None:
            raise _twice(item, job, job.nodes_place)
        job.nodes, job.nodes_place = lists.read(item), item.place
    elif item.key == "NUM_CORES":
        if job.cores_place is not None:
            raise _twice(item, job, job.cores_place)
        word = item.only_word("1")
        if not word.text.isdecimal() or not 1 <= int(word.text) <= 65_536:
            message = f"[NUM_CORES] {word.text}: is not a number of ranks per node"
            raise word.place.error(message, "write a number from 1 on")
        job.cores, job.cores_place = int(word.text), item.place
    elif item.key == "PARAM":
        job.parameters.append(parameter_of(item))
    elif item.key == "MOTIF_API":
        word = item.only_word(_API)
        if word.text != _API:
            message = f"[MOTIF_API] {word.text}: Pantala has only the motifs of MPI"
            raise word.place.error(message, f"write [MOTIF_API] {_API}, or remove the line")
    else:
        motif = motif_of(item)
        if any(before.name == "Fini" for before in job.motifs):
            message = f"{motif.name} follows Fini, which ends MPI"
            raise motif.place.error(message, "move Fini to the end of the job")
        if motif.name == "Init" and job.motifs:
            message = "Init follows another motif"
            raise motif.place.error(message, "move Init to the start of the job")
        job.motifs.append(motif)


def _twice(item: Item, job: LoadJob, before: Place) -> ScenarioError:
    message = f"job {job.number} has [{item.key}] twice, first at line {before.line}"
    return item.place.error(message, "remove one of them")


def _check(job: LoadJob) -> None:
    """Checks a job after its last line."""
    if job.nodes_place is None:
        message = f"job {job.number} has no [NID_LIST]"
        raise job.place.error(message, "add e.g. [NID_LIST] 0-63 after [JOB_ID]")
    if not job.motifs:
        message = f"job {job.number} has no [MOTIF]"
        raise job.place.error(message, "add e.g. [MOTIF] Null for idle nodes")
    for motif in job.motifs:
        motif.check(job.ranks)
