"""Jobs: how many ranks, on which nodes, doing what."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Literal

from pydantic import BeforeValidator, Field, model_validator

from pantala.scenario.base import Index, Model, Name
from pantala.scenario.keys import JobKeys, NoiseKeys
from pantala.scenario.routing import Routing
from pantala.scenario.workload import Application, Pattern, Workload

__all__ = [
    "ComputeNoise",
    "ContiguousPlacement",
    "Job",
    "NodesPlacement",
    "Placement",
    "RandomGroupsPlacement",
    "RandomPlacement",
    "RandomRoutersPlacement",
]


class RandomPlacement(Model):
    """Nodes drawn at random from those that are free, ranks in the order of the draw (Kang et al.,
    SC 2022, V).
    """

    kind: Literal["random"] = "random"
    """Random free nodes."""


class RandomRoutersPlacement(Model):
    """Routers drawn at random, the free nodes of each in order (RR in Wang et al., IPDPS 2020,
    IV.C).
    """

    kind: Literal["random_routers"] = "random_routers"
    """Random routers, their nodes in order."""


class RandomGroupsPlacement(Model):
    """Groups drawn at random, the free nodes of each in order (RG in Wang et al., IPDPS 2020,
    IV.C).

    For a job on every node this is the randomised group numbering of Prisacari et al. (2015, IV.A).
    """

    kind: Literal["random_groups"] = "random_groups"
    """Random groups, their nodes in order."""


class ContiguousPlacement(Model):
    """Consecutive free nodes: fill a router, a group, then the next (Yang et al., SC 2016, 2.3)."""

    kind: Literal["contiguous"] = "contiguous"
    """Consecutive free nodes."""
    first_node: Index | None = None
    """The first of them; if not given, wherever enough free nodes follow each other first."""


class NodesPlacement(Model):
    """An explicit list: rank i is on the i-th node of it, or the (i // ranks_per_node)-th."""

    kind: Literal["nodes"] = "nodes"
    """The nodes listed."""
    nodes: tuple[Index, ...]
    """One node for every `ranks_per_node` ranks, counted from 0; node n is on router n // p."""


_PlacementByKind = Annotated[
    RandomPlacement
    | RandomRoutersPlacement
    | RandomGroupsPlacement
    | ContiguousPlacement
    | NodesPlacement,
    Field(discriminator="kind"),
]
_Name = Literal["random", "random_routers", "random_groups", "contiguous"]


def _from_name(value: Any) -> Any:
    return {"kind": value} if isinstance(value, str) else value


#: Where the ranks of a job are; the kind alone will do: ``placement = "random"``.
Placement = Annotated[
    _PlacementByKind,
    BeforeValidator(_from_name, json_schema_input_type=_Name | _PlacementByKind),
]


class ComputeNoise(NoiseKeys):
    """Noise of computing times: each is multiplied by 1 + share x, by the rank's own random
    stream.
    """

    shorthand: ClassVar[str | None] = "distribution"


class Job(JobKeys):
    """A parallel program: its ranks on their nodes, all started together."""

    name: Name
    """The job's name in tables and figures; its random numbers follow it, not its place in the
    list."""
    placement: Placement = RandomPlacement()
    """On which nodes: random (nodes), random_routers, random_groups, contiguous, or a list. Lists
    come first, then contiguous jobs, then those that draw; jobs of a kind are placed in the order
    of the scenario."""
    routing: Routing | None = None
    """How the job's packets choose their way, if not as the scenario's `routing` says: an
    algorithm, or a table whose keys are laid over the scenario's (MPICH_GNI_ROUTING_MODE of Cray's
    MPI)."""
    routing_all_to_all: Routing | None = None
    """The same for the packets of its all-to-all collectives, over the scenario's
    `routing_all_to_all` (MPICH_GNI_A2A_ROUTING_MODE of Cray's MPI)."""
    compute_noise: ComputeNoise = ComputeNoise()
    """Noise of the times that ranks compute; the name of a distribution alone will do."""
    workload: Workload
    """What the ranks do."""

    @model_validator(mode="after")
    def _legal_ranks(self) -> Job:
        if isinstance(self.workload, Application):
            self.workload.check(self.ranks)
        return self

    @property
    def node_count(self) -> int:
        """How many nodes its ranks need."""
        return -(-self.ranks // self.ranks_per_node)

    @property
    def application(self) -> str:
        """What the job runs: the kind of its application, or the name of its pattern."""
        workload = self.workload
        return workload.pattern if isinstance(workload, Pattern) else workload.application

    @property
    def endless(self) -> bool:
        """Whether the job goes on until the run stops: a pattern does, a motif ends."""
        return isinstance(self.workload, Pattern)
