"""`--no-programs` and PANTALA_NO_PROGRAMS: no Python file that an input names runs."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from pantala.system.permission import NO_PROGRAMS
from support import SMALL, Ended

Cli = Callable[..., Ended]
pytestmark = pytest.mark.native

#: Code that leaves a file where it ran.
TELLTALE = "from pathlib import Path\nPath('ran').touch()\n"


@pytest.fixture
def program(workdir: Path) -> Path:
    """Returns a scenario with a program."""
    (workdir / "program.py").write_text(f"{TELLTALE}def program(mpi):\n    mpi.barrier()\n")
    scenario = workdir / "with.toml"
    scenario.write_text(
        "name = 'with'\nrouting = 'minimal'\n"
        "machine = { preset = 'kang2022', topology = { p = 2, a = 4, h = 2, g = 9 } }\n"
        "[[jobs]]\nname = 'mine'\nranks = 4\n"
        "workload = { kind = 'python', file = 'program.py' }\n"
        "[[jobs]]\nname = 'other'\nranks = 4\nworkload = { kind = 'uniform_random' }\n"
    )
    return scenario


@pytest.mark.parametrize(
    "words",
    [
        ("check",),
        ("run",),
        ("run", "--set", "interference=true"),
        ("sweep", "--seeds", "2"),
        ("sweep", "--dry-run"),
    ],
)
def test_a_scenario_with_a_program_is_refused(
    cli: Cli, program: Path, words: tuple[str, ...]
) -> None:
    ended = cli(words[0], program, *words[1:], "--no-programs")
    assert ended.status == 2
    assert ended.err.count("\n") == 1
    assert "program.py: is Python code, which --no-programs" in ended.err
    assert not Path("ran").exists()
    assert not Path("runs").exists()
    assert NO_PROGRAMS not in os.environ


def test_the_variable_refuses_everywhere(
    cli: Cli, program: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(NO_PROGRAMS, "1")
    for words in (("check",), ("workload", "show")):
        assert cli(*words, program).status == 2
    assert not Path("ran").exists()
    monkeypatch.setenv(NO_PROGRAMS, "0")
    assert cli("check", program).status == 0
    assert Path("ran").exists()


def test_an_experiment_in_python_is_refused(cli: Cli, workdir: Path) -> None:
    file = workdir / "experiment.py"
    file.write_text(f"{TELLTALE}experiment = {{}}\n")
    ended = cli("sweep", file, "--no-programs")
    assert (ended.status, ended.err.count("\n")) == (2, 1)
    assert "is Python code" in ended.err
    assert not Path("ran").exists()


def test_measures_of_a_study_are_refused_unless_pantala_brings_them(
    cli: Cli, workdir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import shutil

    from support import ROOT

    shutil.copytree(ROOT / "examples/study", workdir / "study")
    measures = workdir / "study/measures.py"
    measures.write_text(TELLTALE + measures.read_text())
    monkeypatch.setenv(NO_PROGRAMS, "1")
    ended = cli("study", "claims", "study", "--out", "out")
    assert ended.status == 2
    assert "measures.py: is Python code" in ended.err
    assert not Path("ran").exists()
    assert cli("study", "claims", "kang2022", "--out", "out2").status == 0


def test_other_scenarios_run(cli: Cli, workdir: Path) -> None:
    (workdir / "small.toml").write_text(SMALL)
    assert cli("check", "small.toml", "--no-programs").status == 0
