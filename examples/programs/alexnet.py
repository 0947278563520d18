"""AlexNet under Horovod: negotiations by rank 0, and several Allreduces of the gradient.

Rank 0 first broadcasts the parameters.

Source: Wang et al., IPDPS 2020, IV.B and Tables IV and V, read as Pantala's kind "alexnet" reads
them. Sizes are multiples of 4 B, except the negotiations of 25 B.
"""


def program(
    mpi,
    updates=279,
    tensors=16,
    tensor=15_400_960,
    agreements=5,
    negotiations=7,
    allreduces=7,
    gradient=35_202_196,
    compute="129 ms",
):
    for _ in range(tensors):
        mpi.bcast(tensor)
    for _ in range(agreements):
        mpi.allreduce(4)
    for _ in range(updates):
        with mpi.iteration():
            mpi.compute(compute)
            for number in range(negotiations):
                mpi.bcast(25 if number % 2 else 4)
            for _ in range(allreduces):
                mpi.allreduce(gradient)
