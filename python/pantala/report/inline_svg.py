"""Make a figure part of the page: no outside reference, ids of its own, the page's own ink and
type.
"""

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


def inline_svg(figure: Figure, key: str, alt: str) -> Markup:
    """Return `figure` as an ``<svg>`` element for an HTML page.

    Args:
        figure: The figure.
        key: Prefix of every id in it; one key a figure in a page.
        alt: What a reader who cannot see it should know.

    Raises:
        ValueError: its SVG has no size.
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
    for drawn, page in _PAGE_COLOURS.items():
        body = body.replace(f": {drawn}", f": {page}")
    width, height = (float(number) for number in box[1].split()[2:])
    return Markup(
        f'<svg class="drawing" viewBox="{box[1]}" style="--width: {width:.0f}; --height:'
        f' {height:.0f}" role="img" aria-label="{escape(alt)}">{body}'
    )
