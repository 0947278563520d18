"""The runs of the study: the runs of the figures, and variants that change one thing each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import product
from math import isqrt
from typing import Any

from pantala.scenario import Scenario
from pantala.studies.simulate import Point
from pantala.text.units import Duration

__all__ = [
    "ANY",
    "CONFIGURATIONS",
    "LATENCY",
    "MINIMAL",
    "PATTERNS",
    "QUICK_SIZES",
    "RANDOMISED",
    "RESTRICTED",
    "SIZES",
    "VARIANTS",
    "Configuration",
    "Size",
    "Spec",
    "process_grid",
    "specs",
]


@dataclass(frozen=True, order=True)
class Size:
    """A full-scale Dragonfly (p, a, h): a*h + 1 groups, one link between every two."""

    p: int
    a: int
    h: int

    @property
    def groups(self) -> int:
        """Number of groups."""
        return self.a * self.h + 1

    @property
    def group_nodes(self) -> int:
        """Nodes a group."""
        return self.a * self.p

    @property
    def nodes(self) -> int:
        """Number of nodes, equation (3)."""
        return self.groups * self.group_nodes

    @property
    def routers(self) -> int:
        """Number of routers."""
        return self.groups * self.a

    @property
    def balanced(self) -> bool:
        """Whether p = a/2 = h."""
        return 2 * self.p == self.a == 2 * self.h

    def __str__(self) -> str:
        return f"({self.p}, {self.a}, {self.h})"


#: (2, 3, 2) and (8, 16, 8) are the paper's smallest and largest sizes; between them stand the
#: balanced sizes p = a/2 = h.
SIZES = (Size(2, 3, 2), *(Size(p, 2 * p, p) for p in range(2, 9)))
#: Up to 2,550 nodes.
QUICK_SIZES = SIZES[:5]

#: The traffic patterns: name and title.
PATTERNS = {
    "bit_complement": "Bit complement",
    "shift": "Shift",
    "neighbor_3d": "Nearest neighbour",
}


@dataclass(frozen=True)
class Configuration:
    """A routing and a placement.

    Attributes:
        key: its name in tables.
        title: its name in figures, as in the paper.
        routing: the routing of the scenario.
        placement: the placement of the scenario.
    """

    key: str
    title: str
    routing: str
    placement: str = "contiguous"


MINIMAL = Configuration("minimal", "shortest path", "minimal")
RESTRICTED = Configuration("valiant_group", "ValiantRestricted", "valiant_group")
ANY = Configuration("valiant_node", "ValiantAny", "valiant_node")
RANDOMISED = Configuration(
    "random_groups", "ValiantRestricted, groups randomised", "valiant_group", "random_groups"
)
CONFIGURATIONS = (MINIMAL, RESTRICTED, ANY, RANDOMISED)

#: The factors on the latencies of links and routers, by variant.
LATENCY = {"half_latency": 0.5, "double_latency": 2.0}

#: The variants: each changes one thing to test its influence. Name and title.
VARIANTS = {
    "half_latency": "half the latencies",
    "double_latency": "double the latencies",
    "speedup": "crossbar twice as fast as a link",
    "oldest_first": "crossbar serves the oldest packet first",
    "open_grid": "process grid without periodic edges",
    "messages": "256 KiB to one neighbour, then 256 KiB to the other",
    "no_middle": "bit complement without the middle group, which sends to itself",
    "near_shift": "shift by one group, m < h",
    "split_shift": "shift by m = h + h/2 groups",
}


@dataclass(frozen=True)
class Spec:
    """One run of the study.

    Attributes:
        size: the machine.
        pattern: one of `PATTERNS`.
        configuration: routing and placement.
        variant: one of `VARIANTS`; empty for the study proper.
    """

    size: Size
    pattern: str
    configuration: Configuration
    variant: str = ""

    @property
    def key(self) -> str:
        """A name that is also valid for a file."""
        size = f"{self.size.p}-{self.size.a}-{self.size.h}"
        return ".".join(
            part for part in (size, self.pattern, self.configuration.key, self.variant) if part
        )

    @property
    def offset_groups(self) -> int:
        """The shift of `shift` in groups: the smallest m of the paper, except in variants."""
        h = self.size.h
        return {"near_shift": 1, "split_shift": h + h // 2}.get(self.variant, h + 1)

    def scenario(self, seed: int) -> Scenario:
        """Returns the scenario, without a duration."""
        size = self.size
        workload: dict[str, Any] = {
            "kind": "pattern",
            "pattern": self.pattern,
            "load": 1.0,  # "generated continuously at link rate"
            "injection": "periodic",
            "phase": "random",
        }
        job: dict[str, Any] = {
            "name": "traffic",
            "ranks": size.nodes,
            "placement": self.configuration.placement,
        }
        if self.pattern == "shift":
            workload["offset"] = self.offset_groups * size.group_nodes
        if self.pattern == "neighbor_3d":
            workload |= {"grid": process_grid(size), "periodic": self.variant != "open_grid"}
            if self.variant == "messages":
                workload["message"] = "256 KiB"
        if self.variant == "no_middle":
            middle = range(
                size.groups // 2 * size.group_nodes, (size.groups // 2 + 1) * size.group_nodes
            )
            others = [node for node in range(size.nodes) if node not in middle]
            job |= {"ranks": len(others), "placement": {"kind": "nodes", "nodes": others}}
        data = {
            "name": self.key,
            "seed": seed,
            "machine": {"preset": f"prisacari2015({size.p},{size.a},{size.h})"},
            "routing": {"algorithm": self.configuration.routing},
            "jobs": [job | {"workload": workload}],
            "stop": {"duration": "1 us"},
        }
        scenario = Scenario.from_dict(data, source=f"study prisacari2015, {self.key}")
        changes = self._machine_changes(scenario)
        return scenario.replace(changes) if changes else scenario

    def _machine_changes(self, scenario: Scenario) -> Mapping[str, Any]:
        """Returns the keys of the machine that the variant changes, with their values."""
        machine = scenario.machine
        if self.variant in LATENCY:
            factor = LATENCY[self.variant]
            links = {
                "terminal": machine.links.terminal,
                "local": machine.links.local,
                "global": machine.links.global_,
            }
            times = {
                f"machine.links.{name}.latency": link.latency
                for name, link in links.items()
                if link is not None
            }
            times["machine.router.input_latency"] = machine.router.input_latency
            times["machine.router.output_latency"] = machine.router.output_latency
            return {key: f"{int(time * factor)} ps" for key, time in times.items()}
        if self.variant == "speedup":
            return {
                "machine.router.crossbar_bandwidth": (
                    f"{2 * int(machine.links.terminal.bandwidth)} B/s"
                )
            }
        if self.variant == "oldest_first":
            return {"machine.router.arbiter": "age"}
        return {}

    def point(self, seed: int, *, quick: bool) -> Point:
        """Returns the run as a point to simulate, of the quick study or the full one."""
        first = _FIRST_US[self.configuration.key]
        longest = (
            _LONGEST_VARIANT_US if self.variant and self.variant not in LATENCY else _LONGEST_US
        )
        cost = self.size.nodes * first * _HOPS_PER_US[self.configuration.key]
        most = _MAX_PACKETS_QUICK if quick else _MAX_PACKETS
        return Point(
            self.key,
            self.scenario(seed),
            Duration(first * 10**6),
            Duration(longest * 10**6),
            most,
            cost,
        )


#: The time of the first look at a throughput, in us. Queues behind a bottleneck inside a group take
#: long to settle, with randomised groups as without: machines of 42 to 72 nodes look steady at 50
#: us at a rate 5 % too high. The rate of ValiantAny rises so slowly that it looks steady at 25 us.
_FIRST_US = {"minimal": 50, "valiant_group": 100, "valiant_node": 50, "random_groups": 100}
#: An estimate of packet-hops per node and us, to start the most expensive points first.
_HOPS_PER_US = {"minimal": 2, "valiant_group": 60, "valiant_node": 190, "random_groups": 120}
#: The limit of a point is the paper's 10 ms, ...
_LONGEST_US = 10_000
#: ... for a variant, which is only compared, this shorter time, ...
_LONGEST_VARIANT_US = 800
#: ... and this number of packets, some minutes of one core: 0.4 ms of 16,512 nodes that send 6 % of
#: their injection bandwidth.
_MAX_PACKETS = 30_000_000
#: The limit of packets in the quick study. Without it, the few runs that settle slowly would take
#: half of its time.
_MAX_PACKETS_QUICK = 6_000_000


def process_grid(size: Size) -> tuple[int, int, int]:
    """Returns the process grid x, y, z of the nearest neighbour exchange, x fastest.

    The paper does not give the grid. A neighbour in z is x*y ranks away. The neighbours in z must
    be more than h groups apart: the paper asks this of shift, so that no packet leaves the
    intermediate group by the router at which it arrived. Of these grids this is the one with the
    most planes: z = a, because x*y = (a*h + 1) * p is h + 1/a groups. The phase in z does not
    depend on x and y; they are as equal as possible.
    """
    plane = size.groups * size.p
    y = next(d for d in range(isqrt(plane), 0, -1) if plane % d == 0)
    return plane // y, y, size.a


def specs(*, quick: bool) -> list[Spec]:
    """Returns all runs of the study: first the runs of the figures, then the variants."""
    sizes = QUICK_SIZES if quick else SIZES
    runs = [
        Spec(size, pattern, each)
        for size, pattern, each in product(sizes, PATTERNS, CONFIGURATIONS)
    ]
    for variant in LATENCY:
        for size in latency_sizes(quick=quick):
            runs += [
                Spec(size, pattern, each, variant)
                for pattern, each in product(PATTERNS, CONFIGURATIONS)
            ]
        # One size more serves the claims that begin at some size: the last of them beyond 512
        # switches.
        larger = SIZES[2] if quick else SIZES[5]
        runs += [
            Spec(larger, pattern, RESTRICTED, variant) for pattern in ("bit_complement", "shift")
        ]
    size = variant_size(quick=quick)
    valiant = (RESTRICTED, ANY)
    for variant in ("speedup", "oldest_first"):
        runs += [Spec(size, pattern, each, variant) for pattern, each in product(PATTERNS, valiant)]
    runs += [
        Spec(size, "neighbor_3d", each, variant)
        for variant in ("open_grid", "messages")
        for each in valiant
    ]
    runs += [Spec(size, "bit_complement", each, "no_middle") for each in (MINIMAL, *valiant)]
    runs += [Spec(size, "shift", RESTRICTED, variant) for variant in ("near_shift", "split_shift")]
    return runs


def latency_sizes(*, quick: bool) -> tuple[Size, ...]:
    """Returns the sizes at which every run is repeated at other latencies."""
    return (SIZES[1],) if quick else (SIZES[1], SIZES[3], SIZES[4])


def variant_size(*, quick: bool) -> Size:
    """Returns the size of the other variants."""
    return SIZES[1] if quick else SIZES[3]
