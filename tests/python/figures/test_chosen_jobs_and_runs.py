"""`pantala figure` with `--job` of several jobs, and with `--where` for runs of a sweep."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from matplotlib.figure import Figure

import pantala as pt
from pantala import figures
from pantala.errors import UsageError
from pantala.experiments.experiment import Experiment
from pantala.figures.drawing import draw
from pantala.figures.kind import SEVERAL
from pantala.figures.registry import KINDS
from pantala.figures.runs import cases
from small_runs import small_interference
from support import Ended
from sweeps import scenario

pytestmark = pytest.mark.native
Cli = Callable[..., Ended]

BY_JOB = [name for name, kind in KINDS.items() if kind.options.get("job", None) is SEVERAL]


@pytest.fixture(scope="module")
def experiment(tmp_path_factory: pytest.TempPathFactory) -> Experiment:
    return small_interference(tmp_path_factory.mktemp("experiment"))


@pytest.fixture(scope="module")
def swept(tmp_path_factory: pytest.TempPathFactory) -> pt.Experiment:
    made: pt.Experiment = pt.sweep(
        scenario(),
        tmp_path_factory.mktemp("swept"),
        axes={"routing.algorithm": ["minimal", "par"], "detail.coarsen": [1, 2]},
        seeds=3,
        workers=1,
    )
    return made


def words(figure: Figure) -> str:
    """Returns all text of a figure."""
    return " ".join(re.findall(r"<text[^>]*>([^<]*)<", figures.to_svg(figure)))


def key(figure: Figure) -> list[str]:
    """Returns the entries of the key of a figure."""
    return [text.get_text() for text in figure.legends[0].get_texts()]


@pytest.mark.parametrize("kind", [name for name in BY_JOB if not KINDS[name].records])
def test_a_kind_with_a_row_per_job_shows_the_chosen_ones(kind: str, experiment: Experiment) -> None:
    every = words(draw(kind, {"x": experiment}, {}))
    chosen = words(draw(kind, {"x": experiment}, {"job": ["halo3d"]}))
    assert "fft3d" in every
    # An event of another job is named on the time axis.
    assert "fft3d" not in chosen.replace("fft3d ends", "")
    assert "halo3d" in chosen
    with pytest.raises(UsageError, match=r"^--job hal: .*; name one of fft3d, halo3d$"):
        draw(kind, {"x": experiment}, {"job": "hal"})


def test_chosen_jobs_keep_their_colours(experiment: Experiment) -> None:
    several: dict[str, Any] = {"x": experiment, "y": experiment.together}
    assert {case.colour for case in cases(several, jobs=["halo3d"])} == {figures.PALETTE[1]}
    assert len(cases(several, jobs=["halo3d"])) == 3
    assert len(cases(several, jobs=["halo3d", "fft3d"])) == 6


def test_the_command_takes_several_jobs(experiment: Experiment, tmp_path: Path, cli: Cli) -> None:
    line = ["figure", "communication-bars", experiment.path, "--out", tmp_path / "x.svg"]
    assert cli(*line, "--job", "halo3d", "--job", "fft3d").status == 0
    ended = cli(
        *["figure", "tile-ratios", experiment.path, "--out", tmp_path / "x.svg"],
        *["--job", "halo3d", "--job", "fft3d"],
    )
    assert ended.status == 2
    assert "--job fft3d: figure tile-ratios takes one job; remove the others" in ended.err


def test_where_chooses_runs_of_a_sweep_and_their_titles(swept: pt.Experiment) -> None:
    chosen = {"where": {"seed": "2.0", "detail.coarsen": "1"}}  # by value
    figure = draw("traffic-shares", {"x": swept}, chosen)
    assert key(figure) == ["minimal", "par"]
    runs = swept.cases.filter(seed=2, **{"detail.coarsen": 1})["run"].to_list()
    own = figures.traffic_shares(dict(zip(key(figure), map(swept.run, runs), strict=True)))
    assert figures.to_svg(figure) == figures.to_svg(own)
    both = draw("traffic-shares", {"x": swept, "y": swept.run(runs[0])}, chosen)
    assert key(both) == ["x: minimal", "x: par", "y"]
    seeds = draw("traffic-shares", {"x": swept}, {"where": {"routing.algorithm": "par"}})
    assert key(seeds)[:2] == ["1, seed 1", "1, seed 2"]
    one = {"where": {"routing.algorithm": "par", "seed": "1", "detail.coarsen": "2"}}
    assert draw("hottest-links", {"x": swept}, one).axes


@pytest.mark.parametrize(
    ("kind", "where", "text"),
    [
        (
            "group-ring",
            {},
            r"is a sweep of 12 cases, .* shows at most 8; .*: routing\.algorithm \(minimal",
        ),
        (
            "hottest-links",
            {"seed": "1"},
            r"leaves 4 of its runs, and the figure shows at most 1; .*coarsen \(1, 2\)",
        ),
        ("group-ring", {"sed": "1"}, "--where sed=1: .* no such axis; did you mean 'seed'"),
        ("group-ring", {"seed": "9"}, "--where seed=9: .* seed has 1, 2, 3"),
        ("throughput", {"seed": "1"}, "the sweep did not keep table job_windows"),
        ("slowdown-bars", {}, "takes one interference experiment; .* draw effect-matrix or"),
    ],
)
def test_runs_of_a_sweep_that_cannot_be_drawn(
    kind: str, where: dict[str, str], text: str, swept: pt.Experiment
) -> None:
    options: dict[str, Any] = {"where": where} if where else {}
    with pytest.raises(UsageError, match=text):
        draw(kind, {"x": swept}, options)


def test_where_without_a_sweep_is_refused(experiment: Experiment) -> None:
    for each in (experiment, experiment.together):
        with pytest.raises(UsageError, match="--where seed=1: chooses runs of a sweep; remove it"):
            draw("group-ring", {"x": each}, {"where": {"seed": "1"}})


def test_the_footnote_is_that_of_the_chosen_runs(
    swept: pt.Experiment, tmp_path: Path, cli: Cli
) -> None:
    line = ["figure", "traffic-shares", swept.path, "--out", tmp_path / "x.svg"]
    for size, coarse in (("1", False), ("2", True)):
        ended = cli(*line, "--where", f"detail.coarsen={size}", "--where", "seed=1")
        assert ended.status == 0, ended.err
        drawn = (tmp_path / "x.svg").read_text()
        assert ("coarsened by 2" in drawn) == coarse
        assert "one seed" in drawn


def test_a_run_of_an_interference_sweep_is_that_of_all_jobs(tmp_path: Path) -> None:
    made = pt.sweep(
        scenario().replace({"interference": True}),
        tmp_path,
        axes={"routing.algorithm": ["minimal", "par"]},
        workers=1,
    )
    runs = {name: made.case(at).together for at, name in enumerate(("minimal", "par"))}
    own = figures.stall_scatter(runs)
    assert figures.to_svg(draw("stall-scatter", {"x": made}, {})) == figures.to_svg(own)
