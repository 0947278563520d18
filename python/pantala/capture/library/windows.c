// One-sided communication, as far as its messages follow from the calls.
//
// A window works on a copy of its communicator, as in MPICH and Open MPI. In epochs that the target
// ends, too (fences; post, start, complete, wait), the origins tell it at the end what they put and
// got. A Put is a message that starts with its call and that the target receives at the end; a Get is
// a message that the target sends at the end. In epochs of locks the target calls nothing, so these
// are left out, and noted. The state of epochs is kept outside of the recorded part, too.

#include "recorded.h"

#include <stdlib.h>
#include <string.h>

// Tags that programs do not use, beside those of neighborhoods.
enum { PUT_TAG = 0x7ffe0000, GET_TAG, POST_TAG, COMPLETE_TAG };
// The tag of the capture's own messages.
enum { OWN_TAG = 7 };

// A Put or a Get of the present epoch.
struct part {
    int target;
    uint64_t word; // 2 x bytes, + 1 for a Get
};

// Requests of the file that the end of an epoch waits for.
struct started {
    uint32_t *numbers;
    uint32_t count, room;
};

struct window {
    MPI_Win handle;
    MPI_Comm comm; // the capture's own, and the copy that a replay makes
    uint16_t number;
    struct part *parts;
    int part_count, part_room;
    struct started started;
    int locks;
    MPI_Group targets, origins; // of the present epochs of start and of post
    struct window *next;
};

static struct window *windows;

static struct window *find_window(MPI_Win handle) {
    for (struct window *each = windows; each != NULL; each = each->next)
        if (each->handle == handle)
            return each;
    return NULL;
}

// Gives back the numbers of messages that are over, or are of no interest.
static void forget_messages(struct started *started) {
    for (uint32_t at = 0; at < started->count; at++)
        release_number(started->numbers[at]);
    started->count = 0;
}

void renew_windows(void) {
    for (struct window *each = windows; each != NULL; each = each->next)
        if (number_of(each->comm, &each->number))
            forget_messages(&each->started);
}

// --- The messages of an epoch ----------------------------------------------------------------

// Starts a message of the capture's own tags.
static void start_message(struct window *window, enum code code, int peer, int tag,
                          uint64_t bytes) {
    struct started *started = &window->started;
    uint32_t number = take_number();
    if (number == NONE)
        return;
    if (started->count == started->room) {
        started->room = started->room ? 2 * started->room : 16;
        started->numbers = realloc(started->numbers, started->room * sizeof *started->numbers);
        if (started->numbers == NULL)
            abort();
    }
    started->numbers[started->count++] = number;
    emit((struct record){.code = code,
                         .communicator = window->number,
                         .request = number,
                         .peer = (uint32_t)peer,
                         .tag = tag,
                         .first = bytes});
}

// Waits for all messages that were started.
static void end_messages(struct window *window) {
    struct started *started = &window->started;
    wait_for_numbers(started->numbers, started->count);
    forget_messages(started);
}

// Origin: receives what it got from a target.
static void receive_gets(struct window *window, int target) {
    for (int at = 0; at < window->part_count; at++) {
        struct part *part = &window->parts[at];
        if (part->target == target && part->word % 2 == 1)
            start_message(window, IRECV, target, GET_TAG, part->word / 2);
    }
}

// Target: receives what an origin put, and sends what it got.
static void serve(struct window *window, int origin, const uint64_t *words, int count) {
    for (int at = 0; at < count; at++)
        if (words[at] % 2 == 1)
            start_message(window, ISEND, origin, GET_TAG, words[at] / 2);
        else
            start_message(window, IRECV, origin, PUT_TAG, words[at] / 2);
}

static void end_fence(struct window *window) {
    int size;
    PMPI_Comm_size(window->comm, &size);
    int *told = room_for(size), *heard = room_for(size), *filled = room_for(size);
    int *told_place = room_for(size + 1), *heard_place = room_for(size + 1);
    for (int at = 0; at < window->part_count; at++)
        told[window->parts[at].target]++;
    PMPI_Alltoall(told, 1, MPI_INT, heard, 1, MPI_INT, window->comm);
    for (int peer = 0; peer < size; peer++) {
        told_place[peer + 1] = told_place[peer] + told[peer];
        heard_place[peer + 1] = heard_place[peer] + heard[peer];
    }
    uint64_t *words = room_for(window->part_count), *heard_words = room_for(heard_place[size]);
    for (int at = 0; at < window->part_count; at++) {
        int target = window->parts[at].target;
        words[told_place[target] + filled[target]++] = window->parts[at].word;
    }
    PMPI_Alltoallv(words, told, told_place, MPI_UINT64_T, heard_words, heard, heard_place,
                   MPI_UINT64_T, window->comm);
    for (int peer = 0; peer < size; peer++) {
        if (told[peer] > 0)
            receive_gets(window, peer);
        serve(window, peer, &heard_words[heard_place[peer]], heard[peer]);
    }
    end_messages(window);
    window->part_count = 0;
    void *used[] = {told, heard, filled, told_place, heard_place, words, heard_words};
    for (size_t at = 0; at < sizeof used / sizeof *used; at++)
        free(used[at]);
}

