"""Figures with a panel for each job show twelve of many jobs, and say which."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

import pantala as pt
from pantala.report.reported_run import ReportedRun
from pantala.report.run_figures import run_figures

pytestmark = pytest.mark.native

#: The keys of figures with a panel for each job in the runs below.
PANELLED = ("throughput", "latency_time", "iterations", "calls_time", "nonminimal_time")


def _run(out: Path, jobs: int) -> pt.Run:
    """Runs jobs of two ranks: a later one communicates longer, and `job0` sends nothing."""
    scenario = pt.Scenario.from_dict(
        {
            "name": "many",
            "machine": {"preset": "kang2022", "topology": {"p": 2, "a": 4, "h": 2, "g": 9}},
            "routing": "valiant_node",
            "record": {"call_events": {}, "routing_windows": "10 us"},
            "jobs": [
                {
                    "name": f"job{at}",
                    "ranks": 2 if at else 1,
                    "workload": {
                        "kind": "allreduce_loop",
                        "message": f"{4 * at + 1} KiB",
                        "iterations": 2,
                        "compute": "1 us",
                    },
                }
                for at in range(jobs)
            ],
        }
    )
    found = pt.run(scenario, out=out, report=False, progress=False)
    assert isinstance(found, pt.Run)
    return found


def test_of_fourteen_jobs_those_that_communicate_longest_have_a_panel(tmp_path: Path) -> None:
    reported = ReportedRun.of(_run(tmp_path / "run", 14))
    assert reported.panels("job_windows") == [f"job{at}" for at in range(2, 14)]
    figures = run_figures(reported)
    for key in PANELLED:
        assert "Of 14 jobs, the 12 that communicate longest have a panel." in figures[key].caption
        svg = figures[key].svg
        assert svg is not None
        assert "job13" in svg
        assert "job1<" not in svg
    assert "have a panel" not in figures["ranks"].caption
    assert "pantala figure rank-iterations RUN --job NAME" in figures["iterations"].caption


def test_targets_come_first_and_jobs_without_rows_have_no_panel(tmp_path: Path) -> None:
    run = _run(tmp_path / "run", 14)
    targets = ReportedRun("many", run, {}, None, targets=["job1"])
    assert targets.panels() == ["job1", *(f"job{at}" for at in range(3, 14))]
    assert "the targets first, have a panel" in run_figures(targets)["throughput"].caption
    silent = ReportedRun("many", run, {}, None, targets=["job0"])
    assert "job0" in silent.panels()
    assert "job0" not in silent.panels("job_windows")
    late = pl.col("job") > 11
    assert silent.panels("iterations", late) == ["job12", "job13"]


def test_of_twelve_jobs_each_has_a_panel(tmp_path: Path) -> None:
    reported = ReportedRun.of(_run(tmp_path / "run", 12))
    assert reported.panels("job_windows") == reported.names
    assert "have a panel" not in run_figures(reported)["throughput"].caption
