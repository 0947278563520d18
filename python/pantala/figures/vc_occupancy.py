"""Occupancy of the buffers of virtual channels, by link class."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import polars as pl
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Patch

from pantala.analysis.hottest_links import ALL_CLASSES
from pantala.errors import UsageError
from pantala.figures.legend import add_key
from pantala.figures.runs import Given, recorded
from pantala.figures.shown_parts import ShownPart, shown_parts
from pantala.figures.style import INK, new_figure, style
from pantala.run_tables.exact_sums import exact_sum
from pantala.run_tables.remembered import remembered
from pantala.run_tables.run_like import RunLike
from pantala.run_tables.skipped_time import skipped_between

__all__ = ["vc_occupancy", "vc_occupancy_table"]

_SETTING = 'record.ports.split = ["vc"]'
#: The columns of panels: the column of the table and its words.
_COLUMNS = {
    "mean_flits": "mean over links and time (flits)",
    "max_flits": "maximum of any link (flits)",
}


def vc_occupancy(
    given: Given,
    alone: Mapping[str, RunLike] | None = None,
    classes: tuple[str, ...] = ALL_CLASSES,
) -> Figure:
    """Draws mean and maximum occupancy of each virtual channel, one row of panels per link class.

    The occupancy of a virtual channel is the number of flits beyond the link: sent and not yet
    credited. Flits on the link and credits on their way back count, so long links have more. A
    dashed line marks the room of the buffer, if an occupancy comes near it.

    Args:
        given: one run, or several runs and experiments by title.
        alone: the run of each job alone, by name; only for one run.
        classes: the link classes to show.

    Raises:
        UsageError: a run did not record its virtual channels, or no link has an occupancy.
    """
    runs = shown_parts(given, alone)
    looks = [_look(each) for each in runs]
    found = {each.title: vc_occupancy_table(each.run) for each in runs}
    shown = [
        name
        for name in ALL_CLASSES
        if name in classes
        and any(name in frame["class"].to_list() and _used(frame, name) for frame in found.values())
    ]
    if not shown:
        raise UsageError(
            "figure vc-occupancy: no virtual channel of these links holds a flit; name another run"
            " or another --class"
        )
    room = _room([each.run for each in runs])
    channels = {name: _channels(found, name) for name in shown}
    heights = [len(vcs) * max(1.0, 0.45 * len(found) + 0.3) + 0.9 for vcs in channels.values()]
    with style():
        figure = new_figure(0.7 + 0.4 * len(shown) + 0.2 * sum(heights))
        panels = figure.subplots(
            len(shown), 2, sharex="col", sharey="row", squeeze=False, height_ratios=heights
        )
        for row, (name, vcs) in zip(panels, channels.items(), strict=True):
            for axes, column in zip(row, _COLUMNS, strict=True):
                _bars(axes, found, looks, name, vcs, column)
            row[0].set_title(name)
            row[0].set_yticks(range(len(vcs)), [f"VC {vc}" for vc in vcs])
            row[0].set_ylim(len(vcs) - 0.45, -0.55)
        for at, (column, words) in enumerate(_COLUMNS.items()):
            most = max(float(frame[column].to_numpy().max(initial=0)) for frame in found.values())
            if room is not None and most < room <= 4 * most:
                most = float(room)
            panels[-1, at].set_xlim(0, 1.05 * most or 1.0)
            panels[-1, at].set_xlabel(words)
            if room is not None and room <= most:
                _mark_room(list(panels[:, at]), room)
        if len(found) > 1:
            keyed = zip(found, looks, strict=True)
            add_key(figure, [Patch(label=title, **look) for title, look in keyed])
    return figure


@remembered
def vc_occupancy_table(run: RunLike) -> pl.DataFrame:
    """Returns one row per link class and virtual channel: mean and maximum occupancy in flits.

    The mean is over all recorded links of the class and the simulated time. Windows in which a
    channel was empty count as 0, but skipped time, which has no windows, does not count. Links to
    nodes that take every packet at once have no row.

    Args:
        run: a run with `record.ports`, whose `split` has `vc`.

    Returns:
        The columns `class`, `vc`, `links`, `mean_flits` and `max_flits`.

    Raises:
        UsageError: the run did not record its virtual channels.
    """
    ports = recorded(run, "port_windows", _SETTING)
    record = run.document["plan"]["record"].get("ports") or {}
    end = float(run.document["simulated_ns"])
    time = end - skipped_between(run, 0, end)
    whole = [pl.col(name).is_null() for name in ("job", "kind")]
    rows = ports.filter(pl.col("vc").is_not_null(), *whole)
    # Windows of several lengths cover the same time.
    longest = rows.select(pl.col("window_ns").max()).collect().item()
    if longest is None and "vc" not in record.get("split", ()):
        raise UsageError(
            f"{getattr(run, 'path', None) or run.document['plan']['name']}: record.ports does not"
            f" split by virtual channel; set {_SETTING} and run the scenario again"
        )
    links = run.links.select(
        "link", "class", router=pl.coalesce("source_router", "target_router")
    ).collect()
    if routers := record.get("routers"):
        links = links.filter(pl.col("router").is_in(list(routers)))
    counts = links.group_by("class").agg(links=pl.len())
    lasted = pl.min_horizontal("window_ns", end - pl.col("window_start_ns")).clip(lower_bound=0)
    # The table may not fit into memory: its sums by link are small.
    by_link = (
        rows.filter(
            pl.col("window_ns").is_in([longest]), pl.col("occupancy_mean_flits").is_not_null()
        )
        .group_by("link", "vc")
        .agg(
            flit_ns=exact_sum(pl.col("occupancy_mean_flits") * lasted),
            max_flits=pl.col("occupancy_max_flits").max(),
        )
        .collect(engine="streaming")
    )
    return (
        by_link.join(links.select("link", "class"), on="link")
        .group_by("class", "vc")
        .agg(pl.col("flit_ns").sum(), pl.col("max_flits").max())
        .join(counts, on="class")
        .select(
            "class",
            "vc",
            "links",
            mean_flits=pl.col("flit_ns") / pl.col("links") / (time or 1.0),
            max_flits="max_flits",
        )
        .sort("class", "vc")
    )


def _used(frame: pl.DataFrame, name: str) -> bool:
    return bool((frame.filter(pl.col("class") == name)["max_flits"] > 0).any())


def _channels(found: Mapping[str, pl.DataFrame], name: str) -> list[int]:
    """Returns the channels of a class from 0 to the last one that any run used."""
    held = [pl.col("class") == name, pl.col("max_flits") > 0]
    last = max(int(vc) for frame in found.values() for vc in frame.filter(*held)["vc"])
    return list(range(last + 1))


def _bars(
    axes: Axes,
    found: Mapping[str, pl.DataFrame],
    looks: Sequence[dict[str, Any]],
    name: str,
    vcs: list[int],
    column: str,
) -> None:
    width = 0.84 / len(found)
    for at, frame in enumerate(found.values()):
        values = dict(frame.filter(pl.col("class") == name).select("vc", column).iter_rows())
        held = [vc for vc in vcs if values.get(vc)]
        places = [vc - 0.42 + (at + 0.5) * width for vc in held]
        axes.barh(places, [values[vc] for vc in held], width, lw=0.4, **looks[at])
    axes.grid(axis="x")
    axes.tick_params(axis="y", length=0)
    axes.spines["left"].set_visible(False)


def _look(part: ShownPart) -> dict[str, Any]:
    return {"facecolor": part.colour, "hatch": part.hatch, "edgecolor": "#ffffff"}


def _mark_room(column: list[Axes], room: int) -> None:
    for axes in column:
        axes.axvline(room, color=INK, lw=1.0, ls="--")
    column[0].annotate(
        f"room: {room:,} flits",
        (room, 1.0),
        xycoords=("data", "axes fraction"),
        xytext=(0, 3),
        textcoords="offset points",
        ha="right",
        fontsize=8,
    )


def _room(runs: list[RunLike]) -> int | None:
    """Returns the room of the buffer of a virtual channel in flits, if all runs have the same.

    Buffers of coarsened runs hold more than the plan says.
    """
    if any(run.document.get("coarsened") for run in runs):
        return None
    rooms = {(run.document["plan"].get("router") or {}).get("input_buffer_flits") for run in runs}
    room = rooms.pop() if len(rooms) == 1 else None
    return None if room is None else int(room)
