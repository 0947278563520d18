"""The process grids that Ember chooses if a motif gives none."""

from __future__ import annotations

from math import isqrt

__all__ = ["grid_2d", "grid_3d"]


def grid_3d(given: tuple[int, int, int], ranks: int) -> tuple[int, int, int]:
    """Returns the grid of `pex`, `pey`, `pez`; Ember's choice if one of them is 0.

    Ember tries all extents below the number of ranks in three loops, x outermost. It keeps the last
    grid with the smallest variance, with both divisions in whole numbers. It starts from (ranks, 1,
    1).
    """
    if all(given):
        return given
    best = (ranks, 1, 1)
    extents = [extent for extent in range(1, ranks) if ranks % extent == 0]
    for x in extents:
        for y in extents:
            z, rest = divmod(ranks, x * y)
            if rest == 0 and z < ranks and _variance(x, y, z) <= _variance(*best):
                best = (x, y, z)
    return best


def grid_2d(given: tuple[int, int], ranks: int) -> tuple[int, int]:
    """Returns the grid of `sizex`, `sizey`; Ember's choice if one of them is 0.

    Ember takes the largest divisor of the number of ranks that is at most its square root as x.
    """
    if all(given):
        return given
    x = next(extent for extent in range(isqrt(ranks), 0, -1) if ranks % extent == 0)
    return x, ranks // x


def _variance(x: int, y: int, z: int) -> int:
    return (x * x + y * y + z * z) // 3 - ((x + y + z) // 3) ** 2
