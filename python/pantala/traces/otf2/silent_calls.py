"""Calls of MPI that a trace names without an event that tells what they did.

A tracer writes Enter and Leave for each function of MPI that it wraps, and events only for the
functions that it knows. Score-P before version 8, for example, has no event for MPI_Iallreduce.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

__all__ = ["is_collective", "left_out"]

_COLLECTIVE = re.compile(
    r"mpi_i?(neighbor_)?(barrier|bcast|reduce|allreduce|reduce_scatter|reduce_scatter_block"
    r"|allgatherv?|gatherv?|scatterv?|alltoall[vw]?|scan|exscan)(_init)?(_c)?"
)
_MESSAGE = re.compile(r"mpi_(i?[sbr]?send|i?m?recv|i?sendrecv(_replace)?|isendrecv)(_c)?")
_PARTITIONED = re.compile(r"mpi_(psend_init|precv_init|pready\w*|parrived)")
_ONE_SIDED = re.compile(
    r"mpi_(r?(put|get|accumulate|get_accumulate)|fetch_and_op|compare_and_swap|win_\w+)(_c)?"
)
_FILES = re.compile(r"mpi_file_\w+")
_PROCESSES = re.compile(r"mpi_(comm_(spawn|spawn_multiple|connect|accept|join)|intercomm_\w+)")
#: Functions without traffic of their own, or whose traffic other events tell.
_LOCAL = re.compile(
    r"mpi_(init|init_thread|finalize|initialized|finalized|abort|wtime|wtick|get_\w+|pcontrol"
    r"|is_thread_main|query_thread|address|sizeof|aint_\w+|alloc_mem|free_mem|buffer_\w+"
    r"|wait(all|any|some)?|test(all|any|some)?|test_cancelled|i?m?probe|cancel|request_\w+"
    r"|grequest_\w+|status_\w+|start(all)?|[sbr]?send_init|recv_init|pack\w*|unpack\w*|type_\w+"
    r"|comm_\w+|group_\w+|op_\w+|reduce_local|cart\w*|graph\w*|dist_graph\w*|dims_create"
    r"|topo_test|keyval_\w+|attr_\w+|errhandler_\w+|error_\w+|add_error_\w+|info_\w+|session_\w+"
    r"|t_\w+|open_port|close_port|lookup_name|publish_name|unpublish_name|register_datarep"
    r"|win_\w+_errhandler|f_sync_reg)(_c)?"
)


def is_collective(region: str) -> bool:
    """Returns whether a function of MPI, in lower case, is a collective that moves data."""
    return _COLLECTIVE.fullmatch(region) is not None


def left_out(calls: Counter[str]) -> Iterator[str]:
    """Yields one line per reason, for calls that a trace has no event for.

    Args:
        calls: their number by function.
    """
    by_reason: dict[str, list[str]] = {}
    for region, number in sorted(calls.items()):
        if reason := _reason(region.lower()):
            by_reason.setdefault(reason, []).append(f"{number:,} {region}")
    for reason, named in by_reason.items():
        yield f"{', '.join(named)}: {reason}"


def _reason(region: str) -> str | None:
    """Returns why a call is not replayed; None if it has no traffic."""
    if is_collective(region):
        return "left out with their traffic; the trace has no event that tells ranks and bytes"
    if _MESSAGE.fullmatch(region):
        return (
            "not replayed; the trace has no message for them: the partner was MPI_PROC_NULL, or"
            " the tracer lost the event"
        )
    if _PARTITIONED.fullmatch(region):
        return "left out with their traffic; the trace has no event for partitioned messages"
    if _ONE_SIDED.fullmatch(region):
        return "left out; one-sided communication is not replayed"
    if _FILES.fullmatch(region):
        return "left out; files are not replayed"
    if _PROCESSES.fullmatch(region):
        return "left out; other programs and intercommunicators are not replayed"
    if _LOCAL.fullmatch(region):
        return None
    return "left out; Pantala does not know the function"
