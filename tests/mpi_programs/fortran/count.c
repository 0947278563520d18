// Counts the MPI calls of Fortran, independently of the capture: a line per call, as count.c.
//
// It stands before the symbols of mpif.h and `use mpi` (name_) and of mpi_f08 (name_f08_ of Open
// MPI), whose arguments are addresses, and calls their PMPI names.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

extern void pmpi_type_size_(MPI_Fint *type, MPI_Fint *size, MPI_Fint *error);

static FILE *lines(void) {
    static FILE *file;
    char path[4096];
    int rank;
    if (file == NULL) {
        PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
        snprintf(path, sizeof path, "%s/fortran-%d.txt", getenv("COUNT_DIR"), rank);
        file = fopen(path, "w");
        setvbuf(file, NULL, _IOLBF, 0);
    }
    return file;
}

static long long bytes(MPI_Fint *count, MPI_Fint *type) {
    MPI_Fint size, error;
    pmpi_type_size_(type, &size, &error);
    return (long long)*count * size;
}

// All arguments are addresses; a function ignores those that its caller did not give.
#define PARAMETERS                                                                                 \
    void *a, void *b, void *c, void *d, void *e, void *f, void *g, void *h, void *i, void *j,      \
        void *k, void *l, void *m
#define COUNTED(name, form, action)                                                                \
    extern void pmpi_##name##form(PARAMETERS);                                                     \
    void mpi_##name##form(PARAMETERS) {                                                            \
        action;                                                                                    \
        pmpi_##name##form(a, b, c, d, e, f, g, h, i, j, k, l, m);                                  \
    }
#define BOTH(name, action) COUNTED(name, _, action) COUNTED(name, _f08_, action)
#define LINE(...) fprintf(lines(), __VA_ARGS__)
#define TO(shown) LINE(shown " %d %lld\n", *(MPI_Fint *)d, bytes(b, c))

BOTH(send, TO("Send"))
BOTH(isend, TO("Isend"))
BOTH(recv, LINE("Recv %lld\n", bytes(b, c)))
BOTH(irecv, LINE("Irecv %lld\n", bytes(b, c)))
BOTH(sendrecv, TO("Sendrecv to"))
BOTH(bcast, TO("Bcast"))
BOTH(allreduce, LINE("Allreduce %lld\n", bytes(c, d)))
BOTH(alltoall, LINE("Alltoall %lld\n", bytes(e, f)))
BOTH(barrier, LINE("Barrier\n"))
BOTH(waitall, LINE("Waitall\n"))
