"""The kinds of `pantala figure`: the numbers in them, their errors, and equal bytes."""

from __future__ import annotations

import re
import shutil
import zipfile
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import matplotlib.colors
import numpy as np
import polars as pl
import pytest
from matplotlib.figure import Figure
from matplotlib.patches import StepPatch

import pantala as pt
from pantala import figures
from pantala.api.load import load
from pantala.cli import complete, main
from pantala.cli.figure import HELP
from pantala.errors import UsageError
from pantala.experiments.experiment import Experiment
from pantala.figures.drawing import draw
from pantala.figures.kind import RUN, RUNS, SWEEP
from pantala.figures.link_time import links_over_time_table
from pantala.figures.registry import KINDS
from pantala.figures.throughput import _joined
from pantala.results.run import Run
from small_runs import scenario, small_interference
from support import ROOT

pytestmark = pytest.mark.native

LINK = {"source_router": 0, "source_group": 0, "target_router": 1, "target_group": 0, "node": None}


def words(figure: Figure) -> str:
    """Returns all text of a figure."""
    return " ".join(re.findall(r"<text[^>]*>([^<]*)<", figures.to_svg(figure)))


def made(**tables: Any) -> Any:
    """Returns a run of 100 ns with windows of 10 ns, two jobs, and these tables."""
    plan = {
        "name": "made",
        "record": {"window_ps": 10_000},
        "topology": {"p": 2, "a": 4, "h": 2, "g": 9},
        "derived": {"flit_time_ps": {"terminal": 1000, "local": 2000, "global": 4000}},
        "jobs": [{"name": name, "workload": {"kind": "pattern"}} for name in "ab"],
    }
    frames: dict[str, Any] = {"jobs": {"job": [0, 1], "name": ["a", "b"]}, **tables}
    lazy = {
        name: each if isinstance(each, pl.LazyFrame) else pl.LazyFrame(each)
        for name, each in frames.items()
    }
    document = {"plan": plan, "simulated_ns": 95.0, "complete": True}
    return SimpleNamespace(document=document, **lazy)


def links(*rows: dict[str, Any]) -> pl.LazyFrame:
    return pl.LazyFrame([{**LINK, "link": at, **row} for at, row in enumerate(rows)])


@pytest.fixture(scope="module")
def experiment(tmp_path_factory: pytest.TempPathFactory) -> Experiment:
    return small_interference(tmp_path_factory.mktemp("experiment"))


@pytest.mark.parametrize(
    "kind", [name for name, kind in KINDS.items() if not kind.records and kind.takes != SWEEP]
)
def test_every_kind_draws_one_run_an_experiment_and_several(
    kind: str, experiment: Experiment
) -> None:
    takes = KINDS[kind].takes
    if takes in {RUNS, RUN}:
        draw(kind, {"one": experiment.together}, {})
    if kind != "effect-matrix":  # tests of attribution draw it
        assert words(draw(kind, {"one": experiment}, {}))
    if takes != RUNS:
        with pytest.raises(UsageError, match=f"takes {takes}, not 2; name one"):
            draw(kind, {"x": experiment, "y": experiment}, {})
    else:
        text = words(draw(kind, {"x": experiment, "y": experiment.together}, {}))
        assert kind in {"stall-scatter"} or "y" in text.replace(",", "").split()


@pytest.mark.parametrize("form", ["pdf", "svg", "png"])
def test_equal_figures_give_equal_bytes(form: str, experiment: Experiment, tmp_path: Path) -> None:
    for kind in ("latency-tail", "group-ring", "stall-scatter", "placement-map", "links-over-time"):
        files = [tmp_path / f"{name}.{form}" for name in ("first", "second")]
        for file in files:
            figures.save(draw(kind, {"run": experiment}, {}), file)
        assert files[0].read_bytes() == files[1].read_bytes(), kind


def test_kinds_have_one_sentence_each() -> None:
    for kind in KINDS.values():
        assert kind.text.endswith(".")
        assert ". " not in kind.text


