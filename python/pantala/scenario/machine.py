"""The machine: what is wired to what, how fast the links are, how a router works."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Annotated, Any, ClassVar, Literal, Self

from pydantic import WithJsonSchema, model_validator
from pydantic_core import PydanticCustomError

from pantala.scenario.base import Count, fault
from pantala.scenario.keys import MachineKeys, NicKeys, RouterKeys
from pantala.scenario.links import Link, Links, faults_of_classes, of_kind
from pantala.scenario.presets import (
    machine_preset,
    merge,
    preset_json_schema,
    router_preset,
    router_presets,
)
from pantala.scenario.topology import INSIDE, Topology, changes_shape, over_preset
from pantala.units import UnitError

__all__ = ["Link", "Links", "Machine", "Nic", "Router", "Topology"]


class Router(RouterKeys):
    """An input-output-queued router whose stages are named choices; `model` chooses them
    together.
    """

    from_preset: ClassVar[bool] = True
    shorthand: ClassVar[str | None] = "model"

    model: Annotated[str, WithJsonSchema({"type": "string", "enum": router_presets()})] = "pantala"
    """The router model that gives the stages: pantala (this project's), sst_sc22 (SST's, as in Kang
    et al.), sst_merlin_2021, booksim2, caminos, codes_dally."""

    @classmethod
    def complete(cls, data: dict[str, Any]) -> dict[str, Any]:
        """The stages of `model`, under what is given."""
        data.setdefault("model", cls.model_fields["model"].default)
        return merge(router_preset(data["model"])["router"], data)


class Nic(NicKeys):
    """The network interface of a node."""

    from_preset: ClassVar[bool] = True


class Machine(MachineKeys):
    """The whole network; a preset gives all of it, and every key given beside it changes the
    preset's.

    A preset also gives the defaults of the scenario's `routing` and `mpi` that were published with
    the machine.
    """

    from_preset: ClassVar[bool] = True
    shorthand: ClassVar[str | None] = "preset"

    preset: Annotated[str | None, WithJsonSchema(preset_json_schema())] = None
    """A published machine by name, as kang2022; `pantala presets` lists them. Some take numbers, as
    "prisacari2015(4,8,4)"."""
    topology: Topology
    """What is wired to what."""
    compute_nodes: Count | None = None
    """Nodes that jobs can have, if not all: the others are service nodes."""
    service_nodes: Literal["every_group", "last_groups"] = "every_group"
    """Which nodes the service nodes are. every_group: the last ones of every group, as many in
    each; if that does not come out even, the first groups have one more. last_groups: the last ones
    of the machine."""
    links: Links
    """Bandwidth and latency, a class of links."""
    router: Router
    """How a router works."""
    nic: Nic
    """How a node's interface works."""

    @classmethod
    def complete(cls, data: dict[str, Any]) -> dict[str, Any]:
        """The machine of the preset, under what is given."""
        if isinstance(data.get("router"), str):
            data["router"] = {Router.shorthand: data["router"]}
        shape, links = data.get("topology", {}), data.get("links", {})
        if data.get("preset") is not None:
            preset = machine_preset(data["preset"])["machine"]
            if isinstance(shape, Mapping):
                preset["topology"] = over_preset(preset["topology"], shape)
                if changes_shape(shape):
                    preset.pop("compute_nodes", None)
            data = merge(preset, data)
            kind = _kind(data["topology"])
            below = of_kind(preset["links"], kind, only=True)
        else:
            kind, below = _kind(shape), {}
        if "links" in data and isinstance(links, Mapping | Links):
            data["links"] = merge(below, of_kind(links, kind))
        return data

    @classmethod
    def between_keys(cls, data: Mapping[str, Any]) -> Iterator[PydanticCustomError]:
        """The classes of links that are missing or of another kind of topology."""
        kind, links = _kind(data.get("topology", {})), data.get("links")
        if kind in INSIDE and isinstance(links, Mapping | Links):
            yield from faults_of_classes(links, str(kind))

    @classmethod
    def of(cls, preset: str, **changes: Any) -> Self:
        """The machine of a preset: ``Machine.of("kang2022", topology={"g": 9},
        router="sst_sc22")``.

        Args:
            preset: its name.
            changes: keys of a machine, whole or in part, over the preset's.

        Raises:
            ScenarioError: no such preset, or a change is wrong.
        """
        given: dict[str, Any] = {"preset": preset, **changes}
        return cls(**given)

    @model_validator(mode="after")
    def _enough_nodes(self) -> Machine:
        if self.compute_nodes is not None and self.compute_nodes > self.nodes:
            raise fault(
                f"but the machine has {self.nodes:,} nodes",
                "lower it, or remove it",
                "compute_nodes",
            )
        return self

    @model_validator(mode="after")
    def _whole_buffers(self) -> Machine:
        sizes = (int(self.packet), int(self.flit))
        at = ("router", "input_buffer")
        try:
            self.router.input_buffer.flits(*sizes)
            at = ("router", "output_buffer")
            self.router.output_buffer.flits(*sizes)
            at = ("nic", "buffer")
            self.nic.buffer.packets(*sizes)
        except UnitError as error:
            raise fault(error.message, error.remedy, *at) from None
        return self

    @property
    def nodes(self) -> int:
        """Number of nodes, service nodes included."""
        return self.topology.nodes

    @property
    def job_nodes(self) -> int:
        """Number of nodes that jobs can have."""
        return self.nodes if self.compute_nodes is None else self.compute_nodes

    def service_ranges(self) -> list[tuple[int, int]]:
        """The service nodes as ranges, first and last node each, in order."""
        count, groups = self.nodes - self.job_nodes, self.topology.g
        if not count:
            return []
        if self.service_nodes == "last_groups":
            return [(self.job_nodes, self.nodes - 1)]
        size, (each, more) = self.nodes // groups, divmod(count, groups)
        shares = [each + (group < more) for group in range(groups)]
        ends = [(group + 1) * size for group in range(groups)]
        return [(end - share, end - 1) for end, share in zip(ends, shares, strict=True) if share]


def _kind(topology: object) -> object:
    """The kind of a topology given as a table or as an object."""
    if isinstance(topology, Mapping):
        return topology.get("kind", Topology.model_fields["kind"].default)
    return topology.kind if isinstance(topology, Topology) else None
