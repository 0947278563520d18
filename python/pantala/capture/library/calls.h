// The functions of MPI that communicate, or that make or complete what others communicate with.
//
// Each list has the name in C and the two spellings of Fortran. The guard notices calls of them that
// no wrapper sees. Functions without effect on other ranks, such as MPI_Type_commit, are in no list.

#ifndef PANTALA_CALLS_H
#define PANTALA_CALLS_H

// Functions that the other files of the library wrap.
#define FOLLOWED(X)                                                                                \
    X(Abort, abort, ABORT)                                                                         \
    X(Allgather, allgather, ALLGATHER)                                                             \
    X(Allgatherv, allgatherv, ALLGATHERV)                                                          \
    X(Allreduce, allreduce, ALLREDUCE)                                                             \
    X(Alltoall, alltoall, ALLTOALL)                                                                \
    X(Alltoallv, alltoallv, ALLTOALLV)                                                             \
    X(Alltoallw, alltoallw, ALLTOALLW)                                                             \
    X(Barrier, barrier, BARRIER)                                                                   \
    X(Bcast, bcast, BCAST)                                                                         \
    X(Bsend, bsend, BSEND)                                                                         \
    X(Bsend_init, bsend_init, BSEND_INIT)                                                          \
    X(Cart_create, cart_create, CART_CREATE)                                                       \
    X(Cart_sub, cart_sub, CART_SUB)                                                                \
    X(Comm_create, comm_create, COMM_CREATE)                                                       \
    X(Comm_create_group, comm_create_group, COMM_CREATE_GROUP)                                     \
    X(Comm_disconnect, comm_disconnect, COMM_DISCONNECT)                                           \
    X(Comm_dup, comm_dup, COMM_DUP)                                                                \
    X(Comm_dup_with_info, comm_dup_with_info, COMM_DUP_WITH_INFO)                                  \
    X(Comm_free, comm_free, COMM_FREE)                                                             \
    X(Comm_idup, comm_idup, COMM_IDUP)                                                             \
    X(Comm_split, comm_split, COMM_SPLIT)                                                          \
    X(Comm_split_type, comm_split_type, COMM_SPLIT_TYPE)                                           \
    X(Dist_graph_create, dist_graph_create, DIST_GRAPH_CREATE)                                     \
    X(Dist_graph_create_adjacent, dist_graph_create_adjacent, DIST_GRAPH_CREATE_ADJACENT)          \
    X(Exscan, exscan, EXSCAN)                                                                      \
    X(Gather, gather, GATHER)                                                                      \
    X(Gatherv, gatherv, GATHERV)                                                                   \
    X(Graph_create, graph_create, GRAPH_CREATE)                                                    \
    X(Iallgather, iallgather, IALLGATHER)                                                          \
    X(Iallgatherv, iallgatherv, IALLGATHERV)                                                       \
    X(Iallreduce, iallreduce, IALLREDUCE)                                                          \
    X(Ialltoall, ialltoall, IALLTOALL)                                                             \
    X(Ialltoallv, ialltoallv, IALLTOALLV)                                                          \
    X(Ialltoallw, ialltoallw, IALLTOALLW)                                                          \
    X(Ibarrier, ibarrier, IBARRIER)                                                                \
    X(Ibcast, ibcast, IBCAST)                                                                      \
    X(Ibsend, ibsend, IBSEND)                                                                      \
    X(Iexscan, iexscan, IEXSCAN)                                                                   \
    X(Igather, igather, IGATHER)                                                                   \
    X(Igatherv, igatherv, IGATHERV)                                                                \
    X(Improbe, improbe, IMPROBE)                                                                   \
    X(Imrecv, imrecv, IMRECV)                                                                      \
    X(Iprobe, iprobe, IPROBE)                                                                      \
    X(Intercomm_create, intercomm_create, INTERCOMM_CREATE)                                        \
    X(Intercomm_merge, intercomm_merge, INTERCOMM_MERGE)                                           \
    X(Irecv, irecv, IRECV)                                                                         \
    X(Ireduce, ireduce, IREDUCE)                                                                   \
    X(Ireduce_scatter, ireduce_scatter, IREDUCE_SCATTER)                                           \
    X(Ireduce_scatter_block, ireduce_scatter_block, IREDUCE_SCATTER_BLOCK)                         \
    X(Irsend, irsend, IRSEND)                                                                      \
    X(Iscan, iscan, ISCAN)                                                                         \
    X(Iscatter, iscatter, ISCATTER)                                                                \
    X(Iscatterv, iscatterv, ISCATTERV)                                                             \
    X(Isend, isend, ISEND)                                                                         \
    X(Issend, issend, ISSEND)                                                                      \
    X(Mprobe, mprobe, MPROBE)                                                                      \
    X(Mrecv, mrecv, MRECV)                                                                         \
    X(Pcontrol, pcontrol, PCONTROL)                                                                \
    X(Probe, probe, PROBE)                                                                         \
    X(Recv, recv, RECV)                                                                            \
    X(Recv_init, recv_init, RECV_INIT)                                                             \
    X(Reduce, reduce, REDUCE)                                                                      \
    X(Reduce_scatter, reduce_scatter, REDUCE_SCATTER)                                              \
    X(Reduce_scatter_block, reduce_scatter_block, REDUCE_SCATTER_BLOCK)                            \
    X(Request_free, request_free, REQUEST_FREE)                                                    \
    X(Rsend, rsend, RSEND)                                                                         \
    X(Rsend_init, rsend_init, RSEND_INIT)                                                          \
    X(Scan, scan, SCAN)                                                                            \
    X(Scatter, scatter, SCATTER)                                                                   \
    X(Scatterv, scatterv, SCATTERV)                                                                \
    X(Send, send, SEND)                                                                            \
    X(Send_init, send_init, SEND_INIT)                                                             \
    X(Sendrecv, sendrecv, SENDRECV)                                                                \
    X(Sendrecv_replace, sendrecv_replace, SENDRECV_REPLACE)                                        \
    X(Ssend, ssend, SSEND)                                                                         \
    X(Ssend_init, ssend_init, SSEND_INIT)                                                          \
    X(Start, start, START)                                                                         \
    X(Startall, startall, STARTALL)                                                                \
    X(Test, test, TEST)                                                                            \
    X(Testall, testall, TESTALL)                                                                   \
    X(Testany, testany, TESTANY)                                                                   \
    X(Testsome, testsome, TESTSOME)                                                                \
    X(Wait, wait, WAIT)                                                                            \
    X(Waitall, waitall, WAITALL)                                                                   \
    X(Waitany, waitany, WAITANY)                                                                   \
    X(Neighbor_allgather, neighbor_allgather, NEIGHBOR_ALLGATHER)                                  \
    X(Neighbor_allgatherv, neighbor_allgatherv, NEIGHBOR_ALLGATHERV)                               \
    X(Neighbor_alltoall, neighbor_alltoall, NEIGHBOR_ALLTOALL)                                     \
    X(Neighbor_alltoallv, neighbor_alltoallv, NEIGHBOR_ALLTOALLV)                                  \
    X(Neighbor_alltoallw, neighbor_alltoallw, NEIGHBOR_ALLTOALLW)                                  \
    X(Ineighbor_allgather, ineighbor_allgather, INEIGHBOR_ALLGATHER)                               \
    X(Ineighbor_allgatherv, ineighbor_allgatherv, INEIGHBOR_ALLGATHERV)                            \
    X(Ineighbor_alltoall, ineighbor_alltoall, INEIGHBOR_ALLTOALL)                                  \
    X(Ineighbor_alltoallv, ineighbor_alltoallv, INEIGHBOR_ALLTOALLV)                               \
    X(Ineighbor_alltoallw, ineighbor_alltoallw, INEIGHBOR_ALLTOALLW)                               \
    X(Accumulate, accumulate, ACCUMULATE)                                                          \
    X(Compare_and_swap, compare_and_swap, COMPARE_AND_SWAP)                                        \
    X(Fetch_and_op, fetch_and_op, FETCH_AND_OP)                                                    \
    X(Get, get, GET)                                                                               \
    X(Get_accumulate, get_accumulate, GET_ACCUMULATE)                                              \
    X(Put, put, PUT)                                                                               \
    X(Raccumulate, raccumulate, RACCUMULATE)                                                       \
    X(Rget, rget, RGET)                                                                            \
    X(Rget_accumulate, rget_accumulate, RGET_ACCUMULATE)                                           \
    X(Rput, rput, RPUT)                                                                            \
    X(Win_allocate, win_allocate, WIN_ALLOCATE)                                                    \
    X(Win_allocate_shared, win_allocate_shared, WIN_ALLOCATE_SHARED)                               \
    X(Win_complete, win_complete, WIN_COMPLETE)                                                    \
    X(Win_create, win_create, WIN_CREATE)                                                          \
    X(Win_create_dynamic, win_create_dynamic, WIN_CREATE_DYNAMIC)                                  \
    X(Win_fence, win_fence, WIN_FENCE)                                                             \
    X(Win_free, win_free, WIN_FREE)                                                                \
    X(Win_lock, win_lock, WIN_LOCK)                                                                \
    X(Win_lock_all, win_lock_all, WIN_LOCK_ALL)                                                    \
    X(Win_post, win_post, WIN_POST)                                                                \
    X(Win_start, win_start, WIN_START)                                                             \
    X(Win_test, win_test, WIN_TEST)                                                                \
    X(Win_unlock, win_unlock, WIN_UNLOCK)                                                          \
    X(Win_unlock_all, win_unlock_all, WIN_UNLOCK_ALL)                                              \
    X(Win_wait, win_wait, WIN_WAIT)                                                                \
    X(Waitsome, waitsome, WAITSOME)

