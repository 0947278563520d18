// The guard: notices calls of MPI that the wrappers do not see, and passes them on.
//
// A call escapes the wrappers if it has no wrapper, or if it comes by the PMPI name. The Fortran
// functions of an MPI library convert their arguments and call functions of C: those of Open MPI by
// the PMPI name, those of MPICH by the MPI name. So the guard hands a call by the PMPI name to its
// wrapper, which then sees handles, statuses and addresses of C for every binding of Fortran. What
// has no wrapper is noticed. The guard passes any arguments on as words: no function of the lists
// takes a floating-point number or a struct by value, and a callee ignores words that its caller did
// not give.

#include "capture.h"

#include "calls.h"

#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>

typedef intptr_t word;

#define PARAMETERS                                                                                 \
    word a, word b, word c, word d, word e, word f, word g, word h, word i, word j, word k, word l, \
        word m, word n, word o, word p
#define ARGUMENTS a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p

typedef word (*function)(PARAMETERS);

// Why a capture does not follow a call.
enum reason {
    FORTRAN_CALL,
    PROCESSES_CALL,
    PARTITIONED_CALL,
    NEW_CALL,
    LARGE_CALL,
    FILE_CALL, // noted, not refused
};

static const char *const texts[] = {
    [FORTRAN_CALL] = "the MPI library does not pass this call of Fortran to a function of C; record"
                     " an OTF2 trace of the program instead, e.g. with Score-P",
    [PROCESSES_CALL] = "a capture does not follow processes that join during the run",
    [PARTITIONED_CALL] = "a capture does not follow partitioned communication",
    [NEW_CALL] = "a capture does not follow this call of version 4 of MPI",
    [LARGE_CALL] = "a capture does not follow calls with counts of 64 bits",
    [FILE_CALL] = "a capture counts the files of MPI as computing; a replay lacks their traffic",
};

struct guard {
    const char *name;     // as a message shows it
    const char *symbols;  // the symbols of the function, separated by spaces
    enum reason reason;
    function next;
    uint64_t calls;
    struct guard *noticed; // the guard that was noticed before this one
};

static struct guard *last_noticed;
// The Fortran function that the thread is in, and whether a call of C has come out of it.
static _Thread_local struct guard *fortran;
static _Thread_local bool arrived;

static void notice(struct guard *guard) {
    if (__atomic_fetch_add(&guard->calls, 1, __ATOMIC_RELAXED) > 0)
        return;
    struct guard *before = __atomic_load_n(&last_noticed, __ATOMIC_SEQ_CST);
    do
        guard->noticed = before;
    while (!__atomic_compare_exchange_n(&last_noticed, &before, guard, false, __ATOMIC_SEQ_CST,
                                        __ATOMIC_SEQ_CST));
    if (guard->reason < FILE_CALL)
        refuse_call(guard->name, texts[guard->reason]);
}

void write_noticed(FILE *(*open_notes)(void)) {
    struct guard *guard = __atomic_load_n(&last_noticed, __ATOMIC_SEQ_CST);
    FILE *notes = guard == NULL ? NULL : open_notes();
    if (notes == NULL)
        return;
    for (; guard != NULL; guard = guard->noticed)
        fprintf(notes, "%s: %s: %llu: %s\n",
                guard->reason < FILE_CALL ? "missed" : "left out", guard->name,
                (unsigned long long)guard->calls, texts[guard->reason]);
    fclose(notes);
}

void note_arrival(void) {
    arrived = true;
}

// --- The function behind a guard -------------------------------------------------------------

// Looks for one symbol in a loaded object. The programs of scripting languages load libraries that
// the search of RTLD_NEXT does not reach.
static int look_in(struct dl_phdr_info *object, size_t size, void *data) {
    (void)size;
    struct { const char *symbol; void *own, *found; } *search = data;
    void *handle = dlopen(object->dlpi_name, RTLD_LAZY | RTLD_NOLOAD);
    if (handle == NULL)
        return 0;
    void *found = dlsym(handle, search->symbol);
    Dl_info place;
    if (found != NULL && dladdr(found, &place) && place.dli_fbase != search->own)
        search->found = found;
    dlclose(handle);
    return search->found != NULL;
}

