// The file of a rank: records as they happen; lists, block, rank and footer at the end.

#include "capture.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "operation files are little-endian"
#endif

_Static_assert(sizeof(struct record) == 32, "a record has 32 bytes");

enum { HEADER = 32, BUFFERED = 4096 };

struct list {
    uint64_t *words;
    uint64_t count;
    uint64_t hash;
};

static int file = -1;
static char *file_path;
static bool failed;
static struct record buffer[BUFFERED];
static uint64_t written; // records in the file
static uint64_t buffered;
static struct list *lists;
static uint64_t list_count, list_room;
static uint64_t *slots; // list number + 1 by hash, open addressing
static uint64_t slot_count;

static void fail(const char *what) {
    if (!failed)
        fprintf(stderr, "pantala capture: rank %u: %s: %s\n", world_rank(), what, strerror(errno));
    failed = true;
}

static void put(const void *data, size_t size, uint64_t offset) {
    const char *bytes = data;
    while (size > 0 && !failed) {
        ssize_t put = pwrite(file, bytes, size, (off_t)offset);
        if (put < 0 && errno == EINTR)
            continue;
        if (put <= 0) {
            fail("the operation file cannot be written");
            return;
        }
        bytes += put, size -= (size_t)put, offset += (uint64_t)put;
    }
}

static void out_of_memory(void) {
    fail("out of memory");
    abort();
}

static void *grown(void *memory, size_t size) {
    void *more = realloc(memory, size);
    if (more == NULL)
        out_of_memory();
    return more;
}

bool open_file(const char *path, uint32_t ranks, uint32_t rank) {
    // The folder can be open to other users: a link there must not lead to another file.
    file = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0644);
    if (file < 0) {
        fprintf(stderr, "pantala capture: %s: cannot be written: %s\n", path, strerror(errno));
        return false;
    }
    file_path = strdup(path);
    uint32_t header[8] = {0, 0, 1, ranks, rank, 1, 0, 0};
    memcpy(header, "PANTOPS", 8);
    put(header, sizeof header, 0);
    return !failed;
}

static void flush(void) {
    put(buffer, buffered * sizeof *buffer, HEADER + written * sizeof *buffer);
    written += buffered;
    buffered = 0;
}

uint64_t emit(struct record record) {
    if (buffered == BUFFERED)
        flush();
    buffer[buffered++] = record;
    return written + buffered - 1;
}

struct record get_record(uint64_t number) {
    struct record record = {0};
    if (number >= written)
        return buffer[number - written];
    if (pread(file, &record, sizeof record, (off_t)(HEADER + number * sizeof record)) !=
        (ssize_t)sizeof record)
        fail("the operation file cannot be read");
    return record;
}

void put_record(uint64_t number, struct record record) {
    if (number >= written)
        buffer[number - written] = record;
    else
        put(&record, sizeof record, HEADER + number * sizeof record);
}

static uint64_t hash_of(const uint64_t *words, uint64_t count) {
    uint64_t hash = 0xcbf29ce484222325u ^ count;
    for (uint64_t i = 0; i < count; i++) {
        hash = (hash ^ words[i]) * 0x100000001b3u;
        hash ^= hash >> 29;
    }
    return hash;
}

static uint64_t new_list(uint64_t *words, uint64_t count, uint64_t hash) {
    if (list_count == list_room) {
        list_room = list_room ? 2 * list_room : 64;
        lists = grown(lists, list_room * sizeof *lists);
    }
    lists[list_count] = (struct list){words, count, hash};
    return list_count++;
}

static uint64_t *place(uint64_t hash, const uint64_t *words, uint64_t count) {
    uint64_t at = hash % slot_count;
    while (slots[at] != 0) {
        const struct list *list = &lists[slots[at] - 1];
        if (list->hash == hash && list->count == count &&
            memcmp(list->words, words, count * sizeof *words) == 0)
            break;
        at = (at + 1) % slot_count;
    }
    return &slots[at];
}

uint64_t list_of(const uint64_t *words, uint64_t count) {
    if (2 * (list_count + 1) > slot_count) {
        slot_count = slot_count ? 2 * slot_count : 256;
        free(slots);
        slots = calloc(slot_count, sizeof *slots);
        if (slots == NULL)
            out_of_memory();
        for (uint64_t i = 0; i < list_count; i++)
            if (lists[i].hash != 0)
                *place(lists[i].hash, lists[i].words, lists[i].count) = i + 1;
    }
    uint64_t hash = hash_of(words, count) | 1;
    uint64_t *slot = place(hash, words, count);
    if (*slot == 0) {
        uint64_t *copy = grown(NULL, (count ? count : 1) * sizeof *copy);
        memcpy(copy, words, count * sizeof *copy);
        *slot = new_list(copy, count, hash) + 1;
    }
    return *slot - 1;
}

uint64_t *late_list(uint64_t count, uint64_t *number) {
    uint64_t *words = grown(NULL, (count ? count : 1) * sizeof *words);
    *number = new_list(words, count, 0);
    return words;
}

bool close_file(void) {
    if (file < 0)
        return false;
    flush();
    uint64_t offset = HEADER + written * sizeof(struct record), words = 0;
    for (uint64_t i = 0; i < list_count; i++) {
        put(lists[i].words, lists[i].count * 8, offset);
        offset += lists[i].count * 8;
    }
    for (uint64_t i = 0; i < list_count; i++) {
        uint64_t entry[2] = {words, lists[i].count};
        put(entry, sizeof entry, offset);
        offset += sizeof entry;
        words += lists[i].count;
    }
    uint64_t block[2] = {0, written};
    uint64_t rank[4] = {0};
    put(block, sizeof block, offset);
    put(rank, sizeof rank, offset + sizeof block);
    // Records, words, lists, blocks, ranks, communicators; no SHA-256.
    uint64_t footer[12] = {written, words, list_count, 1, 1, 0};
    memcpy(&footer[11], "PANTEND", 8);
    put(footer, sizeof footer, offset + sizeof block + sizeof rank);
    if (close(file) != 0)
        fail("the operation file cannot be closed");
    file = -1;
    return !failed;
}

void discard_file(void) {
    if (file >= 0)
        close(file);
    file = -1;
    if (file_path != NULL)
        unlink(file_path);
}
