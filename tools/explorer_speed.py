"""How long the explorer takes until its first view, and for a step of its brush, in Chromium.

    PYTHONPATH=tools:tests/python .venv/bin/python -m explorer_speed [DIR]

With the directory of a run or an experiment, the first view of its page is measured, with the cube
made before: the first paint, the views of the first screen, and all views. The server prepares its
tables while the browser starts, as `pantala explore` does.

Without a directory the tables are synthetic: a Dragonfly of 8,448 nodes in 33 groups (32 routers of
8 nodes), two jobs, 1,000 windows, traffic between all groups in each window, and as many links in
the heat map as a run can have. The page is real, in headless Chromium. A step moves an interval of
a tenth of the run by one window and draws all views that depend on it.
"""

from __future__ import annotations

import argparse
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

import pantala as pt
from chromium import Page, chromium
from pantala.explorer.answers import WORST, Answer
from pantala.explorer.server import server_of
from pantala.explorer.subject import OPTIONAL, Subject, subject_of
from pantala.explorer.waits import MOST_WAITS

GROUPS, ROUTERS, NODES, GLOBAL = 33, 32, 8, 8
WINDOWS, JOBS, LENGTH = 1000, 2, 10_000.0
CLASSES = ("injection", "ejection", "local", "row", "column", "global")
#: Windows of the waits between groups, which have as many rows as the page asks for.
WAIT_WINDOWS = 125
#: All views of the first screen have rows.
FIRST = (
    "window.explorer && ['time', 'groups', 'place', 'heat']"
    ".every(view => explorer.rows(view).rows.length > 0)"
)
#: The same for tables without sentences.
SYNTHETIC = FIRST.replace("'place', ", "")
#: All views have drawn the tables that they asked for.
IDLE = "explorer.idle()"