static function find_next(struct guard *guard) {
    function next = __atomic_load_n(&guard->next, __ATOMIC_RELAXED);
    if (next != NULL)
        return next;
    char symbol[96];
    Dl_info own = {0};
    dladdr(&last_noticed, &own);
    for (int everywhere = 0; everywhere < 2 && next == NULL; everywhere++)
        for (const char *at = guard->symbols; *at != 0 && next == NULL;) {
            int length = 0;
            sscanf(at, "%95s%n", symbol, &length);
            at += length;
            if (everywhere) {
                struct { const char *symbol; void *own, *found; } search = {symbol, own.dli_fbase, NULL};
                dl_iterate_phdr(look_in, &search);
                *(void **)&next = search.found;
            } else {
                *(void **)&next = dlsym(RTLD_NEXT, symbol);
            }
        }
    if (next == NULL) {
        fprintf(stderr, "pantala capture: %s: no library has this function\n", guard->name);
        abort();
    }
    __atomic_store_n(&guard->next, next, __ATOMIC_RELAXED);
    return next;
}

// --- The two kinds of guards -----------------------------------------------------------------

// Passes a call of C on. A wrapper's own call passes without notice.
__attribute__((noinline)) static word pass(struct guard *guard, PARAMETERS) {
    function next = find_next(guard);
    arrived = true;
    if (pass_in())
        notice(fortran != NULL ? fortran : guard);
    word result = next(ARGUMENTS);
    pass_out();
    return result;
}

// Passes a call of Fortran on. The MPI library converts its arguments and calls the function of C,
// by its MPI or its PMPI name, and so a wrapper or a guard. A call that reaches neither is noticed.
__attribute__((noinline)) static word pass_fortran(struct guard *guard, PARAMETERS) {
    function next = find_next(guard);
    struct guard *outer = fortran;
    if (outer == NULL) {
        fortran = guard;
        arrived = false;
    }
    word result = next(ARGUMENTS);
    if (outer == NULL) {
        fortran = NULL;
        if (!arrived && is_captured())
            notice(guard);
    }
    return result;
}

// --- The guards ------------------------------------------------------------------------------

#define VISIBLE __attribute__((visibility("default"), used))

#define C(symbol, reason)                                                                          \
    VISIBLE word guard_##symbol(PARAMETERS) __asm__(#symbol);                                      \
    word guard_##symbol(PARAMETERS) {                                                              \
        static struct guard guard = {#symbol, #symbol, reason, NULL, 0, NULL};                     \
        return pass(&guard, ARGUMENTS);                                                    \
    }
// A call of a PMPI name that comes from outside of the wrappers goes to the wrapper: it is a call of
// Fortran that the MPI library has converted, or one of a tool that wraps MPI, too.
#define ROUTED_AS(wrapper, symbol)                                                                 \
    VISIBLE word guard_##symbol(PARAMETERS) __asm__(#symbol);                                      \
    word guard_##symbol(PARAMETERS) {                                                              \
        static struct guard guard = {#symbol, #symbol, FORTRAN_CALL, NULL, 0, NULL};               \
        function call = is_inside() ? find_next(&guard) : (function)(void (*)(void))wrapper;                       \
        return call(ARGUMENTS);                                                                    \
    }
#define ROUTED(name, lower, UPPER) ROUTED_AS(MPI_##name, PMPI_##name)
#define BOTH(name, reason) C(MPI_##name, reason) C(PMPI_##name, reason)

