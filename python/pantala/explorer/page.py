"""The page of the explorer: served with its data behind it, or as one file with the data inside."""

from __future__ import annotations

import base64
import gzip
import hashlib
from collections.abc import Iterator
from html import escape
from importlib.resources import files
from pathlib import Path
from typing import Any

from pantala.errors import PantalaError, RunDirectoryError
from pantala.explorer.answers import ARGUMENTS, TABLES_OF_PAGE
from pantala.explorer.packed import as_json, packed
from pantala.explorer.subject import Subject
from pantala.files.atomic_file import write_text
from pantala.files.run_directory import REPORT_FILE
from pantala.system.system_errors import number_in, remedy_of
from pantala.text.plain_text import plain

__all__ = ["LARGEST_PAGE", "html", "policy", "write_page"]

#: Bytes of a self-contained page at most.
LARGEST_PAGE = 14_500_000
#: Runs of a self-contained page at most, and bytes for what it says of them.
_RUNS, _FACTS = 8, 200_000
#: Links of a self-contained page whose packets are inside, and whose waiting times are.
_PACKET_LINKS, _WAIT_LINKS = 24, 100
#: Tables of a run beside the first that a page has: those that views compare.
_COMPARED = (
    "blame",
    "groups",
    "jobs",
    "latencies",
    "latency",
    "pairs",
    "presence",
    "routing",
    "throughput",
    "waits",
)


def html(title: str, embedded: str = "", known: dict[str, Any] | None = None) -> str:
    """Returns the page as HTML.

    Args:
        title: the title, as text.
        embedded: the elements with the data of a self-contained page.
        known: what a page with a server need not ask for, as JSON; None for a self-contained page.
    """
    if known is not None:
        embedded += _json_element("known", known)
    script, style = _asset("app.js"), _asset("page.css")
    where = (
        ""
        if not embedded or known is not None
        else f'<meta http-equiv="Content-Security-Policy" content="{policy()}">'
    )
    return plain(
        "<!doctype html>\n"
        '<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        '<meta name="referrer" content="no-referrer">'
        f'{where}<link rel="icon" href="data:,">'
        f"<title>{escape(title)} · Pantala</title><style>{style}</style></head>\n"
        "<body><noscript>The explorer needs JavaScript. pantala report writes a page without it."
        '</noscript><div id="app"><p class="note">Reading the tables \N{HORIZONTAL ELLIPSIS}</p>'
        f"</div>\n{embedded}<script>{script}</script></body></html>\n"
    )


def _json_element(name: str, value: dict[str, Any]) -> str:
    """Returns JSON as an element of a page; no text in it can close the element."""
    text = as_json(value).replace("<", "\\u003c")
    return f'<script type="application/json" id="{name}">{text}</script>\n'


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
    number = min(len(subject.titles), _RUNS)
    parts: list[str] = []
    left: list[str] = []
    room = LARGEST_PAGE - len(html(subject.name).encode()) - _FACTS
    groups = 0
    for run, name, argument in _asked(subject, number):
        try:
            frame, facts = subject.answer(run, name, argument)
        except PantalaError:  # a damaged table; the facts of the run say so
            left.append(f"{name} of {subject.titles[run]}")
            continue
        data = gzip.compress(packed(frame, **facts), 9, mtime=0)
        text = base64.b64encode(data).decode()
        if len(text) > room:
            if argument is None:
                left.append(f"{name} of {subject.titles[run]}")
            continue
        room -= len(text)
        groups += name == "group"
        place = f"{run}/{name}" if argument is None else f"{run}/{name}/{argument}"
        parts.append(f'<script type="text/plain" data-name="{place}">{text}</script>\n')
    words = _left_out(subject, groups, left, number)
    facts_of_page = subject.document() | {
        "report": REPORT_FILE if (path.parent / REPORT_FILE).is_file() else "",
        "runs": subject.titles[:number],
        "grid": _grid_of_page(subject.grid, number),
        "facts": [subject.facts(each) for each in range(number)],
        "words": [subject.words(each) for each in range(number)],
        "left_out": words,
    }
    parts.insert(0, _json_element("subject", facts_of_page))
    try:
        write_text(path, html(subject.name, "".join(parts)))
    except OSError as error:
        message = f"cannot be written: {error.strerror or error}"
        remedy = remedy_of(number_in(message)) or "make the directory writable"
        raise RunDirectoryError(path, message, remedy) from None
    return words


