"""The recording of a Python program: each rank runs once, and its calls become an operation file.

Ranks run one after another, each as a greenlet. A rank that calls `split` waits until all ranks of
the communicator have called it, because its new rank depends on all colors and keys.
"""

from __future__ import annotations

import inspect
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import greenlet

from pantala.core.extension import core
from pantala.errors import ProgramError
from pantala.programs import communicator
from pantala.programs.communicator import Communicator
from pantala.programs.draws import Draws
from pantala.programs.faults import described, with_remedy
from pantala.programs.file_descriptors import leading_to
from pantala.programs.loading import ProgramFunction, place_of
from pantala.programs.own_variables import OwnVariables
from pantala.programs.values import RunDependentError

__all__ = ["Recording", "places", "record"]

#: The most operations of a program that has been recorded before.
_UNLIMITED = 2**48
_OWN = str(Path(communicator.__file__).parent)


class _Stuck(Exception):
    """A rank waits in a split for ranks that do not call it."""


@dataclass
class _Waiting:
    """A rank in a split."""

    rank: int
    green: greenlet.greenlet
    communicator: int
    number: int


class Recording:
    """The ranks of a program while they run."""

    def __init__(
        self, recorder: Any, operations_limit: int, draws: Draws, variables: OwnVariables
    ) -> None:
        self._recorder = recorder
        #: The lines of the operations at which ranks end, by rank.
        self.ended_at: dict[int, str] = {}
        self.draws = draws
        self._variables = variables
        self._main = greenlet.getcurrent()
        #: The collective operations that all ranks must make, because a first rank makes them.
        self.collectives = 0
        self.operations_limit = operations_limit

    def meet(self, mpi: Communicator, number: int) -> None:
        """Waits until all ranks have called a split."""
        while not self._recorder.split_is_complete(mpi._me, mpi._id, number):
            self._main.switch((mpi._id, number))

    def run(
        self,
        function: ProgramFunction,
        call: ProgramFunction,
        arguments: dict[str, Any],
        ranks: int,
    ) -> None:
        """Runs all ranks.

        Args:
            function: the program of a rank, for errors.
            call: what runs it.
            arguments: its arguments besides `mpi`.
            ranks: the number of ranks.

        Raises:
            ProgramError: a rank's program fails.
        """
        waiting: list[_Waiting] = []
        for rank in range(ranks):
            mpi = Communicator(self, self._recorder, rank, 0, rank, ranks)
            green = greenlet.greenlet(lambda mpi=mpi: self._rank(call, mpi, arguments))
            self._continue(_Waiting(rank, green, 0, 0), waiting, function)
        while waiting:
            ready, waiting = waiting, []
            for each in ready:
                if self._recorder.split_is_complete(each.rank, each.communicator, each.number):
                    self._continue(each, waiting, function)
                else:
                    waiting.append(each)
            if len(waiting) == len(ready) and not any(
                self._recorder.split_is_complete(each.rank, each.communicator, each.number)
                for each in waiting
            ):
                if self.ended_at:
                    return
                self._stuck(waiting[0], function)

    def _rank(self, call: ProgramFunction, mpi: Communicator, arguments: dict[str, Any]) -> None:
        given = call(mpi, **arguments)
        if inspect.isgenerator(given) or inspect.isawaitable(given) or inspect.isasyncgen(given):
            kind = "async" if not inspect.isgenerator(given) else "a generator: it has yield"
            raise ValueError(f"the function is {kind}, so it does not run; write a plain function")
        self._recorder.end(mpi.rank)

    def _continue(self, each: _Waiting, waiting: list[_Waiting], function: ProgramFunction) -> None:
        """Runs a rank until it ends or waits."""
        self.draws.enter(each.rank)
        self._variables.enter(each.rank)
        call = (0, 0)
        try:
            call = each.green.switch()
        except BaseException as error:
            if not isinstance(error, ValueError) or error.args != (core().Recorder.LAST,):
                raise _error_of(error, each.rank, function) from None
            self.ended_at[each.rank] = _frame(error, function) or place_of(function)
        self.draws.leave(each.rank, ended=each.green.dead)
        self._variables.leave(each.rank, ended=each.green.dead)
        if not each.green.dead:
            each.communicator, each.number = call
            waiting.append(each)

    def _stuck(self, each: _Waiting, function: ProgramFunction) -> None:
        text = "this split waits for ranks that do not call it; let all ranks of the communicator"
        try:
            each.green.throw(_Stuck(f"{text} call it"))
        except _Stuck as error:
            raise _error_of(error, each.rank, function) from None


