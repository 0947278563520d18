"""A command line as a whole: the exit with one line and a status for every error."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import warnings
from collections.abc import Iterator
from typing import Any, NoReturn

import typer
from typer.exceptions import TyperException

from pantala.cli.commands import command_line, named_in
from pantala.cli.interruption import INTERRUPTED
from pantala.cli.source_lines import source_line
from pantala.cli.streams import OutputError, finished
from pantala.errors import PantalaError, ScenarioWarning, one_line
from pantala.system.system_errors import system_fault
from pantala.text.plain_text import say

__all__ = ["ended", "run_line"]


def run_line(line: list[str]) -> NoReturn:
    """Runs a command line and exits."""
    with contextlib.suppress(ValueError):  # not in the main thread
        signal.signal(
            signal.SIGTERM, signal.default_int_handler
        )  # what a batch system sends at the time limit
    debug = "--debug" in line or bool(os.environ.get("PANTALA_DEBUG"))
    try:
        with _warnings_in_a_line():
            words = [word for word in line if word != "--debug"]
            status = command_line(named_in(words))(
                args=words,
                prog_name="pantala",
                standalone_mode=False,
            )
        if status == INTERRUPTED:  # typer has swallowed the KeyboardInterrupt
            _say("interrupted", INTERRUPTED)
    except BaseException as error:
        if debug and not isinstance(error, SystemExit):
            import traceback

            say(traceback.format_exc(), file=sys.stderr, end="")
        status = ended(error)
    _name_outputs()
    sys.exit(finished(status if isinstance(status, int) else 0))


def _name_outputs() -> None:
    """Prints where the output of the programs is that the command has run."""
    programs = sys.modules.get("pantala.programs.outputs")
    for each in programs.taken() if programs is not None else ():
        lines = "1 line" if each.lines == 1 else f"{each.lines:,} lines"
        _say(f"{each.program}: {lines} of output of the program, in {each.log}", 0)


@contextlib.contextmanager
def _warnings_in_a_line() -> Iterator[None]:
    """Prints warnings about a scenario in one line, like its errors; others stay unchanged."""
    others = warnings.showwarning
    shown = set()  # jobs that share a file share its warnings

    def show(message: Warning | str, *where: Any, **more: Any) -> None:
        if isinstance(message, ScenarioWarning):
            line = f"{message.source}: warning: {message.message}"
            if line not in shown:
                shown.add(line)
                say(line, file=sys.stderr)
        else:
            others(message, *where, **more)

    with warnings.catch_warnings():
        warnings.simplefilter("always", ScenarioWarning)
        warnings.showwarning = show
        yield


def ended(error: BaseException) -> int:
    """Prints in one line the error that ended the command, and returns the exit status."""
    match error:
        case SystemExit(code=code):
            return code if isinstance(code, int) else int(code is not None)
        case OutputError():
            return error.exit_status  # `finished` prints the line
        case PantalaError():
            status = _say(str(error), error.exit_status)
            if lines := source_line(error):
                say(lines, file=sys.stderr)
            return status
        case KeyboardInterrupt() | typer.Abort():
            return _say("interrupted", INTERRUPTED)
        case TyperException():
            message = error.format_message().rstrip(
                "."
            )  # empty after the help that no arguments at all give
            return _say(f"pantala: {message}; add --help to list the options", 2) if message else 2
        case _ if type(error).__module__.startswith("polars") or _is_panic_of_polars(error):
            from pantala.files.run_files import AGAIN, damaged_table
            from pantala.files.table_errors import reason

            table = damaged_table()
            where = "a table of the run" if table is None else str(table)
            return _say(
                f"{where} cannot be read: {reason(error)}; {AGAIN}",
                2,
            )
        case _ if fault := system_fault(error):
            return _say(fault.line, fault.status)
        case _:
            name = type(error).__name__
            return _say(
                f"pantala: internal error: {name}: {error}; add --debug for the traceback", 1
            )


def _is_panic_of_polars(error: BaseException) -> bool:
    """Returns whether Polars panicked, as it does at some damaged tables."""
    polars = sys.modules.get("polars")  # a panic of another library is an internal error
    return polars is not None and isinstance(error, polars.exceptions.PanicException)


def _say(text: str, status: int) -> int:
    say(one_line(text) if status == 2 else text, file=sys.stderr)
    return status
