"""Starting, watching and stopping the process of a program; `child` is the other side."""

from __future__ import annotations

import contextlib
import marshal
import os
import select
import signal
import subprocess
import sys
import time
import warnings
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path

from pantala.programs.child import REQUEST, TRACE, TRACE_SIGNAL, Work, begin, perform
from pantala.programs.limits import Limits

__all__ = ["Ending", "run_apart"]

#: Seconds between two looks at the process.
_PERIOD = 0.05
#: Seconds in which an interpreter starts, on a busy machine with a slow file system.
_START_SECONDS = 120.0
#: Seconds in which a stopped process writes the line that it executes.
_TRACE_SECONDS = 1.0
_CHUNK = 1 << 16
_PAGE = os.sysconf("SC_PAGE_SIZE")


@dataclass(frozen=True)
class Ending:
    """How a process ended.

    Attributes:
        status: its exit status; a negative number is the signal that killed it.
        stopped: ``time`` or ``memory`` if Pantala stopped it at this limit, ``start`` if it did not
            begin; else empty.
    """

    status: int
    stopped: str


def run_apart(
    work: Work, given: Callable[..., object] | None, print_: Callable[[bytes], None]
) -> Ending:
    """Runs a program in a process of its own, and waits for its end.

    A function that a session defined exists only in this process, so its process is a fork of this
    one. All other programs run in a new interpreter.

    Args:
        work: what to do.
        given: the function, if a session defined it.
        print_: gets the bytes that the program prints.

    Raises:
        KeyboardInterrupt: Ctrl-C; the process was stopped.
    """
    request = None if given is not None else _plain_request(work)
    pid, output = _fork(work, given) if request is None else _spawn(work, request)
    stopped, status = "", 0
    try:
        stopped = _watch(pid, output, work.limits, Path(work.folder) / TRACE, print_)
    finally:
        # The group: with the processes that the program started.
        for kill in (os.killpg, os.kill):
            with contextlib.suppress(ProcessLookupError, PermissionError):
                kill(pid, signal.SIGKILL)
        _drain(output, print_)
        os.close(output)
        with contextlib.suppress(ChildProcessError):
            status = os.waitpid(pid, 0)[1]
    return Ending(os.waitstatus_to_exitcode(status), stopped)


def _plain_request(work: Work) -> bytes | None:
    """Returns the request as bytes; None if an argument is no plain data."""
    plain = {**asdict(work), "limits": tuple(asdict(work.limits).values())}
    try:
        return marshal.dumps(plain)
    except ValueError:
        return None


def _spawn(work: Work, request: bytes) -> tuple[int, int]:
    """Starts a new interpreter; returns the process and the pipe of its output."""
    (Path(work.folder) / REQUEST).write_bytes(request)
    code = (
        f"import sys; sys.path[:] = {sys.path!a}; from pantala.programs.child import serve;"
        f" serve({work.folder!a})"
    )
    flags: list[str] = getattr(subprocess, "_args_from_interpreter_flags", list)()
    reading, writing = os.pipe()
    try:
        process = subprocess.Popen(
            [sys.executable, *flags, "-c", code],
            stdin=subprocess.DEVNULL,
            stdout=writing,
            stderr=writing,
            start_new_session=True,
        )
    except BaseException:
        os.close(reading)
        raise
    finally:
        os.close(writing)
    process.returncode = 0  # `run_apart` waits for the process itself
    return process.pid, reading


def _fork(work: Work, given: Callable[..., object] | None) -> tuple[int, int]:
    """Forks this process; returns the copy and the pipe of its output."""
    begin()
    reading, writing = os.pipe()
    with warnings.catch_warnings():
        # Python 3.12 warns of threads. The copy runs the program alone, and ends with os._exit.
        warnings.simplefilter("ignore", DeprecationWarning)
        pid = os.fork()
    if pid == 0:
        try:
            _begin_copy(writing)
            perform(work, given)
        finally:
            os._exit(1)
    os.close(writing)
    return pid, reading


def _begin_copy(writing: int) -> None:
    """Makes a fork of a session a process for a program."""
    os.setsid()
    nothing = os.open(os.devnull, os.O_RDONLY)
    for number, standard in ((nothing, 0), (writing, 1), (writing, 2)):
        os.dup2(number, standard)
    sys.stdin = open(0, encoding="utf-8", closefd=False)  # noqa: SIM115
    for name, standard in (("stdout", 1), ("stderr", 2)):
        stream = open(standard, "w", encoding="utf-8", closefd=False)  # noqa: SIM115
        setattr(sys, name, stream)
    signal.set_wakeup_fd(-1)
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGCHLD):
        signal.signal(number, signal.SIG_DFL)


def _watch(
    pid: int, output: int, limits: Limits, trace: Path, print_: Callable[[bytes], None]
) -> str:
    """Waits for the end of a process or its limits; returns the limit that it reached.

    The time counts from the file of traces, which the process opens before it loads the program.
    """
    looked = time.monotonic()
    end, begun, before, open_ = looked + _START_SECONDS, False, 0, True
    while not _has_ended(pid):
        if open_ and select.select([output], [], [], _PERIOD)[0]:
            data = os.read(output, _CHUNK)
            print_(data)
            open_ = bool(data)
        elif not open_:
            time.sleep(0.002)
        now = time.monotonic()
        if now - looked < _PERIOD:
            continue
        looked = now
        if not begun and trace.exists():
            begun, end, before = True, now + limits.seconds, _resident(pid)
        if now > end:
            _ask_for_lines(pid, trace)
            return "time" if begun else "start"
        if begun and _resident(pid) - before > limits.memory:
            _ask_for_lines(pid, trace)
            return "memory"
    return ""


def _has_ended(pid: int) -> bool:
    """Returns whether a process has ended. It keeps its number until `run_apart` has waited."""
    return os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None


def _ask_for_lines(pid: int, trace: Path) -> None:
    """Lets a process write the lines that it executes."""
    with contextlib.suppress(OSError):
        os.kill(pid, TRACE_SIGNAL)
        end = time.monotonic() + _TRACE_SECONDS
        while time.monotonic() < end and not trace.stat().st_size and not _has_ended(pid):
            time.sleep(0.01)
        time.sleep(0.01)  # the rest of the lines


def _drain(output: int, print_: Callable[[bytes], None]) -> None:
    """Reads what a pipe still holds."""
    os.set_blocking(output, False)
    with contextlib.suppress(BlockingIOError):
        for _ in range(64):  # a process that left the session could write for ever
            data = os.read(output, _CHUNK)
            if not data:
                break
            print_(data)


def _resident(pid: int) -> int:
    """Returns the resident memory of a process in bytes."""
    try:
        text = Path(f"/proc/{pid}/statm").read_text(encoding="ascii")
        return int(text.split()[1]) * _PAGE
    except (OSError, ValueError, IndexError):
        return 0
