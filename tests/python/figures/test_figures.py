"""Figures show the numbers of the tables, and equal figures give equal files."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from matplotlib.figure import Figure

import pantala as pt
from pantala import figures
from pantala.errors import UsageError
from pantala.experiments.experiment import Experiment
from pantala.report.run_report import render_report
from pantala.results.run import Run
from small_runs import scenario, small_interference, small_run

pytestmark = pytest.mark.native


@pytest.fixture(scope="module")
def experiment(tmp_path_factory: pytest.TempPathFactory) -> Experiment:
    return small_interference(tmp_path_factory.mktemp("experiment"))


def words(figure: Figure) -> str:
    """Returns all text of a figure."""
    return " ".join(re.findall(r"<text[^>]*>([^<]*)<", figures.to_svg(figure)))


def point(load: float, accepted: float, latency: float) -> dict[str, Any]:
    saturated = accepted < 0.97 * load
    return {"load": load, "accepted": accepted, "saturated": saturated, "latency_mean_ns": latency}


def test_slowdown_bars_are_the_means(experiment: Experiment) -> None:
    rows = experiment.slowdown.collect()
    figure = figures.slowdown_bars(rows)
    lengths = [patch.get_width() for patch in figure.axes[0].patches]  # type: ignore[attr-defined]
    expected = [
        row[f"{part}_communication_time_mean_ns"]
        for row in rows.to_dicts()
        for part in ("alone", "together")
    ]
    assert lengths == pytest.approx([ns / 1e3 for ns in expected])
    assert "communication time of a rank (µs)" in words(figure)


def test_jobs_without_a_slowdown_are_left_out_and_colours_stay(
    experiment: Experiment,
) -> None:
    rows = experiment.slowdown.collect().with_columns(
        slowdown=pl.Series([None, 1.05], dtype=pl.Float64)
    )
    figure = figures.slowdown_bars(rows)
    assert "fft3d" not in words(figure)
    assert figures.PALETTE[1].lower() in figures.to_svg(figure)


def test_a_job_has_the_colour_of_its_place_in_the_run(experiment: Experiment) -> None:
    """Also if the table has the targets of an experiment only, or lacks jobs that were silent."""
    rows = experiment.slowdown.collect().filter(pl.col("name") == "halo3d")
    drawn = figures.to_svg(figures.slowdown_bars(rows, names=["fft3d", "halo3d"]))
    assert figures.PALETTE[1].lower() in drawn
    assert figures.PALETTE[0].lower() not in drawn


def test_jobs_without_any_slowdown_are_an_error_that_says_why(experiment: Experiment) -> None:
    rows = experiment.slowdown.collect().with_columns(
        slowdown=pl.lit(None, pl.Float64),
        compared=pl.Series(["nothing", "run"]),
        alone_iterations=pl.lit(2),
        together_iterations=pl.lit(0),
        compared_iterations=pl.lit(0),
    )
    with pytest.raises(UsageError) as error:
        figures.slowdown_bars(rows)
    assert str(error.value) == (
        "figure slowdown-bars: no job has a slowdown of communication time; fft3d: no iteration"
        " finished in both runs (2 alone, 0 together); halo3d: it has no communication time; let"
        " the runs last longer (stop.duration), or name another figure"
    )


def test_throughput_windows_keep_every_byte(experiment: Experiment) -> None:
    run = experiment.together
    frame = figures.throughput_windows(run, 0)
    assert frame is not None
    sent = (frame["gb_per_s"] * (frame["end_ns"] - frame["start_ns"])).sum()
    assert sent == pytest.approx(
        run.job_windows.filter(pl.col("job") == 0).collect()["delivered_bytes"].sum()
    )


def test_throughput_windows_without_a_row_are_zero(tmp_path: Path) -> None:
    run = small_run(tmp_path)
    every = run.job_windows.collect()
    every.filter(pl.col("window_start_ns") != 10_000).write_parquet(
        tmp_path / "job_windows.parquet"
    )
    frame = figures.throughput_windows(Run(tmp_path), 1)
    assert frame is not None
    assert frame.filter(pl.col("start_ns") == 10_000)["gb_per_s"].to_list() == [0.0]


def test_many_windows_are_merged(tmp_path: Path) -> None:
    run = small_run(tmp_path)
    windows = pl.DataFrame({"window_start_ns": np.arange(1000) * 1e3}).with_columns(
        job=pl.lit(0, pl.UInt16),
        window_ns=pl.lit(1e3),
        injected_bytes=pl.lit(50, pl.UInt64),
        delivered_bytes=pl.lit(50, pl.UInt64),
        packets=pl.lit(1, pl.UInt64),
        latency_mean_ns=pl.lit(1.0),
    )
    windows.write_parquet(tmp_path / "job_windows.parquet")
    frame = figures.throughput_windows(run, 0)
    assert frame is not None
    assert frame.height == 200
    assert frame["gb_per_s"].to_list() == pytest.approx([5e-2] * 200)


def test_group_matrix_is_the_mean_over_links(experiment: Experiment) -> None:
    matrix = figures.group_matrix(experiment.together, pl.col("utilization"))
    links = experiment.together.links.collect()
    local = links.filter(pl.col("class") == "local", pl.col("source_group") == 3)[
        "utilization"
    ].mean()
    across = links.filter(
        pl.col("class") == "global", pl.col("source_group") == 3, pl.col("target_group") == 5
    )
    assert matrix.shape == (9, 9)
    assert matrix[3, 3] == pytest.approx(local)
    assert matrix[3, 5] == pytest.approx(across["utilization"].mean())


def test_group_matrix_of_a_single_job_covers_its_whole_run(
    experiment: Experiment,
) -> None:
    run = experiment.alone["fft3d"]
    whole, shared = (
        figures.group_matrix(run, pl.col("bytes"), shared=shared) for shared in (False, True)
    )
    assert shared == pytest.approx(whole, rel=0.01)


def test_shared_time_ends_when_the_first_job_ends(experiment: Experiment) -> None:
    assert figures.shared_time(experiment.together) == (
        0,
        experiment.together.jobs.collect()["end_ns"].min(),
    )
    assert figures.shared_time(experiment.alone["fft3d"]) == (
        0,
        experiment.alone["fft3d"].document["simulated_ns"],
    )


def test_unconnected_groups_are_blank(tmp_path: Path) -> None:
    run = small_run(tmp_path)
    apart = (
        (pl.col("class") == "global")
        & (pl.col("source_group") == 0)
        & (pl.col("target_group") == 1)
    )
    run.links.collect().filter(~apart).write_parquet(tmp_path / "links.parquet")
    assert np.isnan(figures.group_matrix(Run(tmp_path), pl.col("utilization"))[0, 1])
    figures.to_svg(figures.link_load_map({"run": Run(tmp_path)}))


def test_hottest_bars_add_up_to_the_utilization(experiment: Experiment) -> None:
    table = figures.hottest_table(experiment.together, 5)
    bars: dict[float, float] = {}
    for patch in figures.hottest_links(experiment.together, 5).axes[0].patches:
        middle = round(patch.get_y() + patch.get_height() / 2, 6)  # type: ignore[attr-defined]
        bars[middle] = bars.get(middle, 0) + patch.get_width()  # type: ignore[attr-defined]
    assert list(bars.values()) == pytest.approx(table["utilization"].to_list(), rel=1e-3)
    assert table["utilization"].is_sorted(descending=True)


def test_hottest_links_say_over_which_time(experiment: Experiment, tmp_path: Path) -> None:
    found = words(figures.hottest_links(experiment.together)).replace("\u00a0", " ")
    assert re.search(r"utilization from the start to [\d.]+ µs, while all jobs ran", found)
    without = scenario("off").replace({"interference": False, "record.link_windows": False})
    run = pt.run(without, out=tmp_path, report=False)
    assert isinstance(run, Run)
    assert "utilization over the whole run" in words(figures.hottest_links(run))


def test_hottest_links_of_other_link_classes(experiment: Experiment) -> None:
    text = words(figures.hottest_links(experiment.together, 3, ["ejection"]))
    assert re.search(r"ejection, router \d+ → node \d+", text)


def test_latency_without_packets_has_no_boxes(tmp_path: Path) -> None:
    run = small_run(tmp_path, packets="off")
    text = words(figures.packet_latency(run))
    assert "first to third quartile" not in text
    assert "median" in text


def test_latency_axis_turns_logarithmic(tmp_path: Path) -> None:
    run = small_run(tmp_path)
    jobs = run.jobs.collect().with_columns(
        packet_latency_p99_ns=pl.col("packet_latency_p99_ns") * 100
    )
    jobs.write_parquet(tmp_path / "jobs.parquet")
    figure = figures.packet_latency(Run(tmp_path))
    text = words(figure)
    assert "logarithmic" in text
    assert "$" not in text
    axes = figure.axes[0]
    low, high = axes.get_xlim()
    assert sum(low <= tick <= high for tick in axes.get_xticks()) >= 3, (
        "the axis needs more than one label"
    )


def test_communication_time_covers_every_rank(experiment: Experiment) -> None:
    line = figures.communication_time(experiment.together).axes[0].lines[0]
    slowest = experiment.together.jobs.collect()["communication_time_max_ns"][0]
    assert np.asarray(line.get_xdata())[-1] == pytest.approx(slowest / 1e3)
    assert np.asarray(line.get_ydata())[-1] == 1.0


def test_curve_marks_saturation_and_keeps_the_axis_readable() -> None:
    points = [point(0.6, 0.45, 90_000), point(0.2, 0.2, 600), point(0.4, 0.4, 800)]
    figure = figures.curve({"minimal": points})
    latency, accepted = figure.axes
    assert "saturated" in words(figure)
    assert latency.get_ylim()[1] == pytest.approx(3 * 0.8 * 1.06)
    markers = [line.get_marker() for line in latency.lines if line.get_marker() != "None"]
    assert markers == ["o", "o", "^"]
    drawn = [
        float(np.asarray(line.get_ydata())[0])
        for line in accepted.lines
        if line.get_marker() == "o"
    ]
    assert drawn == [0.2, 0.4, 0.45]


def test_curve_without_saturation_needs_no_mark() -> None:
    assert "saturated" not in words(
        figures.curve({"a": [point(0.1, 0.1, 500)], "b": [point(0.1, 0.1, 700)]})
    )


@pytest.mark.slow
@pytest.mark.parametrize("kind", figures.FORMATS)
def test_same_figure_gives_the_same_file(experiment: Experiment, tmp_path: Path, kind: str) -> None:
    files = []
    for number in (1, 2):
        figure = figures.throughput(experiment.together, experiment.alone)
        files.append(figures.save(figure, tmp_path / f"{number}.{kind}").read_bytes())
    assert files[0] == files[1]


def test_an_unknown_format_is_rejected(experiment: Experiment, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"one of \.svg, \.pdf, \.png"):
        figures.save(figures.communication_time(experiment.together), tmp_path / "figure.gif")
    assert list(tmp_path.iterdir()) == []


def test_a_job_keeps_its_colour_in_every_figure(experiment: Experiment) -> None:
    both = (experiment.together, experiment.alone)
    drawn = [
        figures.throughput(*both),
        figures.packet_latency(*both),
        figures.communication_time(*both),
    ]
    drawn += [
        figures.slowdown_bars(experiment.slowdown.collect()),
        figures.hottest_links(experiment.together),
    ]
    for figure in drawn:
        found = set(re.findall(r"#[0-9a-f]{6}", figures.to_svg(figure)))
        assert {colour.lower() for colour in figures.PALETTE} & found == {
            c.lower() for c in figures.PALETTE[:2]
        }


@pytest.mark.slow
def test_rows_and_columns_are_inside_groups(tmp_path: Path) -> None:
    """Renaming local links to rows and columns in turn does not change the numbers in figures."""
    whole = small_run(tmp_path / "1d")
    small_run(tmp_path / "2d")
    row_or_column = pl.when(pl.col("link") % 2 == 0).then(pl.lit("row")).otherwise(pl.lit("column"))
    links = whole.links.collect().with_columns(
        pl.when(pl.col("class") == "local")
        .then(row_or_column)
        .otherwise(pl.col("class"))
        .alias("class")
    )
    links.write_parquet(tmp_path / "2d" / "links.parquet")
    grid = Run(tmp_path / "2d")
    before, after = (figures.group_matrix(run, pl.col("utilization")) for run in (whole, grid))
    assert np.array_equal(before, after, equal_nan=True)
    assert (
        figures.hottest_table(grid)["utilization"].to_list()
        == figures.hottest_table(whole)["utilization"].to_list()
    )
    named = {
        figures.link_name(link)
        for link in links.filter(pl.col("class").is_in(["row", "column"])).to_dicts()[:2]
    }
    assert {name.partition(",")[0] for name in named} == {"row", "column"}
    between = links.filter(pl.col("class").is_in(["row", "column", "global"]))
    of_global = links.filter(pl.col("class") == "global")["bytes"].to_numpy()
    assert grid.metric("global_load_bytes") == of_global.sum() > 0
    assert grid.metric("global_load_mean_bytes") == pytest.approx(of_global.mean())
    share = of_global.sum() / between["bytes"].to_numpy().sum()
    assert grid.metric("global_load_share") == pytest.approx(share)
    for metric in (
        *("utilization_mean", "utilization_max", "stall_mean_ns"),
        *("load_bytes", "load_mean_bytes"),
    ):
        assert grid.metric(f"local_{metric}") == pytest.approx(whole.metric(f"local_{metric}"))
        assert whole.metric(f"row_{metric}") is None
        assert grid.metric(f"column_{metric}") is not None
    assert "row, group" in words(figures.hottest_links(grid, 200))


@pytest.mark.slow
def test_learning_draws_every_kind_of_port_per_window(tmp_path: Path) -> None:
    scenario = pt.Scenario(
        name="learning",
        machine={"preset": "kang2022", "topology": {"p": 2, "a": 4, "h": 2, "g": 9}},
        routing="q_adaptive",
        record={"q_learning": True, "window": "1 us"},
        jobs=[pt.Job(name="noise", ranks=72, workload=pt.Pattern(pattern="uniform", load=0.3))],
        stop={"duration": "10 us"},
    )
    run = pt.run(scenario, out=tmp_path / "run")
    assert isinstance(run, Run)
    rows = run.q_learning.collect()
    figure = figures.learning(run)
    assert [axes.get_title(loc="left").partition(":")[0] for axes in figure.axes] == [
        "local",
        "direct",
        "detour",
    ]
    for axes, via in zip(figure.axes, ("local", "direct", "detour"), strict=True):
        of_kind = rows.filter(pl.col("via") == via).sort("window_start_ns")
        found, estimated = axes.lines
        assert np.asarray(estimated.get_xdata()).tolist() == pytest.approx(
            [(start + 500) / 1e3 for start in of_kind["window_start_ns"]]
        )
        for line, column in ((found, "feedback_mean_ns"), (estimated, "estimate_mean_ns")):
            values = np.asarray(line.get_ydata())
            assert (values / values[0]).tolist() == pytest.approx(
                (of_kind[column] / of_kind[column][0]).to_list()
            )
    page = render_report(run)
    assert "Estimates of the routers over time" in page
    with pytest.raises(ValueError, match=r"set record\.q_learning = true"):
        figures.learning(small_run(tmp_path / "other"))
