"""The commands on pages that no test runs are commands of Pantala, with options that it knows.

`test_snippets.py` runs the `console` blocks. The others need minutes, a cluster or an MPI library.
The page that lists what the papers' systems have names commands, figures, metrics and keys in its
cells.
"""

from __future__ import annotations

import re
import shlex
import tomllib
from pathlib import Path

import pytest
import typer

import pantala as pt
from pantala.cli import app
from pantala.figures.registry import KINDS
from pantala.metrics import all_functions, all_metrics
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


def spans(page: Path) -> list[str]:
    """Returns the code inside the lines of a page, without its blocks."""
    text = re.sub(r"^```.*?^```", "", page.read_text("utf-8"), flags=re.MULTILINE | re.DOTALL)
    return [re.sub(r"\s+", " ", span) for span in re.findall(r"`([^`]+)`", text)]


CHECKLIST = ROOT / "docs" / "studies" / "checklist.md"
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
WRITTEN = [(page, line) for page in PAGES for line in commands(page)]
WRITTEN += [(CHECKLIST, span) for span in spans(CHECKLIST) if re.match(r"pantala \w+ .", span)]


def test_they_are_found() -> None:
    assert len(WRITTEN) > 12


@pytest.mark.parametrize(
    ("page", "line"), WRITTEN, ids=lambda each: each.stem if isinstance(each, Path) else each
)
def test_a_command_of_a_page_is_understood(page: Path, line: str) -> None:
    command = typer.main.get_command(app)
    name, *words = shlex.split(line, comments=True)
    while isinstance(command, typer.core.TyperGroup):
        if hasattr(command, "full"):  # one of its commands needs no name
            words = command.full(words)
        assert words[0] in command.commands, f"{page}: {line}"
        name, *words = words
        command = command.commands[name]
    command.make_context(name, list(words))
    if name in {"figure", "metrics"}:
        known = {*KINDS} if name == "figure" else {each.name for each in all_metrics()}
        known |= {each.name for each in all_functions()} if name == "metrics" else set()
        assert words[0] in known, f"{page}: {line}"


@pytest.mark.native
@pytest.mark.parametrize(
    "span", [each for each in spans(CHECKLIST) if " = " in each and each != "key = value"]
)
def test_a_key_of_the_checklist_is_one_of_a_scenario(span: str) -> None:
    key, value = span.split(" = ", 1)
    if key.startswith("cases.") or key == "compute":  # of an experiment file; of a trace
        tomllib.loads(span)
        return
    faults = []
    for routing in ("par", "q_adaptive", "codes_adp"):
        try:
            _scenario(routing, amg="jobs.amg" in key, large="wang2020" in value).replace(
                {key: tomllib.loads(f"_ = {value}")["_"]}
            ).resolve()
        except pt.ScenarioError as error:
            faults.append(str(error))
        else:
            return
    pytest.fail(faults[0])


def test_the_checklist_counts_its_rows() -> None:
    text = CHECKLIST.read_text("utf-8")
    verdicts = ("yes", "partly", "no", "not simulation")
    for paper in re.split(r"^## ", text, flags=re.MULTILINE)[1:]:
        found = re.findall(r"^\| [^|]+ \| ([a-z ]+) \|", paper, re.MULTILINE)
        assert set(found) <= set(verdicts)
        assert len(found) > 30
        counts = " | ".join(str(found.count(verdict)) for verdict in verdicts)
        assert f"| {paper.split(',')[0]} | {counts} |" in text


def _scenario(routing: str, *, amg: bool, large: bool) -> pt.Scenario:
    names = ("amg", "dl") if amg else ("fft3d", "halo3d")
    jobs = [{"name": name, "ranks": 64, "workload": {"kind": name}} for name in names]
    machine = "wang2020_1d" if large else "kang2022"
    return pt.Scenario.from_dict(
        {"name": "page", "machine": machine, "routing": {"algorithm": routing}, "jobs": jobs}
    )