// Functions that start or end MPI.
#define COURSES(X)                                                                                 \
    X(Init, init, INIT)                                                                            \
    X(Init_thread, init_thread, INIT_THREAD)                                                       \
    X(Finalize, finalize, FINALIZE)

// Calls with processes that join during the run.
#define PROCESSES(X)                                                                               \
    X(Comm_accept, comm_accept, COMM_ACCEPT)                                                       \
    X(Comm_connect, comm_connect, COMM_CONNECT)                                                    \
    X(Comm_join, comm_join, COMM_JOIN)                                                             \
    X(Comm_spawn, comm_spawn, COMM_SPAWN)                                                          \
    X(Comm_spawn_multiple, comm_spawn_multiple, COMM_SPAWN_MULTIPLE)

// Files: calls that move data or wait for other ranks.
#define FILES(X)                                                                                   \
    X(File_close, file_close, FILE_CLOSE)                                                          \
    X(File_delete, file_delete, FILE_DELETE)                                                       \
    X(File_get_position_shared, file_get_position_shared, FILE_GET_POSITION_SHARED)                \
    X(File_iread, file_iread, FILE_IREAD)                                                          \
    X(File_iread_all, file_iread_all, FILE_IREAD_ALL)                                              \
    X(File_iread_at, file_iread_at, FILE_IREAD_AT)                                                 \
    X(File_iread_at_all, file_iread_at_all, FILE_IREAD_AT_ALL)                                     \
    X(File_iread_shared, file_iread_shared, FILE_IREAD_SHARED)                                     \
    X(File_iwrite, file_iwrite, FILE_IWRITE)                                                       \
    X(File_iwrite_all, file_iwrite_all, FILE_IWRITE_ALL)                                           \
    X(File_iwrite_at, file_iwrite_at, FILE_IWRITE_AT)                                              \
    X(File_iwrite_at_all, file_iwrite_at_all, FILE_IWRITE_AT_ALL)                                  \
    X(File_iwrite_shared, file_iwrite_shared, FILE_IWRITE_SHARED)                                  \
    X(File_open, file_open, FILE_OPEN)                                                             \
    X(File_preallocate, file_preallocate, FILE_PREALLOCATE)                                        \
    X(File_read, file_read, FILE_READ)                                                             \
    X(File_read_all, file_read_all, FILE_READ_ALL)                                                 \
    X(File_read_all_begin, file_read_all_begin, FILE_READ_ALL_BEGIN)                               \
    X(File_read_all_end, file_read_all_end, FILE_READ_ALL_END)                                     \
    X(File_read_at, file_read_at, FILE_READ_AT)                                                    \
    X(File_read_at_all, file_read_at_all, FILE_READ_AT_ALL)                                        \
    X(File_read_at_all_begin, file_read_at_all_begin, FILE_READ_AT_ALL_BEGIN)                      \
    X(File_read_at_all_end, file_read_at_all_end, FILE_READ_AT_ALL_END)                            \
    X(File_read_ordered, file_read_ordered, FILE_READ_ORDERED)                                     \
    X(File_read_ordered_begin, file_read_ordered_begin, FILE_READ_ORDERED_BEGIN)                   \
    X(File_read_ordered_end, file_read_ordered_end, FILE_READ_ORDERED_END)                         \
    X(File_read_shared, file_read_shared, FILE_READ_SHARED)                                        \
    X(File_seek_shared, file_seek_shared, FILE_SEEK_SHARED)                                        \
    X(File_set_atomicity, file_set_atomicity, FILE_SET_ATOMICITY)                                  \
    X(File_set_info, file_set_info, FILE_SET_INFO)                                                 \
    X(File_set_size, file_set_size, FILE_SET_SIZE)                                                 \
    X(File_set_view, file_set_view, FILE_SET_VIEW)                                                 \
    X(File_sync, file_sync, FILE_SYNC)                                                             \
    X(File_write, file_write, FILE_WRITE)                                                          \
    X(File_write_all, file_write_all, FILE_WRITE_ALL)                                              \
    X(File_write_all_begin, file_write_all_begin, FILE_WRITE_ALL_BEGIN)                            \
    X(File_write_all_end, file_write_all_end, FILE_WRITE_ALL_END)                                  \
    X(File_write_at, file_write_at, FILE_WRITE_AT)                                                 \
    X(File_write_at_all, file_write_at_all, FILE_WRITE_AT_ALL)                                     \
    X(File_write_at_all_begin, file_write_at_all_begin, FILE_WRITE_AT_ALL_BEGIN)                   \
    X(File_write_at_all_end, file_write_at_all_end, FILE_WRITE_AT_ALL_END)                         \
    X(File_write_ordered, file_write_ordered, FILE_WRITE_ORDERED)                                  \
    X(File_write_ordered_begin, file_write_ordered_begin, FILE_WRITE_ORDERED_BEGIN)                \
    X(File_write_ordered_end, file_write_ordered_end, FILE_WRITE_ORDERED_END)                      \
    X(File_write_shared, file_write_shared, FILE_WRITE_SHARED)

