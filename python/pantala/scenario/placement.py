"""Placements: how a job gets its nodes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Discriminator, Field, Tag, model_validator

from pantala.models.base import Count, Index, Model, PositiveSize
from pantala.models.faults import LIST, ONE
from pantala.models.validation import fault
from pantala.scenario.node_file import nodes_in
from pantala.scenario.slurm_placement import HostFile, SlurmPlacement

__all__ = [
    "CompactPlacement",
    "ContiguousPlacement",
    "DispersedPlacement",
    "HostFile",
    "HybridPlacement",
    "NodeFile",
    "NodesPlacement",
    "Placement",
    "RandomGroupsPlacement",
    "RandomPlacement",
    "RandomRoutersPlacement",
    "SlurmPlacement",
]


class RandomPlacement(Model):
    """Free nodes drawn at random, with ranks in the order of the draw.

    Source: Kang et al., SC 2022, V.
    """

    kind: Literal["random"] = "random"
    """Random free nodes."""


class RandomRoutersPlacement(Model):
    """Routers drawn at random, with the free nodes of each in order.

    Source: random routers (RR) in Wang et al., IPDPS 2020, IV.C.
    """

    kind: Literal["random_routers"] = "random_routers"
    """Random routers, with their nodes in order."""


class RandomGroupsPlacement(Model):
    """Groups drawn at random, with the free nodes of each in order.

    For a job on every node, this is the random group numbering of Prisacari et al. (2015, IV.A).

    Source: random groups (RG) in Wang et al., IPDPS 2020, IV.C.
    """

    kind: Literal["random_groups"] = "random_groups"
    """Random groups, with their nodes in order."""


class ContiguousPlacement(Model):
    """Consecutive free nodes, which fill a router, then a group, then the next group.

    Source: Yang et al., SC 2016, 2.3.
    """

    kind: Literal["contiguous"] = "contiguous"
    """Consecutive free nodes."""
    first_node: Index | None = None
    """The first node of the job. Default: the first place with enough consecutive free nodes."""
    numbering: Literal["random_groups"] | None = None
    """The order of the nodes. Default: by their numbers.

    - random_groups: groups in a random order that the jobs of a run share, and the nodes of each
      group by their numbers (Prisacari et al., 2015, IV.A).
    """

    @model_validator(mode="after")
    def _one_order(self) -> ContiguousPlacement:
        if self.first_node is not None and self.numbering is not None:
            message = "is a node's number, but numbering puts the nodes into another order"
            raise fault(message, "remove first_node or numbering", "first_node")
        return self


class CompactPlacement(Model):
    """Free nodes of few groups: the first range of free nodes that lies in enough few groups.

    Other than with `contiguous`, nodes of other jobs may lie between the nodes of the job.

    Source: compact placement (1 to 2 groups) in Chunduri et al., IPDPS 2021, V.A.
    """

    kind: Literal["compact"] = "compact"
    """Free nodes of few groups."""
    groups: Count | None = None
    """The largest number of groups. Default: 2, or as many as the job needs at least."""


class DispersedPlacement(Model):
    """Free nodes of many groups: random groups, and random nodes, as many in each group.

    The ranks are in the order of the node numbers.

    Source: dispersed placement (11 to 12 of 12 groups) in Chunduri et al., IPDPS 2021, V.A.
    """

    kind: Literal["dispersed"] = "dispersed"
    """Free nodes of many groups."""
    groups: Count | None = None
    """The number of groups. Default: all groups with free nodes, or one per node of a smaller
    job."""


class HybridPlacement(Model):
    """Contiguous for jobs that communicate little, random for jobs that communicate much.

    Pantala counts the payload that the job's ranks send. Without `random_from`, the jobs with this
    placement are sorted by their payload per rank, and the largest ratio between neighbours
    separates contiguous from random jobs. Patterns count as communicating most.

    Source: hybrid placement in Yang et al., SC 2016, 6, with the amount of data of Table 2.
    """

    kind: Literal["hybrid"] = "hybrid"
    """Contiguous or random, by the payload that a rank sends."""
    random_from: PositiveSize | None = None
    """The payload per rank from which the job is random. Default: the limit that follows from the
    payloads of all jobs with this placement."""


class NodeFile(Model):
    """A text file with node numbers."""

    file: str
    """The file: numbers and ranges such as `8-15`, separated by commas, spaces or line ends. The
    rest of a line after `#` is a comment."""


class NodesPlacement(Model):
    """A list of nodes: rank i runs on node number i // ranks_per_node of the list."""

    kind: Literal["nodes"] = "nodes"
    """The listed nodes."""
    nodes: Annotated[
        Annotated[tuple[Index, ...], Tag(LIST)] | Annotated[NodeFile, Tag(ONE)],
        # One fault for a wrong value, and not one for each form.
        Discriminator(lambda given: ONE if isinstance(given, Mapping | NodeFile) else LIST),
    ]
    """One node per `ranks_per_node` ranks, counted from 0, or a file with them,
    `{ file = "nodes.txt" }`. Node n is on router n // p."""

    @model_validator(mode="after")
    def _readable(self) -> NodesPlacement:
        self.listed()
        return self

    def listed(self) -> list[int]:
        """Returns the nodes of the list or of the file.

        Raises:
            PydanticCustomError: the file cannot be read, or has something else than nodes.
        """
        if isinstance(self.nodes, tuple):
            return list(self.nodes)
        return nodes_in(self.nodes.file)


_PlacementByKind = Annotated[
    RandomPlacement
    | RandomRoutersPlacement
    | RandomGroupsPlacement
    | ContiguousPlacement
    | CompactPlacement
    | DispersedPlacement
    | HybridPlacement
    | NodesPlacement
    | SlurmPlacement,
    Field(discriminator="kind"),
]
_Name = Literal[
    "random",
    "random_routers",
    "random_groups",
    "contiguous",
    "compact",
    "dispersed",
    "hybrid",
]


def _from_name(value: Any) -> Any:
    return {"kind": value} if isinstance(value, str) else value


#: The nodes of a job. The kind alone is enough: ``placement = "random"``.
Placement = Annotated[
    _PlacementByKind,
    BeforeValidator(_from_name, json_schema_input_type=_Name | _PlacementByKind),
]
