"""Only few modules write to the terminal: others use `say` and the console, which escape text."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

from support import ROOT

PACKAGE = ROOT / "python" / "pantala"
#: Modules that print before or after the streams are set up, or that are the way to print.
PRINTS = {
    "text/plain_text.py",
    "cli/__init__.py",
    "cli/little_memory.py",
    "cli/streams.py",
}
#: The module that makes the consoles of rich.
CONSOLE = "text/plain_console.py"


def calls(path: Path, names: set[str]) -> Iterator[str]:
    """Yields the places of calls of these names."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Call):
            called = node.func
            name = called.attr if isinstance(called, ast.Attribute) else getattr(called, "id", "")
            plain = isinstance(called, ast.Name) or name == "Console"
            if plain and name in names:
                yield f"{path.relative_to(PACKAGE)}:{node.lineno}"


def test_nothing_in_the_command_line_prints_by_itself() -> None:
    files = (PACKAGE / "cli").rglob("*.py")
    others = [path for path in files if str(path.relative_to(PACKAGE)) not in PRINTS]
    assert len(others) > 30
    assert [place for path in others for place in calls(path, {"print"})] == []


def test_one_module_makes_the_console() -> None:
    others = [path for path in PACKAGE.rglob("*.py") if str(path.relative_to(PACKAGE)) != CONSOLE]
    assert [place for path in others for place in calls(path, {"Console"})] == []
    assert list(calls(PACKAGE / "cli" / "streams.py", {"print"}))
