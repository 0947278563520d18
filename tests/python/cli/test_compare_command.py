"""`make compare`: executables from options and a file, the table, missing simulators."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from compare import __main__ as command
from simulator_stand_ins import BOOKSIM, CAMINOS, CODES, SST, Standing, program
from support import ROOT


def test_paths_come_from_options_and_a_file(tmp_path: Path) -> None:
    own, other = program(tmp_path, ""), str(tmp_path / "program")
    file = tmp_path / "paths.toml"
    file.write_text(f"codes = '{own}'\nsst = '/no/such/sst'\n")
    assert command.paths({"sst": other, "caminos": ""}, file) == {"codes": own, "sst": other}


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (
            ["--caminos", "/no/such/caminos"],
            "caminos = '/no/such/caminos': there is no such executable",
        ),
        (["uniform-73"], "there is no benchmark 'uniform-73'"),
        (["apps-1056"], "apps-1056: cannot be compared"),
        (["--paths", "no-such.toml"], "no-such.toml: cannot be read"),
    ],
)
def test_mistakes_are_reported(arguments: list[str], text: str) -> None:
    ended = CliRunner().invoke(command.app, arguments)
    assert ended.exit_code == 2
    assert text in ended.stderr


def test_all_simulators_are_compared(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    options = ["--repeats", "1", "--keep", str(tmp_path / "kept")]
    for name, text in (("sst", SST), ("codes", CODES), ("booksim", BOOKSIM), ("caminos", CAMINOS)):
        options += [f"--{name}", program(tmp_path, text, name)]
    monkeypatch.setattr(command, "Pantala", lambda: Standing("pantala", 2e6))
    monkeypatch.setattr(sys, "executable", program(tmp_path, "", "ours"))
    ended = CliRunner().invoke(command.app, ["uniform-72", *options])
    assert ended.exit_code == 0, ended.output
    shown = ended.stdout
    assert "failed" not in shown
    assert "uniform-72: 72 nodes, minimal, load 0.5" in shown
    rows = [line.split() for line in shown.splitlines()]
    for title in ("SST", "CODES", "BookSim2", "CAMINOS"):
        assert any(row[:3] == [title, "1", "200"] for row in rows), title
    for line in (
        "CAMINOS: palmtree global link arrangement",
        "BookSim2: packet-hops are computed",
        "CODES: packet-hops are its own statistics",
    ):
        assert line in shown
    assert shown.count("no path given") == 1
    assert "SST, fork of SC 2022: no path given. To install: build" in shown
    assert (tmp_path / "kept" / "uniform-72" / "caminos" / "caminos.cfg").is_file()


def test_missing_simulators_are_listed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    broken = program(tmp_path, "import sys; sys.exit('no such option')", "caminos")
    monkeypatch.setattr(command, "Pantala", lambda: Standing("pantala", 2e6))
    monkeypatch.setattr(sys, "executable", program(tmp_path, "", "ours"))
    ended = CliRunner().invoke(command.app, ["uniform-72", "--caminos", broken, "--repeats", "1"])
    assert ended.exit_code == 0, ended.output
    assert "exited with status 1: no such option" in ended.stdout
    assert ended.stdout.count("no path given. To install:") == 4
    assert "BookSim2: no path given. To install: not in a package registry: clone" in ended.stdout


def test_the_makefile_names_every_simulator() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    (line,) = (line for line in makefile.splitlines() if line.startswith("PEERS :="))
    assert line.split()[2:] == [simulator.key.upper() for simulator in command.SIMULATORS]
