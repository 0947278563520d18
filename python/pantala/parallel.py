"""Work in several processes: results as they come, Ctrl-C answered by one for all."""

from __future__ import annotations

import multiprocessing
import signal
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, ProcessPoolExecutor, wait
from functools import partial
from typing import TypeVar

__all__ = ["each"]

Item = TypeVar("Item")
Result = TypeVar("Result")


def each(work: Callable[[Item], Result], items: Sequence[Item], jobs: int) -> Iterator[Result]:
    """Calls `work` with every item, `jobs` at a time, and gives each result as it comes, in no order.

    Args:
        work: a function that another process can import.
        items: what to call it with; they are begun in this order.
        jobs: how many processes; with 1, or with one item, this one does the work.

    Raises:
        BaseException: whatever `work` raises; it ends all that still runs.
    """
    if jobs == 1 or len(items) < 2:
        yield from map(work, items)
        return
    # Forked processes would share the threads' locks of Polars.
    context = multiprocessing.get_context("spawn")
    # Ctrl-C goes to all processes of a terminal; this one answers it for all.
    deaf = partial(signal.signal, signal.SIGINT, signal.SIG_IGN)
    pool = ProcessPoolExecutor(min(jobs, len(items)), context, initializer=deaf)
    try:
        waiting = {pool.submit(work, item) for item in items}
        while waiting:
            # Short waits: the handler of SIGINT that Polars puts in front of Python's does not break off long ones.
            done, waiting = wait(waiting, timeout=0.2, return_when=FIRST_COMPLETED)
            yield from (one.result() for one in done)
    except BaseException:
        pool.shutdown(wait=False, cancel_futures=True)
        for worker in multiprocessing.active_children():
            worker.terminate()
        raise
    pool.shutdown()
