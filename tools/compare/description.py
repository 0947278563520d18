"""The machine and the load of a bench, from which all simulators are configured."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from pantala.runs.benchmark import BENCHMARKS, bench_plan

__all__ = ["Description", "NotComparable", "cases", "describe"]

_PS = 1_000_000_000_000


class NotComparable(Exception):
    """A bench or a setting that a simulator cannot repeat; the text says why."""


@dataclass(frozen=True)
class Description:
    """A one-dimensional Dragonfly, balanced or not, under uniform random traffic.

    Attributes:
        bench: name of the bench.
        case: case of the bench; empty if it has none.
        p: nodes per router.
        a: routers per group.
        h: global links per router.
        g: groups.
        packet_bytes: size of a packet.
        flit_bytes: size of a flit.
        bandwidth: bandwidth of every link in bytes per second.
        crossbar_bandwidth: bandwidth of a crossbar port in bytes per second.
        terminal_latency_ps: latency of a link between a node and its router.
        local_latency_ps: latency of a link inside a group.
        global_latency_ps: latency of a link between groups.
        input_latency_ps: latency of a router's input.
        output_latency_ps: latency of a router's output.
        input_buffer_flits: input buffer per virtual channel.
        output_buffer_flits: output buffer per virtual channel.
        routing: name of the routing in Pantala.
        q_adaptive: the learning parameters of q_adaptive, by Pantala's key.
        threshold: adaptive routings take the minimal path up to this multiple of the other path's
            queue.
        load: offered load of each node, as a share of the bandwidth.
        simulated_ps: simulated time.
        seed: seed of the random numbers.
    """

    bench: str
    case: str
    p: int
    a: int
    h: int
    g: int
    packet_bytes: int
    flit_bytes: int
    bandwidth: int
    crossbar_bandwidth: int
    terminal_latency_ps: int
    local_latency_ps: int
    global_latency_ps: int
    input_latency_ps: int
    output_latency_ps: int
    input_buffer_flits: int
    output_buffer_flits: int
    routing: str
    q_adaptive: Mapping[str, Any]
    threshold: float
    load: float
    simulated_ps: int
    seed: int

    @property
    def title(self) -> str:
        """The bench and its case."""
        return f"{self.bench} {self.case}".rstrip()

    @property
    def routers(self) -> int:
        """The number of routers."""
        return self.a * self.g

    @property
    def nodes(self) -> int:
        """The number of nodes."""
        return self.p * self.routers

    @property
    def packet_flits(self) -> int:
        """The number of flits per packet."""
        return -(-self.packet_bytes // self.flit_bytes)

    @property
    def flit_ps(self) -> int:
        """The time of a flit on a link, which is one cycle in simulators that count cycles."""
        return self.flit_bytes * _PS // self.bandwidth

    @property
    def simulated_ns(self) -> float:
        """The simulated time in nanoseconds."""
        return self.simulated_ps / 1_000

    def cycles(self, ps: int, least: int = 1) -> int:
        """Returns a time in cycles of one flit, rounded, at least `least`."""
        return max(least, round(ps / self.flit_ps))

    def global_peer(self, group: int, index: int) -> int | None:
        """Returns the group at the end of a global link; None for an unconnected port.

        The global link arrangement is absolute. `index` is the group's global link, from 0 to a*h -
        1.
        """
        if index >= self.g - 1:
            return None
        return index + 1 if index >= group else index

    def as_dict(self) -> dict[str, Any]:
        """Returns all fields, for a configuration that reads JSON."""
        return asdict(self)


def cases(bench: str) -> tuple[str, ...]:
    """Returns the cases of a bench; a single empty name if it has none."""
    return BENCHMARKS[bench].cases or ("",)


def describe(bench: str, case: str = "") -> Description:
    """Returns the description of a bench or of one of its cases, read from its plan.

    Raises:
        NotComparable: no other simulator has this machine or this load.
    """
    if not BENCHMARKS[bench].points:
        raise NotComparable("it is a run of applications, which other simulators do not have")
    plan, window = bench_plan(bench, case)
    assert window is not None
    shape, links, router = plan["topology"], plan["links"], plan["router"]
    (job,) = plan["jobs"]
    bandwidths = {links[name]["bandwidth_bytes_per_s"] for name in ("terminal", "local", "global")}
    if len(bandwidths) != 1:
        raise NotComparable(
            "its links have several bandwidths; simulators that count cycles have one"
        )
    (bandwidth,) = bandwidths
    return Description(
        bench=bench,
        case=case,
        p=shape["p"],
        a=shape["a"],
        h=shape["h"],
        g=shape["g"],
        packet_bytes=plan["packet_bytes"],
        flit_bytes=plan["flit_bytes"],
        bandwidth=bandwidth,
        crossbar_bandwidth=router["crossbar_bandwidth_bytes_per_s"],
        terminal_latency_ps=links["terminal"]["latency_ps"],
        local_latency_ps=links["local"]["latency_ps"],
        global_latency_ps=links["global"]["latency_ps"],
        input_latency_ps=router["input_latency_ps"],
        output_latency_ps=router["output_latency_ps"],
        input_buffer_flits=router["input_buffer_flits"],
        output_buffer_flits=router["output_buffer_flits"],
        routing=plan["routing"]["algorithm"],
        q_adaptive=plan["routing"]["q_adaptive"],
        threshold=plan["routing"]["threshold"],
        load=job["workload"]["load"],
        simulated_ps=sum(window),
        seed=plan["seed"],
    )
