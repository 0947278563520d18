// The recorded part of a program, and the marks of MPI_Pcontrol.
//
// A region starts after one call and ends with another: the COUNT-th barrier or allreduce of
// MPI_COMM_WORLD, or MPI_Pcontrol. Nothing is recorded outside of it. What the program has made before
// and still has, communicators and persistent requests, is recorded anew at its start.

#include "capture.h"

#include <stdlib.h>
#include <string.h>

static uint64_t calls[MARKS];
static struct border {
    enum mark mark;
    uint64_t count; // 0: none
} from, to;
static bool open = true;
static bool in_iteration;

static struct border border_of(const char *text) {
    static const char *const names[MARKS] = {"barrier", "allreduce", "pcontrol"};
    for (int mark = 0; text != NULL && mark < MARKS; mark++) {
        size_t length = strlen(names[mark]);
        if (strncmp(text, names[mark], length) == 0 && text[length] == ':')
            return (struct border){(enum mark)mark, strtoull(text + length + 1, NULL, 10)};
    }
    return (struct border){0, 0};
}

void set_region(const char *from_text, const char *to_text) {
    from = border_of(from_text);
    to = border_of(to_text);
    open = from.count == 0;
}

bool in_region(void) {
    return open;
}

static bool reached(struct border border, enum mark mark) {
    return border.count > 0 && border.mark == mark && calls[mark] == border.count;
}

void pass_mark(enum mark mark) {
    calls[mark]++;
    if (reached(to, mark) && !open) {
        refuse("the call of --to comes before that of --from; name a later one");
    } else if (reached(to, mark)) {
        if (in_iteration && open)
            emit((struct record){.code = ITERATION_END});
        in_iteration = false;
        open = false;
    }
    if (reached(from, mark) && copies_under_way()) {
        refuse("the call of --from comes while a copy of a communicator is under way; name a later"
               " one");
    } else if (reached(from, mark)) {
        open = true;
        renew_communicators();
        renew_windows();
        renew_requests();
    }
}

void note_region(FILE *(*open_notes)(void)) {
    struct border borders[] = {from, to};
    for (int each = 0; each < 2; each++)
        if (borders[each].count > calls[borders[each].mark]) {
            FILE *notes = open_notes();
            if (notes == NULL)
                return;
            fprintf(notes, "region: %s: %llu\n", each == 0 ? "from" : "to",
                    (unsigned long long)calls[borders[each].mark]);
            fclose(notes);
        }
}

// Level 1 starts an iteration, which ends the one before; another level ends it.
int MPI_Pcontrol(const int level, ...) {
    enter("MPI_Pcontrol");
    int result = PMPI_Pcontrol(level);
    if (tracked(result)) {
        if (in_region() && in_iteration)
            emit((struct record){.code = ITERATION_END});
        in_iteration = false;
        pass_mark(PCONTROL);
        if (in_region() && level == 1) {
            emit((struct record){.code = ITERATION, .tag = 1});
            in_iteration = true;
        }
    }
    return leave(result);
}
