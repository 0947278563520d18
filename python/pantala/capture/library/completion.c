// Waits and tests. A replay waits for the requests that the call completed: a Waitany becomes a
// wait for the request of its index, a successful Test a wait, an unsuccessful one nothing. Outside
// of the recorded part requests complete, too: a copy of a communicator can be used from then on.

#include "capture.h"

#include <stdlib.h>
#include <string.h>

// Memory for the handles and statuses of a call.
static MPI_Request *handles;
static MPI_Status *statuses;
static int room;
// The requests of the file that a call completes.
static uint32_t *numbers;
static uint64_t *words;
static uint32_t number_count, number_room;

static void make_room(int count) {
    if (count <= room)
        return;
    room = count < 64 ? 64 : count;
    handles = realloc(handles, (size_t)room * sizeof *handles);
    statuses = realloc(statuses, (size_t)room * sizeof *statuses);
    if (handles == NULL || statuses == NULL)
        abort();
}

static void add_number(uint32_t number) {
    if (number_count == number_room) {
        number_room = number_room ? 2 * number_room : 64;
        numbers = realloc(numbers, number_room * sizeof *numbers);
        words = realloc(words, number_room * sizeof *words);
        if (numbers == NULL || words == NULL)
            abort();
    }
    numbers[number_count++] = number;
}

// Completes the request of a handle, and adds what a replay waits for.
static void complete(MPI_Request handle, const MPI_Status *status) {
    struct live *live = handle == MPI_REQUEST_NULL ? NULL : find_request(handle);
    if (live == NULL || !live->active)
        return;
    if (live->copy != NULL)
        end_copy(live->copy);
    bool posts = live->message || (live->persistent && live->starts == NULL);
    if (live->numbers != NULL)
        for (uint32_t at = 0; at < live->count; at++)
            add_number(live->numbers[at]);
    else if (live->number != NONE && (!posts || ended(live->record, live->receive, status)))
        add_number(live->number);
    if (live->collective)
        count_pending(live->posted.communicator, -1);
    if (live->persistent)
        live->active = false;
    else
        remove_request(live);
}

static void wait_for_added(void) {
    uint32_t same = 1, count = number_count;
    number_count = 0;
    if (count == 0 || !in_region())
        return;
    if (count == 1) {
        emit((struct record){.code = WAIT, .request = numbers[0]});
        return;
    }
    while (same < count && numbers[same] == numbers[0] + same)
        same++;
    if (same == count) {
        emit((struct record){.code = WAITALL, .request = numbers[0], .peer = count});
        return;
    }
    for (uint32_t i = 0; i < count; i++)
        words[i] = numbers[i];
    emit((struct record){.code = WAITALL, .flags = LISTED, .second = list_of(words, count)});
}

void wait_for_numbers(const uint32_t *given, uint32_t count) {
    for (uint32_t at = 0; at < count; at++)
        add_number(given[at]);
    wait_for_added();
}

static void wait_for_one(MPI_Request handle, const MPI_Status *status) {
    complete(handle, status);
    wait_for_added();
    free_held_back();
}

// Waits for all requests of `handles`, or for those with these indices.
static void wait_for_several(int count, const int *indices, const MPI_Status *filled) {
    for (int i = 0; i < count; i++)
        complete(handles[indices ? indices[i] : i], &filled[i]);
    wait_for_added();
    free_held_back();
}

int MPI_Wait(MPI_Request *request, MPI_Status *status) {
    enter("MPI_Wait");
    MPI_Request before = *request;
    MPI_Status own, *filled = status == MPI_STATUS_IGNORE ? &own : status;
    int result = PMPI_Wait(request, filled);
    if (tracked(result))
        wait_for_one(before, filled);
    return leave(result);
}

int MPI_Test(MPI_Request *request, int *flag, MPI_Status *status) {
    enter("MPI_Test");
    MPI_Request before = *request;
    MPI_Status own, *filled = status == MPI_STATUS_IGNORE ? &own : status;
    int result = PMPI_Test(request, flag, filled);
    tested(*flag);
    if (result == MPI_SUCCESS && *flag && tracked(result))
        wait_for_one(before, filled);
    return leave(result);
}

