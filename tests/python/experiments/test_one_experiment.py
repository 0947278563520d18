"""An interference experiment and a sweep are one object: cases, parts, tables, statistics."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

import pantala as pt
from pantala.store.index import entry_of
from pantala.store.run_store import RunStore
from small_runs import scenario, small_interference

pytestmark = pytest.mark.native

VALUE = "communication_time_mean_ns"


@pytest.fixture(scope="module")
def alone(tmp_path_factory: pytest.TempPathFactory) -> pt.Experiment:
    """Returns an interference experiment of `pantala run`."""
    directory = tmp_path_factory.mktemp("run")
    small_interference(directory)
    return pt.Experiment(directory)


@pytest.fixture(scope="module")
def swept(tmp_path_factory: pytest.TempPathFactory) -> pt.Experiment:
    """Returns a sweep of the same scenario over two seeds."""
    made = pt.sweep(scenario("off"), tmp_path_factory.mktemp("sweep"), seeds=2, workers=1)
    assert isinstance(made, pt.Experiment)
    return made


def test_an_interference_experiment_has_one_case(alone: pt.Experiment) -> None:
    """Its runs are a table as those of a sweep, and its parts are runs."""
    assert alone.single
    assert alone.axes == []
    assert alone.cases["case"].to_list() == [0, 0, 0]
    assert alone.runs["state"].to_list() == ["done"] * 3
    assert alone.runs["part"].to_list() == list(alone.parts)
    assert alone.runs["simulated_ns"].null_count() == 0
    assert alone.refused.is_empty()
    assert (alone.complete, alone.missing) == (True, [])
    assert alone.together.path == alone.path / "together", "not its place in the store"


def test_its_tables_and_statistics_are_those_of_a_sweep(alone: pt.Experiment) -> None:
    """Tables of all runs, medians and intervals do not ask who wrote the directory."""
    jobs = alone.table("jobs").filter(pl.col("part") == "together").collect()
    assert jobs[VALUE].to_list() == alone.together.jobs.collect()[VALUE].to_list()
    assert alone.medians(VALUE).height == alone.intervals(VALUE).height == 4
    assert set(alone.slowdowns()["name"]) == {"fft3d", "halo3d"}
    assert alone.effects()["runs"].unique().to_list() == [1]


def test_a_case_of_a_sweep_is_an_experiment_of_one_case(
    swept: pt.Experiment, alone: pt.Experiment
) -> None:
    """Its parts are reached as those of `pantala run`."""
    first = swept.case(0)
    assert first.single
    assert set(first.parts) == set(alone.parts)
    assert list(first.alone) == list(alone.alone)
    assert first.metric("slowdown", job="fft3d") == alone.metric("slowdown", job="fft3d")
    assert first.slowdowns()["case"].unique().to_list() == [0]
    assert swept.slowdowns().height == 2 * first.slowdowns().height
    assert swept.case(1).caveats[-1].text.startswith("This is one seed and one placement.")


def test_parts_need_one_case(swept: pt.Experiment) -> None:
    """The error of a part says how to choose a case."""
    assert not swept.single
    for name in ("parts", "together", "alone", "slowdown"):
        with pytest.raises(pt.UsageError, match=r"has 2 cases; choose one .*case\(NUMBER\)"):
            getattr(swept, name)
    with pytest.raises(pt.UsageError, match=r"there is no case 2; .* lists the 2 cases"):
        swept.case(2)


def test_one_run_is_the_run_together(tmp_path: Path) -> None:
    """Without `interference`, a case has one part, which holds all jobs."""
    plain = scenario("off").replace({"interference": False})
    made = pt.sweep(plain, tmp_path, workers=1)
    assert made.together.job_names == ["fft3d", "halo3d"]
    assert made.together.path == made.parts["interference"].path


def test_a_run_takes_its_cpu_time_on_a_busy_machine(
    swept: pt.Experiment, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A run that waits for a core takes longer; one with threads has more CPU time."""
    store = RunStore(swept.path)
    run = swept.runs["run"][0]
    document = store.document(run)
    for wall, cpu in ((1000.0, 2.0), (2.0, 1000.0)):
        took = {"setup_seconds": 0.0, "wall_seconds": wall, "cpu_seconds": cpu}
        changed = {**document, "provenance": {**document["provenance"], **took}}
        monkeypatch.setattr(RunStore, "document", lambda *_, found=changed: found)
        assert entry_of(store, run)["seconds"] == 2.0


def test_run_time_is_a_value_of_jobs(swept: pt.Experiment) -> None:
    """Chunduri et al. (IPDPS 2021) mark outliers of run time."""
    marked = swept.outliers("execution_time_ns")
    opened = [swept.run(run) for run in marked["run"]]
    expected = [
        run.metric("execution_time_ns", job=name)
        for run, name in zip(opened, marked["name"], strict=True)
    ]
    assert marked["execution_time_ns"].to_list() == expected
