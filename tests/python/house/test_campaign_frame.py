"""The frame of the campaign: results come back as written, stretches go on where one stopped."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from campaign import page
from campaign.parts import names, part
from campaign.stretch import Failure, Results, Stretch

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
FAILURES = st.builds(Failure, TEXT, st.integers(0, 2**40), TEXT, st.binary(max_size=40), TEXT)
CELLS = st.dictionaries(TEXT, st.one_of(st.integers(), st.floats(allow_nan=False), TEXT))


@given(
    results=st.builds(
        Results,
        st.integers(0, 99),
        st.integers(0),
        st.dictionaries(TEXT, CELLS, max_size=3),
        st.lists(FAILURES, max_size=3),
        st.lists(CELLS, max_size=2),
    )
)
def test_results_come_back_as_written(results: Results) -> None:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "part.json"
        results.write(file)
        assert Results.read(file, results.seed) == results
        assert Results.read(file, results.seed + 1) == Results(results.seed + 1)
        assert [each.name for each in Path(folder).iterdir()] == ["part.json"]


def test_a_stretch_goes_on_after_the_last_case_that_was_over(tmp_path: Path) -> None:
    first = Stretch("p", 3, 60.0, tmp_path, tmp_path)
    tried = []
    for case in first.cases(at_once=10):
        tried.append(case)
        first.add("row", inputs=10)
        if len(tried) == 3:
            break  # the third was broken off
    second = Stretch("p", 3, 60.0, tmp_path, tmp_path)
    assert tried == [0, 10, 20]
    assert second.results.next_case == 20
    assert next(iter(second.cases(at_once=10))) == 20
    assert list(Stretch("p", 4, 60.0, tmp_path, tmp_path).cases(at_once=5, upto=12)) == [0, 5, 10]
    assert list(Stretch("p", 5, 0.0, tmp_path, tmp_path).cases()) == []


def test_a_failure_is_kept_once_and_opens_again(tmp_path: Path) -> None:
    stretch = Stretch("p", 1, 60.0, tmp_path, tmp_path)
    stretch.failure("row", 7, "breaks", b"\0\xff")
    stretch.results.failures[0].mended = "test_x"
    stretch.failure("row", 9, "breaks")
    assert stretch.results.failures == [Failure("row", 7, "breaks", b"\0\xff", "")]
    assert stretch.results.rows == {"row": {"failures": 2}}
    stretch.close("1.2")
    assert json.loads((tmp_path / "p.json").read_text())["stretches"][0]["version"] == "1.2"


def test_the_page_says_what_was_not_run(tmp_path: Path) -> None:
    text = page.text(tmp_path)
    assert text.count("Not run yet.") == len(names())
    for name in names():
        assert f"## {part(name).TITLE}\n" in text
    assert max(map(len, text.splitlines())) <= 100


def test_the_page_lists_open_failures_first(tmp_path: Path) -> None:
    name = names()[0]
    column = next(iter(part(name).COLUMNS))
    failures = [Failure("r", 1, "a", mended="test_a"), Failure("r", 2, "b")]
    Results(
        1, 9, {"r": {column: 1234567}}, failures, [{"date": "2026-01-01", "seconds": 7200}]
    ).write(tmp_path / f"{name}.json")
    text = page.text(tmp_path)
    assert "1,234,567" in text
    assert "9 cases, seed 1, 2.0 hours, 2026-01-01." in text
    assert text.index("case 2: b; **open**") < text.index("case 1: a; mended, held by test_a")


def test_a_round_goes_on_where_it_was_broken_off(tmp_path: Path) -> None:
    stretch = Stretch("p", 1, 60.0, tmp_path, tmp_path)
    items = ["a", "b", "c"]
    for case, item in stretch.round(items):
        assert (case, item) == (stretch.results.next_case, items[case])
        if item == "b":
            break
    assert list(stretch.round(items)) == [(1, "b"), (2, "c")]
    assert list(stretch.round(items)) == [(3, "a"), (4, "b"), (5, "c")]