def test_a_wrong_kind_or_option_gets_the_nearest(experiment: Experiment) -> None:
    runs = {"run": experiment}
    with pytest.raises(UsageError, match="no figure 'latency-tal'; did you mean 'latency-tail'"):
        draw("latency-tal", runs, {})
    with pytest.raises(UsageError, match="--measure lod: is not one of load, stall; did you mean"):
        draw("links-over-time", runs, {"measure": "lod"})
    with pytest.raises(UsageError, match="--job fft3d: figure group-ring takes no such option"):
        draw("group-ring", runs, {"job": "fft3d"})
    with pytest.raises(UsageError, match="there is no job 'lu'; the jobs are fft3d, halo3d"):
        draw("links-over-time", runs, {"job": "lu"})


def test_a_panel_beside_one_with_little_traffic_shows_its_busiest_link() -> None:
    """Panels share their scales, so the first panel must not fix them."""
    run = made(links=links({"class": "injection", "bytes": 10}, {"class": "global", "bytes": 9000}))
    figure = figures.traffic_shares(run)
    assert all(axes.get_xlim()[1] >= 9 for axes in figure.axes)  # kB


@pytest.mark.parametrize(
    ("kind", "key"),
    [
        ("rank-iterations", "record.iterations = true"),
        ("saturation-shares", "record.ports = {}"),
        ("vc-occupancy", 'record.ports.split = ["vc"]'),
        ("rank-latency", "record.rank_messages = true"),
        ("blame-matrix", "record.blame.window"),
        ("calls-over-time", "record.call_events = {}"),
        ("system-over-time", "record.system.windows"),
        ("routers-over-time", "record.routers.windows"),
        ("learning", "record.q_learning = true"),
        ("nonminimal-over-time", 'record.routing_windows = "10 us"'),
        ("system-counters", "record.system.windows"),
        ("latency-percentiles", 'record.nic_windows = "10 us"'),
    ],
)
def test_a_table_that_is_not_recorded_names_its_key(kind: str, key: str) -> None:
    run = made(links=links({"class": "local"}))
    with pytest.raises(UsageError, match=f"set {re.escape(key)}"):
        draw(kind, {"run": run}, {})


def _stairs(patch: object) -> Any:
    assert isinstance(patch, StepPatch)
    return patch.get_data()


def test_nonminimal_shares_are_those_of_each_window() -> None:
    windows = {
        "job": [0, 0, 1],
        "window_start_ns": [0.0, 20.0, 10.0],
        "packets": [4, 8, 2],
        "nonminimal": [1, 6, 0],
        "rerouted": [0, 2, 0],
    }
    run = made(routing_windows=windows)
    run.document["plan"]["record"]["routing_windows_ps"] = 10_000
    first, second = figures.nonminimal_over_time(run).axes
    filled, line = (_stairs(patch) for patch in first.patches)
    np.testing.assert_array_equal(line.values, [25, np.nan, 75])
    np.testing.assert_array_equal(line.edges, [0, 10, 20, 30])
    np.testing.assert_array_equal(filled.values, [0, np.nan, 25])
    np.testing.assert_array_equal(_stairs(second.patches[0]).values, [np.nan, 0])


def test_a_job_without_rows_is_left_out() -> None:
    packets = {"job": [1, 1], "latency_ns": [5.0, 7.0]}
    text = words(figures.latency_tail(made(packets=packets)))
    assert "b" in text.split()
    assert "a" not in text.split()


def test_a_figure_without_anything_to_show_says_so() -> None:
    quiet = made(ranks={"job": [0, 1], "communication_time_ns": [0.0, 0.0]})
    for kind in ("communication-bars", "communication-time"):
        with pytest.raises(UsageError, match="no rank communicates; name a run of MPI jobs"):
            draw(kind, {"run": quiet}, {})
    quiet.document["plan"]["record"]["iterations"] = True
    with pytest.raises(UsageError, match="made: table iterations was recorded and has no rows"):
        draw("rank-iterations", {"run": quiet}, {})


