"""Standard input, output and error of a command: closed ones, full devices, ended readers.

A pipe that its reader closes, as ``| head -1`` does, ends the command without a word and with the
status of a shell for it. If standard output is closed or its device is full, the command says so in
one line. A standard error that cannot be written is no reason to end: the status tells the end.
"""

from __future__ import annotations

import contextlib
import io
import os
import sys

from pantala.errors import PantalaError

__all__ = ["BROKEN_PIPE", "OutputError", "finished", "open_streams"]

#: The exit status after the reader of standard output has gone: 128 + SIGPIPE, as in shells.
BROKEN_PIPE = 141


class OutputError(PantalaError):
    """A standard output that cannot be written.

    It is no OSError, because libraries catch those of a pipe and end the process themselves.
    """

    exit_status = 1

    def __init__(self, error: OSError) -> None:
        super().__init__(
            f"pantala: standard output cannot be written: {error.strerror or error};"
            " redirect it to a place with space"
        )


class ReaderGoneError(OutputError):
    """A standard output whose reader has gone."""

    exit_status = BROKEN_PIPE


class _Output(io.FileIO):
    """Standard output or error. After its first fault it takes everything and writes nothing."""

    def __init__(self, number: int) -> None:
        super().__init__(number, "w", closefd=False)
        self.fault: OutputError | None = None

    def write(self, data: object) -> int | None:  # type: ignore[override]
        if self.fault is not None:
            return memoryview(data).nbytes  # type: ignore[arg-type]
        try:
            return super().write(data)  # type: ignore[arg-type]
        except OSError as error:
            gone = isinstance(error, BrokenPipeError)
            self.fault = ReaderGoneError(error) if gone else OutputError(error)
            if self.fileno() == 1:
                raise self.fault from None
            return memoryview(data).nbytes  # type: ignore[arg-type]


_standard: _Output | None = None


def open_streams() -> None:
    """Prepares the standard streams of the process; exits if standard output is closed.

    Nothing happens to streams that somebody has replaced, such as those of a notebook.
    """
    global _standard
    closed = sys.stdout is None and sys.__stdout__ is None
    if sys.stderr is None and sys.__stderr__ is None:
        _occupy(2)
        sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115, PTH123
    elif own := _own(sys.stderr, sys.__stderr__, 2):
        sys.stderr = _text(_Output(2), own, at_once=True)
    if closed:
        print(
            "pantala: standard output is closed; redirect it, for example to /dev/null",
            file=sys.stderr,
        )
        _occupy(1)
        sys.exit(1)
    if own := _own(sys.stdout, sys.__stdout__, 1):
        _standard = _Output(1)
        sys.stdout = _text(_standard, own, at_once=own.isatty())
    if sys.stdin is None:
        _occupy(0)


def finished(status: int) -> int:
    """Writes what standard output still holds, and returns the exit status of the command."""
    with contextlib.suppress(OutputError):
        sys.stdout.flush()
    if _standard is None or _standard.fault is None:
        return status
    # What a library has caught is shown here, too.
    if status in (0, 1, BROKEN_PIPE):
        if not isinstance(_standard.fault, ReaderGoneError):
            print(_standard.fault, file=sys.stderr)
        return _standard.fault.exit_status
    return status


def _occupy(number: int) -> None:
    """Opens a closed descriptor, so that no file of a run becomes a standard stream."""
    with contextlib.suppress(OSError):
        os.fstat(number)
        return
    with contextlib.suppress(OSError):
        nothing = os.open(os.devnull, os.O_RDWR)
        if nothing != number:
            os.dup2(nothing, number)
            os.close(nothing)


def _own(stream: object, first: object, number: int) -> io.TextIOWrapper | None:
    """Returns the stream of a descriptor that Python itself has opened; None for others."""
    if stream is first and isinstance(stream, io.TextIOWrapper) and stream.fileno() == number:
        return stream
    return None


def _text(output: _Output, replaced: io.TextIOWrapper, *, at_once: bool) -> io.TextIOWrapper:
    """Returns a text stream; a character that the terminal does not have is written escaped."""
    replaced.flush()
    return io.TextIOWrapper(
        io.BufferedWriter(output),
        encoding=replaced.encoding,
        errors="backslashreplace",
        line_buffering=at_once,
    )
