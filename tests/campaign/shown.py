"""Numbers as pages and terminals show them: the value, its unit, and how far it is rounded."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from html.parser import HTMLParser

from typing_extensions import override

__all__ = ["Page", "PageTable", "Shown", "numbers"]

_UNITS = {
    **{"ns": ("time", 1.0), "µs": ("time", 1e3), "us": ("time", 1e3), "ms": ("time", 1e6)},
    **{"s": ("time", 1e9), "B": ("size", 1.0), "kB": ("size", 1e3), "MB": ("size", 1e6)},
    **{"GB": ("size", 1e9), "TB": ("size", 1e12), "%": ("share", 0.01)},
    **{"k": ("", 1e3), "M": ("", 1e6), "G": ("", 1e9), "GB/s": ("rate", 1.0)},
}
_NUMBER = re.compile(
    r"(?<![\w.,-])-?(\d[\d,]*)(?:\.(\d+))?(e[+-]?\d+)?[ \u00a0]?"
    r"((?:GB/s|ns|µs|us|ms|kB|MB|GB|TB|%|s|B|k|M|G)(?![\w/]))?(?![\w])"
)


@dataclass(frozen=True)
class Shown:
    """A number in a text.

    Attributes:
        text: the number as it stands there.
        value: the value in ns, bytes, GB/s or as a share, or without a unit.
        half: half a unit of its last digit.
        kind: time, size, rate, share, or empty.
    """

    text: str
    value: float
    half: float
    kind: str

    def shows(self, value: float | None, slack: float = 0.0) -> bool:
        """Returns whether it is `value`, rounded; `slack` is relative."""
        if value is None:
            return False
        return abs(self.value - value) <= self.half * (1 + 1e-6) + slack * abs(value) + 1e-9

    def any_of(self, values: Iterable[float | None], slack: float = 0.0) -> bool:
        """Returns whether it shows one of several values."""
        return any(self.shows(value, slack) for value in values)


def numbers(text: str, unit: str = "") -> list[Shown]:
    """Returns the numbers of a text; `unit` is that of numbers without their own."""
    found = []
    for match in _NUMBER.finditer(text):
        whole, decimals, exponent, own = match.groups()
        kind, scale = _UNITS.get(own or unit, ("", 1.0))
        digits = whole.replace(",", "") + (f".{decimals}" if decimals else "")
        power = 10.0 ** int(exponent[1:]) if exponent else 1.0
        sign = -1 if match.group().startswith("-") else 1
        half = 0.5 * 10.0 ** -len(decimals or "") * scale * power
        found.append(Shown(match.group(), sign * float(digits) * scale * power, half, kind))
    return found


@dataclass
class PageTable:
    """A table of a page: its caption, its headings and its rows of texts."""

    caption: str = ""
    columns: list[str] = field(default_factory=list)
    rows: list[list[str]] = field(default_factory=list)


class Page(HTMLParser):
    """The tables and texts of a report.

    Attributes:
        tables: the tables in order.
        texts: pairs of a tag (with its class) and its text, outside of tables, figures and style.
        svgs: the source of each figure by the id of its element.
    """

    _LINES = frozenset({"p", "li", "dd", "dt", "h1", "h2", "h3", "figcaption", "title"})
    _SKIPPED = frozenset({"style", "script", "svg", "pre", "code", "cite", "summary"})

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tables: list[PageTable] = []
        self.texts: list[tuple[str, str]] = []
        self._skipped = 0
        self._into: list[str] | None = None
        self._tag = ""
        self.feed(html)
        for table in self.tables:
            table.columns = table.rows.pop(0)
        figure = r'<figure id="figure-(\w+)">.*?(<svg.*?</svg>)'
        self.svgs: dict[str, str] = dict(re.findall(figure, html, flags=re.DOTALL))

    @override
    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in self._SKIPPED:
            self._skipped += 1
        elif tag == "table":
            self.tables.append(PageTable())
        elif tag == "tr" and self.tables:
            self.tables[-1].rows.append([])
        elif tag in ("td", "th", "caption") or tag in self._LINES:
            self._into, self._tag = [], f"{tag} {dict(attrs).get('class') or ''}".strip()

    @override
    def handle_endtag(self, tag: str) -> None:
        if tag in self._SKIPPED:
            self._skipped -= 1
        if self._into is None:
            return
        text = " ".join("".join(self._into).split())
        if tag == "caption":
            self.tables[-1].caption = text
        elif tag in ("td", "th"):
            self.tables[-1].rows[-1].append(text)
        elif tag in self._LINES:
            self.texts.append((self._tag, text))
        if tag in ("td", "th", "caption") or tag in self._LINES:
            self._into = None

    @override
    def handle_data(self, data: str) -> None:
        if self._into is not None and not self._skipped:
            self._into.append(data)
