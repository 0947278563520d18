// Heat in a cube: explicit steps on a 3-D grid of ranks, with halo exchanges and a residual.
//
//   mpicc -O2 examples/programs/heat.c -o heat
//   mpirun -n 8 ./heat [STEPS]
//
// Each rank has SIDE^3 cells of FIELDS materials. A step exchanges the six faces with non-blocking
// messages, relaxes all cells, and sums the change of the temperature over all ranks.
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SIDE = 32, WIDE = SIDE + 2, FIELDS = 8, FACE = SIDE * SIDE * FIELDS };

typedef double cells[WIDE][WIDE][WIDE][FIELDS];

static cells now, next;
static double sent[6][FACE], came[6][FACE];

// Copies a face of the grid into a message, or a message into the halo.
static void face(int side, double *message, int out) {
    int dimension = side / 2, high = side % 2;
    int layer = high ? (out ? SIDE : SIDE + 1) : (out ? 1 : 0);
    for (int i = 0; i < SIDE; i++)
        for (int j = 0; j < SIDE; j++) {
            int at[3] = {i + 1, i + 1, j + 1};
            at[dimension] = layer;
            if (dimension == 2)
                at[1] = j + 1;
            double *cell = now[at[0]][at[1]][at[2]];
            double *packed = &message[(i * SIDE + j) * FIELDS];
            memcpy(out ? packed : cell, out ? cell : packed, FIELDS * sizeof(double));
        }
}

static double relax(void) {
    double change = 0;
    for (int x = 1; x <= SIDE; x++)
        for (int y = 1; y <= SIDE; y++)
            for (int z = 1; z <= SIDE; z++)
                for (int f = 0; f < FIELDS; f++) {
                    double around = now[x - 1][y][z][f] + now[x + 1][y][z][f] +
                                    now[x][y - 1][z][f] + now[x][y + 1][z][f] +
                                    now[x][y][z - 1][f] + now[x][y][z + 1][f];
                    next[x][y][z][f] = 0.4 * now[x][y][z][f] + 0.1 * around;
                    change += fabs(next[x][y][z][f] - now[x][y][z][f]);
                }
    memcpy(now, next, sizeof now);
    return change;
}

int main(int argc, char **argv) {
    int ranks, rank, dims[3] = {0, 0, 0}, periods[3] = {1, 1, 1}, neighbours[6];
    int steps = argc > 1 ? atoi(argv[1]) : 50;
    MPI_Init(&argc, &argv);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Dims_create(ranks, 3, dims);
    MPI_Comm grid;
    MPI_Cart_create(MPI_COMM_WORLD, 3, dims, periods, 0, &grid);
    MPI_Comm_rank(grid, &rank);
    for (int dimension = 0; dimension < 3; dimension++)
        MPI_Cart_shift(grid, dimension, 1, &neighbours[2 * dimension],
                       &neighbours[2 * dimension + 1]);
    for (int i = 0; i < SIDE * FIELDS; i++)
        now[1 + i % SIDE][SIDE / 2][SIDE / 2][i % FIELDS] = rank + 1;
    double change, total = 0;
    for (int step = 0; step < steps; step++) {
        MPI_Request requests[12];
        for (int side = 0; side < 6; side++)
            MPI_Irecv(came[side], FACE, MPI_DOUBLE, neighbours[side], side ^ 1, grid,
                      &requests[side]);
        for (int side = 0; side < 6; side++) {
            face(side, sent[side], 1);
            MPI_Isend(sent[side], FACE, MPI_DOUBLE, neighbours[side], side, grid,
                      &requests[6 + side]);
        }
        MPI_Waitall(12, requests, MPI_STATUSES_IGNORE);
        for (int side = 0; side < 6; side++)
            face(side, came[side], 0);
        change = relax();
        MPI_Allreduce(&change, &total, 1, MPI_DOUBLE, MPI_SUM, grid);
    }
    if (rank == 0)
        printf("change of the last of %d steps: %.3f\n", steps, total);
    MPI_Comm_free(&grid);
    MPI_Finalize();
    return 0;
}
