"""Reading of TOML files, with errors that name the file and the place in it."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

from pantala.errors import ScenarioError

__all__ = ["read_toml"]

_PLACE = re.compile(
    r"\s*\(at (?:line (?P<line>\d+), column (?P<column>\d+)|(?P<end>end of document))\)$"
)


def read_toml(path: Path) -> dict[str, Any]:
    """Returns the tables of a TOML file.

    Raises:
        ScenarioError: the file cannot be read or is not TOML.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        reason = error.strerror or str(error)
        raise ScenarioError(
            str(path), "", "", f"cannot be read: {reason}", "check the path and its permissions"
        ) from None
    except UnicodeDecodeError as error:
        at = f"byte {error.start} is not UTF-8 text"
        raise ScenarioError(str(path), "", "", at, "save the file as UTF-8") from None
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ScenarioError(str(path), "", "", *_syntax(str(error))) from None


def _syntax(text: str) -> tuple[str, str]:
    """Returns message and remedy of a TOML syntax error, with the place first."""
    match = _PLACE.search(text)
    if match is None:
        return f"is not TOML: {text}", "check its syntax"
    message = text[: match.start()]
    message = message[:1].lower() + message[1:]
    if match["end"]:
        return f"end of file: {message}", "close the last bracket or quote"
    remedy = "put text in quotes" if "Invalid value" in text else "check the syntax of that line"
    return f"line {match['line']}, column {match['column']}: {message}", remedy
