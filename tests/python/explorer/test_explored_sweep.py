"""A sweep in the explorer: its cases as a grid, and each of its runs."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

import pantala as pt
from chromium import chromium
from explored_pages import READY, serving
from pantala.explorer.packed import as_json
from pantala.explorer.page import write_page
from pantala.explorer.subject import subject_of
from recorded import recorded_scenario
from small_runs import scenario as small_scenario

pytestmark = pytest.mark.native


def test_the_grid_has_the_numbers_of_the_experiment(tmp_path: Path) -> None:
    axes = {"routing.algorithm": ["minimal", "ugal_g"], "seed": [1, 2]}
    experiment = pt.sweep(recorded_scenario({}), tmp_path / "sweep", axes=axes)
    subject = subject_of(experiment)
    grid = subject.grid
    assert grid is not None
    assert grid["axes"] == ["routing.algorithm", "seed"]
    jobs = experiment.table("jobs").collect()
    assert len(grid["rows"]) == jobs.height
    place = grid["metrics"].index("communication_time_mean_ns")
    shown = sorted(row["values"][place] for row in grid["rows"])
    assert shown == sorted(jobs["communication_time_mean_ns"])
    numbers = {row["run"] for row in grid["rows"]}
    assert numbers == set(range(len(subject.titles)))
    # The sweep keeps no link windows: the views of links have the whole run, and say so.
    facts = subject.facts(3)
    assert facts["windows"] == 1
    assert "--keep" in facts["missing"]["link_windows"]
    assert subject.answer(3, "groups")[0].height > 0
    write_page(subject, tmp_path / "page.html")
    assert (tmp_path / "page.html").stat().st_size < 15e6


def test_a_sweep_that_keeps_no_packets_may_record_for_the_explorer(tmp_path: Path) -> None:
    experiment = pt.sweep(
        recorded_scenario("explore"), tmp_path / "sweep", seeds=1, keep=["jobs", "blame"]
    )
    assert experiment.complete
    subject = subject_of(experiment)
    assert subject.titles == ["records"]
    assert "blame" not in subject.facts(0)["missing"]


def test_the_slowdowns_of_cases_are_those_of_the_experiment(tmp_path: Path) -> None:
    experiment = pt.sweep(
        small_scenario("off"), tmp_path / "sweep", axes={"routing.algorithm": ["minimal", "ugal_g"]}
    )
    grid = subject_of(experiment).grid
    assert grid is not None
    shown = {
        (row["case"], row["job"]): row["values"][0]
        for row in grid["rows"]
        if row["part"] == "together"
    }
    slowdowns = experiment.slowdowns()
    assert shown == {
        (row["case"], row["name"]): row["slowdown"] for row in slowdowns.iter_rows(named=True)
    }


def test_the_page_says_which_runs_of_a_sweep_are_not_there(tmp_path: Path) -> None:
    """Failed runs are in no cell of the grid; without a sentence nobody would miss them."""
    program = """
def program(mpi, late):
    if late and mpi.rank == 0:
        mpi.recv(1, 8)
    mpi.barrier()
"""
    (tmp_path / "late.py").write_text(program)
    workload = {"kind": "python", "file": str(tmp_path / "late.py"), "function": "program"}
    scenario = {
        "name": "late",
        "routing": "minimal",
        "machine": {"preset": "kang2022", "topology": {"p": 2, "a": 4, "h": 2, "g": 9}},
        "jobs": [{"name": "a", "ranks": 4, "workload": workload | {"arguments": {"late": False}}}],
    }
    experiment = pt.sweep(
        pt.Scenario.from_dict(scenario),
        tmp_path / "sweep",
        axes={"jobs.a.workload.arguments.late": [False, True]},
    )
    subject = subject_of(experiment)
    assert len(subject.titles) == 1
    assert subject.facts(0)["faults"] == ["Not in the results: 1 of 2 runs failed."]


def test_numbers_that_are_none_are_null() -> None:
    assert as_json({"a": [float("nan"), 1.0, float("inf")]}) == '{"a": [null, 1.0, null]}'


def test_a_run_that_delivered_nothing_recorded_its_throughput(tmp_path: Path) -> None:
    """Every run records it, so it is not missing: there are no rows."""
    loop = {"kind": "allreduce_loop", "message": "8 B", "iterations": 1}
    scenario = {
        "name": "silent",
        "routing": "minimal",
        "machine": {"preset": "kang2022", "topology": {"p": 2, "a": 4, "h": 2, "g": 9}},
        "jobs": [{"name": "one", "ranks": 1, "workload": loop}],
    }
    run = pt.run(pt.Scenario.from_dict(scenario), tmp_path / "run", report=False, progress=False)
    assert isinstance(run, pt.Run)
    missing = subject_of(run).facts(0)["missing"]
    assert missing["job_windows"] == "The run recorded the table job_windows, but it has no rows."


@pytest.mark.slow
@pytest.mark.needs("chromium", "bash")
def test_cells_that_differ_little_have_colours_that_differ(tmp_path: Path) -> None:
    """Slowdowns of 0.99 and 1.02 are two colours, not two blacks on a scale from 0."""
    axes = {"routing.algorithm": ["minimal", "ugal_g"]}
    subject = subject_of(pt.sweep(recorded_scenario({}), tmp_path / "sweep", axes=axes))
    assert subject.grid is not None
    for row in subject.grid["rows"]:
        row["values"] = [0.99 if row["case"] else 1.02 for _ in row["values"]]
    with serving(subject) as address, chromium() as page:
        page.size(1280, 900)
        page.open(address)
        page.until(READY)
        colours = page.value(
            "(() => { const c = document.querySelector('#grid canvas');"
            " const scale = c.width / c.clientWidth, pen = c.getContext('2d');"
            " return Array.from({ length: c.height - 30 * scale }, (_, y) =>"
            "   [...pen.getImageData(c.width / 2 + 60 * scale, y, 1, 1).data].slice(0, 3)); })()"
        )
    # Down through the middle of both cells, beside their numbers.
    counted = Counter(map(tuple, colours))
    filled = [colour for colour, _ in counted.most_common() if any(colour)][:2]
    assert sum(abs(a - b) for a, b in zip(*filled, strict=True)) > 100
