"""Figures that compare runs: the colour and the span of each run, and the scales of panels."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from matplotlib.colors import to_hex
from matplotlib.figure import Figure

from pantala import figures
from pantala.experiments.experiment import Experiment
from pantala.figures.drawing import draw
from pantala.figures.link_shares import by_column, shares_of
from pantala.figures.shown_parts import shown_parts
from small_runs import small_interference

pytestmark = pytest.mark.native


@pytest.fixture(scope="module")
def experiment(tmp_path_factory: pytest.TempPathFactory) -> Experiment:
    return small_interference(tmp_path_factory.mktemp("experiment"))


def key(figure: Figure) -> dict[str, str]:
    """Returns the colour of each entry of the key."""
    legend = figure.legends[0]
    shades = [to_hex(each.get_color()).upper() for each in legend.get_lines()]
    return dict(zip((text.get_text() for text in legend.get_texts()), shades, strict=True))


def test_a_job_alone_has_the_colour_of_the_job_and_together_one_of_its_own(
    experiment: Experiment,
) -> None:
    found = shown_parts(experiment.together, experiment.alone)
    assert [each.title for each in found] == ["fft3d alone", "halo3d alone", "together"]
    assert [each.colour for each in found] == list(figures.PALETTE[:3])
    assert found[-1].line["ls"] == "-"
    assert len({str(each.line["ls"]) for each in found}) == 3
    one = shown_parts(experiment.together, {"halo3d": experiment.alone["halo3d"]})
    assert [each.colour for each in one] == list(figures.PALETTE[1:3])
    several = shown_parts({"x": experiment.together, "y": experiment.together})
    assert [each.colour for each in several] == list(figures.PALETTE[:2])


def test_a_run_has_the_same_colour_in_every_figure(experiment: Experiment) -> None:
    expected = dict(zip(("fft3d alone", "halo3d alone", "together"), figures.PALETTE, strict=False))
    for kind in ("traffic-shares", "tile-ratios", "stall-scatter"):
        shades = key(draw(kind, {"x": experiment}, {}))
        assert {name.split(", over")[0]: shade for name, shade in shades.items()} == expected, kind


@pytest.mark.parametrize(
    ("kind", "between"),
    [("tile-ratios", ", over "), ("stall-scatter", ", over "), ("link-load-map", "\nmean over ")],
)
def test_runs_of_different_lengths_say_how_long_they_lasted(
    kind: str, between: str, experiment: Experiment
) -> None:
    def titles(given: Any) -> list[str]:
        figure = draw(kind, given, {})
        if kind == "link-load-map":
            return [axes.get_title(loc="left") for axes in figure.axes if axes.images][: len(given)]
        return list(key(figure))

    lengths = {
        title: run.document["simulated_ns"] / 1000
        for title, run in {"x": experiment.together, "y": experiment.alone["halo3d"]}.items()
    }
    given = {"x": experiment.together, "y": experiment.alone["halo3d"]}
    expected = [
        f"{title}{between}{length:.1f}\N{NO-BREAK SPACE}µs" for title, length in lengths.items()
    ]
    assert titles(given) == expected
    assert titles({"x": experiment.together, "y": experiment.together}) == ["x", "y"]


def test_panels_have_the_scale_of_their_group_and_labels_of_ticks() -> None:
    panels = {
        name: {"run": np.array([top / 2, top])}
        for name, top in zip("abcde", (1, 1, 1, 1, 9), strict=True)
    }
    figure = shares_of(panels, "ratio", {"run": {"color": "k"}}, {"e": "terminal"})
    shown = figure.axes[:5]
    assert len({axes.get_xlim() for axes in shown[:4]}) == 1
    assert shown[4].get_xlim()[1] > 5 * shown[0].get_xlim()[1]
    assert all(_labelled(axes) for axes in shown)
    aligned = shares_of(panels, "ratio", {"run": {"color": "k"}}, by_column(panels)).axes[:5]
    assert aligned[4].get_xlim() == aligned[1].get_xlim() != aligned[0].get_xlim()
    # A panel above an empty place is the lowest of its column.
    assert [_labelled(axes) for axes in aligned] == [False, False, True, True, True]


def _labelled(axes: Any) -> bool:
    return bool(axes.xaxis.get_tick_params()["labelbottom"])


def test_the_label_of_a_scatter_stays_above_the_note(experiment: Experiment) -> None:
    """A label of the whole figure would stand on the line of the note."""
    figure = draw("stall-scatter", {"x": experiment}, {})
    assert figure.get_supxlabel() == ""
    assert any(axes.get_xlabel() == "flits sent by a link" for axes in figure.axes)
