// Wavefronts from the corner of a grid of ranks: receive from above and left, send down and right.
#include <mpi.h>

int main(int argc, char **argv) {
    int ranks, rank, dims[2] = {0, 0};
    static double edge[128];
    MPI_Init(&argc, &argv);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Dims_create(ranks, 2, dims);
    int row = rank / dims[1], column = rank % dims[1];
    for (int wave = 0; wave < 4; wave++) {
        if (row > 0)
            MPI_Recv(edge, 128, MPI_DOUBLE, rank - dims[1], wave, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
        if (column > 0)
            MPI_Recv(edge, 64, MPI_DOUBLE, rank - 1, wave, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (row < dims[0] - 1)
            MPI_Send(edge, 128, MPI_DOUBLE, rank + dims[1], wave, MPI_COMM_WORLD);
        if (column < dims[1] - 1)
            MPI_Send(edge, 64, MPI_DOUBLE, rank + 1, wave, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