// Persistent collectives of version 4 of MPI.
#define PERSISTENT(X)                                                                              \
    X(Allgather_init, allgather_init, ALLGATHER_INIT)                                              \
    X(Allgatherv_init, allgatherv_init, ALLGATHERV_INIT)                                           \
    X(Allreduce_init, allreduce_init, ALLREDUCE_INIT)                                              \
    X(Alltoall_init, alltoall_init, ALLTOALL_INIT)                                                 \
    X(Alltoallv_init, alltoallv_init, ALLTOALLV_INIT)                                              \
    X(Alltoallw_init, alltoallw_init, ALLTOALLW_INIT)                                              \
    X(Barrier_init, barrier_init, BARRIER_INIT)                                                    \
    X(Bcast_init, bcast_init, BCAST_INIT)                                                          \
    X(Exscan_init, exscan_init, EXSCAN_INIT)                                                       \
    X(Gather_init, gather_init, GATHER_INIT)                                                       \
    X(Gatherv_init, gatherv_init, GATHERV_INIT)                                                    \
    X(Reduce_init, reduce_init, REDUCE_INIT)                                                       \
    X(Reduce_scatter_init, reduce_scatter_init, REDUCE_SCATTER_INIT)                               \
    X(Reduce_scatter_block_init, reduce_scatter_block_init, REDUCE_SCATTER_BLOCK_INIT)             \
    X(Scan_init, scan_init, SCAN_INIT)                                                             \
    X(Scatter_init, scatter_init, SCATTER_INIT)                                                    \
    X(Scatterv_init, scatterv_init, SCATTERV_INIT)                                                 \
    X(Neighbor_allgather_init, neighbor_allgather_init, NEIGHBOR_ALLGATHER_INIT)                   \
    X(Neighbor_allgatherv_init, neighbor_allgatherv_init, NEIGHBOR_ALLGATHERV_INIT)                \
    X(Neighbor_alltoall_init, neighbor_alltoall_init, NEIGHBOR_ALLTOALL_INIT)                      \
    X(Neighbor_alltoallv_init, neighbor_alltoallv_init, NEIGHBOR_ALLTOALLV_INIT)                   \
    X(Neighbor_alltoallw_init, neighbor_alltoallw_init, NEIGHBOR_ALLTOALLW_INIT)

