// Communicators: their numbers in the file, and the records that make and free them.
//
// A replay numbers communicators as they are made: each gets the lowest free number of the rank.
// MPI_COMM_WORLD has number 0; the file gives each rank MPI_COMM_SELF as number 1 from the start.
// Every communicator but a copy is written as a split of its parent: the color is the rank in the
// parent of the new communicator's first rank, the key is the new rank. All ranks of the parent
// exchange both, because a record of a split has those of all ranks. What only the ranks of the new
// communicator call is a record of its own, with the ranks and a number that they agree on.
//
// An intercommunicator is in the file a communicator of both groups: the one with the lower first
// rank of MPI_COMM_WORLD comes first.

#include "recorded.h"

#include <stdlib.h>
#include <string.h>

enum { SELF = 1 };

struct known {
    uint64_t handle;
    MPI_Comm comm;
    uint32_t number;
};

static struct known *known;
static uint32_t known_count, known_room;
static bool used[65536] = {[SELF] = true};
// By number, for an intercommunicator: the place of the remote group in the file's communicator,
// plus 1.
static uint32_t remote_place[65536];
// The largest number of a group's communicator that this rank has; those of the file are 1.
static uint64_t last_context = 1;
// By number: its non-blocking collectives that are under way. A communicator that the program frees
// before they end is freed in the file after them.
static uint32_t pending[65536];
static uint32_t held_back; // freed by the program, not yet in the file

static uint64_t key_of(MPI_Comm handle) {
    uint64_t key = 0;
    memcpy(&key, &handle, sizeof handle < sizeof key ? sizeof handle : sizeof key);
    return key;
}

static struct known *find_key(uint64_t key) {
    for (uint32_t i = 0; i < known_count; i++)
        if (known[i].handle == key)
            return &known[i];
    return NULL;
}

static struct known *find(MPI_Comm communicator) {
    return find_key(key_of(communicator));
}

static void add(uint64_t key, MPI_Comm communicator, uint32_t number) {
    if (known_count == known_room) {
        known_room = known_room ? 2 * known_room : 64;
        known = realloc(known, known_room * sizeof *known);
        if (known == NULL)
            abort();
    }
    known[known_count++] = (struct known){key, communicator, number};
}

uint32_t world_rank(void) {
    static int rank = -1;
    if (rank < 0)
        PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    return (uint32_t)rank;
}

bool number_of(MPI_Comm communicator, uint16_t *number) {
    *number = communicator == MPI_COMM_SELF ? SELF : 0;
    if (communicator == MPI_COMM_WORLD || communicator == MPI_COMM_SELF)
        return true;
    const struct known *found = find(communicator);
    if (found == NULL) {
        refuse("the communicator is not made by a call that a capture follows, which in callbacks of"
               " attributes is only MPI_Comm_dup");
        return false;
    }
    *number = (uint16_t)found->number;
    return true;
}

bool is_known(MPI_Comm communicator) {
    return communicator == MPI_COMM_WORLD || communicator == MPI_COMM_SELF ||
           find(communicator) != NULL;
}

uint32_t rank_in_file(uint16_t number, int rank) {
    uint32_t place = remote_place[number];
    return place == 0 ? (uint32_t)rank : place - 1 + (uint32_t)rank;
}

bool is_inter(uint16_t number) {
    return remote_place[number] != 0;
}

// Takes the lowest free number; NONE stops the capture. `remote` is the place of the remote group
// plus 1.
static uint32_t lowest_free(uint32_t remote) {
    uint32_t number = 1;
    while (number < 65536 && used[number])
        number++;
    if (number == 65536) {
        refuse("the rank has more than 65,535 communicators at a time");
        return NONE;
    }
    used[number] = true;
    remote_place[number] = remote;
    return number;
}

// Gives a new communicator a number.
static void take(MPI_Comm made, uint32_t remote) {
    uint32_t number = lowest_free(remote);
    if (number != NONE)
        add(key_of(made), made, number);
}

void joined(MPI_Comm whole, MPI_Comm made, uint32_t remote) {
    MPI_Group all, own;
    int size;
    uint64_t context;
    last_context++;
    PMPI_Allreduce(&last_context, &context, 1, MPI_UINT64_T, MPI_MAX, whole);
    last_context = context;
    PMPI_Comm_size(whole, &size);
    PMPI_Comm_group(MPI_COMM_WORLD, &all);
    PMPI_Comm_group(whole, &own);
    int *places = malloc((size_t)size * sizeof *places), *ranks = malloc((size_t)size * sizeof *ranks);
    uint64_t *words = malloc((size_t)size * sizeof *words);
    if (places == NULL || ranks == NULL || words == NULL)
        abort();
    for (int at = 0; at < size; at++)
        places[at] = at;
    PMPI_Group_translate_ranks(own, size, places, all, ranks);
    for (int at = 0; at < size; at++)
        words[at] = (uint64_t)ranks[at];
    emit((struct record){
        .code = COMM_JOIN, .first = context, .second = list_of(words, (uint64_t)size)});
    take(made, remote);
    PMPI_Group_free(&all);
    PMPI_Group_free(&own);
    free(places);
    free(ranks);
    free(words);
}

