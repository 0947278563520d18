"""Two runs side by side: each view has the numbers that DuckDB finds in the tables of both."""

from __future__ import annotations

import zipfile
from pathlib import Path
from typing import Any

import duckdb
import pytest

import pantala as pt
from chromium import Page, chromium
from explored_pages import READY, brush, select, served
from explored_runs import explored
from recorded import recorded_scenario

pytestmark = [pytest.mark.native, pytest.mark.slow, pytest.mark.needs("chromium", "bash")]

BESIDE = "-- The run beside it:"
#: A row of a view by its keys, and its value in both runs.
Both = dict[tuple[Any, ...], tuple[float, float]]


def routings(path: Path) -> Path:
    """Makes a sweep of two routings, whose runs keep waiting times as files for DuckDB."""
    record = {"window": "1 us", "blame": {"window": "1 us", "groups": True, "links": 40}}
    tables = ["blame", "blame_groups", "blame_links", "jobs", "link_jobs", "link_windows", "links"]
    axes = {"routing.algorithm": ["minimal", "valiant_group"]}
    scenario = recorded_scenario(record, start_delay="0 ns", message="64 kB")
    pt.sweep(scenario, path, axes=axes, keep=[*tables, "ranks", "job_windows"])
    for packed in path.glob("runs/*/*/tables.zip"):
        with zipfile.ZipFile(packed) as files:
            files.extractall(packed.parent)
    return path


def asked(
    page: Page, view: str, value: int, statement: int = 0, jobs: tuple[list[str], ...] = ()
) -> Both:
    """Returns the answers of DuckDB to the queries of a view for both runs.

    Args:
        page: the page.
        view: the view.
        value: the column of the answer with the value; the first two are the key.
        statement: which query of the view.
        jobs: the names of the jobs of both runs, if the key is two jobs.
    """
    texts = page.value(f"explorer.sql({view!r})").split(BESIDE)
    assert len(texts) == 2
    found: Both = {}
    for place, text in enumerate(texts):
        query = duckdb.extract_statements(text)[statement]
        for row in duckdb.execute(query).fetchall():
            key = tuple(jobs[place][number] for number in row[:2]) if jobs else tuple(row[:2])
            both = list(found.get(key, (0.0, 0.0)))
            both[place] += row[value]
            found[key] = (both[0], both[1])
    return found


def names(page: Page) -> tuple[list[str], list[str]]:
    """Returns the names of the jobs of both runs, by their numbers there."""
    beside, run = page.value("[explorer.state().beside, explorer.state().run]")
    found = []
    for number in (beside, run):
        page.value(f"explorer.set({{run: {number}, beside: null}})")
        page.until(READY)
        found.append([row[0] for row in page.value("explorer.rows('jobs')")["rows"]])
    select(page, f"{{run: {run}, beside: {beside}}}")
    return found[1], found[0]


def equal(shown: dict[str, Any], expected: Both) -> int:
    """Compares the rows of a view with the answers; returns how many there are."""
    assert shown["columns"][-2:] == ["beside", "difference"]
    mine = {tuple(row[:2]): row[2:] for row in shown["rows"]}
    for key, (first, second) in expected.items():
        if not (first or second):
            continue
        own, other, difference = mine[key]
        assert (own or 0) == pytest.approx(first, rel=1e-5, abs=1e-6), key
        assert (other or 0) == pytest.approx(second, rel=1e-5, abs=1e-6), key
        # Null stands for a job that did not run.
        if own is not None and other is not None:
            assert difference == pytest.approx(own - other, rel=1e-9, abs=1e-9)
    assert mine.keys() <= expected.keys()
    return len(mine)


def in_ns(text: str) -> float:
    """Returns a time as the page writes it in ns."""
    value, unit = text.replace("\N{MINUS SIGN}", "-").split()
    return float(value) * {"ns": 1, "µs": 1e3, "ms": 1e6, "s": 1e9}[unit]


def waits_agree(page: Page, jobs: tuple[list[str], list[str]]) -> dict[str, int]:
    """Compares all views of waiting times with the queries of both runs."""
    page.until("explorer.rows('groups').columns.includes('wait_ns')")
    for view in ("groups", "blame"):
        page.until(f"explorer.rows({view!r}).columns.includes('difference')")
    waiters = asked(page, "link", 2, 1, jobs)
    table = page.value(
        "[...[...document.querySelectorAll('#link .pair > div')].at(-1)"
        ".querySelectorAll('tbody tr')].map(tr => [...tr.cells].map(td => td.innerText.trim()))"
    )
    for who, whom, first, second, difference in table:
        expected = waiters[who, who if whom == "itself" else whom]
        for text, value in zip(
            (first, second, difference), (*expected, expected[0] - expected[1]), strict=True
        ):
            assert in_ns(text) == pytest.approx(value, rel=6e-3, abs=0.6), (who, whom)
    return {
        "groups": equal(page.value("explorer.rows('groups')"), asked(page, "groups", 2)),
        "blame": equal(page.value("explorer.rows('blame')"), asked(page, "blame", 2, 0, jobs)),
        "waiters": equal(page.value("explorer.waiters()"), waiters),
        "table": len(table),
    }