def record(
    function: ProgramFunction,
    arguments: dict[str, Any],
    ranks: int,
    path: Path,
    operations_limit: int,
    *,
    run: ProgramFunction | None = None,
    draws: Draws | None = None,
) -> dict[str, Any]:
    """Runs a program on every rank and writes its operations to a file.

    Args:
        function: the program of a rank.
        arguments: its arguments besides `mpi`.
        ranks: the number of ranks.
        path: the file.
        operations_limit: the operations that all ranks together may make.
        run: is called in place of `function`, and calls it.
        draws: the random numbers of the ranks; those of seed 1 if not given.

    Returns:
        The facts of the file: `hash`, `operations`, `records` and `bytes`; and `draws`, whether the
        program uses random numbers of the scenario's seed.

    Raises:
        ProgramError: the program fails on a rank.
    """
    place = place_of(function)
    try:
        recorder = core().Recorder(str(path), ranks, operations_limit)
        files = leading_to(path)
        with draws or Draws(1, "") as draws:
            variables = OwnVariables(function)
            recording = Recording(recorder, operations_limit, draws, variables)
            recording.run(function, run or function, arguments, ranks)
        if leading_to(path) != files:
            raise ProgramError(
                f"{place}: the program closes files that it did not open; close only its own"
            )
        facts: dict[str, Any] = json.loads(recorder.finish())
    except ValueError as error:
        if isinstance(error, ProgramError):
            raise
        raise ProgramError(f"{place}: {with_remedy(str(error))}") from None
    except OSError as error:
        raise ProgramError(
            f"{place}: the operation file cannot be written: {error.strerror or error}; free space,"
            " or set XDG_CACHE_HOME to a folder of another disk"
        ) from None
    return {**facts, "draws": draws.used}


def places(
    function: ProgramFunction,
    arguments: dict[str, Any],
    ranks: int,
    path: Path,
    operations: Mapping[int, int],
    *,
    run: ProgramFunction,
    draws: Draws,
) -> dict[int, str]:
    """Runs a program that `record` has recorded up to an operation of some ranks.

    Args:
        function: the program of a rank.
        arguments: its arguments besides `mpi`.
        ranks: the number of ranks.
        path: a file for operations, which stays incomplete.
        operations: by rank, the number of an operation, from 0.
        run: is called in place of `function`, and calls it.
        draws: the random numbers of the ranks.

    Returns:
        By rank, the file and the line of the operation.

    Raises:
        ProgramError: the program fails on a rank.
    """
    recorder = core().Recorder(str(path), ranks, _UNLIMITED)
    for rank, number in operations.items():
        recorder.end_at(rank, number)
    with draws:
        recording = Recording(recorder, _UNLIMITED, draws, OwnVariables(function))
        recording.run(function, run, arguments, ranks)
    return recording.ended_at


def _frame(error: BaseException, function: ProgramFunction) -> str | None:
    """Returns file and line of the program at which an error was raised.

    It is the innermost line of the program's own folder, or else the innermost one that is not
    Pantala's.
    """
    code = getattr(function, "__code__", None)
    folder = Path(code.co_filename).parent if code is not None else None
    own = other = None
    at = error.__traceback__
    while at is not None:
        file = at.tb_frame.f_code.co_filename
        if code is not None and (file == code.co_filename or Path(file).parent == folder):
            own = f"{file}:{at.tb_lineno}"
        elif not file.startswith(_OWN):
            other = f"{file}:{at.tb_lineno}"
        at = at.tb_next
    return own or other


def _error_of(error: BaseException, rank: int, function: ProgramFunction) -> ProgramError:
    """Returns an error of a program with its place, in one line."""
    where = _frame(error, function) or place_of(function)
    last = error.__traceback__
    while last is not None and last.tb_next is not None:
        last = last.tb_next
    ours = last is not None and last.tb_frame.f_code.co_filename.startswith(_OWN)
    if isinstance(error, RunDependentError | _Stuck) or (ours and isinstance(error, ValueError)):
        text = str(error)
    elif isinstance(error, SystemExit):
        text = "the program exits; return from its function instead"
    elif isinstance(error, MemoryError):
        text = (
            "the program takes more memory than it may; end its loops, keep less data, or set a"
            " larger memory_limit"
        )
    else:
        text = described(error)
    return ProgramError(f"{where}: rank {rank}: {with_remedy(text)}")
