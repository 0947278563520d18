"""The machine: what is wired to what, how fast the links are, how a router works."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Literal, Self

from pydantic import AfterValidator, Field, WithJsonSchema, model_validator

from pantala.capacity import Capacity
from pantala.scenario.base import (
    Count,
    Flag,
    Index,
    Model,
    PositiveBandwidth,
    PositiveDuration,
    PositiveSize,
    UnsignedDuration,
    fault,
)
from pantala.scenario.presets import machine_preset, machine_presets, merge, router_preset, router_presets
from pantala.units import UnitError

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


class Topology(Model):
    """A one-dimensional Dragonfly: groups of fully connected routers, every two groups connected.

    Source: Kim et al., ISCA 2008; the letters are theirs.
    """

    from_preset: ClassVar[bool] = True

    kind: Literal["dragonfly"] = "dragonfly"
    """The family of topologies."""
    p: Count
    """Nodes a router."""
    a: Count
    """Routers a group."""
    h: Count
    """Global links a router."""
    g: Count
    """Groups: at most a*h + 1; with fewer, pairs of groups can have several links."""
    links_per_pair: Index = 1
    """Global links between two groups; 0 means as many as the ports allow."""
    wiring: Literal["absolute", "palmtree", "circulant", "random"] = "absolute"
    """Which router owns which global link. absolute: consecutive ports to consecutive groups, one's own left out;
    palmtree: relative to one's own group (Prisacari et al.'s formula with an offset of one); circulant: alternately
    to the groups above and below; random: drawn from `wiring_seed`."""
    mirrored: Flag = False
    """Palmtree counted from the last router and port down, as CAMINOS does."""
    wiring_seed: Annotated[int, Field(strict=True, ge=0, le=2**63 - 1)] = 0
    """Seed of the random wiring; separate from the scenario's seed, so that a wiring can be kept."""


class Link(Model):
    """A class of links; every link is a pair of directed channels of this bandwidth and latency."""

    from_preset: ClassVar[bool] = True

    bandwidth: PositiveBandwidth
    """Data rate of one direction, e.g. "200 Gb/s"."""
    latency: PositiveDuration
    """Time of flight, e.g. "30 ns"; serialisation comes on top."""


class Links(Model):
    """The three classes of links of a Dragonfly."""

    from_preset: ClassVar[bool] = True

    terminal: Link
    """Between a node and its router: injection and ejection."""
    local: Link
    """Between two routers of a group."""
    global_: Annotated[Link, Field(alias="global")]
    """Between two groups."""


class Router(Model):
    """An input-output-queued router whose stages are named choices; `model` chooses them together."""

    from_preset: ClassVar[bool] = True
    shorthand: ClassVar[str | None] = "model"

    model: Annotated[str, WithJsonSchema({"type": "string", "enum": router_presets()})] = "pantala"
    """The router model that gives the stages below: pantala (this project's), sst_sc22 (SST's, as in Kang et al.),
    booksim2, caminos."""
    input_latency: UnsignedDuration
    """From arrival at the input to the routing decision."""
    output_latency: UnsignedDuration
    """From the crossbar to the link."""
    output_latency_at: Literal["crossbar", "link"]
    """Where the output latency lies: before the output buffer (crossbar) or behind it (link, as in SST)."""
    crossbar_bandwidth: PositiveBandwidth
    """Data rate of one crossbar port; four times a link's in kang2022."""
    input_buffer: BoundedCapacity
    """Room of an input buffer, a virtual channel: "30 packets", "120 flits", "15 KiB"."""
    output_buffer: SomeCapacity
    """Room of an output buffer, a virtual channel; also "unlimited"."""
    hand_over: Literal["tail", "head"]
    """When a packet is at the next stage: tail (when its last flit is) or head (at once, as in SST)."""
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
    arbiter: Literal["round_robin", "age", "lru", "random"]
    """Who goes first: round_robin, age (the oldest packet), lru (whoever has waited longest for a grant), random (drawn
    anew each time)."""
    link_decision: Literal["at_start", "after_flit"]
    """When an idle link takes a packet: at once, or a flit time after it is there (as in SST)."""
    credit_check: Literal["link", "crossbar"]
    """Where a packet waits for the credits of the link, and takes them: in the output buffer (link) or before it crosses
    (crossbar, as in BookSim2)."""
    credit_return: Literal["tail", "head", "flit"]
    """When credits go back: when the packet's tail, or its head, leaves the input buffer, or flit by flit."""
    output_release: Literal["start", "tail", "flit"]
    """When an output buffer frees a packet's room: when the link starts to send it, when its tail is gone, or flit by
    flit."""
    credit_latency: Literal["link", "link_and_router"]
    """How long a credit travels: the link's latency, or the router's output and input latency as well (SST)."""

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
    latency_from: Literal["created", "nic"] = "created"
    """From when a packet's latency counts: created (its creation, source queueing included) or nic (its entry into
    the NIC's buffer, as in SST)."""
    injection_vc: Literal["first", "first_free", "random"] = "first"
    """On which virtual channel packets enter: first (always 0), first_free (the first with room, as in CAMINOS), random
    (any with room, as in BookSim2)."""


class Machine(Model):
    """The whole network; a preset gives all of it, and every key given beside it changes the preset's.

    A preset also gives the defaults of the scenario's `routing` and `mpi` that were published with the machine.
    """

    from_preset: ClassVar[bool] = True
    shorthand: ClassVar[str | None] = "preset"

    preset: Annotated[str | None, WithJsonSchema({"type": "string", "enum": machine_presets()})] = None
    """A published machine by name: kang2022 (1,056 nodes; Kang et al., SC 2022); booksim2 and caminos have the same shape
    and count time in cycles, as those simulators do."""
    topology: Topology
    """What is wired to what."""
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
        if data.get("preset") is None:
            return data
        if isinstance(data.get("router"), str):
            data["router"] = {Router.shorthand: data["router"]}
        return merge(machine_preset(data["preset"])["machine"], data)

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
        """Number of nodes."""
        return self.topology.p * self.topology.a * self.topology.g
