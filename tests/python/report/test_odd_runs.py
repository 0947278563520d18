"""Tables of the report of odd runs, which the campaign found wrong."""

from __future__ import annotations

from pathlib import Path

import pytest

import pantala as pt
from campaign.odd import odd
from pantala.report.reported_run import ReportedRun
from pantala.report.tables import jobs_table, runs_table

pytestmark = pytest.mark.native


def _run(case: int, out: Path) -> pt.Run:
    found = pt.run(pt.Scenario.from_dict(odd(1, case)[1]), out=out, report=False, progress=False)
    assert isinstance(found, pt.Run)
    return found


def test_a_job_that_its_end_stops_runs_until_then(tmp_path: Path) -> None:
    """The run time and the rates of a job with `end` do not count the time after it."""
    run = _run(35, tmp_path / "run")
    assert run.document["simulated_ns"] > 21_000
    table = jobs_table(ReportedRun.of(run))
    row = dict(zip(table.columns, table.rows[0], strict=True))
    assert row["run time"].value == 21_000
    sent = row["MPI payload"].value
    assert sent is not None
    assert row["message rate, GB/s"].value == pytest.approx(sent / 21_000)


def test_packets_of_a_run_that_skipped_time_are_the_simulated_ones(tmp_path: Path) -> None:
    """The table of simulations counts simulated packets, fewer than the jobs', and says so."""
    run = _run(6, tmp_path / "run")
    assert run.document["counters"]["packets_delivered"] < run.jobs.collect()["packets"].sum()
    assert "without skipped time" in runs_table(ReportedRun.of(run)).caption


def test_a_run_that_skipped_nothing_does_not_speak_of_it(tmp_path: Path) -> None:
    """The caption of the table of simulations is as short as it can be."""
    assert "skipped" not in runs_table(ReportedRun.of(_run(3, tmp_path / "run"))).caption


def test_a_run_without_traffic_has_no_share_of_global_links(tmp_path: Path) -> None:
    """Nothing over nothing is no number."""
    run = _run(2, tmp_path / "run")
    assert run.metric("packets_delivered") == 0
    assert run.metric("global_load_share") is None
