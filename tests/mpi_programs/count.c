// Counts MPI calls, independently of the capture: a line per call, with its partner and bytes.
//
// It is loaded with LD_PRELOAD and writes calls-RANK.txt in the folder COUNT_DIR.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static FILE *lines;

static void line(const char *name, int peer, long long bytes) {
    if (peer != MPI_PROC_NULL)
        fprintf(lines, "%s %d %lld\n", name, peer, bytes);
}

static long long bytes(int count, MPI_Datatype type) {
    int size;
    PMPI_Type_size(type, &size);
    return (long long)count * size;
}

int MPI_Init(int *argc, char ***argv) {
    int result = PMPI_Init(argc, argv), rank;
    char path[4096];
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    snprintf(path, sizeof path, "%s/calls-%d.txt", getenv("COUNT_DIR"), rank);
    lines = fopen(path, "w");
    return result;
}

int MPI_Finalize(void) {
    fclose(lines);
    return PMPI_Finalize();
}

#define POINT(name, data, peer)                                                                    \
    int MPI_##name(data void *d, int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm    \
    REQUEST) {                                                                                     \
        line(#name, peer, bytes(count, type));                                                     \
        return PMPI_##name(d, count, type, peer, tag, comm ARGUMENT);                              \
    }
#define REQUEST
#define ARGUMENT
POINT(Send, const, dest)
#undef REQUEST
#undef ARGUMENT
#define REQUEST , MPI_Status *status
#define ARGUMENT , status
POINT(Recv, , source)
#undef REQUEST
#undef ARGUMENT
#define REQUEST , MPI_Request *request
#define ARGUMENT , request
POINT(Isend, const, dest)
POINT(Irecv, , source)

int MPI_Waitall(int count, MPI_Request requests[], MPI_Status statuses[]) {
    fprintf(lines, "Waitall\n");
    return PMPI_Waitall(count, requests, statuses);
}

int MPI_Sendrecv(const void *from, int sent, MPI_Datatype sent_type, int dest, int sent_tag,
                 void *to, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm,
                 MPI_Status *status) {
    line("Sendrecv to", dest, bytes(sent, sent_type));
    line("Sendrecv from", source, bytes(count, type));
    return PMPI_Sendrecv(from, sent, sent_type, dest, sent_tag, to, count, type, source, tag, comm,
                         status);
}

int MPI_Allreduce(const void *from, void *to, int count, MPI_Datatype type, MPI_Op op,
                  MPI_Comm comm) {
    fprintf(lines, "Allreduce %lld\n", bytes(count, type));
    return PMPI_Allreduce(from, to, count, type, op, comm);
}

int MPI_Bcast(void *data, int count, MPI_Datatype type, int root, MPI_Comm comm) {
    line("Bcast", root, bytes(count, type));
    return PMPI_Bcast(data, count, type, root, comm);
}

int MPI_Barrier(MPI_Comm comm) {
    fprintf(lines, "Barrier\n");
    return PMPI_Barrier(comm);
}

int MPI_Alltoall(const void *from, int sent, MPI_Datatype sent_type, void *to, int count,
                 MPI_Datatype type, MPI_Comm comm) {
    fprintf(lines, "Alltoall %lld\n", bytes(count, type));
    return PMPI_Alltoall(from, sent, sent_type, to, count, type, comm);
}

int MPI_Alltoallv(const void *from, const int sent[], const int from_places[],
                  MPI_Datatype sent_type, void *to, const int counts[], const int places[],
                  MPI_Datatype type, MPI_Comm comm) {
    int ranks;
    PMPI_Comm_size(comm, &ranks);
    fprintf(lines, "Alltoallv");
    for (int i = 0; i < ranks; i++)
        fprintf(lines, " %lld/%lld", bytes(sent[i], sent_type), bytes(counts[i], type));
    fprintf(lines, "\n");
    return PMPI_Alltoallv(from, sent, from_places, sent_type, to, counts, places, type, comm);
}
