"""The recording of a program in a process of its own: its result, or its end in one line."""

from __future__ import annotations

import json
import os
import re
import signal
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pantala.errors import ProgramError
from pantala.files.atomic_file import scratch_folder
from pantala.programs.child import ANSWER, OPERATIONS, PLACE, TRACE, Work
from pantala.programs.limits import Limits
from pantala.programs.log import log
from pantala.programs.process import Ending, run_apart
from pantala.text.plain_text import plain

__all__ = ["ApartProgram", "lines_apart", "record_apart"]

_OWN = str(Path(__file__).parent)
#: A line of a trace of Python's module faulthandler.
_LINE = re.compile(r'^  File "(.+)", line (\d+) in ', re.MULTILINE)
#: No answer is longer: an error is one line, and the facts of a file are four numbers.
_LONGEST_ANSWER = 1 << 20


@dataclass(frozen=True)
class ApartProgram:
    """A program that runs in processes of its own.

    Attributes:
        file: the file of the program.
        name: the name of its function.
        given: the function, if a session defined it.
        arguments: its arguments besides `mpi`.
        ranks: the number of ranks.
        limits: the limits of the program.
        seed: the scenario's seed and the name of the job, for the random numbers of the ranks.
    """

    file: str
    name: str
    given: Callable[..., object] | None
    arguments: dict[str, Any]
    ranks: int
    limits: Limits
    seed: tuple[int, str]

    def work(self, folder: Path, operations: Mapping[int, int]) -> Work:
        """Returns what a process has to do in a private folder."""
        return Work(
            self.file,
            self.name,
            self.arguments,
            self.ranks,
            str(folder),
            self.limits,
            self.seed,
            dict(operations),
            os.getpid(),
        )


def record_apart(program: ApartProgram, path: Path) -> dict[str, Any]:
    """Runs a program on every rank and writes its operations to a file.

    Args:
        program: the program.
        path: the operation file.

    Returns:
        The facts of the file: `hash`, `operations`, `records` and `bytes`; and `draws`, whether the
        program uses random numbers of the scenario's seed.

    Raises:
        ProgramError: the program fails, ends its process or reaches a limit.
    """
    with scratch_folder(path.parent) as folder:
        work = program.work(folder, {})
        with log(program.file, program.name, program.arguments, program.ranks) as output:
            ending = run_apart(work, program.given, output.add)
        facts = _facts(work, ending)
        (folder / OPERATIONS).replace(path)
    return facts


def lines_apart(
    program: ApartProgram, operations: Mapping[int, int], folder: Path
) -> dict[int, str]:
    """Runs a recorded program again, to find the lines of some operations.

    Args:
        program: the program.
        operations: by rank, the number of an operation, from 0.
        folder: where the process has its private folder meanwhile.

    Returns:
        By rank, the file and the line of the operation.

    Raises:
        ProgramError: the program fails, ends its process or reaches a limit.
    """
    with scratch_folder(folder) as own:
        work = program.work(own, operations)
        facts = _facts(work, run_apart(work, program.given, lambda _: None))
    return {int(rank): line for rank, line in facts.items()}


def _facts(work: Work, ending: Ending) -> dict[str, Any]:
    """Returns the facts that a process has answered.

    Raises:
        ProgramError: it answered with an error, or not at all.
    """
    answer = _answer(Path(work.folder))
    if "facts" not in answer:
        raise ProgramError(plain(" ".join(_fault(work, ending, answer).split())))
    facts: dict[str, Any] = answer["facts"]
    return facts


def _answer(folder: Path) -> dict[str, Any]:
    """Returns the answer of a process; empty if it left none."""
    try:
        with (folder / ANSWER).open("rb") as file:
            found = json.loads(file.read(_LONGEST_ANSWER))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def _fault(work: Work, ending: Ending, answer: dict[str, Any]) -> str:
    """Returns the failure of a process in one line: place, fault and remedy."""
    where = _traced(work) or _place(work)
    if "error" in answer:
        return str(answer["error"])
    if "unexpected" in answer:
        return f"{where}: {answer['unexpected']}; correct the program"
    if ending.stopped == "time":
        return (
            f"{where}: the program has not ended after {work.limits.seconds:g} s; end its loops, or"
            " set a longer time_limit"
        )
    if ending.stopped == "start":
        return f"{work.file}: the process of the program does not start; try on an idle machine"
    if ending.stopped == "memory":
        return (
            f"{where}: the program takes more than {work.limits.memory / 2**30:.1f} GiB of memory;"
            " end its loops, keep less data, or set a larger memory_limit"
        )
    if ending.status < 0:
        return f"{where}: {_killed(-ending.status)}"
    return (
        f"{where}: the program ends its process with status {ending.status}; return from its"
        " function instead"
    )


def _killed(number: int) -> str:
    """Returns the fault of a process that a signal ended."""
    try:
        name = signal.Signals(number).name
    except ValueError:
        name = f"signal {number}"
    match name:
        case "SIGKILL":
            return (
                "the process of the program was killed (SIGKILL); if the machine has too little"
                " memory, keep less data"
            )
        case "SIGSEGV" | "SIGBUS" | "SIGILL" | "SIGFPE" | "SIGABRT":
            return f"the program crashes ({name}); correct the call, or the library that it uses"
        case _:
            return f"the program was ended by {name}; do not send signals to it"


def _traced(work: Work) -> str | None:
    """Returns the line at which a process crashed or was stopped, if it could write it.

    It is the innermost line of the program's own file, or else the innermost one that is not
    Pantala's.
    """
    try:
        text = (Path(work.folder) / TRACE).read_text(encoding="ascii", errors="replace")
    except OSError:
        return None
    other = None
    escaped = work.file.encode("ascii", "backslashreplace").decode("ascii")
    for file, line in _LINE.findall(text):
        if file in (escaped, work.file):
            return f"{work.file}:{line}"
        if other is None and not file.startswith((_OWN, "<frozen")):
            other = f"{file}:{line}"
    return other


def _place(work: Work) -> str:
    """Returns the line of the function, or the file as long as it is not loaded."""
    try:
        return (Path(work.folder) / PLACE).read_bytes().decode("utf-8", "surrogatepass")
    except (OSError, ValueError):
        return work.file
