"""The tables of the validation page, as Markdown."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from validation.bars import Check
from validation.peers import Peer, Point, Series
from validation.tables import pair, percent, table

__all__ = ["Measured", "Report", "Section", "Single", "cells"]

#: The columns of a peer's table: possible keys (a peer has one of them), heading, decimals.
_COLUMNS = (
    (("accepted",), "accepted", 3),
    (("latency_mean_ns",), "mean", 0),
    (("latency_p99_ns", "network_latency_p99_ns"), "p99", 0),
    (("nonminimal_share",), "non-minimal", 3),
    (("link_hops_mean",), "links", 2),
)


@dataclass(frozen=True)
class Measured:
    """A point of a peer's series with its checks."""

    series: Series
    point: Point
    checks: Sequence[Check]


@dataclass(frozen=True)
class Section:
    """The part of the page about a peer.

    Attributes:
        peer: the peer.
        measured: its points.
        figure: the file of its figure; None if nothing was measured.
        missing: the series that Pantala cannot measure, each with the reason.
    """

    peer: Peer
    measured: Sequence[Measured]
    figure: str | None
    missing: Sequence[tuple[str, str]]

    @property
    def checks(self) -> list[Check]:
        """The checks of all points."""
        return [check for item in self.measured for check in item.checks]

    def text(self) -> str:
        """Returns the part of the page."""
        parts = [f"## {self.peer.title}"]
        if self.figure:
            parts += [
                f"![{self.peer.title} and Pantala](../_static/{self.figure})",
                _peer_table(self),
            ]
        parts += [f"{label}: not available yet ({why})" for label, why in self.missing]
        return "\n\n".join(parts)


@dataclass(frozen=True)
class Single:
    """A table of checks with a word before each.

    Attributes:
        title: the heading.
        headings: the headings of the words, the peer's values and Pantala's values.
        checks: the words and checks.
        figure: the file of a figure; None if there is none.
        missing: why Pantala cannot measure it; None if it can.
    """

    title: str
    headings: tuple[str, str, str]
    checks: Sequence[tuple[str, Check]]
    figure: str | None = None
    missing: str | None = None

    def text(self) -> str:
        """Returns the part of the page."""
        parts = [f"## {self.title}"]
        if self.missing:
            parts.append(f"not available yet ({self.missing})")
        if self.figure:
            parts.append(f"![{self.title}](../_static/{self.figure})")
        if self.checks:
            rows = [
                (word, f"{c.theirs:.3f}", f"{c.ours:.3f}", _error(c)) for word, c in self.checks
            ]
            parts.append(table([*self.headings, ""], rows, 1))
        return "\n\n".join(parts)


_HEAD = """# Validation: the tables

`make validate` measures these tables. [Validation](validation.md) explains the comparison and the
bars. Each pair gives the value of the other simulator, then Pantala's. *links* is the mean
number of links between routers that a packet takes.

The first table has the bars that are met, and the largest error of each quantity where its bar
applies.

An error in italics is beyond 0.8 of saturation, where its bar does not apply. An error in bold
misses its bar. In the figures, circles are runs of the other simulator; dots and lines are
Pantala's. A line is dotted where the network accepts less than 0.97 of the offered load."""


@dataclass(frozen=True)
class Report:
    """The whole page."""

    sections: Sequence[Section]
    singles: Sequence[Single]

    @property
    def failures(self) -> list[str]:
        """The bars that are not met, one line each."""
        lines = [
            f"{section.peer.name}: {item.series.label} at {item.point.load:g}: {check.key}: theirs"
            f" {check.theirs:.4g}, ours {check.ours:.4g}"
            for section in self.sections
            for item in section.measured
            for check in item.checks
            if check.bound and not check.met
        ]
        return lines + [
            f"{single.title}: {word}: theirs {check.theirs:.4g}, ours {check.ours:.4g}"
            for single in self.singles
            for word, check in single.checks
            if not check.met
        ]

    @property
    def missing(self) -> list[str]:
        """The series that could not be measured, one line each."""
        lines = [
            f"{s.peer.name}: {label}: not available yet ({why})"
            for s in self.sections
            for label, why in s.missing
        ]
        return lines + [
            f"{s.title}: not available yet ({s.missing})" for s in self.singles if s.missing
        ]

    def text(self) -> str:
        """Returns the text of the page."""
        rows = [
            _summary_row(section.peer.title, len(section.measured), section.checks)
            for section in self.sections
            if section.measured
        ]
        rows += [
            _summary_row(single.title, len(single.checks), [check for _, check in single.checks])
            for single in self.singles
            if single.checks
        ]
        head = table(["", "points", "bars met", *(name for _, name, _ in _COLUMNS)], rows, 1)
        return (
            "\n\n".join(
                [
                    _HEAD,
                    head,
                    *(section.text() for section in self.sections),
                    *(single.text() for single in self.singles),
                ]
            )
            + "\n"
        )


def cells(item: Measured) -> list[str]:
    """Returns the cells of a point: the peer's value, Pantala's value and the error."""
    series = item.series
    settings = ["/".join(series.settings)] if series.settings else []
    row = [f"`{series.routing}`", f"`{series.pattern}`", *settings, f"{item.point.load:g}"]
    for keys, _, decimals in _columns(series.peer):
        found = next((check for check in item.checks if check.key in keys), None)
        row += (
            ["", ""] if found is None else [pair(found.theirs, found.ours, decimals), _error(found)]
        )
    return row


def _columns(peer: Peer) -> list[tuple[tuple[str, ...], str, int]]:
    return [column for column in _COLUMNS if any(key in peer.columns for key in column[0])]


def _peer_table(section: Section) -> str:
    """Returns the table of all points of a peer."""
    peer = section.peer
    settings = ["/".join(name.split("_")[0] for name in peer.settings)] if peer.settings else []
    units = {"mean": f"mean, {peer.unit}", "p99": f"p99, {peer.unit}"}
    headings = ["routing", "pattern", *settings, "load"]
    headings += [
        heading for _, name, _ in _columns(peer) for heading in (units.get(name, name), "")
    ]
    return table(headings, [cells(item) for item in section.measured], 2 + len(settings))


def _summary_row(title: str, points: int, checks: Sequence[Check]) -> list[str]:
    """Returns the number of bars met, and the largest error per quantity where its bar applies."""
    bound = [check for check in checks if check.bound]
    row = [title, f"{points}", f"{sum(check.met for check in bound)} of {len(bound)}"]
    for keys, _, _ in _COLUMNS:
        worst = max(
            (check for check in bound if check.key in keys),
            key=lambda c: abs(c.error),
            default=None,
        )
        row.append("" if worst is None else _percent(worst))
    return row


def _percent(check: Check) -> str:
    return percent(check.error, relative=check.bar.relative)


def _error(check: Check) -> str:
    """Returns the error in italics where no bar applies, and in bold where a bar is not met."""
    mark = "*" if not check.bound else "" if check.met else "**"
    return f"{mark}{_percent(check)}{mark}"
