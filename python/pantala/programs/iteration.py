"""An iteration of a Python program, as a context."""

from __future__ import annotations

from types import TracebackType
from typing import Any

__all__ = ["Iteration"]


class Iteration:
    """A context that marks an iteration of a rank, or a phase of it."""

    __slots__ = ("_me", "_phase", "_recorder")

    def __init__(self, recorder: Any, me: int, phase: str | None) -> None:
        self._recorder, self._me, self._phase = recorder, me, phase

    def __enter__(self) -> None:
        self._recorder.start_iteration(self._me, self._phase)

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if kind is None:
            self._recorder.end_iteration(self._me)
