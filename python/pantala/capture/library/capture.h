// Capture of MPI calls: every wrapper calls PMPI and writes operations into one file per rank.
//
// The layout of the file is in docs/reference/operation-file.md. The library is loaded with
// LD_PRELOAD, so a wrapper replaces the MPI function of the same name.

#ifndef PANTALA_CAPTURE_H
#define PANTALA_CAPTURE_H

// Only the functions of MPI are visible to the program.
#pragma GCC visibility push(default)
#include <mpi.h>
#if defined OMPI_MAJOR_VERSION && OMPI_MAJOR_VERSION == 4
#include <mpi-ext.h>
#endif
#pragma GCC visibility pop
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <time.h>

// The names of persistent collectives, which are part of MPI 4: MPI_Bcast_init. Open MPI has them
// earlier, and its version 4 as an extension, MPIX_Bcast_init.
#if MPI_VERSION >= 4 || defined OMPI_MAJOR_VERSION && OMPI_MAJOR_VERSION >= 5
#define INIT(name) MPI_##name##_init
#define INIT_OF_LIBRARY(name) PMPI_##name##_init
#define INIT_TEXT(name) "MPI_" #name "_init"
#elif defined OMPI_HAVE_MPI_EXT_PCOLLREQ
#define INIT(name) MPIX_##name##_init
#define INIT_OF_LIBRARY(name) PMPIX_##name##_init
#define INIT_TEXT(name) "MPIX_" #name "_init"
#endif

// The operations that a capture writes.
enum code {
    COMPUTE = 1,
    SEND = 3,
    SSEND = 4,
    RSEND = 5,
    BSEND = 6,
    ISEND = 7,
    ISSEND = 8,
    RECV = 9,
    IRECV = 10,
    PROBE = 11,
    SEND_INIT = 13,
    RECV_INIT = 14,
    START = 15,
    REQUEST_FREE = 17,
    WAIT = 18,
    WAITALL = 19,
    SENDRECV_SEND = 26,
    SENDRECV_RECV = 27,
    IPOST = 29, // a one-sided message
    BARRIER = 32,
    BCAST = 33,
    REDUCE = 34,
    ALLREDUCE = 35,
    REDUCE_SCATTER_BLOCK = 36,
    REDUCE_SCATTER = 37,
    ALLGATHER = 38,
    ALLGATHERV = 39,
    GATHER = 40,
    GATHERV = 41,
    SCATTER = 42,
    SCATTERV = 43,
    ALLTOALL = 44,
    ALLTOALLV = 45,
    SCAN = 46,
    EXSCAN = 47,
    COMM_DUP = 64,
    COMM_SPLIT = 65,
    COMM_FREE = 67,
    COMM_JOIN = 68,
    ITERATION = 80,
    ITERATION_END = 81,
    ABORT = 82,
};

enum flag { ANY_SOURCE = 1, ANY_TAG = 2, LISTED = 4, NON_BLOCKING = 8 };

// A record of the file.
struct record {
    uint8_t code;
    uint8_t flags;
    uint16_t communicator;
    uint32_t request;
    uint32_t peer;
    int32_t tag;
    uint64_t first;
    uint64_t second;
};

// A number that stands for none.
#define NONE UINT32_MAX

// --- state.c: the course of a call -----------------------------------------------------------

// Starts a call: adds the time since the last call to the computing time of the rank.
void enter(const char *call);
// Ends a call and returns its result.
int leave(int result);
// Whether the call is to be recorded: it succeeded, is the program's own, and is in the region.
bool recorded(int result);
// The same, but also outside of the region: for calls that make and free what later calls use.
bool tracked(int result);
// Whether the call succeeded and the capture goes on. The call may be one inside another: of the MPI
// library, or of the program in the callback of an attribute.
bool is_followed(int result);
// Whether it is also the program's own, and not inside another.
bool is_own(int result);
// Says that the call is a test or a probe that does not wait, and whether it found what it looks for.
void tested(bool completed);
// Stops the capture of the rank at the current call.
void refuse(const char *reason);
void refuse_call(const char *call, const char *reason);
bool is_captured(void);
// Returns the time of a clock in nanoseconds.
uint64_t read_clock(clockid_t source);
// Starts and ends a call that no wrapper records. Returns whether the program itself makes it.
bool pass_in(void);
void pass_out(void);
// Returns the name of the present call.
const char *call_in_course(void);
// Whether the thread is inside a call of MPI.
bool is_inside(void);

// --- guard.c: calls that no wrapper sees -----------------------------------------------------

// Says that a call has come to a wrapper.
void note_arrival(void);
// Writes the noticed calls with their numbers into the file that `open_notes` opens, if any.
void write_noticed(FILE *(*open_notes)(void));

// --- job.c: the start ------------------------------------------------------------------------

// Ends the program with a note if it uses another MPI library than this one was built for.
void refuse_foreign_library(void);
// Opens the files of the rank. Sets whether computing is measured in CPU time, and whether it is
// measured in wall-clock time by more ranks of a host than it has processors.
bool start_job(bool *cpu_time, bool *shared);
// Opens the file with the notes of the rank; null if it cannot be written.
FILE *note_file(void);

// --- region.c: the recorded part -------------------------------------------------------------

// Calls that can start and end the recorded part.
enum mark { BARRIERS, ALLREDUCES, PCONTROL, MARKS };

