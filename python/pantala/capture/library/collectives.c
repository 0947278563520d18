// Collectives, blocking and non-blocking.

#include "recorded.h"

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

uint64_t size_of(MPI_Comm comm) {
    int size;
    PMPI_Comm_size(comm, &size);
    return (uint64_t)size;
}

static bool preparing;

void prepare_collective(bool prepares) {
    preparing = prepares;
}

bool prepares_collective(void) {
    return preparing;
}

bool follows(MPI_Comm comm) {
    uint16_t number;
    if (!number_of(comm, &number))
        return false;
    if (is_inter(number))
        refuse("a capture does not follow collectives of intercommunicators but barriers");
    return !is_inter(number);
}

void collective(enum code code, int root, uint64_t first, uint64_t second, MPI_Comm comm,
                MPI_Request *request) {
    struct record record = {.code = code, .first = first, .second = second};
    if (root >= 0)
        record.peer = (uint32_t)root;
    if (!number_of(comm, &record.communicator))
        return;
    if (!preparing)
        record_copies(record.communicator);
    if (request != NULL) {
        struct live *live = add_request(*request);
        if (live == NULL)
            return;
        record.flags = NON_BLOCKING;
        record.request = live->number;
        live->collective = true;
        live->posted.communicator = record.communicator;
        if (preparing) {
            struct record *start = malloc(sizeof *start);
            if (start == NULL)
                abort();
            *start = record;
            make_persistent(live, start, 1, comm);
            return;
        }
        count_pending(record.communicator, 1);
    }
    emit(record);
}

uint64_t gathered(uint64_t own, MPI_Comm comm, bool blocking) {
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

bool is_root(int root, MPI_Comm comm) {
    int rank;
    PMPI_Comm_rank(comm, &rank);
    return rank == root;
}

// Counts a call of all ranks, which can start or end the recorded part.
void marked(enum mark mark, MPI_Comm comm, int result) {
    if (mark != MARKS && comm == MPI_COMM_WORLD && is_own(result))
        pass_mark(mark);
}

int MPI_Barrier(MPI_Comm comm) {
    enter("MPI_Barrier");
    int result = PMPI_Barrier(comm);
    if (recorded(result))
        collective(BARRIER, -1, 0, 0, comm, NULL);
    marked(BARRIERS, comm, result);
    return leave(result);
}

int MPI_Ibarrier(MPI_Comm comm, MPI_Request *request) {
    enter("MPI_Ibarrier");
    int result = PMPI_Ibarrier(comm, request);
    if (recorded(result))
        collective(BARRIER, -1, 0, 0, comm, request);
    return leave(result);
}

#ifdef INIT
int INIT(Barrier)(MPI_Comm comm, MPI_Info info, MPI_Request *request) {
    enter(INIT_TEXT(Barrier));
    int result = INIT_OF_LIBRARY(Barrier)(comm, info, request);
    prepare_collective(true);
    if (tracked(result))
        collective(BARRIER, -1, 0, 0, comm, request);
    prepare_collective(false);
    return leave(result);
}
#endif
