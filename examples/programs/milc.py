"""MILC with one rank per node: conjugate gradients on a periodic grid of four dimensions.

A rank exchanges its faces with eight neighbours, for even and then for odd sites, computes
meanwhile, and then takes part in two sums.

Source: Wang et al., IPDPS 2020, IV.B, after MILC's scalable workload model (kind "milc_swm").
"""


def program(
    mpi, dims=(2, 2, 4, 4), iterations=50, exchanges=2, sums=2, face=497_664, compute="0 s"
):
    neighbours, stride = [], 1
    for extent in dims:
        at = mpi.rank // stride % extent
        if extent > 1:
            neighbours.append(mpi.rank + ((at - 1) % extent - at) * stride)
            neighbours.append(mpi.rank + ((at + 1) % extent - at) * stride)
        stride *= extent
    for _ in range(iterations):
        with mpi.iteration():
            for _ in range(exchanges):
                for number, rank in enumerate(neighbours):
                    mpi.irecv(rank, face, tag=number ^ 1)
                for number, rank in enumerate(neighbours):
                    mpi.isend(rank, face, tag=number)
                mpi.compute(compute)
                mpi.waitall()
            for _ in range(sums):
                mpi.allreduce(8)
