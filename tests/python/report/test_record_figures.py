"""Figures and pages of records that a scenario must ask for: calls, classes, routers, latencies."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from types import SimpleNamespace
from typing import Any

import numpy as np
import polars as pl
import pytest
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle, StepPatch

import pantala as pt
import pantala.export
import pantala.metrics
from pantala import figures
from pantala.analysis.profile import profile
from pantala.errors import UsageError
from pantala.experiments.experiment import Experiment
from pantala.figures.drawing import draw
from pantala.figures.registry import KINDS
from pantala.report.profile_tables import calls_table, counters_table, tiles_table
from pantala.report.reported_run import ReportedRun
from pantala.report.run_report import render_report
from pantala.results.run import Run
from pantala.run_tables.job_nodes import job_nodes
from small_runs import scenario, small_interference

pytestmark = pytest.mark.native

RECORD: dict[str, Any] = {
    "window": "1 us",
    "rank_calls": True,
    "call_events": {"ranks": [0, 1, 5]},
    "latency_windows": "5 us",
    "nic_windows": "5 us",
    "routing_windows": "5 us",
    "system": {"windows": ["4 us", "8 us"]},
    "routers": {"windows": ["4 us"]},
    "ports": {"split": ["vc"]},
    "rank_messages": True,
    "blame": {},
}
#: The headings of the report that need a record.
HEADINGS = {
    "MPI calls, rank by rank",
    "Message latency over time",
    "Message latency, rank by rank",
    "How full virtual channels are, by link class",
    "Saturation of links",
    "Request-response latency over time",
    "Non-minimal paths over time",
    "Link classes over time",
    "Traffic on the routers of each job",
}


@cache
def _directory() -> TemporaryDirectory[str]:
    return TemporaryDirectory()


@cache
def recorded() -> Experiment:
    """Returns the small experiment with every record that a figure reads, and with responses."""
    asked = {f"record.{key}": value for key, value in RECORD.items()}
    asked["machine.nic.responses"] = True
    out = Path(_directory().name) / "run"
    pt.run(scenario("all").replace(asked), out=out, report=False)
    found = pt.load(out)
    assert isinstance(found, Experiment)
    return found


def stairs(figure: Figure, panel: int) -> list[Any]:
    return [each.get_data() for each in figure.axes[panel].patches if isinstance(each, StepPatch)]


def made(**tables: dict[str, Any]) -> Any:
    """Returns a run of 95 ns with two jobs and these tables."""
    plan: dict[str, Any] = {"name": "made", "record": {}, "topology": {"kind": "dragonfly"}}
    frames = {"jobs": {"job": [0, 1], "name": ["a", "b"]}, **tables}
    lazy = {name: pl.LazyFrame(each) for name, each in frames.items()}
    return SimpleNamespace(document={"plan": plan, "simulated_ns": 95.0}, **lazy)


@pytest.mark.parametrize("kind", [name for name, kind in KINDS.items() if kind.records])
def test_every_recorded_kind_draws_one_run_an_experiment_and_several(kind: str) -> None:
    if kind == "learning":
        pytest.skip("only q_adaptive learns; test_figures.py draws it")
    experiment = recorded()
    for given in ({"x": experiment}, {"x": experiment.together}):
        assert draw(kind, given, {}).axes
    assert draw(kind, {"x": experiment, "y": experiment.together}, {}).axes


def test_bars_of_calls_are_as_long_as_the_communication_time() -> None:
    run = recorded().together
    figure = figures.time_in_calls(run)
    bars = [each for each in figure.axes[0].patches if isinstance(each, Rectangle)]
    ends: dict[float, float] = {}
    for bar in bars:
        end = bar.get_x() + bar.get_width()
        ends[bar.get_y()] = max(end, ends.get(bar.get_y(), 0.0))
    means = run.jobs.select("communication_time_mean_ns").collect().to_series().to_numpy() / 1000
    assert np.allclose(sorted(ends.values()), sorted(means))


def test_a_row_of_calls_has_the_calls_of_its_rank() -> None:
    run = recorded().together
    figure = figures.calls_over_time(run)
    drawn = sum(
        len(collection.get_paths()) for axes in figure.axes for collection in axes.collections
    )
    lasting = run.call_events.filter(pl.col("end_ns") > pl.col("start_ns"))
    assert drawn == lasting.select(pl.len()).collect().item()
    labels = [each.get_text() for each in figure.axes[0].get_yticklabels()]
    assert labels == ["0", "1", "5"]


def test_shares_of_link_classes_are_means_over_links_and_windows() -> None:
    rows = {
        "window_ns": [10.0, 10.0, 10.0, 50.0],
        "window_start_ns": [10.0, 10.0, 90.0, 0.0],
        "class": ["local", "local", "local", "local"],
        "links": [4, 4, 4, 4],
        "busy_ns": [8.0, 4.0, 10.0, 99.0],
        "stall_ns": [0.0, 0.0, 0.0, 0.0],
        "saturated_ns": [None, None, None, None],
        "job": [0, 1, 0, 0],
    }
    run = made(system_windows=rows)
    ((shares, edges, _),) = stairs(figures.system_over_time(run), 0)
    expected = np.zeros(10)
    expected[1] = 12 / 4 / 10
    expected[9] = 10 / 4 / 5  # the last window has 5 ns
    assert np.allclose(shares, expected)
    assert np.allclose(edges, [*range(0, 100, 10), 95])
    with pytest.raises(UsageError, match="no link stalled; choose --measure load"):
        figures.system_over_time(run, measure="stall")
    with pytest.raises(UsageError, match=r"set record\.system\.by_job = false"):
        figures.system_over_time(run, measure="saturation")


def test_areas_of_routers_are_the_bytes_that_they_send() -> None:
    rows = {
        "window_ns": [10.0, 10.0, 10.0, 10.0],
        "window_start_ns": [10.0, 10.0, 90.0, 10.0],
        "router": [3, 3, 3, 4],
        "job": [0, 1, 0, 0],
        "packets": [1, 1, 1, 1],
        "bytes": [200, 100, 50, 7000],
    }
    ranks = {"job": [0, 0, 1], "node": [6, 7, 8], "router": [3, 3, 4]}
    figure = figures.routers_over_time(made(router_windows=rows, ranks=ranks))
    own, other = stairs(figure, 0)
    assert np.allclose(own.values, [0, 20, *[0] * 7, 10])  # the last window has 5 ns
    assert np.allclose(other.values - own.values, [0, 10, *[0] * 8])
    assert np.allclose(other.baseline, own.values)
    ((only, *_),) = stairs(figure, 1)
    assert np.allclose(only, [0, 700, *[0] * 8])
    assert "serve a: 1" in figure.axes[0].get_title(loc="left")


def ends(figure: Figure) -> list[tuple[float, float]]:
    """Returns the end of the y axis and the largest y of each panel."""
    return [(axes.get_ylim()[1], axes.dataLim.y1) for axes in figure.axes]


def test_a_panel_below_a_flat_one_shows_its_whole_peak() -> None:
    """Panels share their scales, so the first panel must not fix them."""
    window = {"window_ns": [10.0, 10.0], "window_start_ns": [0.0, 0.0]}
    routers = {**window, "router": [3, 4], "job": [0, 1], "packets": [1, 1], "bytes": [10, 7000]}
    ranks = {"job": [0, 1], "node": [6, 8], "router": [3, 4]}
    classes = {**window, "class": ["local", "global"], "links": [1, 1], "busy_ns": [1.0, 9.0]}
    learnt = {
        "window_start_ns": [0.0, 0.0],
        "via": ["local", "direct"],
        "feedback_mean_ns": [10.0, 5000.0],
        "estimate_mean_ns": [10.0, 5000.0],
    }
    run = made(router_windows=routers, ranks=ranks, system_windows=classes, q_learning=learnt)
    run.document["plan"]["record"]["window_ps"] = 10_000
    for drawn in (
        figures.routers_over_time(run),
        figures.system_over_time(run),
        figures.learning(run),
    ):
        assert len(drawn.axes) == 2
        assert all(end >= largest > 0 for end, largest in ends(drawn)), ends(drawn)


@pytest.mark.parametrize("measure", ["message", "request-response"])
def test_latencies_over_time_are_those_of_the_kind(measure: str) -> None:
    run = recorded().together
    rows = run.latency_windows.filter(
        pl.col("kind") == measure.replace("-", "_"), pl.col("job") == 0
    ).collect()
    drawn = stairs(figures.latency_over_time(run, measure=measure), 0)
    medians = drawn[-1].values
    assert np.allclose(medians[~np.isnan(medians)] * 1000, rows["p50_ns"].to_numpy())


def test_a_latency_that_the_run_does_not_have_names_its_key() -> None:
    rows = {"job": [0], "kind": ["packet"], "window_start_ns": [0.0], "p50_ns": [1.0]}
    run = made(latency_windows=rows | {"p99_ns": [1.0]})
    with pytest.raises(UsageError, match=r"machine\.nic\.responses = true"):
        draw("latency-over-time", {"run": run}, {"measure": "request-response"})
    with pytest.raises(UsageError, match="name a run of MPI jobs"):
        draw("latency-over-time", {"run": run}, {"measure": "message"})


def test_occupancy_is_the_mean_over_links_and_time() -> None:
    """Windows of one length count; rows by job, of whole links and of other classes do not."""
    port = {"window_ns": 60.0, "job": None, "kind": None}
    rows: list[dict[str, Any]] = [
        {**port, "window_start_ns": 0.0, "link": 0, "vc": 0, "occupancy_mean_flits": 4.0},
        {**port, "window_start_ns": 60.0, "link": 0, "vc": 0, "occupancy_mean_flits": 8.0},
        {**port, "window_start_ns": 60.0, "link": 1, "vc": 2, "occupancy_mean_flits": 19.0},
        {**port, "window_start_ns": 0.0, "link": 1, "vc": None, "occupancy_mean_flits": 99.0},
        {**port, "window_start_ns": 0.0, "link": 1, "vc": 2, "job": 0},
        {**port, "window_ns": 20.0, "window_start_ns": 0.0, "link": 0, "vc": 0},
    ]
    most = [5, 9, 20, 99, None, 9]
    ports = [
        {"occupancy_mean_flits": None, **row, "occupancy_max_flits": each}
        for row, each in zip(rows, most, strict=True)
    ]
    ends = {"source_router": [0, 0, 1], "target_router": [1, 2, 0]}
    links = {"link": [0, 1, 2], "class": ["local", "local", "global"], **ends}
    run = made(links=links)
    run.port_windows = pl.LazyFrame(ports, infer_schema_length=None)
    found = figures.vc_occupancy_table(run)
    assert found.rows() == [
        ("local", 0, 2, pytest.approx((4 * 60 + 8 * 35) / 2 / 95), 9),
        ("local", 2, 2, pytest.approx(19 * 35 / 2 / 95), 20),
    ]
    figure = figures.vc_occupancy(run)
    assert [axes.get_title(loc="left") for axes in figure.axes[::2]] == ["local"]
    bars = [
        [bar.get_width() for bar in axes.patches if isinstance(bar, Rectangle)]
        for axes in figure.axes
    ]
    assert np.allclose(bars[0], found["mean_flits"])
    assert bars[1] == [9, 20]
    assert [text.get_text() for text in figure.axes[0].get_yticklabels()] == [
        "VC 0",
        "VC 1",
        "VC 2",
    ]
    # The room of the plan is drawn, but not for a coarsened run, whose buffers are larger.
    run.document["plan"]["router"] = {"input_buffer_flits": 24}
    assert "room: 24 flits" in words(figures.vc_occupancy(run))
    run.document["coarsened"] = "4 packets as one"
    assert "room" not in words(figures.vc_occupancy(run))
    with pytest.raises(UsageError, match="no virtual channel of these links holds a flit"):
        draw("vc-occupancy", {"run": run}, {"class": "global"})
    # Only the links of chosen routers are in the record.
    run.document["plan"]["record"]["ports"] = {"routers": [1]}
    run.port_windows = run.port_windows.with_columns(link=2)
    assert figures.vc_occupancy_table(run)["links"].to_list() == [1, 1]


def test_occupancy_needs_a_split_by_virtual_channel() -> None:
    port: dict[str, Any] = {"window_ns": [95.0], "window_start_ns": [0.0], "link": [0]}
    rows = {**port, "vc": [None], "job": [None], "kind": [None], "occupancy_mean_flits": [1.0]}
    run = made(port_windows=rows, links={"link": [0], "class": ["local"]})
    with pytest.raises(UsageError, match=r'set record\.ports\.split = \["vc"\]'):
        draw("vc-occupancy", {"run": run}, {})


@pytest.mark.parametrize("measure", ["sent", "received"])
def test_latencies_by_rank_are_those_of_the_table(measure: str) -> None:
    run = recorded().together
    figure = figures.rank_latency(run, measure=measure)
    rows = run.rank_messages.filter(pl.col("direction") == measure).sort("rank").collect()
    for job, axes in enumerate(figure.axes):
        band, mean = stairs(figure, job)
        own = rows.filter(pl.col("job") == job)
        drawn = np.array([band.baseline, mean.values, band.values])
        names = ("latency_min_ns", "latency_mean_ns", "latency_max_ns")
        expected = own.select(names).to_numpy().T.astype(float)
        ratio = expected / drawn
        assert np.allclose(ratio, ratio[0, 0])
        assert axes.get_xlim() == (-0.5, own.height - 0.5)


def test_boxes_are_over_the_longest_latencies_of_ranks() -> None:
    rows: dict[str, Any] = {"job": [0] * 5, "rank": [0, 1, 2, 3, 4], "direction": ["received"] * 5}
    rows["latency_max_ns"] = [1.0, 2.0, 4.0, 8.0, None]
    figure = figures.rank_latency_boxes(made(rank_messages=rows))
    (box,) = figure.axes[0].patches
    ends = box.get_window_extent().transformed(figure.axes[0].transData.inverted())
    assert (ends.x0, ends.x1) == pytest.approx((1.75, 5.0))
    lines = [np.asarray(line.get_xdata()).tolist() for line in figure.axes[0].lines]
    assert lines == [[1.0, 8.0], [3.0, 3.0], [3.75]]
    with pytest.raises(UsageError, match="no rank has sent a message; name a run of MPI jobs"):
        figures.rank_latency_boxes(made(rank_messages=rows), {}, "sent")


def test_ranks_without_a_message_have_a_gap() -> None:
    rows: dict[str, Any] = {"job": [0, 0], "rank": [0, 2], "direction": ["sent", "sent"]}
    rows |= {"messages": [2, 1], "latency_min_ns": [1.0, 5.0], "latency_mean_ns": [2.0, 5.0]}
    figure = figures.rank_latency(made(rank_messages=rows | {"latency_max_ns": [3.0, 5.0]}))
    _, mean = stairs(figure, 0)
    assert np.array_equal(mean.values, [2, np.nan, 5], equal_nan=True)
    with pytest.raises(UsageError, match="no rank has received a message; name a run of MPI jobs"):
        figures.rank_latency(
            made(rank_messages=rows | {"latency_max_ns": [3.0, 5.0]}), {}, "received"
        )


def test_split_rows_keep_saturation_and_occupancy(tmp_path: Path) -> None:
    """Figure, metric and arrays read the rows of whole links and of virtual channels."""
    whole = recorded().together
    ports = {"windows": ["5 us"], "split": ["vc", "job"]}
    asked = {"record.ports": ports, "machine.nic.responses": True, "interference": False}
    split = pt.run(scenario("all").replace(asked), out=tmp_path, report=False)
    assert isinstance(split, Run)
    expected, found = (
        pt.metrics.saturation_time(run.port_windows.collect()) for run in (whole, split)
    )
    assert expected["saturated_ns"].sum() > 0
    joined = expected.join(found, on="link", how="full")
    assert np.allclose(joined["saturated_ns"], joined["saturated_ns_right"])
    assert words(figures.saturation_shares(split)) == words(figures.saturation_shares(whole))
    arrays = pt.export.to_xarray(split, "port_windows", "bytes", "saturated_ns")
    window = ("window_ns", "window_start_ns", "link", "vc")
    assert arrays["bytes"].dims == (*window, "job")
    assert arrays["saturated_ns"].dims == window
    rows = split.port_windows.filter(pl.col("vc").is_not_null()).collect()
    assert float(arrays["bytes"].sum()) == rows["bytes"].sum()
    assert float(arrays["saturated_ns"].sum()) == pytest.approx(rows["saturated_ns"].sum())


def words(figure: Figure) -> str:
    return " ".join(re.findall(r"<text[^>]*>([^<]*)<", figures.to_svg(figure)))


def headings(text: str) -> set[str]:
    return set(re.findall(r"<h3>([^<]*)</h3>", text))


def test_the_report_shows_what_is_recorded_and_nothing_else(tmp_path: Path) -> None:
    recorded_page = render_report(recorded())
    assert headings(recorded_page) >= HEADINGS
    plain = render_report(small_interference(tmp_path))
    assert headings(plain).isdisjoint(HEADINGS)
    assert "Time inside MPI calls" in headings(plain)
    for page, by_rank in ((recorded_page, True), (plain, False)):
        assert page.count("<h2>MPI calls</h2>") == 1
        assert ("of rank</th>" in page) == by_rank
        assert "Counters of the routers that serve each job, by class of links" in page
        assert "tile by tile" not in page


def test_calls_in_the_report_are_those_of_the_profile() -> None:
    run = recorded().together
    reported = ReportedRun.of(run)
    rows = calls_table(reported).rows
    expected = [
        call
        for name in run.job_names
        for call in profile(run, name)["calls"]
        .filter(pl.col("time_mean_ns") > 0.001 * pl.col("time_mean_ns").sum())
        .to_dicts()
    ]
    assert [row[1].text for row in rows] == [call["call"] for call in expected]
    assert [row[2].value for row in rows] == [call["time_mean_ns"] for call in expected]
    assert [row[6].value for row in rows] == [call["slowest_rank"] for call in expected]
    counters = counters_table(reported).rows
    flits = [
        row["flits_mean"] for name in run.job_names for row in run.router_counters(name).to_dicts()
    ]
    assert [row[2].value for row in counters] == flits


def test_aries_reports_have_their_tiles(tmp_path: Path) -> None:
    topology: dict[str, Any] = {
        "p": 4,
        "rows": 2,
        "columns": 2,
        "h": 2,
        "g": 3,
        "links_per_pair": 4,
    }
    topology |= {"kind": "dragonfly_2d", "links_per_row_pair": 1, "links_per_column_pair": 3}
    asked = {
        "name": "tiles",
        "machine": {"preset": "theta", "topology": topology},
        "routing": "aries_ad0",
        "jobs": [
            {
                "name": "all",
                "ranks": 48,
                "workload": {"kind": "pattern", "pattern": "uniform", "load": 0.9},
            }
        ],
        "stop": {"duration": "20 us"},
    }
    run = pt.run(pt.Scenario.from_dict(asked), out=tmp_path, report=False)
    assert isinstance(run, Run)
    text = render_report(run)
    assert "Stalls and flits, tile by tile" in headings(text)
    assert "Tiles of the routers by class" in text
    assert "by class of tiles" in text
    assert "<h2>MPI calls</h2>" not in text
    sums = run.tiles.select(pl.col("flits", "stalled_flits").sum()).collect().row(0)
    table = tiles_table(ReportedRun.of(run))
    assert table is not None
    assert sum(row[2].value or 0 for row in table.rows) == sums[0]
    assert sum(row[5].value or 0 for row in table.rows) == pytest.approx(sums[1])


def test_synthetic_traffic_has_nodes_routers_and_counters(tmp_path: Path) -> None:
    noise = {"kind": "pattern", "pattern": "uniform", "load": 0.2}
    asked = {
        "name": "noise",
        "machine": {"preset": "kang2022", "topology": {"p": 2, "a": 4, "h": 2, "g": 9}},
        "routing": "minimal",
        "jobs": [{"name": "noise", "ranks": 10, "placement": "random", "workload": noise}],
        "stop": {"duration": "5 us"},
        "record": {"routers": {"windows": ["1 us"]}},
    }
    run = pt.run(pt.Scenario.from_dict(asked), out=tmp_path, report=False)
    assert isinstance(run, Run)
    nodes = sorted(run.plan["jobs"][0]["nodes"])
    assert job_nodes(run.ranks, run.plan, 0)["node"].to_list() == nodes
    routers = {node // 2 for node in nodes}
    text = profile(run)
    assert (text["ranks"], text["routers"]) == (10, len(routers))
    links = run.links.filter(pl.col("class") == "local", pl.col("source_router").is_in(routers))
    local = text["counters"].filter(pl.col("class") == "local")["tiles"].item()
    assert local == links.select(pl.len()).collect().item()
    drawn = figures.placement_map(run).axes[0].get_lines()
    assert [len(np.asarray(line.get_xdata())) for line in drawn] == [72 - 10, 10]
    assert f"serve noise: {len(routers)}" in figures.routers_over_time(run).axes[0].get_title(
        "left"
    )


def small(*jobs: dict[str, Any], **keys: Any) -> pt.Scenario:
    """Returns a scenario on twelve nodes."""
    machine = {"preset": "kang2022", "topology": {"p": 2, "a": 2, "h": 2, "g": 3}}
    return pt.Scenario.from_dict(
        {"name": "odd", "routing": "minimal", "machine": machine, "jobs": list(jobs), **keys}
    )


def loop(name: str, ranks: int, **keys: Any) -> dict[str, Any]:
    workload = {"kind": "allreduce_loop", "message": "1 kB", "iterations": 1, "compute": "0 ns"}
    return {"name": name, "ranks": ranks, "workload": workload, **keys}


def test_a_job_that_sends_nothing_alone_has_no_line_in_the_report(tmp_path: Path) -> None:
    jobs = loop("a", 3), loop("late", 3, start="9 us")
    pt.run(small(*jobs, stop={"duration": "3 us"}, interference=True), out=tmp_path / "run")
    assert "Packet latency over time" in (tmp_path / "run" / "report.html").read_text()


def test_a_report_of_calls_that_take_no_time_has_no_figure_of_them(tmp_path: Path) -> None:
    pt.run(small(loop("one", 1), record={"call_events": {}}), out=tmp_path / "run")
    page = (tmp_path / "run" / "report.html").read_text()
    assert "MPI calls, rank by rank" not in page


def test_links_without_buffers_behind_them_have_no_occupancy(tmp_path: Path) -> None:
    uniform = {"kind": "pattern", "pattern": "uniform", "load": 0.5}
    ports = {"windows": ["1 us"], "split": ["vc", "job"], "classes": ["ejection"]}
    made = small(
        {"name": "u", "ranks": 3, "workload": uniform},
        stop={"duration": "3 us"},
        record={"ports": ports},
    )
    run = pt.run(made, out=tmp_path / "run")
    assert isinstance(run, Run)
    assert figures.vc_occupancy_table(run).is_empty()
    with pytest.raises(UsageError, match="no virtual channel of these links holds a flit"):
        figures.vc_occupancy(run)
    assert "How full virtual channels" not in (tmp_path / "run" / "report.html").read_text()


def test_recorded_ranks_that_a_job_lacks_are_left_out_of_its_run_alone(tmp_path: Path) -> None:
    made = small(
        loop("a", 3),
        loop("two", 2),
        loop("one", 1),
        interference=True,
        record={"call_events": {"ranks": [1, 2]}},
    )
    found = pt.run(made, out=tmp_path / "run", report=False)
    assert isinstance(found, Experiment)
    ranks = {
        title: sorted(run.call_events.collect()["rank"].unique().to_list())
        for title, run in (("together", found.together), *found.alone.items())
    }
    assert ranks == {"together": [1, 2], "a": [1, 2], "two": [1], "one": []}
