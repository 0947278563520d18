"""The line of a coNCePTuaL program that an error names, with a caret below the column."""

from __future__ import annotations

import json
import re
from pathlib import Path

from pantala.errors import PantalaError, ScenarioError, SimulationError
from pantala.files.input_file import read_text

__all__ = ["excerpt", "source_line"]

#: An error of the run names the file, the line and the column.
_IN_RUN = re.compile(r"(?P<file>[^\s:]+\.ncptl):(?P<line>\d+):(?P<column>\d+): ")
#: An error of the scenario has the file as its value.
_IN_SCENARIO = re.compile(r"line (?P<line>\d+), column (?P<column>\d+): ")


def excerpt(file: Path, line: int, column: int) -> str:
    """Returns a line of a program and a caret below a column; empty if there is no such line.

    Args:
        file: the program.
        line: the line, from 1.
        column: the column, from 1.
    """
    try:
        lines = read_text(file).split("\n")
    except (OSError, UnicodeDecodeError):
        return ""
    if not 1 <= line <= len(lines):
        return ""
    text, margin = lines[line - 1].rstrip("\r"), " " * len(str(line))
    # A tab before the caret keeps its width.
    before = "".join("\t" if each == "\t" else " " for each in text[: column - 1].ljust(column - 1))
    return f"{line} | {text}\n{margin} | {before}^"


def source_line(error: PantalaError) -> str:
    """Returns the excerpt of the program that an error names; empty if it names none."""
    if isinstance(error, ScenarioError):
        if not error.key.endswith("workload.file"):
            return ""
        found = _IN_SCENARIO.match(error.message)
        folders = [Path(error.source).parent, Path()]
        if error.source.endswith(".ncptl"):
            name = Path(error.source).name
        elif error.value.endswith('.ncptl"'):
            name = str(json.loads(error.value))
        else:  # a long value is cut
            return ""
    elif isinstance(error, SimulationError):
        found = _IN_RUN.search(str(error))
        folders = [Path()]
        name = found["file"] if found else ""
    else:
        return ""
    if found is None:
        return ""
    files = (folder / name for folder in folders)
    file = next((each for each in files if each.is_file()), None)
    return excerpt(file, int(found["line"]), int(found["column"])) if file else ""
