"""The verdicts of a study as a table."""

from __future__ import annotations

import math

import numpy as np
import pytest

from pantala.studies.claim import Claim
from pantala.studies.claims_document import bounds_in_words, claims_frame, with_number
from pantala.studies.judgement import judge


def claim(name: str, **keys: object) -> Claim:
    shared = {"where": "IV", "kind": "result", "statement": "It is so.", "paper": "0.3"}
    return Claim.model_validate({"id": name, **shared, **keys})


def test_a_row_per_measure_and_one_per_claim_without() -> None:
    ruled = claim("A", holds={"x": (0, math.inf)})
    values = {"x": np.array([1.0, 2.0, 3.0]), "y": np.array([5.0, 5.0, 5.0])}
    found = [
        judge(ruled, values),
        judge(ruled, {"x": np.array([4.0])}),
        judge(claim("B", test="tests/test_x.py"), {}),
    ]
    frame = claims_frame(found)
    assert frame["claim"].to_list() == ["A", "A", "A", "B"]
    assert frame["verdict"].to_list()[2:] == ["one seed, inside", "shown by test"]
    assert frame["measure"].to_list() == ["x", "y", "x", None]
    x, y, one, test = frame.rows(named=True)
    assert (x["mean"], x["bound_low"], x["bound_high"], x["place"]) == (2.0, 0.0, None, "inside")
    assert x["low"] <= x["mean"] <= x["high"]
    assert (y["low"], y["high"], y["place"]) == (5.0, 5.0, "")
    assert (one["mean"], one["low"], one["high"]) == (4.0, None, None)
    assert (test["mean"], test["seeds"]) == (None, 0)


@pytest.mark.parametrize(
    ("verdict", "one", "two"),
    [
        ("holds", "1 holds", "2 hold"),
        ("does not hold", "1 does not hold", "2 do not hold"),
        ("holds in direction", "1 holds in direction", "2 hold in direction"),
        ("undecided", "1 undecided", "2 undecided"),
    ],
)
def test_verdicts_are_counted_in_english(verdict: str, one: str, two: str) -> None:
    assert [with_number(verdict, number) for number in (1, 2)] == [one, two]


@pytest.mark.parametrize(
    ("bounds", "words"),
    [
        ((0.0, math.inf), "more than 0"),
        ((-math.inf, 0.0), "less than 0"),
        ((0.5, math.inf), "at least 0.500"),
        ((-math.inf, 2.0), "at most 2.00"),
        ((0.0, 2.0), "0 to 2.00"),
    ],
)
def test_bounds_are_said_in_words(bounds: tuple[float, float], words: str) -> None:
    assert bounds_in_words(bounds) == words
