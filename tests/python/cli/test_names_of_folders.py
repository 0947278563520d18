"""A folder's name is a name: characters that patterns of files use have no meaning in it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

import pantala as pt
from support import Ended
from sweeps import scenario

pytestmark = pytest.mark.native


@pytest.mark.parametrize("name", ["a[1]b", "a*", "what?", "{x,y}"])
def test_runs_and_sweeps_are_read_from_any_folder(
    name: str, tmp_path: Path, cli: Callable[..., Ended]
) -> None:
    run = pt.run(scenario(), out=tmp_path / name / "run")
    assert cli("metrics", "--run", run.path).status == 0
    swept = pt.sweep(scenario(), tmp_path / name / "sweep", seeds=2, workers=1)
    assert swept.table("jobs").collect().height > 0
    assert cli("report", tmp_path / name / "sweep").status == 0
