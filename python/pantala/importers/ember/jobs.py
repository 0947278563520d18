"""The jobs of a load file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from pantala.errors import ScenarioError
from pantala.importers.ember.items import Item
from pantala.importers.ember.motif_lines import MotifLine, motif_of
from pantala.importers.ember.node_lists import NodeLists
from pantala.importers.ember.parameters import Parameter, parameter_of
from pantala.importers.place import Errors, Place, line_of

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
        wrong: the keys of its lines that are not valid.
    """

    number: int
    place: Place
    nodes: tuple[int, ...] = ()
    nodes_place: Place | None = None
    cores: int = 1
    cores_place: Place | None = None
    motifs: list[MotifLine] = field(default_factory=list)
    parameters: list[Parameter] = field(default_factory=list)
    wrong: set[str] = field(default_factory=set)

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


def jobs_of(items: Sequence[Item], file: str, errors: Errors) -> list[LoadJob]:
    """Returns the jobs of a load file in order, those of idle nodes included.

    Args:
        items: the items.
        file: the file's name for errors.
        errors: gets an error for each item that is not valid, and if jobs share a node.

    Raises:
        ScenarioError: the file has no jobs.
    """
    jobs: list[LoadJob] = []
    lists = NodeLists()
    for item in items:
        with errors.kept():
            if item.key == "JOB_ID":
                try:
                    jobs.append(_started(item, jobs))
                except ScenarioError:
                    # The lines below belong to it.
                    jobs.append(LoadJob(-1 - len(jobs), item.place, wrong={"JOB_ID"}))
                    raise
            elif not jobs:
                jobs.append(LoadJob(-1, item.place, wrong={"JOB_ID"}))
                message = f"[{item.key}] stands before the first [JOB_ID]"
                raise item.place.error(message, "start with [JOB_ID] 0")
            else:
                try:
                    _read(item, jobs[-1], lists)
                except ScenarioError:
                    jobs[-1].wrong.add(item.key)
                    raise
    if not jobs:
        errors.refuse()
        raise Place(file).error("the load file has no jobs", "write [JOB_ID] 0, and its lines")
    owners: dict[int, LoadJob] = {}
    wrong = [line_of(error) for error in errors.found]
    ends = [job.place.line for job in jobs[1:]] + [max(wrong, default=0) + 1]
    for job, end in zip(jobs, ends, strict=True):
        # A wrong line may be the one that seems to be missing.
        _check(job, errors, whole=not any(job.place.line <= line < end for line in wrong))
        with errors.kept():
            for node in job.nodes:
                if node in owners:
                    other = owners[node]
                    message = f"node {node} is in the lists of {_named(other)} and {_named(job)}"
                    remedy = f"remove it from one of them ({_named(other)} is at {_line(other)})"
                    raise (job.nodes_place or job.place).error(message, remedy)
                owners[node] = job
    return jobs


def _named(job: LoadJob) -> str:
    return f"job {job.number}" if job.number >= 0 else f"the job at line {job.place.line}"


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
        if job.motifs and job.motifs[-1].name == "Fini":
            message = f"{motif.name} follows Fini, which ends MPI"
            raise motif.place.error(message, "move Fini to the end of the job")
        if motif.name == "Init" and job.motifs:
            message = "Init follows another motif"
            raise motif.place.error(message, "move Init to the start of the job")
        job.motifs.append(motif)


def _twice(item: Item, job: LoadJob, before: Place) -> ScenarioError:
    message = f"job {job.number} has [{item.key}] twice, first at line {before.line}"
    return item.place.error(message, "remove one of them")


def _check(job: LoadJob, errors: Errors, *, whole: bool) -> None:
    """Checks a job after its last line, and if all its lines are right, for missing ones."""
    if job.nodes_place is None and whole:
        with errors.kept():
            message = f"job {job.number} has no [NID_LIST]"
            raise job.place.error(message, "add e.g. [NID_LIST] 0-63 after [JOB_ID]")
    if not job.motifs and whole:
        with errors.kept():
            message = f"job {job.number} has no [MOTIF]"
            raise job.place.error(message, "add e.g. [MOTIF] Null for idle nodes")
    if job.nodes_place is None or job.wrong & {"NID_LIST", "NUM_CORES"}:
        return  # the number of ranks is unknown
    for motif in job.motifs:
        with errors.kept():
            motif.check(job.ranks)