// The ranks of a group in the window's communicator. Returns their number.
static int ranks_of(struct window *window, MPI_Group group, int **ranks) {
    int size;
    MPI_Group all;
    PMPI_Group_size(group, &size);
    PMPI_Comm_group(window->comm, &all);
    int *own = room_for(size);
    *ranks = room_for(size);
    for (int at = 0; at < size; at++)
        own[at] = at;
    PMPI_Group_translate_ranks(group, size, own, all, *ranks);
    PMPI_Group_free(&all);
    free(own);
    return size;
}

static void set_group(MPI_Group *kept, MPI_Group group) {
    int size, *own;
    PMPI_Group_size(group, &size);
    own = room_for(size);
    for (int at = 0; at < size; at++)
        own[at] = at;
    PMPI_Group_incl(group, size, own, kept);
    free(own);
}

// Origin: tells each target what it did. What it got arrives when the targets end the epoch: a rank
// that is a target itself waits for it there.
static void end_access(struct window *window) {
    int *targets, size = ranks_of(window, window->targets, &targets);
    uint64_t *words = room_for(window->part_count);
    for (int each = 0; each < size; each++) {
        int count = 0;
        for (int at = 0; at < window->part_count; at++)
            if (window->parts[at].target == targets[each])
                words[count++] = window->parts[at].word;
        PMPI_Send(words, count, MPI_UINT64_T, targets[each], OWN_TAG, window->comm);
        start_message(window, ISEND, targets[each], COMPLETE_TAG, 0);
        receive_gets(window, targets[each]);
    }
    if (window->origins == MPI_GROUP_NULL)
        end_messages(window);
    window->part_count = 0;
    PMPI_Group_free(&window->targets);
    free(words);
    free(targets);
}

// Target: hears from each origin what it did.
static void end_exposure(struct window *window) {
    int *origins, size = ranks_of(window, window->origins, &origins);
    for (int each = 0; each < size; each++)
        emit((struct record){.code = RECV,
                             .communicator = window->number,
                             .peer = (uint32_t)origins[each],
                             .tag = COMPLETE_TAG});
    for (int each = 0; each < size; each++) {
        MPI_Status status;
        int count;
        PMPI_Probe(origins[each], OWN_TAG, window->comm, &status);
        PMPI_Get_count(&status, MPI_UINT64_T, &count);
        uint64_t *words = room_for(count);
        PMPI_Recv(words, count, MPI_UINT64_T, origins[each], OWN_TAG, window->comm,
                  MPI_STATUS_IGNORE);
        serve(window, origins[each], words, count);
        free(words);
    }
    end_messages(window);
    PMPI_Group_free(&window->origins);
    free(origins);
}

// --- The calls -------------------------------------------------------------------------------

void make_window(MPI_Win handle, MPI_Comm comm) {
    struct window *window = room_for(sizeof *window / sizeof(uint64_t) + 1);
    window->handle = handle;
    window->targets = window->origins = MPI_GROUP_NULL;
    PMPI_Comm_dup(comm, &window->comm);
    copied(comm, window->comm);
    if (!number_of(window->comm, &window->number))
        return;
    emit((struct record){.code = BARRIER, .communicator = window->number});
    window->next = windows;
    windows = window;
}

int MPI_Win_create_dynamic(MPI_Info info, MPI_Comm comm, MPI_Win *window) {
    enter("MPI_Win_create_dynamic");
    int result = PMPI_Win_create_dynamic(info, comm, window);
    if (tracked(result))
        make_window(*window, comm);
    return leave(result);
}

int MPI_Win_free(MPI_Win *handle) {
    enter("MPI_Win_free");
    struct window *window = find_window(*handle);
    int result = PMPI_Win_free(handle);
    if (window != NULL && tracked(result)) {
        end_messages(window);
        emit((struct record){.code = BARRIER, .communicator = window->number});
        freed(window->comm);
        PMPI_Comm_free(&window->comm);
        struct window **at = &windows;
        while (*at != window)
            at = &(*at)->next;
        *at = window->next;
        free(window->parts);
        free(window->started.numbers);
        free(window);
    }
    return leave(result);
}