@pytest.mark.parametrize(
    ("kind", "options", "message"),
    [
        ("throughput", {}, "no packet entered the network"),
        ("packet-latency", {}, "no packet was delivered"),
        ("stall-scatter", {}, "no link carried a packet"),
        ("hottest-links", {}, "no link of .* carried a packet"),
        ("links-over-time", {}, "table link_windows was recorded and has no rows"),
        ("time-in-calls", {}, "table calls was recorded and has no rows"),
        ("latency-over-time", {}, "table job_windows was recorded and has no rows"),
        ("nonminimal-over-time", {}, "table routing_windows was recorded and has no rows"),
        ("system-over-time", {}, "table system_windows was recorded and has no rows"),
        ("routers-over-time", {}, "table router_windows was recorded and has no rows"),
        ("saturation-shares", {}, "table port_windows was recorded and has no rows"),
        ("vc-occupancy", {}, "table port_windows was recorded and has no rows"),
    ],
)
def test_a_run_without_traffic_has_no_empty_figure(
    kind: str, options: dict[str, str], message: str, quiet: Run
) -> None:
    with pytest.raises(UsageError, match=message) as caught:
        draw(kind, {"run": quiet}, options)
    assert "another run" in str(caught.value)
    assert "again" not in str(caught.value)


@pytest.mark.parametrize(
    ("kind", "table"),
    [("throughput", "job_windows"), ("time-in-calls", "calls"), ("latency-tail", "packets")],
)
def test_a_table_that_a_sweep_did_not_keep_is_no_empty_table(
    experiment: Experiment, tmp_path: Path, kind: str, table: str
) -> None:
    kept = tmp_path / "kept"
    kept.mkdir()
    shutil.copy(experiment.together.path / "run.json", kept)
    with zipfile.ZipFile(kept / "tables.zip", "w") as packed:
        packed.write(experiment.together.path / "jobs.parquet", "jobs.parquet")
    with pytest.raises(UsageError, match=f"kept: the sweep did not keep table {table}, .*--keep"):
        draw(kind, {"run": load(kept)}, {})


