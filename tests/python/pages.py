"""Parsed HTML pages."""

from __future__ import annotations

from html.parser import HTMLParser

__all__ = ["Page"]


class Page(HTMLParser):
    """The ids, links and words of a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.ids: list[str] = []
        self.links: list[str] = []
        self.open: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = dict(attrs)
        self.ids += [found["id"] or ""] if "id" in found else []
        self.links += [found[key] or "" for key in ("href", "src") if key in found]
        self.open += [tag] if tag not in ("meta", "link", "br") else []

    def handle_endtag(self, tag: str) -> None:
        while self.open and self.open.pop() != tag:
            pass
