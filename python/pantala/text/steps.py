"""Steps of work that takes long: what does the work names them, what shows progress listens."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

__all__ = ["announce", "listened"]

_LISTENER: ContextVar[Callable[[str], None] | None] = ContextVar("listener", default=None)


def announce(step: str) -> None:
    """Tells the listener which step begins, such as ``figure 3 of 12``; without one, nobody."""
    if (listener := _LISTENER.get()) is not None:
        listener(step)


@contextmanager
def listened(listener: Callable[[str], None]) -> Iterator[None]:
    """Gives the steps inside the ``with`` block to a listener."""
    token = _LISTENER.set(listener)
    try:
        yield
    finally:
        _LISTENER.reset(token)
