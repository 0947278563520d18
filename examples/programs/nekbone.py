"""Nekbone: conjugate gradients on spectral elements.

A rank exchanges the points on its faces, edges and corners with up to 26 neighbours on an open
grid, between sums of 8 B.

Source: Wang et al., IPDPS 2020, IV.B, after Nekbone's scalable workload model (kind "nekbone").
"""

from itertools import product


def program(mpi, dims=(4, 4, 4), elements=13, orders=(8, 11), iterations=30, compute="0 s"):
    gx, gy, gz = dims
    x, y, z = mpi.rank % gx, mpi.rank // gx % gy, mpi.rank // (gx * gy)
    around = [
        (rank, (dx, dy, dz))
        for dz, dy, dx in product((-1, 0, 1), repeat=3)
        if (dx, dy, dz) != (0, 0, 0) and 0 <= x + dx < gx and 0 <= y + dy < gy and 0 <= z + dz < gz
        for rank in [mpi.rank + dx + gx * (dy + gy * dz)]
    ]
    for order in orders:
        points = elements * order + 1
        for _ in range(iterations):
            with mpi.iteration():
                mpi.allreduce(8)
                mpi.compute(compute)
                for rank, way in around:
                    mpi.irecv(rank, _shared(points, way), tag=_tag(*(-step for step in way)))
                for rank, way in around:
                    mpi.isend(rank, _shared(points, way), tag=_tag(*way))
                mpi.waitall()
                mpi.allreduce(8)
                mpi.allreduce(8)


def _shared(points, way):
    """Returns the bytes that a rank shares with a neighbour: 8 B per point."""
    return 8 * points ** way.count(0)


def _tag(dx, dy, dz):
    return (1 + dx) + 3 * (1 + dy) + 9 * (1 + dz)
