"""Slowdown: a comparison of equal work alone and together, or null."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import polars as pl
import pytest

import pantala as pt
from hand_made_runs import write_run
from pantala.analysis.slowdown import SLOWDOWN_COLUMNS, accepted_throughput, slowdown_of

MACHINE = {"preset": "kang2022", "topology": {"p": 2, "a": 4, "h": 2, "g": 9}}
HALO = {"kind": "halo3d", "message": "16 KiB", "iterations": 6, "compute": "2 us"}
HALO |= {"exchange": "at_once", "start_delay": "0 ns"}
NOISE = {"kind": "pattern", "pattern": "uniform", "load": 0.3}


@dataclass
class Written:
    """A run of one job with two ranks. An iteration takes 10 ns, `time` of it in MPI."""

    time: float
    #: Finished iterations of rank 0 and rank 1.
    finished: tuple[int, int]
    complete: bool = True
    recorded: bool = True
    #: The phases of an iteration.
    phases: tuple[str | None, ...] = (None,)

    @property
    def document(self) -> dict[str, Any]:
        return {
            "plan": {
                "jobs": [{"workload": {"kind": "stencil"}}],
                "record": {"iterations": self.recorded},
            }
        }

    @property
    def jobs(self) -> pl.LazyFrame:
        times = {f"communication_time_{key}_ns": 100 * self.time for key in ("mean", "std", "max")}
        end = 10.0 * max(self.finished) + 5 if self.complete else None
        row = {
            "job": 0,
            "name": "a",
            "ranks": 2,
            "start_ns": 5.0,
            "end_ns": end,
            "complete": self.complete,
            "mpi_bytes": 0,
            **times,
        }
        return pl.LazyFrame([row])

    @property
    def iterations(self) -> pl.LazyFrame:
        rows = [
            {
                "job": 0,
                "rank": rank,
                "motif": 0,
                "iteration": i,
                "phase": phase,
                "end_ns": 15.0 + 10 * i,
                "communication_time_ns": self.time + rank,
            }
            for rank, count in enumerate(self.finished if self.recorded else (0, 0))
            for i in range(count)
            for phase in self.phases
        ]
        numbers: dict[str, Any] = {
            "job": pl.UInt16,
            "rank": pl.UInt32,
            "motif": pl.UInt16,
            "iteration": pl.UInt32,
        }
        times = {"end_ns": pl.Float64, "communication_time_ns": pl.Float64}
        return pl.LazyFrame(rows, numbers | {"phase": pl.String} | times)


def compared(alone: Written | None, together: Written) -> dict[str, Any]:
    runs = {} if alone is None else {"a": cast("pt.Run", alone)}
    found = slowdown_of(cast("pt.Run", together), runs)
    assert found.columns == list(SLOWDOWN_COLUMNS)
    return found.row(0, named=True)


def test_phases_of_an_iteration_count_once() -> None:
    phases = ("bcast", "sweep")
    alone, together = Written(3, (4, 4), False, phases=phases), Written(6, (2, 3), phases=phases)
    row = compared(alone, together)
    assert (row["compared"], row["compared_iterations"]) == ("iterations", 2)
    assert row["alone_communication_time_mean_ns"] == 2 * 2 * 3.5


def test_jobs_that_end_are_compared_over_both_whole_runs() -> None:
    row = compared(Written(3, (4, 4)), Written(6, (4, 4)))
    assert (row["compared"], row["slowdown"], row["run_time_slowdown"]) == ("run", 2, 1)
    assert (row["alone_communication_time_mean_ns"], row["alone_run_time_ns"]) == (300, 40)
    assert row["compared_iterations"] == row["alone_iterations"] == 4


@pytest.mark.parametrize("cut", ["together", "alone", "both"])
def test_a_truncated_job_is_compared_over_common_iterations(cut: str) -> None:
    short, long = (3, 2), (4, 4)  # only rank 0 finishes the third iteration of the short run
    alone = Written(3, long if cut == "together" else short, complete=cut == "together")
    together = Written(6, long if cut == "alone" else short, complete=cut == "alone")
    row = compared(alone, together)
    assert (row["compared"], row["compared_iterations"]) == ("iterations", 2)
    assert row["alone_communication_time_mean_ns"] == 2 * 3.5
    assert row["alone_communication_time_max_ns"] == 2 * 4
    assert row["alone_communication_time_std_ns"] == 1
    assert row["slowdown"] == 6.5 / 3.5
    assert (row["alone_run_time_ns"], row["run_time_slowdown"]) == (20, 1)
    assert row["alone_iterations"] == (4 if cut == "together" else 2)
    assert row["together_iterations"] == (4 if cut == "alone" else 2)


@pytest.mark.parametrize(
    ("alone", "together", "iterations"),
    [
        (Written(3, (4, 4)), Written(6, (1, 0), complete=False), 0),
        (Written(3, (0, 0), complete=False), Written(6, (0, 0), complete=False), 0),
        (
            Written(3, (4, 4), recorded=False),
            Written(6, (2, 2), complete=False, recorded=False),
            None,
        ),
        (None, Written(6, (2, 2)), None),
    ],
    ids=["not_once_together", "not_once", "not_recorded", "not_alone"],
)
def test_without_a_common_iteration_there_is_no_slowdown(
    alone: Written | None, together: Written, iterations: int | None
) -> None:
    row = compared(alone, together)
    assert row["compared"] == (None if alone is None else "nothing")
    assert row["compared_iterations"] == iterations
    assert {row[name] for name in row if name.endswith(("_ns", "slowdown"))} == {None}


def test_a_job_that_did_not_communicate_has_no_slowdown() -> None:
    row = compared(Written(0, (4, 4)), Written(6, (4, 4)))
    assert (row["slowdown"], row["run_time_slowdown"]) == (None, 1)


def scenario(*jobs: pt.Job, **options: Any) -> pt.Scenario:
    record = {"packets": "off", "window": "2 us"}
    return pt.Scenario(
        name="x",
        machine=MACHINE,
        routing="minimal",
        interference=True,
        jobs=jobs,
        record=record,
        **options,
    )


def experiment_of(scenario: pt.Scenario, out: Path) -> pt.Experiment:
    experiment = pt.run(scenario, out=out, report=False)
    assert isinstance(experiment, pt.Experiment)
    return experiment


@pytest.mark.native
def test_a_duration_truncates_the_jobs(tmp_path: Path) -> None:
    jobs = (
        pt.Job(name="halo", ranks=27, workload=HALO),
        pt.Job(name="other", ranks=27, workload=HALO),
    )
    whole = experiment_of(scenario(*jobs), tmp_path / "whole")
    assert whole.complete
    cut = experiment_of(scenario(*jobs, stop={"duration": "12 us"}), tmp_path / "cut")
    assert not cut.complete
    assert not cut.together.complete
    assert cut.together.document["reason"] == "duration"
    row, full = (experiment.slowdown.collect().row(0, named=True) for experiment in (cut, whole))
    assert (full["compared"], full["compared_iterations"]) == ("run", 6)
    assert full["slowdown"] == whole.metric("slowdown", job="halo")
    assert row["compared"] == "iterations"
    assert (
        0
        < row["compared_iterations"]
        == min(row["alone_iterations"], row["together_iterations"])
        < 6
    )
    # The compared iterations equal those of the whole runs, to the picosecond.
    first = whole.together.iterations.filter(
        pl.col("job") == 0, pl.col("iteration") < row["compared_iterations"]
    )
    of_ranks = first.group_by("rank").agg(pl.col("communication_time_ns").sum()).collect()
    assert row["together_communication_time_mean_ns"] == pytest.approx(
        of_ranks["communication_time_ns"].mean()
    )
    short = scenario(*jobs).replace({"stop.duration": "1 us", "record.window": "1 us"})
    nothing = experiment_of(short, tmp_path / "nothing")
    assert nothing.slowdown.collect()["slowdown"].to_list() == [None, None]
    assert nothing.slowdown.collect()["compared"].to_list() == ["nothing", "nothing"]


@pytest.mark.parametrize(
    ("end_ns", "start_ns", "length_ns"),
    [(400, 100, 300), (2000, 100, 900), (None, 100, 900), (400, 500, None)],
)
def test_accepted_throughput_is_over_the_time_in_which_a_job_sent(
    tmp_path: Path, end_ns: int | None, start_ns: float, length_ns: float | None
) -> None:
    job = {"delivered_bytes": 900, "start_ns": start_ns, "end_ns": None}
    run = pt.Run(write_run(tmp_path / "run", {"a": job}))  # it lasts 1000 ns
    run.document["plan"]["jobs"][0]["end_ps"] = None if end_ns is None else 1000 * end_ns
    accepted = accepted_throughput(run, 0)
    if length_ns is None:
        assert accepted is None
    else:
        bandwidth = run.plan["links"]["terminal"]["bandwidth_bytes_per_s"] / 1e9
        assert accepted == pytest.approx(900 / length_ns / run.plan["jobs"][0]["ranks"] / bandwidth)


@pytest.mark.native
def test_patterns_are_compared_by_latency_and_accepted_throughput(tmp_path: Path) -> None:
    hot = NOISE | {"pattern": "hotspot", "load": 0.9, "hotspot_share": 0.5}
    jobs = (
        pt.Job(name="noise", ranks=30, workload=NOISE),
        pt.Job(name="hot", ranks=30, workload=hot),
    )
    experiment = experiment_of(scenario(*jobs, stop={"duration": "10 us"}), tmp_path / "run")
    assert experiment.complete, "a pattern cannot be truncated"
    noise, hot_row = experiment.slowdown.collect().to_dicts()
    assert noise["compared"] == "duration"
    alone, together = experiment.alone["noise"], experiment.together
    latency = [
        run.metric("packet_latency_mean_ns", job="noise") or 0.0 for run in (alone, together)
    ]
    assert noise["packet_latency_slowdown"] == latency[1] / latency[0] > 1
    assert noise["alone_accepted_throughput"] == pytest.approx(0.3, abs=0.02)
    assert (
        noise["accepted_throughput_slowdown"]
        == noise["alone_accepted_throughput"] / noise["together_accepted_throughput"]
    )
    assert hot_row["together_accepted_throughput"] < 0.5, "saturated"
    assert noise["slowdown"] is None
    assert noise["run_time_slowdown"] is None
    assert (
        experiment.metric("packet_latency_slowdown", job="noise")
        == noise["packet_latency_slowdown"]
    )


@pytest.mark.native
def test_a_pattern_runs_alone_for_the_same_time(tmp_path: Path) -> None:
    jobs = (
        pt.Job(name="noise", ranks=30, workload=NOISE),
        pt.Job(name="halo", ranks=27, workload=HALO),
    )
    experiment = experiment_of(scenario(*jobs), tmp_path / "run")
    assert [part["part"] for part in experiment.document["parts"]] == [
        "alone-halo",
        "together",
        "alone-noise",
    ]
    assert list(experiment.alone) == ["noise", "halo"], "in the scenario's order"
    assert (
        experiment.alone["noise"].document["simulated_ns"]
        == experiment.together.document["simulated_ns"]
    )
    assert experiment.alone["noise"].complete
    assert experiment.slowdown.collect()["compared"].to_list() == ["duration", "run"]
