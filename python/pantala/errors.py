"""Pantala's exceptions. Each text is one line with the place, the fault and the remedy.

The command line prints that line and exits with `PantalaError.exit_status`: 2 for a fault of the
input, 1 for a fault of the simulation.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar

from pantala.text.plain_text import plain

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

__all__ = [
    "ExecutorError",
    "Fault",
    "Interrupted",
    "PantalaError",
    "PlanError",
    "ProgramError",
    "RunDirectoryError",
    "ScenarioError",
    "ScenarioWarning",
    "SimulationError",
    "UnwritableError",
    "UsageError",
    "first_line",
    "nearest",
    "one_line",
    "shortened",
    "show",
]


class _Pickled(BaseException):
    """An exception that pickle restores unchanged, whatever arguments its class takes."""

    def __reduce__(
        self,
    ) -> tuple[Callable[..., BaseException], tuple[type, tuple[object, ...]], dict[str, object]]:
        return _remade, (type(self), self.args), self.__dict__


def _remade(kind: type[BaseException], args: tuple[object, ...]) -> BaseException:
    """Returns an exception of class `kind` with these arguments, for pickle to complete."""
    error = kind.__new__(kind, *args)
    # OSError sets its arguments in __init__, which is not called here.
    error.args = args
    return error


class PantalaError(_Pickled, Exception):
    """The base of every error that Pantala raises on purpose."""

    exit_status: ClassVar[int] = 2


class UsageError(PantalaError, ValueError):
    """An invalid argument of a function or a command."""


class ProgramError(UsageError):
    """A program of the user that fails: its file, line and rank, and the reason."""


class PlanError(PantalaError, ValueError):
    """A plan that the core rejects, for example because jobs have more ranks than there are nodes.

    Attributes:
        key: the dotted key in the plan, e.g. ``jobs[1].workload.grid``.
        value: the value as text; empty if there is none to show.
        message: what is wrong.
        remedy: what to do.
        others: the further faults of the plan; their own `others` are empty.
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
        value: the value as text; empty if there is none to show.
        message: what is wrong.
        remedy: what to do.
        source: the file, and perhaps the line; empty if it is that of the error.
    """

    key: str
    value: str
    message: str
    remedy: str
    source: str = ""


class ScenarioError(PantalaError, ValueError):
    """A scenario that cannot be run, for example because of an unknown key or a missing unit.

    The text is one line about the first fault. `lines` has one line per fault.

    Attributes:
        source: the file, or ``scenario`` for a scenario made in Python.
        key: the key of the first fault, e.g. ``jobs[1].workload.grid``; empty if the fault has no
            key.
        value: the value of that key as text; empty if there is none to show.
        message: what is wrong.
        remedy: what to do.
        faults: all faults, including the first.
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
        """The number of faults after the first."""
        return len(self.faults) - 1

    @property
    def lines(self) -> list[str]:
        """One line per fault: source, key, value, what is wrong and what to do."""
        return [
            _line(each.source or self.source, each.key, each.value, each.message, each.remedy)
            for each in self.faults
        ]

    def extended(self, remedy: str) -> ScenarioError:
        """Returns a copy of the error with one more remedy for its first fault."""
        first, *others = self.faults
        both = f"{first.remedy}, {remedy}" if first.remedy else remedy
        return ScenarioError(self.source, first.key, first.value, first.message, both, others)

    def respelled(self, source: str, spelled: Callable[[str], str]) -> ScenarioError:
        """Returns a copy of the error with another source and converted keys.

        Args:
            source: the new source.
            spelled: converts a key to its new spelling.
        """
        first, *others = (replace(each, key=spelled(each.key)) for each in self.faults)
        return ScenarioError(source, first.key, first.value, first.message, first.remedy, others)


class ScenarioWarning(_Pickled, UserWarning):
    """A risk of a scenario that runs, such as packets that can wait for each other in a cycle.

    Attributes:
        source: the file, or ``scenario`` for a scenario made in Python.
        message: the warning; the resolved plan contains it too.
    """

    def __init__(self, source: str, message: str) -> None:
        self.source = source
        self.message = message
        super().__init__(f"{source}: {message}")


def first_line(error: BaseException) -> str:
    """Returns the first line of an error's text."""
    return next(iter(str(error).splitlines()), type(error).__name__)


def one_line(text: str) -> str:
    """Returns the lines of a text as one, with semicolons between them."""
    joined = ""
    for line in filter(None, (" ".join(line.split()) for line in text.splitlines())):
        separator = "; " if joined and joined[-1] not in ":;,.(" else " "
        joined += separator + line if joined else line
    return joined


class RunDirectoryError(PantalaError, OSError):
    """An output directory that exists or cannot be written, or a directory without a run."""

    def __init__(self, path: Path, message: str, remedy: str) -> None:
        self.path = path
        self.message = message
        self.remedy = remedy
        super().__init__(plain(f"{path}: {message}; {remedy}"))

    def __str__(self) -> str:
        return str(self.args[0])


class SimulationError(PantalaError, RuntimeError):
    """A simulation that cannot continue: a stalled network or a deadlock of MPI calls.

    The text is the diagnosis.

    Attributes:
        directory: the run directory, kept and marked incomplete; None if there is none.
    """

    exit_status = 1

    def __init__(self, message: str, directory: Path | None = None) -> None:
        from pantala.text.core_times import in_units

        self.directory = directory
        # A program of a job is at fault: it broke a rule of MPI, or its ranks wait for one another.
        if message.startswith("job '") or "(MPI deadlock)" in message.partition("\n")[0]:
            vars(self)["exit_status"] = 2
        super().__init__(in_units(message))


class UnwritableError(SimulationError):
    """A simulation whose tables cannot be written, for example because the disk is full.

    Attributes:
        reason: the reason that the operating system gives.
    """

    def __init__(self, message: str, reason: str, directory: Path | None = None) -> None:
        self.reason = reason
        super().__init__(message, directory)


class ExecutorError(PantalaError, RuntimeError):
    """An executor that stopped: its cluster is gone, or its workers cannot simulate."""

    exit_status = 1


class Interrupted(_Pickled, KeyboardInterrupt):
    """Ctrl-C during a simulation, as a `KeyboardInterrupt` with the directory of the partial run.

    Attributes:
        directory: the run directory, marked incomplete; None if nothing was recorded. An
            interference experiment continues there (`continues`) with the missing runs.
    """

    def __init__(self, directory: Path | None, *, continues: bool = False) -> None:
        self.directory = directory
        text = "interrupted"
        if directory:
            text += f"; the tables so far are in {directory}, marked incomplete"
            text += "; to continue, give the same command again" if continues else ""
        super().__init__(text)


def nearest(word: str, known: Iterable[str]) -> str | None:
    """Returns the known word most similar to a mistyped one; None if no word is similar."""
    import difflib

    close = difflib.get_close_matches(word, list(known), n=1, cutoff=0.6)
    return close[0] if close else None


def shortened(text: str, width: int = 200) -> str:
    """Returns a text cut to `width` characters: a diagnosis can name every rank of a job."""
    return text if len(text) <= width else text[: width - 4].rstrip() + " ..."


def show(value: object, width: int = 60) -> str:
    """Returns a value as TOML writes it, cut to `width` characters."""
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
    return plain(" ".join(": ".join(parts).split()))