def _left_out(subject: Subject, groups: int, tables: list[str], runs: int) -> list[str]:
    """Returns what a page leaves out, in words."""
    words = []
    every = int(subject.run(0).plan["topology"].get("g") or 0)
    if groups < every:
        words.append(
            f"the links of {every - groups} of {every} groups (their routers, ports and histories)"
        )
    if tables:
        words.append(f"the tables {', '.join(tables)}")
    if runs < len(subject.titles):
        words.append(f"{len(subject.titles) - runs} of {len(subject.titles)} runs")
    if runs > 1:
        words.append(
            "of the other runs, all links but those that Links \N{MULTIPLICATION SIGN} time shows"
            " beside the first"
        )
    if "packet_hops" not in subject.facts(0)["missing"]:
        words.append(f"the packets of all links but {_PACKET_LINKS} of the first run")
    if "port_windows" not in subject.facts(0)["missing"]:
        words.append(f"the queues of all links but {_PACKET_LINKS} of the first run")
    if "blame_links" not in subject.facts(0)["missing"]:
        others = f" ({_PACKET_LINKS} in the other runs)" if runs > 1 else ""
        words.append(f"who waited at all links but {_WAIT_LINKS}{others}")
    return words


def _grid_of_page(grid: dict[str, Any] | None, runs: int) -> dict[str, Any] | None:
    """Returns the cases of a sweep, without the numbers of runs that are not inside."""
    if grid is None:
        return None

    def inside(row: dict[str, Any]) -> bool:
        return row["run"] is not None and row["run"] < runs

    rows = [row if inside(row) else row | {"run": None} for row in grid["rows"]]
    return grid | {"rows": rows}


def _asked(subject: Subject, runs: int) -> Iterator[tuple[int, str, int | None]]:
    """Yields the tables of a page, the most important first: run, name and argument."""
    for name in TABLES_OF_PAGE:
        if name not in ARGUMENTS:
            yield 0, name, None
    for number in range(1, runs):
        for name in _COMPARED:
            yield number, name, None
    for number in range(1, runs):
        for pair in ((0, number), (number, 0)):
            yield pair[0], "beside", pair[1]
    try:
        links = _hot_links(subject, [each["link"] for each in subject.words(0)["hottest"]])
    except PantalaError:
        return
    if "packet_hops" not in subject.facts(0)["missing"]:
        for link, _ in links[:_PACKET_LINKS]:
            yield 0, "packets", link
    if "port_windows" not in subject.facts(0)["missing"]:
        for link, _ in links[:_PACKET_LINKS]:
            yield 0, "queue", link
    if "blame_links" not in subject.facts(0)["missing"]:
        for link in _waited(subject, [link for link, _ in links[:_PACKET_LINKS]]):
            yield 0, "waiters", link
    for number in range(1, runs):
        if "blame_links" not in subject.facts(number)["missing"]:
            for link, _ in links[:_PACKET_LINKS]:
                yield number, "waiters", link
    for group in dict.fromkeys(group for _, group in links):
        yield 0, "group", group


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


def _waited(subject: Subject, first: list[int]) -> list[int]:
    """Returns links: those given, then those that packets waited for longest."""
    frame, _ = subject.answer(0, "waited")
    order = [] if frame.is_empty() else frame["link"].to_list()
    return list(dict.fromkeys([*first, *order]))[:_WAIT_LINKS]
