"""No text in a CSV file is a formula of a spreadsheet, and all numbers stay."""

from __future__ import annotations

import csv
import io

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pantala.files.csv_text import csv_text

STARTS = ("=", "+", "-", "@", "\t", "\r")


@pytest.mark.parametrize("start", STARTS)
def test_formulas_become_text(start: str) -> None:
    frame = pl.DataFrame({f"{start}name": [f"{start}cmd|' /C calc'!A0", "halo"], "x": [-1.5, 2.0]})
    rows = list(csv.reader(io.StringIO(csv_text(frame), newline="")))
    assert rows == [
        [f"'{start}name", "x"],
        [f"'{start}cmd|' /C calc'!A0", "-1.5"],
        ["halo", "2.0"],
    ]


@given(st.lists(st.text(alphabet=st.characters(exclude_categories=["Cs"]), min_size=1), min_size=1))
def test_every_text_is_kept_behind_at_most_one_apostrophe(texts: list[str]) -> None:
    frame = pl.DataFrame({"text": texts, "number": list(range(len(texts)))})
    rows = list(csv.reader(io.StringIO(csv_text(frame).replace("\0", ""), newline="")))[1:]
    for (shown, _), text in zip(rows, texts, strict=True):
        if shown != text.replace("\0", ""):
            assert shown == f"'{text}".replace("\0", "")
        if text.startswith(STARTS):
            assert shown.startswith("'") or float(text) is not None


def test_numbers_in_words_stay() -> None:
    frame = pl.DataFrame({"text": ["-1.5", "+3", "-1e-3", "-x"]})
    assert csv_text(frame).splitlines() == ["text", "-1.5", "+3", "-1e-3", "'-x"]


def test_each_text_is_that_of_its_own_column() -> None:
    frame = pl.DataFrame({"a": ["=x", "y"], "b": ["u", "@v"], "n": [1, 2]})
    assert csv_text(frame).splitlines() == ["a,b,n", "'=x,u,1", "y,'@v,2"]
