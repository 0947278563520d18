"""Metrics, each against a closed form on a table made by hand."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

from pantala import metrics
from pantala.cli import app
from pantala.errors import UsageError
from small_runs import small_run
from support import ROOT

RANKS = pl.DataFrame(
    {
        "rank": [0, 1, 2, 3],
        "router": [7, 7, 3, 9],
        "start_ns": [0.0, 0.0, 0.0, 0.0],
        "end_ns": [100.0, 100.0, 100.0, None],
        "communication_time_ns": [10.0, 20.0, 30.0, 40.0],
        "peak_ingress_bytes": [5, 6, 60, 7],
        "messages_sent": [10, 10, 1, 10],
        "messages_received": [10, 9, 1, 10],
    }
)

LINKS = pl.DataFrame(
    {
        "link": [0, 1, 2, 3, 4],
        "class": ["local", "local", "global", "global", "injection"],
        "source_router": [3, 7, 7, 8, None],
        "source_group": [0, 0, 0, 1, None],
        "target_group": [0, 0, 1, 0, 0],
        "bytes": [100, 300, 50, 0, 450],
        "stall_ns": [1.0, 3.0, 10.0, 0.0, 0.5],
        "utilization": [0.1, 0.3, 0.5, 0.0, 0.9],
    }
)


def test_injection_rate_is_bytes_over_time() -> None:
    assert metrics.injection_rate(13_713_220_000, 13.71e6) == pytest.approx(1000.2, abs=0.1)
    assert metrics.injection_rate(1, 0) is None
    with pytest.raises(UsageError, match=r"sent_bytes = -1: is negative"):
        metrics.injection_rate(-1, 1)


def test_peak_ingress_volume_leaves_out_ranks_at_the_edge() -> None:
    assert metrics.peak_ingress_volume(RANKS) == 60
    assert metrics.peak_ingress_volume(RANKS, 0.9) == 7
    assert metrics.peak_ingress_volume(RANKS.clear()) is None


def test_link_load_adds_up_to_all_bytes() -> None:
    found = metrics.link_load(LINKS)
    assert found.rows() == [
        ("global", 2, 50, 25.0, 50),
        ("injection", 1, 450, 450.0, 450),
        ("local", 2, 400, 200.0, 300),
    ]
    assert found["bytes_total"].sum() == LINKS["bytes"].sum()


def test_throughput_of_links() -> None:
    assert metrics.link_throughput(LINKS, 100.0).to_list() == [1.0, 3.0, 0.5, 0.0, 4.5]
    with pytest.raises(UsageError, match="time_ns = 0: is not positive"):
        metrics.link_throughput(LINKS, 0)


def test_congestion_index_has_groups_inside_on_the_diagonal() -> None:
    found = metrics.congestion_index(LINKS, 2)
    assert np.array_equal(found, [[0.2, 0.5], [0.0, np.nan]], equal_nan=True)


def test_relative_throughput() -> None:
    assert metrics.relative_throughput(500, 2, 10, 50) == 0.5
    with pytest.raises(UsageError, match="nodes = 0"):
        metrics.relative_throughput(500, 0, 10, 50)


def test_communication_time_of_ranks() -> None:
    found = metrics.communication_time(RANKS)
    assert found == {
        "mean": 25.0,
        "std": pytest.approx(np.std([10, 20, 30, 40])),
        "median": 25.0,
        "p95": pytest.approx(38.5),
        "max": 40.0,
    }
    assert metrics.communication_variation(RANKS) == pytest.approx(125**0.5 / 25)
    assert metrics.communication_variation(RANKS.clear()) is None
    assert metrics.communication_share(RANKS) == pytest.approx(60 / 300)
    assert metrics.communication_share(RANKS.filter(pl.col("rank") == 3)) is None


def test_interference_is_the_increase_in_percent() -> None:
    assert metrics.slowdown(2.0, 5.0) == 2.5
    assert metrics.interference(2.0, 5.0) == 150.0
    assert metrics.interference_reduction({"a": 100, "b": 50}, {"a": 20, "b": 40}) == pytest.approx(
        60.0
    )
    assert metrics.interference_reduction({"a": 0}, {"a": 1}) is None
    with pytest.raises(UsageError, match="job b is given for one routing only"):
        metrics.interference_reduction({"a": 1, "b": 1}, {"a": 1})
    with pytest.raises(UsageError, match=r"alone = 0"):
        metrics.slowdown(0, 1)


def test_stall_time_by_class() -> None:
    assert metrics.stall_time(LINKS).rows() == [
        ("global", 2, 10.0, 5.0, 10.0),
        ("injection", 1, 0.5, 0.5, 0.5),
        ("local", 2, 4.0, 2.0, 3.0),
    ]


def ports(**columns: object) -> pl.DataFrame:
    rows = {"window_ns": [10.0] * 3, "link": [4, 4, 5], "saturated_ns": [1.0, 2.0, 0.0]}
    kinds = {"vc": pl.UInt8, "job": pl.UInt16, "kind": pl.UInt8}
    return pl.DataFrame(
        {**rows, "vc": [None] * 3, "job": [None] * 3, "kind": [None] * 3, **columns}
    ).cast(kinds)  # type: ignore[arg-type]


def test_saturation_time_adds_windows() -> None:
    assert metrics.saturation_time(ports()).rows() == [(4, 3.0), (5, 0.0)]
    for split in ("vc", "job", "kind"):
        with pytest.raises(UsageError, match="no row is of a whole link"):
            metrics.saturation_time(ports(**{split: [0, 1, 0]}))
    # Rows of parts beside rows of whole links do not count.
    assert metrics.saturation_time(ports(vc=[None, 1, None])).rows() == [(4, 1.0), (5, 0.0)]
    with pytest.raises(UsageError, match="several window lengths"):
        metrics.saturation_time(ports(window_ns=[10.0, 10.0, 30.0]))


def test_stalls_to_flits() -> None:
    assert metrics.stalled_flits(pl.Series([10.0, 0.0]), 2.5).to_list() == [4.0, 0.0]
    assert metrics.stalls_to_flits(12, 8) == 1.5
    assert metrics.stalls_to_flits(12, 0) is None


def test_routers_that_serve_a_job() -> None:
    assert metrics.serving_routers(RANKS) == [3, 7, 9]
    assert metrics.traffic_on_serving_routers(LINKS, RANKS).rows() == [
        (3, "local", 100, 1.0),
        (7, "global", 50, 10.0),
        (7, "local", 300, 3.0),
    ]
    windows = pl.DataFrame(
        {
            "window_ns": [10.0] * 4,
            "window_start_ns": [0.0, 0.0, 10.0, 0.0],
            "router": [3, 7, 3, 8],
            "job": [0, 0, 1, 0],
            "bytes": [100, 50, 30, 999],
        }
    )
    assert metrics.arrival_rate(windows, RANKS).rows() == [(0.0, 0, 15.0), (10.0, 1, 3.0)]


@given(st.lists(st.floats(-1e6, 1e6), min_size=2, max_size=40))
def test_z_scores_have_mean_zero_and_deviation_one(values: list[float]) -> None:
    scores = metrics.z_scores(values)
    if np.ptp(values) > 1e-3:
        assert np.mean(scores) == pytest.approx(0, abs=1e-6)
        assert np.std(scores, ddof=1) == pytest.approx(1)


def test_samples() -> None:
    assert metrics.z_scores([1, 2, 3]).tolist() == [-1.0, 0.0, 1.0]
    assert metrics.z_scores([4, 4]).tolist() == [0.0, 0.0]
    values = [10.0] * 15 + [10.1] * 15 + [50.0]
    assert metrics.sigma_clipped(values).nonzero()[0].tolist() == [30]
    assert metrics.representative([9, 1, 5, 5.5, 100]) == 3
    assert metrics.percentiles(range(101))[99.9] == pytest.approx(99.9)
    with pytest.raises(UsageError, match="two or more"):
        metrics.z_scores([1])


def test_every_function_states_its_meaning_and_source() -> None:
    functions = metrics.all_functions()
    assert {function.name for function in functions} < set(metrics.__all__)
    for function in functions:
        assert function.text.count(": ") >= 1, function.name
        assert function.source
        assert function.text.endswith(".")


def test_the_command_lists_defines_and_names_the_nearest() -> None:
    runner = CliRunner()
    listed = runner.invoke(app, ["metrics", "--json"])
    names = {each["name"] for each in json.loads(listed.stdout)}
    assert {"interference", "message_injection_rate_gb_per_s"} <= names
    of_two_runs = runner.invoke(app, ["metrics", "packet_latency_slowdown"])
    assert of_two_runs.output.startswith("packet_latency_slowdown, of interference experiments\n")
    defined = runner.invoke(app, ["metrics", "interference_reduction"])
    assert "Source: Kang et al., SC 2022" in defined.stdout
    with pytest.raises(UsageError, match="did you mean 'interference'"):
        runner.invoke(app, ["metrics", "interferense"], catch_exceptions=False)


@pytest.mark.native
def test_the_command_prints_the_values_of_a_run(tmp_path: Path) -> None:
    import pantala as pt

    workload = {"kind": "pattern", "pattern": "uniform", "load": 0.2}
    scenario = pt.Scenario.from_dict(
        {
            "name": "values",
            "machine": {"preset": "kang2022", "topology": {"p": 2, "a": 4, "h": 2, "g": 9}},
            "routing": "minimal",
            "stop": {"duration": "20 us"},
            "jobs": [{"name": "u", "ranks": 72, "workload": workload}],
        }
    )
    run = pt.run(scenario, out=tmp_path / "run")
    assert isinstance(run, pt.Run)
    printed = CliRunner().invoke(app, ["metrics", "--run", str(tmp_path / "run"), "--json"])
    rows = [row for row in json.loads(printed.stdout) if row["metric"] != "binding_resource"]
    for row in rows:
        assert row["value"] == run.metric(row["metric"], row["job"])
    assert len(rows) == len(run.metrics())
    arguments = ["metrics", "packet_hop", "--run", str(tmp_path / "run")]
    with pytest.raises(UsageError, match="did you mean 'packet_hops'"):
        CliRunner().invoke(app, arguments, catch_exceptions=False)


@pytest.mark.native
def test_run_metric_knows_every_name_of_the_reference(tmp_path: Path) -> None:
    """Each name gives a number, or the error says how to get it."""
    page = (ROOT / "docs/reference/metrics.md").read_text(encoding="utf-8")
    names = re.findall(r"^\| `(\w+)` \|", page, re.MULTILINE)
    assert len(names) > 60
    run = small_run(tmp_path)
    numbers = {metric.name: metric for metric in run.metrics()}
    for name in names:
        if name in numbers:
            run.metric(name, "fft3d" if numbers[name].scope == "job" else None)
        else:
            with pytest.raises(UsageError, match=r"call pantala\.\w+"):
                run.metric(name)


@pytest.mark.native
def test_tables_of_a_run_convert_to_pandas(tmp_path: Path) -> None:
    pytest.importorskip("pandas", reason="needs the package pandas")
    run = small_run(tmp_path)
    assert list(run.jobs.to_pandas()["name"]) == run.job_names  # type: ignore[attr-defined]
