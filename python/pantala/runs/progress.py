"""Progress lines on standard error: of runs, of a sweep of many, and of the work after them.

On a terminal a line is rewritten. Elsewhere, for example in a batch job's log, there is one short
line per finished run, and one now and then of a long run; or one for every twentieth of a sweep.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from types import TracebackType
from typing import Any, Protocol, Self

from rich.console import Console
from rich.progress import BarColumn, Progress, ProgressColumn, TaskID, TextColumn
from rich.table import Column

from pantala.core.plan import Progress as SimulationProgress
from pantala.text.amounts import PLAIN, clock
from pantala.text.plain_text import plain
from pantala.text.steps import listened

__all__ = [
    "ProgressLine",
    "StepLine",
    "SweepLine",
    "SweepState",
    "shown_steps",
]

#: The lines of a sweep in a log, and the shortest time between two of them.
_LINES = 20
_SECONDS = 2.0
#: The time in seconds after which a log gets a line of the step that is under way.
_PATIENCE = 10.0
#: The time in seconds after which a log gets the first line of a run, and the longest between two.
_FIRST, _LONGEST = 60.0, 600.0


class _Line:
    """One line of a terminal that is rewritten; a context manager.

    Args:
        console: the output; None shows nothing.
        columns: what the line consists of.
        refreshes: whether the line is drawn again about ten times per second.
    """

    def __init__(self, console: Console | None, *columns: ProgressColumn, refreshes: bool) -> None:
        self._console = console
        self._bar: Progress | None = None
        if console is not None and console.is_terminal:
            self._bar = Progress(*columns, console=console, transient=True, auto_refresh=refreshes)

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

    def _print(self, line: str) -> None:
        if self._console is not None:
            self._console.print(line, highlight=False, markup=False, soft_wrap=True)


class ProgressLine(_Line):
    """Shows the progress of runs, one after another: simulated time, packets, time left.

    Elsewhere than on a terminal, a run has a line after 1, 2, 4, 8 and 16 minutes, and then every
    10 minutes.

    Args:
        runs: the number of runs.
        console: the output; None shows nothing.
    """

    def __init__(self, runs: int, console: Console | None) -> None:
        column = TextColumn("{task.description}", markup=False, table_column=Column(no_wrap=True))
        super().__init__(console, column, refreshes=False)
        self._runs = runs
        self._number = 0
        self._title = ""
        self._task: TaskID | None = None
        self._due = _FIRST

    def start(self, title: str, *, counts: bool = True) -> None:
        """Begins the next run, or work after the runs that does not count as one."""
        self._number += counts
        title = plain(title)  # before rich measures it
        numbered = counts and self._runs > 1
        self._title = f"{self._number}/{self._runs} {title}" if numbered else title
        self._due = _FIRST
        if self._bar is not None:
            self._task = self._bar.add_task(self._title)
            self._bar.refresh()

    def update(self, progress: SimulationProgress) -> None:
        """Shows the progress of the run."""
        if self._bar is not None and self._task is not None:
            self._bar.update(
                self._task, description=f"{self._title}: {_state(progress)}", refresh=True
            )
        elif progress["wall_seconds"] >= self._due:
            taken = progress["wall_seconds"]
            self._due = taken + min(taken, _LONGEST)
            self._print(f"{self._title}: {_state(progress)}, after {clock(taken)}")

    def pass_over(self) -> None:
        """Ends the run, which needs no simulation: its results are there already."""
        self._end(f"{self._title}: there already")

    def finish(self, document: Mapping[str, Any]) -> None:
        """Ends the run: replaces its line by a short one.

        Args:
            document: the run's run.json.
        """
        counters = document["counters"]
        seconds = document["provenance"]["wall_seconds"]
        self._end(
            f"{self._title}: {PLAIN.duration(document['simulated_ns'])}, "
            f"{PLAIN.rounded(counters['packets_delivered'])} packets, "
            f"{_rate(counters['packet_hops'], seconds)}, {clock(seconds)}"
        )

    def clear(self) -> None:
        """Removes the line."""
        if self._bar is not None and self._task is not None:
            self._bar.remove_task(self._task)
            self._bar.refresh()  # or what is printed next would draw the old line once more
            self._task = None

    def _end(self, line: str) -> None:
        self.clear()
        self._print(line)


class StepLine(_Line):
    """Shows the step of work after the simulations, such as ``report: figure 3 of 12``.

    Elsewhere than on a terminal, a line follows only if `_PATIENCE` seconds have passed without.

    Args:
        title: what is made.
        console: the output; None shows nothing.
    """

    def __init__(self, title: str, console: Console | None) -> None:
        column = TextColumn("{task.description}", markup=False, table_column=Column(no_wrap=True))
        super().__init__(console, column, refreshes=False)
        self._title = title
        self._began = self._said = time.monotonic()
        self._task = None if self._bar is None else self._bar.add_task(title)

    def step(self, text: str) -> None:
        """Begins a step."""
        now = time.monotonic()
        line = f"{self._title}: {plain(text)}"
        if now - self._began >= 1:
            line += f", {clock(now - self._began)}"
        if self._bar is not None and self._task is not None:
            self._bar.update(self._task, description=line, refresh=True)
        elif now - self._said >= _PATIENCE:
            self._said = now
            self._print(line)


@contextmanager
def shown_steps(title: str, console: Console | None) -> Iterator[None]:
    """Shows the steps that the work inside the ``with`` block announces."""
    with StepLine(title, console) as line, listened(line.step):
        yield


class SweepState(Protocol):
    """The numbers of runs of a sweep, by state."""

    total: int
    there: int
    done: int
    failed: int
    elsewhere: int
    waits: str


class SweepLine(_Line):
    """Shows the progress of a sweep: runs done, runs per second, time left.

    Args:
        console: the output; None shows nothing.
    """

    def __init__(self, console: Console | None) -> None:
        super().__init__(
            console, BarColumn(), TextColumn("{task.description}", markup=False), refreshes=True
        )
        self._began = time.monotonic()
        self._shown = -1
        self._next = 0.0
        self._waits = ""
        if self._bar is not None:
            self._task = self._bar.add_task("", total=None)

    def update(self, state: SweepState) -> None:
        """Shows the state of a sweep."""
        finished = state.there + state.done + state.failed
        text = self._text(state, finished)
        if self._bar is not None:
            self._bar.update(
                self._task, description=text, completed=finished, total=max(state.total, 1)
            )
            return
        mark, now = finished * _LINES // max(state.total, 1), time.monotonic()
        last = finished == state.total
        if state.waits:
            if state.waits != self._waits:
                self._print(text)
        elif state.done and mark != self._shown and (last or now > self._next):
            self._shown, self._next = mark, now + _SECONDS
            self._print(text)
        self._waits = state.waits

    def _text(self, state: SweepState, finished: int) -> str:
        parts = [f"{finished:,} of {state.total:,} runs"]
        if state.failed:
            parts.append(f"{state.failed:,} failed")
        if state.elsewhere:
            parts.append(f"{state.elsewhere:,} in other processes")
        if state.waits:
            return ", ".join([*parts, f"waits for {state.waits}"])
        seconds = time.monotonic() - self._began
        if state.done and seconds > 0:
            rate = state.done / seconds
            shown = f"{rate:.3g}/s" if rate >= 1 else f"{60 * rate:.3g}/min"
            parts.append(shown)
            if finished < state.total:
                parts.append(f"{clock((state.total - finished) / rate)} left")
        return ", ".join(parts)


def _rate(packet_hops: int, seconds: float) -> str:
    return f"{PLAIN.rounded(packet_hops / seconds if seconds > 0 else 0.0)} packet-hops/s"


def _state(progress: SimulationProgress) -> str:
    """Returns the text of the line, most important part first; 79 columns for most runs."""
    parts = []
    fraction = progress["fraction"]
    if fraction is not None and fraction >= 0.01:
        parts.append(f"{100 * fraction:.0f} %")
        parts.append(f"{clock(progress['wall_seconds'] * (1 - fraction) / fraction)} left")
    parts.append(PLAIN.duration(progress["simulated_ns"]))
    parts.append(f"{PLAIN.rounded(progress['packets_delivered'])} packets")
    parts.append(_rate(progress["packet_hops"], progress["wall_seconds"]))
    return ", ".join(parts)
