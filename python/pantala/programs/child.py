"""The process of a program of the user: its limits, its recording, its answer.

Pantala starts this module in a process of its own, because a program can crash, never end, or
change the interpreter. The process reads its request from a private folder and leaves its answer
there, so the program may use or close any file descriptor. `process` is the other side.
"""

from __future__ import annotations

import builtins
import contextlib
import faulthandler
import json
import marshal
import os
import resource
import signal
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

from pantala.programs.file_descriptors import leading_to
from pantala.programs.limits import Limits

__all__ = ["ANSWER", "OPERATIONS", "PLACE", "REQUEST", "TRACE", "TRACE_SIGNAL", "Work", "serve"]

#: The files in the private folder: the request, the recorded operations, the answer, the line of
#: the function once it is known, and the lines at which the process crashed or was stopped.
REQUEST, OPERATIONS, ANSWER, PLACE, TRACE = "request", "operations", "answer", "place", "trace"
#: Upon this signal the process writes the lines that it executes, also inside a call in C.
TRACE_SIGNAL = signal.SIGXCPU
#: The status of a process that cannot even answer.
_NO_ANSWER = 70

# A program can replace builtins and functions of modules. These were bound before it began.
_exit, _getpid, _replace = os._exit, os.getpid, os.replace
_dumps, _open, _write = json.dumps, os.open, os.write
_Any = BaseException
_names = vars(builtins)
_originals = dict(_names)


@dataclass(frozen=True)
class Work:
    """What a process has to do.

    Attributes:
        file: the file of the program.
        name: the name of its function.
        arguments: the arguments of the function besides `mpi`.
        ranks: the number of ranks.
        folder: the private folder.
        limits: the limits of the program.
        seed: the scenario's seed and the name of the job.
        operations: the operations whose places are asked for, by rank; if there are any, the
            program is not recorded.
        parent: the process that waits for the answer.
    """

    file: str
    name: str
    arguments: dict[str, Any]
    ranks: int
    folder: str
    limits: Limits
    seed: tuple[int, str]
    operations: dict[int, int]
    parent: int


def serve(folder: str) -> NoReturn:
    """Answers the request in a folder; the process is a new interpreter."""
    begin()
    request = marshal.loads((Path(folder) / REQUEST).read_bytes())
    perform(Work(**{**request, "limits": Limits(*request["limits"])}))


def begin() -> None:
    """Imports what the recording needs, before the time of the program counts."""
    from pantala.core.extension import core
    from pantala.programs import draws, loading, recording  # noqa: F401

    core()


def perform(work: Work, given: Callable[..., object] | None = None) -> NoReturn:
    """Records a program, writes the answer and ends the process.

    Args:
        work: what to do.
        given: the function, if the process is a fork of the one that holds it.
    """
    me = _getpid()
    _confine(work)
    answer: dict[str, Any]
    try:
        answer = {"facts": _record(work, given)}
    except _Any as error:
        _restore_builtins()
        answer = _told(error)
    try:
        _restore_builtins()
        if _getpid() != me:  # a copy that os.fork of the program made
            _say(
                "pantala: a copy of this process ended its ranks; the calls of copies do not count"
            )
            _exit(0)
        for stream in (sys.stdout, sys.stderr):
            with contextlib.suppress(_Any):
                stream.flush()
        half = f"{work.folder}/{ANSWER}.partial"
        number = _open(half, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        _write(number, _dumps(answer).encode("ascii"))
        _replace(half, f"{work.folder}/{ANSWER}")
    finally:
        _exit(0 if "facts" in answer else _NO_ANSWER)


def _record(work: Work, given: Callable[..., object] | None) -> dict[str, Any]:
    """Loads and records the program; returns the facts of its operation file, or the places."""
    from pantala.programs.draws import Draws
    from pantala.programs.loading import check_arguments, load, place_of
    from pantala.programs.recording import places, record

    draws = Draws(*work.seed)
    with _restored():
        if given is None:
            draws.before_loading(work.file)
        function = given or load(work.file, work.name)
        if given is None:
            draws.after_loading()
        check_arguments(function, work.file, work.name, work.arguments)
    (Path(work.folder) / PLACE).write_bytes(place_of(function).encode("utf-8", "surrogatepass"))

    def guarded(*mpi: object, **arguments: object) -> object:
        with _restored():
            return function(*mpi, **arguments)

    path = Path(work.folder) / OPERATIONS
    if work.operations:
        asked = work.operations
        found = places(function, work.arguments, work.ranks, path, asked, run=guarded, draws=draws)
        return {str(rank): line for rank, line in found.items()}
    limit = work.limits.operations
    return record(function, work.arguments, work.ranks, path, limit, run=guarded, draws=draws)


class _restored:  # noqa: N801 - reads as a statement
    """A context that undoes changes of the builtins after an error of the program."""

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is not None:
            _restore_builtins()


def _restore_builtins() -> None:
    _names.clear()
    _names.update(_originals)


def _told(error: BaseException) -> dict[str, str]:
    """Returns the answer of a failure."""
    from pantala.errors import PantalaError
    from pantala.programs.loading import in_words

    if isinstance(error, PantalaError):
        return {"error": str(error)}
    return {"unexpected": in_words(error)}


def _confine(work: Work) -> None:
    """Sets the limits of the process."""
    _end_with(work.parent)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    # Growth beyond what the interpreter, or the forked session, has already.
    _lower(resource.RLIMIT_DATA, _data_now() + work.limits.memory)
    # The parent counts the time. This ends processes of the program that left its session.
    _lower(resource.RLIMIT_CPU, int(work.limits.seconds * (os.cpu_count() or 1)) + 10)
    operations = Path(work.folder) / OPERATIONS
    os.register_at_fork(after_in_child=lambda: _detach(operations))
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(encoding="utf-8", errors="backslashreplace", line_buffering=True)
    # The time of the program counts from this file. faulthandler keeps it open.
    trace = (Path(work.folder) / TRACE).open("w", encoding="utf-8")
    faulthandler.enable(trace, all_threads=False)
    faulthandler.register(TRACE_SIGNAL, trace, all_threads=False, chain=False)


def _end_with(parent: int) -> None:
    """Lets the process end when its parent is killed (Linux)."""
    if sys.platform != "linux":
        return
    import ctypes

    set_parent_death_signal = 1
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(set_parent_death_signal, signal.SIGKILL)
    if os.getppid() != parent:
        _exit(_NO_ANSWER)


def _lower(kind: int, limit: int) -> None:
    """Sets a limit of the process, unless the user has a lower one."""
    _, hard = resource.getrlimit(kind)
    if hard == resource.RLIM_INFINITY or limit < hard:
        with contextlib.suppress(ValueError, OSError):
            resource.setrlimit(kind, (limit, limit))


def _data_now() -> int:
    """Returns the private memory of the process in bytes, as RLIMIT_DATA counts it."""
    try:
        for line in Path("/proc/self/status").read_text(encoding="ascii").splitlines():
            if line.startswith("VmData:"):
                return int(line.split()[1]) << 10
    except (OSError, ValueError):
        pass
    return 0


def _detach(operations: Path) -> None:
    """Takes the operation file from a copy of the process, which would write into it twice."""
    with contextlib.suppress(OSError):
        nothing = os.open(os.devnull, os.O_WRONLY)
        for number in leading_to(operations):
            os.dup2(nothing, number)


def _say(text: str) -> None:
    with contextlib.suppress(_Any):
        print(text, file=sys.stderr, flush=True)
