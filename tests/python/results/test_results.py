"""Runs as objects: tables, metrics, and how they show themselves in a notebook."""

from __future__ import annotations

import json
import multiprocessing
import pickle
from pathlib import Path

import polars as pl
import pytest

import pantala as pt
from pantala.catalogue.tables import TABLES
from small_runs import small_interference
from sweeps import scenario

pytestmark = pytest.mark.native


@pytest.fixture(scope="module")
def experiment(tmp_path_factory: pytest.TempPathFactory) -> pt.Experiment:
    directory = tmp_path_factory.mktemp("experiment")
    small_interference(directory)
    return pt.Experiment(directory)


@pytest.mark.parametrize("name", list(TABLES))
def test_every_table_is_a_lazy_frame_of_its_schema(experiment: pt.Experiment, name: str) -> None:
    table = getattr(experiment.together, name)
    assert isinstance(table, pl.LazyFrame)
    assert dict(table.collect_schema()) == TABLES[name].polars_schema
    assert (getattr(pt.Run, name).__doc__ or "").startswith("One row per ")


def _jobs_of(path: Path) -> int:
    run = pt.load(path)
    assert isinstance(run, pt.Run)
    return run.jobs.collect().height


def test_a_fork_of_a_process_that_has_opened_a_table_is_told_so(experiment: pt.Experiment) -> None:
    """Without the check it waits for ever."""
    path = experiment.together.path
    assert _jobs_of(path) == 2
    says = r"jobs\.parquet: .* fork .*get_context\('spawn'\)"
    fork = multiprocessing.get_context("fork")
    with fork.Pool(1) as pool, pytest.raises(pt.UsageError, match=says):
        pool.apply(_jobs_of, (path,))
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        assert pool.apply(_jobs_of, (path,)) == 2


def _rows_of(path: Path) -> int:
    swept = pt.load(path)
    assert isinstance(swept, pt.Experiment)
    return swept.table("jobs").collect().height


def test_a_fork_is_told_so_of_a_sweep_whose_runs_have_one_table(tmp_path: Path) -> None:
    made = pt.sweep(scenario(), tmp_path / "swept", workers=1)
    assert made.table("jobs").collect().height == 2
    fork = multiprocessing.get_context("fork")
    with fork.Pool(1) as pool, pytest.raises(pt.UsageError, match=r"in a fork of a process"):
        pool.apply(_rows_of, (made.path,))


