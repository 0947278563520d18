"""The six programs of this folder as Python programs of a job."""


def ping_pong(mpi):
    size = 1
    while size <= 65536:
        for _ in range(4):
            if mpi.rank == 0:
                mpi.send(1, size, tag=7)
                mpi.recv(1, size, tag=7)
            elif mpi.rank == 1:
                mpi.recv(0, size, tag=7)
                mpi.send(0, size, tag=7)
        size *= 16


def halo(mpi, dims=(3, 2)):
    grid = mpi.create_cart(dims, periods=(False, True))
    up, down = grid.shift(0)
    left, right = grid.shift(1)
    for _ in range(5):
        for rank, tag in ((up, 1), (down, 2), (left, 3), (right, 4)):
            grid.irecv(rank, 64 * 8, tag=tag)
        for rank, tag in ((up, 2), (down, 1), (left, 4), (right, 3)):
            grid.isend(rank, 64 * 8, tag=tag)
        mpi.waitall()
        grid.allreduce(8)
    grid.free()


def all_to_all(mpi):
    for _ in range(3):
        mpi.alltoall(256 * 4)
        mpi.alltoallv([4 * (mpi.rank + 1)] * mpi.size, [4 * (i + 1) for i in range(mpi.size)])


def ring_allreduce(mpi):
    following, last = (mpi.rank + 1) % mpi.size, (mpi.rank - 1) % mpi.size
    for step in range(2 * (mpi.size - 1)):
        mpi.sendrecv(following, 4096 * 4, last, tag=step)


def subcommunicators(mpi, columns=2):
    row = mpi.split(mpi.rank // columns, mpi.rank)
    column = mpi.split(mpi.rank % columns, -mpi.rank)
    copy = row.dup()
    for _ in range(3):
        row.allreduce(8)
        column.bcast(8, root=0)
        copy.barrier()
    if row.size > 1 and row.rank == 0:
        row.send(row.size - 1, 8, tag=3)
    if row.size > 1 and row.rank == row.size - 1:
        row.recv(0, 8, tag=3)
    copy.free()
    row.free()
    column.free()


def wavefront(mpi, rows=3, columns=2):
    row, column = divmod(mpi.rank, columns)
    for wave in range(4):
        if row > 0:
            mpi.recv(mpi.rank - columns, 128 * 8, tag=wave)
        if column > 0:
            mpi.recv(mpi.rank - 1, 64 * 8, tag=wave)
        if row < rows - 1:
            mpi.send(mpi.rank + columns, 128 * 8, tag=wave)
        if column < columns - 1:
            mpi.send(mpi.rank + 1, 64 * 8, tag=wave)
