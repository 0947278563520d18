// The calls that make and free communicators; those that copy one are in copies.c.

#include "recorded.h"

int MPI_Comm_split(MPI_Comm comm, int color, int key, MPI_Comm *made) {
    enter("MPI_Comm_split");
    int result = PMPI_Comm_split(comm, color, key, made);
    if (tracked(result))
        split(comm, *made);
    return leave(result);
}

int MPI_Comm_split_type(MPI_Comm comm, int type, int key, MPI_Info info, MPI_Comm *made) {
    enter("MPI_Comm_split_type");
    int result = PMPI_Comm_split_type(comm, type, key, info, made);
    if (tracked(result))
        split(comm, *made);
    return leave(result);
}

int MPI_Comm_create(MPI_Comm comm, MPI_Group group, MPI_Comm *made) {
    enter("MPI_Comm_create");
    int result = PMPI_Comm_create(comm, group, made);
    if (tracked(result))
        split(comm, *made);
    return leave(result);
}

int MPI_Comm_create_group(MPI_Comm comm, MPI_Group group, int tag, MPI_Comm *made) {
    enter("MPI_Comm_create_group");
    int result = PMPI_Comm_create_group(comm, group, tag, made);
    if (tracked(result) && *made != MPI_COMM_NULL)
        joined(*made, *made, 0);
    return leave(result);
}

int MPI_Intercomm_create(MPI_Comm local, int leader, MPI_Comm peers, int remote, int tag,
                         MPI_Comm *made) {
    enter("MPI_Intercomm_create");
    int result = PMPI_Intercomm_create(local, leader, peers, remote, tag, made);
    if (tracked(result))
        joined_groups(*made);
    return leave(result);
}

int MPI_Intercomm_merge(MPI_Comm comm, int high, MPI_Comm *made) {
    enter("MPI_Intercomm_merge");
    int result = PMPI_Intercomm_merge(comm, high, made);
    if (tracked(result))
        joined(*made, *made, 0);
    return leave(result);
}

int MPI_Cart_create(MPI_Comm comm, int count, const int dims[], const int periods[], int reorder,
                    MPI_Comm *made) {
    enter("MPI_Cart_create");
    int result = PMPI_Cart_create(comm, count, dims, periods, reorder, made);
    if (tracked(result))
        split(comm, *made);
    return leave(result);
}

int MPI_Cart_sub(MPI_Comm comm, const int remain[], MPI_Comm *made) {
    enter("MPI_Cart_sub");
    int result = PMPI_Cart_sub(comm, remain, made);
    if (tracked(result))
        split(comm, *made);
    return leave(result);
}

int MPI_Graph_create(MPI_Comm comm, int count, const int index[], const int edges[], int reorder,
                     MPI_Comm *made) {
    enter("MPI_Graph_create");
    int result = PMPI_Graph_create(comm, count, index, edges, reorder, made);
    if (tracked(result))
        split(comm, *made);
    return leave(result);
}

int MPI_Dist_graph_create(MPI_Comm comm, int count, const int sources[], const int degrees[],
                          const int destinations[], const int weights[], MPI_Info info, int reorder,
                          MPI_Comm *made) {
    enter("MPI_Dist_graph_create");
    int result = PMPI_Dist_graph_create(comm, count, sources, degrees, destinations, weights, info,
                                        reorder, made);
    if (tracked(result))
        split(comm, *made);
    return leave(result);
}

int MPI_Dist_graph_create_adjacent(MPI_Comm comm, int in, const int sources[],
                                   const int source_weights[], int out, const int destinations[],
                                   const int destination_weights[], MPI_Info info, int reorder,
                                   MPI_Comm *made) {
    enter("MPI_Dist_graph_create_adjacent");
    int result =
        PMPI_Dist_graph_create_adjacent(comm, in, sources, source_weights, out, destinations,
                                        destination_weights, info, reorder, made);
    if (tracked(result))
        split(comm, *made);
    return leave(result);
}

int MPI_Comm_free(MPI_Comm *comm) {
    enter("MPI_Comm_free");
    MPI_Comm handle = *comm;
    int result = PMPI_Comm_free(comm);
    if (tracked(result) || is_followed(result)) // also in the callback of an attribute
        freed(handle);
    return leave(result);
}

int MPI_Comm_disconnect(MPI_Comm *comm) {
    enter("MPI_Comm_disconnect");
    MPI_Comm handle = *comm;
    int result = PMPI_Comm_disconnect(comm);
    if (tracked(result) || is_followed(result)) // also in the callback of an attribute
        freed(handle);
    return leave(result);
}
