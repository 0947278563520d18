// The collectives of neighborhoods, in a form for each type of count.
//
// Included by counts.c and large_counts.c, which define
//   COUNT         the type of a number of elements
//   PLACE         the type of a place in a buffer
//   SIZED(name)   the name of the function for this COUNT; SUFFIX is what it adds

// What is recorded depends on counts and types; buffers and places only go on to MPI.
#pragma GCC diagnostic ignored "-Wunused-parameter"

// Defines a collective, its non-blocking and its persistent form. SENT and TAKEN are the bytes to and from neighbor
// `at`.
#define NEIGHBORHOOD(name, iname, PARAMETERS, ARGUMENTS, SENT, TAKEN)                              \
    static void record_##name(PARAMETERS, MPI_Request *request) {                                  \
        struct neighbors found;                                                                    \
        if (!find_neighbors(comm, &found))                                                         \
            return;                                                                                \
        uint64_t *sent = room_for(found.out), *taken = room_for(found.in);                         \
        for (int at = 0; at < found.out; at++)                                                     \
            sent[at] = SENT;                                                                       \
        for (int at = 0; at < found.in; at++)                                                      \
            taken[at] = TAKEN;                                                                     \
        exchange_with(&found, sent, taken, comm, request);                                         \
        free(sent);                                                                                \
        free(taken);                                                                               \
        free(found.sources);                                                                       \
        free(found.destinations);                                                                  \
    }                                                                                              \
    int SIZED(MPI_##name)(PARAMETERS) {                                                                   \
        enter("MPI_" #name SUFFIX);                                                                       \
        int result = SIZED(PMPI_##name)(ARGUMENTS);                                                       \
        if (recorded(result))                                                                      \
            record_##name(ARGUMENTS, NULL);                                                        \
        return leave(result);                                                                      \
    }                                                                                              \
    int SIZED(MPI_##iname)(PARAMETERS, MPI_Request *request) {                                            \
        enter("MPI_" #iname SUFFIX);                                                                      \
        int result = SIZED(PMPI_##iname)(ARGUMENTS, request);                                             \
        if (recorded(result))                                                                      \
            record_##name(ARGUMENTS, request);                                                     \
        return leave(result);                                                                      \
    }                                                                                              \
    IF_PERSISTENT(int SIZED(INIT(name))(PARAMETERS, MPI_Info info, MPI_Request * request) {        \
        enter(INIT_TEXT(name) SUFFIX);                                                             \
        int result = SIZED(INIT_OF_LIBRARY(name))(ARGUMENTS, info, request);                       \
        prepare_collective(true);                                                                  \
        if (tracked(result))                                                                       \
            record_##name(ARGUMENTS, request);                                                     \
        prepare_collective(false);                                                                 \
        return leave(result);                                                                      \
    })

#define NEAR_ALL                                                                                        \
    const void *from, COUNT count, MPI_Datatype type, void *to, COUNT in_count, MPI_Datatype in_type,  \
        MPI_Comm comm
#define NEAR_ALL_ARGUMENTS from, count, type, to, in_count, in_type, comm
NEIGHBORHOOD(Neighbor_allgather, Ineighbor_allgather, NEAR_ALL, NEAR_ALL_ARGUMENTS, bytes_of(count, type),
             bytes_of(in_count, in_type))
NEIGHBORHOOD(Neighbor_alltoall, Ineighbor_alltoall, NEAR_ALL, NEAR_ALL_ARGUMENTS, bytes_of(count, type),
             bytes_of(in_count, in_type))

#define NEAR_ALLGATHERED                                                                                \
    const void *from, COUNT count, MPI_Datatype type, void *to, const COUNT in_counts[],               \
        const PLACE places[], MPI_Datatype in_type, MPI_Comm comm
#define NEAR_ALLGATHERED_ARGUMENTS from, count, type, to, in_counts, places, in_type, comm
NEIGHBORHOOD(Neighbor_allgatherv, Ineighbor_allgatherv, NEAR_ALLGATHERED, NEAR_ALLGATHERED_ARGUMENTS,
             bytes_of(count, type), bytes_of(in_counts[at], in_type))

#define NEAR_EXCHANGED                                                                                  \
    const void *from, const COUNT counts[], const PLACE from_places[], MPI_Datatype type, void *to,    \
        const COUNT in_counts[], const PLACE places[], MPI_Datatype in_type, MPI_Comm comm
#define NEAR_EXCHANGED_ARGUMENTS                                                                        \
    from, counts, from_places, type, to, in_counts, places, in_type, comm
NEIGHBORHOOD(Neighbor_alltoallv, Ineighbor_alltoallv, NEAR_EXCHANGED, NEAR_EXCHANGED_ARGUMENTS,
             bytes_of(counts[at], type), bytes_of(in_counts[at], in_type))

#define NEAR_TYPED                                                                                      \
    const void *from, const COUNT counts[], const MPI_Aint from_places[],                            \
        const MPI_Datatype types[], void *to, const COUNT in_counts[], const MPI_Aint places[],      \
        const MPI_Datatype in_types[], MPI_Comm comm
#define NEAR_TYPED_ARGUMENTS from, counts, from_places, types, to, in_counts, places, in_types, comm
NEIGHBORHOOD(Neighbor_alltoallw, Ineighbor_alltoallw, NEAR_TYPED, NEAR_TYPED_ARGUMENTS,
             bytes_of(counts[at], types[at]), bytes_of(in_counts[at], in_types[at]))
