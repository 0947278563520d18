"""All commands and pieces of Python, SQL and TOML in the README and the docs run, page by page.

The pages' examples are replaced by smaller ones: a run takes a moment, and a curve measures a few
microseconds. A `console` block shows the output of a `pantala` command on either stream; `...`
stands for any lines. A command with the comment `# exits with 1` exits with 1.
"""

from __future__ import annotations

import re
import shlex
import subprocess
import tomllib
import warnings
from collections.abc import Callable
from copy import deepcopy
from pathlib import Path
from typing import Any

import duckdb
import pytest

import pantala as pt
from pantala.experiments.description import describe, is_experiment
from pantala.scenario.presets import router_preset
from support import ROOT, Ended

Cli = Callable[..., Ended]

pytestmark = [pytest.mark.native, pytest.mark.slow]

PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
HAND_MADE = [
    page
    for page in PAGES
    if re.search(r"^```(console|python|sql|toml)$", page.read_text("utf-8"), re.MULTILINE)
]
#: Shell commands that set things up. Tests do not run them.
SET_UP = {"git", "cd", "source", "pip", "uv", "pipx", "valgrind", ".venv/bin/pantala"}

SMALL_JOBS = {
    "machine.topology": {"p": 2, "a": 4, "h": 2, "g": 9},
    "jobs.0.ranks": 36,
    "jobs.0.workload.grid": [6, 6],
    "jobs.0.workload.points": 36,
    "jobs.0.workload.compute_forward": "2 us",
    "jobs.0.workload.compute_backward": "2 us",
    "jobs.1.ranks": 36,
    "jobs.1.workload.grid": [3, 3, 4],
    "jobs.1.workload.message": "4 kB",
    "jobs.1.workload.iterations": 3,
    "jobs.1.workload.compute": "1 us",
    "record.window": "1 us",
}


def blocks(page: Path, language: str) -> list[str]:
    text = page.read_text(encoding="utf-8")
    return re.findall(rf"^```{language}\n(.*?)^```", text, re.MULTILINE | re.DOTALL)


@pytest.fixture
def clone(workdir: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Returns a directory like a clone after `make demo`, but with 72 nodes."""
    whole = pt.Scenario.from_toml
    example = ROOT / "examples" / "interference.toml"

    def smaller(path: str | Path, *, changes: dict[str, Any] | None = None) -> pt.Scenario:
        named = "fft3d" in Path(path).read_text(encoding="utf-8")
        return whole(path, changes=(SMALL_JOBS if named else {}) | dict(changes or {}))

    def brief(name: str) -> dict[str, Any]:
        preset = deepcopy(router_preset(name))
        preset["curve"] |= {"warmup": "1 us", "measure": "4 us"}
        return preset

    monkeypatch.setattr(pt.Scenario, "from_toml", smaller)
    monkeypatch.setattr("pantala.runs.curve_setup.router_preset", brief)
    (workdir / "examples").symlink_to(ROOT / "examples")
    # A table of an example names its program relative to the example.
    (workdir / "programs").symlink_to(ROOT / "examples" / "programs")
    pt.run(smaller(example), out="runs/demo", report=False)
    return workdir


@pytest.mark.parametrize("page", HAND_MADE, ids=lambda page: str(page.relative_to(ROOT)))
def test_the_commands_and_code_of_a_page_run(page: Path, clone: Path, cli: Cli) -> None:
    for block in blocks(page, "console"):
        commands = re.findall(
            r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", block.replace("\\\n", ""), re.MULTILINE
        )
        assert len(commands) == len(re.findall(r"^\$ ", block, re.MULTILINE)) > 0
        for line, shown in commands:
            _run(line, shown, cli)
    for block in blocks(page, "toml"):
        tables = tomllib.loads(block)
        if is_experiment(tables):
            assert describe(tables, source=page.name, folder=ROOT / "examples").axes
        else:
            _check_scenario(tables)
    names: dict[str, Any] = {}
    for block in blocks(page, "python"):
        code = compile(block, str(page), "exec")
        exec(code, names)  # the pages are our own
    for block in blocks(page, "sql"):
        assert duckdb.execute(block).fetchall(), block


def test_pages_use_different_directories() -> None:
    """A reader who follows all pages never meets an existing directory."""
    used: dict[str, str] = {"runs/demo": "make demo"}
    for page in HAND_MADE:
        text = page.read_text("utf-8").replace("\\\n", " ")
        lines = [
            line
            for line in re.findall(r"^(?:\$ )?pantala run .*$", text, re.MULTILINE)
            if "# exits with" not in line and "--dry-run" not in line
        ]
        for line in lines:
            words = shlex.split(line.removeprefix("$ "), comments=True)
            file = ROOT / words[2]
            name = "?"
            if file.exists() and file.suffix == ".toml":
                name = tomllib.loads(file.read_text("utf-8"))["name"]
            out = words[words.index("--out") + 1] if "--out" in words else f"runs/{name}"
            assert used.setdefault(out, str(page)) == str(page), (
                f"{out} is used by {used[out]} and by {page}"
            )
        for out in re.findall(r"^\w+ = pt\.run\(.*out=\"([^\"]+)\"\)$", text, re.MULTILINE):
            assert used.setdefault(out, str(page)) == str(page), (
                f"{out} is used by {used[out]} and by {page}"
            )


def _check_scenario(given: dict[str, Any]) -> None:
    """Check that the keys of a page are valid in a scenario; the page may leave out the rest."""
    halo = {"kind": "halo3d", "grid": [2, 2, 2], "message": "1 kB", "iterations": 1}
    scenario: dict[str, Any] = {
        "name": "page",
        "machine": "wang2020_1d" if "wang2020" in str(given.get("jobs")) else "kang2022",
        "routing": "minimal",
        "jobs": [
            {"name": name, "ranks": 8, "workload": halo} for name in ("first", "second", "fft3d")
        ],
    }
    scenario |= given
    if isinstance(scenario["machine"], dict):
        scenario["machine"] = {"preset": "kang2022"} | scenario["machine"]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", pt.ScenarioWarning)
        pt.Scenario.from_dict(scenario).resolve()


def _run(line: str, shown: str, cli: Cli) -> None:
    words = shlex.split(line, comments=True)
    if words[0] == "make":
        makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
        assert all(re.search(rf"^{target}:", makefile, re.MULTILINE) for target in words[1:]), line
    elif words[0] == "pantala":
        if words[1] == "run" and "--overwrite" not in words:
            words.append("--overwrite")
        ended = cli(*words[1:])
        status = re.search(r"# exits with (\d+)$", line)
        assert ended.status == int(status[1] if status else 0), f"{line}: {ended.err}"
        lines = (
            "(?:.*\\n)*" if text == "...\n" else re.escape(text)
            for text in shown.splitlines(keepends=True)
        )
        assert re.search(f"^{''.join(lines)}", f"{ended.out}\n{ended.err}", re.MULTILINE), (
            f"{line}: {ended}"
        )
    elif words[0] not in SET_UP:
        subprocess.run(["sh", "-c", line], check=True, capture_output=True)
