"""Figures of runs that skipped time: breaks where each run skipped, and true iteration numbers."""

from __future__ import annotations

import itertools
import math
import re
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from matplotlib.axes import Axes
from matplotlib.lines import Line2D

import pantala as pt
from pantala.cli.run import _comparison
from pantala.experiments.experiment import Experiment
from pantala.figures.drawing import draw
from pantala.figures.style import INK
from pantala.figures.throughput import throughput, throughput_windows
from pantala.report.finding import hottest_sentence
from pantala.report.reported_run import ReportedRun
from pantala.report.run_report import render_report
from pantala.report.tables import communication_table
from pantala.run_tables.run_like import RunLike
from pantala.run_tables.skipped_time import skipped_between, skipped_spans, without_skipped
from support import SMALL

pytestmark = pytest.mark.native


@pytest.fixture(scope="module")
def skipping(tmp_path_factory: pytest.TempPathFactory) -> Experiment:
    """A job that ran alone and beside another; all runs skipped time, at different times."""
    path = tmp_path_factory.mktemp("skipping")
    (path / "long.toml").write_text(re.sub(r"iterations = \d+", "iterations = 400", SMALL))
    scenario = pt.Scenario.from_toml(path / "long.toml").replace(
        {
            "skip": "20 %",
            "interference": {"targets": ["fft"]},
            "record": {
                "window": "1 us",
                "system": {"windows": ["1 us"]},
                "routers": {"windows": ["1 us"]},
                "routing_windows": "1 us",
            },
        }
    )
    made = pt.run(scenario, path / "run", report=False, progress=False)
    assert isinstance(made, Experiment)
    assert _breaks(made.together) != _breaks(made.alone["fft"])
    return made


def _breaks(run: RunLike) -> list[float]:
    """Returns where the axis of a run without its skipped time breaks, in ns."""
    spans = skipped_spans(run)
    assert spans
    before = itertools.accumulate((end - start for start, end in spans), initial=0.0)
    return [start - cut for (start, _), cut in zip(spans, before, strict=False)]


def _drawn(axes: Axes) -> dict[Any, list[float]]:
    """Returns the places of double lines in a panel by their dashes."""
    found: dict[Any, list[float]] = {}
    for line in _breaking(axes):
        at, other = np.asarray(line.get_xdata(), float)
        assert at == other
        dashes = line._unscaled_dash_pattern  # type: ignore[attr-defined]
        found.setdefault(str(dashes), []).append(float(at))
    # Two lines side by side are one break.
    assert all(places[::2] == places[1::2] for places in found.values())
    return {dashes: places[::2] for dashes, places in found.items()}


def _breaking(axes: Axes) -> list[Line2D]:
    return [line for line in axes.lines if line.get_color() == INK and line.get_zorder() == 5]


def _unit(axes: Axes) -> float:
    label = axes.get_xlabel()
    return {"ns": 1.0, "µs": 1e3, "ms": 1e6}[re.search(r"\((\w+)", label)[1]]  # type: ignore[index]


@pytest.mark.parametrize("kind", ["throughput", "latency-over-time", "nonminimal-over-time"])
def test_a_panel_has_the_breaks_of_its_own_runs(skipping: Experiment, kind: str) -> None:
    figure = draw(kind, {"x": skipping}, {})
    first, second = figure.axes
    unit = _unit(second)
    alone, together = (_breaks(run) for run in (skipping.alone["fft"], skipping.together))
    expected = [[at / unit for at in each] for each in (alone, together)]
    both = _drawn(first)
    assert len(both) == 2, "the runs differ in their dashes"
    assert sorted(both.values()) == [pytest.approx(each) for each in sorted(expected)]
    assert list(_drawn(second).values()) == [pytest.approx(expected[1])]
    words = [axes.get_title(loc="right") for axes in figure.axes]
    assert re.search(r" alone: .* skipped( at \d+ places)?, together: .* skipped", words[0])
    assert "alone" not in words[1]
    assert "together: " in words[1]


def test_panels_of_link_classes_have_the_breaks_of_all_runs(skipping: Experiment) -> None:
    figure = draw("system-over-time", {"x": skipping}, {})
    unit = _unit(figure.axes[-1])
    expected = sorted(
        at / unit for run in (skipping.alone["fft"], skipping.together) for at in _breaks(run)
    )
    for axes in figure.axes:
        assert sorted(itertools.chain(*_drawn(axes).values())) == pytest.approx(expected)
    assert [bool(axes.get_title(loc="right")) for axes in figure.axes][:2] == [True, False]


def test_panels_of_routers_have_the_breaks_of_one_run(skipping: Experiment) -> None:
    figure = draw("routers-over-time", {"x": skipping}, {})
    unit = _unit(figure.axes[-1])
    assert len(figure.axes) == 3
    for axes, run in zip(
        figure.axes,
        (skipping.alone["fft"], skipping.together, skipping.together),
        strict=True,
    ):
        assert list(_drawn(axes).values()) == [pytest.approx([at / unit for at in _breaks(run)])]


