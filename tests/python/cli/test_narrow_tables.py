"""Tables on narrow terminals: rows become records, and no number or unit is cut."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

import pantala as pt
from small_runs import scenario, small_interference, small_run

pytestmark = pytest.mark.native

#: Numbers as results print them.
NUMBER = re.compile(r"(?<![\w.])\d[\d,]*\.?\d*(?![\w.])")


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a run, an interference experiment and a sweep."""
    folder = tmp_path_factory.mktemp("narrow")
    small_run(folder / "run")
    small_interference(folder / "pair")
    short = scenario("off").replace({"interference": False})
    axes = {"routing.algorithm": ["minimal", "ugal_g"]}
    pt.sweep(short, folder / "sweep", axes=axes, seeds=2, workers=1)
    return folder


COMMANDS = [
    "metrics",
    "profile run",
    "status sweep",
    "compare sweep --by routing.algorithm",
    "compare run pair/together",
    "curve --routing minimal --loads 0.1,0.3 --measure 1us --warmup 1us",
    "workload list",
    "workload table yang2016",
]


@pytest.mark.parametrize("command", COMMANDS)
def test_narrow_terminals_cut_no_number(
    command: str,
    cli: Any,
    results: Path,
    measured_once: None,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(results)
    shown = {}
    for columns in (40, 60, 400):
        monkeypatch.setenv("COLUMNS", str(columns))
        ended = cli(*command.split())
        assert ended.status == 0, ended.err
        shown[columns] = ended.out
    wide = set(NUMBER.findall(shown[400]))
    assert wide
    for columns in (40, 60):
        assert "…" not in shown[columns], "a cell is truncated"
        missing = wide - set(NUMBER.findall(shown[columns]))
        assert not missing, shown[columns]
