"""Tables of the report of odd runs, which the campaign found wrong."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import pantala as pt
from campaign.odd import odd
from pantala.errors import UsageError
from pantala.figures.drawing import draw
from pantala.report.finding import finding_of, hottest_sentence
from pantala.report.network_figures import NETWORK_FIGURES
from pantala.report.reported_run import ReportedRun
from pantala.report.run_report import render_report
from pantala.report.sentences import cause_sentences, opening
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


def _loops(out: Path, *jobs: dict[str, Any], **keys: Any) -> pt.Run:
    """Runs jobs of three Allreduces on 72 nodes, one after another in the list of nodes."""
    loop = {"kind": "allreduce_loop", "message": "64 KiB", "iterations": 3, "compute": "2 us"}
    data = {
        "name": "loops",
        "machine": {"preset": "kang2022", "topology": {"p": 2, "a": 4, "h": 2, "g": 9}},
        "routing": "minimal",
        "jobs": [
            {"name": f"job{at}", "ranks": 8, "placement": "contiguous", "workload": loop} | job
            for at, job in enumerate(jobs)
        ],
    }
    found = pt.run(pt.Scenario.from_dict(data | keys), out=out, report=False, progress=False)
    assert isinstance(found, pt.Run)
    return found


def test_without_link_windows_the_sentences_say_that_they_are_of_the_whole_run(
    tmp_path: Path,
) -> None:
    """The jobs shared many windows of time; the run has none of them."""
    found = finding_of(_loops(tmp_path, {}, {"start": "20 us"}, record={"link_windows": False}))
    assert "There are no link windows. Over the whole run, the hottest link is" in found
    assert "No whole time window" not in found
    assert found.count("busy over the whole run: ") == 2


def test_the_time_of_utilization_is_that_of_whole_windows_and_says_so(tmp_path: Path) -> None:
    """Jobs that share 3.2 windows are not said to share three."""
    jobs: tuple[dict[str, Any], ...] = ({}, {"start": "23 us"})
    part = ReportedRun.of(_loops(tmp_path / "part", *jobs, record={"window": "2 us"}))
    assert " of whole windows in which all jobs ran, the hottest" in hottest_sentence(part)
    load = NETWORK_FIGURES["load"](part)
    assert load is not None
    assert " of whole windows in which all jobs ran, from 24 µs on." in load.caption.replace(
        "\N{NO-BREAK SPACE}", " "
    )
    whole = ReportedRun.of(_loops(tmp_path / "whole", {}, {}, stop={"duration": "20 us"}))
    assert (
        hottest_sentence(whole)
        .replace("\N{NO-BREAK SPACE}", " ")
        .startswith("In the 20.0 µs in which all jobs ran, the hottest link is")
    )


def test_the_plan_of_a_page_says_when_a_job_starts_and_is_stopped(tmp_path: Path) -> None:
    jobs: tuple[dict[str, Any], ...] = ({}, {"start": "5 us", "end": "20 us", "repeat": True})
    page = render_report(_loops(tmp_path, *jobs)).replace("\N{NO-BREAK SPACE}", " ")
    assert "placement, starts at 5 µs, is stopped at 20 µs, repeats its program" in page


def test_a_run_without_traffic_recorded_windows_all_the_same(tmp_path: Path) -> None:
    page = render_report(_loops(tmp_path, {"ranks": 1}))
    assert "did not record time windows" not in page
    assert "No packet entered the network." in page
    assert "1 ranks" not in page


def test_the_first_lines_on_many_jobs_are_few(tmp_path: Path) -> None:
    """Twelve equal jobs have one sentence each on what binds them, and on who made them wait."""
    run = _loops(tmp_path, *({"ranks": 6} for _ in range(12)), record={"blame": {}})
    reported = ReportedRun.of(run)
    binding = opening(reported)[1].text
    assert "12 jobs (" in binding
    assert "job3" not in binding
    page = render_report(run)
    assert " + 7 more jobs on a Dragonfly of 72 nodes" in page
    assert "The 6 of 12 jobs that wait longest for other jobs:" in page
    assert len(cause_sentences(reported)) == 12


@pytest.mark.parametrize("mode", [False, True])
def test_one_router_has_no_map_of_links(mode: bool, tmp_path: Path) -> None:
    """A warning of NumPy and an empty map before."""
    loop = {"kind": "allreduce_loop", "message": "64 KiB", "iterations": 3, "compute": "2 us"}
    data = {
        "name": "one-router",
        "machine": {"preset": "kang2022", "topology": {"p": 8, "a": 1, "h": 1, "g": 1}},
        "routing": "minimal",
        "interference": mode,
        "jobs": [{"name": name, "ranks": 4, "workload": loop} for name in ("A", "B")],
    }
    found = pt.run(pt.Scenario.from_dict(data), out=tmp_path / "run", progress=False)
    page = (found.path / "report.html").read_text(encoding="utf-8")
    assert "The machine has one router: there is no link between routers." in page
    with pytest.raises(UsageError, match="the machine has one router"):
        draw("link-shift-map" if mode else "link-load-map", {"one": found}, {})
