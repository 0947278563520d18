"""The progress of a sweep: runs done, runs per second, time left.

On a terminal it is one line that is rewritten. Elsewhere it is a line for every twentieth of the
runs, so that a log stays short.
"""

from __future__ import annotations

import time
from types import TracebackType
from typing import Self

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn

from pantala.experiments.session import Progress as State
from pantala.progress import clock

__all__ = ["SweepLine"]

_LINES = 20
#: The shortest time between two lines.
_SECONDS = 2.0


class SweepLine:
    """Shows the progress of a sweep; a context manager.

    Args:
        console: the output; None shows nothing.
    """

    def __init__(self, console: Console | None) -> None:
        self._console = console
        self._began = time.monotonic()
        self._shown = -1
        self._next = 0.0
        self._bar: Progress | None = None
        if console is not None and console.is_terminal:
            self._bar = Progress(
                BarColumn(), TextColumn("{task.description}"), console=console, transient=True
            )
            self._task = self._bar.add_task("", total=None)

    def __enter__(self) -> Self:
        if self._bar is not None:
            self._bar.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._bar is not None:
            self._bar.stop()

    def update(self, state: State) -> None:
        """Shows the state of a sweep."""
        if self._console is None:
            return
        finished = state.there + state.done + state.failed
        text = self._text(state, finished)
        if self._bar is not None:
            self._bar.update(
                self._task, description=text, completed=finished, total=max(state.total, 1)
            )
            return
        mark, now = finished * _LINES // max(state.total, 1), time.monotonic()
        last = finished == state.total
        if state.done and mark != self._shown and (last or now > self._next):
            self._shown, self._next = mark, now + _SECONDS
            self._console.print(text, highlight=False, markup=False, soft_wrap=True)

    def _text(self, state: State, finished: int) -> str:
        parts = [f"{finished:,} of {state.total:,} runs"]
        if state.failed:
            parts.append(f"{state.failed:,} failed")
        if state.elsewhere:
            parts.append(f"{state.elsewhere:,} in other processes")
        seconds = time.monotonic() - self._began
        if state.done and seconds > 0:
            rate = state.done / seconds
            shown = f"{rate:.3g}/s" if rate >= 1 else f"{60 * rate:.3g}/min"
            parts.append(shown)
            if finished < state.total:
                parts.append(f"{clock((state.total - finished) / rate)} left")
        return ", ".join(parts)
