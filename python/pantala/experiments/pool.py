"""The workers that a caller names for a sweep: their number, or an executor."""

from __future__ import annotations

from concurrent.futures import Executor
from typing import SupportsIndex

from pantala.errors import UsageError
from pantala.system.parallel import forks

__all__ = ["check_pool"]


def check_pool(workers: int | None, executor: Executor | None) -> None:
    """Checks the workers of a sweep.

    Args:
        workers: the number of local processes, if given.
        executor: the executor in their place, if given.

    Raises:
        UsageError: the number is none, or the executor cannot do the work. Forked processes would
            wait for ever: a fork copies the locks of Polars' threads, but not the threads.
    """
    if workers is not None:
        if isinstance(workers, bool) or not isinstance(workers, SupportsIndex):
            raise UsageError(f"workers = {workers!r}: is not a whole number; write e.g. 4")
        if workers < 1:
            raise UsageError(f"workers = {workers}: must be at least 1; write 1 or more")
    if executor is None:
        return
    if not callable(getattr(executor, "submit", None)):
        raise UsageError(
            f"executor = {executor!r}: is no executor of concurrent.futures; leave it out, and"
            " write workers = 4 for four processes"
        )
    if forks(executor):
        raise UsageError(
            "executor = ProcessPoolExecutor: its processes are forks, which would wait for locks of"
            " Polars for ever; write workers = 4 in its place, or give it"
            " mp_context=multiprocessing.get_context('spawn')"
        )
