// The file of a rank: records as they happen; lists, block, rank and footer at the end.
//
// The end of the file is mapped into memory, so that the records of a program that is killed are in
// the file. Until the end, lists stand in a file of their own: for each its number of words plus one
// and the words. The highest bit of that number marks a list whose words are still to come.

#include "capture.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "operation files are little-endian"
#endif

_Static_assert(sizeof(struct record) == 32, "a record has 32 bytes");

enum { HEADER = 32, WINDOW = 1 << 21 };
#define LATE (UINT64_C(1) << 63)

struct list {
    uint64_t *words;
    uint64_t count;
    uint64_t hash;
};

static int file = -1, list_file = -1;
static char *list_path;
static bool failed;
static char *window; // the bytes of the file from `window_start` on
static uint64_t window_start;
static uint64_t written; // records in the file
static uint64_t list_bytes;
static struct list *lists;
static uint64_t list_count, list_room;
static uint64_t *slots; // list number + 1 by hash, open addressing
static uint64_t slot_count;

static void fail(const char *what) {
    if (!failed)
        fprintf(stderr, "pantala capture: rank %u: %s: %s\n", world_rank(), what, strerror(errno));
    failed = true;
}

static void put(int target, const void *data, size_t size, uint64_t offset) {
    const char *bytes = data;
    while (size > 0 && !failed) {
        ssize_t put = pwrite(target, bytes, size, (off_t)offset);
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

static int made(const char *folder, uint32_t rank, const char *kind, char **path) {
    size_t room = strlen(folder) + 64;
    *path = grown(NULL, room);
    snprintf(*path, room, "%s/rank-%06u.%s", folder, rank, kind);
    // The folder can be open to other users: a link there must not lead to another file.
    int opened = open(*path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0644);
    if (opened < 0)
        fprintf(stderr, "pantala capture: %s: cannot be written: %s\n", *path, strerror(errno));
    return opened;
}

// Maps the part of the file that starts at `start`. The space is reserved: writing into a hole of a
// full disk would kill the program.
static void map_window(uint64_t start) {
    if (window != NULL)
        munmap(window, WINDOW);
    window = NULL;
    int error = posix_fallocate(file, (off_t)start, WINDOW);
    if (error != 0) {
        errno = error;
        fail("the operation file cannot be written");
        return;
    }
    void *mapped = mmap(NULL, WINDOW, PROT_READ | PROT_WRITE, MAP_SHARED, file, (off_t)start);
    if (mapped == MAP_FAILED) {
        fail("the operation file cannot be mapped");
        return;
    }
    window = mapped;
    window_start = start;
}

bool open_file(const char *folder, uint32_t ranks, uint32_t rank, uint64_t run) {
    char *path;
    file = made(folder, rank, "operations", &path);
    free(path);
    list_file = file < 0 ? -1 : made(folder, rank, "lists", &list_path);
    if (list_file < 0)
        return false;
    uint32_t header[8] = {0, 0, 1, ranks, rank, 1, (uint32_t)run, (uint32_t)(run >> 32)};
    memcpy(header, "PANTOPS", 8);
    map_window(0);
    if (window != NULL)
        memcpy(window, header, sizeof header);
    return !failed;
}

static uint64_t place_of(uint64_t number) {
    return HEADER + number * sizeof(struct record);
}

uint64_t emit(struct record record) {
    if (!in_region())
        return written;
    uint64_t place = place_of(written);
    if (place >= window_start + WINDOW && !failed)
        map_window(window_start + WINDOW);
    if (failed)
        refuse("the operation file cannot be written; is the disk full");
    else
        memcpy(window + (place - window_start), &record, sizeof record);
    return written++;
}

struct record get_record(uint64_t number) {
    struct record record = {0};
    uint64_t place = place_of(number);
    if (failed)
        return record;
    if (place >= window_start)
        memcpy(&record, window + (place - window_start), sizeof record);
    else if (pread(file, &record, sizeof record, (off_t)place) != (ssize_t)sizeof record)
        fail("the operation file cannot be read");
    return record;
}

void put_record(uint64_t number, struct record record) {
    uint64_t place = place_of(number);
    if (failed)
        return;
    if (place >= window_start)
        memcpy(window + (place - window_start), &record, sizeof record);
    else
        put(file, &record, sizeof record, place);
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
    uint64_t length = (count + 1) | (hash == 0 ? LATE : 0);
    put(list_file, &length, sizeof length, list_bytes);
    if (hash != 0)
        put(list_file, words, count * sizeof *words, list_bytes + sizeof length);
    list_bytes += (count + 1) * sizeof *words;
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
    if (file < 0 || failed)
        return false;
    munmap(window, WINDOW);
    window = NULL;
    uint64_t offset = place_of(written), words = 0;
    if (ftruncate(file, (off_t)offset) != 0)
        fail("the operation file cannot be cut to its length");
    for (uint64_t i = 0; i < list_count; i++) {
        put(file, lists[i].words, lists[i].count * 8, offset);
        offset += lists[i].count * 8;
    }
    for (uint64_t i = 0; i < list_count; i++) {
        uint64_t entry[2] = {words, lists[i].count};
        put(file, entry, sizeof entry, offset);
        offset += sizeof entry;
        words += lists[i].count;
    }
    uint64_t block[2] = {0, written};
    put(file, block, sizeof block, offset);
    offset += sizeof block;
    // Block 0; one communicator, MPI_COMM_SELF: context 1, without a list, one rank from this on.
    uint32_t rank[8] = {0, 0, 1};
    put(file, rank, sizeof rank, offset);
    offset += sizeof rank;
    uint32_t self[8] = {1, 0, NONE, world_rank(), 1, 1};
    put(file, self, sizeof self, offset);
    offset += sizeof self;
    // Records, words, lists, blocks, ranks, communicators; no SHA-256.
    uint64_t footer[12] = {written, words, list_count, 1, 1, 1};
    memcpy(&footer[11], "PANTEND", 8);
    put(file, footer, sizeof footer, offset);
    if (close(file) != 0)
        fail("the operation file cannot be closed");
    file = -1;
    close(list_file);
    if (!failed)
        unlink(list_path);
    return !failed;
}