// Partitioned communication of version 4 of MPI.
#define PARTITIONED(X)                                                                             \
    X(Parrived, parrived, PARRIVED)                                                                \
    X(Precv_init, precv_init, PRECV_INIT)                                                          \
    X(Pready, pready, PREADY)                                                                      \
    X(Pready_list, pready_list, PREADY_LIST)                                                       \
    X(Pready_range, pready_range, PREADY_RANGE)                                                    \
    X(Psend_init, psend_init, PSEND_INIT)

// Other calls of version 4 of MPI that the library wraps.
#define FOLLOWED_NEW(X) X(Comm_idup_with_info, comm_idup_with_info, COMM_IDUP_WITH_INFO)

// Those that it does not follow.
#define NEW(X)                                                                                     \
    X(Comm_create_from_group, comm_create_from_group, COMM_CREATE_FROM_GROUP)                      \
    X(Intercomm_create_from_groups, intercomm_create_from_groups, INTERCOMM_CREATE_FROM_GROUPS)    \
    X(Isendrecv, isendrecv, ISENDRECV)                                                             \
    X(Isendrecv_replace, isendrecv_replace, ISENDRECV_REPLACE)

// Functions of version 4 of MPI with counts of 64 bits: MPI_Send_c and the like.
#define LARGE(X)                                                                                   \
    X(Isendrecv_c)                                                                                 \
    X(Isendrecv_replace_c)                                                                         \
    X(Precv_init_c)                                                                                \
    X(Psend_init_c)

