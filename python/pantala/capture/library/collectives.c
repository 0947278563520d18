// Collectives, blocking and non-blocking.

#include "capture.h"

#include <stdlib.h>

// Lists that non-blocking collectives still gather.
struct late {
    MPI_Request request;
    uint64_t own;
    struct late *next;
};
static struct late *lates;

void finish_late_lists(void) {
    for (struct late *late = lates; late != NULL; late = late->next)
        PMPI_Wait(&late->request, MPI_STATUS_IGNORE);
    lates = NULL;
}

static uint64_t size_of(MPI_Comm comm) {
    int size;
    PMPI_Comm_size(comm, &size);
    return (uint64_t)size;
}

// Records a collective.
static void collective(enum code code, int root, uint64_t first, uint64_t second, MPI_Comm comm,
                       MPI_Request *request) {
    struct record record = {.code = code, .first = first, .second = second};
    if (root >= 0)
        record.peer = (uint32_t)root;
    if (!number_of(comm, &record.communicator))
        return;
    if (request != NULL) {
        struct live *live = add_request(*request);
        if (live == NULL)
            return;
        record.flags = NON_BLOCKING;
        record.request = live->number;
    }
    emit(record);
}

// Returns a list with `count * size(type)` for each count. Without `types`, all have `type`.
static uint64_t sizes(const int counts[], MPI_Datatype type, const MPI_Datatype types[],
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

// Returns a list with the bytes of each rank's block, of which each rank knows its own.
static uint64_t gathered(uint64_t own, MPI_Comm comm, bool blocking) {
    uint64_t count = size_of(comm), list;
    if (!blocking) {
        struct late *late = malloc(sizeof *late);
        if (late == NULL)
            abort();
        late->own = own;
        late->next = lates;
        lates = late;
        uint64_t *words = late_list(count, &list);
        PMPI_Iallgather(&late->own, 1, MPI_UINT64_T, words, 1, MPI_UINT64_T, comm, &late->request);
        return list;
    }
    uint64_t *words = malloc(count * sizeof *words);
    if (words == NULL)
        abort();
    PMPI_Allgather(&own, 1, MPI_UINT64_T, words, 1, MPI_UINT64_T, comm);
    list = list_of(words, count);
    free(words);
    return list;
}

static bool is_root(int root, MPI_Comm comm) {
    int rank;
    PMPI_Comm_rank(comm, &rank);
    return rank == root;
}

// Counts a call of all ranks, which can start or end the recorded part.
static void marked(enum mark mark, MPI_Comm comm, int result) {
    if (mark != MARKS && comm == MPI_COMM_WORLD && is_own(result))
        pass_mark(mark);
}

// Defines a collective and its non-blocking form. `action` records it; `request` is null if it
// blocks. PARAMETERS and ARGUMENTS are macros, because they contain commas.
// `mark` counts it, or is MARKS.
#define COLLECTIVE(name, iname, mark, PARAMETERS, ARGUMENTS, action)                               \
    int MPI_##name(PARAMETERS) {                                                                   \
        enter("MPI_" #name);                                                                       \
        MPI_Request *request = NULL;                                                               \
        int result = PMPI_##name(ARGUMENTS);                                                       \
        if (recorded(result))                                                                      \
            action;                                                                                \
        marked(mark, comm, result);                                                                \
        return leave(result);                                                                      \
    }                                                                                              \
    int MPI_##iname(PARAMETERS, MPI_Request *request) {                                            \
        enter("MPI_" #iname);                                                                      \
        int result = PMPI_##iname(ARGUMENTS, request);                                             \
        if (recorded(result))                                                                      \
            action;                                                                                \
        return leave(result);                                                                      \
    }

COLLECTIVE(Barrier, Ibarrier, BARRIERS, MPI_Comm comm, comm,
           collective(BARRIER, -1, 0, 0, comm, request))

#define BROADCAST void *data, int count, MPI_Datatype type, int root, MPI_Comm comm
#define BROADCAST_ARGUMENTS data, count, type, root, comm
COLLECTIVE(Bcast, Ibcast, MARKS, BROADCAST, BROADCAST_ARGUMENTS,
           collective(BCAST, root, bytes_of(count, type), 0, comm, request))

#define REDUCED                                                                                    \
    const void *from, void *to, int count, MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm
#define REDUCED_ARGUMENTS from, to, count, type, op, root, comm
COLLECTIVE(Reduce, Ireduce, MARKS, REDUCED, REDUCED_ARGUMENTS,
           collective(REDUCE, root, bytes_of(count, type), 0, comm, request))

#define SUMMED const void *from, void *to, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm
#define SUMMED_ARGUMENTS from, to, count, type, op, comm
#define SUM(name, iname, code, mark)                                                               \
    COLLECTIVE(name, iname, mark, SUMMED, SUMMED_ARGUMENTS,                                              \
               collective(code, -1, bytes_of(count, type), 0, comm, request))
SUM(Allreduce, Iallreduce, ALLREDUCE, ALLREDUCES)
SUM(Scan, Iscan, SCAN, MARKS)
SUM(Exscan, Iexscan, EXSCAN, MARKS)
SUM(Reduce_scatter_block, Ireduce_scatter_block, REDUCE_SCATTER_BLOCK, MARKS)

#define SPREAD                                                                                     \
    const void *from, void *to, const int counts[], MPI_Datatype type, MPI_Op op, MPI_Comm comm
#define SPREAD_ARGUMENTS from, to, counts, type, op, comm
COLLECTIVE(Reduce_scatter, Ireduce_scatter, MARKS, SPREAD, SPREAD_ARGUMENTS,
           collective(REDUCE_SCATTER, -1, 0, sizes(counts, type, NULL, comm), comm, request))

// With MPI_IN_PLACE, the counts and types of the sender do not matter: those of the receiver count.
#define ALL                                                                                        \
    const void *from, int sent, MPI_Datatype sent_type, void *to, int count, MPI_Datatype type,    \
        MPI_Comm comm
#define ALL_ARGUMENTS from, sent, sent_type, to, count, type, comm
COLLECTIVE(Allgather, Iallgather, MARKS, ALL, ALL_ARGUMENTS,
           collective(ALLGATHER, -1, bytes_of(count, type), 0, comm, request))
COLLECTIVE(Alltoall, Ialltoall, MARKS, ALL, ALL_ARGUMENTS,
           collective(ALLTOALL, -1, bytes_of(count, type), 0, comm, request))

#define ALLV                                                                                       \
    const void *from, int sent, MPI_Datatype sent_type, void *to, const int counts[],              \
        const int places[], MPI_Datatype type, MPI_Comm comm
#define ALLV_ARGUMENTS from, sent, sent_type, to, counts, places, type, comm
COLLECTIVE(Allgatherv, Iallgatherv, MARKS, ALLV, ALLV_ARGUMENTS,
           collective(ALLGATHERV, -1, 0, sizes(counts, type, NULL, comm), comm, request))

#define ROOTED                                                                                     \
    const void *from, int sent, MPI_Datatype sent_type, void *to, int count, MPI_Datatype type,    \
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
    const void *from, int sent, MPI_Datatype sent_type, void *to, const int counts[],              \
        const int places[], MPI_Datatype type, int root, MPI_Comm comm
#define GATHERED_ARGUMENTS from, sent, sent_type, to, counts, places, type, root, comm
COLLECTIVE(Gatherv, Igatherv, MARKS, GATHERED, GATHERED_ARGUMENTS,
           collective(GATHERV, root, 0,
                      gathered(is_root(root, comm) ? bytes_of(counts[root], type)
                                                   : bytes_of(sent, sent_type),
                               comm, request == NULL),
                      comm, request))

#define SCATTERED                                                                                  \
    const void *from, const int counts[], const int places[], MPI_Datatype sent_type, void *to,    \
        int count, MPI_Datatype type, int root, MPI_Comm comm
#define SCATTERED_ARGUMENTS from, counts, places, sent_type, to, count, type, root, comm
COLLECTIVE(Scatterv, Iscatterv, MARKS, SCATTERED, SCATTERED_ARGUMENTS,
           collective(SCATTERV, root, 0,
                      gathered(is_root(root, comm) ? bytes_of(counts[root], sent_type)
                                                   : bytes_of(count, type),
                               comm, request == NULL),
                      comm, request))

#define EXCHANGED                                                                                  \
    const void *from, const int sent[], const int from_places[], MPI_Datatype sent_type, void *to, \
        const int counts[], const int places[], MPI_Datatype type, MPI_Comm comm
#define EXCHANGED_ARGUMENTS from, sent, from_places, sent_type, to, counts, places, type, comm
COLLECTIVE(Alltoallv, Ialltoallv, MARKS, EXCHANGED, EXCHANGED_ARGUMENTS,
           collective(ALLTOALLV, -1,
                      from == MPI_IN_PLACE ? sizes(counts, type, NULL, comm)
                                           : sizes(sent, sent_type, NULL, comm),
                      sizes(counts, type, NULL, comm), comm, request))

#define TYPED                                                                                      \
    const void *from, const int sent[], const int from_places[], const MPI_Datatype sent_types[],  \
        void *to, const int counts[], const int places[], const MPI_Datatype types[],              \
        MPI_Comm comm
#define TYPED_ARGUMENTS from, sent, from_places, sent_types, to, counts, places, types, comm
COLLECTIVE(Alltoallw, Ialltoallw, MARKS, TYPED, TYPED_ARGUMENTS,
           collective(ALLTOALLV, -1,
                      from == MPI_IN_PLACE ? sizes(counts, MPI_BYTE, types, comm)
                                           : sizes(sent, MPI_BYTE, sent_types, comm),
                      sizes(counts, MPI_BYTE, types, comm), comm, request))
