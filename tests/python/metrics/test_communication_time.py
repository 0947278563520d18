"""What counts as communication time: the application's MPI calls, not MPI_Init and MPI_Finalize.

The checks hold for every front end. The host stack of SST gives MPI_Init a time, and makes
MPI_Finalize a barrier.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl
import pytest

import pantala as pt
from pantala import figures, metrics
from pantala.importers.ember import ember_scenario
from pantala.metrics.times import OUTSIDE
from pantala.papers.chunduri2021.table import of_calls
from support import ROOT

pytestmark = pytest.mark.native

_EXAMPLES = ROOT / "examples"
_SMALL = {"preset": "kang2022", "topology": {"p": 2, "a": 4, "h": 2, "g": 9}}
#: A job of each front end: its ranks and its workload.
JOBS: dict[str, tuple[int, dict[str, Any]]] = {
    "motif": (6, {"kind": "stencil5d", "grid": [3, 2, 1, 1, 1], "message": "20 kB"}),
    "ncptl": (2, {"kind": "ncptl", "file": str(_EXAMPLES / "programs/ping_pong.ncptl")}),
    "python": (64, {"kind": "python", "file": str(_EXAMPLES / "programs/halo_allreduce.py")}),
    "dumpi": (8, {"kind": "trace", "path": str(_EXAMPLES / "traces/ring")}),
    "goal": (16, {"kind": "trace", "path": str(_EXAMPLES / "traces/binomial_tree.goal")}),
}


def _ran(scenario: pt.Scenario, directory: Path) -> pt.Run:
    run = pt.run(scenario, directory, progress=False, report=False)
    assert isinstance(run, pt.Run)
    assert run.complete, run.document["diagnosis"]
    return run


def _checked(run: pt.Run) -> pl.DataFrame:
    """Returns the ranks of a run after the checks of their times."""
    ranks = run.ranks.collect()
    times = ["compute_time_ns", "communication_time_ns", "init_ns", "finalize_ns"]
    lasts = ranks["end_ns"] - ranks["start_ns"]
    assert ranks.select(pl.sum_horizontal(times)).to_series().to_list() == pytest.approx(
        lasts.to_list()
    )
    assert ranks["init_ns"].to_list() == [180.0] * ranks.height
    assert ranks["finalize_ns"].min() > 0  # type: ignore[operator]
    calls = run.calls.collect()
    outside = pl.col("call").is_in(OUTSIDE)
    communication = calls.filter(~outside)["time_ns"].sum()
    assert ranks["communication_time_ns"].sum() == pytest.approx(communication)
    for name in OUTSIDE:
        rows = calls.filter(call=name)
        assert rows["calls"].sum() == ranks.height
        assert ranks[f"{name}_ns"].sum() == pytest.approx(rows["time_ns"].sum())
    jobs = run.jobs.collect()
    means = ranks.group_by("job").agg(pl.col("communication_time_ns").mean()).sort("job")
    assert jobs["communication_time_mean_ns"].to_list() == pytest.approx(
        means["communication_time_ns"].to_list()
    )
    return ranks


def _of(name: str, directory: Path) -> pt.Run:
    ranks, workload = JOBS[name]
    scenario = pt.Scenario.from_dict(
        {
            "name": name,
            "machine": _SMALL,
            "routing": "minimal",
            "mpi": "sst_sc22",
            "record": {"rank_calls": True, "iterations": True},
            "jobs": [{"name": name, "ranks": ranks, "workload": workload}],
        }
    )
    return _ran(scenario, directory)


@pytest.mark.parametrize("name", JOBS)
def test_communication_is_the_calls_of_the_application(name: str, tmp_path: Path) -> None:
    _checked(_of(name, tmp_path / "run"))


def test_ember_counts_the_calls_of_its_motifs(tmp_path: Path) -> None:
    """All calls of the motif are in its iterations, so the two tables agree."""
    load = tmp_path / "one.load"
    load.write_text(
        "[JOB_ID] 0\n[NID_LIST] 0-7\n[MOTIF] Init\n"
        "[MOTIF] Halo3D iterations=2 doreduce=0 nx=8 ny=8 nz=8 pex=4 pey=2 pez=1 computetime=500\n"
        "[MOTIF] Fini\n"
    )
    tables = ember_scenario(load).tables
    scenario = pt.Scenario(**tables).replace({"mpi": "sst_sc22", "record.iterations": True})
    run = _ran(scenario, tmp_path / "run")
    ranks = _checked(run)
    inside = run.iterations.group_by("rank").agg(pl.col("communication_time_ns").sum()).collect()
    assert inside.sort("rank")["communication_time_ns"].to_list() == pytest.approx(
        ranks["communication_time_ns"].to_list()
    )


def test_shares_and_figures_leave_init_and_finalize_out(tmp_path: Path) -> None:
    run = _of("motif", tmp_path / "run")
    ranks = _checked(run)
    inside, computing = (
        float(ranks[f"{part}_time_ns"].sum()) for part in ("communication", "compute")
    )
    assert metrics.communication_share(ranks) == pytest.approx(inside / (inside + computing))
    assert not set(OUTSIDE) & {str(value) for value in of_calls(run).values()}
    figure = figures.time_in_calls(run)
    labels = {text.get_text() for legend in figure.legends for text in legend.get_texts()}
    assert labels == {"irecv", "send", "wait"}


def test_runs_of_former_versions_have_a_share() -> None:
    ranks = pl.DataFrame({"start_ns": [0.0], "end_ns": [8.0], "communication_time_ns": [2.0]})
    assert metrics.communication_share(ranks) == 0.25