// Keeps a Put or a Get until the end of the epoch.
static void keep_part(struct window *window, int target, uint64_t word) {
    if (window->part_count == window->part_room) {
        window->part_room = window->part_room ? 2 * window->part_room : 16;
        window->parts =
            realloc(window->parts, (size_t)window->part_room * sizeof *window->parts);
        if (window->parts == NULL)
            abort();
    }
    window->parts[window->part_count++] = (struct part){target, word};
}

void moved(MPI_Win handle, int target, uint64_t put, uint64_t got) {
    struct window *window = find_window(handle);
    if (target == MPI_PROC_NULL)
        return;
    if (window == NULL || window->locks > 0) {
        leave_out(window == NULL ? UNKNOWN_WINDOW : UNDER_LOCK);
        return;
    }
    if (put != NOTHING) {
        keep_part(window, target, 2 * put);
        start_message(window, IPOST, target, PUT_TAG, put);
    }
    if (got != NOTHING)
        keep_part(window, target, 2 * got + 1);
}

int MPI_Fetch_and_op(const void *data, void *fetched, MPI_Datatype type, int target, MPI_Aint place,
                     MPI_Op op, MPI_Win window) {
    enter("MPI_Fetch_and_op");
    int result = PMPI_Fetch_and_op(data, fetched, type, target, place, op, window);
    if (recorded(result))
        moved(window, target, bytes_of(1, type), bytes_of(1, type));
    return leave(result);
}

int MPI_Compare_and_swap(const void *data, const void *compared, void *fetched, MPI_Datatype type,
                         int target, MPI_Aint place, MPI_Win window) {
    enter("MPI_Compare_and_swap");
    int result = PMPI_Compare_and_swap(data, compared, fetched, type, target, place, window);
    if (recorded(result))
        moved(window, target, 2 * bytes_of(1, type), bytes_of(1, type));
    return leave(result);
}

// Defines a call that ends or starts an epoch; `action` records it for the `window` that it finds.
#define EPOCH(name, PARAMETERS, ARGUMENTS, action)                                                 \
    int MPI_##name(PARAMETERS) {                                                                   \
        enter("MPI_" #name);                                                                       \
        int result = PMPI_##name(ARGUMENTS);                                                       \
        struct window *window = find_window(handle);                                               \
        if (window != NULL && tracked(result)) {                                                   \
            action;                                                                                \
        } else if (recorded(result)) {                                                             \
            leave_out(UNKNOWN_WINDOW);                                                             \
        }                                                                                          \
        return leave(result);                                                                      \
    }
#define FENCE int asserted, MPI_Win handle
#define FENCE_ARGUMENTS asserted, handle
#define GROUP MPI_Group group, int asserted, MPI_Win handle
#define GROUP_ARGUMENTS group, asserted, handle
#define LOCK int type, int rank, int asserted, MPI_Win handle
#define LOCK_ARGUMENTS type, rank, asserted, handle
#define RANK int rank, MPI_Win handle
#define RANK_ARGUMENTS rank, handle
#define WINDOW MPI_Win handle

EPOCH(Win_fence, FENCE, FENCE_ARGUMENTS, end_fence(window);
      emit((struct record){.code = BARRIER, .communicator = window->number}))
EPOCH(Win_lock, LOCK, LOCK_ARGUMENTS, window->locks++)
EPOCH(Win_lock_all, FENCE, FENCE_ARGUMENTS, window->locks++)
EPOCH(Win_unlock, RANK, RANK_ARGUMENTS, window->locks--)
EPOCH(Win_unlock_all, WINDOW, handle, window->locks--)
EPOCH(Win_complete, WINDOW, handle, end_access(window))
EPOCH(Win_wait, WINDOW, handle, end_exposure(window))

int MPI_Win_test(MPI_Win handle, int *flag) {
    enter("MPI_Win_test");
    int result = PMPI_Win_test(handle, flag);
    tested(*flag);
    struct window *window = find_window(handle);
    if (window != NULL && result == MPI_SUCCESS && *flag && tracked(result))
        end_exposure(window);
    return leave(result);
}

static void post(struct window *window) {
    int *origins, size = ranks_of(window, window->origins, &origins);
    for (int each = 0; each < size; each++)
        emit((struct record){.code = SEND,
                             .communicator = window->number,
                             .peer = (uint32_t)origins[each],
                             .tag = POST_TAG});
    free(origins);
}

static void hear_posts(struct window *window) {
    int *targets, size = ranks_of(window, window->targets, &targets);
    for (int each = 0; each < size; each++)
        emit((struct record){.code = RECV,
                             .communicator = window->number,
                             .peer = (uint32_t)targets[each],
                             .tag = POST_TAG});
    free(targets);
}

EPOCH(Win_post, GROUP, GROUP_ARGUMENTS, set_group(&window->origins, group); post(window))
EPOCH(Win_start, GROUP, GROUP_ARGUMENTS, set_group(&window->targets, group); hear_posts(window))