@pytest.fixture(scope="module")
def quiet(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """Returns a run of one rank on one group, which sends nothing, with every record."""
    windows = {"windows": ["1 us"]}
    path = tmp_path_factory.mktemp("quiet")
    (path / "quiet.toml").write_text(
        """
        name = "quiet"
        routing = "minimal"
        machine = { preset = "kang2022", topology = { p = 1, a = 2, h = 1, g = 1 } }
        [[jobs]]
        name = "one"
        ranks = 1
        workload = { kind = "halo3d", grid = [1, 1, 1], message = "1 kB", iterations = 2 }
        """
    )
    records: dict[str, Any] = {
        "ports": {**windows, "split": ["vc"]},
        "system": windows,
        "routers": windows,
        "latency_windows": "1 us",
        "routing_windows": "1 us",
    }
    changes = {f"record.{key}": value for key, value in records.items()}
    with pytest.warns(pt.ScenarioWarning, match="sends nothing"):
        ran = pt.run(pt.Scenario.from_toml(path / "quiet.toml", changes=changes), out=path / "run")
    assert isinstance(ran, Run)
    return ran


def test_a_class_without_traffic_has_no_empty_figure(experiment: Experiment) -> None:
    for kind in ("links-over-time", "hottest-links"):
        with pytest.raises(UsageError) as caught:
            draw(kind, {"run": experiment.together}, {"class": "row"})
        assert str(caught.value) == (
            f"figure {kind}: the machine has no links of the class row; name another --class"
        )
    waits = {"window_start_ns": [0.0], "class": ["local"], "victim": [0], "aggressor": [1]}
    sums = {"packets": [1, 1], "injected_bytes": [512, 512], "mpi_bytes": [0, 0]}
    jobs = {
        "job": [0, 1],
        "name": ["a", "b"],
        "start_ns": [0.0, 0.0],
        "end_ns": [None, None],
        **sums,
    }
    run = made(blame={**waits, "wait_ns": [3.0]}, jobs=jobs)
    assert draw("blame-matrix", {"run": run}, {"class": "local"}).axes
    with pytest.raises(UsageError, match="no packet waited for links of global; name another"):
        draw("blame-matrix", {"run": run}, {"class": "global"})


def test_links_over_time_are_sorted_by_peak_and_sum_over_jobs() -> None:
    run = made(
        links=links(
            {"class": "local", "bytes": 100, "busy_ns": 20.0},
            {"class": "global", "bytes": 100, "busy_ns": 50.0},
            {"class": "ejection", "bytes": 100, "busy_ns": 50.0},
        ),
        link_windows={
            "link": [0, 0, 1, 1, 2],
            "window_start_ns": [0.0, 0.0, 20.0, 90.0, 0.0],
            "job": [0, 1, 0, 1, 0],
            "bytes": [10, 15, 6, 8, 20],
            "stall_ns": [0.0, 9.0, 2.0, 0.0, 0.0],
        },
    )
    rows, cells, edges = links_over_time_table(run, "load")
    # The last window lasts 5 ns: 8 bytes of 0.5 ns each fill 4 ns of it.
    assert [row["link"] for row in rows] == [1, 0]
    assert cells[0, 9] == pytest.approx(0.8)
    assert cells[1, 0] == pytest.approx(0.5)
    assert edges[-1] == 95.0
    rows, cells, _ = links_over_time_table(run, "stall", job="b")
    assert [row["link"] for row in rows] == [0]
    assert cells.sum() == pytest.approx(0.9)
    assert "global g0 → g0" in words(figures.links_over_time(run))


def test_jobs_share_the_time_up_to_the_end_that_stops_one() -> None:
    jobs = {"job": [0, 1], "name": ["a", "b"], "start_ns": [0.0, 5.0], "end_ns": [90.0, None]}
    run = made(jobs=jobs)
    assert figures.shared_time(run) == (5, 90)
    run.document["plan"]["jobs"][1]["end_ps"] = 30_000
    assert figures.shared_time(run) == (5, 30)
    run.document["plan"]["jobs"][1]["end_ps"] = 4_000
    assert figures.shared_time(run) is None


def test_links_of_two_runs_share_the_longer_time() -> None:
    tables = {
        "links": links({"class": "local", "bytes": 10, "busy_ns": 5.0}),
        "link_windows": {
            "link": [0],
            "window_start_ns": [0.0],
            "job": [0],
            "bytes": [10],
            "stall_ns": [0.0],
        },
    }
    long, short = made(**tables), made(**tables)
    short.document["simulated_ns"] = 40.0
    figure = figures.links_over_time({"long": long, "short": short})
    assert [axes.get_xlim() for axes in figure.axes[:2]] == [(0, 95), (0, 95)]


def test_stalled_flits_are_the_stall_over_the_time_of_a_flit() -> None:
    run = made(
        links=links(
            {"class": "injection", "busy_ns": 10.0, "stall_ns": 0.0},
            {"class": "local", "busy_ns": 10.0, "stall_ns": 30.0},
            {"class": "global", "busy_ns": 0.0, "stall_ns": 0.0},
        )
    )
    assert figures.stalls_and_flits(run).rows() == [
        (0, "injection", 10.0, 0.0),
        (1, "local", 5.0, 15.0),
    ]


def test_saturation_counts_whole_ports_over_the_whole_run() -> None:
    run = made(
        links=links({"class": "global"}, {"class": "global"}),
        port_windows={
            "window_ns": [95.0, 95.0, 10.0],
            "window_start_ns": [0.0, 0.0, 0.0],
            "link": [0, 0, 0],
            "vc": [None, 1, None],
            "job": pl.Series([None, None, None], dtype=pl.UInt16),
            "kind": pl.Series([None, None, None], dtype=pl.String),
            "saturated_ns": [40.0, 40.0, 10.0],
        },
    )
    figure = figures.saturation_shares(run)
    line = figure.axes[2].lines[0]
    assert list(map(float, line.get_xdata())) == [0, 0, 40]  # type: ignore[arg-type]
    assert "saturation time of a link (ns)" in words(figure)


def test_saturation_of_virtual_channels_alone_is_refused() -> None:
    run = made(
        links=links({"class": "global"}),
        port_windows={
            "window_ns": [95.0],
            "window_start_ns": [0.0],
            "link": [0],
            "vc": [1],
            "job": pl.Series([None], dtype=pl.UInt16),
            "kind": pl.Series([None], dtype=pl.String),
            "saturated_ns": [40.0],
        },
    )
    with pytest.raises(UsageError, match="splits every row"):
        figures.saturation_shares(run)


def test_tail_is_the_share_of_slower_packets(experiment: Experiment) -> None:
    run = made(packets={"job": [0] * 4 + [1], "latency_ns": [4.0, 1.0, 2.0, 3.0, 9.0]})
    line = figures.latency_tail(run).axes[0].lines[0]
    points = list(zip(line.get_xdata(), line.get_ydata(), strict=True))  # type: ignore[arg-type]
    # A step holds its value to the next latency: half of the packets take longer than 2 ns.
    assert points[1:-1] == [(1.0, 0.75), (2.0, 0.5), (3.0, 0.25)]
    assert points[-1][0] == 4.0


def test_blame_rows_are_shares_of_the_victims_waiting() -> None:
    run = made(
        blame={
            "window_start_ns": [0.0, 50.0, 0.0],
            "class": ["local", "global", "global"],
            "victim": [0, 0, 1],
            "aggressor": [0, 1, 1],
            "wait_ns": [1000.0, 3000.0, 5.0],
        }
    )
    text = words(figures.blame_matrix(run))
    assert "3 µs" in text
    assert "75 %" in text
    assert "75 %" not in words(figures.blame_matrix(run, ("local",)))


def test_iterations_have_a_cell_per_rank_and_iteration() -> None:
    run = made(
        iterations={
            "job": [0, 0, 0],
            "rank": [0, 1, 1],
            "motif": [0, 0, 0],
            "iteration": [0, 0, 1],
            "start_ns": [0.0, 0.0, 5.0],
            "end_ns": [4.0, 5.0, 9.0],
            "communication_time_ns": [1.0, 2.0, 3.0],
        }
    )
    cells = figures.rank_iterations(run).axes[0].images[0].get_array()
    assert cells is not None
    assert np.ma.filled(cells, np.nan) == pytest.approx(
        np.array([[1, np.nan], [2, 3]]), nan_ok=True
    )
    lasts = figures.rank_iterations(run, measure="duration").axes[0].images[0].get_array()
    assert lasts is not None
    assert lasts[1, 1] == 4.0


def test_latency_over_time_shows_recorded_percentiles() -> None:
    run = made(
        latency_windows={
            "job": [0, 0],
            "window_start_ns": [10.0, 20.0],
            "kind": ["packet", "packet"],
            "count": [3, 5],
            "p50_ns": [100.0, 110.0],
            "p99_ns": [300.0, 400.0],
        }
    )
    run.document["plan"]["record"]["latency_windows_ps"] = 10_000
    figure = figures.latency_over_time(run)
    assert "packet latency, median to p99 (ns)" in words(figure)
    steps = figure.axes[0].patches[-1].get_data()  # type: ignore[attr-defined]
    assert np.nan_to_num(steps.values).tolist() == [0, 100, 110]
    assert steps.edges.tolist() == [0, 10, 20, 30]


def test_the_tail_of_a_job_alone_is_a_line_of_its_own() -> None:
    """Tails are what alone and together differ in (Kang et al., Fig. 7)."""

    def run(p99: float, names: str) -> Any:
        windows = {
            "job": [0, 0],
            "window_start_ns": [0.0, 10.0],
            "kind": ["packet", "packet"],
            "count": [3, 5],
            "p50_ns": [100.0, 110.0],
            "p99_ns": [p99, p99 + 1],
        }
        jobs = {"job": list(range(len(names))), "name": list(names)}
        found = made(latency_windows=windows, jobs=jobs)
        found.document["plan"]["record"]["latency_windows_ps"] = 10_000
        return found

    together, alone = run(500.0, "ab"), run(200.0, "a")
    figure = figures.latency_over_time(together, {"a": alone})
    steps = [patch for patch in figure.axes[0].patches if isinstance(patch, StepPatch)]
    (tail,) = [each for each in steps if each.get_data()[0].tolist() == [200.0, 201.0]]
    (median, *_) = [each for each in steps if each.get_data()[0].tolist() == [100.0, 110.0]]
    assert not tail.get_fill()
    assert tail.get_linewidth() < median.get_linewidth()
    shown = [text.get_text() for text in figure.legends[0].get_texts()]
    assert shown == ["alone", "together", "p99 alone", "median to p99 together"]
    assert not figures.latency_over_time(together).legends


def test_ends_of_jobs_at_nearly_the_same_time_share_a_label() -> None:
    ends = {"first": 100.0, "last": 900.0, "second": 110.0}
    assert _joined(ends, 50.0) == [(110.0, ["first", "second"]), (900.0, ["last"])]
    assert [names for _, names in _joined(ends, 5.0)] == [["first"], ["second"], ["last"]]


def test_placement_shows_every_rank(experiment: Experiment) -> None:
    figure = figures.placement_map(experiment.together)
    marks = [len(line.get_xdata()) for line in figure.axes[0].lines]  # type: ignore[arg-type]
    assert marks == [72 - 36 - 32, 36, 32]


def test_ring_leaves_out_runs_without_a_stall(experiment: Experiment) -> None:
    quiet = experiment.alone["halo3d"].links.with_columns(stall_ns=pl.lit(0.0))
    still = SimpleNamespace(
        document=experiment.alone["halo3d"].document, jobs=experiment.together.jobs, links=quiet
    )
    text = words(draw("group-ring", {"still": still, "busy": experiment.together}, {}))
    assert "busy" in text
    assert "still" not in text


def test_jobs_differ_without_colour() -> None:
    assert len(figures.MARKERS) == len(set(figures.MARKERS)) == len(figures.PALETTE)
    assert len(set(map(str, figures.DASHES))) == len(figures.DASHES)
    assert len({matplotlib.colors.to_hex(each) for each in figures.PALETTE}) == len(figures.PALETTE)


def figure_command(*words: str) -> int:
    with pytest.raises(SystemExit) as ended:
        main(["figure", *words])
    return int(ended.value.code or 0)


def test_help_and_how_to_name_the_kinds() -> None:
    assert all(name in HELP for name, kind in KINDS.items() if SWEEP in kind.takes)
    how_to = (ROOT / "docs" / "how-to" / "figures.md").read_text("utf-8")
    assert [name for name in KINDS if f"`{name}`" not in how_to] == []
    assert complete.measures("sat") == ["saturation"]


def test_the_command_lists_kinds(capsys: pytest.CaptureFixture[str]) -> None:
    assert figure_command() == 0
    text = capsys.readouterr().out
    assert "communication|duration" in text.replace("\n", "")
    assert all(kind in text for kind in KINDS)
    assert "Fig. 11" in text


def test_the_command_writes_the_format(
    experiment: Experiment, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for form, start in (("pdf", b"%PDF"), ("svg", b"<?xml"), ("png", b"\x89PNG")):
        assert figure_command("packet-latency", str(experiment.path), "--format", form) == 0
        assert (tmp_path / f"packet-latency.{form}").read_bytes().startswith(start)
    together = str(experiment.path / "together")
    line = ["links-over-time", together, "--class", "global", "--measure", "stall", "-o", "x.svg"]
    assert figure_command(*line) == 0
    assert figure_command("group-ring", str(experiment.path), together) == 0


@pytest.mark.parametrize(
    ("line", "text"),
    [
        (["group_rings", "RUN"], "there is no figure 'group_rings'; did you mean 'group-ring'?"),
        (["ring", "RUN"], "there is no figure 'ring'; did you mean 'group-ring'?"),
        (["group-ring"], "figure group-ring: there is no run"),
        (["group-ring", "RUN", "RUN"], "is named twice"),
        (["group-ring", "RUN", "--format", "jpg"], "--format jpg: is not one of pdf, svg and png"),
        (["group-ring", "RUN", "--format", "svg", "--out", "a.png"], "does not end in .svg"),
        (["group-ring", "RUN", "--out", "missing/a.png"], "there is no directory"),
        (["group-ring", "missing"], "holds no run"),
    ],
)
def test_the_command_says_what_is_wrong(
    line: list[str],
    text: str,
    experiment: Experiment,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    given = [str(experiment.path) if word == "RUN" else word for word in line]
    assert figure_command(*given) == 2
    error = capsys.readouterr().err
    assert text in error
    assert error.count("\n") == 1


def test_python_draws_the_same(experiment: Experiment) -> None:
    loaded = load(experiment.path)
    own = figures.group_ring(experiment.together, experiment.alone)
    assert figures.to_svg(draw("group-ring", {"x": loaded}, {})) == figures.to_svg(own)


def test_a_figure_says_what_makes_its_runs_approximate(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    coarse = scenario("off").replace({"interference": False, "detail.coarsen": 2})
    pt.run(coarse, out=tmp_path / "run", report=False)
    with pytest.raises(SystemExit):
        main(["figure", "communication-bars", str(tmp_path / "run"), "-o", str(tmp_path / "x.svg")])
    shown = capsys.readouterr().out
    assert shown.startswith("Coarsened by 2"), shown
    assert "one seed" in shown
    drawn = (tmp_path / "x.svg").read_text()
    assert "coarsened by 2; one seed" in drawn
