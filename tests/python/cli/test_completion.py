"""Shell completion: commands, options, names, files, and the functions that shells define."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import pantala as pt
from support import ROOT, Ended

Cli = Callable[..., Ended]
Complete = Callable[[str], list[str]]


@pytest.fixture
def complete(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> Complete:
    """Returns the words that bash offers for the last word of a line."""

    def offered(line: str) -> list[str]:
        monkeypatch.setenv("_PANTALA_COMPLETE", "complete_bash")
        monkeypatch.setenv("COMP_WORDS", line)
        monkeypatch.setenv("COMP_CWORD", str(len(line.split(" ")) - 1))
        ended = cli()
        assert (ended.status, ended.err) == (0, "")
        return ended.out.split()

    return offered


def test_commands_and_options_are_completed(complete: Complete) -> None:
    assert {"run", "check", "curve", "workload", "study"} <= set(complete("pantala "))
    assert complete("pantala che") == ["check"]
    assert complete("pantala workload s") == ["show"]
    assert {"--out", "--overwrite", "--no-report"} <= set(complete("pantala run --"))
    assert {"--offset", "--preset"} <= set(complete("pantala curve --"))


@pytest.mark.parametrize(
    ("line", "offered"),
    [
        ("pantala curve --preset kan", ["kang2022"]),
        ("pantala curve --preset sst", ["sst_merlin_2021", "sst_sc22"]),
        (
            "pantala curve --routing ugal",
            [routing.name for routing in pt.ROUTINGS if routing.name.startswith("ugal")],
        ),
        ("pantala curve --pattern ne", ["next_group", "neighbor_3d"]),
        ("pantala topology --preset th", ["theta"]),
        ("pantala topology --global-arrangement p", ["palmtree"]),
        ("pantala bench mil", ["million"]),
        ("pantala workload show lq", ["lqcd"]),
        ("pantala workload table w", ["wang2020"]),
        ("pantala study run p", ["prisacari2015"]),
    ],
)
def test_names_are_completed(complete: Complete, line: str, offered: list[str]) -> None:
    assert complete(line) == offered


def test_scenario_files_are_completed(complete: Complete, workdir: Path) -> None:
    for name in ("a.toml", "ab.toml", "ab.txt", ".hidden.toml", "deep/er/c.toml"):
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        Path(name).touch()
    for command in ("run", "check", "curve", "topology", "workload show"):
        assert complete(f"pantala {command} ab.") == ["ab.toml"]
        assert complete(f"pantala {command} deep/er/") == ["deep/er/c.toml"]
        assert complete(f"pantala {command} d") == ([] if command != "workload show" else ["dl"])
    assert complete("pantala run .h") == [".hidden.toml"]
    assert complete("pantala run none/") == []
    assert complete("pantala check a.toml --plan a") == [], "the shell itself completes files"


SHELLS = {
    "bash": (
        'eval "$SCRIPT"; COMP_WORDS=(pantala curve --preset kan); COMP_CWORD=3; _pantala_completion'
        ' pantala; echo "${COMPREPLY[@]}"'
    ),
    "fish": 'echo $SCRIPT | source; complete -C "pantala curve --preset kan"',
}


@pytest.mark.parametrize(
    "shell", [pytest.param(shell, marks=pytest.mark.needs(shell)) for shell in SHELLS]
)
def test_the_shell_itself_completes(shell: str, tmp_path: Path) -> None:
    command = tmp_path / "pantala"
    command.write_text(f'#!/bin/sh\nexec {sys.executable} -m pantala "$@"\n')
    command.chmod(0o755)
    path = f"{tmp_path}:/usr/bin:/bin"
    env = {
        "PATH": path,
        "HOME": str(tmp_path),
        "PYTHONPATH": str(ROOT / "python"),
        "LC_ALL": "C.UTF-8",
    }
    named = {"_TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION": "1"}
    line = [str(command), "--show-completion", shell]
    script = subprocess.run(
        line, capture_output=True, text=True, check=True, env=env | named
    ).stdout
    if shell == "fish":
        script = script.strip()
    ended = subprocess.run(
        [shell, "-c", SHELLS[shell]],
        capture_output=True,
        text=True,
        check=True,
        env=env | {"SCRIPT": script},
    )
    assert ended.stdout.split() == ["kang2022"], ended.stderr


def test_every_preset_can_be_completed(complete: Complete) -> None:
    offered = set(complete("pantala curve --preset "))
    machines = {name.partition("(")[0] for name in offered}
    assert {*pt.router_presets(), *pt.machine_presets()} == machines
