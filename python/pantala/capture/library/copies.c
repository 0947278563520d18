// The calls that copy a communicator. One that does not block returns before the copy can be used.
//
// In the file a copy is a Comm_dup, which blocks. That of a call that does not block stands where its
// request completes: by then all ranks have started it. Ranks may complete it before or after their
// next collective of the communicator, but all must have their collectives in one order, so it stands
// before that at the latest. The same holds for an earlier copy of the same communicator.

#include "recorded.h"

#include <stdlib.h>

// A copy that is under way.
struct copy {
    MPI_Comm *made; // where MPI stores the handle
    uint16_t parent;
    bool recorded;
    struct copy *next;
};

static struct copy *copies; // in the order of their calls

void record_copies(uint16_t parent) {
    for (struct copy *each = copies; each != NULL; each = each->next)
        if (each->parent == parent && !each->recorded) {
            number_copy(each, parent);
            each->recorded = true;
        }
}

bool copies_under_way(void) {
    return copies != NULL;
}

// Keeps a copy that is under way until its request completes.
static void start_copy(MPI_Comm comm, MPI_Comm *made, MPI_Request request) {
    uint16_t parent;
    if (!number_of(comm, &parent))
        return;
    struct copy *copy = malloc(sizeof *copy), **end = &copies;
    if (copy == NULL)
        abort();
    *copy = (struct copy){.made = made, .parent = parent};
    while (*end != NULL)
        end = &(*end)->next;
    *end = copy;
    announce_copy(copy);
    add_numbered(request, NONE)->copy = copy;
}

void end_copy(struct copy *copy) {
    record_copies(copy->parent);
    name_copy(copy, *copy->made);
    struct copy **at = &copies;
    while (*at != copy)
        at = &(*at)->next;
    *at = copy->next;
    free(copy);
}

// Whether a call made a copy that is to be recorded. The callback of an attribute that is copied with
// its communicator may copy another.
static bool is_copy(int result, MPI_Comm comm) {
    return tracked(result) || (is_followed(result) && is_known(comm));
}

int MPI_Comm_dup(MPI_Comm comm, MPI_Comm *made) {
    enter("MPI_Comm_dup");
    int result = PMPI_Comm_dup(comm, made);
    if (is_copy(result, comm))
        copied(comm, *made);
    return leave(result);
}

int MPI_Comm_dup_with_info(MPI_Comm comm, MPI_Info info, MPI_Comm *made) {
    enter("MPI_Comm_dup_with_info");
    int result = PMPI_Comm_dup_with_info(comm, info, made);
    if (is_copy(result, comm))
        copied(comm, *made);
    return leave(result);
}

int MPI_Comm_idup(MPI_Comm comm, MPI_Comm *made, MPI_Request *request) {
    enter("MPI_Comm_idup");
    int result = PMPI_Comm_idup(comm, made, request);
    if (tracked(result))
        start_copy(comm, made, *request);
    return leave(result);
}

#if MPI_VERSION >= 4 || defined OMPI_MAJOR_VERSION && OMPI_MAJOR_VERSION >= 5
int MPI_Comm_idup_with_info(MPI_Comm comm, MPI_Info info, MPI_Comm *made, MPI_Request *request) {
    enter("MPI_Comm_idup_with_info");
    int result = PMPI_Comm_idup_with_info(comm, info, made, request);
    if (tracked(result))
        start_copy(comm, made, *request);
    return leave(result);
}
#endif
