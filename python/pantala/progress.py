"""The progress line: simulated time, delivered packets, packet-hops per second, time left.

On a terminal it is one line that is rewritten. Elsewhere, for example in a batch job's log, it is
one short line per finished run.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import TracebackType
from typing import Any, Self

from rich.console import Console
from rich.progress import Progress, TaskID, TextColumn
from rich.table import Column

from pantala import native

__all__ = ["ProgressLine", "clock", "of_thousands", "time_text"]


def of_thousands(value: float) -> str:
    """Returns a count with three digits: ``4.12 M``."""
    for scale, letter in ((1e9, " G"), (1e6, " M"), (1e3, " k")):
        if abs(value) >= scale:
            return (
                f"{value / scale:.3g}{letter}"
                if value < 999.5 * scale
                else f"{value / scale:.0f}{letter}"
            )
    return f"{value:.3g}"


def time_text(nanoseconds: float, digits: int = 4) -> str:
    """Returns a simulated time in a suitable unit: ``1.234 ms``."""
    for unit, scale in (("s", 1e9), ("ms", 1e6), ("us", 1e3)):
        if nanoseconds >= scale:
            return f"{nanoseconds / scale:.{digits}g} {unit}"
    return f"{nanoseconds:.{digits}g} ns"


class ProgressLine:
    """Shows the progress of runs on standard error; a context manager.

    Args:
        runs: the number of runs.
        console: the output; None shows nothing.
    """

    def __init__(self, runs: int, console: Console | None) -> None:
        self._runs = runs
        self._number = 0
        self._title = ""
        self._console = console
        self._bar: Progress | None = None
        self._task: TaskID | None = None
        if console is not None and console.is_terminal:
            self._bar = Progress(
                TextColumn("{task.description}", table_column=Column(no_wrap=True)),
                console=console,
                transient=True,
                auto_refresh=False,
            )

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

    def start(self, title: str) -> None:
        """Begins the next run."""
        self._number += 1
        self._title = f"{self._number}/{self._runs} {title}" if self._runs > 1 else title
        if self._bar is not None:
            self._task = self._bar.add_task(self._title)
            self._bar.refresh()

    def update(self, progress: native.Progress) -> None:
        """Shows the progress of the run."""
        if self._bar is not None and self._task is not None:
            self._bar.update(
                self._task, description=f"{self._title}: {_state(progress)}", refresh=True
            )

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
            f"{self._title}: {time_text(document['simulated_ns'])}, "
            f"{of_thousands(counters['packets_delivered'])} packets, "
            f"{_rate(counters['packet_hops'], seconds)}, {clock(seconds)}"
        )

    def _end(self, line: str) -> None:
        if self._bar is not None and self._task is not None:
            self._bar.remove_task(self._task)
            self._bar.refresh()  # or what is printed next would draw the old line once more
            self._task = None
        if self._console is not None:
            self._console.print(line, highlight=False, markup=False, soft_wrap=True)


def _rate(packet_hops: int, seconds: float) -> str:
    return f"{of_thousands(packet_hops / seconds if seconds > 0 else 0.0)} packet-hops/s"


def _state(progress: native.Progress) -> str:
    """Returns the text of the line, most important part first; 79 columns for most runs."""
    parts = []
    fraction = progress["fraction"]
    if fraction is not None and fraction >= 0.01:
        parts.append(f"{100 * fraction:.0f} %")
        parts.append(f"{clock(progress['wall_seconds'] * (1 - fraction) / fraction)} left")
    parts.append(time_text(progress["simulated_ns"], 3))
    parts.append(f"{of_thousands(progress['packets_delivered'])} packets")
    parts.append(_rate(progress["packet_hops"], progress["wall_seconds"]))
    return ", ".join(parts)


def clock(seconds: float) -> str:
    """Returns a duration of real time: ``1.2 s``, ``3 min 4 s``, ``2 h 5 min``."""
    if seconds < 60:
        return f"{seconds:.0f} s" if seconds >= 10 else f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes} min" if hours else f"{minutes} min {rest} s"
