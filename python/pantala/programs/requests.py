"""Operations that have started."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NoReturn, Protocol

from pantala.programs.values import Unknown, refuse

__all__ = ["Request", "handle_of", "handles_of"]


class Waiter(Protocol):
    """The communicator of a request."""

    _recorder: Any
    _me: int

    def wait(self, request: Request) -> Unknown:
        """Waits for a request."""


class Request:
    """A send, a receive, a collective or a computation that has started."""

    __slots__ = ("_handle", "_mpi", "_persistent")

    def __init__(self, mpi: Waiter, handle: int | None, *, persistent: bool = False) -> None:
        self._mpi = mpi
        self._handle = handle
        self._persistent = persistent

    def wait(self) -> Unknown:
        """Waits until the request is complete."""
        return self._mpi.wait(self)

    def start(self) -> None:
        """Starts a persistent request."""
        if self._handle is not None:
            self._mpi._recorder.start(self._mpi._me, self._handle)

    def free(self) -> None:
        """Frees a persistent request."""
        if self._handle is not None:
            self._mpi._recorder.free_request(self._mpi._me, self._handle)

    def test(self) -> NoReturn:
        """Is refused: only the run can tell whether a request is complete."""
        refuse("test", "whether a request is complete")


def handle_of(request: Any) -> int | None:
    """Returns the number of a request; None if there is nothing to wait for.

    Raises:
        ValueError: it is no request.
    """
    if not isinstance(request, Request):
        raise ValueError(f"{request!r} is no request; give what a call such as isend returned")
    return request._handle


def handles_of(requests: Any) -> list[int]:
    """Returns the numbers of the requests for which there is something to wait.

    Raises:
        ValueError: it is no list of requests.
    """
    if not isinstance(requests, Iterable):
        raise ValueError(f"{requests!r} is no list of requests; give a list")
    handles = [handle_of(each) for each in requests]
    return [handle for handle in handles if handle is not None]