def test_calls_and_estimates_have_the_breaks_of_their_run(tmp_path: Path) -> None:
    """Calls of all ranks and learning, after many iterations that were skipped."""
    (tmp_path / "long.toml").write_text(re.sub(r"iterations = \d+", "iterations = 400", SMALL))
    record = {"window": "1 us", "q_learning": True, "call_events": {}}
    scenario = pt.Scenario.from_toml(tmp_path / "long.toml").replace(
        {"skip": "20 %", "routing": "q_adaptive", "record": record}
    )
    run = pt.run(scenario, tmp_path / "run", report=False, progress=False)
    assert isinstance(run, pt.Run)
    for kind in ("calls-over-time", "learning"):
        figure = draw(kind, {"x": run}, {})
        unit = _unit(figure.axes[-1])
        shown = without_skipped(skipped_spans(run), np.array([run.document["simulated_ns"]]))
        assert "skipped time cut out" in figure.axes[-1].get_xlabel()
        for axes in figure.axes:
            expected = [pytest.approx([at / unit for at in _breaks(run)])]
            assert list(_drawn(axes).values()) == expected
            assert axes.get_xlim()[1] <= 1.001 * shown.item() / unit


def test_runs_that_share_a_panel_have_steps_of_one_length(skipping: Experiment) -> None:
    """A mean over short steps has higher peaks than one over long steps."""
    run = skipping.together
    long = throughput_windows(run, 0, 7000.0)
    short = throughput_windows(run, 0)
    assert long is not None
    assert short is not None
    assert long["end_ns"][0] - long["start_ns"][0] == 7000
    sent = [
        (each["gb_per_s"] * (each["end_ns"] - each["start_ns"])).sum() for each in (long, short)
    ]
    assert sent[0] == pytest.approx(sent[1])


def test_a_run_without_skipped_time_has_no_break(tmp_path: Path) -> None:
    (tmp_path / "small.toml").write_text(SMALL)
    scenario = pt.Scenario.from_toml(tmp_path / "small.toml")
    made = pt.run(scenario, tmp_path / "full", report=False, progress=False)
    assert isinstance(made, pt.Run)
    for axes in throughput(made).axes:
        assert not _breaking(axes)
        assert not axes.get_title(loc="right")


def test_the_page_says_what_a_break_is(skipping: Experiment) -> None:
    page = render_report(skipping).replace("\u00a0", " ")
    captions = re.findall(r"<figcaption>(.*?)</figcaption>", page, re.DOTALL)
    over_time = [caption for caption in captions if "A double line is a break" in caption]
    assert len(over_time) >= 4
    assert page.count("numbers of calls are estimates") == 1
    assert any("A dotted line marks the end of another job" in caption for caption in over_time)
    # The figure of link classes has one step for all of the time that it shows.
    (step,) = {each for caption in captions for each in re.findall(r"A step is (.*?)\.", caption)}
    end = skipping.together.document["simulated_ns"]
    shown = end - skipped_between(skipping.together, 0, end)
    assert step == f"{math.ceil(shown / 1000 / 1000)} µs"
    assert math.ceil(shown / 1e6) < math.ceil(end / 1e6)
    assert sum("where the run skipped iterations" in caption for caption in captions) == 1


def test_columns_have_the_numbers_of_their_iterations(skipping: Experiment) -> None:
    """The last iterations of a job have the last numbers, not those of their columns."""
    figure = draw("rank-iterations", {"x": skipping}, {})
    alone, together, *_ = [axes for axes in figure.axes if axes.get_visible()]
    for axes, run in ((alone, skipping.alone["fft"]), (together, skipping.together)):
        known = run.iterations.filter(pl.col("job") == 0).collect()
        numbers = known["iteration"].unique().sort().to_list()
        gaps = [(a, b) for a, b in itertools.pairwise(numbers) if b > a + 1]
        assert gaps
        skipped = 400 - len(numbers)
        assert axes.get_title(loc="right").endswith(f" {skipped} skipped")
        assert len(_breaking(axes)) == 2 * len(gaps)
        shown = np.asarray(axes.images[0].get_array(), float)
        places = dict(
            zip(
                (label.get_text() for label in axes.get_xticklabels()),
                axes.get_xticks(),
                strict=True,
            )
        )
        assert places["0"] == 0
        assert str(gaps[0][1]) in places
        unit = {"ns": 1.0, "µs": 1e3}[re.search(r"\((\w+)\)", figure.axes[-2].get_ylabel())[1]]  # type: ignore[index]
        for text, place in places.items():
            rows = known.filter(pl.col("iteration") == int(text)).sort("rank")
            times = rows["communication_time_ns"].to_numpy() / unit
            assert shown[:, round(place)] == pytest.approx(times)
        # A break is blank.
        blank = np.isnan(shown).all(axis=0)
        assert blank.sum() >= len(gaps)
        assert shown.shape[1] - blank.sum() == len(numbers)


def test_the_hottest_link_is_that_of_the_whole_run(skipping: Experiment) -> None:
    """Jobs that share most of a run are not said to share no window of it."""
    sentence = hottest_sentence(ReportedRun.of(skipping))
    assert sentence.startswith("Over the whole run, the hottest link is")


def test_tables_over_ranks_say_that_a_sample_widens_them(skipping: Experiment) -> None:
    """Skipped time is added rank by rank, which widens their spread."""
    reported = ReportedRun.of(skipping)
    assert "deviation and maximum are larger than those" in communication_table(reported).caption
    (shown,) = _comparison(skipping)
    assert "deviation and maximum are larger than those" in str(shown.caption)
