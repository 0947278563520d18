"""A folder's name is a name: characters that patterns of files use have no meaning in it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

import pantala as pt
from pantala.cli.titles import titles
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


def test_runs_of_experiments_have_the_names_that_were_given(tmp_path: Path) -> None:
    for name in ("one", "other"):
        (tmp_path / "store" / f"hash-{name}").mkdir(parents=True)
        (tmp_path / name).mkdir()
        (tmp_path / name / "together").symlink_to(tmp_path / "store" / f"hash-{name}")
    paths = [tmp_path / name / "together" for name in ("one", "other")]
    assert titles(paths) == ["one/together", "other/together"]
