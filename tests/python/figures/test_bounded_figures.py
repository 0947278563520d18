"""Figures of many rows or jobs: images of calls, joined iterations, outlines, names and keys."""

from __future__ import annotations

from itertools import pairwise
from types import SimpleNamespace
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import StepPatch
from matplotlib.text import Text

from pantala.figures import call_bars, iterations
from pantala.figures.blame import blame_matrix, has_numbers
from pantala.figures.call_bars import BARS
from pantala.figures.effects import effect_matrix
from pantala.figures.legend import add_key
from pantala.figures.ring import ring_of
from pantala.figures.steps import stairs
from pantala.figures.style import PALETTE, marker, new_figure, panels_height, style


def calls(number: int) -> pl.DataFrame:
    """Returns calls of two ranks: rank 3 sends half of the time, rank 5 waits all the time."""
    starts = 10.0 * np.arange(number)
    return pl.concat(
        pl.DataFrame(
            {"rank": rank, "call": call, "start_ns": starts, "end_ns": starts + length}
        ).with_columns(time_ns=pl.col("end_ns") - pl.col("start_ns"))
        for rank, call, length in ((3, "send", 5.0), (5, "wait", 10.0))
    )


def drawn(number: int) -> Axes:
    found = call_bars.call_bars(calls(number).lazy())
    assert found is not None
    assert found.totals == {"send": 5.0 * number, "wait": 10.0 * number}
    axes = new_figure(2).add_subplot()
    looks = [("send", "#ff0000"), ("", "#0000ff")]
    found.draw(axes, looks, (found.start_ns, found.end_ns), 1.0)
    return axes


