// Messages between two ranks: blocking, non-blocking and persistent calls, and probes.

#include "recorded.h"

#include <stdlib.h>

uint64_t bytes_of(MPI_Count count, MPI_Datatype type) {
    MPI_Count size = 0;
    if (count > 0 && type != MPI_DATATYPE_NULL)
        PMPI_Type_size_x(type, &size);
    return size > 0 ? (uint64_t)count * (uint64_t)size : 0;
}

// The record of a send or receive. Returns false if there is no message, or the capture stops.
static bool message(struct record *record, enum code code, MPI_Count count, MPI_Datatype type, int peer,
                    int tag, MPI_Comm comm) {
    *record = (struct record){.code = code, .tag = tag, .first = bytes_of(count, type)};
    if (peer == MPI_PROC_NULL || !number_of(comm, &record->communicator))
        return false;
    if (peer == MPI_ANY_SOURCE)
        record->flags |= ANY_SOURCE;
    else
        record->peer = rank_in_file(record->communicator, peer);
    if (tag == MPI_ANY_TAG) {
        record->flags |= ANY_TAG;
        record->tag = 0;
    }
    return true;
}

// Replaces a wildcard by what a status says.
static void settle(struct record *record, const MPI_Status *status) {
    if (record->flags & ANY_SOURCE)
        record->peer = rank_in_file(record->communicator, status->MPI_SOURCE);
    if (record->flags & ANY_TAG)
        record->tag = status->MPI_TAG;
    record->flags &= (uint8_t)~(ANY_SOURCE | ANY_TAG);
}

bool ended(uint64_t number, bool receive, const MPI_Status *status) {
    int cancelled = 0;
    PMPI_Test_cancelled(status, &cancelled);
    if (cancelled) {
        put_record(number, (struct record){.code = COMPUTE});
        return false;
    }
    struct record record;
    if (receive && ((record = get_record(number)).flags & (ANY_SOURCE | ANY_TAG))) {
        settle(&record, status);
        put_record(number, record);
    }
    return true;
}

void blocking(enum code code, MPI_Count count, MPI_Datatype type, int peer, int tag, MPI_Comm comm,
                     const MPI_Status *status) {
    struct record record;
    if (!message(&record, code, count, type, peer, tag, comm))
        return;
    if (status != NULL)
        settle(&record, status);
    emit(record);
}

void posted(enum code code, MPI_Count count, MPI_Datatype type, int peer, int tag, MPI_Comm comm,
                   MPI_Request request) {
    struct record record;
    if (peer == MPI_PROC_NULL) {
        add_numbered(request, NONE);
        return;
    }
    if (!message(&record, code, count, type, peer, tag, comm))
        return;
    struct live *live = add_request(request);
    if (live == NULL)
        return;
    record.request = live->number;
    live->message = true;
    live->receive = code == IRECV;
    live->record = emit(record);
}

void prepared(enum code code, MPI_Count count, MPI_Datatype type, int peer, int tag, MPI_Comm comm,
                     MPI_Request request) {
    struct record record;
    if (!message(&record, code, count, type, peer, tag, comm))
        return;
    struct live *live = add_request(request);
    if (live == NULL)
        return;
    record.request = live->number;
    live->persistent = true;
    live->active = false;
    live->receive = code == RECV_INIT;
    live->comm = comm;
    live->posted = record;
    if (record.flags & (ANY_SOURCE | ANY_TAG))
        live->posted.code = IRECV; // every start may receive from another rank, so each posts one
    else
        emit(record);
}

static void start(MPI_Request request) {
    struct live *live = find_request(request);
    if (live == NULL)
        return; // MPI_PROC_NULL
    live->active = true;
    if (live->collective)
        count_pending(live->posted.communicator, 1);
    for (uint32_t at = 0; at < live->start_count; at++)
        emit(live->starts[at]);
    if (live->starts != NULL)
        return;
    if (live->posted.code == IRECV)
        live->record = emit(live->posted); // settled when it completes
    else
        live->record = emit((struct record){.code = START, .request = live->number});
}

int MPI_Start(MPI_Request *request) {
    enter("MPI_Start");
    int result = PMPI_Start(request);
    if (recorded(result))
        start(*request);
    return leave(result);
}

int MPI_Startall(int count, MPI_Request requests[]) {
    enter("MPI_Startall");
    int result = PMPI_Startall(count, requests);
    if (recorded(result))
        for (int i = 0; i < count; i++)
            start(requests[i]);
    return leave(result);
}

