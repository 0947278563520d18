"""`pantala figure` of a sweep: bars over cases, boxes over seeds, effects of one case."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from matplotlib.colors import to_hex
from matplotlib.figure import Figure

import pantala as pt
from pantala import figures
from pantala.analysis.statistics import mean_interval
from pantala.errors import UsageError
from pantala.figures import KINDS, draw
from pantala.figures.scores import score_panels
from support import Ended
from sweeps import SCENARIO, scenario

pytestmark = pytest.mark.native
Cli = Callable[..., Ended]

VALUE = "communication_time_mean_ns"
SWEEP_KINDS = [name for name, kind in KINDS.items() if "sweep" in kind.takes]


@pytest.fixture(scope="module")
def swept(tmp_path_factory: pytest.TempPathFactory) -> pt.Experiment:
    axes = {"routing.algorithm": ["minimal", "par"], "jobs.halo.workload.message": ["1 KiB", "2 B"]}
    folder = tmp_path_factory.mktemp("swept")
    made: pt.Experiment = pt.sweep(
        scenario().replace({"interference": "pairs"}), folder, axes=axes, seeds=3, workers=1
    )
    return made


def words(svg: str) -> str:
    """Returns the text of a figure: a file has paths, and each line of text as a comment."""
    return " ".join(re.findall(r"<!-- (.*?) -->", svg))


@pytest.mark.parametrize("kind", KINDS)
def test_a_kind_has_the_name_of_its_function(kind: str) -> None:
    assert getattr(figures, kind.replace("-", "_")) is KINDS[kind].figure
    assert figures.kind_of(kind.replace("-", "_")) is KINDS[kind]


def test_bars_show_the_mean_of_each_case(swept: pt.Experiment) -> None:
    figure = draw("bar-grid", {"x": swept}, {"job": "halo"})
    rows = swept.table("jobs").collect().to_dicts()
    times = [
        row[VALUE]
        for row in rows
        if (row["name"], row["part"], row["routing.algorithm"]) == ("halo", "together", "par")
        and row["jobs.halo.workload.message"] == "2 B"
    ]
    widths = [bar.get_width() for axes in figure.axes for bar in axes.patches]  # type: ignore[attr-defined]
    assert len(widths) == 4
    mean = mean_interval(times).mean
    assert any(
        abs(width * scale - mean) < 1e-6 * mean for width in widths for scale in (1, 1e3, 1e6)
    )


def test_boxes_show_every_seed(swept: pt.Experiment) -> None:
    where = {"routing.algorithm": "par", "jobs.halo.workload.message": "2 B"}
    figure = draw("seed-boxes", {"x": swept}, {"where": where})
    points = [line for line in figure.axes[0].lines if line.get_marker() == "o"]
    assert [len(line.get_xdata()) for line in points] == [3, 3]  # type: ignore[arg-type]
    labels = [label.get_text() for label in figure.axes[0].get_yticklabels()]
    assert labels == ["halo: par, 2 B", "noise: par, 2 B"]


def test_points_of_seeds_stand_inside_the_frame(swept: pt.Experiment) -> None:
    (axes,) = draw("seed-boxes", {"x": swept.case(0)}, {}).axes
    high, low = axes.get_ylim()
    rows = [float(np.asarray(line.get_ydata())[0]) for line in axes.lines]
    assert low + 0.5 < min(rows)
    assert max(rows) < high - 0.5


@pytest.mark.parametrize("kind", SWEEP_KINDS)
def test_the_command_draws_a_sweep_and_its_caveats(
    kind: str, swept: pt.Experiment, tmp_path: Path, cli: Cli
) -> None:
    file = tmp_path / "x.svg"
    case = ["--where", "routing.algorithm=par", "--where", "jobs.halo.workload.message=2 B"]
    ended = cli("figure", kind, swept.path, *case, "--out", file)
    assert ended.status == 0, ended.err
    for caveat in swept.caveats:
        assert caveat.short in words(file.read_text())
        assert caveat.text in ended.out.replace("\n", " ")


def test_a_coarse_sweep_of_one_seed_says_so_below_the_figure(tmp_path: Path, cli: Cli) -> None:
    coarse = scenario().replace({"detail.coarsen": 2})
    pt.sweep(coarse, tmp_path / "s", axes={"routing.algorithm": ["minimal", "par"]}, workers=1)
    ended = cli("figure", "bar-grid", tmp_path / "s", "--out", tmp_path / "x.svg")
    assert ended.status == 0, ended.err
    text = words((tmp_path / "x.svg").read_text())
    assert "coarsened by 2" in text
    assert "one seed" in text


@pytest.mark.parametrize(
    ("kind", "options", "text"),
    [
        (
            "group-ring",
            {},
            "is a sweep of 12 cases, and the figure shows at most 8; choose with --where",
        ),
        ("slowdown-bars", {}, "is a sweep of .*; draw effect-matrix or bar-grid or seed-boxes"),
        ("effect-matrix", {}, r"shows one case; .* routing.algorithm \(minimal, par\)"),
        ("bar-grid", {"job": "hallo"}, "--job hallo: .* did you mean 'halo'"),
        ("bar-grid", {"metric": "comm"}, "there is no metric 'comm'"),
        ("bar-grid", {"where": {"routing": "par"}}, "--where routing=par: .* no such axis"),
        ("bar-grid", {"where": {"routing.algorithm": "ugal"}}, "has no value 'ugal'"),
        ("seed-boxes", {"measure": "load"}, "takes --metric, --job, --where; remove --measure$"),
    ],
)
def test_what_cannot_be_drawn_of_a_sweep(
    kind: str, options: dict[str, Any], text: str, swept: pt.Experiment
) -> None:
    with pytest.raises(UsageError, match=text):
        draw(kind, {"x": swept}, options)


def test_a_figure_of_a_sweep_refuses_a_run(swept: pt.Experiment) -> None:
    run = swept.run(swept.cases["run"][0])
    with pytest.raises(UsageError, match="compares the cases of a sweep"):
        draw("bar-grid", {"x": run}, {})
    with pytest.raises(UsageError, match="takes one sweep, not 2"):
        draw("bar-grid", {"x": swept, "y": swept}, {})


def _colours_of(figure: Figure) -> dict[str, set[str]]:
    """Returns the colours of the points of each job in box plots whose rows begin with the job."""
    (axes,) = figure.axes
    names = {text.get_position()[1]: text.get_text() for text in axes.get_yticklabels()}
    found: dict[str, set[str]] = {}
    for line in axes.lines:
        if line.get_marker() == "o":
            row = names[float(np.asarray(line.get_ydata())[0])]
            found.setdefault(row.split(":")[0], set()).add(str(line.get_color()))
    return found


def test_jobs_have_the_colours_of_their_places_in_the_plan(tmp_path: Path) -> None:
    """Neither the order of names nor that of rows or of the jobs chosen gives the colours."""
    text = SCENARIO.replace('"halo"', '"stencil"').replace('"noise"', '"a2a"')
    (tmp_path / "two.toml").write_text(text)
    swept = pt.sweep(
        pt.Scenario.from_toml(tmp_path / "two.toml"),
        tmp_path / "two",
        axes={"routing.algorithm": ["minimal", "par"]},
        seeds=2,
        workers=1,
    )
    expected = {"stencil": {figures.PALETTE[0]}, "a2a": {figures.PALETTE[1]}}
    assert _colours_of(draw("seed-boxes", {"x": swept}, {})) == expected
    for job, colour in expected.items():
        panel = draw("bar-grid", {"x": swept}, {"job": job}).axes[0]
        bars = {to_hex(bar.get_facecolor()).upper() for bar in panel.patches}
        assert bars == colour, job
        boxes = draw("seed-boxes", {"x": swept}, {"job": job})
        assert set().union(*_colours_of(boxes).values()) == colour, job
        assert not any("colours" in text.get_text() for text in boxes.legends[0].get_texts())


def test_colours_of_values_of_an_axis_have_a_key(swept: pt.Experiment) -> None:
    figure = draw("seed-boxes", {"x": swept}, {"job": "halo"})
    shown = [text.get_text() for text in figure.legends[0].get_texts()]
    assert shown[-3:] == ["colours: routing.algorithm", "minimal", "par"]
    assert set().union(*_colours_of(figure).values()) == set(figures.PALETTE[:2])


def test_groups_of_points_stand_between_lines_above_their_number() -> None:
    """Numbers of groups have no equal distances, so points beside a tick are not of others."""
    spans = (1, 2, 12)
    rows = pl.DataFrame(
        [
            {"panel": "a", "series": series, "groups": groups, "z_score": float(groups)}
            for series in ("x", "y", "z")
            for groups in spans
        ]
    )
    (axes,) = score_panels(rows, "run time").axes
    assert [text.get_text() for text in axes.get_xticklabels()] == ["1", "2", "12"]
    upright = [
        float(x[0]) for line in axes.lines if (x := np.asarray(line.get_xdata()))[0] == x[-1]
    ]
    edges = sorted(set(upright))
    assert edges == [0.5, 1.5]
    for line in axes.lines:
        if line.get_marker() not in ("None", ""):
            places, values = np.asarray(line.get_xdata()), np.asarray(line.get_ydata())
            assert [spans[place] for place in np.searchsorted(edges, places)] == list(values)
    assert axes.get_xlim() == (-0.5, 2.5)
