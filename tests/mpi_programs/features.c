// One of each call that a capture follows, on four ranks.
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv) {
    int ranks, rank, flag, index, done, indices[4];
    MPI_Init(&argc, &argv);
    MPI_Comm world = MPI_COMM_WORLD;
    MPI_Comm_size(world, &ranks);
    MPI_Comm_rank(world, &rank);
    int next = (rank + 1) % ranks, last = (rank + ranks - 1) % ranks;
    static char from[1000], to[4][1000], room[8192];
    MPI_Request requests[4];
    MPI_Status status, statuses[4];

    // Wildcards, blocking and not.
    MPI_Isend(from, 10, MPI_CHAR, next, 1, world, &requests[0]);
    MPI_Recv(to[0], 10, MPI_CHAR, MPI_ANY_SOURCE, MPI_ANY_TAG, world, MPI_STATUS_IGNORE);
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    MPI_Irecv(to[0], 20, MPI_CHAR, MPI_ANY_SOURCE, MPI_ANY_TAG, world, &requests[0]);
    MPI_Issend(from, 20, MPI_CHAR, next, 2, world, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);

    // Partial completion: whatever order, all four requests complete once.
    MPI_Barrier(world);
    for (int i = 0; i < 2; i++) {
        MPI_Irecv(to[i], 30, MPI_CHAR, last, 3, world, &requests[i]);
        MPI_Isend(from, 30, MPI_CHAR, next, 3, world, &requests[2 + i]);
    }
    MPI_Waitany(4, requests, &index, &status);
    MPI_Waitsome(4, requests, &done, indices, statuses);
    do
        MPI_Testall(4, requests, &flag, MPI_STATUSES_IGNORE);
    while (!flag);
    MPI_Waitany(4, requests, &index, &status); // none is left

    // Persistent requests, one with a wildcard.
    MPI_Send_init(from, 40, MPI_CHAR, next, 4, world, &requests[0]);
    MPI_Recv_init(to[0], 40, MPI_CHAR, last, 4, world, &requests[1]);
    MPI_Recv_init(to[1], 40, MPI_CHAR, MPI_ANY_SOURCE, 5, world, &requests[2]);
    for (int i = 0; i < 2; i++) {
        MPI_Startall(3, requests);
        MPI_Send(from, 40, MPI_CHAR, next, 5, world);
        MPI_Waitall(3, requests, statuses);
    }
    for (int i = 0; i < 3; i++)
        MPI_Request_free(&requests[i]);

    // No partner, one's own partner, and the other modes.
    MPI_Send(from, 50, MPI_CHAR, MPI_PROC_NULL, 6, world);
    MPI_Irecv(to[0], 50, MPI_CHAR, MPI_PROC_NULL, 6, world, &requests[0]);
    MPI_Wait(&requests[0], &status);
    MPI_Isend(from, 50, MPI_CHAR, rank, 6, world, &requests[0]);
    MPI_Recv(to[0], 50, MPI_CHAR, rank, 6, world, &status);
    MPI_Wait(&requests[0], &status);
    MPI_Buffer_attach(room, sizeof room);
    MPI_Bsend(from, 60, MPI_CHAR, next, 7, world);
    MPI_Recv(to[0], 60, MPI_CHAR, last, 7, world, &status);
    void *buffer;
    int size;
    MPI_Buffer_detach(&buffer, &size);
    if (rank % 2 == 0) {
        MPI_Ssend(from, 70, MPI_CHAR, next, 8, world);
        MPI_Recv(to[0], 70, MPI_CHAR, last, 8, world, &status);
    } else {
        MPI_Recv(to[0], 70, MPI_CHAR, last, 8, world, &status);
        MPI_Ssend(from, 70, MPI_CHAR, next, 8, world);
    }
    MPI_Sendrecv_replace(from, 80, MPI_CHAR, next, 9, MPI_ANY_SOURCE, 9, world, &status);
    MPI_Sendrecv(from, 80, MPI_CHAR, MPI_PROC_NULL, 9, to[0], 80, MPI_CHAR, MPI_PROC_NULL, 9, world,
                 &status);

    // Probes, also a matched one, and a receive that is cancelled.
    MPI_Isend(from, 90, MPI_CHAR, next, 10, world, &requests[0]);
    MPI_Probe(MPI_ANY_SOURCE, 10, world, &status);
    MPI_Recv(to[0], 90, MPI_CHAR, status.MPI_SOURCE, 10, world, &status);
    MPI_Wait(&requests[0], &status);
    MPI_Message message;
    MPI_Isend(from, 91, MPI_CHAR, next, 11, world, &requests[0]);
    MPI_Mprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, world, &message, &status);
    MPI_Mrecv(to[0], 91, MPI_CHAR, &message, &status);
    MPI_Wait(&requests[0], &status);
    MPI_Irecv(to[0], 92, MPI_CHAR, last, 12, world, &requests[0]);
    MPI_Cancel(&requests[0]);
    MPI_Wait(&requests[0], &status);

    // Collectives. Blocks of rank i have 8 (i + 1) B.
    int counts[4] = {1, 2, 3, 4}, places[4] = {0, 1, 3, 6};
    double some[16] = {0}, more[16] = {0};
    MPI_Gatherv(some, rank + 1, MPI_DOUBLE, more, counts, places, MPI_DOUBLE, 2, world);
    MPI_Scatterv(more, counts, places, MPI_DOUBLE, some, rank + 1, MPI_DOUBLE, 1, world);
    MPI_Allgatherv(some, rank + 1, MPI_DOUBLE, more, counts, places, MPI_DOUBLE, world);
    MPI_Igatherv(some, rank + 1, MPI_DOUBLE, more, counts, places, MPI_DOUBLE, 0, world,
                 &requests[0]);
    MPI_Wait(&requests[0], &status);
    MPI_Gather(some, 2, MPI_DOUBLE, more, 2, MPI_DOUBLE, 3, world);
    MPI_Scatter(more, 3, MPI_DOUBLE, some, 3, MPI_DOUBLE, 3, world);
    MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, more, 4, MPI_DOUBLE, world);
    MPI_Reduce(some, more, 5, MPI_DOUBLE, MPI_SUM, 1, world);
    MPI_Reduce_scatter(some, more, counts, MPI_DOUBLE, MPI_SUM, world);
    MPI_Reduce_scatter_block(some, more, 2, MPI_DOUBLE, MPI_SUM, world);
    MPI_Scan(some, more, 6, MPI_DOUBLE, MPI_SUM, world);
    MPI_Exscan(some, more, 7, MPI_DOUBLE, MPI_SUM, world);
    MPI_Iallreduce(some, more, 8, MPI_DOUBLE, MPI_SUM, world, &requests[0]);
    MPI_Ibarrier(world, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);

    // Communicators: half of the ranks, a freed number that is used again, one rank's own.
    MPI_Comm half, none, copy, self;
    MPI_Comm_split(world, rank < 2 ? 0 : MPI_UNDEFINED, -rank, &half);
    if (half != MPI_COMM_NULL) {
        MPI_Bcast(some, 1, MPI_DOUBLE, 0, half); // its root is rank 1 of the world
        MPI_Comm_free(&half);
    }
    MPI_Group all, odd;
    int members[2] = {1, 3};
    MPI_Comm_group(world, &all);
    MPI_Group_incl(all, 2, members, &odd);
    MPI_Comm_create(world, odd, &none);
    MPI_Comm_dup(world, &copy);
    if (none != MPI_COMM_NULL)
        MPI_Barrier(none);
    MPI_Barrier(copy);
    MPI_Comm_dup(MPI_COMM_SELF, &self);
    MPI_Barrier(self);
    MPI_Isend(from, 5, MPI_CHAR, 0, 1, self, &requests[0]);
    MPI_Recv(to[0], 5, MPI_CHAR, MPI_ANY_SOURCE, 1, self, &status);
    MPI_Wait(&requests[0], &status);
    MPI_Comm_free(&self);
    MPI_Finalize();
    return 0;
}
