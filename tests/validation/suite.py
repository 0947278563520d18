"""The whole suite: all runs, and the page with their results."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from pantala.figures import save
from validation import figures, measure
from validation.bars import check, of_one
from validation.ember import suite as ember
from validation.page import Measured, Report, Section, Single
from validation.peers import (
    LOCAL_GLOBAL_LOCAL,
    PEERS,
    Learning,
    Peer,
    Point,
    Series,
    hot_links,
    learning,
    read,
)

__all__ = ["GRID", "between_points", "run"]

#: Loads of Pantala's lines, besides the peers' loads.
GRID = (
    0.02,
    0.05,
    0.1,
    0.15,
    0.2,
    0.25,
    0.3,
    0.35,
    0.4,
    0.45,
    0.5,
    0.55,
    0.6,
    0.65,
    0.7,
    0.75,
    0.8,
    0.85,
    0.9,
)

Ours = Mapping[float, Mapping[str, Any]]


def run(docs: Path) -> int:
    """Measures everything and writes the pages and their figures under `docs`.

    Returns:
        An exit status: 1 if a bar is not met.
    """
    runs = {
        peer: {series: [*series.points, *between_points(series)] for series in read(peer)}
        for peer in PEERS
    }
    learns, links = learning(), hot_links()
    absent = {
        series: measure.missing(series.points[0].call) for some in runs.values() for series in some
    }
    no_learning, no_links = measure.missing(learns.call), measure.missing(links[0].call)

    # Start the longest tasks first, so that no process is left with a long one at the end.
    tasks: dict[Any, Any] = {}
    if no_learning is None:
        tasks[learns] = (
            measure.accepted_over_time,
            (learns.call, learns.load, max(learns.accepted), learns.step_us),
        )
    for peer, some in runs.items():
        for series, points in some.items():
            if absent[series] is None:
                for p in points:
                    since_start = peer.since_start & p.theirs.keys()
                    tasks[series, p.load] = (measure.point, (p.call, p.load, since_start))
    if no_links is None:
        tasks |= {link: (measure.between, (link.call, LOCAL_GLOBAL_LOCAL, 1.0)) for link in links}
    tasks |= ember.runs()
    results = dict(zip(tasks, measure.together(list(tasks.values())), strict=True))

    sections = []
    for peer, some in runs.items():
        present = {
            series: {p.load: results[series, p.load] for p in points}
            for series, points in some.items()
            if absent[series] is None
        }
        missing = [(series.label, why) for series in some if (why := absent[series])]
        sections.append(_section(docs, peer, present, missing))
    singles = [
        _learning(docs, learns, results.get(learns), no_learning),
        Single(
            "One hot link of BookSim2",
            ("packet/internal/vc", "BookSim2, flits per cycle", "Pantala"),
            [
                (
                    "/".join(link.settings),
                    of_one("hot_link", link.flits_per_cycle, results[link]["accepted"]),
                )
                for link in links
                if link in results
            ],
            missing=no_links,
        ),
    ]
    report = Report(sections, singles)
    (docs / "explanation" / "made-validation.md").write_text(report.text(), encoding="utf-8")
    failures = [*report.failures, *ember.write(docs, results).failures]
    for line in [*report.missing, *failures]:
        print(line)
    return int(bool(failures))


def between_points(series: Series) -> list[Point]:
    """Returns the loads of the grid between a series' loads, with the call of the nearest point.

    These points have no results of the peer.
    """
    known = [point.load for point in series.points]
    return [
        Point(load, {}, min(series.points, key=lambda point: abs(point.load - load)).call)
        for load in GRID
        if known[0] < load < known[-1] and load not in known
    ]


def _section(
    docs: Path, peer: Peer, ours: Mapping[Series, Ours], missing: Sequence[tuple[str, str]]
) -> Section:
    measured = [
        Measured(series, point, check(series, point, ours[series][point.load]))
        for series in ours
        for point in series.points
    ]
    figure = f"validation-{peer.name}.svg" if ours else None
    if figure:
        save(figures.peer(peer.title, list(ours.items())), docs / "_static" / figure)
    return Section(peer, measured, figure, missing)


def _learning(
    docs: Path, theirs: Learning, ours: list[tuple[int, float]] | None, missing: str | None
) -> Single:
    title, headings = "Q-adaptive learns", ("until, µs", "SST", "Pantala")
    if ours is None:
        return Single(title, headings, [], missing=missing)
    figure = "validation-learning.svg"
    save(figures.learning(theirs.accepted, dict(ours)), docs / "_static" / figure)
    accepted = dict(ours)
    checks = [
        (f"{time}", of_one("learning", value, accepted[time]))
        for time, value in theirs.accepted.items()
    ]
    return Single(title, headings, checks, figure)
