"""`pantala report` of an experiment: ranking in words, grids, box plots, all runs with links."""

from __future__ import annotations

import html
import re
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import pantala as pt
from pages import Page
from pantala.comparison.ranking import ranking_of
from pantala.figures.grid import Bar, bar_grid
from pantala.figures.seeds import Box, seed_boxes
from pantala.report.experiment import experiment_finding, render_experiment
from pantala.text.amounts import TIMES
from support import Ended
from sweeps import scenario

Cli = Callable[..., Ended]
TIME = "communication_time_mean_ns"
AXES = ("routing", "where")


def values(samples: dict[tuple[str, str], list[float | None]], metric: str = TIME) -> pl.DataFrame:
    """Returns hand-made values of a job: a list over seeds for each case; None did not end."""
    rows = [
        (
            *(*case, seed, "together", "a", metric),
            *(1.0 if value is None else value, value is not None, f"{case} {seed}"),
        )
        for case, sample in samples.items()
        for seed, value in enumerate(sample)
    ]
    names = [*AXES, "seed", "part", "job", "metric", "value", "whole", "result"]
    return pl.DataFrame(rows, schema=names, orient="row")


def test_configurations_are_ranked_by_their_means() -> None:
    found = values(
        {
            ("par", "near"): [200.0, 210.0, 220.0],
            ("minimal", "near"): [100.0, 110.0, 120.0],
            ("minimal", "far"): [99.0, 112.0, 122.0],
            ("par", "far"): [None, 300.0, 310.0],
        }
    )
    (ranking,) = ranking_of(found, AXES)
    assert [(each.case, each.interval.count) for each in ranking.ranked] == [
        (("minimal", "near"), 3),
        (("minimal", "far"), 3),
        (("par", "near"), 3),
        (("par", "far"), 2),
    ], "a run that did not end does not count"
    assert [each.case for each in ranking.close] == [("minimal", "far")]
    words = ranking.words(AXES)
    assert words.startswith(
        "a: communication time is lowest with routing = minimal, where = near (110 ± 25 ns) and"
        " highest with routing = par, where = far: "
    )
    assert words.endswith(
        "Not significantly different from the lowest: routing = minimal, where = far."
    )
    assert "significant" in words


def test_words_of_a_ranking_follow_the_interval() -> None:
    close = values({("a", "x"): [100.0, 110.0, 120.0], ("b", "x"): [102.0, 104.0, 130.0]})
    (ranking,) = ranking_of(close, AXES)
    words = ranking.words(AXES)
    assert words.endswith("where = x: no significant difference (-16 to 20 %; 3 seeds).")
    single = values({("a", "x"): [100.0], ("b", "x"): [150.0]}, "packet_latency_mean_ns")
    (ranking,) = ranking_of(single, AXES)
    assert ranking.words(AXES) == (
        "a: packet latency is lowest with routing = a, where = x (100 ns) and highest with routing"
        " = b, where = x: 50 % higher; no interval: one run each."
    )
    (ranking,) = ranking_of(values({("a", "x"): [100.0, 100.0]}), AXES)
    assert ranking.words(AXES) == "a: communication time is 100 ns."
    assert ranking_of(values({("a", "x"): [None]}), AXES) == []
    assert experiment_finding([], AXES) == ["No run has ended yet, so there is nothing to rank."]


def test_grids_have_a_panel_for_each_job_and_column() -> None:
    bars = [
        Bar(job, row, column, 1000.0, 900.0, 1100.0, 500.0)
        for job in "ab"
        for row in ("minimal", "par", "ugal_g")
        for column in ("near", "far")
    ]
    figure = bar_grid(bars[:-1], "communication time", ["routing", "where"])
    panels = figure.axes
    assert [panel.get_title(loc="left") for panel in panels] == ["near", "far", "", ""]
    assert [len(panel.patches) for panel in panels] == [3, 3, 3, 2]
    assert [text.get_text() for text in panels[0].get_yticklabels()] == ["minimal", "par", "ugal_g"]
    short, long = bars[0], Bar("a", "par", "far", 5000.0, 3000.0, 7000.0)
    limits = [panel.get_xlim() for panel in bar_grid([short, long], "time", ["r", "w"]).axes]
    assert limits[0] == limits[1], "both panels show all of both"
    assert list(limits[0]) == pytest.approx([0, 1.04 * 7])
    one = Bar("a", "", "", 1.0, -float("inf"), float("inf"))
    assert len(bar_grid([one], "communication time", ["one case"]).axes) == 1
    with pytest.raises(pt.UsageError, match="no value to draw"):
        bar_grid([], "communication time", ["routing"])


def test_boxes_show_every_value() -> None:
    figure = seed_boxes([Box("x", "g", [1.0, 2.0, 9.0]), Box("y", "g", [4.0])], "time")
    (axes,) = figure.axes
    points = [line for line in axes.lines if line.get_marker() == "o"]
    assert [np.asarray(line.get_xdata()).tolist() for line in points] == [[1.0, 2.0, 9.0], [4.0]]
    low, high = axes.get_xlim()
    assert low < 1.0 < 9.0 < high
    with pytest.raises(pt.UsageError, match="no value to draw"):
        seed_boxes([], "time")


