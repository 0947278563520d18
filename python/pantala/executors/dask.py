"""Runs on the workers of Dask (``pip install 'pantala[dask]'``)."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from concurrent.futures import Executor

from pantala.errors import UsageError

__all__ = ["dask_executor"]

_CONNECT_SECONDS = 10.0


@contextlib.contextmanager
def dask_executor(address: str | None, workers: int) -> Iterator[Executor]:
    """Yields an executor for the workers of a Dask scheduler.

    Args:
        address: the scheduler's address, e.g. ``tcp://login1:8786``; without one, workers start on
            this machine.
        workers: the number of those workers.

    Raises:
        UsageError: Dask is not installed, or no scheduler answers.
    """
    try:
        from distributed import Client, LocalCluster
    except ImportError:
        raise UsageError(
            "executor dask: the package is not installed; run pip install 'pantala[dask]'"
        ) from None
    with contextlib.ExitStack() as opened:
        if address is None:
            address = opened.enter_context(
                LocalCluster(
                    n_workers=workers,
                    threads_per_worker=1,
                    dashboard_address=None,
                    silence_logs=50,
                )
            ).scheduler_address
        try:
            client = opened.enter_context(
                Client(address, timeout=_CONNECT_SECONDS, set_as_default=False)
            )
        except (OSError, ValueError) as error:
            raise UsageError(
                f"executor dask: no scheduler answers at {address} ({error}); start one with: dask"
                " scheduler"
            ) from None
        yield client.get_executor(pure=False)