// Those of them that the library wraps.
#define FOLLOWED_LARGE(X)                                                                          \
    X(Allgather_c)                                                                                 \
    X(Allgather_init_c)                                                                            \
    X(Allgatherv_c)                                                                                \
    X(Allgatherv_init_c)                                                                           \
    X(Allreduce_c)                                                                                 \
    X(Allreduce_init_c)                                                                            \
    X(Alltoall_c)                                                                                  \
    X(Alltoall_init_c)                                                                             \
    X(Alltoallv_c)                                                                                 \
    X(Alltoallv_init_c)                                                                            \
    X(Alltoallw_c)                                                                                 \
    X(Alltoallw_init_c)                                                                            \
    X(Bcast_c)                                                                                     \
    X(Bcast_init_c)                                                                                \
    X(Bsend_c)                                                                                     \
    X(Bsend_init_c)                                                                                \
    X(Exscan_c)                                                                                    \
    X(Exscan_init_c)                                                                               \
    X(Gather_c)                                                                                    \
    X(Gather_init_c)                                                                               \
    X(Gatherv_c)                                                                                   \
    X(Gatherv_init_c)                                                                              \
    X(Iallgather_c)                                                                                \
    X(Iallgatherv_c)                                                                               \
    X(Iallreduce_c)                                                                                \
    X(Ialltoall_c)                                                                                 \
    X(Ialltoallv_c)                                                                                \
    X(Ialltoallw_c)                                                                                \
    X(Ibcast_c)                                                                                    \
    X(Ibsend_c)                                                                                    \
    X(Iexscan_c)                                                                                   \
    X(Igather_c)                                                                                   \
    X(Igatherv_c)                                                                                  \
    X(Imrecv_c)                                                                                    \
    X(Ineighbor_allgather_c)                                                                       \
    X(Ineighbor_allgatherv_c)                                                                      \
    X(Ineighbor_alltoall_c)                                                                        \
    X(Ineighbor_alltoallv_c)                                                                       \
    X(Ineighbor_alltoallw_c)                                                                       \
    X(Irecv_c)                                                                                     \
    X(Ireduce_c)                                                                                   \
    X(Ireduce_scatter_block_c)                                                                     \
    X(Ireduce_scatter_c)                                                                           \
    X(Irsend_c)                                                                                    \
    X(Iscan_c)                                                                                     \
    X(Iscatter_c)                                                                                  \
    X(Iscatterv_c)                                                                                 \
    X(Isend_c)                                                                                     \
    X(Issend_c)                                                                                    \
    X(Mrecv_c)                                                                                     \
    X(Neighbor_allgather_c)                                                                        \
    X(Neighbor_allgather_init_c)                                                                   \
    X(Neighbor_allgatherv_c)                                                                       \
    X(Neighbor_allgatherv_init_c)                                                                  \
    X(Neighbor_alltoall_c)                                                                         \
    X(Neighbor_alltoall_init_c)                                                                    \
    X(Neighbor_alltoallv_c)                                                                        \
    X(Neighbor_alltoallv_init_c)                                                                   \
    X(Neighbor_alltoallw_c)                                                                        \
    X(Neighbor_alltoallw_init_c)                                                                   \
    X(Recv_c)                                                                                      \
    X(Recv_init_c)                                                                                 \
    X(Reduce_c)                                                                                    \
    X(Reduce_init_c)                                                                               \
    X(Reduce_scatter_block_c)                                                                      \
    X(Reduce_scatter_block_init_c)                                                                 \
    X(Reduce_scatter_c)                                                                            \
    X(Reduce_scatter_init_c)                                                                       \
    X(Rsend_c)                                                                                     \
    X(Rsend_init_c)                                                                                \
    X(Scan_c)                                                                                      \
    X(Scan_init_c)                                                                                 \
    X(Scatter_c)                                                                                   \
    X(Scatter_init_c)                                                                              \
    X(Scatterv_c)                                                                                  \
    X(Scatterv_init_c)                                                                             \
    X(Send_c)                                                                                      \
    X(Send_init_c)                                                                                 \
    X(Sendrecv_c)                                                                                  \
    X(Sendrecv_replace_c)                                                                          \
    X(Ssend_c)                                                                                     \
    X(Ssend_init_c)                                                                                \
    X(Accumulate_c)                                                                                \
    X(Get_accumulate_c)                                                                            \
    X(Get_c)                                                                                       \
    X(Put_c)                                                                                       \
    X(Raccumulate_c)                                                                               \
    X(Rget_accumulate_c)                                                                           \
    X(Rget_c)                                                                                      \
    X(Rput_c)                                                                                      \
    X(Win_allocate_c)                                                                              \
    X(Win_allocate_shared_c)                                                                       \
    X(Win_create_c)

#endif
