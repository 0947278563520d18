// A halo exchange on a grid of ranks, with a derived datatype for columns and an Allreduce.
#include <mpi.h>

enum { SIDE = 64, STEPS = 5 };
static double cells[SIDE + 2][SIDE + 2];

int main(int argc, char **argv) {
    int ranks, dims[2] = {0, 0}, periods[2] = {0, 1}, up, down, left, right;
    MPI_Init(&argc, &argv);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Dims_create(ranks, 2, dims);
    MPI_Comm grid;
    MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &grid);
    MPI_Cart_shift(grid, 0, 1, &up, &down);
    MPI_Cart_shift(grid, 1, 1, &left, &right);
    MPI_Datatype column;
    MPI_Type_vector(SIDE, 1, SIDE + 2, MPI_DOUBLE, &column);
    MPI_Type_commit(&column);
    for (int step = 0; step < STEPS; step++) {
        MPI_Request requests[8];
        MPI_Irecv(&cells[0][1], SIDE, MPI_DOUBLE, up, 1, grid, &requests[0]);
        MPI_Irecv(&cells[SIDE + 1][1], SIDE, MPI_DOUBLE, down, 2, grid, &requests[1]);
        MPI_Irecv(&cells[1][0], 1, column, left, 3, grid, &requests[2]);
        MPI_Irecv(&cells[1][SIDE + 1], 1, column, right, 4, grid, &requests[3]);
        MPI_Isend(&cells[1][1], SIDE, MPI_DOUBLE, up, 2, grid, &requests[4]);
        MPI_Isend(&cells[SIDE][1], SIDE, MPI_DOUBLE, down, 1, grid, &requests[5]);
        MPI_Isend(&cells[1][1], 1, column, left, 4, grid, &requests[6]);
        MPI_Isend(&cells[1][SIDE], 1, column, right, 3, grid, &requests[7]);
        MPI_Waitall(8, requests, MPI_STATUSES_IGNORE);
        double change = step, most;
        MPI_Allreduce(&change, &most, 1, MPI_DOUBLE, MPI_MAX, grid);
    }
    MPI_Type_free(&column);
    MPI_Comm_free(&grid);
    MPI_Finalize();
    return 0;
}
