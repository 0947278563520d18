"""What a report costs, in counts: queries, rows held at once, drawings, modules."""

from __future__ import annotations

import io
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from matplotlib.backends.backend_svg import FigureCanvasSVG, RendererSVG
from matplotlib.figure import Figure
from polars.testing import assert_frame_equal

from pantala.analysis.binding import bindings_of
from pantala.analysis.link_load import link_loads
from pantala.figures import packet_latencies, page_svg
from pantala.figures.link_time import links_over_time_table
from pantala.figures.save import to_svg
from pantala.figures.style import horizontal_rows, new_figure, style
from pantala.report.run_report import render_report
from pantala.results.run import Run
from pantala.run_tables import time_slices
from pantala.run_tables.run_like import table
from pantala.text.steps import listened
from small_runs import small_interference, small_run

pytestmark = pytest.mark.native

#: Rows of a part in these tests.
FEW = 200


@pytest.fixture
def queries(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The rows of each result that Polars is asked for."""
    heights: list[int] = []
    one, several = pl.LazyFrame.collect, pl.collect_all

    def collect(frame: pl.LazyFrame, *args: Any, **keys: Any) -> pl.DataFrame:
        found: pl.DataFrame = one(frame, *args, **keys)
        heights.append(found.height)
        return found

    def collect_all(frames: Any, **keys: Any) -> list[pl.DataFrame]:
        found: list[pl.DataFrame] = several(frames, **keys)
        heights.append(max(each.height for each in found))
        return found

    monkeypatch.setattr(pl.LazyFrame, "collect", collect)
    monkeypatch.setattr(pl, "collect_all", collect_all)
    return heights


def test_a_report_asks_for_each_thing_once(tmp_path: Path, queries: list[int]) -> None:
    run = small_run(tmp_path)
    queries.clear()
    render_report(run)
    assert len(queries) <= 75


def test_what_follows_a_report_reads_no_links_again(tmp_path: Path, queries: list[int]) -> None:
    run = small_run(tmp_path)
    first = link_loads(run)
    queries.clear()
    assert link_loads(run) is first
    assert not queries


def test_windows_are_read_in_parts_with_equal_results(
    tmp_path: Path, queries: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    run = small_interference(tmp_path).together
    rows = run.link_windows.select(pl.len()).collect().item()
    whole = link_loads(run), bindings_of(run), links_over_time_table(run, "load", count=5)
    assert rows > 4 * FEW

    monkeypatch.setattr(time_slices, "PART_ROWS", FEW)
    again = Run(run.path)
    queries.clear()
    parts = link_loads(again), bindings_of(again), links_over_time_table(again, "load", count=5)
    longest = run.link_windows.group_by("window_start_ns").len().max().collect()["len"].item()
    assert max(queries) <= FEW + int(longest), "rows held at once"
    assert_frame_equal(parts[0].links, whole[0].links)
    for name, binding in parts[1].items():
        assert binding.shares == pytest.approx(whole[1][name].shares)
        assert binding.resource == whole[1][name].resource
    assert [row["link"] for row in parts[2][0]] == [row["link"] for row in whole[2][0]]
    assert parts[2][1] == pytest.approx(whole[2][1])


@pytest.mark.parametrize("rows", [0, 1, 3, 4, 5, 17, 400])
def test_parts_hold_every_row_once_and_no_part_of_a_window(
    rows: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(time_slices, "PART_ROWS", 4)
    starts = [float(at // 3) for at in range(rows)]
    windows = pl.DataFrame({"window_start_ns": starts, "row": range(rows)}).lazy()
    found = [part.collect() for part in time_slices.in_parts(windows)]
    assert pl.concat(found)["row"].to_list() == list(range(rows))
    assert sum(part["window_start_ns"].n_unique() for part in found) == len(set(starts))
    assert all(part.height <= 4 + 2 for part in found)


def test_a_large_table_of_packets_is_counted_by_rounded_latency(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = small_run(tmp_path)
    exact = packet_latencies.packet_latencies(run, 0)
    monkeypatch.setattr(packet_latencies, "EXACT_ROWS", 1)
    rounded = packet_latencies.packet_latencies(Run(run.path), 0)
    assert exact is not None
    assert rounded is not None
    assert len(rounded) == len(exact)
    for share in (0.0, 0.25, 0.5, 0.99, 1.0):
        assert rounded.quantile(share) == pytest.approx(exact.quantile(share), rel=2**-15)


def test_the_packets_of_all_jobs_are_read_once(tmp_path: Path, queries: list[int]) -> None:
    run = small_interference(tmp_path).together
    assert table(run, "packets") is not None
    packet_latencies.packet_latencies(run, 0)
    queries.clear()
    assert packet_latencies.packet_latencies(run, 1) is not None
    assert not queries


def test_the_steps_of_a_report_are_announced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(time_slices, "PART_ROWS", FEW)
    said: list[str] = []
    with listened(said.append):
        render_report(small_interference(tmp_path))
    assert said[0] == "reading tables"
    assert any(step.startswith("load of links, part 2 of ") for step in said)
    drawn = [step.split() for step in said if step.startswith("figure ")]
    assert [number for _, number, *_ in drawn] == [str(at + 1) for at in range(len(drawn))]
    assert drawn[-1][1] == drawn[-1][-1]
    assert said[-1] == "tables"


def test_a_figure_measures_each_text_once(monkeypatch: pytest.MonkeyPatch) -> None:
    measured: list[str] = []
    own = RendererSVG.get_text_width_height_descent

    def measure(renderer: RendererSVG, s: str, prop: Any, ismath: Any) -> Any:
        measured.append(s)
        return own(renderer, s, prop, ismath)  # type: ignore[no-untyped-call]

    monkeypatch.setattr(RendererSVG, "get_text_width_height_descent", measure)
    monkeypatch.setattr(page_svg, "_SIZES", {})
    svg = [to_svg(_panels()) for _ in range(2)]
    assert svg[0] == svg[1]
    assert "third label" in measured
    assert len(measured) == len(set(measured))


def test_a_figure_is_laid_out_as_matplotlib_does() -> None:
    figure, own = _panels(), _panels()
    to_svg(figure)
    FigureCanvasSVG(own).print_svg(io.StringIO())  # type: ignore[no-untyped-call]
    for axes, same in zip(figure.axes, own.axes, strict=True):
        difference = np.array(axes.get_position().bounds) - same.get_position().bounds
        assert np.abs(difference).max() * 72 * 8.6 < 0.5, "pixels"
        assert "get_tightbbox" not in vars(axes)


def _panels() -> Figure:
    """Returns two panels with a title, labels, a bar of colours and a key."""
    with style():
        figure = new_figure(3.0)
        first, second = figure.subplots(2)
        first.plot([0, 1], [0, 1e5], label="line")
        first.set_title("panel")
        second.barh([0, 1, 2], [3, 4, 5])
        horizontal_rows(second, ["first", "second", "third label"], [0, 1, 2])
        second.set_xlabel("time")
        bar = figure.colorbar(first.imshow([[0, 1]], aspect="auto"), ax=first)
        bar.set_label("share")
        figure.legend(loc="outside upper left")
    return figure


def test_a_command_imports_a_light_matplotlib() -> None:
    code = (
        "import sys\n"
        "from pantala.system.command import begin_command\n"
        "begin_command()\n"
        "import pantala.report.run_report\n"
        "names = 'mpl_toolkits.mplot3d', 'matplotlib.pyplot', 'pantala.comparison',"
        " 'pantala.experiments', 'pantala.papers', 'pantala.studies'\n"
        "print([name for name in names if name in sys.modules])\n"
        "import mpl_toolkits.mplot3d, matplotlib.artist\n"
        "print(len(matplotlib.artist.kwdoc(matplotlib.artist.Artist)) > 100)\n"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout == "[]\nTrue\n"
