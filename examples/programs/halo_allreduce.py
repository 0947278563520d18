"""A halo exchange on a torus, with an Allreduce in every fifth iteration."""


def program(mpi, iterations=100, dims=(4, 4, 4), face="64 KiB", compute="20 us"):
    torus = mpi.create_cart(dims, periods=True)
    neighbours = [rank for dimension in range(len(dims)) for rank in torus.shift(dimension)]
    for step in range(iterations):
        with mpi.iteration():
            for rank in neighbours:
                torus.irecv(rank, face)
            for rank in neighbours:
                torus.isend(rank, face)
            mpi.compute(compute)
            mpi.waitall()
            if step % 5 == 4:
                mpi.allreduce(8)
