"""Random numbers and orders of what a scenario draws itself, such as its background."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from typing import TypeVar

__all__ = ["fraction", "shuffled"]

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
