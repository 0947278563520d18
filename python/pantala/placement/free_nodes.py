"""The free nodes of a machine by group, and the random orders of placements."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from typing import TypeVar

__all__ = ["FreeNodes", "fraction", "shuffled"]

_Item = TypeVar("_Item", int, str)


def shuffled(items: Iterable[_Item], seed: int, *purpose: str) -> list[_Item]:
    """Returns items in a random order.

    The key of an item depends on the seed, the purpose and the item only. So an item more or less
    leaves the order of the others as it is.

    Args:
        items: distinct items.
        seed: the scenario's seed.
        purpose: what the order is for, such as a job's name.
    """
    start = hashlib.blake2b("\0".join([str(seed), *purpose, ""]).encode(), digest_size=16)

    def key(item: _Item) -> bytes:
        made = start.copy()
        made.update(str(item).encode())
        return made.digest()

    return sorted(items, key=key)


def fraction(seed: int, *purpose: str) -> float:
    """Returns a random number from 0 to below 1, which depends on the seed and the purpose only."""
    text = "\0".join([str(seed), *purpose]).encode()
    return int.from_bytes(hashlib.blake2b(text, digest_size=6).digest(), "big") / 2**48


class FreeNodes:
    """The nodes of a machine that no job has yet. Nodes are numbered group by group.

    Attributes:
        groups: the free nodes of each group, in order.
        nodes: the number of all nodes.
        group_size: the number of all nodes of a group.
        service: the service nodes, which no job gets.
    """

    def __init__(self, nodes: int, groups: int, service: Iterable[tuple[int, int]] = ()) -> None:
        self.nodes, self.group_size = nodes, nodes // groups
        self.groups = [
            list(range(group * self.group_size, (group + 1) * self.group_size))
            for group in range(groups)
        ]
        self.service = {
            node for first, last in service for node in range(first, last + 1) if node < nodes
        }
        self.take(self.service)

    def __len__(self) -> int:
        return sum(len(group) for group in self.groups)

    def __iter__(self) -> Iterator[int]:
        return (node for group in self.groups for node in group)

    def take(self, nodes: Iterable[int]) -> None:
        """Removes nodes; those that are not free are ignored."""
        taken = set(nodes)
        for group in {node // self.group_size for node in taken}:
            if 0 <= group < len(self.groups):
                self.groups[group] = [node for node in self.groups[group] if node not in taken]
