// A transposition: Alltoall of equal blocks, then Alltoallv of blocks that grow with the rank.
#include <mpi.h>
#include <stdlib.h>

int main(int argc, char **argv) {
    int ranks, rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    int *from = calloc(ranks * 256 * ranks, sizeof(int));
    int *to = calloc(ranks * 256 * ranks, sizeof(int));
    int sent[ranks], received[ranks], sent_at[ranks], received_at[ranks];
    for (int i = 0; i < ranks; i++) {
        sent[i] = rank + 1;
        received[i] = i + 1;
        sent_at[i] = received_at[i] = i * ranks;
    }
    for (int step = 0; step < 3; step++) {
        MPI_Alltoall(from, 256, MPI_INT, to, 256, MPI_INT, MPI_COMM_WORLD);
        MPI_Alltoallv(from, sent, sent_at, MPI_INT, to, received, received_at, MPI_INT,
                      MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