void joined_groups(MPI_Comm made) {
    MPI_Group all, groups[2];
    MPI_Comm whole;
    int zero[2] = {0, 0}, first[2], size, rank;
    PMPI_Comm_group(MPI_COMM_WORLD, &all);
    PMPI_Comm_group(made, &groups[0]);
    PMPI_Comm_remote_group(made, &groups[1]);
    for (int each = 0; each < 2; each++)
        PMPI_Group_translate_ranks(groups[each], 1, &zero[each], all, &first[each]);
    PMPI_Group_size(groups[0], &size);
    bool ours_first = first[0] < first[1];
    PMPI_Intercomm_merge(made, !ours_first, &whole);
    PMPI_Comm_rank(whole, &rank);
    joined(whole, made, ours_first ? (uint32_t)size + 1 : 1);
    PMPI_Comm_free(&whole);
    PMPI_Group_free(&all);
    PMPI_Group_free(&groups[0]);
    PMPI_Group_free(&groups[1]);
}

void split(MPI_Comm parent, MPI_Comm made) {
    uint16_t number;
    if (!number_of(parent, &number))
        return;
    if (is_inter(number)) {
        refuse("a capture does not follow splits of intercommunicators");
        return;
    }
    record_copies(number);
    int size;
    PMPI_Comm_size(parent, &size);
    uint64_t word = 0; // no color
    if (made != MPI_COMM_NULL) {
        MPI_Group before, after;
        int first = 0, leader, rank;
        PMPI_Comm_group(parent, &before);
        PMPI_Comm_group(made, &after);
        PMPI_Group_translate_ranks(after, 1, &first, before, &leader);
        PMPI_Group_free(&before);
        PMPI_Group_free(&after);
        PMPI_Comm_rank(made, &rank);
        word = ((uint64_t)(uint32_t)leader + 1) << 32 | (uint32_t)rank;
    }
    uint64_t *words = malloc((size_t)size * sizeof *words);
    if (words == NULL)
        abort();
    PMPI_Allgather(&word, 1, MPI_UINT64_T, words, 1, MPI_UINT64_T, parent);
    emit((struct record){
        .code = COMM_SPLIT, .communicator = number, .second = list_of(words, (uint64_t)size)});
    free(words);
    if (made != MPI_COMM_NULL)
        take(made, 0);
}

void copied(MPI_Comm parent, MPI_Comm made) {
    uint16_t number;
    if (!number_of(parent, &number))
        return;
    record_copies(number);
    emit((struct record){.code = COMM_DUP, .communicator = number});
    take(made, remote_place[number]);
}

void announce_copy(const void *copy) {
    add((uint64_t)(uintptr_t)copy, MPI_COMM_NULL, NONE);
}

void number_copy(const void *copy, uint16_t parent) {
    emit((struct record){.code = COMM_DUP, .communicator = parent});
    find_key((uint64_t)(uintptr_t)copy)->number = lowest_free(remote_place[parent]);
}

void name_copy(const void *copy, MPI_Comm made) {
    struct known *found = find_key((uint64_t)(uintptr_t)copy);
    found->handle = key_of(made);
    found->comm = made;
}

// Records that a communicator is freed. The others stay in the order in which they were made.
static void free_known(struct known *found) {
    emit((struct record){.code = COMM_FREE, .communicator = (uint16_t)found->number});
    used[found->number] = false;
    memmove(found, found + 1, (size_t)(&known[known_count--] - (found + 1)) * sizeof *found);
}

void freed(MPI_Comm communicator) {
    struct known *found = find(communicator);
    if (found == NULL)
        return;
    if (pending[found->number] == 0) {
        free_known(found);
        return;
    }
    found->handle = 0; // of no communicator
    held_back++;
}

void count_pending(uint16_t number, int change) {
    pending[number] += (uint32_t)change;
}

void free_held_back(void) {
    for (uint32_t at = 0; held_back > 0 && at < known_count; at++)
        if (known[at].handle == 0 && pending[known[at].number] == 0) {
            free_known(&known[at--]);
            held_back--;
        }
}

void renew_communicators(void) {
    struct known *before = known;
    uint32_t count = known_count;
    known = NULL;
    known_count = known_room = 0;
    for (uint32_t at = 0; at < count; at++)
        used[before[at].number] = false;
    for (uint32_t at = 0; at < count; at++) {
        int inter;
        PMPI_Comm_test_inter(before[at].comm, &inter);
        if (inter)
            joined_groups(before[at].comm);
        else
            joined(before[at].comm, before[at].comm, 0);
    }
    free(before);
}
