"""How lattice codes lay a lattice out on processes: MILC's rule, and the boxes that processes on
one node fill.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

__all__ = ["box", "factors", "process_box", "split"]


def factors(number: int) -> list[int]:
    """The prime factors of a number, falling; none of 1."""
    found, divisor = [], 2
    while divisor * divisor <= number:
        while number % divisor == 0:
            found.append(divisor)
            number //= divisor
        divisor += 1
    return sorted([*found, *([number] if number > 1 else [])], reverse=True)


def split(lattice: Sequence[int], processes: int) -> list[int] | None:
    """The grid of processes on which MILC lays a lattice out (its `layout_hyper_prime`); None if
    there is none.

    The prime factors of the number of processes, the largest first, divide the lattice's side that
    is the longest then, of those that the factor divides; the first of equal ones.
    """
    local = list(lattice)
    for prime in factors(processes):
        sides = [side for side in range(len(local)) if local[side] % prime == 0]
        if not sides:
            return None
        local[max(sides, key=lambda side: local[side])] //= prime
    return [whole // part for whole, part in zip(lattice, local, strict=True)]


def process_box(grid: Sequence[int], processes: int) -> list[int] | None:
    """The extents of the box that so many processes in a row fill, the first dimension fastest;
    None if it is none.
    """
    extents, rest = [], processes
    for extent in grid:
        taken = min(extent, rest)
        if rest % taken or extent % taken:
            return None
        extents.append(taken)
        rest //= taken
    return extents if rest == 1 else None


def box(grid: Sequence[int], sides: Sequence[int], cells: int) -> list[int] | None:
    """The extents of a compact box of so many cells, which divides the grid; None if there is none.

    Args:
        grid: the grid of cells.
        sides: how long a cell is along each dimension.
        cells: how many cells a box has.
    """
    extents = [1] * len(grid)
    for prime in factors(cells):
        fitting = [d for d in range(len(grid)) if grid[d] % (extents[d] * prime) == 0]
        if not fitting:
            return None
        extents[min(fitting, key=lambda d: extents[d] * sides[d])] *= prime
    return extents if prod(extents) == cells else None
