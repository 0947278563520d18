"""The page of the explorer: served with its data behind it, or as one file with the data inside."""

from __future__ import annotations

import base64
import gzip
import hashlib
import json
from collections.abc import Iterator
from html import escape
from importlib.resources import files
from pathlib import Path

from pantala.errors import RunDirectoryError
from pantala.explorer.answers import ARGUMENTS, TABLES_OF_PAGE
from pantala.explorer.packed import packed
from pantala.explorer.subject import Subject
from pantala.files.atomic_file import write_text
from pantala.system.system_errors import number_in, remedy_of
from pantala.text.plain_text import plain

__all__ = ["LARGEST_PAGE", "html", "policy", "write_page"]

#: Bytes of a self-contained page at most.
LARGEST_PAGE = 14_500_000
#: Links of a self-contained page whose packets are inside.
_PACKET_LINKS = 24
#: Tables of a run beside the first that a page has: those that views compare.
_COMPARED = ("groups", "jobs", "latency", "pairs", "presence", "routing", "throughput")


def html(title: str, embedded: str = "") -> str:
    """Returns the page as HTML.

    Args:
        title: the title, as text.
        embedded: the elements with the data of a self-contained page.
    """
    script, style = _asset("app.js"), _asset("page.css")
    where = (
        "" if not embedded else f'<meta http-equiv="Content-Security-Policy" content="{policy()}">'
    )
    return plain(
        "<!doctype html>\n"
        '<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        '<meta name="referrer" content="no-referrer">'
        f'{where}<link rel="icon" href="data:,">'
        f"<title>{escape(title)} · Pantala</title><style>{style}</style></head>\n"
        "<body><noscript>The explorer needs JavaScript. pantala report writes a page without it."
        f'</noscript><div id="app"></div>\n{embedded}<script>{script}</script></body></html>\n'
    )


def policy() -> str:
    """Returns the content security policy: the page's own script and style, and its own server."""
    script, style = (
        f"'sha256-{base64.b64encode(hashlib.sha256(plain(_asset(name)).encode()).digest()).decode()}'"
        for name in ("app.js", "page.css")
    )
    return (
        f"default-src 'none'; script-src {script}; style-src {style}; img-src data: blob:;"
        " connect-src 'self'; base-uri 'none'; form-action 'none'"
    )


def _asset(name: str) -> str:
    return (files("pantala.explorer") / "page" / name).read_text(encoding="utf-8")


def write_page(subject: Subject, path: Path) -> list[str]:
    """Writes the page as one file with the most important data inside.

    Args:
        subject: what it shows.
        path: the file.

    Returns:
        What is left out, in words; empty if nothing is.

    Raises:
        RunDirectoryError: the file cannot be written, or a table is damaged.
    """
    number = min(len(subject.titles), 8)
    parts: list[str] = []
    left: list[str] = []
    room = LARGEST_PAGE - len(html(subject.name).encode()) - 200_000
    groups = 0
    for name, data in _parts(subject, number):
        text = base64.b64encode(gzip.compress(data, 9, mtime=0)).decode()
        if len(text) > room:
            left.append(name)
            continue
        room -= len(text)
        groups += "/group/" in name
        parts.append(f'<script type="text/plain" data-name="{name}">{text}</script>\n')
    every = int(subject.run(0).plan["topology"].get("g") or 0)
    words = []
    if groups < every:
        words.append(
            f"the links of {every - groups} of {every} groups (their routers, ports and histories)"
        )
    if others := [name for name in left if "/group/" not in name]:
        words.append(f"the tables {', '.join(others)}")
    if number < len(subject.titles):
        words.append(f"{len(subject.titles) - number} of {len(subject.titles)} runs")
    if "packet_hops" not in subject.facts(0)["missing"]:
        words.append(f"the packets of all links but {_PACKET_LINKS}")
    subject_text = json.dumps(
        subject.document()
        | {
            "runs": subject.titles[:number],
            "facts": [subject.facts(each) for each in range(number)],
            "words": [subject.words(each) for each in range(number)],
            "left_out": words,
        }
    ).replace("<", "\\u003c")
    parts.insert(0, f'<script type="application/json" id="subject">{subject_text}</script>\n')
    try:
        write_text(path, html(subject.name, "".join(parts)))
    except OSError as error:
        message = f"cannot be written: {error.strerror or error}"
        remedy = remedy_of(number_in(message)) or "make the directory writable"
        raise RunDirectoryError(path, message, remedy) from None
    return words


def _parts(subject: Subject, runs: int) -> Iterator[tuple[str, bytes]]:
    """Yields the tables of a page by name, the most important first."""

    def asked(number: int, name: str, argument: int | None = None) -> tuple[str, bytes]:
        frame, facts = subject.answer(number, name, argument)
        path = f"{number}/{name}" if argument is None else f"{number}/{name}/{argument}"
        return path, packed(frame, **facts)

    for name in TABLES_OF_PAGE:
        if name not in ARGUMENTS:
            yield asked(0, name)
    for number in range(1, runs):
        for name in _COMPARED:
            yield asked(number, name)
    hottest = [each["link"] for each in subject.words(0)["hottest"]]
    links = _hot_links(subject, hottest)
    if "packet_hops" not in subject.facts(0)["missing"]:
        for link in [each[0] for each in links[:_PACKET_LINKS]]:
            yield asked(0, "packets", link)
    groups = dict.fromkeys(group for _, group in links)
    for group in groups:
        yield asked(0, "group", group)


def _hot_links(subject: Subject, first: list[int]) -> list[tuple[int, int]]:
    """Returns links with their group: those named first, then by their load over the run."""
    frame, _ = subject.answer(0, "links")
    if frame.is_empty():
        return []
    rows = frame.sort("busy_ns", descending=True)
    pairs = {
        int(link): int(source if source >= 0 else target)
        for link, source, target in rows.select("link", "source_group", "target_group").iter_rows()
    }
    return [(link, pairs[link]) for link in dict.fromkeys([*first, *pairs]) if link in pairs]
