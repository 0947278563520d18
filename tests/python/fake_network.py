"""A small fluid model of a Dragonfly: link tables and traffic for fake runs, in the shape that real runs have."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

Integers = np.ndarray[Any, np.dtype[np.int64]]
Floats = np.ndarray[Any, np.dtype[np.float64]]


@dataclass(frozen=True)
class Machine:
    """A fully populated 1D Dragonfly with one global link a group pair, absolute wiring."""

    p: int = 4
    a: int = 8
    h: int = 4

    @property
    def g(self) -> int:
        return self.a * self.h + 1

    @property
    def routers(self) -> int:
        return self.g * self.a

    @property
    def nodes(self) -> int:
        return self.routers * self.p

    def injection(self, node: Integers) -> Integers:
        return node

    def ejection(self, node: Integers) -> Integers:
        return self.nodes + node

    def local(self, router: Integers, peer: Integers) -> Integers:
        """Link from `router` to its group's local router `peer` (0..a-1, not itself)."""
        own = router % self.a
        return 2 * self.nodes + router * (self.a - 1) + peer - (peer > own)

    def global_(self, group: Integers, target: Integers) -> Integers:
        k = target - (target > group)
        return 2 * self.nodes + self.routers * (self.a - 1) + group * self.a * self.h + k

    def gateway(self, group: Integers, target: Integers) -> Integers:
        """Local number of the router in `group` that owns the link to `target`."""
        return (target - (target > group)) // self.h

    def links(self) -> pl.DataFrame:
        """The identity columns of the links table."""
        nodes = np.arange(self.nodes)
        router, peer = (x.ravel() for x in np.meshgrid(np.arange(self.routers), np.arange(self.a), indexing="ij"))
        keep = router % self.a != peer
        router, peer = router[keep], peer[keep]
        group, target = (x.ravel() for x in np.meshgrid(np.arange(self.g), np.arange(self.g), indexing="ij"))
        keep = group != target
        group, target = group[keep], target[keep]
        k, back = target - (target > group), group - (group > target)
        empty = pl.Series([None] * self.nodes, dtype=pl.UInt32)
        at = {"router": nodes // self.p, "port": nodes % self.p, "group": nodes // (self.p * self.a)}
        first_local, first_global = self.p, self.p + self.a - 1
        own = router % self.a
        parts = [
            {"class": "injection", **{f"source_{x}": empty for x in at}, **{f"target_{x}": v for x, v in at.items()}},
            {"class": "ejection", **{f"source_{x}": v for x, v in at.items()}, **{f"target_{x}": empty for x in at}},
            {
                "class": "local",
                "source_router": router,
                "source_port": first_local + peer - (peer > own),
                "source_group": router // self.a,
                "target_router": router - own + peer,
                "target_port": first_local + own - (own > peer),
                "target_group": router // self.a,
            },
            {
                "class": "global",
                "source_router": group * self.a + k // self.h,
                "source_port": first_global + k % self.h,
                "source_group": group,
                "target_router": target * self.a + back // self.h,
                "target_port": first_global + back % self.h,
                "target_group": target,
            },
        ]
        frames = []
        for part in parts:
            node = nodes if part["class"] in {"injection", "ejection"} else None
            columns = {name: pl.Series(name, value) if name != "class" else value for name, value in part.items()}
            frame = pl.DataFrame({n: v for n, v in columns.items() if n != "class"})
            frames.append(
                frame.select(
                    pl.lit(columns["class"]).alias("class"),
                    *(pl.col(n).cast(pl.UInt32) for n in frame.columns),
                    (pl.lit(None) if node is None else pl.Series(node)).cast(pl.UInt32).alias("node"),
                )
            )
        return pl.concat(frames).with_row_index("link")

    def carry(self, source: Integers, target: Integers, size: Floats, detour: float, seed: int) -> Floats:
        """Bytes on every link when `size[i]` bytes go from node to node, a share `detour` of it non-minimally."""
        random = np.random.default_rng(seed)
        load = np.zeros(2 * self.nodes + self.routers * (self.a - 1) + self.g * self.a * self.h)
        np.add.at(load, self.injection(source), size)
        np.add.at(load, self.ejection(target), size)
        here, there = source // self.p, target // self.p
        same = here // self.a == there // self.a
        self._hop(load, here[same], there[same] % self.a, size[same])
        here, there, size = here[~same], there[~same], size[~same]
        self._minimal(load, here, there, size * (1 - detour))
        for _ in range(2):
            middle = random.integers(0, self.g, len(here))
            clash = (middle == here // self.a) | (middle == there // self.a)
            self._minimal(load, here[clash], there[clash], size[clash] * detour / 2)
            ok = ~clash
            entry = middle[ok] * self.a + self.gateway(middle[ok], here[ok] // self.a)
            self._minimal(load, here[ok], entry, size[ok] * detour / 2)
            self._minimal(load, entry, there[ok], size[ok] * detour / 2)
        return load

    def _hop(self, load: Floats, router: Integers, peer: Integers, size: Floats) -> None:
        move = router % self.a != peer
        np.add.at(load, self.local(router[move], peer[move]), size[move])

    def _minimal(self, load: Floats, here: Integers, there: Integers, size: Floats) -> None:
        group, target = here // self.a, there // self.a
        self._hop(load, here, self.gateway(group, target), size)
        np.add.at(load, self.global_(group, target), size)
        self._hop(load, target * self.a + self.gateway(target, group), there % self.a, size)


def alltoall_flows(nodes: Integers, rows: int, columns: int, size: float) -> tuple[Integers, Integers, Floats]:
    """FFT3D: every rank to every other rank of its row and of its column, in both directions of the transform."""
    rank = np.arange(len(nodes))
    pairs = [
        (i, j) for i in rank for j in rank if i != j and (i // columns == j // columns or i % columns == j % columns)
    ]
    source, target = np.array(pairs).T
    return nodes[source], nodes[target], np.full(len(pairs), 2 * size)


def halo_flows(nodes: Integers, grid: tuple[int, int, int], size: float) -> tuple[Integers, Integers, Floats]:
    """Halo3D: every rank to its neighbours in an open grid."""
    place = np.arange(len(nodes)).reshape(grid)
    pairs = []
    for axis in range(3):
        low = place.take(range(grid[axis] - 1), axis).ravel()
        high = place.take(range(1, grid[axis]), axis).ravel()
        pairs += [(low, high), (high, low)]
    source, target = np.concatenate([a for a, _ in pairs]), np.concatenate([b for _, b in pairs])
    return nodes[source], nodes[target], np.full(len(source), size)