// A send and a receive in one call; either may be absent.
void exchanged(MPI_Count sent, MPI_Datatype sent_type, int dest, int sent_tag, MPI_Count count,
                      MPI_Datatype type, int source, int tag, MPI_Comm comm,
                      const MPI_Status *status) {
    struct record send, receive;
    bool sends = message(&send, SENDRECV_SEND, sent, sent_type, dest, sent_tag, comm);
    bool receives = message(&receive, SENDRECV_RECV, count, type, source, tag, comm);
    if (receives)
        settle(&receive, status);
    if (sends && !receives)
        send.code = SEND;
    if (receives && !sends)
        receive.code = RECV;
    if (sends)
        emit(send);
    if (receives)
        emit(receive);
}

int MPI_Probe(int source, int tag, MPI_Comm comm, MPI_Status *status) {
    enter("MPI_Probe");
    MPI_Status own, *filled = status == MPI_STATUS_IGNORE ? &own : status;
    int result = PMPI_Probe(source, tag, comm, filled);
    if (recorded(result))
        blocking(PROBE, 0, MPI_BYTE, source, tag, comm, filled);
    return leave(result);
}

int MPI_Iprobe(int source, int tag, MPI_Comm comm, int *flag, MPI_Status *status) {
    enter("MPI_Iprobe");
    MPI_Status own, *filled = status == MPI_STATUS_IGNORE ? &own : status;
    int result = PMPI_Iprobe(source, tag, comm, flag, filled);
    tested(*flag);
    if (result == MPI_SUCCESS && *flag && recorded(result))
        blocking(PROBE, 0, MPI_BYTE, source, tag, comm, filled);
    return leave(result);
}

// A message that a matched probe found: its receive in the file.
struct found {
    MPI_Message message;
    uint32_t number; // of the request
    uint64_t record;
    struct found *next;
};

static struct found *found_messages;

// Records a matched probe, and a receive: no other receive gets the message from here on.
static void matched(MPI_Message handle, int source, int tag, MPI_Comm comm,
                    const MPI_Status *status) {
    blocking(PROBE, 0, MPI_BYTE, source, tag, comm, status);
    MPI_Count bytes;
    struct record record;
    PMPI_Get_elements_x(status, MPI_BYTE, &bytes);
    if (handle == MPI_MESSAGE_NO_PROC || handle == MPI_MESSAGE_NULL ||
        !message(&record, IRECV, bytes, MPI_BYTE, status->MPI_SOURCE, status->MPI_TAG, comm))
        return;
    record.request = take_number();
    struct found *found = malloc(sizeof *found);
    if (found == NULL)
        abort();
    *found = (struct found){handle, record.request, emit(record), found_messages};
    found_messages = found;
}

// Removes a message that was found; false if there is none, as for MPI_MESSAGE_NO_PROC.
static bool taken(MPI_Message handle, struct found *copy) {
    for (struct found **at = &found_messages; *at != NULL; at = &(*at)->next)
        if ((*at)->message == handle) {
            struct found *found = *at;
            *copy = *found;
            *at = found->next;
            free(found);
            return true;
        }
    return false;
}

void received(MPI_Message handle) {
    struct found found;
    if (!taken(handle, &found))
        return;
    wait_for_numbers(&found.number, 1);
    release_number(found.number);
}

void receiving(MPI_Message handle, MPI_Request request) {
    struct found found;
    if (handle == MPI_MESSAGE_NO_PROC)
        add_numbered(request, NONE);
    if (!taken(handle, &found))
        return;
    struct live *live = add_numbered(request, found.number);
    live->record = found.record;
    live->message = live->receive = true;
}

int MPI_Mprobe(int source, int tag, MPI_Comm comm, MPI_Message *handle, MPI_Status *status) {
    enter("MPI_Mprobe");
    MPI_Status own, *filled = status == MPI_STATUS_IGNORE ? &own : status;
    int result = PMPI_Mprobe(source, tag, comm, handle, filled);
    if (recorded(result))
        matched(*handle, source, tag, comm, filled);
    return leave(result);
}

int MPI_Improbe(int source, int tag, MPI_Comm comm, int *flag, MPI_Message *handle,
                MPI_Status *status) {
    enter("MPI_Improbe");
    MPI_Status own, *filled = status == MPI_STATUS_IGNORE ? &own : status;
    int result = PMPI_Improbe(source, tag, comm, flag, handle, filled);
    tested(*flag);
    if (result == MPI_SUCCESS && *flag && recorded(result))
        matched(*handle, source, tag, comm, filled);
    return leave(result);
}
