"""The machines, the traffic and the configurations of the paper."""

from __future__ import annotations

from dataclasses import dataclass
from math import isqrt
from typing import Any

__all__ = [
    "CONFIGURATIONS",
    "FIRST_US",
    "PATTERNS",
    "SIZES",
    "Size",
    "changes_of",
    "configuration_axis",
    "process_grid",
    "scenario",
    "shift_of",
    "traffic",
    "traffic_axis",
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

#: The traffic patterns.
PATTERNS = ("bit_complement", "shift", "neighbor_3d")

#: The configurations in the order of the figures: routing and placement.
CONFIGURATIONS = {
    "minimal": ("minimal", "contiguous"),
    "valiant_group": ("valiant_group", "contiguous"),
    "valiant_node": ("valiant_node", "contiguous"),
    "random_groups": ("valiant_group", "random_groups"),
}

#: The time of the first look at a throughput, in us. Queues behind a bottleneck inside a group take
#: long to settle, with randomised groups as without: machines of 42 to 72 nodes look steady at 50
#: us at a rate 5 % too high. The rate of ValiantAny rises so slowly that it looks steady at 25 us.
FIRST_US = {"minimal": 50, "valiant_group": 100, "valiant_node": 50, "random_groups": 100}


def traffic(pattern: str, size: Size) -> str:
    """Returns the name of a case: a pattern on a machine."""
    return f"{pattern} {size}"


def shift_of(size: Size) -> int:
    """Returns the shift in groups: the smallest that the paper allows."""
    return size.h + 1


def changes_of(pattern: str, size: Size, *, groups: int | None = None) -> dict[str, Any]:
    """Returns the values of the scenario for a pattern on a machine.

    Args:
        pattern: one of `PATTERNS`.
        size: the machine.
        groups: the shift in groups in place of `shift_of`.
    """
    workload: dict[str, Any] = {
        "kind": "pattern",
        "pattern": pattern,
        "load": 1.0,  # "generated continuously at link rate"
        "injection": "periodic",
        "phase": "random",
    }
    if pattern == "shift":
        workload["offset"] = (groups or shift_of(size)) * size.group_nodes
    if pattern == "neighbor_3d":
        workload |= {"grid": list(process_grid(size)), "periodic": True}
    return {
        "machine": {"preset": f"prisacari2015({size.p},{size.a},{size.h})"},
        "jobs.0.ranks": size.nodes,
        "jobs.0.workload": workload,
    }


def configuration(name: str) -> dict[str, Any]:
    """Returns the values of the scenario for a configuration."""
    routing, placement = CONFIGURATIONS[name]
    return {
        "routing.algorithm": routing,
        "jobs.0.placement": placement,
        "stop.duration": f"{FIRST_US[name]} us",
    }


def scenario(name: str) -> dict[str, Any]:
    """Returns the scenario that the axes of an experiment change."""
    size = SIZES[0]
    changes = changes_of("shift", size)
    return {
        "name": f"prisacari2015-{name}",
        "seed": 1,
        "machine": changes["machine"],
        "routing": {"algorithm": "minimal"},
        "jobs": [
            {
                "name": "traffic",
                "ranks": size.nodes,
                "placement": "contiguous",
                "workload": changes["jobs.0.workload"],
            }
        ],
        "stop": {"duration": "50 us"},
    }


def traffic_axis(sizes: tuple[Size, ...], patterns: tuple[str, ...] = PATTERNS) -> dict[str, Any]:
    """Returns the axis of patterns on machines."""
    cases = {
        traffic(pattern, size): changes_of(pattern, size) for size in sizes for pattern in patterns
    }
    return {"name": "traffic", "cases": cases}


def configuration_axis(names: tuple[str, ...] = tuple(CONFIGURATIONS)) -> dict[str, Any]:
    """Returns the axis of configurations."""
    return {"name": "configuration", "cases": {name: configuration(name) for name in names}}


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
