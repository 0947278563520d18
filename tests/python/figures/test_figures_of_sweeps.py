"""`pantala figure` of a sweep: bars over cases, boxes over seeds, effects of one case."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import pantala as pt
from pantala import figures
from pantala.analysis.statistics import mean_interval
from pantala.errors import UsageError
from pantala.figures import KINDS, draw
from support import Ended
from sweeps import scenario

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
        ("group-ring", {}, "is a sweep of .* or draw effect-matrix or bar-grid or seed-boxes"),
        ("effect-matrix", {}, r"shows one case; .* routing.algorithm \(minimal, par\)"),
        ("bar-grid", {"job": "hallo"}, "--job hallo: .* did you mean 'halo'"),
        ("bar-grid", {"metric": "comm"}, "there is no metric 'comm'"),
        ("bar-grid", {"where": {"routing": "par"}}, "--where routing=par: .* no such axis"),
        ("bar-grid", {"where": {"routing.algorithm": "ugal"}}, "has no value 'ugal'"),
        ("seed-boxes", {"measure": "load"}, "takes --metric, --job, --where; remove it"),
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
