"""Ctrl-C on the command line: the word for it, as an error that typer lets through."""

from __future__ import annotations

from pantala.errors import PantalaError

__all__ = ["INTERRUPTED", "InterruptedCommand"]

#: The exit status of an interrupted command: 128 + SIGINT, as shells have it.
INTERRUPTED = 130


class InterruptedCommand(PantalaError):
    """A command that Ctrl-C ended; its text says what was kept. Typer would say nothing of a
    KeyboardInterrupt.
    """

    exit_status = INTERRUPTED