// A Fortran function has four symbols: compilers differ in case and underscores.
#define FORTRAN(shown, symbols, own, alias1, alias2, alias3)                                  \
    VISIBLE word guard_##own(PARAMETERS) __asm__(#own);                                            \
    word guard_##own(PARAMETERS) {                                                                 \
        static struct guard guard = {shown, symbols, FORTRAN_CALL, NULL, 0, NULL};                 \
        return pass_fortran(&guard, ARGUMENTS);                                                    \
    }                                                                                              \
    ALIAS(alias1, own) ALIAS(alias2, own) ALIAS(alias3, own)
#define ALIAS(other, own)                                                                          \
    VISIBLE word guard_##other(PARAMETERS) __asm__(#other) __attribute__((alias(#own)));
#define MODULE(shown, symbol)                                                                      \
    VISIBLE word guard_##symbol(PARAMETERS) __asm__(#symbol);                                      \
    word guard_##symbol(PARAMETERS) {                                                              \
        static struct guard guard = {shown, #symbol, FORTRAN_CALL, NULL, 0, NULL};                 \
        return pass_fortran(&guard, ARGUMENTS);                                                    \
    }
#define BINDINGS(Name, name, NAME)                                                                 \
    FORTRAN("MPI_" #NAME, "mpi_" #name "_ mpi_" #name " mpi_" #name "__ MPI_" #NAME,          \
            mpi_##name##_, mpi_##name, mpi_##name##__, MPI_##NAME)                                 \
    FORTRAN("PMPI_" #NAME, "pmpi_" #name "_ pmpi_" #name " pmpi_" #name "__ PMPI_" #NAME,    \
            pmpi_##name##_, pmpi_##name, pmpi_##name##__, PMPI_##NAME)                             \
    MODULE("MPI_" #NAME " (mpi_f08)", mpi_##name##_f08_)                                           \
    MODULE("MPI_" #NAME " (mpi_f08)", mpi_##name##_f08ts_)                                         \
    MODULE("PMPI_" #NAME " (mpi_f08)", pmpi_##name##_f08_)                                         \
    MODULE("PMPI_" #NAME " (mpi_f08)", pmpi_##name##_f08ts_)

FOLLOWED(ROUTED)
COURSES(ROUTED)
FOLLOWED(BINDINGS)
COURSES(BINDINGS)

#define GUARD_PROCESSES(name, lower, UPPER) BOTH(name, PROCESSES_CALL)
PROCESSES(GUARD_PROCESSES)
PROCESSES(BINDINGS)

#define GUARD_FILE(name, lower, UPPER) BOTH(name, FILE_CALL)
FILES(GUARD_FILE)
FILES(BINDINGS)

// A program can ask the loader whether a function exists: guard only those that the library has.
#if defined OMPI_HAVE_MPI_EXT_PCOLLREQ && OMPI_MAJOR_VERSION == 4
#define ROUTED_EARLY(name, lower, UPPER) ROUTED_AS(MPIX_##name, PMPIX_##name)
PERSISTENT(ROUTED_EARLY)
#endif

#if MPI_VERSION >= 4 || defined OMPI_MAJOR_VERSION && OMPI_MAJOR_VERSION >= 5
PERSISTENT(ROUTED)
PERSISTENT(BINDINGS)
#define GUARD_PARTITIONED(name, lower, UPPER) BOTH(name, PARTITIONED_CALL)
PARTITIONED(GUARD_PARTITIONED)
PARTITIONED(BINDINGS)
FOLLOWED_NEW(ROUTED)
FOLLOWED_NEW(BINDINGS)
#define GUARD_NEW(name, lower, UPPER) BOTH(name, NEW_CALL)
NEW(GUARD_NEW)
NEW(BINDINGS)
#endif

#if MPI_VERSION >= 4
#define GUARD_LARGE(name) BOTH(name, LARGE_CALL)
LARGE(GUARD_LARGE)
#define ROUTED_LARGE(name) ROUTED(name, , )
FOLLOWED_LARGE(ROUTED_LARGE)
#endif