def most_waited_at(page: Page) -> int:
    """Returns the link at which packets of the first run wait longest."""
    folder = page.value("explorer.sql('blame')").split("FROM '")[1].split("/blame.parquet")[0]
    query = f"SELECT link FROM '{folder}/blame_links.parquet' GROUP BY 1 ORDER BY sum(wait_ns) DESC"
    found: int = duckdb.execute(query).fetchall()[0][0]
    return found


@pytest.mark.parametrize(("run", "beside"), [(0, 1), (2, 0)])
def test_waiting_alone_and_together(tmp_path: Path, run: int, beside: int) -> None:
    compare_waits(explored(tmp_path / "run"), run, beside)


def test_waiting_under_two_routings(tmp_path: Path) -> None:
    found = compare_waits(routings(tmp_path / "run"), 0, 1)
    # Both jobs ran in both, so each pair has two numbers.
    assert found["blame"] > 1


def compare_waits(path: Path, run: int, beside: int) -> dict[str, int]:
    with served(path) as address, chromium() as page:
        page.size(1280, 900)
        page.open(f"{address}#run={run}&beside={beside}&matrix=waits")
        page.until(READY)
        jobs = names(page)
        select(page, f"{{link: {most_waited_at(page)}}}")
        page.until("explorer.waiters().rows.length > 0")
        whole = waits_agree(page, jobs) | {"windows": history_agrees(page)}
        assert all(number > 0 for number in whole.values()), whole
        for start, end in ((0.2, 0.5), (0.4, 0.9)):
            select(page, "{from: null, to: null}")
            brush(page, start, end)
            state = page.value("explorer.state()")
            assert state["from"] < state["to"]
            assert waits_agree(page, jobs)["groups"] > 0
        for change in ("{jobs: [0]}", "{cls: 'local'}", "{jobs: [], cls: ''}"):
            select(page, change)
            waits_agree(page, jobs)
            history_agrees(page)
        assert page.errors == []
    return whole


def history_agrees(page: Page) -> int:
    """Compares the windows of the link in both runs with the queries; returns their number."""
    shown = page.value("explorer.rows('link')")
    title = page.value("document.querySelector('[aria-label=Run]').selectedOptions[0].text")
    texts = page.value("explorer.sql('link')").split(BESIDE)
    for first, text in zip((True, False), texts, strict=True):
        rows = duckdb.execute(duckdb.extract_statements(text)[0]).fetchall()
        theirs = {tuple(row[:2]): row[2:] for row in rows if any(row[2:])}
        mine = {tuple(row[1:3]): row[3:] for row in shown["rows"] if (row[0] == title) == first}
        assert mine.keys() == theirs.keys()
        for key, values in mine.items():
            assert values == pytest.approx(theirs[key], rel=1e-5, abs=1e-6)
    return len(shown["rows"])


def test_two_runs_side_by_side_agree_with_the_queries_of_both(tmp_path: Path) -> None:
    with served(explored(tmp_path / "run")) as address, chromium() as page:
        page.size(1280, 900)
        page.open(address + "#beside=1&from=3000&to=12000&rows=1000")
        page.until(READY)
        for view in ("groups", "heat", "blame"):
            page.until(f"explorer.rows({view!r}).columns.includes('difference')")
        jobs = names(page)
        shown = page.value("explorer.rows('groups')")
        loads = {"columns": shown["columns"], "rows": [r[:3] + r[-2:] for r in shown["rows"]]}
        assert equal(loads, asked(page, "groups", 2)) > 3
        blame = page.value("explorer.rows('blame')")
        assert equal(blame, asked(page, "blame", 2, 0, jobs)) > 3
        shown = page.value("explorer.rows('heat')")
        queries = page.value("explorer.sql('heat')").split(BESIDE)
        length = 1000.0
        busy = [
            {(row[0], row[2]): row[3] / length for row in duckdb.execute(each).fetchall()}
            for each in queries
        ]
        assert len(shown["rows"]) > 100
        for link, _, start, own, other, difference in shown["rows"]:
            assert own == pytest.approx(min(1, busy[0].get((link, start), 0)), rel=1e-5)
            assert other == pytest.approx(min(1, busy[1].get((link, start), 0)), rel=1e-5)
            assert difference == pytest.approx(own - other)
        grids = page.value(
            "['groups', 'heat', 'blame'].map(id => [...document.querySelectorAll("
            "`#${id} .cells`)].filter(each => each.offsetHeight > 40).length)"
        )
        assert grids == [3, 3, 3]
        assert page.errors == []