@pytest.fixture(scope="module")
def swept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Returns an experiment of 72 nodes: two routings, two placements, two seeds, one run fails."""
    from pantala.core.plan import Plan

    path = tmp_path_factory.mktemp("swept")
    real = Plan.run

    def run(plan: Plan, *others: Any) -> Any:
        if plan["seed"] == 2 and plan["routing"]["algorithm"] == "par":
            raise pt.SimulationError("stalled: ranks 0 and 1 wait for each other")
        return real(plan, *others)

    with pytest.MonkeyPatch.context() as patch, ThreadPoolExecutor(1) as pool:
        patch.setattr(Plan, "run", run)
        axes = {
            "routing.algorithm": ["minimal", "par"],
            "jobs.*.placement": ["random", "contiguous"],
        }
        pt.sweep(scenario(), path, axes=axes, seeds=2, executor=pool)
    return path


@pytest.mark.native
def test_the_report_of_an_experiment(cli: Cli, swept: Path) -> None:
    ended = cli("report", swept)
    assert (ended.status, ended.out) == (0, f"report: {swept / 'report.html'}\n")
    text = (swept / "report.html").read_text(encoding="utf-8")
    page = Page(text)
    assert len(page.ids) == len(set(page.ids))
    assert not page.open
    links = [link for link in page.links if not link.startswith("#")]
    assert len(links) == 6, "two of eight runs failed"
    assert all((swept / link).is_file() for link in links)
    crossed = f" {TIMES} ".join(["2 routing.algorithm", "2 jobs.*.placement", "2 seeds"])
    assert f"{crossed} · 6 of 8 runs done · 2 failed" in text
    assert "failed: routing.algorithm = par, jobs.*.placement = random, seed 2: stalled" in text
    assert text.count("stalled: ranks 0 and 1 wait for each other") == 2
    for key in (f"grid-{TIME}-0", "seeds-0", "seeds-1"):
        assert f'id="figure-{key}"' in text
    assert "halo: communication time is" in text.replace("\u00a0", " ")
    assert "prefers-color-scheme: dark" in text
    assert render_experiment(swept) == text, "equal runs give an equal page"


@pytest.mark.native
def test_the_caption_of_a_box_plot_says_what_it_shows(swept: Path) -> None:
    text = html.unescape(render_experiment(swept)).replace("\u00a0", " ")
    captions = re.findall(r"(\w+) in (\d+) configurations with ([\w ]+), from the lowest", text)
    assert captions == [("halo", "4", "1 to 2 points each"), ("noise", "4", "1 to 2 points each")]
    widest = re.findall(r"Seeds differ most in “(.+?)”: from (.+?) to (.+?)\.(?!\d)", text)
    assert len(set(widest)) == 2
    assert text.count("A box reaches") == 1


@pytest.mark.native
def test_configurations_are_ranked_by_slowdown_too(cli: Cli, tmp_path: Path) -> None:
    both = scenario().replace({"interference": True})
    pt.sweep(both, tmp_path, workers=1, axes={"routing.algorithm": ["minimal", "par"]}, seeds=2)
    text = render_experiment(tmp_path)
    for metric in (TIME, "slowdown"):
        assert f'id="figure-grid-{metric}-0"' in text
    assert "halo: slowdown is lowest with" in text
    by_latency = render_experiment(tmp_path, ["packet_latency_p99_ns"])
    assert 'id="figure-grid-packet_latency_p99_ns-0"' in by_latency
    assert 'id="figure-grid-slowdown-0"' not in by_latency
    for metric, said in (("slowdon", "did you mean 'slowdown'?"), ("simulated_ns", "no job of")):
        ended = cli("report", tmp_path, "--metric", metric)
        assert ended.status == 2
        assert said in ended.err
        assert ended.err.count("\n") == 1


@pytest.mark.native
def test_the_table_of_runs_has_the_values_of_the_runs(swept: Path) -> None:
    text = html.unescape(render_experiment(swept))
    experiment = pt.Experiment(swept)
    done = experiment.runs.filter(pl.col("state") == "done")
    for run in done["run"]:
        value = experiment.run(run).metric(TIME, "noise")
        assert f'<data value="{value}">' in text
        assert f">{run[:8]}</a>" in text


@pytest.mark.native
def test_an_experiment_without_seeds_or_axes_says_so(cli: Cli, tmp_path: Path) -> None:
    pt.sweep(scenario(), tmp_path, workers=1)
    assert cli("report", tmp_path).status == 0
    text = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "This is one seed and one placement." in text.split("</ul>", 1)[0]
    assert not re.search(r'id="figure-seeds', text)
    other = scenario().replace({"name": "other"})
    pt.sweep(other, tmp_path, workers=1)
    ended = cli("report", tmp_path)
    assert ended.out.splitlines() == [
        f"report: {tmp_path}/report-{name}.html" for name in ("other", "tiny")
    ]


@pytest.mark.native
def test_an_experiment_without_runs_has_a_report(cli: Cli, tmp_path: Path) -> None:
    pt.sweep(scenario(), tmp_path, workers=1, axes={"jobs.noise.ranks": [8, 16]}, seeds=2)
    for folder in ("runs", "tables", "index"):
        for file in sorted((tmp_path / folder).rglob("*.*")):
            if file.is_file():
                file.unlink()
    text = render_experiment(tmp_path)
    assert "No run has ended yet" in text
    assert text.count("missing: jobs.noise.ranks") == 4
    ended = cli("report", tmp_path / "nothing")
    assert ended.status == 2
    assert ended.err.count("\n") == 1


def test_a_page_elsewhere_has_links_to_the_runs(tmp_path: Path, cli: Callable[..., Ended]) -> None:
    root = tmp_path / "sweep"
    pt.sweep(scenario(), root, axes={"routing.algorithm": ["minimal", "ugal_g"]})
    page = tmp_path / "pages" / "page.html"
    page.parent.mkdir()
    assert cli("report", root, "--out", page).out == f"report: {page}\n"
    links = re.findall(r'href="([^"#]+json)"', page.read_text())
    assert len(links) == 2
    assert all((page.parent / link).is_file() for link in links)
    assert not (root / "report.html").exists()
    (root / "report.html").mkdir()
    ended = cli("report", root)
    assert ended.status == 2
    assert "cannot be written: Is a directory; name another --out" in ended.err
