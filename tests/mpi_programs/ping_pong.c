// Ranks 0 and 1 send messages of 1 B to 64 KiB to each other, four times each.
#include <mpi.h>

static char data[65536];

int main(int argc, char **argv) {
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int size = 1; size <= 65536; size *= 16)
        for (int i = 0; i < 4; i++) {
            if (rank == 0) {
                MPI_Send(data, size, MPI_CHAR, 1, 7, MPI_COMM_WORLD);
                MPI_Recv(data, size, MPI_CHAR, 1, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            } else if (rank == 1) {
                MPI_Recv(data, size, MPI_CHAR, 0, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
                MPI_Send(data, size, MPI_CHAR, 0, 7, MPI_COMM_WORLD);
            }
        }
    MPI_Finalize();
    return 0;
}
