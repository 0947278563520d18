"""Whether Python files that a scenario, an experiment or a study names may run."""

from __future__ import annotations

import os
from pathlib import Path

from pantala.errors import ProgramError

__all__ = ["NO_PROGRAMS", "check_permitted"]

#: The variable of the environment that refuses Python files; processes that are started inherit it.
NO_PROGRAMS = "PANTALA_NO_PROGRAMS"
#: Code below this folder came with Pantala.
_PACKAGE = Path(__file__).resolve().parents[1]


def check_permitted(file: str) -> None:
    """Checks that the Python code of a file may run.

    A Python file runs with all rights of the user. ``PANTALA_NO_PROGRAMS=1``, which the option
    ``--no-programs`` sets, refuses it before it is read. The empty string and ``0`` permit it. The
    studies that come with Pantala run all the same.

    Raises:
        ProgramError: programs are refused.
    """
    refused = os.environ.get(NO_PROGRAMS, "") not in ("", "0")
    if refused and _PACKAGE not in Path(file).resolve().parents:
        raise ProgramError(
            f"{file}: is Python code, which --no-programs or {NO_PROGRAMS} refuses to run; read the"
            " file first, then leave them out"
        )
