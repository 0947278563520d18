"""The gate to the compiled core: JSON in, JSON out, its errors as ours. Nothing else imports
`pantala._core`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Literal, TypedDict

from pantala.errors import PantalaError, PlanError, SimulationError, UsageError
from pantala.parallel import cores

if TYPE_CHECKING:
    from pathlib import Path
    from types import ModuleType

__all__ = [
    "Progress",
    "ProgressCallback",
    "Threads",
    "check_threads",
    "core",
    "cost",
    "deadlock",
    "link_table",
    "measure",
    "resolve",
    "run",
    "threads_for",
    "write_link_table",
]


class Progress(TypedDict):
    """How far a simulation is; the core tells it about five times a second."""

    simulated_ns: float
    packets_delivered: int
    packet_hops: int
    wall_seconds: float
    ranks_done: int
    ranks: int
    fraction: float | None


ProgressCallback = Callable[[Progress], None]


class MissingCoreError(PantalaError):
    """The compiled core is not there."""

    exit_status = 1


def core() -> ModuleType:
    """The compiled module.

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
    """The resolved plan.

    Raises:
        PlanError: the plan cannot be run.
    """
    with _core_errors() as module:
        resolved: dict[str, Any] = json.loads(module.resolve(json.dumps(plan)))
    return resolved


#: A number of threads, or ``"auto"``: as many as pay.
Threads = int | Literal["auto"]


def check_threads(threads: Threads) -> None:
    """Checks a number of threads.

    Raises:
        UsageError: it is less than one, more than the core takes, or a word other than "auto".
    """
    most = core().MAX_THREADS
    if threads not in ("auto", *range(1, most + 1)):
        raise UsageError(
            f"threads = {threads!r}: must be from 1 to {most}, or 'auto'; give as many as there are"
            " idle cores"
        )


def threads_for(plan: dict[str, Any], threads: Threads, processors: int | None = None) -> int:
    """Returns the number of threads for a plan: the number given, or for "auto" the number that
    pays.

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
    """Runs a plan into an empty directory and returns run.json, which depends on `threads` in its
    provenance only.

    Args:
        plan: the plan.
        directory: an empty directory.
        progress: called about five times a second.
        threads: how many, or "auto".
        extend: called when the plan's duration is over, with a list for each job: number of a
            window, bytes delivered in it. It answers the duration in ps that the run goes on to,
            longer than that before, or None. What comes out is the run of a plan with the last
            duration, if those before it were multiples of the window.

    Raises:
        UsageError: no such number of threads.
        PlanError: the plan cannot be run.
        SimulationError: the simulation could not go on; what there is has been written.
        KeyboardInterrupt: Ctrl-C; what there is has been written.
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
        progress: called about five times a second.
        drain: count the packets injected in the window, silence the sources after it and let the
            network run empty, instead of counting those delivered in the window.
        threads: how many, or "auto"; the result but for its ``bench`` does not depend on it.

    Raises:
        UsageError: no such number of threads.
        PlanError: the plan cannot be run.
        SimulationError: the simulation could not go on.
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
    """Runs a plan to its end, without writing anything; only its ``bench`` depends on `threads`.

    Returns:
        ``latency_mean_ns`` of all packets; ``accepted``, the flits delivered as a fraction of what
        the jobs' terminals carry in that time; ``bench``, what it cost, as `measure` says it, with
        the ``result_hash`` of run.json.

    Raises:
        UsageError: no such number of threads.
        PlanError: the plan cannot be run.
        SimulationError: the simulation could not go on.
        KeyboardInterrupt: Ctrl-C.
    """
    count = threads_for(plan, threads)
    with _core_errors() as module:
        result: dict[str, Any] = json.loads(module.cost(json.dumps(plan), count, progress))
    return result


def deadlock(plan: dict[str, Any]) -> dict[str, Any]:
    """Whether packets of a plan could wait for each other in a cycle: its channel-dependency
    graph, searched.

    Returns:
        ``routings`` (their names), ``virtual_channels`` (a port), ``channels``, ``dependencies``,
        ``cycle`` (None, or its channels in order: ``router``, ``port``, ``class``, ``vc``,
        ``to_router``), ``exception`` (None, or the name under which the cycle is known).

    Raises:
        PlanError: the plan cannot be run.
    """
    with _core_errors() as module:
        found: dict[str, Any] = json.loads(module.deadlock(json.dumps(plan)))
    return found


def communication(plan: dict[str, Any]) -> list[dict[str, Any]]:
    """What every job of a plan communicates but those of synthetic traffic, without its network.

    Returns:
        An object a job: ``job``; ``source``, ``destination``, ``messages`` and ``bytes``, an entry
        for every two ranks that talk; ``sizes`` (bytes of a message, how often); ``operations``
        (``point_to_point`` or the name of a collective, messages, bytes); ``ranks``, an object
        each: ``calls`` and ``sizes`` (least and most) by operation, ``messages_sent``,
            ``bytes_sent``, ``messages_received``, ``bytes_received``, ``collective_bytes_received``
            by
        collective, ``compute_ps``.

    Raises:
        PlanError: the plan cannot be run.
    """
    with _core_errors() as module:
        found: list[dict[str, Any]] = json.loads(module.communication(json.dumps(plan)))
    return found


def process_grid(ranks: int, dimensions: int) -> list[int]:
    """The factorisation of `ranks` into so many extents with the smallest sum, in rising order."""
    with _core_errors() as module:
        grid: list[int] = module.process_grid(ranks, dimensions)
    return grid


def link_table(topology: dict[str, Any]) -> dict[str, list[Any]]:
    """The directed links between routers, one row each, as columns.

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


@contextmanager
def _core_errors(directory: Path | None = None) -> Iterator[ModuleType]:
    """The core's module, its exceptions turned into ours on the way out."""
    module = core()
    try:
        yield module
    except module.PlanError as error:
        raise PlanError(
            str(error.key), str(error.value), str(error.message), str(error.remedy), error.others
        ) from None
    except module.RunError as error:
        raise SimulationError(str(error), directory) from None
