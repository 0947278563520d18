"""The verdicts of a study as a table."""

from __future__ import annotations

import math

import numpy as np

from pantala.studies.claim import Claim
from pantala.studies.claims_document import claims_frame
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
