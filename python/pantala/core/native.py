"""The functions of the compiled core: plans, networks, programs, traces and operation files."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from pantala.core.extension import core
from pantala.errors import PlanError

if TYPE_CHECKING:
    from pathlib import Path

__all__ = [
    "call_order",
    "communication",
    "deadlock",
    "export_operations",
    "identify_trace",
    "link_table",
    "merge_operation_files",
    "ncptl_check",
    "ncptl_explain",
    "operation_file",
    "operation_file_summary",
    "ports",
    "process_grid",
    "trace_files",
    "trace_summary",
    "write_link_table",
]


def deadlock(plan: dict[str, Any]) -> dict[str, Any]:
    """Searches the channel-dependency graph of a plan for a cycle.

    Returns:
        ``routings`` (their names), ``virtual_channels`` (per port), ``channels``, ``dependencies``,
        ``cycle`` (None, or its channels in order: ``router``, ``port``, ``class``, ``vc``,
        ``to_router``), ``exception`` (None, or the name under which the cycle is known).

    Raises:
        PlanError: the plan cannot be run.
    """
    found: dict[str, Any] = json.loads(core().deadlock(json.dumps(plan)))
    return found


def call_order(
    workload: dict[str, Any], ranks: int, mpi: dict[str, Any] | None, most: int
) -> dict[str, Any]:
    """Executes the calls of a job without computing and network delays, and tells if they end.

    Args:
        workload: the workload object of a plan.
        ranks: the number of ranks.
        mpi: the `mpi` object of a plan. None: the defaults.
        most: the most operations of all ranks, and the most packets and timers of the MPI layer.

    Returns:
        ``complete`` (false if the search stopped at `most`), ``operations``, ``blocked`` (what each
        rank that is left waits for: ``rank``, ``call``, ``waits``, ``peer``, ``tag``, ``bytes``,
        ``synchronous``, ``peer_ended``), ``faults`` (``rank``, ``call``, ``fault``); both with a
        ``place`` if it is known (``line``, or the number of the ``operation``);
        ``ends_if_eager``, ``ends_at_threshold`` (bytes, or None).

    Raises:
        PlanError: the workload is faulty or endless.
    """
    text = None if mpi is None else json.dumps(mpi)
    found: dict[str, Any] = json.loads(core().call_order(json.dumps(workload), ranks, text, most))
    return found


def communication(plan: dict[str, Any]) -> list[dict[str, Any]]:
    """Returns the communication of every job of a plan, without its network.

    Jobs of synthetic traffic are left out.

    Returns:
        One object per job: ``job``; ``source``, ``destination``, ``messages`` and ``bytes``, one
        entry per pair of ranks that communicate; ``sizes`` (bytes of a message, number of
        messages); ``operations`` (``point_to_point`` or the name of a collective, messages, bytes);
        ``ranks``, one object each: ``calls`` and ``sizes`` (minimum and maximum) by operation,
        ``messages_sent``, ``bytes_sent``, ``messages_received``, ``bytes_received``,
        ``collective_bytes_received`` by collective, ``compute_ps``.

    Raises:
        PlanError: the plan cannot be run.
    """
    found: list[dict[str, Any]] = json.loads(core().communication(json.dumps(plan)))
    return found


def process_grid(ranks: int, dimensions: int) -> list[int]:
    """Returns the factors of `ranks` with the smallest sum, in rising order, one per dimension."""
    grid: list[int] = core().process_grid(ranks, dimensions)
    return grid


def ports(topology: dict[str, Any]) -> dict[str, list[Any]]:
    """Returns the ports of all routers, one row each, as columns.

    Returns:
        ``router``, ``port``, ``class``, ``peer_router`` and ``peer_port`` (null at a node and where
        there is no link), ``failed`` (whether the link has failed).

    Raises:
        PlanError: no such topology can be built.
    """
    table: dict[str, list[Any]] = core().ports(json.dumps(topology))
    return table


def link_table(topology: dict[str, Any]) -> dict[str, list[Any]]:
    """Returns the directed links between routers, one row each, as columns.

    Raises:
        PlanError: no such topology can be built.
    """
    table: dict[str, list[Any]] = core().link_table(json.dumps(topology))
    return table


def write_link_table(topology: dict[str, Any], path: Path) -> None:
    """Writes the links between routers to a Parquet file.

    Raises:
        PlanError: no such topology can be built.
    """
    core().write_link_table(json.dumps(topology), str(path))


def ncptl_check(file: str, source: str) -> dict[str, Any]:
    """Returns `errors`, `warnings`, `options` and data `files` of a coNCePTuaL program.

    Args:
        file: the name of the program, for messages.
        source: its text.
    """
    checked: dict[str, Any] = json.loads(core().ncptl_check(file, source))
    return checked


def ncptl_explain(workload: dict[str, Any], ranks: int) -> dict[str, Any]:
    """Returns `calls`, `outputs`, `errors` and `truncated` of a coNCePTuaL program.

    Args:
        workload: the plan's workload object, without its `kind`.
        ranks: the number of ranks.

    Raises:
        PlanError: the program or its arguments are wrong.
    """
    explained: dict[str, Any] = json.loads(core().ncptl_explain(json.dumps(workload), ranks))
    if "fault" in explained:
        raise PlanError(**explained["fault"])
    return explained


def trace_files(path: str) -> list[str]:
    """Returns the files of the trace at `path`.

    Raises:
        UsageError: there is no trace, or a file of it is missing.
    """
    files: list[str] = core().trace_files(path)
    return files


def identify_trace(path: str) -> tuple[str, str, int, tuple[str, ...]]:
    """Returns the format, the hash, the number of ranks and the warnings of the trace at `path`.

    Raises:
        UsageError: no job can replay the trace.
    """
    form, digest, ranks, warnings = json.loads(core().identify_trace(path))
    return form, digest, ranks, tuple(warnings)


def trace_summary(path: str) -> dict[str, Any]:
    """Returns the summary of the trace at `path`; the keys are those of `pantala trace info`.

    Raises:
        UsageError: there is no trace, or a file of it is missing or wrong.
    """
    summary: dict[str, Any] = json.loads(core().trace_summary(path))
    return summary


def operation_file(path: str) -> dict[str, Any]:
    """Checks an operation file and returns its facts, such as `hash`, `job_ranks`, `operations`.

    Of a file with all ranks of its job, the calls are compared, too: whether each message has a
    receive, each receive a message, and the ranks call the same collectives. `calls_checked` is
    false for a file of some ranks or of more than 2^26 operations.

    Raises:
        ValueError: it is no complete operation file, or its calls do not fit together.
    """
    facts: dict[str, Any] = json.loads(core().operation_file(path))
    return facts


def operation_file_summary(path: str) -> dict[str, Any]:
    """Returns the summary of an operation file.

    It has the keys of `trace_summary`, and ``operations``, ``iterations``, ``call_bytes`` and
    ``communicators``.

    Raises:
        ValueError: it is no complete operation file.
    """
    summary: dict[str, Any] = json.loads(core().operation_file_summary(path))
    return summary


def merge_operation_files(
    paths: Sequence[str | Path],
    out: str | Path,
    *,
    find_iterations: bool = True,
    notes: Sequence[str] = (),
) -> dict[str, Any]:
    """Merges operation files of some ranks each into one, and returns its facts.

    Args:
        paths: the files.
        out: the file to write.
        find_iterations: whether to look for the loop that all ranks repeat, and to mark its
            iterations, unless the files have marks. Their number is the fact `iterations`, or 0.
        notes: lines that say what the files lack of the program that they were captured from.

    Raises:
        ValueError: a file is faulty, or a rank is missing or there twice.
    """
    given = [str(path) for path in paths]
    facts: dict[str, Any] = json.loads(
        core().merge_operation_files(given, str(out), find_iterations, list(notes))
    )
    return facts


def export_operations(plan: dict[str, Any], job: str, out: str | Path) -> dict[str, Any]:
    """Writes the operations of a job of a plan to a file, and returns the facts of the file.

    Raises:
        PlanError: the job's workload is faulty, or there is no such job.
        ValueError: the operations depend on the run.
    """
    facts: dict[str, Any] = json.loads(core().export_operations(json.dumps(plan), job, str(out)))
    return facts
