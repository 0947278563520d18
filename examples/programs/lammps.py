"""LAMMPS: molecular dynamics with long-range forces on a mesh.

A time step sums temperature and pressure, exchanges ghost atoms and values of the mesh with six
neighbours one after another, transforms the mesh in rows and columns of ranks, and sums again.
Every tenth step chooses new ghosts. The default sizes are those of 64 ranks, rounded to multiples
of 4 B.

Source: Wang et al., IPDPS 2020, IV.B, after LAMMPS' scalable workload model (kind "lammps").
"""


def program(
    mpi,
    dims=(4, 4, 4),
    rows=8,
    columns=8,
    ghosts=(9_332, 18_980, 46_608),
    borders=(24_888, 50_608, 124_280),
    migrations=(968, 692, 732),
    charges=(1_288, 1_988, 3_800),
    fields=(3_860, 5_956, 11_396),
    in_row=608,
    in_column=608,
    remaps=13,
    rebuild_every=10,
    rebuild_checks=5,
    steps=10,
    compute="0 s",
):
    neighbours, stride = [], 1  # by dimension: the ranks below and above
    for extent in dims:
        at = mpi.rank // stride % extent
        sides = [mpi.rank + ((at + way) % extent - at) * stride for way in (-1, 1)]
        neighbours.append(sides if extent > 1 else [])
        stride *= extent

    def exchange(sizes, order, *, announced=False):
        for dimension in order:
            for way, rank in enumerate(neighbours[dimension]):
                source, tag = neighbours[dimension][1 - way], 2 * dimension + way
                if announced:  # the length goes ahead
                    mpi.sendrecv(rank, 4, source, tag)
                mpi.irecv(source, sizes[dimension], tag)
                mpi.send(rank, sizes[dimension], tag)
                mpi.waitall()

    def remap(members, apart, size):
        at = mpi.rank // apart % members
        others = [(at + step) % members - at for step in range(1, members)]
        for other in reversed(others):
            mpi.irecv(mpi.rank + other * apart, size)
        for other in others:
            mpi.send(mpi.rank + other * apart, size)
        mpi.waitall()

    for step in range(steps):
        with mpi.iteration():
            mpi.compute(compute)
            mpi.allreduce(48)
            mpi.allreduce(48)
            if step % rebuild_every + rebuild_checks >= rebuild_every:
                mpi.allreduce(4)
            if step % rebuild_every + 1 == rebuild_every:
                exchange(migrations, (0, 1, 2), announced=True)
                exchange(borders, (0, 1, 2), announced=True)
                for _ in range(5):
                    mpi.allreduce(4)
            else:
                exchange(ghosts, (0, 1, 2))
            exchange(charges, (2, 1, 0))
            for number in range(remaps):
                whole = in_column if number % 2 else in_row
                size = (whole + 1) // 2 if number == 0 else whole
                remap(*((rows, columns) if number % 2 else (columns, 1)), size)
            exchange(fields, (0, 1, 2))
            mpi.allreduce(48)
            exchange(ghosts, (2, 1, 0))
            exchange(ghosts, (0, 1, 2))
            mpi.allreduce(8)
            mpi.allreduce(48)
