// The messages between two ranks whose functions have a form for each type of count.
//
// Included by counts.c and large_counts.c, which define
//   COUNT         the type of a number of elements
//   PLACE         the type of a place in a buffer
//   SIZED(name)   the name of the function for this COUNT; SUFFIX is what it adds

#define SENT const void *data, COUNT count, MPI_Datatype type, int dest, int tag, MPI_Comm comm
#define SENT_ARGUMENTS data, count, type, dest, tag, comm

#define BLOCKING_SEND(name, code)                                                                  \
    int SIZED(MPI_##name)(SENT) {                                                                         \
        enter("MPI_" #name SUFFIX);                                                                       \
        int result = SIZED(PMPI_##name)(SENT_ARGUMENTS);                                                  \
        if (recorded(result))                                                                      \
            blocking(code, count, type, dest, tag, comm, NULL);                                    \
        return leave(result);                                                                      \
    }
BLOCKING_SEND(Send, SEND)
BLOCKING_SEND(Ssend, SSEND)
BLOCKING_SEND(Rsend, RSEND)
BLOCKING_SEND(Bsend, BSEND)

#define POSTED_SEND(name, code)                                                                    \
    int SIZED(MPI_##name)(SENT, MPI_Request *request) {                                                   \
        enter("MPI_" #name SUFFIX);                                                                       \
        int result = SIZED(PMPI_##name)(SENT_ARGUMENTS, request);                                         \
        if (recorded(result))                                                                      \
            posted(code, count, type, dest, tag, comm, *request);                                  \
        return leave(result);                                                                      \
    }
POSTED_SEND(Isend, ISEND)
POSTED_SEND(Issend, ISSEND)
POSTED_SEND(Irsend, ISEND)
POSTED_SEND(Ibsend, ISEND)

#define PREPARED_SEND(name)                                                                        \
    int SIZED(MPI_##name)(SENT, MPI_Request *request) {                                                   \
        enter("MPI_" #name SUFFIX);                                                                       \
        int result = SIZED(PMPI_##name)(SENT_ARGUMENTS, request);                                         \
        if (tracked(result))                                                                       \
            prepared(SEND_INIT, count, type, dest, tag, comm, *request);                           \
        return leave(result);                                                                      \
    }
PREPARED_SEND(Send_init)
PREPARED_SEND(Ssend_init)
PREPARED_SEND(Rsend_init)
PREPARED_SEND(Bsend_init)

int SIZED(MPI_Recv)(void *data, COUNT count, MPI_Datatype type, int source, int tag, MPI_Comm comm,
             MPI_Status *status) {
    enter("MPI_Recv" SUFFIX);
    MPI_Status own, *filled = status == MPI_STATUS_IGNORE ? &own : status;
    int result = SIZED(PMPI_Recv)(data, count, type, source, tag, comm, filled);
    if (recorded(result))
        blocking(RECV, count, type, source, tag, comm, filled);
    return leave(result);
}

int SIZED(MPI_Irecv)(void *data, COUNT count, MPI_Datatype type, int source, int tag, MPI_Comm comm,
              MPI_Request *request) {
    enter("MPI_Irecv" SUFFIX);
    int result = SIZED(PMPI_Irecv)(data, count, type, source, tag, comm, request);
    if (recorded(result))
        posted(IRECV, count, type, source, tag, comm, *request);
    return leave(result);
}

int SIZED(MPI_Recv_init)(void *data, COUNT count, MPI_Datatype type, int source, int tag, MPI_Comm comm,
                  MPI_Request *request) {
    enter("MPI_Recv_init" SUFFIX);
    int result = SIZED(PMPI_Recv_init)(data, count, type, source, tag, comm, request);
    if (tracked(result))
        prepared(RECV_INIT, count, type, source, tag, comm, *request);
    return leave(result);
}

int SIZED(MPI_Sendrecv)(const void *from, COUNT sent, MPI_Datatype sent_type, int dest, int sent_tag,
                 void *to, COUNT count, MPI_Datatype type, int source, int tag, MPI_Comm comm,
                 MPI_Status *status) {
    enter("MPI_Sendrecv" SUFFIX);
    MPI_Status own, *filled = status == MPI_STATUS_IGNORE ? &own : status;
    int result = SIZED(PMPI_Sendrecv)(from, sent, sent_type, dest, sent_tag, to, count, type, source, tag,
                               comm, filled);
    if (recorded(result))
        exchanged(sent, sent_type, dest, sent_tag, count, type, source, tag, comm, filled);
    return leave(result);
}

int SIZED(MPI_Sendrecv_replace)(void *data, COUNT count, MPI_Datatype type, int dest, int sent_tag,
                         int source, int tag, MPI_Comm comm, MPI_Status *status) {
    enter("MPI_Sendrecv_replace" SUFFIX);
    MPI_Status own, *filled = status == MPI_STATUS_IGNORE ? &own : status;
    int result =
        SIZED(PMPI_Sendrecv_replace)(data, count, type, dest, sent_tag, source, tag, comm, filled);
    if (recorded(result))
        exchanged(count, type, dest, sent_tag, count, type, source, tag, comm, filled);
    return leave(result);
}

int SIZED(MPI_Mrecv)(void *data, COUNT count, MPI_Datatype type, MPI_Message *handle, MPI_Status *status) {
    enter("MPI_Mrecv" SUFFIX);
    MPI_Message before = *handle;
    int result = SIZED(PMPI_Mrecv)(data, count, type, handle, status);
    if (tracked(result))
        received(before);
    return leave(result);
}

int SIZED(MPI_Imrecv)(void *data, COUNT count, MPI_Datatype type, MPI_Message *handle,
               MPI_Request *request) {
    enter("MPI_Imrecv" SUFFIX);
    MPI_Message before = *handle;
    int result = SIZED(PMPI_Imrecv)(data, count, type, handle, request);
    if (tracked(result))
        receiving(before, *request);
    return leave(result);
}
