"""A page of the explorer in a browser: its server, when it is ready, and what is selected in it."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pantala as pt
from chromium import Page
from pantala.explorer.server import server_of
from pantala.explorer.subject import Subject, subject_of

__all__ = ["READY", "brush", "select", "served", "serving"]

#: True as soon as all views have drawn the tables that they asked for.
READY = "window.explorer && explorer.idle()"


@contextmanager
def served(path: Path) -> Iterator[str]:
    """Yields the address of a directory of results, which a server answers for."""
    with serving(subject_of(pt.load(path))) as address:
        yield address


@contextmanager
def serving(subject: Subject) -> Iterator[str]:
    """Yields the address of a subject, which a server answers for."""
    with server_of(subject) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        try:
            yield server.address
        finally:
            server.shutdown()
            thread.join()


def select(page: Page, state: str) -> None:
    """Changes what is selected, and waits for the tables."""
    page.value(f"explorer.set({state})")
    page.until(READY)


def brush(page: Page, start: float, end: float) -> None:
    """Drags an interval between two shares of the width of the view of time."""
    left, top, width = page.value(
        "(() => { const b = document.querySelector('.strip').getBoundingClientRect();"
        " return [b.left, b.top, b.width]; })()"
    )
    page.mouse("mousePressed", left + width * start, top + 40)
    for step in (0.5, 1.0):
        page.mouse("mouseMoved", left + width * (start + (end - start) * step), top + 40)
    page.mouse("mouseReleased", left + width * end, top + 40)
    page.until(READY)
