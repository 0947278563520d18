"""The compiled core, loaded when it is first needed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from pantala.errors import PantalaError, UsageError

if TYPE_CHECKING:
    from types import ModuleType

__all__ = ["Threads", "check_threads", "core"]


class MissingCoreError(PantalaError):
    """The compiled core is missing."""

    exit_status = 1


def core() -> ModuleType:
    """Returns the compiled module.

    Raises:
        MissingCoreError: pantala was not built.
    """
    try:
        from pantala import _core
    except ImportError as error:
        raise MissingCoreError(
            f"the compiled core cannot be loaded ({error}); build it with 'make build'"
        ) from error
    return _core


#: A number of threads, or ``"auto"`` for the number that pays.
Threads = int | Literal["auto"]


def check_threads(threads: Threads) -> None:
    """Checks a number of threads.

    Raises:
        UsageError: it is less than one, more than the core takes, or a word other than "auto".
    """
    most = core().MAX_THREADS
    if threads not in ("auto", *range(1, most + 1)):
        raise UsageError(
            f"threads = {threads!r}: must be from 1 to {most}, or 'auto'; write the number of"
            " idle cores"
        )