def test_few_calls_are_bars() -> None:
    axes = drawn(BARS // 2)
    assert len(axes.collections) == 2
    assert not axes.images


def test_many_calls_are_an_image_of_the_time_inside_them() -> None:
    axes = drawn(BARS // 2 + 1)
    assert not axes.collections
    image = np.asarray(axes.images[0].get_array())
    assert image.shape == (2 * 25, 2000, 4)
    sends, waits = image[12], image[25 + 12]
    assert sends[:, 3].mean() == pytest.approx(255 / 2, rel=0.01)
    assert (waits == [0, 0, 255, 255]).all()
    assert (sends[sends[:, 3] > 0][:, :3] == [255, 0, 0]).all()
    assert not image[:2, :, 3].any(), "the space between two ranks"


@given(
    st.lists(st.tuples(st.integers(0, 900), st.integers(1, 400)), min_size=1, max_size=20),
)
def test_shares_are_the_time_inside_calls(spans: list[tuple[int, int]]) -> None:
    ends = [start + length for start, length in spans]
    events = pl.DataFrame(
        {
            "rank": [0] * len(spans),
            "look": ["a"] * len(spans),
            "start_ns": [float(start) for start, _ in spans],
            "end_ns": [float(end) for end in ends],
        }
    )
    first, last = float(min(start for start, _ in spans)), float(max(ends))
    found = call_bars._shares(events.lazy(), [0], ["a"], (first, last))[0, :, 0]
    edges = np.linspace(first, last, len(found) + 1)
    covered = sum(
        np.clip(np.minimum(edges[1:], end) - np.maximum(edges[:-1], start), 0, None)
        for (start, _), end in zip(spans, ends, strict=True)
    )
    assert found == pytest.approx(np.clip(covered / np.diff(edges), 0, 1), abs=1e-6)


def test_many_iterations_share_columns(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = pl.LazyFrame(
        {
            "motif": [0, 0, 0, 1, 1] * 2,
            "iteration": [0, 1, 2, 0, 1] * 2,
            "rank": [0] * 5 + [2] * 5,
            "value": [1.0, 3.0, 5.0, 7.0, 9.0] * 2,
        }
    )
    found = iterations._columns(iterations._joined(rows).collect(), skipping=False)
    every = found.cells
    assert found.each == 1
    assert found.numbers == [0, 1, 2, 3, 4]
    assert every[0].tolist() == every[2].tolist() == [1.0, 3.0, 5.0, 7.0, 9.0]
    assert np.isnan(every[1]).all()
    monkeypatch.setattr(iterations, "_COLUMNS", 2)
    joined = iterations._columns(iterations._joined(rows).collect(), skipping=False)
    assert joined.each == 3
    assert joined.cells[0].tolist() == [3.0, 8.0]


def test_iterations_before_and_after_skipped_ones_do_not_share_a_column(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    numbers = [0, 1, 2, 3, 4, 95, 96, 97]
    rows = pl.LazyFrame(
        {"motif": 0, "iteration": numbers, "rank": 0, "value": [float(n) for n in numbers]}
    )
    monkeypatch.setattr(iterations, "_COLUMNS", 4)
    found = iterations._columns(iterations._joined(rows).collect(), skipping=True)
    assert found.each == 2
    assert found.numbers == [0, 2, 4, None, 95, 97]
    assert found.breaks == [(3.0, 90)]
    assert found.cells[0].tolist() == pytest.approx([0.5, 2.5, 4, np.nan, 95.5, 97], nan_ok=True)


@pytest.mark.parametrize("fill", [False, True])
def test_outlines_are_those_of_matplotlib(fill: bool) -> None:
    values, edges = np.array([1.0, np.nan, 3.0, -1.0]), np.array([0.0, 1.0, 2.0, 3.0, 4.0])
    figure = new_figure(2)
    own, theirs = figure.subplots(2)
    base = 0.5 if fill else None
    look: dict[str, Any] = {"baseline": base, "fill": fill, "color": "red", "alpha": 0.5}
    stairs(own, values, edges, **look)
    theirs.stairs(values, edges, **look)
    assert own.get_xlim() == theirs.get_xlim()
    assert own.get_ylim() == theirs.get_ylim()
    mine, other = (axes.findobj(StepPatch)[0] for axes in (own, theirs))
    assert np.array_equal(mine.get_path().vertices, other.get_path().vertices, equal_nan=True)
    for name in ("facecolor", "edgecolor", "linewidth", "fill", "alpha"):
        assert getattr(mine, f"get_{name}")() == getattr(other, f"get_{name}")()


def _drawn(figure: Figure) -> Any:
    """Draws a figure, and returns the renderer that knows the places of its texts."""
    canvas: Any = FigureCanvasAgg(figure)
    renderer = canvas.get_renderer()
    figure.draw(renderer)
    return renderer


def _waits(jobs: int) -> Any:
    """Returns a run whose jobs all wait for each other."""
    names = [f"pair-{job:02}" for job in range(jobs)]
    pairs = [(victim, aggressor) for victim in range(jobs) for aggressor in range(jobs)]
    blame = {
        "window_start_ns": [0.0] * len(pairs),
        "class": ["local"] * len(pairs),
        "victim": [victim for victim, _ in pairs],
        "aggressor": [aggressor for _, aggressor in pairs],
        "wait_ns": [12_345.0] * len(pairs),
    }
    plan = {"name": "made", "record": {"blame": {}}, "jobs": [{"name": name} for name in names]}
    return SimpleNamespace(
        document={"plan": plan, "simulated_ns": 100.0},
        blame=pl.LazyFrame(blame),
        jobs=pl.LazyFrame({"job": range(jobs), "name": names}),
    )


@pytest.mark.parametrize("jobs", [2, 11, 12, 13, 36, 60])
def test_numbers_and_names_of_a_matrix_of_waits_do_not_overlap(jobs: int) -> None:
    figure = blame_matrix(_waits(jobs))
    axes = figure.axes[0]
    renderer = _drawn(figure)
    assert bool(axes.texts) == has_numbers(jobs)
    assert bool(figure.legends) != has_numbers(jobs), "the key says which colour is which share"
    cells = axes.texts[:jobs]
    for row in (cells, axes.get_xticklabels()):
        boxes = [text.get_window_extent(renderer) for text in row]
        assert all(left.x1 <= right.x0 + 1 for left, right in pairwise(boxes))
    assert figure.get_figheight() < 12


def test_titles_of_a_matrix_with_one_job_do_not_overlap() -> None:
    measures = ["slowdown", "packet_latency_p99_slowdown", "run_time_slowdown"]
    rows = [("pairs", "a", "b", measure, 1.1) for measure in measures]
    names = ["method", "victim", "aggressor", "measure", "effect"]
    figure = effect_matrix(pl.DataFrame(rows, schema=names, orient="row"))
    renderer = _drawn(figure)
    panels = [axes for axes in figure.axes if axes.get_visible()]
    titles = [
        text.get_window_extent(renderer)
        for axes in panels
        for text in axes.findobj(lambda each: isinstance(each, Text))
        if isinstance(text, Text) and text.get_text() == axes.get_title(loc="left")
    ]
    assert len(titles) > 1
    for left, right in pairwise(titles):
        assert left.x1 < right.x0 or left.y0 > right.y1


@pytest.mark.parametrize("panels", [1, 2, 5])
def test_the_label_beside_panels_is_inside_the_figure(panels: int) -> None:
    with style():
        figure = new_figure(panels_height(panels))
        figure.subplots(panels)
        label = figure.supylabel("request-response latency, median to p99 (ms)", fontsize=9)
        renderer = _drawn(figure)
        box = label.get_window_extent(renderer)
    assert box.y0 >= 0
    assert box.y1 <= figure.bbox.height


def test_sixty_jobs_have_marks_of_their_own_and_a_key_beside_the_panels() -> None:
    looks = {(PALETTE[at % len(PALETTE)], marker(at)) for at in range(60)}
    assert len(looks) == 60
    heights = []
    for jobs in (2, 60):
        with style():
            figure = new_figure(2.7)
            axes = figure.add_subplot()
            add_key(figure, [Line2D([], [], label=f"pair-{job:02}") for job in range(jobs)])
            _drawn(figure)
            heights.append(axes.get_position().height * figure.get_figheight())
    assert heights[1] > 0.8 * heights[0]


@pytest.mark.parametrize("runs", [1, 2])
def test_the_key_of_a_ring_is_inside_the_figure(runs: int) -> None:
    stalls = np.full((9, 9), 123_456.0)
    figure = ring_of({f"run {at}": stalls for at in range(runs)})
    renderer = _drawn(figure)
    texts = [text for legend in figure.legends for text in legend.get_texts()]
    assert len(texts) == 2
    assert all(text.get_window_extent(renderer).x1 <= figure.bbox.width for text in texts)
