"""MILC on a Cray XC40, with ranks in MPI's order or reordered to keep neighbours together."""

from __future__ import annotations

from typing import Any, ClassVar, Literal, NamedTuple

from typing_extensions import override

from pantala.core import native
from pantala.models.base import Count, Flag, PositiveSize
from pantala.text.units import Duration, Size
from pantala.workloads.application import Compute
from pantala.workloads.lattice_layout import box, process_box, split
from pantala.workloads.rank_constraints import RankConstrained

__all__ = ["Milc", "MilcReorder"]


class _Layout(NamedTuple):
    """The layout of ranks on a grid.

    Attributes:
        grid: extents of the grid of ranks.
        block: extents of each block of consecutive ranks.
        faces: bytes to a neighbour along each dimension.
    """

    grid: list[int]
    block: list[int]
    faces: list[int]


class Milc(RankConstrained):
    """MILC: a 4D lattice with a halo exchange that overlaps computing, then small Allreduces.

    An iteration is one step of the conjugate-gradient solver:
    - A rank starts all receives and sends.
    - It computes (`overlap`) and then waits for the messages one by one.
    - It computes again (`compute`).
    - It sums `allreduces` times over all ranks.

    One rank stands for the `processes` of a node. Their data for the processes of one other node
    form one message. MILC's own rule places processes on the lattice. A node holds consecutive
    processes or, with `reorder`, a compact box of processes.

    Source: Chunduri et al., IPDPS 2021, Table I (point-to-point heavy, KB; Allreduce of 8 B; 52% of
    the time in MPI: MPI_Allreduce, MPI_Wait, MPI_Isend) and IV.A (a 4D stencil whose exchange
    overlaps with computing, frequent small Allreduces after each exchange, strong scaling).

    Assumptions, because the paper does not give these values:
    - 64 processes per node, one per core of Theta.
    - A lattice of 4 x 4 x 4 x 4 sites per process.
    - 48 B per site (three complex numbers with parts of 8 B), for half of the sites of a face. The
      other half has the other parity.
    - Two Allreduces per iteration, as in conjugate gradients.
    - The compute times are fitted to the share of MPI.
    """

    paper_ranks: ClassVar[int] = 256
    needs: ClassVar[str] = "processes that divide its lattice and nodes that hold boxes of it"

    kind: Literal["milc"] = "milc"
    """Lattice quantum chromodynamics on a Cray XC40."""
    lattice: tuple[Count, Count, Count, Count] = (32, 32, 32, 128)
    """Sites of the lattice, the first dimension fastest. With weak scaling, the lattice for 256
    ranks."""
    processes: Count = 64
    """MPI processes per node. One rank stands for all of them. 1 makes every process a rank."""
    site: PositiveSize = Size(48)
    """Bytes sent per site."""
    reorder: Flag = False
    """Whether the processes of a node, and also blocks of consecutive ranks, fill compact boxes of
    the lattice."""
    block_ranks: Count = 4
    """Consecutive ranks that `reorder` keeps in one box: the ranks of one router."""
    allreduce: PositiveSize = Size(8)
    """Bytes of an Allreduce."""
    allreduces: Count = 2
    """Allreduces per iteration."""
    iterations: Count = 10
    """Iterations per rank."""
    scaling: Literal["weak", "strong"] = "strong"
    """Scaling to other numbers of ranks. weak keeps the sites per process. strong keeps the lattice
    (IV.A)."""
    overlap: Compute = Compute(time=Duration.parse("33 us"))
    """Computing during the exchange."""
    compute: Compute = Compute(time=Duration.parse("42 us"))
    """Computing after the exchange."""

    def takes(self, ranks: int) -> bool:
        """Returns whether the lattice can be laid out on this number of ranks."""
        return self._layout(ranks) is not None

    def _layout(self, ranks: int) -> _Layout | None:
        """Returns the layout of `ranks` on the lattice; None if they do not fit."""
        reference = split(self.lattice, self.paper_ranks * self.processes)
        weak = self.scaling == "weak" and reference is not None
        grid = (
            native.process_grid(ranks * self.processes, 4)
            if weak
            else split(self.lattice, ranks * self.processes)
        )
        if grid is None:
            return None
        over = reference if weak and reference else grid
        local = [whole // part for whole, part in zip(self.lattice, over, strict=True)]
        inside = (
            box(grid, local, self.processes) if self.reorder else process_box(grid, self.processes)
        )
        if inside is None:
            return None
        nodes = [whole // part for whole, part in zip(grid, inside, strict=True)]
        sides = [of_process * many for of_process, many in zip(local, inside, strict=True)]
        block = (box(nodes, sides, self.block_ranks) if self.reorder else None) or [1] * 4
        sites = [max(1, sides[0] * sides[1] * sides[2] * sides[3] // side // 2) for side in sides]
        faces = [
            count * int(self.site) if extent > 1 else 0
            for count, extent in zip(sites, nodes, strict=True)
        ]
        return _Layout(nodes, block, faces)

    @override
    def as_plan(self, ranks: int) -> dict[str, Any]:
        layout, share = self._layout(ranks), self.share(ranks)
        if layout is None:
            raise ValueError(f"{ranks} ranks do not fit the lattice {self.lattice}")
        return {
            "kind": "phases",
            "grid": layout.grid,
            "block": layout.block,
            "iterations": self.iterations,
            "phases": [
                {
                    "phase": "faces",
                    "message_bytes": layout.faces,
                    "overlap_ps": self.overlap.total(share),
                    "wait": "each",
                    "periodic": True,
                },
                {"phase": "compute", "time_ps": self.compute.total(share)},
                {
                    "phase": "allreduce",
                    "message_bytes": int(self.allreduce),
                    "times": self.allreduces,
                },
            ],
        }


class MilcReorder(Milc):
    """MILCREORDER: MILC with ranks reordered so that lattice neighbours share a node or a router.

    Source: Chunduri et al., IPDPS 2021, Table I (50% of the time in MPI: MPI_Wait, MPI_Allreduce,
    MPI_Isend).

    Assumptions: the paper does not say how ranks are reordered. Compact boxes are chosen here. All
    other values are as in `milc` with `reorder`. The total compute time is the same, but less of it
    overlaps the exchange. The overlap is fitted so that MPI_Wait is the longest call.
    """

    kind: Literal["milcreorder"] = "milcreorder"  # type: ignore[assignment]
    """MILC with reordered ranks."""
    reorder: Flag = True
    """Whether the processes of a node, and also blocks of consecutive ranks, fill compact boxes of
    the lattice."""
    overlap: Compute = Compute(time=Duration.parse("12 us"))
    """Computing during the exchange."""
    compute: Compute = Compute(time=Duration.parse("63 us"))
    """Computing after the exchange."""
