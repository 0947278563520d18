// Calls that a capture does not follow: it stops at them, or notes that their traffic is missing.

#include "capture.h"

#define ONE_SIDED "a capture leaves out one-sided communication; a replay lacks its traffic"
#define NEIGHBORHOOD "a capture does not follow neighborhood collectives"
#define INTER "a capture does not follow intercommunicators"
#define PROCESSES "a capture does not follow processes that join during the run"

// Defines a wrapper that records nothing but a note or a refusal.
#define WRAPPED(name, parameters, arguments, action)                                               \
    int MPI_##name parameters {                                                                    \
        enter("MPI_" #name);                                                                       \
        int result = PMPI_##name arguments;                                                        \
        if (recorded(result))                                                                      \
            action;                                                                                \
        return leave(result);                                                                      \
    }

WRAPPED(Win_create,
        (void *base, MPI_Aint size, int unit, MPI_Info info, MPI_Comm comm, MPI_Win *win),
        (base, size, unit, info, comm, win), note(ONE_SIDED))
WRAPPED(Win_allocate,
        (MPI_Aint size, int unit, MPI_Info info, MPI_Comm comm, void *base, MPI_Win *win),
        (size, unit, info, comm, base, win), note(ONE_SIDED))
WRAPPED(Win_allocate_shared,
        (MPI_Aint size, int unit, MPI_Info info, MPI_Comm comm, void *base, MPI_Win *win),
        (size, unit, info, comm, base, win), note(ONE_SIDED))
WRAPPED(Win_create_dynamic, (MPI_Info info, MPI_Comm comm, MPI_Win *win), (info, comm, win),
        note(ONE_SIDED))

#define GATHERED                                                                                   \
    (const void *from, int sent, MPI_Datatype sent_type, void *to, int received,                   \
     MPI_Datatype received_type, MPI_Comm comm)
#define GATHERED_ARGUMENTS from, sent, sent_type, to, received, received_type, comm
WRAPPED(Neighbor_allgather, GATHERED, (GATHERED_ARGUMENTS), refuse(NEIGHBORHOOD))
WRAPPED(Neighbor_alltoall, GATHERED, (GATHERED_ARGUMENTS), refuse(NEIGHBORHOOD))
WRAPPED(Neighbor_allgatherv,
        (const void *from, int sent, MPI_Datatype sent_type, void *to, const int counts[],
         const int places[], MPI_Datatype type, MPI_Comm comm),
        (from, sent, sent_type, to, counts, places, type, comm), refuse(NEIGHBORHOOD))
WRAPPED(Neighbor_alltoallv,
        (const void *from, const int sent[], const int from_places[], MPI_Datatype sent_type,
         void *to, const int counts[], const int places[], MPI_Datatype type, MPI_Comm comm),
        (from, sent, from_places, sent_type, to, counts, places, type, comm), refuse(NEIGHBORHOOD))
WRAPPED(Neighbor_alltoallw,
        (const void *from, const int sent[], const MPI_Aint from_places[],
         const MPI_Datatype sent_types[], void *to, const int counts[], const MPI_Aint places[],
         const MPI_Datatype types[], MPI_Comm comm),
        (from, sent, from_places, sent_types, to, counts, places, types, comm),
        refuse(NEIGHBORHOOD))
WRAPPED(Ineighbor_allgather,
        (const void *from, int sent, MPI_Datatype sent_type, void *to, int received,
         MPI_Datatype received_type, MPI_Comm comm, MPI_Request *request),
        (GATHERED_ARGUMENTS, request), refuse(NEIGHBORHOOD))
WRAPPED(Ineighbor_alltoall,
        (const void *from, int sent, MPI_Datatype sent_type, void *to, int received,
         MPI_Datatype received_type, MPI_Comm comm, MPI_Request *request),
        (GATHERED_ARGUMENTS, request), refuse(NEIGHBORHOOD))
WRAPPED(Ineighbor_allgatherv,
        (const void *from, int sent, MPI_Datatype sent_type, void *to, const int counts[],
         const int places[], MPI_Datatype type, MPI_Comm comm, MPI_Request *request),
        (from, sent, sent_type, to, counts, places, type, comm, request), refuse(NEIGHBORHOOD))
WRAPPED(Ineighbor_alltoallv,
        (const void *from, const int sent[], const int from_places[], MPI_Datatype sent_type,
         void *to, const int counts[], const int places[], MPI_Datatype type, MPI_Comm comm,
         MPI_Request *request),
        (from, sent, from_places, sent_type, to, counts, places, type, comm, request),
        refuse(NEIGHBORHOOD))
WRAPPED(Ineighbor_alltoallw,
        (const void *from, const int sent[], const MPI_Aint from_places[],
         const MPI_Datatype sent_types[], void *to, const int counts[], const MPI_Aint places[],
         const MPI_Datatype types[], MPI_Comm comm, MPI_Request *request),
        (from, sent, from_places, sent_types, to, counts, places, types, comm, request),
        refuse(NEIGHBORHOOD))

WRAPPED(Intercomm_create,
        (MPI_Comm comm, int leader, MPI_Comm peers, int remote, int tag, MPI_Comm *made),
        (comm, leader, peers, remote, tag, made), refuse(INTER))
WRAPPED(Intercomm_merge, (MPI_Comm comm, int high, MPI_Comm *made), (comm, high, made),
        refuse(INTER))
WRAPPED(Comm_spawn,
        (const char *command, char *argv[], int count, MPI_Info info, int root, MPI_Comm comm,
         MPI_Comm *made, int codes[]),
        (command, argv, count, info, root, comm, made, codes), refuse(PROCESSES))
WRAPPED(Comm_spawn_multiple,
        (int count, char *commands[], char **argvs[], const int most[], const MPI_Info infos[],
         int root, MPI_Comm comm, MPI_Comm *made, int codes[]),
        (count, commands, argvs, most, infos, root, comm, made, codes), refuse(PROCESSES))
WRAPPED(Comm_accept, (const char *port, MPI_Info info, int root, MPI_Comm comm, MPI_Comm *made),
        (port, info, root, comm, made), refuse(PROCESSES))
WRAPPED(Comm_connect, (const char *port, MPI_Info info, int root, MPI_Comm comm, MPI_Comm *made),
        (port, info, root, comm, made), refuse(PROCESSES))
