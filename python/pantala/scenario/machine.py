"""The machine: topology, links, routers and NICs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Annotated, Any, ClassVar, Literal, Self, get_origin

from pydantic import ValidationError, WithJsonSchema, model_validator
from pydantic_core import PydanticCustomError

from pantala.errors import ScenarioError
from pantala.models.base import Count, fault
from pantala.models.faults import scenario_error
from pantala.models.keys import MachineKeys, NicKeys, RouterKeys
from pantala.models.unread_keys import with_unread
from pantala.scenario.links import Link, Links, faults_of_classes, of_kind
from pantala.scenario.presets import (
    machine_preset,
    merge,
    preset_json_schema,
    router_preset,
    router_presets,
)
from pantala.scenario.topology import INSIDE, Topology, changes_shape, over_preset
from pantala.text.units import UnitError

__all__ = ["Link", "Links", "Machine", "Nic", "Router", "Topology", "machine_of_preset"]


class Router(RouterKeys):
    """An input-output-queued router with configurable stages; `model` sets all of them together."""

    from_preset: ClassVar[bool] = True
    shorthand: ClassVar[str | None] = "model"

    model: Annotated[str, WithJsonSchema({"type": "string", "enum": router_presets()})] = "pantala"
    """The router model, which sets all stages: pantala (this project's), sst_sc22 (SST, as in Kang
    et al.), sst_merlin_2021, booksim2, caminos, codes_dally."""

    @classmethod
    def complete(cls, data: dict[str, Any]) -> dict[str, Any]:
        """Returns the data with the stages of `model` as defaults.

        A router without a crossbar needs no bandwidth of one: the plan has the value of the presets
        of such routers, which nothing reads.
        """
        data.setdefault("model", cls.model_fields["model"].default)
        whole = merge(router_preset(data["model"])["router"], data)
        return with_unread(cls, whole, {"crossbar_bandwidth": "1 TB/s"})


def _of_model(preset: Mapping[str, Any], given: object) -> dict[str, Any]:
    """Returns the router's keys of a machine preset without the stages of another router model.

    Args:
        preset: the keys.
        given: the router as given.
    """
    model = given.get("model") if isinstance(given, Mapping) else getattr(given, "model", None)
    if model is None or model == preset.get("model"):
        return dict(preset)
    fields = Router.model_fields
    return {
        key: value
        for key, value in preset.items()
        if key not in fields or get_origin(fields[key].annotation) is not Literal
    }


class Nic(NicKeys):
    """The network interface of a node."""

    from_preset: ClassVar[bool] = True

    @classmethod
    def complete(cls, data: dict[str, Any]) -> dict[str, Any]:
        """Returns the data. A NIC whose buffer has no effect needs no size of it."""
        return with_unread(cls, data, {"buffer": "unlimited"})


class Machine(MachineKeys):
    """The network. A preset sets all of it, and each given key replaces the preset's value.

    A preset also sets the defaults of the scenario's `routing` and `mpi` that were published with
    the machine.
    """

    from_preset: ClassVar[bool] = True
    shorthand: ClassVar[str | None] = "preset"

    preset: Annotated[str | None, WithJsonSchema(preset_json_schema())] = None
    """The name of a published machine, such as kang2022. `pantala presets` lists them. Some take
    numbers, such as "prisacari2015(4,8,4)"."""
    topology: Topology
    """The topology: groups, routers, nodes and links between them."""
    compute_nodes: Count | None = None
    """Number of nodes available to jobs. The other nodes are service nodes. Default: all nodes."""
    service_nodes: Literal["every_group", "last_groups"] = "every_group"
    """The position of the service nodes. every_group: the last nodes of every group, equally many
    per group. If they do not divide evenly, the first groups have one more. last_groups: the last
    nodes of the machine."""
    links: Links
    """Bandwidth and latency per link class."""
    router: Router
    """The router model and its parameters."""
    nic: Nic
    """The parameters of the NICs. Default without a preset: the default of each key."""

    @classmethod
    def complete(cls, data: dict[str, Any]) -> dict[str, Any]:
        """Returns the data with the machine of the preset as defaults."""
        if isinstance(data.get("router"), str):
            data["router"] = {Router.shorthand: data["router"]}
        shape, links = data.get("topology", {}), data.get("links", {})
        if data.get("preset") is not None:
            preset = machine_preset(data["preset"])["machine"]
            if isinstance(shape, Mapping):
                preset["topology"] = over_preset(preset["topology"], shape)
                if changes_shape(shape):
                    preset.pop("compute_nodes", None)
            preset["router"] = _of_model(preset.get("router", {}), data.get("router"))
            data = merge(preset, data)
            kind = _kind(data["topology"])
            below = of_kind(preset["links"], kind, only=True)
        else:
            kind, below = _kind(shape), {}
        data.setdefault("nic", {})
        if "links" in data and isinstance(links, Mapping | Links):
            data["links"] = merge(below, of_kind(links, kind))
        return data

    @classmethod
    def between_keys(cls, data: Mapping[str, Any]) -> Iterator[PydanticCustomError]:
        """Yields the faults of link classes that are missing or foreign to the topology."""
        kind, links = _kind(data.get("topology", {})), data.get("links")
        if kind in INSIDE and isinstance(links, Mapping | Links):
            yield from faults_of_classes(links, str(kind))

    @classmethod
    def of(cls, preset: str, **changes: Any) -> Self:
        """Returns the machine of a preset: ``Machine.of("kang2022", topology={"g": 9})``.

        Args:
            preset: the name of the preset.
            changes: keys of a machine, whole or in part, that replace the preset's values.

        Raises:
            ScenarioError: there is no such preset, or a change is wrong.
        """
        given: dict[str, Any] = {"preset": preset, **changes}
        return cls(**given)

    @model_validator(mode="after")
    def _enough_nodes(self) -> Machine:
        if self.compute_nodes is not None and self.compute_nodes > self.nodes:
            raise fault(
                f"is more than the {self.nodes:,} nodes of the machine",
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
        """The number of nodes, including service nodes."""
        return self.topology.nodes

    @property
    def job_nodes(self) -> int:
        """The number of nodes available to jobs."""
        return self.nodes if self.compute_nodes is None else self.compute_nodes

    def service_ranges(self) -> list[tuple[int, int]]:
        """Returns the service nodes as ordered ranges, each with its first and last node."""
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
    """Returns the kind of a topology given as a table or as an object."""
    if isinstance(topology, Mapping):
        return topology.get("kind", Topology.model_fields["kind"].default)
    return topology.kind if isinstance(topology, Topology) else None


def machine_of_preset(name: str, option: str) -> Machine:
    """Returns the machine of a preset.

    Args:
        name: the preset.
        option: the option that names it, for errors.

    Raises:
        ScenarioError: there is no such preset.
    """
    try:
        return Machine.model_validate(name)
    except ValidationError as error:
        found = scenario_error(error, option, {})
        raise ScenarioError(f"{option} {name}", "", "", found.message, found.remedy) from None
