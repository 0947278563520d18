"""Figures as inline SVG, with unique ids and the colours and fonts of the page."""

from __future__ import annotations

import re

from markupsafe import Markup, escape
from matplotlib.figure import Figure

from pantala.figures.save import to_svg
from pantala.figures.style import GRID, INK, MUTED, PALETTE

__all__ = ["inline_svg"]

_PAGE_COLOURS = {
    INK: "currentColor",
    MUTED: "var(--muted)",
    GRID: "var(--rule)",
    "#ffffff": "var(--paper)",
    **{colour.lower(): f"var(--series-{number})" for number, colour in enumerate(PALETTE)},
}

# Coordinates with more decimals than a screen can show; a third of the page would be digits.
_COORDINATES = re.compile(r' (?:d|x|y)="[^"]*"')
_LONG = re.compile(r"(\.\d\d)\d+")


def inline_svg(figure: Figure, key: str, alt: str) -> Markup:
    """Returns `figure` as an ``<svg>`` element for an HTML page.

    Args:
        figure: the figure.
        key: the prefix of every id in it; each figure of a page has its own.
        alt: the text for readers who cannot see the figure.

    Raises:
        ValueError: the SVG of the figure has no size.
    """
    svg = to_svg(figure)
    svg = svg[svg.index("<svg") :]
    opening, body = svg.split(">", 1)
    box = re.search(r'viewBox="([^"]+)"', opening)
    if box is None:
        raise ValueError("the figure's SVG has no viewBox")
    body = re.sub(r"<defs>\s*<style.*?</style>\s*</defs>", "", body, flags=re.DOTALL)
    body = re.sub(r"<metadata>.*?</metadata>", "", body, flags=re.DOTALL)
    body = body.replace("xlink:href", "href")
    body = re.sub(r'\bid="', f'id="{key}-', body)
    body = re.sub(r'href="#', f'href="#{key}-', body)
    body = re.sub(r"url\(#", f"url(#{key}-", body)
    body = re.sub(r"font-family: [^;\"]*;? ?", "", body)
    body = _COORDINATES.sub(lambda found: _LONG.sub(r"\1", found[0]), body)
    for drawn, page in _PAGE_COLOURS.items():
        body = body.replace(f": {drawn}", f": {page}")
    width, height = (float(number) for number in box[1].split()[2:])
    return Markup(
        f'<svg class="drawing" viewBox="{box[1]}" style="--width: {width:.0f}; --height:'
        f' {height:.0f}" role="img" aria-label="{escape(alt)}">{body}'
    )
