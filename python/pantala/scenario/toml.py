"""Reading of TOML files, with errors that name the file and the place in it."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from pantala.errors import ScenarioError
from pantala.files.input_file import read_text, unreadable

__all__ = ["DEPTH", "TOO_DEEP", "TomlFault", "is_deep", "parse_toml", "read_toml", "toml_value"]

_PLACE = re.compile(
    r"\s*\(at (?:line (?P<line>\d+), column (?P<column>\d+)|(?P<end>end of document))\)$"
)


#: The errors of Python's reader at a line that sets a key twice, or a part of it.
_TWICE = re.compile(r"Cannot (overwrite|declare|mutate)")
#: The first key of a line.
_FIRST_KEY = re.compile(r"\[{0,2}\s*([A-Za-z0-9_-]+)")
#: The first line of a table.
_TABLE = re.compile(r"\s*\[")
_NONE: Mapping[str, str | None] = {}

#: The most levels of lists and tables. Scenarios and experiments have fewer than 10.
DEPTH = 32
#: Message and remedy for more levels.
TOO_DEEP = (
    f"is nested in more than {DEPTH} levels of lists and tables",
    "remove levels; a scenario has fewer than 10",
)


class TomlFault(ValueError):
    """A text that cannot be read as TOML.

    Attributes:
        message: what is wrong; it follows the name of the file.
        remedy: what to do.
    """

    def __init__(self, message: str, remedy: str) -> None:
        super().__init__(f"{message}; {remedy}")
        self.message = message
        self.remedy = remedy


def read_toml(path: Path, shorthands: Mapping[str, str | None] = _NONE) -> dict[str, Any]:
    """Returns the tables of a TOML file.

    Args:
        path: the file.
        shorthands: for keys that are a text or a table, the key that the text stands for. An error
            says how to write the table.

    Raises:
        ScenarioError: the file cannot be read or is not TOML.
    """
    try:
        text = read_text(path).removeprefix("\ufeff")  # the mark of UTF-8 of some editors
    except OSError as error:
        raise ScenarioError(str(path), "", "", *unreadable(error)) from None
    except UnicodeDecodeError as error:
        at = f"byte {error.start} is not UTF-8 text"
        raise ScenarioError(str(path), "", "", at, "save the file as UTF-8") from None
    try:
        return parse_toml(text, shorthands)
    except TomlFault as fault:
        raise ScenarioError(str(path), "", "", fault.message, fault.remedy) from None


def parse_toml(text: str, shorthands: Mapping[str, str | None] = _NONE) -> dict[str, Any]:
    """Returns the tables of a TOML text.

    Args:
        text: the text.
        shorthands: as for `read_toml`.

    Raises:
        TomlFault: the text is not TOML, is nested too deeply, or has a number that is too long.
    """
    try:
        tables = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise TomlFault(*(_twice(text, error, shorthands) or _syntax(str(error)))) from None
    except RecursionError:
        raise TomlFault(*TOO_DEEP) from None
    except ValueError:  # Python reads no integer of more than 4300 digits
        raise TomlFault("has a number of thousands of digits", "write a smaller number") from None
    if is_deep(tables):
        raise TomlFault(*TOO_DEEP)
    return tables


def toml_value(text: str) -> Any:
    """Returns the value of a text in TOML, and any other text as it is."""
    try:
        return parse_toml(f"value = {text}")["value"]
    except TomlFault:
        return text


def is_deep(value: object) -> bool:
    """Returns whether lists and tables are nested in more than `DEPTH` levels."""
    level = [value]
    for _ in range(DEPTH):
        level = [below for each in level for below in _below(each)]
        if not level:
            return False
    return True


def _below(value: object) -> Iterable[object]:
    """Returns the lists and tables in a list or a table."""
    inside: Iterable[object] = ()
    if isinstance(value, Mapping):
        inside = value.values()
    elif isinstance(value, list | tuple):
        inside = value
    return [each for each in inside if isinstance(each, Mapping | list | tuple)]


def _twice(
    text: str, error: tomllib.TOMLDecodeError, shorthands: Mapping[str, str | None]
) -> tuple[str, str] | None:
    """Returns message and remedy if a line sets what an earlier line has set, else nothing."""
    place = _PLACE.search(str(error))
    if place is None or not _TWICE.match(str(error)):
        return None
    lines = text.rstrip().splitlines()
    number = int(place["line"] or len(lines))
    line = lines[number - 1].strip()
    key = _FIRST_KEY.match(line)
    if key is None:
        return None
    above = lines[: number - 1]
    tables = [at for at, other in enumerate(above) if _TABLE.match(other)]
    is_table = line.startswith("[")
    if is_table:  # by a line above all tables
        first, last = 0, min(tables, default=len(above))
    else:  # by a line of its own table
        first, last = max(tables, default=-1) + 1, len(above)
    remedy = "set each key once"
    if is_table and not line.startswith("[[") and any(line == each.strip() for each in above):
        remedy += f", or write [{line}] before each item of a list"
    for earlier in range(first, last):
        setting = re.match(rf"\s*{re.escape(key[1])}\s*=\s*(?P<text>\"[^\"]*\")?", lines[earlier])
        if setting is None:
            continue
        if is_table and setting["text"] and shorthands.get(key[1]):
            table = f"[{key[1]}] and below it {shorthands[key[1]]} = {setting['text']}"
            remedy = f"in place of line {earlier + 1} write the table {table}"
        return f"line {number}: {line} sets again what line {earlier + 1} sets", remedy
    return f"line {number}: {line} sets again what an earlier line sets", remedy


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
