// An Allreduce made of messages: reduce-scatter and allgather around a ring, as Horovod does.
#include <mpi.h>
#include <stdlib.h>

int main(int argc, char **argv) {
    int ranks, rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    int block = 4096, next = (rank + 1) % ranks, last = (rank + ranks - 1) % ranks;
    float *data = calloc(ranks * block, sizeof(float)), *came = calloc(block, sizeof(float));
    for (int step = 0; step < 2 * (ranks - 1); step++) {
        int sent = (rank - step + 2 * ranks) % ranks;
        MPI_Sendrecv(&data[sent * block], block, MPI_FLOAT, next, step, came, block, MPI_FLOAT,
                     last, step, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Finalize();
    return 0;
}
