// The course of a call: its time, whether it is recorded, and what stops a capture.

#include "capture.h"

#include <time.h>

static bool started, stopped;
static bool finalizing; // MPI_Finalize has ended the capture and goes on
static clockid_t time_source = CLOCK_MONOTONIC;
static _Thread_local int depth;
static _Thread_local const char *call_name = "";
static uint64_t gap; // nanoseconds of computing that no record has yet

// With more ranks than processors, wall-clock time contains the time that a rank waited for one. The
// CPU time of the same stretches says how much that can be.
static bool shared;
static uint64_t gap_cpu, wall_sum, cpu_sum;
static _Thread_local uint64_t own_last_cpu; // of this thread

// Time between a test that did not succeed and the next one, as far as no other call lies between.
static uint64_t last_gap, polled;
static bool tests, tested_before; // the last call was such a test, and the one before it

// A program may change the thread that calls MPI between two calls; two calls at a time are no
// sequence that a replay could repeat.
static bool busy;
static uint64_t last_leave;                  // of any thread
static _Thread_local uint64_t own_last_leave; // of this thread

uint64_t read_clock(clockid_t source) {
    struct timespec time;
    clock_gettime(source, &time);
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

// Adds the time since the last call. A thread's CPU time says nothing about another thread: one that
// takes over brings its CPU time since its own last call.
static void add_gap(void) {
    uint64_t now = read_clock(time_source);
    uint64_t then = time_source == CLOCK_MONOTONIC ? last_leave : own_last_leave;
    last_gap = now > then ? now - then : 0;
    gap += last_gap;
    tested_before = tests;
    tests = false;
    if (shared)
        gap_cpu += read_clock(CLOCK_THREAD_CPUTIME_ID) - own_last_cpu;
}

void enter(const char *call) {
    note_arrival();
    if (++depth == 2 && finalizing)
        call_name = call;
    if (depth > 1 || !started)
        return;
    call_name = call;
    if (stopped)
        return;
    if (__atomic_exchange_n(&busy, true, __ATOMIC_ACQUIRE)) {
        refuse("several threads of the rank are in MPI calls at the same time, and a capture follows one"
               " sequence of calls; run the program with one thread that calls MPI");
        return;
    }
    add_gap();
}

int leave(int result) {
    if (--depth == 0 && started && !stopped) {
        if (shared) // first: it takes half a microsecond, which is no computing
            own_last_cpu = read_clock(CLOCK_THREAD_CPUTIME_ID);
        last_leave = own_last_leave = read_clock(time_source);
        __atomic_store_n(&busy, false, __ATOMIC_RELEASE);
    }
    return result;
}

bool is_followed(int result) {
    return result == MPI_SUCCESS && started && !stopped;
}

bool is_own(int result) {
    return is_followed(result) && depth == 1;
}

// Takes the computing since the last call. Returns whether the call is to be recorded.
static bool begin_record(int result) {
    if (!is_own(result))
        return false;
    uint64_t time = gap, cpu = gap_cpu;
    gap = gap_cpu = 0;
    if (!in_region())
        return false;
    wall_sum += time;
    cpu_sum += cpu < time ? cpu : time;
    if (time > 0)
        emit((struct record){.code = COMPUTE, .first = time * 1000});
    return true;
}

bool recorded(int result) {
    if (finalizing && result == MPI_SUCCESS && depth == 2)
        leave_out(IN_FINALIZE);
    return begin_record(result);
}

bool tracked(int result) {
    return begin_record(result) || is_own(result);
}

void tested(bool completed) {
    if (!is_own(MPI_SUCCESS))
        return;
    if (tested_before && in_region())
        polled += last_gap;
    tests = !completed;
}

bool pass_in(void) {
    return ++depth == 1;
}

void pass_out(void) {
    --depth;
}

bool is_inside(void) {
    return depth > 0;
}

bool is_captured(void) {
    return started;
}

void refuse_call(const char *call, const char *reason) {
    if (!started || __atomic_exchange_n(&stopped, true, __ATOMIC_SEQ_CST))
        return;
    FILE *notes = note_file();
    if (notes != NULL) {
        fprintf(notes, "refused: %s: %s\n", call, reason);
        fclose(notes);
    }
}

const char *call_in_course(void) {
    return call_name;
}

void refuse(const char *reason) {
    refuse_call(call_name, reason);
}

static void start_capture(void) {
    bool cpu_time;
    started = start_job(&cpu_time, &shared);
    if (cpu_time)
        time_source = CLOCK_THREAD_CPUTIME_ID;
    busy = true; // by the call that starts MPI
    last_leave = own_last_leave = read_clock(time_source);
    own_last_cpu = read_clock(CLOCK_THREAD_CPUTIME_ID);
}

// Notes the wall-clock time of all computing, and its CPU time.
static void note_times(void) {
    FILE *notes = shared ? note_file() : NULL;
    if (notes == NULL)
        return;
    fprintf(notes, "computing: %llu: %llu\n", (unsigned long long)wall_sum,
            (unsigned long long)cpu_sum);
    fclose(notes);
}

// Notes the time between tests that do not succeed, and that of all computing.
static void note_polling(void) {
    FILE *notes = polled > 0 ? note_file() : NULL;
    if (notes == NULL)
        return;
    fprintf(notes, "polling: %llu: %llu\n", (unsigned long long)polled,
            (unsigned long long)wall_sum);
    fclose(notes);
}

static void end_capture(void) {
    if (!started)
        return;
    if (!stopped) {
        finish_late_lists();
        if (!close_file())
            refuse("the operation file cannot be written");
    }
    write_noticed(note_file);
    note_region(note_file);
    note_times();
    note_polling();
    started = false;
}

int MPI_Init(int *argc, char ***argv) {
    enter("MPI_Init");
    refuse_foreign_library();
    int result = PMPI_Init(argc, argv);
    if (result == MPI_SUCCESS)
        start_capture();
    return leave(result);
}

int MPI_Init_thread(int *argc, char ***argv, int required, int *provided) {
    enter("MPI_Init_thread");
    refuse_foreign_library();
    int result = PMPI_Init_thread(argc, argv, required, provided);
    if (result == MPI_SUCCESS)
        start_capture();
    return leave(result);
}

int MPI_Finalize(void) {
    enter("MPI_Finalize");
    (void)recorded(MPI_SUCCESS); // the computing since the last call
    finalizing = started;
    end_capture();
    int result = PMPI_Finalize();
    if (finalizing)
        note_left_out(note_file);
    return leave(result);
}

int MPI_Abort(MPI_Comm comm, int code) {
    enter("MPI_Abort");
    refuse("the program ended with MPI_Abort; correct it first");
    return PMPI_Abort(comm, code);
}