def test_results_stay_where_they_are_when_the_working_directory_changes(
    experiment: pt.Experiment, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = experiment.path
    monkeypatch.chdir(folder.parent)
    swept = pt.sweep(scenario(), "swept", workers=1)
    opened = pt.load(folder.name)
    run = pt.load(f"{folder.name}/together")
    assert isinstance(opened, pt.Experiment)
    assert isinstance(run, pt.Run)
    first = run.jobs
    monkeypatch.chdir(tmp_path)
    rows = experiment.together.jobs.collect()
    assert first.collect().equals(rows)
    for each in (run, opened.together, pickle.loads(pickle.dumps(run))):
        assert each.jobs.collect().equals(rows)
        assert each.ranks.collect().equals(experiment.together.ranks.collect())
    assert opened.table("jobs").collect().equals(experiment.table("jobs").collect())
    assert opened.complete
    assert swept.runs["state"].to_list() == ["done"]
    assert swept.table("jobs").collect().height == 2
    # Paths are shown as they were given.
    assert opened.path == Path(folder.name)
    assert opened.together.path == Path(folder.name) / "together"
    assert run.path == opened.together.path


def test_a_table_that_was_not_recorded_is_empty(experiment: pt.Experiment, tmp_path: Path) -> None:
    document = {**experiment.together.document, "tables": {}}
    (tmp_path / "run.json").write_text(json.dumps(document))
    messages = pt.Run(tmp_path).messages.collect()
    assert messages.is_empty()
    assert dict(messages.schema) == TABLES["messages"].polars_schema


def test_every_metric_has_a_value_and_a_text(experiment: pt.Experiment) -> None:
    run = experiment.together
    for metric in run.metrics():
        value = run.metric(metric.name, job=run.job_names[0] if metric.scope == "job" else None)
        assert value is None or isinstance(value, int | float), metric
        assert metric.text.endswith((".", ")"))


def test_metrics_agree_with_the_tables(experiment: pt.Experiment) -> None:
    run, job = experiment.together, experiment.together.job_names[1]
    row = run.jobs.filter(pl.col("name") == job).collect().row(0, named=True)
    assert run.metric("communication_time_std_ns", job=job) == row["communication_time_std_ns"]
    execution = row["end_ns"] - row["start_ns"]
    assert run.metric("execution_time_ns", job=job) == execution
    assert run.metric("message_injection_rate_gb_per_s", job=job) == row["mpi_bytes"] / execution
    assert run.metric("link_injection_rate_gb_per_s", job=job) == row["injected_bytes"] / execution
    loads = run.links.filter(pl.col("class") == "global").collect()["utilization"]
    assert run.metric("global_utilization_max") == loads.max()
    assert experiment.metric("packet_hops") == run.document["counters"]["packet_hops"]


def test_the_job_is_optional_if_there_is_one(experiment: pt.Experiment) -> None:
    name, alone = next(iter(experiment.alone.items()))
    assert alone.metric("packets") == alone.metric("packets", job=name)


@pytest.mark.parametrize(
    ("name", "job", "says"),
    [
        ("comunication_time_mean_ns", "fft3d", "did you mean 'communication_time_mean_ns'?"),
        ("zzz", None, "`pantala metrics` lists them"),
        ("packets", None, "add job = one of"),
        ("packets", "fft", "there is no job 'fft'; the jobs are"),
        ("packet_hops", "fft3d", "remove job"),
    ],
)
def test_an_unavailable_metric_is_rejected(
    experiment: pt.Experiment, name: str, job: str | None, says: str
) -> None:
    with pytest.raises(pt.UsageError, match=says):
        experiment.together.metric(name, job=job)


def test_a_directory_without_a_run_is_rejected(tmp_path: Path) -> None:
    with pytest.raises(pt.RunDirectoryError, match=r"holds no run \(run.json is missing\)"):
        pt.load(tmp_path)
    (tmp_path / "experiments").mkdir()
    with pytest.raises(pt.RunDirectoryError, match=r"name one run of the sweep, .*/runs/"):
        pt.Run(tmp_path)
    (tmp_path / "run.json").write_text("{")
    with pytest.raises(pt.RunDirectoryError, match=r"run\.json cannot be read"):
        pt.load(tmp_path)


def test_a_table_says_what_it_is(experiment: pt.Experiment) -> None:
    jobs = experiment.together.jobs
    assert repr(jobs) == "<LazyFrame: table jobs; collect() reads it>"
    assert repr(jobs.select("name")).startswith("<LazyFrame at ")
    assert repr(experiment.table("jobs")).startswith("<LazyFrame at ")


def test_a_file_is_no_run_and_the_remedy_fits(experiment: pt.Experiment) -> None:
    file = experiment.path / "together" / "jobs.parquet"
    for opened in (pt.Run, pt.load):
        with pytest.raises(pt.RunDirectoryError, match=r"is a file.*name the directory"):
            opened(file)


def test_arguments_of_another_kind_are_named(experiment: pt.Experiment) -> None:
    with pytest.raises(pt.UsageError, match=r"compare: the directories have no titles"):
        pt.compare(str(experiment.path))  # type: ignore[arg-type]
    with pytest.raises(pt.UsageError, match="no column 'routing'; there are none"):
        experiment.differences("end_ns", "routing", "minimal")


def test_results_show_themselves_in_a_notebook(experiment: pt.Experiment) -> None:
    whole, part = experiment._repr_html_(), experiment.together._repr_html_()
    for job in experiment.together.job_names:
        assert f">{job}</td>" in whole
        assert f">{job}</td>" in part
    assert ">slowdown</th>" in whole
    assert ">slowdown</th>" not in part
    assert "incomplete" not in whole
