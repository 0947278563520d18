// Rows and columns of a grid of ranks, each with a communicator of its own.
#include <mpi.h>

int main(int argc, char **argv) {
    int ranks, rank, dims[2] = {0, 0}, size;
    double value = 1, sum;
    MPI_Init(&argc, &argv);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Dims_create(ranks, 2, dims);
    MPI_Comm row, column, copy;
    MPI_Comm_split(MPI_COMM_WORLD, rank / dims[1], rank, &row);
    MPI_Comm_split(MPI_COMM_WORLD, rank % dims[1], -rank, &column);
    MPI_Comm_dup(row, &copy);
    for (int step = 0; step < 3; step++) {
        MPI_Allreduce(&value, &sum, 1, MPI_DOUBLE, MPI_SUM, row);
        MPI_Bcast(&sum, 1, MPI_DOUBLE, 0, column);
        MPI_Barrier(copy);
    }
    int place;
    MPI_Comm_rank(row, &place);
    MPI_Comm_size(row, &size);
    if (size > 1 && place == 0)
        MPI_Send(&value, 1, MPI_DOUBLE, size - 1, 3, row);
    if (size > 1 && place == size - 1)
        MPI_Recv(&value, 1, MPI_DOUBLE, 0, 3, row, MPI_STATUS_IGNORE);
    MPI_Comm_free(&copy);
    MPI_Comm_free(&row);
    MPI_Comm_free(&column);
    MPI_Finalize();
    return 0;
}
