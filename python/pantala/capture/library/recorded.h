// What the wrappers of the functions with counts record: the functions that they call.

#ifndef PANTALA_RECORDED_H
#define PANTALA_RECORDED_H

#include "capture.h"

// What is only for MPI libraries with persistent collectives.
#ifdef INIT
#define IF_PERSISTENT(...) __VA_ARGS__
#else
#define IF_PERSISTENT(...)
#endif

// --- point_to_point.c ------------------------------------------------------------------------

void blocking(enum code code, MPI_Count count, MPI_Datatype type, int peer, int tag, MPI_Comm comm,
              const MPI_Status *status);
void posted(enum code code, MPI_Count count, MPI_Datatype type, int peer, int tag, MPI_Comm comm,
            MPI_Request request);
void prepared(enum code code, MPI_Count count, MPI_Datatype type, int peer, int tag, MPI_Comm comm,
              MPI_Request request);
// A send and a receive in one call; either may be absent.
void exchanged(MPI_Count sent, MPI_Datatype sent_type, int dest, int sent_tag, MPI_Count count,
               MPI_Datatype type, int source, int tag, MPI_Comm comm, const MPI_Status *status);
// The program has received a message that a matched probe found, or has started to.
void received(MPI_Message handle);
void receiving(MPI_Message handle, MPI_Request request);

// --- collectives.c ---------------------------------------------------------------------------

// Whether a capture follows collectives of a communicator other than barriers. If not, it stops: on an
// intercommunicator, roots and counts mean other ranks.
bool follows(MPI_Comm comm);
// Records a collective; `root` is -1 without one, `request` is null if it blocks.
void collective(enum code code, int root, uint64_t first, uint64_t second, MPI_Comm comm,
                MPI_Request *request);
// What a call records until it is called with false belongs to the persistent collective that the
// program makes.
void prepare_collective(bool prepares);
bool prepares_collective(void);
// Returns a list with the bytes of each rank's block, of which each rank knows its own.
uint64_t gathered(uint64_t own, MPI_Comm comm, bool blocking);
bool is_root(int root, MPI_Comm comm);
uint64_t size_of(MPI_Comm comm);
// Counts a call of all ranks, which can start or end the recorded part; MARKS is no such call.
void marked(enum mark mark, MPI_Comm comm, int result);

// --- communicators.c -------------------------------------------------------------------------

// Records that the ranks of `whole`, and no others, made the communicator `made`. `remote` is the
// place of the remote group of an intercommunicator plus 1, or 0.
void joined(MPI_Comm whole, MPI_Comm made, uint32_t remote);
// Records that two groups made an intercommunicator.
void joined_groups(MPI_Comm made);
// Records that the ranks of `parent` made communicators. `made` may be MPI_COMM_NULL.
void split(MPI_Comm parent, MPI_Comm made);
// A copy that is under way: keeps its place among the communicators, which is the same on all ranks;
// records it and gives it a number; gives it its handle.
void announce_copy(const void *copy);
void number_copy(const void *copy, uint16_t parent);
void name_copy(const void *copy, MPI_Comm made);

// --- neighborhoods.c -------------------------------------------------------------------------

struct neighbors {
    int in, out;
    int *sources, *destinations;
    bool cartesian;
};

// Finds the neighbors of this rank. Returns false on a communicator without a topology.
bool find_neighbors(MPI_Comm comm, struct neighbors *found);
// Records the messages of a collective. `sent` and `taken` are bytes per neighbor; `request` is null
// if it blocks.
void exchange_with(const struct neighbors *found, const uint64_t *sent, const uint64_t *taken,
                   MPI_Comm comm, MPI_Request *request);
// Returns memory for so many words.
void *room_for(int count);

// --- windows.c -------------------------------------------------------------------------------

// Bytes of a call that does not move data this way.
#define NOTHING UINT64_MAX

// Records that the ranks of a communicator made a window.
void make_window(MPI_Win handle, MPI_Comm comm);
// Records that a call moves data to a target and from it, each NOTHING or a number of bytes.
void moved(MPI_Win handle, int target, uint64_t put, uint64_t got);

#endif
