"""NN: every rank of a periodic grid exchanges with its six neighbours, dimension by dimension.

Source: Wang et al., IPDPS 2020, IV.B (512 ranks, messages of 128 KiB).
"""


def program(mpi, dims=(4, 4, 4), iterations=100, message="128 KiB"):
    # In a Cartesian communicator the last dimension is the fastest; here the first is.
    place = [mpi.rank // stride % extent for stride, extent in _strides(dims)]
    for _ in range(iterations):
        with mpi.iteration():
            for (stride, extent), at in zip(_strides(dims), place, strict=True):
                if extent == 1:
                    continue
                below = mpi.rank + ((at - 1) % extent - at) * stride
                above = mpi.rank + ((at + 1) % extent - at) * stride
                mpi.irecv(below, message, tag=1)
                mpi.irecv(above, message, tag=0)
                mpi.send(below, message, tag=0)
                mpi.send(above, message, tag=1)
                mpi.waitall()


def _strides(dims):
    """Returns stride and extent of each dimension."""
    strides, stride = [], 1
    for extent in dims:
        strides.append((stride, extent))
        stride *= extent
    return strides
