// Collectives of neighborhoods, as the messages that they consist of.
//
// A rank sends one block to each neighbor and receives one from each. On a Cartesian communicator
// the block for the neighbor on one side of a dimension is what that one receives from the other
// side, which matters if both are the same rank: there, the tag is the place of the block. On graphs
// blocks between two ranks match in their order.

#include "recorded.h"

#include <stdlib.h>

// Tags that programs do not use: just below the largest of an `int`.
enum { FIRST_TAG = 0x7fff0000 };

void *room_for(int count) {
    void *memory = calloc((size_t)(count > 0 ? count : 1), sizeof(uint64_t));
    if (memory == NULL)
        abort();
    return memory;
}

// Finds the neighbors of this rank. Returns false on a communicator without a topology.
bool find_neighbors(MPI_Comm comm, struct neighbors *found) {
    int kind, weighted, rank;
    PMPI_Topo_test(comm, &kind);
    *found = (struct neighbors){0};
    if (kind == MPI_CART) {
        int dimensions;
        PMPI_Cartdim_get(comm, &dimensions);
        found->in = found->out = 2 * dimensions;
        found->cartesian = true;
        found->sources = room_for(found->in);
        found->destinations = room_for(found->out);
        for (int each = 0; each < dimensions; each++) {
            int *pair = &found->sources[2 * each];
            PMPI_Cart_shift(comm, each, 1, &pair[0], &pair[1]);
            found->destinations[2 * each] = pair[0];
            found->destinations[2 * each + 1] = pair[1];
        }
    } else if (kind == MPI_GRAPH) {
        PMPI_Comm_rank(comm, &rank);
        PMPI_Graph_neighbors_count(comm, rank, &found->in);
        found->out = found->in;
        found->sources = room_for(found->in);
        found->destinations = room_for(found->out);
        PMPI_Graph_neighbors(comm, rank, found->in, found->sources);
        PMPI_Graph_neighbors(comm, rank, found->out, found->destinations);
    } else if (kind == MPI_DIST_GRAPH) {
        PMPI_Dist_graph_neighbors_count(comm, &found->in, &found->out, &weighted);
        found->sources = room_for(found->in);
        found->destinations = room_for(found->out);
        int *in_weights = room_for(found->in), *out_weights = room_for(found->out);
        PMPI_Dist_graph_neighbors(comm, found->in, found->sources, in_weights, found->out,
                                  found->destinations, out_weights);
        free(in_weights);
        free(out_weights);
    } else {
        return false;
    }
    return true;
}

void exchange_with(const struct neighbors *found, const uint64_t *sent, const uint64_t *taken,
                     MPI_Comm comm, MPI_Request *request) {
    uint16_t communicator;
    if (!number_of(comm, &communicator))
        return;
    uint32_t *numbers = room_for(found->in + found->out), count = 0;
    struct record *starts = NULL;
    if (prepares_collective() &&
        (starts = malloc((size_t)(found->in + found->out + 1) * sizeof *starts)) == NULL)
        abort();
    for (int way = 0; way < 2; way++) {
        const int *peers = way == 0 ? found->sources : found->destinations;
        int peer_count = way == 0 ? found->in : found->out;
        for (int at = 0; at < peer_count; at++) {
            if (peers[at] == MPI_PROC_NULL)
                continue;
            uint32_t number = take_number();
            if (number == NONE) {
                free(numbers);
                free(starts);
                return;
            }
            int place = !found->cartesian ? 0 : way == 0 ? at ^ 1 : at;
            struct record record = {.code = way == 0 ? IRECV : ISEND,
                                    .communicator = communicator,
                                    .request = number,
                                    .peer = (uint32_t)peers[at],
                                    .tag = FIRST_TAG + place,
                                    .first = way == 0 ? taken[at] : sent[at]};
            if (starts != NULL)
                starts[count] = record;
            else
                emit(record);
            numbers[count++] = number;
        }
    }
    if (request == NULL) {
        wait_for_numbers(numbers, count);
        for (uint32_t at = 0; at < count; at++)
            release_number(numbers[at]);
        free(numbers);
    } else {
        struct live *live = add_requests(*request, numbers, count);
        if (live != NULL && starts != NULL)
            make_persistent(live, starts, count, comm);
        else
            free(starts);
    }
}
