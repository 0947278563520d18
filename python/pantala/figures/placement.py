"""The placement of jobs: the job of each node, group by group."""

from __future__ import annotations

import math

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Rectangle

from pantala.figures.legend import add_key
from pantala.figures.runs import Given, runs_of
from pantala.figures.style import GRID, INK, MUTED, WIDTH, colours, marker, new_figure, style
from pantala.run_tables.job_nodes import job_nodes
from pantala.run_tables.run_like import RunLike, job_names

__all__ = ["placement_map"]

#: More nodes than this are drawn as an image inside a vector figure.
_VECTOR = 6000


def placement_map(given: Given) -> Figure:
    """Draws every node as a mark of its job, in one frame per group.

    A column of marks is a router. A job has its colour and its mark; an idle node is a small dot.

    Args:
        given: one run, or several runs by title; each has a panel.
    """
    runs = runs_of(given)
    names = list(dict.fromkeys(name for run in runs.values() for name in job_names(run).values()))
    colour = colours(names)
    mark = {name: marker(at) for at, name in enumerate(names)}
    with style():
        plans = [_layout(run) for run in runs.values()]
        heights = [WIDTH * 0.96 * tall / wide + 0.3 for *_, wide, tall in plans]
        figure = new_figure(0.3 + sum(heights))
        panels = figure.subplots(len(runs), squeeze=False, height_ratios=heights).ravel()
        for axes, (title, run), plan in zip(panels, runs.items(), plans, strict=True):
            _panel(axes, run, plan, colour, mark)
            if len(runs) > 1:
                axes.set_title(title)
        key = [
            Line2D([], [], ls="", marker=mark[name], color=colour[name], ms=6, label=name)
            for name in names
        ]
        idle = Line2D([], [], ls="", marker=".", color=MUTED, ms=3, label="idle node")
        add_key(figure, [*key, idle], 7)
    return figure


def _layout(run: RunLike) -> tuple[int, int, int, int, float, float]:
    """Returns routers per line and lines of a group, groups per line, nodes per router, extents."""
    shape = run.document["plan"]["topology"]
    routers, nodes, groups = shape["a"], shape["p"], shape["g"]
    wish = math.sqrt(routers * nodes)
    line = next(
        (each for each in range(1, routers + 1) if routers % each == 0 and each >= wish), routers
    )
    lines = routers // line
    width, height = line + 1.0, lines * nodes + 2.2
    across = max(1, min(groups, round(math.sqrt(groups * 2.4 * height / width))))
    down = -(-groups // across)
    return line, lines, across, nodes, across * width, down * height


def _panel(
    axes: Axes,
    run: RunLike,
    plan: tuple[int, int, int, int, float, float],
    colour: dict[str, str],
    mark: dict[str, str],
) -> None:
    line, lines, across, per_router, wide, tall = plan
    shape = run.document["plan"]["topology"]
    routers, groups = shape["a"], shape["g"]

    def place(node: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        router, within = node // per_router, node % per_router
        group, own = router // routers, router % routers
        x = (group % across) * (line + 1.0) + own % line
        y = (group // across) * (lines * per_router + 2.2) + own // line * per_router + within
        return x, y

    size = 0.72 * 72 * WIDTH * 0.94 / wide
    plan_of = run.document["plan"]
    busy = {job: job_nodes(run.ranks, plan_of, job)["node"].to_numpy() for job in job_names(run)}
    image = routers * groups * per_router > _VECTOR
    every = np.arange(routers * groups * per_router)
    idle = np.setdiff1d(every, np.concatenate([every[:0], *busy.values()]))
    axes.plot(*place(idle), ".", color=MUTED, ms=max(0.6, 0.3 * size), mew=0, rasterized=image)
    for job, name in job_names(run).items():
        axes.plot(
            *place(busy[job]),
            mark[name],
            color=colour[name],
            ms=0.85 * size,
            mew=0,
            rasterized=image,
        )
    for group in range(groups):
        x, y = (group % across) * (line + 1.0), (group // across) * (lines * per_router + 2.2)
        axes.add_patch(
            Rectangle(
                (x - 0.6, y - 0.6),
                line + 0.2,
                lines * per_router + 0.2,
                fill=False,
                ec=GRID,
                lw=0.6,
            )
        )
        axes.text(x - 0.5, y - 0.8, str(group), fontsize=6.5, color=INK, va="bottom")
    axes.set_xlim(-0.8, wide - 0.2)
    axes.set_ylim(tall - 1.4, -2.2)
    axes.set_aspect("equal")
    axes.set_axis_off()
