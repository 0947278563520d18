"""The error for Ctrl-C on the command line, which typer does not catch."""

from __future__ import annotations

from pantala.errors import PantalaError

__all__ = ["INTERRUPTED", "InterruptedCommand"]

#: The exit status of an interrupted command: 128 + SIGINT, as in shells.
INTERRUPTED = 130


class InterruptedCommand(PantalaError):
    """A command that Ctrl-C ended. The text names the results that were kept.

    Typer would print no such text for a KeyboardInterrupt.
    """

    exit_status = INTERRUPTED
