"""CosmoFlow: training of a neural network. Each step computes, then sums the gradient.

Source: Wang et al., IPDPS 2020, IV.B (28.15 MiB every 129 ms), rounded to a multiple of 4 B.
"""


def program(mpi, steps=4, gradient=29_517_416, compute="129 ms"):
    for _ in range(steps):
        with mpi.iteration():
            mpi.compute(compute)
            mpi.allreduce(gradient)
