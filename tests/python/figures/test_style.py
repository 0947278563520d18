"""Jobs keep apart in figures and pages: by colour, light and dark, by marker and by hatch."""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence

import numpy as np
import pytest

from pantala.figures.style import HATCHES, MARKERS, PALETTE, colours
from support import ROOT

CSS = (ROOT / "python/pantala/report/style.css").read_text(encoding="utf-8")


def series(block: str) -> list[str]:
    """Returns the colours of a block of variables in the page's style."""
    found = re.findall(r"--series-(\d+): (#[0-9a-f]{6});", block)
    assert [int(number) for number, _ in found] == list(range(len(found)))
    return [colour for _, colour in found]


LIGHT, DARK = (series(block) for block in CSS.split("@media (prefers-color-scheme: dark)", 1))


def lab(colour: str) -> np.ndarray:
    """Returns a colour in CIE L*a*b* (D65), in which distances are those that people see."""
    rgb = np.array([int(colour[at : at + 2], 16) for at in (1, 3, 5)]) / 255
    linear = np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)
    to_xyz = [[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]]
    x, y, z = np.cbrt(np.array(to_xyz) @ linear / np.array([0.9505, 1.0, 1.089]))
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


def distance(one: str, other: str) -> float:
    return float(np.linalg.norm(lab(one) - lab(other)))


def test_twelve_jobs_have_colours_markers_and_hatches_of_their_own() -> None:
    names = [f"job-{number}" for number in range(12)]
    assert len(set(colours(names).values())) == 12
    for looks in (PALETTE, MARKERS, HATCHES):
        assert len(set(looks)) == len(looks) == 12


def test_the_page_has_the_colours_of_the_figures() -> None:
    assert [colour.lower() for colour in PALETTE] == LIGHT
    assert len(DARK) == len(LIGHT)


@pytest.mark.parametrize(("palette", "page"), [(LIGHT, "#ffffff"), (DARK, "#12161b")])
def test_colours_differ_from_each_other_and_from_the_page(
    palette: Sequence[str], page: str
) -> None:
    assert min(itertools.starmap(distance, itertools.combinations(palette, 2))) > 20
    assert min(distance(colour, page) for colour in palette) > 40
