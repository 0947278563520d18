"""A few cases of the parts of the campaign that disturb commands and measure loads."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from campaign import trial
from campaign.heavy import LOADS
from campaign.parts import kill, load, soak
from campaign.stretch import Stretch
from campaign.trial import Trial
from campaign.victims import VICTIMS, broken_files, is_temporary, prepare

pytestmark = pytest.mark.native


def test_a_half_written_file_is_found(tmp_path: Path) -> None:
    (tmp_path / "runs").mkdir()
    (tmp_path / "runs/run.json").write_text('{"complete": tr')
    (tmp_path / "page.html").write_text("<html><body>")
    (tmp_path / "table.parquet").write_bytes(b"PAR1")
    (tmp_path / ".page.html~host~1~000000000000.partial").write_text("<html>")
    (tmp_path / "x.unfinished").mkdir()
    (tmp_path / "x.unfinished/rank.operations").write_bytes(b"PANTOPS")
    (tmp_path / "partial").mkdir()
    (tmp_path / "partial/run.json").write_text("{")
    assert [each.partition(":")[0] for each in broken_files(tmp_path)] == [
        "page.html",
        "runs/run.json",
        "table.parquet",
    ]
    assert is_temporary(".x~host~1~000000000000.scratch")


def test_every_command_meets_every_fault_that_it_can() -> None:
    cases = kill.cases()
    assert len(cases) == len(set(cases))
    assert {name for name, _ in cases} == set(VICTIMS)
    assert len([name for name, _ in cases if name == "sweep"]) == 10
    drawn = kill.round_of()
    assert set(drawn) == set(cases)
    for name in VICTIMS:
        assert len([fault for each, fault in drawn if each == name and fault in kill.KILLS]) == 10


def test_tracebacks_are_found_but_those_of_the_tracker_of_resources() -> None:
    traced = (
        'Traceback (most recent call last):\n  File "/x/{}.py", line 239, in main\nKeyError: 1\n'
    )
    tracker = traced.format("resource_tracker")
    assert not trial._traceback(f"12 runs\n{tracker}{tracker}done")
    assert trial._traceback(tracker + traced.format("sweep"))
    assert trial._traceback("thread main panicked at x.rs:1:1")


@pytest.mark.slow
@pytest.mark.parametrize("fault", ["all", "handles"])
def test_a_disturbed_export_is_the_same_afterwards(tmp_path: Path, fault: str) -> None:
    prepare(tmp_path / "inputs")
    wanted, seconds = kill._undisturbed("export", tmp_path / "inputs", tmp_path)
    where = tmp_path / "trial"
    (tmp_path / "inputs").rename(where)
    trial = Trial(VICTIMS["export"], where, tmp_path / "cache", Random(1), seconds)
    kill._FAULTS[fault](trial, wanted, None)
    assert trial.wrong == []


def test_slopes_have_intervals() -> None:
    draw = Random(3)
    at = [float(each) for each in range(200)]
    flat, half = soak.slope_of(at, [100 + draw.gauss(0, 1) for _ in at])
    assert soak.is_flat(flat, half, 0.02)
    grown, half = soak.slope_of(at, [100 + each + draw.gauss(0, 1) for each in at])
    assert grown == pytest.approx(1, abs=0.02)
    assert not soak.is_flat(grown, half, 0.5)
    assert soak.slope_of(at, [7.0] * 200) == (0.0, 0.0)


@pytest.mark.parametrize(("minutes", "failed"), [(25, 0), (50, 1)])
def test_a_long_run_is_judged_when_its_buffers_are_full(
    tmp_path: Path, minutes: int, failed: int
) -> None:
    stretch = Stretch("soak", 1, 0, tmp_path, tmp_path)
    row = "q_adaptive, all records"
    growing = [(second / 3600, 1e5 + 300.0 * second, 9.0) for second in range(60 * minutes)]
    soak._judge(stretch, 1, row, soak._SOAKS[row], (60.0 * minutes, 60.0 * minutes, growing))
    assert str(stretch.results.rows[row]["memory"]).startswith("1.08e+06 ± ")
    assert len(stretch.results.failures) == failed


def test_loads_go_from_small_to_large() -> None:
    sizes = load.sizes()
    assert len(sizes) == len(set(sizes))
    assert {name for name, _ in sizes} == set(LOADS)
    assert all(list(each.sizes) == sorted(each.sizes) for each in LOADS.values())
