// Calls traffic_ of bindings.F90 between calls of C: linked with it, or loaded (the argument).
#include <dlfcn.h>
#include <mpi.h>

int main(int argc, char **argv) {
    int rank, ranks, data[16] = {0};
    MPI_Request request;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    void (*traffic)(void) = dlsym(dlopen(argv[1], RTLD_NOW | RTLD_LOCAL), "traffic_");
    MPI_Irecv(data, 16, MPI_INT, (rank + ranks - 1) % ranks, 3, MPI_COMM_WORLD, &request);
    traffic();
    MPI_Send(data, 16, MPI_INT, (rank + 1) % ranks, 3, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Finalize();
}
