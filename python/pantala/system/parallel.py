"""Work in parallel, in processes or on threads: results as they come, one answer to Ctrl-C."""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
from collections.abc import Callable, Collection, Iterator, Sequence
from concurrent.futures import (
    FIRST_COMPLETED,
    Executor,
    Future,
    ProcessPoolExecutor,
    ThreadPoolExecutor,
    wait,
)
from multiprocessing.context import SpawnContext, SpawnProcess
from multiprocessing.process import BaseProcess
from threading import Event, Lock, Thread
from types import ModuleType, TracebackType
from typing import Any, TypeVar

__all__ = [
    "LocalWorkers",
    "WorkerDied",
    "cores",
    "died_of",
    "forks",
    "in_processes",
    "on_threads",
    "some_done",
]

Item = TypeVar("Item")
Result = TypeVar("Result")

#: Seconds to wait for the thread of a pool whose processes have ended.
_PATIENCE = 2.0
#: Held while a process starts.
_starting = Lock()


def cores() -> int:
    """Returns the number of cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class WorkerDied(Exception):
    """A worker that ended before its work.

    Attributes:
        reason: what is known about its end.
        at_work: whether the work had begun; only then it may have killed the worker.
        final: whether another worker would end in the same way.
    """

    def __init__(self, reason: str, *, at_work: bool = True, final: bool = False) -> None:
        self.reason = reason
        self.at_work = at_work
        self.final = final
        super().__init__(reason)


def died_of(error: BaseException) -> WorkerDied | None:
    """Returns an error of an executor as the death of one worker; None if it is something else."""
    if isinstance(error, WorkerDied):
        return error
    # Dask has already given the work to several workers.
    distributed = sys.modules.get("distributed")
    if distributed is not None and isinstance(error, distributed.KilledWorker):
        return WorkerDied("it killed the workers of Dask that began it; they may need more memory")
    parsl = sys.modules.get("parsl.executors.high_throughput.errors")
    if parsl is not None and isinstance(error, parsl.WorkerLost | parsl.ManagerLost):
        return WorkerDied("its worker of Parsl was killed; it may need more memory")
    return None


def forks(executor: Executor) -> bool:
    """Returns whether an executor forks this process: a worker then waits for Polars for ever."""
    if not isinstance(executor, ProcessPoolExecutor):
        return False
    context = getattr(executor, "_mp_context", None)
    return context is not None and context.get_start_method() == "fork"


def in_processes(
    work: Callable[[Item], Result], items: Sequence[Item], workers: int
) -> Iterator[Result]:
    """Calls `work` with every item in processes, and yields each result as it comes.

    The order of the results is undefined.

    Args:
        work: a function that another process can import.
        items: the items; work on them begins in this order.
        workers: the number of processes; with 1, or with one item, this process does the work.

    Raises:
        BaseException: any error of `work`; the other work ends.
    """
    if workers == 1 or len(items) < 2:
        yield from map(work, items)
        return
    with LocalWorkers(min(workers, len(items))) as pool:
        yield from _as_they_come({pool.submit(work, item) for item in items})


class LocalWorkers(Executor):
    """Processes of this machine that live as long as the executor; one "worker" is this process.

    An exception inside ``with`` ends the processes at once. They also end when this process is
    killed.

    Args:
        workers: the number of processes; with 1 this process does the work.
    """

    def __init__(self, workers: int) -> None:
        self._workers = workers
        #: Tasks that a caller should give at once, so that no process waits for the next one.
        self.window = 4 * workers
        self._pool = self._made()

    def submit(self, work: Callable[..., Result], /, *args: Any, **kwargs: Any) -> Future[Result]:
        """Gives work to a process, or does it."""
        if self._pool is not None:
            return self._pool.submit(work, *args, **kwargs)
        future: Future[Result] = Future()
        try:
            future.set_result(work(*args, **kwargs))
        except Exception as error:
            future.set_exception(error)
        return future

    def renew(self) -> None:
        """Replaces all processes, after one of them was killed."""
        self._end()
        self._pool = self._made()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if kind is not None:
            self._end()
        elif self._pool is not None:
            self._pool.shutdown()

    def _made(self) -> ProcessPoolExecutor | None:
        if self._workers == 1:
            return None
        return ProcessPoolExecutor(self._workers, _Spawn(), initializer=_begin_worker)

    def _end(self) -> None:
        if self._pool is None:
            return
        processes = list((self._pool._processes or {}).values())
        manager: object = self._pool._executor_manager_thread
        self._pool.shutdown(wait=False, cancel_futures=True)
        for process in processes:
            process.terminate()
        for process in processes:
            process.join()
        # The thread closes its pipe. If it did so while the interpreter ends, which writes into the
        # pipe, a traceback would follow the last line of the command.
        if isinstance(manager, Thread):
            manager.join(_PATIENCE)


class _Worker(SpawnProcess):
    """A process that does not import the main module of its parent.

    Its work is in modules of Pantala. The main module may be a script that calls `sweep` outside
    of ``if __name__ == "__main__"``: a worker that imports it would run it once more.
    """

    @staticmethod
    def _Popen(process_obj: BaseProcess) -> Any:  # noqa: N802
        with _starting:
            main = sys.modules["__main__"]
            sys.modules["__main__"] = ModuleType("__main__")
            try:
                return SpawnProcess._Popen(process_obj)
            finally:
                sys.modules["__main__"] = main


class _Spawn(SpawnContext):
    """Starts processes anew: forked processes would share the locks of Polars' threads."""

    Process = _Worker


def _begin_worker() -> None:
    # A terminal sends Ctrl-C to all processes; the parent answers it for all.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    # A worker of a parent that was killed would wait for work for ever.
    Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def on_threads(
    work: Callable[[Item, Callable[[object], None]], Result], items: Sequence[Item], workers: int
) -> Iterator[Result]:
    """Calls `work` with every item on threads of this process, and yields each result as it comes.

    This is for work that releases the interpreter, as the core's simulations do. It needs no
    importable function and no guard of the main module.

    Args:
        work: called with an item and a function. It calls the function with any argument about five
            times per second; the function raises when the work must stop.
        items: the items; work on them begins in this order.
        workers: the number of threads; with 1 this thread does the work.

    Raises:
        BaseException: any error of `work`; the other work ends.
    """
    if workers == 1 or len(items) < 2:
        yield from (work(item, lambda _: None) for item in items)
        return
    stop = Event()

    def check(_: object) -> None:
        if stop.is_set():
            raise KeyboardInterrupt

    pool = ThreadPoolExecutor(min(workers, len(items)))
    try:
        yield from _as_they_come({pool.submit(work, item, check) for item in items})
    finally:
        stop.set()
        pool.shutdown(cancel_futures=True)


def some_done(
    waiting: Collection[Future[Result]],
) -> tuple[set[Future[Result]], set[Future[Result]]]:
    """Waits until one future is done, at most 0.2 s, and returns the done ones and the others.

    The wait is short because Polars' handler of SIGINT, which precedes Python's, does not end long
    waits.

    Raises:
        KeyboardInterrupt: Ctrl-C or SIGTERM.
    """
    try:
        return wait(waiting, timeout=0.2, return_when=FIRST_COMPLETED)
    except RuntimeError as error:
        # A signal can stop `Condition.wait` before it holds its lock again. The release of the lock
        # then fails, and this error hides the interruption.
        if isinstance(error.__context__, KeyboardInterrupt):
            raise error.__context__ from None
        raise


def _as_they_come(waiting: set[Future[Result]]) -> Iterator[Result]:
    while waiting:
        done, waiting = some_done(waiting)
        yield from (one.result() for one in done)
