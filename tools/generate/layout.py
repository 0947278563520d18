"""The layout of generated Python: ``ruff format``, as for all other modules."""

from __future__ import annotations

import subprocess
import sys


def formatted(source: str) -> str:
    """The source, formatted.

    Raises:
        CalledProcessError: the source is not Python.
    """
    command = [sys.executable, "-m", "ruff", "format", "--stdin-filename", "generated.py", "-"]
    return subprocess.run(command, input=source, capture_output=True, text=True, check=True).stdout
