"""Figures of counters and samples: the numbers in them, and what they refuse."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import polars as pl
import pytest
from matplotlib.lines import Line2D

import pantala as pt
from pantala import figures
from pantala.errors import UsageError
from pantala.figures.counters import windows_of
from pantala.figures.drawing import draw
from pantala.figures.job_sizes import sizes_of
from pantala.figures.notes import caveats_of_runs
from pantala.figures.scores import scored
from pantala.metrics.samples import percentiles
from small_runs import small_interference
from sweeps import scenario

pytestmark = pytest.mark.native

TIMES = {"terminal": 1000, "local": 2000, "global": 4000}


def run(**tables: Any) -> Any:
    plan = {
        "name": "made",
        "record": {},
        "topology": {"kind": "dragonfly"},
        "derived": {"flit_time_ps": TIMES},
        "jobs": [{"name": name} for name in "ab"],
    }
    lazy = {name: pl.LazyFrame(each) for name, each in tables.items()}
    return SimpleNamespace(document={"plan": plan, "simulated_ns": 100.0}, **lazy)


def _numbers(values: Any) -> Any:
    return np.asarray(values, dtype=float)


def test_counters_are_sums_over_links_and_stalls_are_in_flits() -> None:
    rows = pl.DataFrame(
        {
            "window_start_ns": [0.0, 0.0, 10.0, 20.0],
            "class": ["local", "global", "local", "local"],
            "flits": [10, 30, 4, 5],
            "stall_ns": [40.0, 80.0, 0.0, 2.0],
        }
    )
    found = windows_of(rows, TIMES).sort("window_start_ns")
    # 40 ns of 2 ns and 80 ns of 4 ns; the last window may be cut.
    assert found["flits"].to_list() == [40, 4]
    assert found["stalled_flits"].to_list() == [40.0, 0.0]
    assert found["stalls_to_flits"].to_list() == [1.0, 0.0]


def test_windows_of_several_runs_end_each_at_their_own_time() -> None:
    rows = pl.DataFrame(
        {
            "mode": ["x", "x", "y", "y", "y"],
            "window_start_ns": [0.0, 10.0, 0.0, 10.0, 20.0],
            "class": ["local"] * 5,
            "flits": [1] * 5,
            "stall_ns": [0.0] * 5,
        }
    )
    assert windows_of(rows, TIMES, ["mode"])["mode"].to_list() == ["x", "y", "y"]


def test_core_hours_are_nodes_times_time() -> None:
    jobs = pl.DataFrame(
        {"job": [0, 1, 2], "start_ns": [0.0, 20.0, 0.0], "end_ns": [10.0, None, 5.0]}
    )
    # Two ranks share a node; the last job is a pattern without ranks.
    ranks = pl.DataFrame({"job": [0, 0, 0, 1], "node": [1, 1, 2, 7]})
    found = sizes_of(jobs, ranks, 50.0).sort("job")
    assert found.rows() == [(0, 2, 20.0), (1, 1, 30.0)]


def test_the_curve_of_job_sizes_falls_at_each_size() -> None:
    made = run(
        jobs={"job": [0, 1], "start_ns": [0.0, 0.0], "end_ns": [30.0, 10.0]},
        ranks={"job": [0, 1, 1, 1], "node": [0, 1, 2, 3], "router": [0] * 4},
    )
    (line,) = figures.job_sizes(made).axes[0].lines
    assert isinstance(line, Line2D)
    np.testing.assert_allclose(_numbers(line.get_ydata()), [1.0, 0.5, 0.0])
    np.testing.assert_allclose(np.asarray(line.get_xdata())[1:], [1, 3])


def test_synthetic_traffic_has_core_hours_up_to_its_end() -> None:
    """Its nodes are in the plan only, and a job without an end runs until its key `end`."""
    made = run(
        jobs={"job": [0, 1], "start_ns": [0.0, 10.0], "end_ns": [30.0, None]},
        ranks={"job": [0], "node": [0], "router": [0]},
    )
    plan = made.document["plan"]
    plan["topology"]["p"] = 2
    plan["jobs"][1] |= {"nodes": [4, 5, 6], "end_ps": 20_000}
    (line,) = figures.job_sizes(made).axes[0].lines
    assert isinstance(line, Line2D)
    # Three nodes for 10 ns, and one for 30.
    np.testing.assert_allclose(_numbers(line.get_ydata()), [1.0, 0.5, 0.0])


def test_what_nothing_happened_in_is_no_figure(tmp_path: Path) -> None:
    found = pt.run(
        pt.Scenario.from_dict(
            {
                "name": "silent",
                "routing": "minimal",
                "machine": {"preset": "kang2022", "topology": {"p": 2, "a": 4, "h": 2, "g": 9}},
                "jobs": [
                    {
                        "name": "one",
                        "ranks": 1,
                        "workload": {"kind": "allreduce_loop", "message": "8 B", "iterations": 1},
                    }
                ],
            }
        ),
        out=tmp_path / "run",
        report=False,
        progress=False,
    )
    assert isinstance(found, pt.Run)
    for figure, reason in (
        (figures.group_ring, "no link between routers stalled: .*; name another run"),
        (figures.traffic_shares, "no link carried a packet; name another run"),
        (figures.job_sizes, "no job of silent took time; name another run"),
    ):
        with pytest.raises(UsageError, match=reason):
            figure(found)


def test_percentiles_are_over_nodes_and_windows() -> None:
    values = np.arange(1.0, 2001.0)
    made = run(nic_windows={"request_response_latency_mean_ns": values})
    (axes,) = figures.latency_percentiles(made).axes
    line, few = axes.lines
    expected = [value / 1000 for value in percentiles(values.tolist()).values()]
    np.testing.assert_allclose(_numbers(line.get_ydata()), expected)  # in us
    # Beyond the 99.9th percentile are two of 2,000 samples, beyond the 99.99th none.
    np.testing.assert_allclose(_numbers(few.get_ydata()), expected[-1:])
    assert axes.get_xlabel() == "percentile over 2,000 samples, one per node and window"


def test_ratios_are_of_links_with_a_flit() -> None:
    ends = {"source_router": [0, 1, 2], "target_router": [1, 2, 0]}
    links = {
        "link": [0, 1, 2],
        "class": ["local", "local", "global"],
        **ends,
        "packets": [1, 0, 1],
        "bytes": [1, 0, 1],
        "busy_ns": [20.0, 0.0, 40.0],
        "stall_ns": [10.0, 5.0, 80.0],
    }
    ranks = {"job": [0, 1], "router": [0, 2]}
    made = run(links=links, ranks=ranks, jobs={"job": [0, 1], "name": ["a", "b"]})
    network, local, far = draw("tile-ratios", {"x": made}, {}).axes[:3]
    assert (network.get_title(loc="left"), far.get_title(loc="left")) == ("network links", "global")
    np.testing.assert_allclose(_numbers(local.lines[0].get_xdata()), [0.5, 0.5])
    np.testing.assert_allclose(_numbers(far.lines[0].get_xdata()), [2, 2])
    assert not [text.get_text() for axes in (network, local, far) for text in axes.texts]
    still = run(links={**links, "stall_ns": [0.0, 5.0, 80.0]}, ranks=ranks)
    _, local, far = draw("tile-ratios", {"x": still}, {}).axes[:3]
    # A line at zero lies on the frame.
    assert [text.get_text() for text in local.texts] == ["all are 0"]
    assert not far.texts
    own = draw("tile-ratios", {"x": made}, {"job": "b"})
    assert [axes.get_title(loc="left") for axes in own.axes if axes.lines][1:] == ["global"]
    with pytest.raises(UsageError, match="--job c: the runs have no such job; "):
        draw("tile-ratios", {"x": made}, {"job": "c"})


def test_bars_of_the_run_begin_with_computing() -> None:
    made = run(
        jobs={"job": [0, 1], "name": ["a", "b"]},
        calls={"job": [0, 0], "call": ["wait", "isend"], "time_ns": [60.0, 20.0]},
        ranks={"job": [0, 0], "compute_time_ns": [100.0, 300.0]},
    )
    widths = [
        bar.get_width()  # type: ignore[attr-defined]
        for bar in draw("time-in-calls", {"x": made}, {"measure": "run"}).axes[0].patches
    ]
    assert widths == [200.0, 30.0, 10.0]


def test_scores_have_mean_zero_and_deviation_one_in_each_kind() -> None:
    rows = pl.DataFrame({"name": list("aaabbc"), "time": [1.0, 2.0, 3.0, 9.0, 9.0, 4.0]})
    found = scored(rows, ["name"], "time")
    assert found["z_score"].to_list() == [-1, 0, 1, 0, 0]  # one run of c has no score


@pytest.fixture(scope="module")
def swept(tmp_path_factory: pytest.TempPathFactory) -> pt.Experiment:
    made: pt.Experiment = pt.sweep(
        scenario(),
        tmp_path_factory.mktemp("scores"),
        seeds=3,
        workers=1,
        axes={"routing.algorithm": ["minimal", "par"]},
    )
    return made


def test_a_sweep_has_a_panel_per_job_and_a_point_per_run(swept: pt.Experiment) -> None:
    figure = draw("z-scores", {"x": swept}, {"job": "halo"})
    (axes,) = [each for each in figure.axes if each.get_visible()]
    points = [line for line in axes.lines if line.get_linestyle() == "None"]
    assert sum(len(np.asarray(line.get_xdata())) for line in points) == 6
    scores = np.concatenate([np.asarray(line.get_ydata(), dtype=float) for line in points])
    assert abs(scores.mean()) < 1e-9
    with pytest.raises(UsageError, match=r"no such axis; its axes are: routing\.algorithm"):
        draw("z-scores", {"x": swept}, {"where": {"zzz": "1"}})
    with pytest.raises(UsageError, match=r"--job hal: .* did you mean 'halo'"):
        draw("z-scores", {"x": swept}, {"job": "hal"})
    one = {"where": {"routing.algorithm": "par"}, "metric": "packet_latency_mean_ns"}
    assert draw("z-scores", {"x": swept}, one).axes


def test_each_size_of_a_job_is_a_kind_and_a_panel(tmp_path: Path) -> None:
    """Otherwise the size, not the mode, gives the scores (Chunduri et al., Fig. 3)."""
    made = pt.sweep(
        scenario(),
        tmp_path,
        seeds=2,
        workers=1,
        axes={"routing.algorithm": ["minimal", "par"], "jobs.noise.ranks": [8, 16]},
    )
    figure = draw("z-scores", {"x": made}, {"job": "noise"})
    panels = {axes.get_title(loc="left"): axes for axes in figure.axes if axes.get_visible()}
    assert list(panels) == ["noise, 8 ranks", "noise, 16 ranks"]
    for axes in panels.values():
        points = [line for line in axes.lines if line.get_linestyle() == "None"]
        scores = np.concatenate([np.asarray(line.get_ydata(), dtype=float) for line in points])
        assert len(scores) == 4
        assert abs(scores.mean()) < 1e-9
    assert [text.get_text() for text in figure.legends[0].get_texts()] == ["minimal", "par"]
    titles = [axes.get_title(loc="left") for axes in draw("z-scores", {"x": made}, {}).axes]
    assert titles[:3] == ["halo", "noise, 8 ranks", "noise, 16 ranks"]


def test_scores_of_one_interference_experiment_are_refused(tmp_path: Path) -> None:
    made = small_interference(tmp_path)
    with pytest.raises(UsageError, match=r"z-scores: compares the runs of a sweep; .* sweep wrote"):
        draw("z-scores", {"x": made}, {})


def test_the_caveats_of_a_figure_name_the_runs_of_an_experiment_as_its_report_does(
    tmp_path: Path,
) -> None:
    """A list of runs is separated by commas, so no name of a run has one."""
    found = small_interference(tmp_path / "run")
    for each in (found.together, *found.alone.values()):
        each.document["complete"] = False
        each.document["reason"] = "duration"
    found.alone["fft3d"].document["complete"] = True
    (cut, *_) = caveats_of_runs({"run": found})
    assert cut.text.startswith("together, halo3d alone: Each run ended at its set duration")
    (cut, *_) = caveats_of_runs({"a": found, "b": found})
    assert cut.text.startswith("a together, a halo3d alone, b together, b halo3d alone: Each run")
