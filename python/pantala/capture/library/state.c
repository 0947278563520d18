// The course of a capture: start, end, the time between calls, and what stops it.

#include "capture.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static bool started, stopped;
static clockid_t time_source = CLOCK_MONOTONIC;
static pthread_t owner;
static _Thread_local int depth;
static _Thread_local const char *call_name = "";
static uint64_t last_leave, gap; // nanoseconds
static char directory[3072];

static uint64_t now(void) {
    struct timespec time;
    clock_gettime(time_source, &time);
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

void enter(const char *call) {
    note_arrival();
    if (++depth > 1 || !started)
        return;
    call_name = call;
    if (stopped)
        return;
    if (!pthread_equal(pthread_self(), owner)) {
        refuse("the rank makes MPI calls from several threads, and a capture follows one; run the program with"
               " one thread that calls MPI");
        return;
    }
    gap += now() - last_leave;
}

int leave(int result) {
    if (--depth == 0 && started && !stopped)
        last_leave = now();
    return result;
}

bool recorded(int result) {
    if (result != MPI_SUCCESS || depth != 1 || !started || stopped)
        return false;
    if (gap > 0) {
        emit((struct record){.code = COMPUTE, .first = gap * 1000});
        gap = 0;
    }
    return true;
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

static FILE *note_file(void) {
    char path[sizeof directory + 64];
    snprintf(path, sizeof path, "%s/rank-%06u.note", directory, world_rank());
    int note = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0644);
    if (note < 0)
        return NULL;
    FILE *notes = fdopen(note, "a");
    if (notes == NULL)
        close(note);
    return notes;
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

void refuse(const char *reason) {
    refuse_call(call_name, reason);
}

void start_capture(void) {
    const char *chosen = getenv("PANTALA_CAPTURE_DIR");
    if (chosen == NULL || strlen(chosen) >= sizeof directory)
        return;
    strcpy(directory, chosen);
    const char *source = getenv("PANTALA_CAPTURE_CLOCK");
    if (source != NULL && strcmp(source, "cpu") == 0)
        time_source = CLOCK_THREAD_CPUTIME_ID;
    int size;
    PMPI_Comm_size(MPI_COMM_WORLD, &size);
    char path[sizeof directory + 64];
    snprintf(path, sizeof path, "%s/rank-%06u.operations", directory, world_rank());
    owner = pthread_self();
    started = open_file(path, (uint32_t)size, world_rank());
    last_leave = now();
}

void end_capture(void) {
    if (!started)
        return;
    if (!stopped) {
        finish_late_lists();
        if (!close_file())
            refuse("the operation file cannot be written");
    }
    if (stopped)
        discard_file();
    write_noticed(note_file);
    started = false;
}

int MPI_Init(int *argc, char ***argv) {
    enter("MPI_Init");
    int result = PMPI_Init(argc, argv);
    if (result == MPI_SUCCESS)
        start_capture();
    return leave(result);
}

int MPI_Init_thread(int *argc, char ***argv, int required, int *provided) {
    enter("MPI_Init_thread");
    int result = PMPI_Init_thread(argc, argv, required, provided);
    if (result == MPI_SUCCESS)
        start_capture();
    return leave(result);
}

int MPI_Finalize(void) {
    enter("MPI_Finalize");
    (void)recorded(MPI_SUCCESS); // the computing since the last call
    end_capture();
    return leave(PMPI_Finalize());
}

int MPI_Abort(MPI_Comm comm, int code) {
    enter("MPI_Abort");
    refuse("the program ended with MPI_Abort; correct it first");
    return PMPI_Abort(comm, code);
}
