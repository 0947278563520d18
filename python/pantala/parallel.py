"""Work in parallel, in processes or on threads: results as they come, one answer to Ctrl-C."""

from __future__ import annotations

import multiprocessing
import os
import signal
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import (
    FIRST_COMPLETED,
    Future,
    ProcessPoolExecutor,
    ThreadPoolExecutor,
    wait,
)
from functools import partial
from threading import Event
from typing import TypeVar

__all__ = ["cores", "in_processes", "on_threads"]

Item = TypeVar("Item")
Result = TypeVar("Result")


def cores() -> int:
    """Returns the number of cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


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
    # Forked processes would share the locks of Polars' threads.
    context = multiprocessing.get_context("spawn")
    # A terminal sends Ctrl-C to all processes; this process answers it for all.
    deaf = partial(signal.signal, signal.SIGINT, signal.SIG_IGN)
    pool = ProcessPoolExecutor(min(workers, len(items)), context, initializer=deaf)
    try:
        yield from _as_they_come({pool.submit(work, item) for item in items})
    except BaseException:
        pool.shutdown(wait=False, cancel_futures=True)
        for worker in multiprocessing.active_children():
            worker.terminate()
        raise
    pool.shutdown()


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


def _as_they_come(waiting: set[Future[Result]]) -> Iterator[Result]:
    while waiting:
        # Waits are short because Polars' handler of SIGINT, which precedes Python's, does not end
        # long waits.
        done, waiting = wait(waiting, timeout=0.2, return_when=FIRST_COMPLETED)
        yield from (one.result() for one in done)
