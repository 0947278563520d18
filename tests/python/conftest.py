"""Fixtures: the command line in this process, a stand-in for the core, a small scenario."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import settings

import pantala
from fake_core import FakeCore
from optional_programs import (  # noqa: F401 - hooks
    pytest_runtest_logreport,
    pytest_runtest_setup,
    pytest_unconfigure,
)
from pantala.cli import main
from pantala.programs.outputs import taken
from support import SMALL, Ended

if TYPE_CHECKING:
    from pantala.papers.application_table import PaperTable, Record

# A slow machine fails no test.
settings.register_profile("pantala", deadline=None)
settings.load_profile("pantala")


@pytest.fixture(autouse=True)
def _outputs_of_programs() -> Iterator[None]:
    """Forgets the outputs of a test's programs, so that no later test finds them."""
    yield
    taken()


@pytest.fixture
def cli(capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Callable[..., Ended]:
    """Runs `pantala` with arguments in this process. It leaves no output of a program untold."""
    monkeypatch.setenv("COLUMNS", "120")

    def run(*arguments: str | Path) -> Ended:
        taken()
        with pytest.raises(SystemExit) as ended:
            main([str(argument) for argument in arguments])
        assert not taken(), "the command does not name the outputs of the programs that it ran"
        out, err = capfd.readouterr()
        assert isinstance(ended.value.code, int)
        return Ended(ended.value.code, out, err)

    return run


@pytest.fixture
def measured_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Measures the tables of papers without runs once a test: their width does not change them."""
    from pantala.papers import application_table

    measure = application_table.measure
    records: dict[str, list[Record]] = {}

    def once(table: PaperTable, **options: Any) -> list[Record]:
        if table.name not in records:
            records[table.name] = measure(table, **options)
        return records[table.name]

    monkeypatch.setattr(application_table, "measure", once)


@pytest.fixture
def fake_core(monkeypatch: pytest.MonkeyPatch) -> FakeCore:
    """Replaces the compiled core by a stand-in."""
    core = FakeCore()
    monkeypatch.setitem(sys.modules, "pantala._core", core)
    monkeypatch.setattr(pantala, "_core", core, raising=False)
    return core


@pytest.fixture
def small(tmp_path: Path) -> Path:
    """Returns the file of a small scenario."""
    path = tmp_path / "small.toml"
    path.write_text(SMALL)
    return path


@pytest.fixture
def workdir(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Changes into an empty directory."""
    path = tmp_path / "work"
    path.mkdir()
    monkeypatch.chdir(path)
    return path
