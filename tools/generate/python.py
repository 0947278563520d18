"""Python source as text: strings of any length, and the project's format."""

from __future__ import annotations

import subprocess
import sys
import textwrap

#: The longest text on one line of a nested call, and the width of a longer text's pieces.
_LONGEST, _WIDTH = 104, 98


def string(text: str) -> str:
    """Returns a string literal; a long text becomes a parenthesised sequence of literals."""
    if len(text) <= _LONGEST:
        return _literal(text)
    *pieces, last = textwrap.wrap(text, _WIDTH, break_long_words=False, break_on_hyphens=False)
    literals = [_literal(f"{piece} ") for piece in pieces] + [_literal(last)]
    return "({})".format("\n".join(literals))


def _literal(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def formatted(source: str) -> str:
    """Returns the source in the format of `ruff format` with the project's configuration."""
    command = [
        sys.executable,
        "-m",
        "ruff",
        "format",
        "--quiet",
        "--stdin-filename",
        "python/generated.py",
        "-",
    ]
    return subprocess.run(command, input=source, capture_output=True, text=True, check=True).stdout
