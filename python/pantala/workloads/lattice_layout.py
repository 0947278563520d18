"""Layouts of a lattice on processes: MILC's rule, and boxes of processes on one node."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

__all__ = ["box", "factors", "process_box", "split"]


def factors(number: int) -> list[int]:
    """Returns the prime factors of a number in falling order; the list is empty for 1."""
    found, divisor = [], 2
    while divisor * divisor <= number:
        while number % divisor == 0:
            found.append(divisor)
            number //= divisor
        divisor += 1
    return sorted([*found, *([number] if number > 1 else [])], reverse=True)


def split(lattice: Sequence[int], processes: int) -> list[int] | None:
    """Returns the process grid on which MILC lays out a lattice; None if no grid is possible.

    The rule is MILC's `layout_hyper_prime`. It takes the prime factors of the number of processes,
    largest first. Each factor divides the longest remaining side that it can divide. If several
    sides are equally long, it divides the first that is already divided, or else the first.
    """
    local = list(lattice)
    for prime in factors(processes):
        sides = [side for side in range(len(local)) if local[side] % prime == 0]
        if not sides:
            return None
        local[max(sides, key=lambda side: (local[side], local[side] < lattice[side]))] //= prime
    return [whole // part for whole, part in zip(lattice, local, strict=True)]


def process_box(grid: Sequence[int], processes: int) -> list[int] | None:
    """Returns the extents of the box that `processes` consecutive processes fill; None if no box.

    The first dimension of the grid is the fastest.
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
    """Returns the extents of a compact box of `cells` that divides the grid; None if there is none.

    Args:
        grid: the grid of cells.
        sides: length of a cell along each dimension.
        cells: number of cells per box.
    """
    extents = [1] * len(grid)
    for prime in factors(cells):
        fitting = [d for d in range(len(grid)) if grid[d] % (extents[d] * prime) == 0]
        if not fitting:
            return None
        extents[min(fitting, key=lambda d: extents[d] * sides[d])] *= prime
    return extents if prod(extents) == cells else None
