"""The machine: what is wired to what, how fast the links are, how a router works."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Annotated, Any, ClassVar, Literal, Self

from pydantic import AfterValidator, WithJsonSchema, model_validator
from pydantic_core import PydanticCustomError

from pantala.capacity import Capacity
from pantala.scenario.base import Count, Index, Model, PositiveBandwidth, PositiveSize, Switch, UnsignedDuration, fault
from pantala.scenario.links import Link, Links, faults_of_classes, of_kind
from pantala.scenario.presets import machine_preset, merge, preset_json_schema, router_preset, router_presets
from pantala.scenario.topology import INSIDE, Topology, changes_shape, over_preset
from pantala.units import Duration, UnitError

__all__ = ["Link", "Links", "Machine", "Nic", "Router", "Topology"]


def _some_room(value: Capacity) -> Capacity:
    if value.count == 0 and value.unit != "unlimited":
        raise fault("must be more than zero", "write e.g. '30 packets'")
    return value


def _bounded(value: Capacity) -> Capacity:
    if value.unit == "unlimited":
        raise fault("must have a bound: credits count the room in it", "write e.g. '30 packets'")
    return _some_room(value)


BoundedCapacity = Annotated[Capacity, AfterValidator(_bounded)]
SomeCapacity = Annotated[Capacity, AfterValidator(_some_room)]


class Router(Model):
    """An input-output-queued router whose stages are named choices; `model` chooses them together."""

    from_preset: ClassVar[bool] = True
    shorthand: ClassVar[str | None] = "model"

    model: Annotated[str, WithJsonSchema({"type": "string", "enum": router_presets()})] = "pantala"
    """The router model that gives the stages below: pantala (this project's), sst_sc22 (SST's, as in Kang et al.),
    booksim2, caminos, codes_dally."""
    input_latency: UnsignedDuration
    """From arrival at the input to the routing decision."""
    output_latency: UnsignedDuration
    """From the crossbar to the link."""
    output_latency_at: Literal["crossbar", "link"]
    """Where the output latency lies: before the output buffer (crossbar) or behind it (link, as in SST)."""
    switching: Literal["packet", "flit"]
    """What moves as one: a packet (virtual cut-through), or every flit by itself, with flits of other virtual channels
    between (wormhole switching, as in BookSim2)."""
    input_queue: Literal["fifo", "virtual_output"]
    """How packets wait at the inputs. fifo: one queue an input virtual channel, whose head alone is routed and crosses;
    virtual_output: a packet is routed as it arrives and waits for nobody but those that take the same virtual channel
    of the same output; there is no crossbar (CODES)."""
    crossbar_bandwidth: PositiveBandwidth
    """Data rate of one crossbar port; four times a link's in kang2022."""
    buffer_unit: Literal["flit", "packet"]
    """What a packet takes of a buffer: its flits (flit), or as much as a full packet, however short it is (packet, as
    in CODES)."""
    input_buffer: BoundedCapacity
    """Room of an input buffer, a virtual channel: "30 packets", "120 flits", "15 KiB"."""
    output_buffer: SomeCapacity
    """Room of an output buffer, a virtual channel; also "unlimited"."""
    hand_over: Literal["tail", "head", "store"]
    """When a packet is at the next stage: tail (when its last flit is; its head goes ahead), head (at once, as in SST)
    or store (when its last flit is, and only then it goes on, as in CODES)."""
    crossbar_clock: Literal["none", "flit"]
    """When the crossbar arbitrates: none (whenever a packet can move) or flit (once a crossbar flit time)."""
    crossbar_delay: Literal["flit", "none"]
    """What the crossbar adds to a head's time: one flit time, or nothing."""
    crossbar_contention: Literal["port", "vc", "port_and_vc"]
    """What a packet that crosses keeps others from: port (its input and output port, for its flits), vc (its input and
    output virtual channel, until its tail has crossed, as in CAMINOS), or both (BookSim2)."""
    input_vc_gap: Index
    """Crossbar flit times that an input virtual channel rests between two packets (BookSim2: 2, in which it computes
    the route and allocates the output virtual channel)."""
    output_vc_gap: Index
    """The same of an output virtual channel, where packets hold one (BookSim2: 1, in which it is allocated)."""
    arbiter: Literal["round_robin", "age", "lru", "random", "islip"]
    """Who goes first: round_robin, age (the oldest packet), lru (whoever has waited longest for a grant), random (drawn
    anew each time), islip (one iteration, as in BookSim2: an output whose offer its input does not take waits)."""
    link_decision: Literal["at_start", "after_flit"]
    """When an idle link takes a packet: at once, or a flit time after it is there (as in SST)."""
    credit_check: Literal["link", "crossbar"]
    """Where a packet waits for the credits of the link, and takes them: in the output buffer (link) or before it
    crosses (crossbar, as in BookSim2)."""
    credit_return: Literal["tail", "head", "flit"]
    """When credits go back: when the packet's tail, or its head, leaves the input buffer, or flit by flit."""
    output_release: Literal["start", "tail", "flit"]
    """When an output buffer frees a packet's room: when the link starts to send it, when its tail is gone, or flit by
    flit."""
    credit_latency: Literal["link", "link_and_router", "fixed"]
    """How long a credit travels: the link's latency, the router's output and input latency as well (SST), or
    `credit_delay` (fixed, as in CODES)."""
    credit_delay: UnsignedDuration = Duration(0)
    """How long a credit travels over any link where credit_latency is fixed, else without meaning; in CODES as long as
    8 bytes take on a local link."""

    @classmethod
    def complete(cls, data: dict[str, Any]) -> dict[str, Any]:
        """The stages of `model`, under what is given."""
        data.setdefault("model", cls.model_fields["model"].default)
        return merge(router_preset(data["model"])["router"], data)


class Nic(Model):
    """The network interface of a node."""

    from_preset: ClassVar[bool] = True

    buffer: SomeCapacity
    """Room for packets on their way out, e.g. "30 packets"; matters where latency counts from here."""
    latency_from: Literal["created", "nic", "injected"] = "created"
    """From when a packet's latency counts: created (its creation, source queueing included), nic (its entry into the
    NIC's buffer, as in SST) or injected (its start on the injection link, as in CODES)."""
    responses: Switch = False
    """Whether every packet that arrives is answered by a small one, in a virtual channel of its own, as Aries does
    for its puts; true or false, also "on" or "off"."""
    response: PositiveSize | None = None
    """Size of a response; one flit if not given, which is an assumption: no paper gives it."""
    injection_vc: Literal["first", "first_free", "random"] = "first"
    """On which virtual channel packets enter: first (always 0), first_free (the first with room, as in CAMINOS), random
    (any with room, as in BookSim2)."""


class Machine(Model):
    """The whole network; a preset gives all of it, and every key given beside it changes the preset's.

    A preset also gives the defaults of the scenario's `routing` and `mpi` that were published with the machine.
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
    """Which nodes the service nodes are. every_group: the last ones of every group, as many in each; if that does not
    come out even, the first groups have one more. last_groups: the last ones of the machine."""
    links: Links
    """Bandwidth and latency, a class of links."""
    packet: PositiveSize
    """Payload of a full packet, e.g. "512 B"."""
    flit: PositiveSize
    """The unit of buffers and credits, e.g. "128 B"."""
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
        """The machine of a preset: ``Machine.of("kang2022", topology={"g": 9}, router="sst_sc22")``.

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
            raise fault(f"but the machine has {self.nodes:,} nodes", "lower it, or remove it", "compute_nodes")
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
