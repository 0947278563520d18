"""The interface to the compiled core: JSON in, JSON out, errors as Python's exceptions.

No other module imports `pantala._core`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Literal, TypedDict

from pantala.errors import PantalaError, PlanError, SimulationError, UnwritableError, UsageError
from pantala.system_errors import number_in, remedy_of

if TYPE_CHECKING:
    from pathlib import Path
    from types import ModuleType

__all__ = [
    "ExpectedTraffic",
    "Progress",
    "ProgressCallback",
    "Threads",
    "check_threads",
    "core",
    "cost",
    "deadlock",
    "expected_traffic",
    "export_operations",
    "identify_trace",
    "link_table",
    "measure",
    "merge_operation_files",
    "ncptl_check",
    "ncptl_explain",
    "operation_file",
    "resolve",
    "run",
    "threads_for",
    "trace_files",
    "trace_summary",
    "write_link_table",
]


class Progress(TypedDict):
    """The progress of a simulation; the core reports it about five times per second."""

    simulated_ns: float
    packets_delivered: int
    packet_hops: int
    wall_seconds: float
    ranks_done: int
    ranks: int
    fraction: float | None


ProgressCallback = Callable[[Progress], None]


class MissingCoreError(PantalaError):
    """The compiled core is missing."""

    exit_status = 1


def core() -> ModuleType:
    """Returns the compiled module.

    Raises:
        MissingCoreError: pantala was not built.
    """
    try:
        from pantala import _core
    except ImportError as error:
        raise MissingCoreError(
            f"the compiled core cannot be loaded ({error}); build it with 'make build'"
        ) from error
    return _core


def resolve(plan: dict[str, Any]) -> dict[str, Any]:
    """Returns the resolved plan.

    Raises:
        PlanError: the plan cannot be run.
    """
    try:
        return resolve_text(json.dumps(plan))
    except PlanError:
        # The core reads a larger number as a floating-point one and cannot say whence it comes.
        for key, number in _beyond_64_bits(plan, ""):
            raise PlanError(
                key,
                f"{number:,}",
                "is more than 64 bits hold",
                "lower the counts, sizes or times that it follows from",
            ) from None
        raise


def _beyond_64_bits(value: Any, key: str) -> Iterator[tuple[str, int]]:
    """Yields the keys of a plan whose numbers no integer of the core can be."""
    if isinstance(value, dict):
        for name, below in value.items():
            yield from _beyond_64_bits(below, f"{key}.{name}" if key else str(name))
    elif isinstance(value, list):
        for number, below in enumerate(value):
            yield from _beyond_64_bits(below, f"{key}[{number}]")
    elif isinstance(value, int) and value >= 2**64:
        yield key, value


def resolve_text(text: str) -> dict[str, Any]:
    """Returns the resolved plan of a plan in JSON.

    Raises:
        PlanError: the plan cannot be run.
    """
    with _core_errors() as module:
        resolved: dict[str, Any] = json.loads(module.resolve(text))
    return resolved


#: A number of threads, or ``"auto"`` for the number that pays.
Threads = int | Literal["auto"]


def check_threads(threads: Threads) -> None:
    """Checks a number of threads.

    Raises:
        UsageError: it is less than one, more than the core takes, or a word other than "auto".
    """
    most = core().MAX_THREADS
    if threads not in ("auto", *range(1, most + 1)):
        raise UsageError(
            f"threads = {threads!r}: must be from 1 to {most}, or 'auto'; write the number of"
            " idle cores"
        )


def threads_for(plan: dict[str, Any], threads: Threads, processors: int | None = None) -> int:
    """Returns the number of threads for a plan: the given number, or for "auto" the one that pays.

    Args:
        plan: the plan.
        threads: a number or "auto".
        processors: the processors that "auto" may use; all processors of this process if not given.

    Raises:
        UsageError: no such number of threads.
        PlanError: the plan's topology cannot be built.
    """
    check_threads(threads)
    if threads != "auto":
        return threads
    from pantala.parallel import cores

    with _core_errors() as module:
        worth: int = module.threads_worth(
            json.dumps(plan), cores() if processors is None else processors
        )
    return worth


def run(
    plan: dict[str, Any],
    directory: Path,
    progress: ProgressCallback | None,
    threads: Threads = 1,
    extend: Callable[[list[list[tuple[int, int]]]], int | None] | None = None,
) -> dict[str, Any]:
    """Runs a plan into an empty directory and returns run.json.

    Only the provenance in run.json depends on `threads`.

    Args:
        plan: the plan.
        directory: an empty directory.
        progress: called about five times per second.
        threads: the number of threads, or "auto".
        extend: called at the end of the plan's duration with a list per job: number of a window,
            bytes delivered in it. It returns None, or a longer duration in ps to which the run
            continues. The result is the run of a plan with the last duration, if the earlier
            durations were multiples of the window.

    Raises:
        UsageError: no such number of threads.
        PlanError: the plan cannot be run.
        SimulationError: the simulation could not continue. The tables so far have been written.
        KeyboardInterrupt: Ctrl-C. The tables so far have been written.
    """
    count = threads_for(plan, threads)
    with _core_errors(directory) as module:
        document: dict[str, Any] = json.loads(
            module.run(json.dumps(plan), str(directory), count, progress, extend)
        )
    return document


def measure(
    plan: dict[str, Any],
    warmup_ps: int,
    measure_ps: int,
    timeline_ps: int,
    progress: ProgressCallback | None,
    drain: bool = False,
    threads: Threads = 1,
) -> dict[str, Any]:
    """Measures a plan of patterns over a window, without writing anything.

    Args:
        plan: a plan whose jobs are patterns.
        warmup_ps: simulated time before the window.
        measure_ps: length of the window.
        timeline_ps: length of the timeline's windows; 0 for none.
        progress: called about five times per second.
        drain: whether to count the packets injected in the window, then stop the sources and drain
            the network. Otherwise the packets delivered in the window count.
        threads: the number of threads, or "auto". Only ``bench`` in the result depends on it.

    Raises:
        UsageError: no such number of threads.
        PlanError: the plan cannot be run.
        SimulationError: the simulation could not continue.
    """
    count = threads_for(plan, threads)
    with _core_errors() as module:
        text = module.measure(
            json.dumps(plan), warmup_ps, measure_ps, timeline_ps, drain, count, progress
        )
    result: dict[str, Any] = json.loads(text)
    return result


def cost(
    plan: dict[str, Any], progress: ProgressCallback | None, threads: Threads = 1
) -> dict[str, Any]:
    """Runs a plan to its end without writing anything; only ``bench`` depends on `threads`.

    Returns:
        ``latency_mean_ns`` of all packets; ``accepted``, the delivered flits as a fraction of the
        capacity of the jobs' terminals in that time; ``bench``, the cost as in `measure`, with the
        ``result_hash`` of run.json.

    Raises:
        UsageError: no such number of threads.
        PlanError: the plan cannot be run.
        SimulationError: the simulation could not continue.
        KeyboardInterrupt: Ctrl-C.
    """
    count = threads_for(plan, threads)
    with _core_errors() as module:
        result: dict[str, Any] = json.loads(module.cost(json.dumps(plan), count, progress))
    return result


def deadlock(plan: dict[str, Any]) -> dict[str, Any]:
    """Searches the channel-dependency graph of a plan for a cycle.

    Returns:
        ``routings`` (their names), ``virtual_channels`` (per port), ``channels``, ``dependencies``,
        ``cycle`` (None, or its channels in order: ``router``, ``port``, ``class``, ``vc``,
        ``to_router``), ``exception`` (None, or the name under which the cycle is known).

    Raises:
        PlanError: the plan cannot be run.
    """
    with _core_errors() as module:
        found: dict[str, Any] = json.loads(module.deadlock(json.dumps(plan)))
    return found


class ExpectedTraffic(TypedDict):
    """What a job will send.

    Attributes:
        bytes: on the wire, control messages included.
        messages: those of collectives included.
        calls: MPI calls that send.
    """

    bytes: float
    messages: float
    calls: float


def expected_traffic(plan: dict[str, Any]) -> dict[str, ExpectedTraffic]:
    """Returns what each job of a plan will send, by its name.

    This is quick also for long programs. Synthetic traffic, and programs whose messages are known
    only when they run, are left out. A job that repeats counts once.

    Raises:
        PlanError: a job is wrong.
    """
    with _core_errors() as module:
        found: dict[str, ExpectedTraffic] = json.loads(module.expected_traffic(json.dumps(plan)))
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
    with _core_errors() as module:
        found: list[dict[str, Any]] = json.loads(module.communication(json.dumps(plan)))
    return found


def process_grid(ranks: int, dimensions: int) -> list[int]:
    """Returns the factors of `ranks` with the smallest sum, in rising order, one per dimension."""
    with _core_errors() as module:
        grid: list[int] = module.process_grid(ranks, dimensions)
    return grid


def link_table(topology: dict[str, Any]) -> dict[str, list[Any]]:
    """Returns the directed links between routers, one row each, as columns.

    Raises:
        PlanError: no such topology can be built.
    """
    with _core_errors() as module:
        table: dict[str, list[Any]] = module.link_table(json.dumps(topology))
    return table


def write_link_table(topology: dict[str, Any], path: Path) -> None:
    """Writes the links between routers to a Parquet file.

    Raises:
        PlanError: no such topology can be built.
    """
    with _core_errors() as module:
        module.write_link_table(json.dumps(topology), str(path))


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
    with _core_errors() as module:
        files: list[str] = module.trace_files(path)
    return files


def identify_trace(path: str) -> tuple[str, str, int, tuple[str, ...]]:
    """Returns the format, the hash, the number of ranks and the warnings of the trace at `path`.

    Raises:
        UsageError: no job can replay the trace.
    """
    with _core_errors() as module:
        form, digest, ranks, warnings = json.loads(module.identify_trace(path))
    return form, digest, ranks, tuple(warnings)


def trace_summary(path: str) -> dict[str, Any]:
    """Returns the summary of the trace at `path`; the keys are those of `pantala trace info`.

    Raises:
        UsageError: there is no trace, or a file of it is missing or wrong.
    """
    with _core_errors() as module:
        summary: dict[str, Any] = json.loads(module.trace_summary(path))
    return summary


@contextmanager
def _core_errors(directory: Path | None = None) -> Iterator[ModuleType]:
    """Yields the core's module, and converts its exceptions to Pantala's."""
    module = core()
    try:
        yield module
    except module.PlanError as error:
        raise PlanError(
            str(error.key), str(error.value), str(error.message), str(error.remedy), error.others
        ) from None
    except module.FileError as error:
        raise UsageError(str(error)) from None
    except module.RunError as error:
        raise SimulationError(str(error), directory) from None
    except OSError as error:
        if directory is None:
            raise
        remedy = remedy_of(number_in(str(error))) or "choose another --out"
        message = f"{error}; {remedy}"
        raise UnwritableError(message, str(error).rpartition(": ")[2], directory) from None


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


def merge_operation_files(paths: Sequence[str | Path], out: str | Path) -> dict[str, Any]:
    """Merges operation files of some ranks each into one, and returns its facts.

    Raises:
        ValueError: a file is faulty, or a rank is missing or there twice.
    """
    given = [str(path) for path in paths]
    facts: dict[str, Any] = json.loads(core().merge_operation_files(given, str(out)))
    return facts


def export_operations(plan: dict[str, Any], job: str, out: str | Path) -> dict[str, Any]:
    """Writes the operations of a job of a plan to a file, and returns the facts of the file.

    Raises:
        PlanError: the job's workload is faulty, or there is no such job.
        ValueError: the operations depend on the run.
    """
    with _core_errors() as module:
        facts: dict[str, Any] = json.loads(
            module.export_operations(json.dumps(plan), job, str(out))
        )
    return facts