// Copies the handles, which the call replaces, and returns the place for statuses.
static MPI_Status *prepare(int count, const MPI_Request requests[], MPI_Status given[]) {
    make_room(count);
    if (count > 0)
        memcpy(handles, requests, (size_t)count * sizeof *handles);
    return given == MPI_STATUSES_IGNORE ? statuses : given;
}

int MPI_Waitall(int count, MPI_Request requests[], MPI_Status given[]) {
    enter("MPI_Waitall");
    MPI_Status *filled = prepare(count, requests, given);
    int result = PMPI_Waitall(count, requests, filled);
    if (tracked(result))
        wait_for_several(count, NULL, filled);
    return leave(result);
}

int MPI_Testall(int count, MPI_Request requests[], int *flag, MPI_Status given[]) {
    enter("MPI_Testall");
    MPI_Status *filled = prepare(count, requests, given);
    int result = PMPI_Testall(count, requests, flag, filled);
    tested(*flag);
    if (result == MPI_SUCCESS && *flag && tracked(result))
        wait_for_several(count, NULL, filled);
    return leave(result);
}

int MPI_Waitany(int count, MPI_Request requests[], int *index, MPI_Status *status) {
    enter("MPI_Waitany");
    MPI_Status own, *filled = status == MPI_STATUS_IGNORE ? &own : status;
    prepare(count, requests, NULL);
    int result = PMPI_Waitany(count, requests, index, filled);
    if (result == MPI_SUCCESS && *index != MPI_UNDEFINED && tracked(result))
        wait_for_one(handles[*index], filled);
    return leave(result);
}

int MPI_Testany(int count, MPI_Request requests[], int *index, int *flag, MPI_Status *status) {
    enter("MPI_Testany");
    MPI_Status own, *filled = status == MPI_STATUS_IGNORE ? &own : status;
    prepare(count, requests, NULL);
    int result = PMPI_Testany(count, requests, index, flag, filled);
    tested(*flag);
    if (result == MPI_SUCCESS && *flag && *index != MPI_UNDEFINED && tracked(result))
        wait_for_one(handles[*index], filled);
    return leave(result);
}

int MPI_Waitsome(int count, MPI_Request requests[], int *done, int indices[], MPI_Status given[]) {
    enter("MPI_Waitsome");
    MPI_Status *filled = prepare(count, requests, given);
    int result = PMPI_Waitsome(count, requests, done, indices, filled);
    if (result == MPI_SUCCESS && *done != MPI_UNDEFINED && tracked(result))
        wait_for_several(*done, indices, filled);
    return leave(result);
}

int MPI_Testsome(int count, MPI_Request requests[], int *done, int indices[], MPI_Status given[]) {
    enter("MPI_Testsome");
    MPI_Status *filled = prepare(count, requests, given);
    int result = PMPI_Testsome(count, requests, done, indices, filled);
    tested(*done != 0);
    if (result == MPI_SUCCESS && *done != MPI_UNDEFINED && *done > 0 && tracked(result))
        wait_for_several(*done, indices, filled);
    return leave(result);
}

// A persistent request that is not active, or one that the program gives up. MPI may have completed
// it: then it is as if the program had waited for it, and a cancelled one is none.
static void give_up(struct live *live, bool complete, const MPI_Status *status) {
    if (live->number == NONE) {
        remove_request(live);
        return;
    }
    if (live->starts != NULL) {
        // A persistent collective has no record but those of its starts.
    } else if (live->persistent) {
        // A persistent receive from any source has no record, unless a start posted one.
        if (live->posted.code != IRECV || live->active)
            emit((struct record){.code = REQUEST_FREE, .request = live->number});
    } else if (!complete || !live->message || ended(live->record, live->receive, status)) {
        emit((struct record){.code = REQUEST_FREE, .request = live->number});
        give_up_request(live);
        return;
    }
    if (live->active)
        give_up_request(live);
    else
        remove_request(live);
}

int MPI_Request_free(MPI_Request *request) {
    enter("MPI_Request_free");
    MPI_Request before = *request;
    struct live *live = before == MPI_REQUEST_NULL ? NULL : find_request(before);
    MPI_Status status;
    int complete = 0;
    if (live != NULL && live->message && !live->persistent)
        PMPI_Request_get_status(before, &complete, &status);
    int result = PMPI_Request_free(request);
    if (live != NULL && tracked(result))
        give_up(live, complete != 0, &status);
    return leave(result);
}
