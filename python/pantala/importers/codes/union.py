"""Union's programs in a workload file: ``conceptual-NAME`` is a coNCePTuaL program.

Union takes the arguments of all programs from ``conceptual.json``: an object per program with the
list ``argv``, whose first entry is the program's name.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pantala.errors import nearest
from pantala.importers.place import Place, read_text

__all__ = ["conceptual_workload"]

_OPTION = re.compile(
    r'(?P<name>[A-Za-z]\w*)\s+is\s+"(?:[^"\\]|\\.)*"\s+and\s+comes\s+from\s+"--(?P<long>[\w-]+)"'
    r'\s+or\s+"-(?P<short>\w)"',
    re.IGNORECASE,
)
_NUMBER = re.compile(r"([+-]?\d+)(?:([KMGTE])|[eE]\+?(\d+))?", re.IGNORECASE)
_FACTORS = {"K": 2**10, "M": 2**20, "G": 2**30, "T": 2**40}


def conceptual_workload(name: str, folder: Path, place: Place) -> dict[str, Any]:
    """Returns a program of Union as the workload of a scenario.

    Args:
        name: the program's name, without ``conceptual-``.
        folder: the folder with ``conceptual.json`` and the program ``NAME.ncptl``.
        place: the line of the workload file.

    Raises:
        ScenarioError: the program is missing, or its arguments are not options of it.
    """
    program = folder / f"{name}.ncptl"
    if not program.is_file():
        message = f"the program {name} needs {program.name}, which is not in {folder}"
        remedy = (
            "name its folder with --data; if it is a skeleton in C, write it as a coNCePTuaL or"
            " Python program"
        )
        raise place.error(message, remedy)
    table: dict[str, Any] = {"kind": "ncptl", "file": str(program)}
    arguments = _arguments(name, program, folder / "conceptual.json")
    return table | ({"arguments": arguments} if arguments else {})


def _arguments(name: str, program: Path, file: Path) -> dict[str, int]:
    """Returns the arguments of a program; none without ``conceptual.json``."""
    if not file.is_file():
        return {}
    place = Place(str(file))
    try:
        data = json.loads(read_text(file, "a JSON file of Union"))
    except (ValueError, RecursionError) as error:
        message = f"is not JSON: {getattr(error, 'msg', error)}"
        at = Place(str(file), getattr(error, "lineno", 0))
        raise at.error(message, "correct the file") from None
    if not isinstance(data, dict) or name not in data:
        return {}
    words = data[name].get("argv") if isinstance(data[name], dict) else None
    if not isinstance(words, list) or not all(isinstance(word, str) for word in words):
        raise place.error(f"{name}: argv is not a list of text", 'write ["NAME", "--reps", "10"]')
    options = _options(program)
    given: dict[str, int] = {}
    rest = iter(words[1:])
    for word in rest:
        option, equals, text = word.partition("=")
        if not option.startswith("-"):
            message = f"{name}: {word[:40]} is not an option of a coNCePTuaL program"
            remedy = "a skeleton written in C has such arguments; write --NAME and a value"
            raise place.error(message, remedy)
        if option not in options:
            close = nearest(option, options)
            known = ", ".join(options) or "none"
            remedy = f"did you mean {close}?" if close else f"the options of {program}: {known}"
            raise place.error(f"{name}: {program.name} has no option {option[:40]}", remedy)
        value = text if equals else next(rest, "")
        given[options[option]] = _value(value, option, name, place)
    return given


def _options(program: Path) -> Mapping[str, str]:
    """Returns the variable of each option of a program."""
    text = re.sub(r"#.*", "", read_text(program, "a coNCePTuaL program"))
    options: dict[str, str] = {}
    for match in _OPTION.finditer(text):
        options[f"--{match['long']}"] = options[f"-{match['short']}"] = match["name"].lower()
    return options


def _value(text: str, option: str, name: str, place: Place) -> int:
    """Returns a number with coNCePTuaL's suffixes: 64K, 1M, 5E3."""
    match = _NUMBER.fullmatch(text)
    if match is None or len(text) > 20 or int(match[3] or 0) > 18:
        message = f"{name}: {option} {text[:40]} is not a whole number"
        raise place.error(message, "write e.g. 100, 64K or 1E6")
    number, suffix = int(match[1]), (match[2] or "").upper()
    return number * (_FACTORS.get(suffix, 1) if suffix else 10 ** int(match[3] or 0))
