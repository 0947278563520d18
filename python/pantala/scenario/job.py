"""Jobs: their number of ranks, placement and workload."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Annotated, Any, ClassVar

from pydantic import Field, model_validator
from pydantic_core import PydanticCustomError

from pantala.errors import ScenarioError, UsageError
from pantala.models.base import MOST_RANKS, Count, Name
from pantala.models.keys import JobKeys, NoiseKeys
from pantala.models.validation import Faults, fault, faults_below, refuse_all
from pantala.scenario.job_copies import name_of_copy
from pantala.scenario.placement import HybridPlacement, NodesPlacement, Placement, RandomPlacement
from pantala.scenario.routing import Routing
from pantala.scenario.slurm_placement import SlurmPlacement, most_tasks
from pantala.workloads import Application, EmberMotif, FrontEnd, Workload, Workloads
from pantala.workloads.kinds import FRONT_ENDS
from pantala.workloads.pattern import Pattern

__all__ = ["ComputeNoise", "Job"]


#: The longest name of a job, as of any name.
_LONGEST_NAME = 64


class ComputeNoise(NoiseKeys):
    """Noise of compute times: a factor 1 + share x, with x from the rank's own random stream."""

    shorthand: ClassVar[str | None] = "distribution"


class Job(JobKeys):
    """A parallel program: its ranks, their nodes and their workload.

    All ranks of a job start at the same time.
    """

    #: A trace states its number of ranks.
    given_elsewhere: ClassVar[tuple[str, ...]] = ("ranks",)

    name: Name
    """The job's name in tables and figures. The job's random numbers depend on its name, not on its
    position in the list."""
    ranks: Annotated[Count, Field(le=MOST_RANKS)]
    """Number of ranks."""
    count: Annotated[Count, Field(le=65_536)] = 1
    """Number of jobs of this kind. With several, the jobs are NAME-1, NAME-2, ..., with leading
    zeros; other keys that name the job mean all of them."""
    placement: Placement = RandomPlacement()
    """The nodes of the job: random (nodes), random_routers, random_groups, contiguous, compact,
    dispersed, hybrid, a list of nodes, or a host list of Slurm. Jobs with lists or a first node are
    placed first, then compact, dispersed, contiguous and random jobs. Jobs of the same kind are
    placed in the order of the scenario."""
    routing: Routing | None = None
    """The routing of the job's packets: an algorithm, or a table whose keys replace keys of the
    scenario's `routing`. Default: the scenario's `routing` (MPICH_GNI_ROUTING_MODE of Cray's MPI).
    """
    routing_all_to_all: Routing | None = None
    """The routing of the packets of the job's all-to-all collectives. Its keys replace keys of the
    scenario's `routing_all_to_all` (MPICH_GNI_A2A_ROUTING_MODE of Cray's MPI)."""
    compute_noise: ComputeNoise = ComputeNoise()
    """Noise of the ranks' compute times. The name of a distribution alone is enough."""
    workload: Workloads
    """The workload of the ranks: a pattern, an application, or a list of applications. The
    applications of a list run one after another: a rank begins the next one when it has finished
    the previous one."""

    @classmethod
    def complete(cls, data: dict[str, Any]) -> dict[str, Any]:
        """Returns the data with the keys that follow from others.

        These are `ranks_per_node` from the tasks per node of a Slurm placement, and the number of
        ranks from the workload's own files.
        """
        most = most_tasks(data.get("placement"))
        if most is not None:
            if "ranks_per_node" in data:
                message = "is also in placement.tasks_per_node"
                raise Faults([fault(message, "remove one of them", "ranks_per_node")], data)
            data["ranks_per_node"] = most
        if "ranks" not in data and (ranks := _own_ranks(data.get("workload"))):
            data["ranks"] = ranks
        return data

    @model_validator(mode="after")
    def _legal_ranks(self) -> Job:
        if isinstance(self.placement, SlurmPlacement):
            with faults_below("placement"):
                self.placement.nodes_of_ranks(self.ranks, self.ranks_per_node)
        refuse_all(self._not_for_copies())
        if not self.workloads:
            raise fault("is empty", "add an application to the list", "workload")
        refuse_all(
            fault(
                "is a pattern, which never ends, in a list of applications"
                if isinstance(workload, Pattern)
                else "is no application, in a list of applications",
                "remove it, or give it a job of its own",
                "workload",
                number,
                "kind",
            )
            for number, workload in enumerate(self.workloads)
            if isinstance(self.workload, tuple) and isinstance(workload, Pattern | FrontEnd)
        )
        for number, workload in enumerate(self.workloads):
            if isinstance(workload, Application):
                workload.check(self.ranks)
            elif isinstance(workload, EmberMotif | FrontEnd):
                at = [number] if isinstance(self.workload, tuple) else []
                with faults_below("workload", *at):
                    workload.check(self.ranks)
        return self

    def _not_for_copies(self) -> Iterator[PydanticCustomError]:
        """Yields the faults of keys that several copies of the job cannot have."""
        if self.count == 1:
            return
        if len(name_of_copy(self, self.count)) > _LONGEST_NAME:
            message = f"is too long for {self.count:,} copies with numbers"
            yield fault(message, "shorten it", "name")
        lists = isinstance(self.placement, NodesPlacement | SlurmPlacement)
        if lists or getattr(self.placement, "first_node", None) is not None:
            yield fault(
                f"names nodes, but the job has {self.count:,} copies",
                "write a [[jobs]] table per copy, or another placement",
                "placement",
            )

    @property
    def workloads(self) -> tuple[Workload, ...]:
        """The workloads of the ranks in the order in which they run."""
        return self.workload if isinstance(self.workload, tuple) else (self.workload,)

    @property
    def draws(self) -> bool:
        """Whether a program of the job takes the scenario's seed before the run."""
        return any(isinstance(each, FrontEnd) and each.draws for each in self.workloads)

    def workload_plans(self, seed: int) -> list[dict[str, Any]]:
        """Returns the plan's object of each workload, under the scenario's seed.

        Raises:
            ProgramError: a program fails.
        """
        return [
            workload.seeded_plan(self.ranks, seed, self.name)
            if isinstance(workload, FrontEnd)
            else workload.as_plan(self.ranks)
            for workload in self.workloads
        ]

    @property
    def node_count(self) -> int:
        """The number of nodes that the job's ranks need."""
        if isinstance(self.placement, SlurmPlacement):
            return len(set(self.placement.nodes_of_ranks(self.ranks, self.ranks_per_node)))
        return -(-self.ranks // self.ranks_per_node)

    def placement_plan(self) -> dict[str, Any]:
        """Returns the placement for the plan."""
        if isinstance(self.placement, SlurmPlacement):
            nodes = self.placement.nodes_of_ranks(self.ranks, self.ranks_per_node)
            return {"kind": "ranks", "nodes": nodes}
        if isinstance(self.placement, NodesPlacement):
            return {"kind": "nodes", "nodes": self.placement.listed()}
        found = self.placement.model_dump(mode="json", exclude_none=True)
        if isinstance(self.placement, HybridPlacement) and self.placement.random_from is not None:
            del found["random_from"]
            found["random_from_bytes"] = int(self.placement.random_from)
        return found

    @property
    def application(self) -> str:
        """The kinds of the job's applications, or the name of its pattern."""
        return ", ".join(
            workload.pattern if isinstance(workload, Pattern) else workload.application
            for workload in self.workloads
        )


def _own_ranks(workload: Any) -> int | None:
    """Returns the number of ranks that the files of a workload state, if it has such files.

    The number is 1 if the files are wrong: the validation of the workload reports the fault.
    """
    try:
        if isinstance(workload, Mapping) and workload.get("kind") in {"trace", "operations"}:
            workload = FRONT_ENDS[workload["kind"]](**workload)
        return workload.own_ranks() if isinstance(workload, FrontEnd) else None
    except (ScenarioError, UsageError):
        return 1
