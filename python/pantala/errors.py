"""What can go wrong, as exceptions whose text is one line that says where, what and what to do.

The command line prints that line and exits with `PantalaError.exit_status`: 2 where the input is at
fault, 1 where the simulation is.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

__all__ = [
    "Fault",
    "Interrupted",
    "PantalaError",
    "PlanError",
    "RunDirectoryError",
    "ScenarioError",
    "ScenarioWarning",
    "SimulationError",
    "UsageError",
    "nearest",
    "show",
]


class _Pickled(BaseException):
    """An exception that comes from another process as it was, whatever arguments it is made of."""

    def __reduce__(
        self,
    ) -> tuple[Callable[..., BaseException], tuple[type, tuple[object, ...]], dict[str, object]]:
        return _remade, (type(self), self.args), self.__dict__


def _remade(kind: type[BaseException], args: tuple[object, ...]) -> BaseException:
    """An exception of a kind with its arguments; pickle gives it its attributes."""
    error = kind.__new__(kind, *args)
    # An OSError leaves them to its __init__.
    error.args = args
    return error


class PantalaError(_Pickled, Exception):
    """The base of every error that Pantala raises on purpose."""

    exit_status: ClassVar[int] = 2


class UsageError(PantalaError, ValueError):
    """An argument of a function or command that cannot be used."""


class PlanError(PantalaError, ValueError):
    """A plan that the core refuses: more ranks than nodes, too few virtual channels, ...

    Attributes:
        key: the key in the plan, dotted, e.g. ``jobs[1].workload.grid``.
        value: its value, as text; empty if there is none to show.
        message: what is wrong with it.
        remedy: what to do.
        others: further faults of the plan, which have no others.
    """

    def __init__(
        self,
        key: str,
        value: str,
        message: str,
        remedy: str,
        others: Iterable[tuple[str, str, str, str]] = (),
    ) -> None:
        self.key = key
        self.value = value
        self.message = message
        self.remedy = remedy
        self.others = tuple(PlanError(*each) for each in others)
        super().__init__(_line("", key, value, message, remedy))


@dataclass(frozen=True)
class Fault:
    """One fault of a scenario.

    Attributes:
        key: the key in the scenario, e.g. ``jobs[1].workload.grid``; empty if the fault has no key.
        value: its value, as text; empty if there is none to show.
        message: what is wrong with it.
        remedy: what to do.
    """

    key: str
    value: str
    message: str
    remedy: str


class ScenarioError(PantalaError, ValueError):
    """A scenario that cannot be run: unknown key, missing unit, grid that does not match, ...

    Its text is one line about the first fault; `lines` has a line per fault.

    Attributes:
        source: the file, or ``scenario`` for one made in Python.
        key: the key of the first fault, e.g. ``jobs[1].workload.grid``; empty if the fault has no
            key.
        value: its value, as text; empty if there is none to show.
        message: what is wrong with it.
        remedy: what to do.
        faults: all faults, the first one included.
    """

    def __init__(
        self,
        source: str,
        key: str,
        value: str,
        message: str,
        remedy: str,
        others: Iterable[Fault] = (),
    ) -> None:
        self.source = source
        self.key = key
        self.value = value
        self.message = message
        self.remedy = remedy
        self.faults = (Fault(key, value, message, remedy), *others)
        more = f" ({self.others} more after this one)" if self.others else ""
        super().__init__(self.lines[0] + more)

    @property
    def others(self) -> int:
        """The number of faults after the first one."""
        return len(self.faults) - 1

    @property
    def lines(self) -> list[str]:
        """A line per fault: the source, the key, its value, what is wrong and what to do."""
        return [
            _line(self.source, each.key, each.value, each.message, each.remedy)
            for each in self.faults
        ]

    def respelled(self, source: str, spelled: Callable[[str], str]) -> ScenarioError:
        """A copy of the error with another source, and with its keys spelled by a function."""
        first, *others = (replace(each, key=spelled(each.key)) for each in self.faults)
        return ScenarioError(source, first.key, first.value, first.message, first.remedy, others)


class ScenarioWarning(_Pickled, UserWarning):
    """A scenario that runs, although it may not end well: its packets could wait for each other in
    a cycle.

    Attributes:
        source: the file, or ``scenario`` for one made in Python.
        message: what there is to know before it runs; it stands in the resolved plan, too.
    """

    def __init__(self, source: str, message: str) -> None:
        self.source = source
        self.message = message
        super().__init__(f"{source}: {message}")


class RunDirectoryError(PantalaError, OSError):
    """An output directory that is taken or cannot be written, or a directory that holds no run."""

    def __init__(self, path: Path, message: str, remedy: str) -> None:
        self.path = path
        self.message = message
        self.remedy = remedy
        super().__init__(f"{path}: {message}; {remedy}")

    def __str__(self) -> str:
        return str(self.args[0])


class SimulationError(PantalaError, RuntimeError):
    """A simulation that could not go on: a stalled network, a deadlock of MPI calls. Its text is
    the diagnosis.

    Attributes:
        directory: the run directory, kept and marked incomplete; None if there is none.
    """

    exit_status = 1

    def __init__(self, message: str, directory: Path | None = None) -> None:
        self.directory = directory
        super().__init__(message)


class Interrupted(_Pickled, KeyboardInterrupt):
    """Ctrl-C during a simulation: a `KeyboardInterrupt` that knows what was kept.

    Attributes:
        directory: the run directory, marked incomplete; None if nothing had been recorded.
    """

    def __init__(self, directory: Path | None) -> None:
        self.directory = directory
        super().__init__(
            f"interrupted; the tables so far are in {directory}, marked incomplete"
            if directory
            else "interrupted"
        )


def nearest(word: str, known: Iterable[str]) -> str | None:
    """The known word that a mistyped one was most likely meant to be, if any comes near."""
    import difflib

    close = difflib.get_close_matches(word, list(known), n=1, cutoff=0.6)
    return close[0] if close else None


def show(value: object, width: int = 60) -> str:
    """A value as TOML would write it, cut to `width` characters."""
    try:
        text = json.dumps(value, ensure_ascii=False, default=str)
    except (TypeError, ValueError):
        text = repr(value)
    return text if len(text) <= width else text[: width - 3] + "..."


def _line(source: str, key: str, value: str, message: str, remedy: str) -> str:
    where = f"key {key}" if key else ""
    if key and value:
        where += f" = {value}"
    parts = [
        part for part in (source, where, f"{message}; {remedy}" if remedy else message) if part
    ]
    return " ".join(": ".join(parts).split())
