"""docs/reliability.md: what the campaign counted, as Markdown."""

from __future__ import annotations

import importlib
import json
import textwrap
from pathlib import Path

from campaign.parts import names, part
from campaign.stretch import Failure, Results
from markdown_table import table

__all__ = ["PAGE", "text", "write"]

PAGE = Path(__file__).resolve().parents[2] / "docs" / "reliability.md"

_INTRODUCTION = """\
# Reliability

`make campaign` tries what a user's inputs, machine and other processes may do to Pantala, for hours
and in stretches, and writes this page from what it counted. Each table says how many cases were
tried, what became of them, and how many broke a promise. A failure that was mended names the test
that now holds it; one that was not is listed as open. `tests/campaign` holds the code and
`tests/campaign/results` the counts; `make campaign HOURS=4 PARTS="readers kill"` goes on from them.
"""


def write(results: Path) -> None:
    """Writes the page from the results of a directory."""
    PAGE.write_text(text(results))


def text(results: Path) -> str:
    """Returns the page; a part without results says that it was not run."""
    return "\n".join([_INTRODUCTION, *(_section(name, results) for name in names())])


def _section(name: str, directory: Path) -> str:
    """Returns the section of a part: its promise, table, stretches and failures."""
    module = part(name)
    file = directory / f"{name}.json"
    head = f"## {module.TITLE}\n\n{_promise(name)}\n"
    if not file.exists():
        return f"{head}\nNot run yet.\n"
    results = Results.read(file, json.loads(file.read_text())["seed"])
    columns = list(module.COLUMNS)
    rows = [
        [
            row,
            *(_cell(cells.get(column, 0 if column == "failures" else None)) for column in columns),
        ]
        for row, cells in sorted(results.rows.items())
    ]
    headings = ["", *module.COLUMNS.values()]
    hours = sum(float(each["seconds"]) for each in results.stretches) / 3600
    # A part whose first stretch is under way has no date yet.
    dates = sorted({str(each["date"]) for each in results.stretches}) or ["under way"]
    tried = f"{results.next_case:,} cases, seed {results.seed}, {hours:.1f} hours, {dates[0]}" + (
        f" to {dates[-1]}" if len(dates) > 1 else ""
    )
    return f"{head}\n{table(headings, rows)}\n\n{tried}.\n{_failures(results.failures)}"


def _promise(name: str) -> str:
    """Returns the docstring of a part after its first line, in lines of the page."""
    doc = importlib.import_module(f"campaign.parts.{name}").__doc__ or ""
    paragraphs = doc.strip().split("\n\n")[1:]
    # A hyphen in code is no place for the end of a line.
    texts = (" ".join(each.split()) for each in paragraphs)
    return "\n\n".join(textwrap.fill(text, 100, break_on_hyphens=False) for text in texts)


def _failures(failures: list[Failure]) -> str:
    """Returns the list of failures, the open ones first."""
    if not failures:
        return ""
    lines = [
        textwrap.fill(
            f"- {each.row}, case {each.case}: {each.what}; "
            + (f"mended, held by {each.mended}" if each.mended else "**open**"),
            100,
            subsequent_indent="  ",
        )
        for each in sorted(failures, key=lambda each: (bool(each.mended), each.row, each.case))
    ]
    return "\n" + "\n".join(lines) + "\n"


def _cell(value: object) -> str:
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, float):
        return f"{value:.3g}"
    return "" if value is None else str(value)
