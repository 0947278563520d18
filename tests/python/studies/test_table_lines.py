"""Figures of the columns of a study's table: what is drawn, and what is refused before the runs."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from pydantic import ValidationError

from pantala.errors import UsageError
from pantala.papers import studies
from pantala.studies import Campaign, read_study
from pantala.studies.campaign import check_measures
from pantala.studies.figures.entry import TableLines
from pantala.studies.figures.table_lines import check_table_lines, table_lines
from pantala.studies.study_page import render_study
from support import Ended

Cli = Callable[..., Ended]

LINES = TableLines.model_validate(
    {
        "x": "nodes",
        "label": "throughput (%)",
        "panels": "pattern",
        "log": True,
        "series": [
            {"points": "measured", "line": "exact", "label": "shortest path"},
            {"line": "estimate", "label": "by a formula"},
        ],
    }
)
ROWS = pl.DataFrame(
    {
        "pattern": ["shift", "shift", "shift", "uniform"],
        "nodes": [1056, 42, 342, 42],
        "measured": [3.0, 16.0, None, 60.0],
        "exact": [3.1, 16.7, 5.6, 50.0],
        "estimate": [18.8, 37.5, 25.0, 37.5],
    }
)


def drawn(rows: pl.DataFrame = ROWS, lines: TableLines = LINES) -> Figure:
    return table_lines(rows, lines, {"shift": "Shift by one group"})


def curves(panel: Axes) -> list[tuple[list[float], list[float]]]:
    return [
        (list(np.asarray(line.get_xdata())), list(np.asarray(line.get_ydata())))
        for line in panel.get_lines()
    ]


def test_a_panel_has_the_columns_of_its_rows_in_the_order_of_x() -> None:
    figure = drawn()
    shift, uniform = figure.axes
    assert [shift.get_title("left"), uniform.get_title("left")] == [
        "Shift by one group",
        "uniform",
    ]
    line, points, formula = curves(shift)
    assert line == ([42.0, 342.0, 1056.0], [16.7, 5.6, 3.1])
    assert points == ([42.0, 1056.0], [16.0, 3.0]), "a missing value has no point"
    assert formula == ([42.0, 342.0, 1056.0], [37.5, 25.0, 18.8])
    assert curves(uniform)[1] == ([42.0], [60.0])
    scale: str = shift.get_xscale()
    assert scale == "log"
    assert shift.get_ylim()[0] == 0
    (key,) = figure.legends
    assert [text.get_text() for text in key.get_texts()] == ["shortest path", "by a formula"]


def test_each_column_of_panels_has_its_axis_below() -> None:
    rows = pl.concat([ROWS.with_columns(pattern=pl.lit(name)) for name in "abcd"])
    panels = drawn(rows).axes
    assert [each.get_xlabel() for each in panels] == ["", "nodes", "nodes", "nodes", "", ""]
    assert [each.get_visible() for each in panels] == [True] * 4 + [False] * 2


def test_without_panels_there_is_one_and_negative_values_are_inside() -> None:
    rows = ROWS.filter(pattern="shift").with_columns(exact=-pl.col("exact"))
    (panel,) = drawn(rows, LINES.model_copy(update={"panels": None, "log": False})).axes
    assert panel.get_xscale() == "linear"
    assert panel.get_ylim()[0] <= -16.7


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"x": "node"}, "'node': the table has no such column; did you mean 'nodes'"),
        ({"x": "pattern"}, "'pattern': the column has \"shift\", which is no number"),
        ({"panels": "size"}, "'size': the table has no such column; choose pattern, nodes"),
        ({"series": [{"points": "mesured", "label": "m"}]}, "did you mean 'measured'"),
    ],
)
def test_a_column_that_is_not_there_is_named(change: dict[str, object], says: str) -> None:
    wrong = TableLines.model_validate(LINES.model_dump() | change)
    with pytest.raises(UsageError, match=says.replace("(", r"\(")):
        check_table_lines(wrong, ROWS)
    check_table_lines(wrong, pl.DataFrame())  # a function without runs may know no column


def test_a_logarithmic_axis_has_no_zero() -> None:
    rows = ROWS.with_columns(nodes=pl.col("nodes") - 42)
    with pytest.raises(UsageError, match="log = true: column 'nodes' has 0, which"):
        check_table_lines(LINES, rows)
    check_table_lines(LINES.model_copy(update={"log": False}), rows)


def test_a_series_shows_something() -> None:
    with pytest.raises(ValidationError, match="neither points nor line"):
        TableLines.model_validate(LINES.model_dump() | {"series": [{"label": "nothing"}]})


STUDY = """
title = "One table"
source = "Nobody, 2026"
quick = "Quick version."

