"""The commands on pages that no test runs are commands of Pantala, with options that it knows.

`test_snippets.py` runs the `console` blocks. The others need minutes, a cluster or an MPI library.
"""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
import typer

from pantala.cli import app
from support import ROOT

#: Blocks that are no `console`, and lines that are indented.
_BLOCKS = re.compile(r"^```(?:sh|text)\n(.*?)^```|((?:^    \S[^\n]*\n)+)", re.MULTILINE | re.DOTALL)


def commands(page: Path) -> list[str]:
    """Returns the commands of a page that no test runs, from the program's name on."""
    found = []
    for fenced, indented in _BLOCKS.findall(page.read_text("utf-8")):
        lines = re.sub(r"\\\n *", "", fenced or indented).splitlines()
        found += [line.strip() for line in lines]
    return [
        command[1]
        for line in found
        if (command := re.match(r"(?:\$ )?(?:.*/)?(pantala (?!: ).*)$", line))
    ]


PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
WRITTEN = [(page, line) for page in PAGES for line in commands(page)]


def test_they_are_found() -> None:
    assert len(WRITTEN) > 12


@pytest.mark.parametrize(
    ("page", "line"), WRITTEN, ids=lambda each: each.stem if isinstance(each, Path) else each
)
def test_a_command_of_a_page_is_understood(page: Path, line: str) -> None:
    command = typer.main.get_command(app)
    name, *words = shlex.split(line, comments=True)
    while isinstance(command, typer.core.TyperGroup):
        assert words[0] in command.commands, f"{page}: {line}"
        name, *words = words
        command = command.commands[name]
    command.make_context(name, list(words))
