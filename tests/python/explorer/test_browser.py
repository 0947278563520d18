"""The page in a browser: what its views show is what DuckDB answers to their queries."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path
from typing import Any

import duckdb
import pytest

import pantala as pt
from chromium import Page, chromium
from explored_pages import READY, brush, select, served
from explored_runs import HOSTILE, explored, hostile
from pantala.explorer.page import write_page
from pantala.explorer.subject import subject_of
from recorded import recorded_scenario

pytestmark = [pytest.mark.native, pytest.mark.slow, pytest.mark.needs("chromium", "bash")]


def compare(page: Page, view: str, keys: int, values: dict[int, int]) -> int:
    """Compares rows of a view with DuckDB's answer; returns the number of rows.

    Args:
        page: the page.
        view: the view.
        keys: the first columns, which name a row.
        values: columns of the view, and the columns of the answer with their values.
    """
    shown = page.value(f"explorer.rows({view!r})")["rows"]
    query = page.value(f"explorer.sql({view!r})").split(";")[0]
    answered = duckdb.execute(query).fetchall()
    mine: dict[tuple[Any, ...], Any] = {tuple(row[:keys]): row for row in shown}
    theirs = {tuple(row[:keys]): row for row in answered}
    for key, row in theirs.items():
        for own, other in values.items():
            value = mine[key][own] if key in mine else 0
            assert value == pytest.approx(row[other], rel=1e-5, abs=1e-9), (view, key)
    assert mine.keys() <= theirs.keys()
    return len(mine)


def check(page: Page) -> dict[str, int]:
    return {
        "heat": heat(page),
        "load": compare(page, "groups", 2, {2: 2}),
        "blame": compare(page, "blame", 2, {2: 2}),
        "link": compare(page, "link", 2, {2: 2, 3: 3, 4: 4}),
        "waiters": waiters(page),
    }


def heat(page: Page) -> int:
    """Compares the links over time with the query of the view; returns the number of cells."""
    shown = page.value("explorer.rows('heat')")["rows"]
    answered = duckdb.execute(page.value("explorer.sql('heat')")).fetchall()
    theirs = {(row[0], row[2]): min(1, row[3] / 1000) for row in answered if row[3]}
    mine = {(row[0], row[2]): row[3] for row in shown}
    # The last window of the run is shorter.
    last = max((start for _, start in theirs), default=0)
    assert mine.keys() == theirs.keys()
    for key, value in theirs.items():
        assert mine[key] == pytest.approx(value, rel=1e-5) or key[1] == last, key
    return len(mine)


def waiters(page: Page) -> int:
    """Compares who waited at the link with the query of the view; returns the number of pairs."""
    shown = page.value("explorer.waiters()")["rows"]
    queries = duckdb.extract_statements(page.value("explorer.sql('link')"))
    answered = duckdb.execute(queries[1]).fetchall()
    jobs = [row[0] for row in page.value("explorer.rows('jobs')")["rows"]]
    assert [row[:2] for row in shown] == [[jobs[row[0]], jobs[row[1]]] for row in answered]
    for mine, theirs in zip(shown, answered, strict=True):
        assert mine[2] == pytest.approx(theirs[2], rel=1e-9)
    return len(shown)


def test_every_view_agrees_with_its_query_after_each_brush(tmp_path: Path) -> None:
    path = explored(tmp_path / "run")
    with served(path) as address, chromium() as page:
        page.size(1280, 900)
        page.open(address)
        page.until(READY)
        links = page.value("explorer.rows('place')")["rows"]
        answered = duckdb.execute(page.value("explorer.sql('place')")).fetchall()
        assert len(links) == len(answered) > 3
        for mine, theirs in zip(links, answered, strict=True):
            assert [mine[0], *mine[2:]] == pytest.approx(theirs, rel=1e-9)
        select(page, f"{{link: {links[0][0]}}}")
        page.until("explorer.waiters().rows.length > 0")
        whole = check(page)
        assert all(number > 0 for number in whole.values()), whole
        for start, end in ((0.3, 0.6), (0.15, 0.22), (0.5, 0.95)):
            select(page, "{from: null, to: null}")
            brush(page, start, end)
            state = page.value("explorer.state()")
            assert state["from"] < state["to"]
            assert "from=" in page.value("location.hash")
            check(page)
        select(page, "{jobs: [1], cls: 'local'}")
        compare(page, "groups", 2, {2: 2})
        compare(page, "blame", 2, {2: 2})
        select(page, "{jobs: [], cls: '', group: 3, router: 12}")
        shown = page.value("explorer.rows('place')")
        query = duckdb.execute(page.value("explorer.sql('place')")).fetchall()
        sums: dict[int, float] = {}
        for row in query:
            sums[row[0]] = sums.get(row[0], 0) + row[5]
        for row in shown["rows"]:
            assert row[6] == pytest.approx(sums.get(row[0], 0), rel=1e-5, abs=1e-9)
        select(page, "{group: null, router: null, matrix: 'waits', from: 2000, to: 9000}")
        page.until("explorer.rows('groups').columns.includes('wait_ns')")
        assert compare(page, "groups", 2, {2: 2}) > 3
        for state in (
            "{jobs: [1]}",
            "{jobs: [0, 1], victim: 0, aggressor: 1}",
            "{jobs: [0, 1], victim: 0, aggressor: 0, cls: 'ejection'}",
        ):
            select(page, state)
            assert compare(page, "groups", 2, {2: 2}) > 3
            waiters(page)
        # The pair chosen, the matrix shows its waiting without being asked to.
        select(page, "{matrix: '', cls: 'global', aggressor: 1}")
        assert compare(page, "groups", 2, {2: 2}) > 3
        assert "cube because of halo" in page.value("document.querySelector('#groups').innerText")
        select(page, "{victim: null, aggressor: null, jobs: [], cls: '', from: null, to: null}")
        select(page, "{measure: 'stall', group: null, router: null}")
        compare(page, "groups", 2, {2: 3})
        assert page.errors == []
        outside = [each for each in page.requests if not each.startswith((address, "data:"))]
        assert set(outside) <= {"about:blank"}


def run_queries(page: Page, view: str) -> int:
    """Runs all queries of a view in DuckDB; returns the number of rows."""
    queries = duckdb.extract_statements(page.value(f"explorer.sql({view!r})"))
    return sum(len(duckdb.execute(query).fetchall()) for query in queries)


def test_every_query_that_the_page_shows_runs(tmp_path: Path) -> None:
    views = ("time", "groups", "place", "link", "heat", "blame", "jobs")
    with served(explored(tmp_path / "run")) as address, chromium() as page:
        page.size(1280, 900)
        page.open(address)
        page.until(READY)
        link = page.value("explorer.rows('place')")["rows"][0][0]
        states = (
            f"{{link: {link}}}",
            "{group: 3, strip: 'presence'}",
            "{router: 12, strip: 'latency', jobs: [1], cls: 'local'}",
            "{from: 2000, to: 9000, strip: 'routing', beside: 1}",
        )
        for state in states:
            select(page, state)
            for view in views:
                assert run_queries(page, view) > 0, (view, state)
                shown = page.value(f"explorer.rows({view!r})")
                assert all(len(row) == len(shown["columns"]) for row in shown["rows"]), view
        assert page.errors == []


def test_a_sweep_has_a_permalink_and_a_cell_opens_its_runs(tmp_path: Path) -> None:
    axes = {"routing.algorithm": ["minimal", "ugal_g"], "seed": [1, 2]}
    pt.sweep(recorded_scenario({}), tmp_path / "sweep", axes=axes)
    with served(tmp_path / "sweep") as address, chromium() as page:
        page.size(1280, 900)
        page.open(address)
        page.until(READY)
        shown = page.value("explorer.rows('grid')")
        assert run_queries(page, "grid") == len(shown["rows"]) == 8
        page.value("explorer.set({who: 1, metric: 2, across: 0})")
        page.until("document.querySelector('#grid .say').innerText.includes('of other')")
        page.value("document.querySelector('#grid .cells').focus()")
        for key in ("ArrowDown", "ArrowDown", "Enter"):
            page.key(key)
        page.until("explorer.state().cell === 1")
        page.until("document.querySelectorAll('#grid tbody tr').length === 2")
        runs = page.value("document.querySelector('#grid tbody').innerText")
        assert "ugal_g" in runs
        assert "minimal" not in runs
        address = page.value("location.href")
        page.open("about:blank")
        page.open(address)
        page.until(READY)
        page.until("document.querySelectorAll('#grid tbody tr').length === 2")
        assert page.value("document.querySelector('#grid tbody').innerText") == runs
        page.value("document.querySelector('#grid tbody tr:last-child button').click()")
        page.until("explorer.state().run === 3")
        page.until(READY)
        assert "count all traffic as ring's" in page.value("document.body.innerText")
        # The query without link windows has the whole run as one; the tables are unpacked first.
        assert "tables.zip: unpack it first" in page.value("explorer.sql('groups')")
        for packed in (tmp_path / "sweep").glob("runs/*/*/tables.zip"):
            with zipfile.ZipFile(packed) as tables:
                tables.extractall(packed.parent)
        assert compare(page, "groups", 2, {2: 2}) > 0
        assert "-- The run has no table blame." in page.value("explorer.sql('blame')")
        assert page.errors == []


@pytest.mark.parametrize(
    ("changed", "sentence"),
    [
        ({"pantala": "0.0.1"}, "The run is of Pantala 0.0.1"),
        ({}, ""),
    ],
)
def test_a_run_of_another_version_is_said(
    tmp_path: Path, changed: dict[str, str], sentence: str
) -> None:
    path = explored(tmp_path / "run")
    file = (path / "together").resolve() / "run.json"
    document = json.loads(file.read_text(encoding="utf-8"))
    file.write_text(json.dumps(document | changed), encoding="utf-8")
    with served(path) as address, chromium() as page:
        page.open(address)
        page.until(READY)
        shown = page.value("[...document.querySelectorAll('.fault')].map(p => p.innerText)")
        assert any(text.startswith(sentence) for text in shown) == bool(sentence), shown


def test_the_report_leads_to_the_places_of_its_sentences_and_back(tmp_path: Path) -> None:
    with served(explored(tmp_path / "run")) as address, chromium() as page:
        page.size(1280, 900)
        page.open(address)
        page.until(READY)
        finding = page.value("document.querySelector('.finding').innerText.slice(0, 60)")
        page.value("document.querySelector('header.top a').click()")
        page.until("location.pathname.endsWith('/report/0') && document.readyState === 'complete'")
        assert finding[:40] in page.value("document.body.innerText").replace("\u00a0", " ")
        links = page.value("[...document.querySelectorAll('.where a')].map(a => a.hash)")
        cause = next(each for each in links if "victim=0" in each)
        page.value(f"[...document.links].find(a => a.hash === '{cause}').click()")
        page.until("!!document.getElementById('app')")
        page.until(READY)
        state = page.value("explorer.state()")
        assert (state["victim"], state["aggressor"], state["view"]) == (0, 1, "blame")
        assert (state["cls"] != "") == ("cls=" in cause)
        assert state["from"] < state["to"]
        # The sentence of the report is that of the page, which selects the same.
        page.value("explorer.set({victim: null, aggressor: null, jobs: [], cls: '', from: null})")
        page.until(READY)
        page.value("[...document.querySelectorAll('#blame .note button')][0].click()")
        page.until("explorer.state().victim === 0")
        again = page.value("explorer.state()")
        assert all(again[key] == state[key] for key in ("aggressor", "cls", "from", "to", "jobs"))
        assert page.errors == []


def test_from_the_matrix_to_a_packet_by_clicks_and_keys(tmp_path: Path) -> None:
    with served(explored(tmp_path / "run")) as address, chromium() as page:
        page.size(1280, 900)
        page.open(address)
        page.until(READY)
        page.value("document.querySelector('#groups .cells').focus()")
        for key in ("ArrowDown", "ArrowDown", "ArrowRight", "Enter"):
            page.key(key)
        page.until("explorer.state().group !== null")
        group = page.value("explorer.state().group")
        page.until("document.querySelector('#place').innerText.includes('Its global links')")
        page.value("document.querySelector('#place tbody button.link').click()")
        page.until("explorer.state().link !== null")
        page.until("document.querySelectorAll('#link tbody tr').length > 0")
        page.until(READY)
        page.until("document.querySelector('#link').innerText.includes('Packets that passed')")
        page.value(
            "[...document.querySelectorAll('#link .scroll')].at(-1)"
            ".querySelector('tbody button').click()"
        )
        page.until("explorer.state().packet !== null")
        page.until("!!document.querySelector('#link .path')")
        text = page.value("document.querySelector('#link .path').innerText")
        assert "router" in text
        link = page.value("explorer.state().link")
        # The address is a permalink: another page shows the same.
        address = page.value("location.href")
        page.open("about:blank")
        page.open(address)
        page.until(READY)
        page.until("!!document.querySelector('#link .path')")
        state = page.value("explorer.state()")
        assert (state["group"], state["link"]) == (group, link)
        for _ in range(4):
            page.key("Escape")
        page.until("explorer.state().group === null")
        page.key("m")
        page.until("explorer.state().measure === 'stall'")
        assert page.errors == []


@pytest.mark.parametrize("width", [1280, 800])
def test_hostile_names_stay_text_and_nothing_overflows(tmp_path: Path, width: int) -> None:
    with served(hostile(tmp_path / "run")) as address, chromium() as page:
        page.size(width, 900, dark=width == 800)
        page.open(address)
        page.until(READY)
        assert page.value("document.querySelectorAll('#app img').length") == 0
        assert HOSTILE in page.value("document.getElementById('app').innerText")
        assert page.value("document.documentElement.scrollWidth <= innerWidth")
        assert page.errors == []


def test_the_page_in_one_file_needs_no_server(tmp_path: Path) -> None:
    path = hostile(tmp_path / "run")
    left = write_page(subject_of(pt.load(path)), tmp_path / "page.html")
    assert left[0].startswith("of the other runs, all links but those that Links")
    assert left[-1] == "who waited at all links but 100 (24 in the other runs)"
    with chromium() as page:
        page.size(1280, 900)
        page.open((tmp_path / "page.html").as_uri())
        page.until(READY)
        links = page.value("explorer.rows('place')")["rows"]
        select(page, f"{{link: {links[0][0]}, group: 0, from: 5000, to: 12000}}")
        check(page)
        # The other runs have the waiting times at the hottest links, too.
        select(page, "{beside: 1, from: null, to: null}")
        page.until("explorer.waiters().rows.some(row => row[3] > 0)")
        assert page.value("document.querySelectorAll('#app img').length") == 0
        assert page.errors == []
        assert all(each.startswith(("file:", "data:", "about:")) for each in page.requests)


def test_a_damaged_table_leaves_the_other_views(tmp_path: Path) -> None:
    path = explored(tmp_path / "run")
    ((path / "together").resolve() / "blame.parquet").write_bytes(b"PAR1 damaged")
    with served(path) as address, chromium() as page:
        page.size(1280, 900)
        page.open(address)
        page.until(READY)
        assert "blame.parquet is damaged" in page.value("document.body.innerText")
        assert compare(page, "groups", 2, {2: 2}) > 0
