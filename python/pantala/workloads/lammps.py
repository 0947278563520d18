"""LAMMPS: molecular dynamics with long-range forces."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import product
from typing import Any, ClassVar, Literal

from pantala.core import native
from pantala.models.base import Count
from pantala.workloads.application import Application, Compute

__all__ = ["Lammps"]

#: The box of the workload model in Angstrom (32,000 atoms of rhodopsin in water), and the density
#: of its mesh in points per Angstrom.
_BOX = (55.0, 77.0, 72.7261)
_MESH = (72 / 165, 96 / 231, 90 / 218.1783)
#: Depth of the ghost layer of atoms in Angstrom, and of the mesh in points.
_GHOSTS = 12.0
_MESH_GHOSTS = 3
#: Bytes per cubic Angstrom of ghosts, bytes per cubic Angstrom of newly chosen ghosts, and bytes
#: per square Angstrom of a surface that atoms cross.
_GHOST, _BORDER, _MIGRATION = 2.4884, 6.63563, 3.08674
#: Bytes per mesh point: a charge, three fields, a complex number.
_CHARGE, _FIELD, _COMPLEX = 8, 24, 16


class Lammps(Application):
    """LAMMPS: molecular dynamics with ghost exchanges, Fourier transforms and small Allreduces.

    Source: Wang et al., IPDPS 2020, IV.B (2,048 ranks; small Allreduces; blocking sends and
    non-blocking receives of 4 B to 135 KiB). All other details follow LAMMPS' scalable workload
    model and its input, which the paper cites:
    - The problem is 3 x 3 x 3 boxes of 32,000 atoms. Ranks divide it so that the parts have the
      least surface.
    - Ghosts are the atoms within 12 Angstrom of a part. They take 2.49 B per cubic Angstrom, or
      6.64 B in the steps that choose new ghosts (about every tenth step).
    - Ghosts go to the neighbours along x, then y, then z. Later messages include ghosts from
      earlier ones and are larger. The largest message has 136,583 B.
    - The Allreduces have 4 B, 8 B and 48 B.
    - The model's input runs the computing a million times as fast as measured. It is zero here.

    Assumptions:
    - The paper's run has that input.
    - Remaps of the mesh are even exchanges in rows and columns of ranks. The model computes the
      overlaps of bricks and pencils.
    - The ghost layer of the mesh is three points deep.
    """

    paper_ranks: ClassVar[int] = 2_048

    kind: Literal["lammps"] = "lammps"
    """Molecular dynamics with long-range forces."""
    grid: tuple[Count, Count, Count] | None = None
    """Ranks along x, y and z, x fastest. The product is the job's number of ranks. Default: the
    grid whose parts have the least surface."""
    replicas: tuple[Count, Count, Count] = (3, 3, 3)
    """Boxes along x, y and z. With weak scaling, the boxes for the paper's number of ranks."""
    iterations: Count = 10
    """Time steps."""
    rebuild_every: Count = 10
    """Steps between two choices of ghosts."""
    compute: Compute = Compute()
    """Computing per step."""

    def as_plan(self, ranks: int) -> dict[str, Any]:
        """Returns the plan's workload object for a job of `ranks`.

        Strong scaling leaves the box unchanged.
        """
        stretch = (ranks / self.paper_ranks) ** (1 / 3) if self.scaling == "weak" else 1.0
        box = [side * count * stretch for side, count in zip(_BOX, self.replicas, strict=True)]
        grid = list(self.grid) if self.grid is not None else _least_surface(ranks, box)
        part = [side / extent for side, extent in zip(box, grid, strict=True)]
        mesh = [side * density for side, density in zip(part, _MESH, strict=True)]
        ghosts = _shells(part, _GHOSTS)
        charges = _shells(mesh, _MESH_GHOSTS)
        sides = [part[1] * part[2], part[0] * part[2], part[0] * part[1]]
        rows, columns = native.process_grid(ranks, 2)
        points = mesh[0] * mesh[1] * mesh[2]
        return {
            "kind": "particle_mesh",
            "grid": grid,
            "transform_grid": [rows, columns],
            "ghost_bytes": _bytes(ghosts, _GHOST),
            "border_bytes": _bytes(ghosts, _BORDER),
            "migration_bytes": _bytes(sides, _MIGRATION),
            "charge_bytes": _bytes(charges, _CHARGE),
            "field_bytes": _bytes(charges, _FIELD),
            "remap_bytes": _bytes([points / columns, points / rows], _COMPLEX),
            "remaps": 13,
            "rebuild_every": self.rebuild_every,
            "rebuild_checks": min(5, self.rebuild_every),
            "iterations": self.iterations,
            "compute_ps": self.compute.total(self.share(ranks)),
        }


def _shells(part: list[float], depth: float) -> list[float]:
    """Returns the volumes sent to one neighbour along x, y and z.

    Each volume includes the ghosts received along the earlier dimensions.
    """
    x, y, z = part
    return [y * z * depth, (x + 2 * depth) * z * depth, (x + 2 * depth) * (y + 2 * depth) * depth]


def _bytes(volumes: list[float], density: float) -> list[int]:
    return [max(1, round(volume * density)) for volume in volumes]


def _least_surface(ranks: int, box: list[float]) -> list[int]:
    """Returns the grid of `ranks` whose parts of the box have the least surface.

    If several grids have the least surface, the first one counts.
    """
    divisors = [extent for extent in range(1, ranks + 1) if ranks % extent == 0]
    grids = [
        (x, y, ranks // (x * y)) for x, y in product(divisors, divisors) if ranks % (x * y) == 0
    ]

    def surface(grid: Iterable[int]) -> float:
        x, y, z = (side / extent for side, extent in zip(box, grid, strict=True))
        return x * y + x * z + y * z

    return list(min(grids, key=surface))
