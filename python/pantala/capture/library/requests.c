// Live requests by handle, and their numbers in the file.

#include "capture.h"

#include <stdlib.h>
#include <string.h>

enum {
    MOST = 1 << 20,    // numbers of requests in an operation file
    RESTING = 1 << 16, // numbers that rest
};

static struct live **buckets;
static uint32_t bucket_count, live_count;
static struct live *unused;
static uint64_t taken[MOST / 64]; // one bit per number
// Numbers of requests that the program gave up. Their messages may be under way still, in the
// program and in a replay, so that each is used again only after many others.
static uint32_t given_up[RESTING];
static uint32_t given_up_count;
static uint32_t first_free;       // no lower word of `taken` has a free bit

static uint64_t key_of(MPI_Request handle) {
    uint64_t key = 0;
    memcpy(&key, &handle, sizeof handle < sizeof key ? sizeof handle : sizeof key);
    return key;
}

static uint32_t bucket_of(uint64_t key) {
    return (uint32_t)((key * 0x9e3779b97f4a7c15u) >> 32) & (bucket_count - 1);
}

static void append(struct live *live) {
    struct live **end = &buckets[bucket_of(live->handle)];
    while (*end != NULL)
        end = &(*end)->next;
    live->next = NULL;
    *end = live;
}

static void grow(void) {
    struct live **old = buckets;
    uint32_t old_count = bucket_count;
    bucket_count = old_count ? 2 * old_count : 1024;
    buckets = calloc(bucket_count, sizeof *buckets);
    if (buckets == NULL)
        abort();
    for (uint32_t i = 0; i < old_count; i++)
        for (struct live *live = old[i], *next; live != NULL; live = next) {
            next = live->next;
            append(live);
        }
    free(old);
}

uint32_t take_number(void) {
    for (; first_free < MOST / 64; first_free++)
        if (~taken[first_free] != 0) {
            uint32_t bit = (uint32_t)__builtin_ctzll(~taken[first_free]);
            taken[first_free] |= (uint64_t)1 << bit;
            return first_free * 64 + bit;
        }
    refuse("the rank has more than 1,048,576 requests at a time");
    return NONE;
}

struct live *add_numbered(MPI_Request handle, uint32_t number) {
    if (live_count >= bucket_count)
        grow();
    struct live *live = unused;
    if (live != NULL)
        unused = live->next;
    else if ((live = malloc(sizeof *live)) == NULL)
        abort();
    *live = (struct live){.handle = key_of(handle), .number = number, .active = true};
    if (number == NONE) {
        struct live **start = &buckets[bucket_of(live->handle)];
        live->next = *start;
        *start = live;
    } else {
        append(live);
    }
    live_count++;
    return live;
}

struct live *add_request(MPI_Request handle) {
    uint32_t number = take_number();
    return number == NONE ? NULL : add_numbered(handle, number);
}

struct live *add_requests(MPI_Request handle, uint32_t *numbers, uint32_t count) {
    if (count == 0) {
        free(numbers);
        return NULL;
    }
    struct live *live = add_numbered(handle, numbers[0]);
    live->numbers = numbers;
    live->count = count;
    return live;
}

void make_persistent(struct live *live, struct record *starts, uint32_t count, MPI_Comm comm) {
    live->persistent = true;
    live->active = false;
    live->comm = comm;
    live->starts = starts;
    live->start_count = count;
}

struct live *find_request(MPI_Request handle) {
    if (bucket_count == 0)
        return NULL;
    uint64_t key = key_of(handle);
    for (struct live *live = buckets[bucket_of(key)]; live != NULL; live = live->next)
        if (live->handle == key)
            return live;
    return NULL;
}

void release_number(uint32_t number) {
    if (number == NONE)
        return;
    taken[number / 64] &= ~((uint64_t)1 << (number % 64));
    if (number / 64 < first_free)
        first_free = number / 64;
}

void renew_requests(void) {
    for (uint32_t bucket = 0; bucket < bucket_count; bucket++)
        for (struct live *live = buckets[bucket]; live != NULL; live = live->next) {
            if (!live->persistent || !number_of(live->comm, &live->posted.communicator))
                continue;
            for (uint32_t at = 0; at < live->start_count; at++)
                live->starts[at].communicator = live->posted.communicator;
            if (live->starts == NULL && live->posted.code != IRECV)
                emit(live->posted);
        }
}

static void forget(struct live *live) {
    free(live->numbers);
    free(live->starts);
    struct live **at = &buckets[bucket_of(live->handle)];
    while (*at != live)
        at = &(*at)->next;
    *at = live->next;
    live->next = unused;
    unused = live;
    live_count--;
}

void remove_request(struct live *live) {
    release_number(live->number);
    for (uint32_t at = 1; at < live->count; at++)
        release_number(live->numbers[at]);
    forget(live);
}

void give_up_request(struct live *live) {
    uint32_t place = given_up_count++ % RESTING;
    if (given_up_count > RESTING)
        release_number(given_up[place]);
    given_up[place] = live->number;
    forget(live);
}
