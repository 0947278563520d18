"""One figure of the report."""

from __future__ import annotations

from dataclasses import dataclass

from markupsafe import Markup
from matplotlib.figure import Figure

from pantala.report.inline_svg import inline_svg

__all__ = ["KANG", "YANG", "PageFigure", "page_figure"]

KANG = "Kang et al., SC22"
YANG = "Yang et al., SC16"


@dataclass(frozen=True)
class PageFigure:
    """One figure of the page. Without `svg` the caption says why there is no figure."""

    title: str
    caption: str
    source: str = ""
    svg: Markup | None = None


def page_figure(
    key: str, title: str, caption: str, source: str, alt: str, figure: Figure
) -> PageFigure:
    """Returns a figure of the page.

    Args:
        key: its key in the template; the prefix of its ids.
        title: its heading.
        caption: the text below it.
        source: the figure of a paper that it follows; empty if there is none.
        alt: the text for readers who cannot see it.
        figure: the figure.
    """
    return PageFigure(title, caption, source, inline_svg(figure, key, alt))
