// The collectives, blocking, non-blocking and persistent, in a form for each type of count.
//
// Included by counts.c and large_counts.c, which define
//   COUNT         the type of a number of elements
//   PLACE         the type of a place in a buffer
//   SIZED(name)   the name of the function for this COUNT; SUFFIX is what it adds

// Returns a list with `count * size(type)` for each count. Without `types`, all have `type`.
static uint64_t sizes(const COUNT counts[], MPI_Datatype type, const MPI_Datatype types[],
                      MPI_Comm comm) {
    uint64_t count = size_of(comm);
    uint64_t *words = malloc(count * sizeof *words);
    if (words == NULL)
        abort();
    for (uint64_t i = 0; i < count; i++)
        words[i] = bytes_of(counts[i], types ? types[i] : type);
    uint64_t list = list_of(words, count);
    free(words);
    return list;
}

// Defines a collective, its non-blocking and its persistent form. `action` records it; `request` is
// null if it blocks. PARAMETERS and ARGUMENTS are macros, because they contain commas.
// `mark` counts it, or is MARKS.
#define COLLECTIVE(name, iname, mark, PARAMETERS, ARGUMENTS, action)                               \
    int SIZED(MPI_##name)(PARAMETERS) {                                                                   \
        enter("MPI_" #name SUFFIX);                                                                       \
        MPI_Request *request = NULL;                                                               \
        int result = SIZED(PMPI_##name)(ARGUMENTS);                                                       \
        if (recorded(result) && follows(comm))                                                     \
            action;                                                                                \
        marked(mark, comm, result);                                                                \
        return leave(result);                                                                      \
    }                                                                                              \
    int SIZED(MPI_##iname)(PARAMETERS, MPI_Request *request) {                                            \
        enter("MPI_" #iname SUFFIX);                                                                      \
        int result = SIZED(PMPI_##iname)(ARGUMENTS, request);                                             \
        if (recorded(result) && follows(comm))                                                     \
            action;                                                                                \
        return leave(result);                                                                      \
    }                                                                                              \
    IF_PERSISTENT(int SIZED(INIT(name))(PARAMETERS, MPI_Info info, MPI_Request * request) {        \
        enter(INIT_TEXT(name) SUFFIX);                                                             \
        int result = SIZED(INIT_OF_LIBRARY(name))(ARGUMENTS, info, request);                       \
        prepare_collective(true);                                                                  \
        if (tracked(result) && follows(comm))                                                      \
            action;                                                                                \
        prepare_collective(false);                                                                 \
        return leave(result);                                                                      \
    })

#define BROADCAST void *data, COUNT count, MPI_Datatype type, int root, MPI_Comm comm
#define BROADCAST_ARGUMENTS data, count, type, root, comm
COLLECTIVE(Bcast, Ibcast, MARKS, BROADCAST, BROADCAST_ARGUMENTS,
           collective(BCAST, root, bytes_of(count, type), 0, comm, request))

#define REDUCED                                                                                    \
    const void *from, void *to, COUNT count, MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm
#define REDUCED_ARGUMENTS from, to, count, type, op, root, comm
COLLECTIVE(Reduce, Ireduce, MARKS, REDUCED, REDUCED_ARGUMENTS,
           collective(REDUCE, root, bytes_of(count, type), 0, comm, request))

#define SUMMED const void *from, void *to, COUNT count, MPI_Datatype type, MPI_Op op, MPI_Comm comm
#define SUMMED_ARGUMENTS from, to, count, type, op, comm
#define SUM(name, iname, code, mark)                                                               \
    COLLECTIVE(name, iname, mark, SUMMED, SUMMED_ARGUMENTS,                                              \
               collective(code, -1, bytes_of(count, type), 0, comm, request))
SUM(Allreduce, Iallreduce, ALLREDUCE, ALLREDUCES)
SUM(Scan, Iscan, SCAN, MARKS)
SUM(Exscan, Iexscan, EXSCAN, MARKS)
SUM(Reduce_scatter_block, Ireduce_scatter_block, REDUCE_SCATTER_BLOCK, MARKS)

#define SPREAD                                                                                     \
    const void *from, void *to, const COUNT counts[], MPI_Datatype type, MPI_Op op, MPI_Comm comm
#define SPREAD_ARGUMENTS from, to, counts, type, op, comm
COLLECTIVE(Reduce_scatter, Ireduce_scatter, MARKS, SPREAD, SPREAD_ARGUMENTS,
           collective(REDUCE_SCATTER, -1, 0, sizes(counts, type, NULL, comm), comm, request))

// With MPI_IN_PLACE, the counts and types of the sender do not matter: those of the receiver count.
#define ALL                                                                                        \
    const void *from, COUNT sent, MPI_Datatype sent_type, void *to, COUNT count, MPI_Datatype type,    \
        MPI_Comm comm
#define ALL_ARGUMENTS from, sent, sent_type, to, count, type, comm
COLLECTIVE(Allgather, Iallgather, MARKS, ALL, ALL_ARGUMENTS,
           collective(ALLGATHER, -1, bytes_of(count, type), 0, comm, request))
COLLECTIVE(Alltoall, Ialltoall, MARKS, ALL, ALL_ARGUMENTS,
           collective(ALLTOALL, -1, bytes_of(count, type), 0, comm, request))

#define ALLV                                                                                       \
    const void *from, COUNT sent, MPI_Datatype sent_type, void *to, const COUNT counts[],              \
        const PLACE places[], MPI_Datatype type, MPI_Comm comm
#define ALLV_ARGUMENTS from, sent, sent_type, to, counts, places, type, comm
COLLECTIVE(Allgatherv, Iallgatherv, MARKS, ALLV, ALLV_ARGUMENTS,
           collective(ALLGATHERV, -1, 0, sizes(counts, type, NULL, comm), comm, request))

#define ROOTED                                                                                     \
    const void *from, COUNT sent, MPI_Datatype sent_type, void *to, COUNT count, MPI_Datatype type,    \
        int root, MPI_Comm comm
#define ROOTED_ARGUMENTS from, sent, sent_type, to, count, type, root, comm
COLLECTIVE(Gather, Igather, MARKS, ROOTED, ROOTED_ARGUMENTS,
           collective(GATHER, root,
                      is_root(root, comm) ? bytes_of(count, type) : bytes_of(sent, sent_type), 0,
                      comm, request))
COLLECTIVE(Scatter, Iscatter, MARKS, ROOTED, ROOTED_ARGUMENTS,
           collective(SCATTER, root,
                      is_root(root, comm) ? bytes_of(sent, sent_type) : bytes_of(count, type), 0,
                      comm, request))

#define GATHERED                                                                                   \
    const void *from, COUNT sent, MPI_Datatype sent_type, void *to, const COUNT counts[],              \
        const PLACE places[], MPI_Datatype type, int root, MPI_Comm comm
#define GATHERED_ARGUMENTS from, sent, sent_type, to, counts, places, type, root, comm
COLLECTIVE(Gatherv, Igatherv, MARKS, GATHERED, GATHERED_ARGUMENTS,
           collective(GATHERV, root, 0,
                      gathered(is_root(root, comm) ? bytes_of(counts[root], type)
                                                   : bytes_of(sent, sent_type),
                               comm, request == NULL),
                      comm, request))

#define SCATTERED                                                                                  \
    const void *from, const COUNT counts[], const PLACE places[], MPI_Datatype sent_type, void *to,    \
        COUNT count, MPI_Datatype type, int root, MPI_Comm comm
#define SCATTERED_ARGUMENTS from, counts, places, sent_type, to, count, type, root, comm
COLLECTIVE(Scatterv, Iscatterv, MARKS, SCATTERED, SCATTERED_ARGUMENTS,
           collective(SCATTERV, root, 0,
                      gathered(is_root(root, comm) ? bytes_of(counts[root], sent_type)
                                                   : bytes_of(count, type),
                               comm, request == NULL),
                      comm, request))

#define EXCHANGED                                                                                  \
    const void *from, const COUNT sent[], const PLACE from_places[], MPI_Datatype sent_type, void *to, \
        const COUNT counts[], const PLACE places[], MPI_Datatype type, MPI_Comm comm
#define EXCHANGED_ARGUMENTS from, sent, from_places, sent_type, to, counts, places, type, comm
COLLECTIVE(Alltoallv, Ialltoallv, MARKS, EXCHANGED, EXCHANGED_ARGUMENTS,
           collective(ALLTOALLV, -1,
                      from == MPI_IN_PLACE ? sizes(counts, type, NULL, comm)
                                           : sizes(sent, sent_type, NULL, comm),
                      sizes(counts, type, NULL, comm), comm, request))

#define TYPED                                                                                      \
    const void *from, const COUNT sent[], const PLACE from_places[], const MPI_Datatype sent_types[],  \
        void *to, const COUNT counts[], const PLACE places[], const MPI_Datatype types[],              \
        MPI_Comm comm
#define TYPED_ARGUMENTS from, sent, from_places, sent_types, to, counts, places, types, comm
COLLECTIVE(Alltoallw, Ialltoallw, MARKS, TYPED, TYPED_ARGUMENTS,
           collective(ALLTOALLV, -1,
                      from == MPI_IN_PLACE ? sizes(counts, MPI_BYTE, types, comm)
                                           : sizes(sent, MPI_BYTE, sent_types, comm),
                      sizes(counts, MPI_BYTE, types, comm), comm, request))
