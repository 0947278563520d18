"""The SVG renderer of pages: it measures each text once, for the layout and for the drawing.

Matplotlib lays a figure out twice before it draws it, with a renderer of its own, and looks up the
font and its tables for every text each time. Here one renderer serves both, and figures share what
is known of texts and fonts.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TextIO

import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_mixed import MixedModeRenderer
from matplotlib.backends.backend_svg import FigureCanvasSVG, RendererSVG
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties, fontManager, get_font
from matplotlib.transforms import Bbox, BboxBase

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["write_svg"]

#: Points per inch, the unit of an SVG of Matplotlib.
_DPI = 72

#: Sizes of texts, and ascent, descent and line gap of fonts, by text and font.
_SIZES: dict[Any, tuple[float, float, float]] = {}
_HEIGHTS: dict[Any, tuple[float | None, float | None, float | None]] = {}
#: Sizes that are kept; the texts of a page are some hundred.
_MOST = 10_000


class _Renderer(RendererSVG):
    def get_text_width_height_descent(
        self, s: str, prop: FontProperties, ismath: Any
    ) -> tuple[float, float, float]:
        key = (s, _key(prop), ismath)
        if key not in _SIZES:
            if len(_SIZES) >= _MOST:
                _SIZES.clear()
            size = super().get_text_width_height_descent(s, prop, ismath)  # type: ignore[no-untyped-call]
            _SIZES[key] = size
        return _SIZES[key]

    def _get_font_height_metrics(
        self, prop: FontProperties
    ) -> tuple[float | None, float | None, float | None]:
        """Returns ascent, descent and line gap. Newer versions of Matplotlib ask for them."""
        key = _key(prop)
        if key not in _HEIGHTS:
            _HEIGHTS[key] = _heights(prop)
        return _HEIGHTS[key]


def _key(prop: FontProperties) -> tuple[Any, ...]:
    return (
        tuple(prop.get_family()),
        prop.get_size_in_points(),
        prop.get_weight(),
        prop.get_style(),
    )


def _heights(prop: FontProperties) -> tuple[float | None, float | None, float | None]:
    """Returns what Matplotlib finds itself, in points; None leaves it to Matplotlib."""
    font = get_font(fontManager.findfont(prop))
    table, head = font.get_sfnt_table("OS/2"), font.get_sfnt_table("head")
    if table is None or head is None or "sTypoAscender" not in table:
        return None, None, None
    scale = prop.get_size_in_points() / head["unitsPerEm"]
    return (
        table["sTypoAscender"] * scale,
        -table["sTypoDescender"] * scale,
        table["sTypoLineGap"] * scale,
    )


class _Canvas(FigureCanvasSVG):
    """A canvas that gives the layout the renderer that draws."""

    renderer: MixedModeRenderer

    def get_renderer(self) -> MixedModeRenderer:
        return self.renderer


def write_svg(figure: Figure, out: TextIO, metadata: dict[str, str | None]) -> None:
    """Writes a figure as SVG, as `FigureCanvasSVG.print_svg` does.

    Args:
        figure: the figure; its resolution becomes that of the SVG.
        out: where to write.
        metadata: as for `FigureCanvasSVG.print_svg`.
    """
    canvas, dpi = _Canvas(figure), figure.dpi
    figure.dpi = _DPI
    width, height = figure.get_size_inches()
    canvas.renderer = renderer = MixedModeRenderer(
        figure,
        width,
        height,
        dpi,
        _Renderer(width * _DPI, height * _DPI, out, image_dpi=dpi, metadata=metadata),  # type: ignore[no-untyped-call]
    )
    _fix_empty_labels(figure)
    with _margins_kept(figure):
        figure.draw(renderer)  # type: ignore[arg-type]
    renderer.finalize()


def _fix_empty_labels(figure: Figure) -> None:
    """Gives each empty label of an axis a place, or every layout looks for one."""
    for axes in figure.axes:
        for axis in (axes.xaxis, axes.yaxis):
            if not axis.label.get_text():
                axis.set_label_coords(0.5, 0.5)


class _Margins:
    """The tight box of axes for the layout: its margins stay as long as the ticks do.

    The second round of the layout moves axes a little. It measures all texts again only if other
    ticks have appeared.
    """

    def __init__(self, axes: Axes) -> None:
        self._axes = axes
        self._of: tuple[Any, ...] | None = None
        self._margins: NDArray[Any] | None = None

    def __call__(self, renderer: Any = None, **keys: Any) -> BboxBase | None:
        axes = self._axes
        now = tuple(tuple(axis.get_majorticklocs()) for axis in (axes.xaxis, axes.yaxis))
        inner = np.array(axes.bbox.extents)
        if self._margins is None or now != self._of or not keys.get("for_layout_only"):
            box = type(axes).get_tightbbox(axes, renderer, **keys)
            if box is None:
                return None
            self._of, self._margins = now, np.array(box.extents) - inner
            return box
        return Bbox.from_extents(*(inner + self._margins))


@contextmanager
def _margins_kept(figure: Figure) -> Iterator[None]:
    """Lets the axes of a figure keep their margins, where nothing in them sizes with the axes."""
    kept = [
        axes
        for axes in figure.axes
        if axes.get_aspect() == "auto"
        and axes.get_box_aspect() is None
        and axes.get_axes_locator() is None
        and not axes.texts
    ]
    for axes in kept:
        vars(axes)["get_tightbbox"] = _Margins(axes)
    try:
        yield
    finally:
        for axes in kept:
            del vars(axes)["get_tightbbox"]
