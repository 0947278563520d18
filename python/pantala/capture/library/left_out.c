// The calls that a capture leaves out although it has wrappers for them: counted by name. They are
// noted when MPI_Finalize has ended, because callbacks may communicate in it.

#include "capture.h"

#include <stdlib.h>

static const char *const texts[] = {
    [UNDER_LOCK] = "a capture leaves out one-sided communication under a lock; a replay lacks its"
                   " traffic",
    [UNKNOWN_WINDOW] = "a capture leaves out calls on a window that it did not see made; a replay"
                       " lacks their traffic",
    [IN_FINALIZE] = "a capture ends where MPI_Finalize starts, and callbacks of attributes communicate"
                    " after it; a replay lacks their traffic",
};

// The calls of a function for a reason.
struct count {
    const char *call;
    enum left_out reason;
    uint64_t calls;
    struct count *next;
};

static struct count *counts;

void leave_out(enum left_out reason) {
    const char *call = call_in_course();
    struct count *count = counts;
    while (count != NULL && (count->call != call || count->reason != reason))
        count = count->next;
    if (count == NULL) {
        count = malloc(sizeof *count);
        if (count == NULL)
            abort();
        *count = (struct count){call, reason, 0, counts};
        counts = count;
    }
    count->calls++;
}

void note_left_out(FILE *(*open_notes)(void)) {
    FILE *notes = counts == NULL ? NULL : open_notes();
    if (notes == NULL)
        return;
    for (const struct count *each = counts; each != NULL; each = each->next)
        fprintf(notes, "left out: %s: %llu: %s\n", each->call, (unsigned long long)each->calls,
                texts[each->reason]);
    fclose(notes);
}
