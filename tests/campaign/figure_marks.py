"""Marks of a report's figures, read from their SVG: bars and lines against values of queries.

Positions become values by the ticks of their own axes. Three kinds are read: bars of the hottest
links, lines of throughput over time, and bars of communication time alone and together.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from campaign.recomputed import Runs
from campaign.shown import Page, numbers

__all__ = ["check_figures"]

#: Coordinates are cut to hundredths of a point.
_POINTS = 0.6
_POINT = re.compile(r"[ML] (-?[\d.]+) (-?[\d.]+)")


def check_figures(runs: Runs, page: Page) -> Iterator[tuple[str, str]]:
    """Yields the outcome of each mark: `right` or `wrong`, and where it stands."""
    for key, check in (("hottest", _hottest), ("throughput", _throughput)):
        if key in page.svgs:
            yield from check(runs, page.svgs[key])


def _ticks(axes: str, axis: str) -> tuple[float, float] | None:
    """Returns scale and origin of an axis: value = (position - origin) * scale."""
    found = []
    for tick in re.findall(rf'<g id="\w+-{axis}tick_\d+">(.*?)</text>', axes, flags=re.DOTALL):
        place = re.search(rf'<use [^>]*?\b{axis}="([-\d.]+)"', tick) or None
        grid = _POINT.search(tick)
        text = tick.rsplit(">", 1)[-1]
        value = numbers(text.replace("\N{MINUS SIGN}", "-"))
        if not value or (place is None and grid is None):
            continue
        at = float(place[1]) if place else float(grid[1 if axis == "x" else 2]) if grid else 0.0
        found.append((at, value[0].value))
    if len(found) < 2 or found[0][0] == found[-1][0]:
        return None
    (a, low), (b, high) = found[0], found[-1]
    scale = (high - low) / (b - a)
    return scale, a - low / scale


def _boxes(axes: str) -> list[tuple[float, float, float, float]]:
    """Returns the filled rectangles: left, right, top, bottom."""
    found = []
    for path, style in re.findall(r'<path d="([^"]*?z\s*)"[^>]*?style="([^"]*)"', axes):
        points = [(float(x), float(y)) for x, y in _POINT.findall(path)]
        if len(points) in (4, 5) and "fill: none" not in style and "var(--paper)" not in style:
            xs, ys = [x for x, _ in points], [y for _, y in points]
            found.append((min(xs), max(xs), min(ys), max(ys)))
    return found


def _hottest(runs: Runs, svg: str) -> Iterator[tuple[str, str]]:
    if (axis := _ticks(svg, "x")) is None:
        return
    scale, origin = axis
    frame = re.search(r'-patch_2">\s*<path d="([^"]*)"', svg)
    highest = min((float(y) for _, y in _POINT.findall(frame[1])), default=0.0) if frame else 0.0
    rows: dict[int, float] = {}
    for left, right, top, bottom in _boxes(svg):
        if (
            bottom - top > 5 and left > origin - 1 and top > highest
        ):  # bars, not marks of the legend
            at = round((top + bottom) / 2)
            rows[at] = max(rows.get(at, left), right)
    order = sorted((e for e in runs.loads if e["b"]), key=lambda e: (-e["u"], e["link"]))[:12]
    ends = [rows[at] for at in sorted(rows)]
    if len(ends) < len(order):
        yield "wrong", f"figure hottest: {len(ends)} bars of {len(order)} links"
        return
    for at, link in enumerate(order):
        shown, slack = (ends[at] - origin) * scale, abs(scale) * _POINTS
        good = abs(shown - link["u"]) <= slack
        text = f"figure hottest, bar {at + 1}: shows {shown:.4f}, computed {link['u']:.4f}"
        yield ("right" if good else "wrong"), text


def _throughput(runs: Runs, svg: str) -> Iterator[tuple[str, str]]:
    """Checks that each step of each line is the delivered bytes of a job in a window over time."""
    run = runs.main
    if runs.alone or run.one("select count(*) from epochs where skipped"):
        return
    window = run.plan["record"]["window_ps"] / 1000
    simulated = float(run.document["simulated_ns"])
    if simulated / window > 50:
        return  # steps are of several windows
    rates: set[float] = {0.0}
    for start, delivered in run.rows(
        "select window_start_ns, delivered_bytes from job_windows where delivered_bytes > 0"
    ):
        rates.add(delivered / min(window, simulated - start))
    for panel in svg.split("-axes_")[1:]:
        axis = _ticks(panel, "y")
        if axis is None:
            continue
        scale, origin = axis
        for path, style in re.findall(r'<path d="([^"]*)"[^>]*?style="([^"]*)"', panel):
            points = [(float(x), float(y)) for x, y in _POINT.findall(path)]
            if "var(--series" not in style or "dash" in style or len(points) < 3:
                continue
            for y in sorted({y for _, y in points}):
                value = (y - origin) * scale
                good = any(abs(value - rate) <= abs(scale) * _POINTS for rate in rates)
                text = f"figure throughput: a line at {value:.4g} GB/s is no window of a job"
                yield ("right" if good else "wrong"), text