void set_region(const char *from, const char *to);
bool in_region(void);
// Counts a call that can start or end the recorded part, after its record.
void pass_mark(enum mark mark);
// Notes the ends of the region that the program did not reach.
void note_region(FILE *(*open_notes)(void));

// --- writer.c: records and lists -------------------------------------------------------------

// Opens the files of a rank in the folder of the job. `run` is a number of the job.
bool open_file(const char *folder, uint32_t ranks, uint32_t rank, uint64_t run);
// Writes the records, the lists and the footer. Returns whether it succeeded.
bool close_file(void);
// Adds a record and returns its number. Outside of the region it does nothing.
uint64_t emit(struct record record);
// Returns a record, which `put_record` can change later.
struct record get_record(uint64_t number);
void put_record(uint64_t number, struct record record);
// Returns the number of a list; equal lists have the same number.
uint64_t list_of(const uint64_t *words, uint64_t count);
// Adds a list whose words follow until the file is closed, and returns the place for them.
uint64_t *late_list(uint64_t count, uint64_t *number);
// Waits for the words of all late lists.
void finish_late_lists(void);

// --- requests.c: live requests by handle -----------------------------------------------------

// A request that the program has and that has not been completed.
struct live {
    uint64_t handle;
    uint64_t record; // the record that posted it; of a persistent request: of its last start
    uint32_t number; // its number in the file; NONE: a replay has no such request
    bool message; // `record` posted one message
    bool receive;
    bool collective; // one collective, of the communicator of `posted`
    bool persistent;
    bool active;
    struct record posted; // of a persistent request: its record; from any source, what a start posts
    MPI_Comm comm;        // of a persistent request
    uint32_t *numbers;    // of a collective that is several messages: their requests
    uint32_t count;
    struct record *starts; // of a persistent collective: what each start records
    uint32_t start_count;
    struct copy *copy; // of a copy of a communicator
    struct live *next;
};

// Takes and returns a number of a request; NONE stops the capture.
uint32_t take_number(void);
void release_number(uint32_t number);
// Adds a request of the program that stands for several requests of the file, and returns it. Takes
// the memory. Without requests of the file it returns null.
struct live *add_requests(MPI_Request handle, uint32_t *numbers, uint32_t count);
// Makes a request that of a persistent collective: each start records `count` records. Takes the
// memory.
void make_persistent(struct live *live, struct record *starts, uint32_t count, MPI_Comm comm);

// Adds a request and returns it; null if there are too many.
struct live *add_request(MPI_Request handle);
// The same with this number, or NONE for a request that a replay does not have.
struct live *add_numbered(MPI_Request handle, uint32_t number);
// Returns the first request with this handle. An MPI library gives one handle to several requests
// that are complete from the start: one that a replay does not have is first. The wait for another is
// then at worst recorded later than it was.
struct live *find_request(MPI_Request handle);
void remove_request(struct live *live);
// Removes a request that the program freed while it was active.
void give_up_request(struct live *live);
// Records the persistent requests that the program has.
void renew_requests(void);

// --- completion.c ----------------------------------------------------------------------------

// Records a wait for requests of the file.
void wait_for_numbers(const uint32_t *numbers, uint32_t count);

// --- communicators.c -------------------------------------------------------------------------

// Stores the number of a communicator. Returns false if the capture does not know it, which stops
// the capture.
bool number_of(MPI_Comm communicator, uint16_t *number);
// The rank of the file's communicator that a rank of the program's communicator is: on an
// intercommunicator, it is one of the remote group.
uint32_t rank_in_file(uint16_t number, int rank);
// Whether the capture knows a communicator that the program has made.
bool is_known(MPI_Comm communicator);
// Whether the number is of an intercommunicator.
bool is_inter(uint16_t number);
// The rank of this process in MPI_COMM_WORLD.
uint32_t world_rank(void);

// Records that the ranks of `parent` made a copy of it, and that one was freed. A communicator that
// the capture does not know is none of the file.
void copied(MPI_Comm parent, MPI_Comm made);
void freed(MPI_Comm communicator);
// Counts the non-blocking collectives of a communicator that are under way.
void count_pending(uint16_t number, int change);
// Records that communicators are freed whose last collective has ended meanwhile.
void free_held_back(void);
// Records the communicators that the program has, in the order in which it made them.
void renew_communicators(void);

// --- copies.c --------------------------------------------------------------------------------

// Records the copies of a communicator that are under way: before its next collective.
void record_copies(uint16_t parent);
// Records and names a copy whose request has completed.
void end_copy(struct copy *copy);
bool copies_under_way(void);

// --- windows.c -------------------------------------------------------------------------------

// Takes the new numbers of the windows' communicators, and forgets messages from before.
void renew_windows(void);
// --- left_out.c ------------------------------------------------------------------------------

enum left_out { UNDER_LOCK, UNKNOWN_WINDOW, IN_FINALIZE };

// Counts the present call as one that the capture leaves out.
void leave_out(enum left_out reason);
// Notes the calls that the capture leaves out.
void note_left_out(FILE *(*open_notes)(void));

// --- point_to_point.c ------------------------------------------------------------------------

uint64_t bytes_of(MPI_Count count, MPI_Datatype type);
// Completes a message that a record posted: a receive from any source or with any tag gets the real
// ones. Returns false if the message was cancelled; the record then does nothing.
bool ended(uint64_t record, bool receive, const MPI_Status *status);

#endif
