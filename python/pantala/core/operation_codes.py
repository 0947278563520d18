"""The records of operation files: ``docs/reference/operation-file.md``."""

from __future__ import annotations

from enum import IntEnum

__all__ = ["RECORD_FIELDS", "Code"]

#: The fields of a record with their types, in NumPy's words.
RECORD_FIELDS = [
    ("code", "u1"),
    ("flags", "u1"),
    ("communicator", "<u2"),
    ("request", "<u4"),
    ("peer", "<u4"),
    ("tag", "<i4"),
    ("first", "<u8"),
    ("second", "<u8"),
]


class Code(IntEnum):
    """The operations of a file."""

    COMPUTE = 1
    SEND = 3
    SSEND = 4
    RSEND = 5
    BSEND = 6
    ISEND = 7
    ISSEND = 8
    RECV = 9
    IRECV = 10
    PROBE = 11
    SEND_INIT = 13
    RECV_INIT = 14
    START = 15
    REQUEST_FREE = 17
    WAIT = 18
    WAITALL = 19
    SENDRECV_SEND = 26
    SENDRECV_RECV = 27
    IPOST = 29
    BARRIER = 32
    BCAST = 33
    REDUCE = 34
    ALLREDUCE = 35
    REDUCE_SCATTER_BLOCK = 36
    REDUCE_SCATTER = 37
    ALLGATHER = 38
    ALLGATHERV = 39
    GATHER = 40
    GATHERV = 41
    SCATTER = 42
    SCATTERV = 43
    ALLTOALL = 44
    ALLTOALLV = 45
    SCAN = 46
    EXSCAN = 47
    COMM_DUP = 64
    COMM_SPLIT = 65
    COMM_CREATE = 66
    COMM_FREE = 67
    COMM_JOIN = 68
    ITERATION = 80
    ITERATION_END = 81