class Synthetic(Subject):
    """A subject whose tables are drawn at random."""

    def facts(self, number: int) -> dict[str, Any]:
        """Returns the facts of the machine."""
        topology = {"p": NODES, "a": ROUTERS, "h": GLOBAL, "g": GROUPS}
        return {
            "title": "synthetic",
            "name": "synthetic",
            "dir": ".",
            "packed": False,
            "version": "",
            "complete": True,
            "jobs": ["one", "two"],
            "simulated_ns": WINDOWS * LENGTH,
            "topology": topology,
            "routing": "minimal",
            "seed": 1,
            "record_window_ns": LENGTH,
            "window_ns": LENGTH,
            "windows": WINDOWS,
            "joined": 1,
            "calls": None,
            "skipped": [],
            "missing": {name: "" for name in OPTIONAL if name in ("packet_hops", "port_windows")},
            "faults": [],
        }

    def stamp(self, number: int) -> dict[str, Any]:
        """Returns nothing: the tables never change."""
        return {}

    def words(self, number: int) -> dict[str, Any]:
        """Returns no sentences."""
        lists = ("finding", "caveats", "warnings", "hottest", "slowdown", "causes", "faults")
        return {name: [] for name in (*lists, "hottest_span")}

    def document(self) -> dict[str, Any]:
        """Returns the subject without queries."""
        return {"version": "", "name": "synthetic", "path": ".", "runs": ["synthetic"]} | {
            "grid": None,
            "queries": {},
            "report": "",
        }

    def answer(self, number: int, name: str, argument: int | None = None) -> Answer:
        """Returns a table of the largest size that a run can have."""
        made = getattr(self, f"_{name}", None)
        if made is None:
            return pl.DataFrame(), {}
        window = WINDOWS * LENGTH / WAIT_WINDOWS if name == "waits" else LENGTH
        return made(), {"classes": CLASSES, "most": WORST, "window_ns": window}

    def _groups(self) -> pl.DataFrame:
        pairs = GROUPS * GROUPS * JOBS
        place = np.tile(np.arange(pairs), WINDOWS)
        source, target, job = place // JOBS // GROUPS, place // JOBS % GROUPS, place % JOBS
        draws = np.random.default_rng(1)
        return pl.DataFrame(
            {
                "window": np.repeat(np.arange(WINDOWS, dtype=np.uint16), pairs),
                "source": source.astype(np.uint8),
                "target": target.astype(np.uint8),
                "class": np.where(source == target, 2, 5).astype(np.uint8),
                "job": job.astype(np.uint8),
                "busy_ns": draws.uniform(0, LENGTH, len(place)).astype(np.float32),
                "stall_ns": draws.uniform(0, LENGTH, len(place)).astype(np.float32),
            }
        )

    def _pairs(self) -> pl.DataFrame:
        place = np.arange(GROUPS * GROUPS)
        same = place // GROUPS == place % GROUPS
        return pl.DataFrame(
            {
                "source": (place // GROUPS).astype(np.uint32),
                "target": (place % GROUPS).astype(np.uint32),
                "class": np.where(same, 2, 5).astype(np.uint8),
                "links": np.where(same, ROUTERS * (ROUTERS - 1), GLOBAL).astype(np.uint32),
            }
        )

    def _links(self) -> pl.DataFrame:
        ports = ROUTERS - 1 + GLOBAL + 2 * NODES
        number = GROUPS * ROUTERS * ports
        link = np.arange(number)
        router = link // ports
        port = link % ports
        cls = np.where(port < ROUTERS - 1, 2, np.where(port < ROUTERS - 1 + GLOBAL, 5, port % 2))
        whole = {"link": link.astype(np.uint32), "class": cls.astype(np.uint8)}
        ends = {
            "source_router": router,
            "source_port": port,
            "source_group": router // ROUTERS,
            "target_router": (router + 1) % (GROUPS * ROUTERS),
            "target_group": (router // ROUTERS + (cls == 5)) % GROUPS,
            "parallel_index": np.zeros(number),
            "node": np.full(number, -1),
        }
        return pl.DataFrame(whole | {name: each.astype(np.int32) for name, each in ends.items()})

    def _worst(self) -> pl.DataFrame:
        links = self._links().group_by("class").head(2 * WORST)["link"].to_numpy()
        rows = len(links) * JOBS
        draws = np.random.default_rng(2)
        columns = {
            name: draws.uniform(0, LENGTH / 2, rows * WINDOWS).astype(np.float32)
            for name in ("bytes", "busy_ns", "stall_ns")
        }
        return pl.DataFrame(
            {
                "link": np.tile(np.repeat(links, JOBS), WINDOWS),
                "window": np.repeat(np.arange(WINDOWS, dtype=np.uint16), rows),
                "job": np.tile(np.arange(JOBS, dtype=np.uint16), len(links) * WINDOWS),
                **columns,
            }
        )

    def _blame(self) -> pl.DataFrame:
        place = np.arange(WINDOWS * 4 * 3)
        return pl.DataFrame(
            {
                "window_start_ns": place // 12 * LENGTH,
                "class": (place % 3 + 1).astype(np.uint8),
                "victim": (place // 3 % 2).astype(np.uint16),
                "aggressor": (place // 6 % 2).astype(np.uint16),
                "wait_ns": place.astype(float),
            }
        )

    def _waits(self) -> pl.DataFrame:
        rows = MOST_WAITS // WAIT_WINDOWS
        place = np.tile(np.arange(rows) % GROUPS**2, WAIT_WINDOWS)
        draws = np.random.default_rng(3)
        number = len(place)
        return pl.DataFrame(
            {
                "window": np.repeat(np.arange(WAIT_WINDOWS, dtype=np.uint32), rows),
                "class": np.where(place // GROUPS == place % GROUPS, 2, 5).astype(np.uint8),
                "source": (place // GROUPS).astype(np.uint8),
                "target": (place % GROUPS).astype(np.uint8),
                "victim": draws.integers(0, JOBS, number).astype(np.uint16),
                "aggressor": draws.integers(0, JOBS, number).astype(np.uint16),
                "wait_ns": draws.uniform(0, LENGTH, number).astype(np.float32),
            }
        )

    def _throughput(self) -> pl.DataFrame:
        place = np.arange(WINDOWS * JOBS)
        return pl.DataFrame(
            {
                "window_start_ns": place // JOBS * LENGTH,
                "window_ns": np.full(len(place), LENGTH),
                "job": (place % JOBS).astype(np.uint16),
                "delivered_bytes": place * 100.0,
                "injected_bytes": place * 100.0,
            }
        )


def main() -> None:
    """Prints the time of the first view, and the times of steps of the brush by matrix."""
    given = argparse.ArgumentParser(description=__doc__)
    given.add_argument("run", nargs="?", type=Path, help="a directory; synthetic tables without it")
    given.add_argument("--loads", type=int, default=7)
    given.add_argument("--steps", type=int, default=100)
    asked = given.parse_args()
    subject: Subject
    if asked.run is None:
        subject, first = Synthetic("synthetic", Path(), {}), SYNTHETIC
    else:
        subject, first = subject_of(pt.load(asked.run)), FIRST
    subject.facts(0)
    loads = np.array([_load(subject, first) for _ in range(asked.loads)])
    names = ("first paint", "views of the first screen", "all views")
    for name, times in zip(names, loads.T, strict=True):
        print(
            f"{name}: median {np.median(times):.0f} ms of {len(times)} loads"
            f" ({times.min():.0f} to {times.max():.0f} ms)"
        )
    if asked.run is not None:
        return
    with _opened(subject) as page:
        page.until(first)
        shown = {name: _steps(page, name, asked.steps) for name in ("links", "waits")}
    for name, times in shown.items():
        print(
            f"{name}: {len(times)} steps: median {np.median(times):.1f} ms, p95"
            f" {np.quantile(times, 0.95):.1f} ms, longest {times.max():.1f} ms"
        )


@contextmanager
def _opened(subject: Subject) -> Iterator[Page]:
    """Yields the page of a subject in a new browser, from a new server."""
    with server_of(subject) as server:
        threading.Thread(target=server.tables.prepare, daemon=True).start()
        threading.Thread(target=server.serve_forever, daemon=True).start()
        with chromium() as page:
            page.size(1280, 900)
            page.open(server.address)
            yield page
        server.shutdown()


def _load(subject: Subject, first: str) -> tuple[float, float, float]:
    """Returns the times of a load in ms: first paint, views of the first screen, all views."""
    with _opened(subject) as page:
        page.until(first)
        shown = page.value("performance.now()")
        page.until(IDLE)
        whole = page.value("performance.now()")
        paint = page.value("performance.getEntriesByName('first-contentful-paint')[0].startTime")
    return paint, shown, whole


def _steps(page: Page, matrix: str, steps: int) -> np.ndarray[Any, Any]:
    """Returns the times of steps, with load or with waits in the matrix of groups."""
    page.value(f"explorer.set({{matrix: '{matrix}'}})")
    page.until("explorer.rows('groups').rows.length > 0")
    page.value(
        "(async () => { performance.clearMeasures();"
        f" for (let n = 0; n < {steps}; n++) {{"
        f" explorer.set({{from: n * {LENGTH}, to: (n + {WINDOWS // 10}) * {LENGTH}}});"
        " await new Promise(requestAnimationFrame); await new Promise(requestAnimationFrame);"
        " } })()"
    )
    entries = "performance.getEntriesByName('draw', 'measure').map(m => m.duration)"
    return np.array(page.value(entries))


if __name__ == "__main__":
    main()
