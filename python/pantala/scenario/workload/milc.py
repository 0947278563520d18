"""MILC on a Cray XC40, with its ranks in MPI's order or in one that keeps neighbours together."""

from __future__ import annotations

from typing import Any, ClassVar, Literal, NamedTuple

from pantala import native
from pantala.scenario.base import Count, Flag, PositiveSize
from pantala.scenario.workload.application import Compute
from pantala.scenario.workload.lattice_layout import box, process_box, split
from pantala.scenario.workload.rank_constraints import RankConstrained
from pantala.units import Duration, Size

__all__ = ["Milc", "MilcReorder"]


class _Layout(NamedTuple):
    """Ranks on a grid: extents, blocks of ranks that follow each other, bytes to a neighbour along
    each dimension.
    """

    grid: list[int]
    block: list[int]
    faces: list[int]


class Milc(RankConstrained):
    """MILC: an exchange with the neighbours of a four-dimensional lattice beside computing, then
    small Allreduces.

    Source: Chunduri et al., IPDPS 2021, Table I (point-to-point heavy, KB; Allreduce of 8 B; 52% of
    the time in MPI: MPI_Allreduce, MPI_Wait, MPI_Isend) and IV.A: a 4D stencil, its exchange
    overlapped with computing, frequent small Allreduces at the end of each exchange, strong
    scaling.

    An iteration is one of the solver (conjugate gradients): start all receives and sends, compute
    (`overlap`), wait for them one by one, compute, sum `allreduces` times over all ranks. A rank
    stands for the `processes` of a node: what they send to those of another node is one message.
    Processes are on the lattice as MILC lays them out; a node has as many that follow each other,
    with `reorder` a compact box.

    Assumptions, since the paper does not say: 64 processes a node, one a core of Theta's; the
    lattice, of 4 x 4 x 4 x 4 sites a process; 48 B a site (three complex numbers of 8 B each part)
    on half of the sites of a face, the other half being of the other parity; two Allreduces an
    iteration, as conjugate gradients have; the times, which are fitted to the share of MPI.
    """

    paper_ranks: ClassVar[int] = 256
    needs: ClassVar[str] = "processes that divide its lattice and nodes that hold boxes of it"

    kind: Literal["milc"] = "milc"
    """Lattice quantum chromodynamics on a Cray XC40."""
    lattice: tuple[Count, Count, Count, Count] = (32, 32, 32, 128)
    """Sites of the lattice, the first dimension fastest; with weak scaling, that of 256 ranks."""
    processes: Count = 64
    """MPI processes of a node, for which a rank stands; 1 if every one is a rank of its own."""
    site: PositiveSize = Size(48)
    """Bytes that are sent of a site."""
    reorder: Flag = False
    """Whether a node's processes fill a compact box of the lattice, and ranks that follow each
    other do so too."""
    block_ranks: Count = 4
    """How many ranks that follow each other `reorder` keeps in a box: those of a router."""
    allreduce: PositiveSize = Size(8)
    """Bytes of an Allreduce."""
    allreduces: Count = 2
    """Allreduces an iteration."""
    iterations: Count = 10
    """Iterations of every rank."""
    scaling: Literal["weak", "strong"] = "strong"
    """What stays the same with another number of ranks: weak, a process's sites; strong, the
    lattice (IV.A)."""
    overlap: Compute = Compute(time=Duration.parse("33 us"))
    """Computing while the exchange is under way."""
    compute: Compute = Compute(time=Duration.parse("42 us"))
    """Computing after the exchange."""

    def takes(self, ranks: int) -> bool:
        """Whether the lattice can be laid out on so many."""
        return self._layout(ranks) is not None

    def _layout(self, ranks: int) -> _Layout | None:
        """How ranks are on the lattice; None if they do not fit."""
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

    def as_plan(self, ranks: int) -> dict[str, Any]:
        """The plan's workload object, for a job of `ranks`."""
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
    """MILCREORDER: MILC with its ranks reordered, so that neighbours of the lattice are on a node
    and on a router.

    Source: Chunduri et al., IPDPS 2021, Table I (50% of the time in MPI: MPI_Wait, MPI_Allreduce,
    MPI_Isend). How ranks are reordered the paper does not say; compact boxes are an assumption. All
    else is as in `milc`, with `reorder`: as much computing in all, of which less overlaps the
    exchange, which is fitted to MPI_Wait being the longest call.
    """

    kind: Literal["milcreorder"] = "milcreorder"  # type: ignore[assignment]
    """The same with ranks reordered."""
    reorder: Flag = True
    """Whether a node's processes fill a compact box of the lattice, and ranks that follow each
    other do so too."""
    overlap: Compute = Compute(time=Duration.parse("12 us"))
    """Computing while the exchange is under way."""
    compute: Compute = Compute(time=Duration.parse("63 us"))
    """Computing after the exchange."""