[experiments.one]
file = "one.toml"
[experiments.one.quick]

[[tables]]
name = "table-1"
title = "Powers"
source = "Fig. 2"
caption = "Of two."
lines = { x = "x", label = "two to the x", series = [{ line = "power", label = "2^x" }] }
"""
ONE = """
[scenario]
machine = "prisacari2015(2,3,2)"
[[scenario.jobs]]
name = "halo"
ranks = 2
workload = { kind = "halo3d", iterations = 1 }
[[axes]]
"routing.algorithm" = ["minimal"]
"""
POWERS = """
import polars as pl
TABLES = {"table-1": lambda e: pl.DataFrame({"x": [1, 2, 3], "power": [2, 4, 8]})}
"""


def study(folder: Path, functions: str) -> Path:
    folder.mkdir()
    for name, text in {
        "study.toml": STUDY,
        "one.toml": ONE,
        "tables.py": functions,
        "measures.py": "MEASURES = {}\n",
        "claims.toml": "claims = []\n",
    }.items():
        (folder / name).write_text(text)
    return folder


def test_a_table_and_its_figure_are_on_the_page_and_in_files(tmp_path: Path, cli: Cli) -> None:
    folder = study(tmp_path / "own", POWERS)
    campaign = Campaign(read_study("own", folder), tmp_path / "runs", quick=False)
    campaign.run_one("one", workers=1)
    page = render_study(campaign)
    assert "Powers. Of two. After Nobody, 2026, Fig. 2." in page
    assert page.count("<svg") == 1
    ended = cli(
        *("study", "figures", str(folder), "--out", str(tmp_path / "runs")),
        *("--to", str(tmp_path / "to"), "--format", "png"),
    )
    assert ended.status == 0, ended.err
    assert sorted(path.name for path in (tmp_path / "to").iterdir()) == [
        "table-1.csv",
        "table-1.png",
    ]
    assert (tmp_path / "to" / "table-1.csv").read_text() == "x,power\n1,2\n2,4\n3,8\n"


def test_the_figure_says_that_runs_are_missing(tmp_path: Path) -> None:
    folder = study(tmp_path / "own", POWERS)
    text = (folder / "one.toml").read_text()
    campaign = Campaign(read_study("own", folder), tmp_path / "runs", quick=False)
    campaign.run_one("one", workers=1)
    (made,) = campaign.figures()
    assert not any("not simulated" in each for each in made.notes)
    (folder / "one.toml").write_text(text.replace('["minimal"]', '["minimal", "ugal_n"]'))
    (later,) = Campaign(read_study("own", folder), tmp_path / "runs", quick=False).figures()
    assert "one: 1 of 2 runs are not simulated yet" in later.notes


def test_a_table_without_numbers_has_a_caption_only(tmp_path: Path) -> None:
    nothing = POWERS.replace("[1, 2, 3]", "[1]").replace("[2, 4, 8]", "[None]")
    folder = study(tmp_path / "own", nothing)
    campaign = Campaign(read_study("own", folder), tmp_path / "runs", quick=False)
    (made,) = campaign.figures()
    assert (made.draw, made.caption) == (None, "Not drawn: the runs of its table are missing.")


def test_a_wrong_column_is_an_error_before_the_runs(tmp_path: Path) -> None:
    folder = study(tmp_path / "own", POWERS.replace("power", "powers"))
    with pytest.raises(UsageError, match="study own: table table-1: lines: 'power'"):
        check_measures(read_study("own", folder))


def test_figure_3_of_prisacari_has_a_panel_per_pattern() -> None:
    (found,) = (each for each in studies() if each.name == "prisacari2015")
    entry = next(each for each in found.file.tables if each.name == "figure-3")
    assert entry.lines is not None
    assert entry.lines.panels == "pattern"
    check_measures(found)
