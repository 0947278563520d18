"""Intervals cover what they should, and paired differences drop what pairs share."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import pantala as pt
from pantala.errors import UsageError
from pantala.experiments.statistics import mean_interval, paired_difference
from sweeps import scenario


def test_students_interval_is_the_textbook_one() -> None:
    # Mean 3, standard error sqrt(2.5 / 5), t(0.975, 4) = 2.7764.
    found = mean_interval([1, 2, 3, 4, 5])
    half = 2.776445 * math.sqrt(0.5)
    assert (found.mean, found.count) == (3.0, 5)
    assert (found.low, found.high) == pytest.approx((3 - half, 3 + half), rel=1e-6)
    assert found.relative == pytest.approx(half / 3, rel=1e-6)


@pytest.mark.parametrize("confidence", [0.8, 0.95])
def test_students_intervals_of_normal_values_cover_the_mean(confidence: float) -> None:
    draw = np.random.default_rng(7).normal(10, 3, (4000, 6))
    found = [mean_interval(row.tolist(), confidence) for row in draw]
    covered = np.mean([each.low <= 10 <= each.high for each in found])
    assert covered == pytest.approx(
        confidence, abs=4 * math.sqrt(confidence * (1 - confidence) / 4000)
    )


def test_bootstrap_intervals_of_skewed_values_cover_the_mean() -> None:
    draw = np.random.default_rng(7).exponential(1, (150, 60))
    found = [mean_interval(row.tolist(), method="bootstrap") for row in draw]
    assert np.mean([each.low <= 1 <= each.high for each in found]) > 0.88


def test_equal_values_and_single_values() -> None:
    assert mean_interval([2.0, 2.0]).relative == 0
    one = mean_interval([2.0])
    assert (one.low, one.high) == (-math.inf, math.inf)
    assert mean_interval([1.0, 4.0], method="bootstrap") == mean_interval(
        [1.0, 4.0], method="bootstrap"
    )
    for wrong, reason in ([], "no value"), ([math.nan], "not finite"):
        with pytest.raises(UsageError, match=reason):
            mean_interval(wrong)
    with pytest.raises(UsageError, match="confidence = 95"):
        mean_interval([1.0, 2.0], 95)


@given(st.lists(st.floats(-1e6, 1e6), min_size=2, max_size=20), st.floats(-100, 100))
def test_what_pairs_share_drops_out(shared: list[float], difference: float) -> None:
    found = paired_difference(shared, [value + difference for value in shared])
    assert found.mean == pytest.approx(difference, abs=1e-6)
    assert found.high - found.low < 1e-6
    with pytest.raises(UsageError, match="are no pairs"):
        paired_difference(shared, shared[1:])


@pytest.mark.native
def test_an_experiment_has_intervals_and_differences(tmp_path: Path) -> None:
    made = pt.sweep(scenario(), tmp_path, axes={"routing.algorithm": ["minimal", "par"]}, seeds=3)
    value = "communication_time_mean_ns"
    rows = made.table("jobs").filter(pl.col("name") == "halo").collect()
    by_routing = {
        routing: rows.filter(pl.col("routing.algorithm") == routing).sort("seed")[value].to_list()
        for routing in ("minimal", "par")
    }
    intervals = made.intervals(value).filter(pl.col("name") == "halo")
    for row in intervals.iter_rows(named=True):
        expected = mean_interval(by_routing[row["routing.algorithm"]])
        assert (row["mean"], row["low"], row["high"], row["runs"]) == pytest.approx(
            (expected.mean, expected.low, expected.high, 3)
        )
    difference = made.differences(value, "routing.algorithm", "minimal")
    row = difference.row(by_predicate=pl.col("name") == "halo", named=True)
    expected = paired_difference(by_routing["minimal"], by_routing["par"])
    assert (row["routing.algorithm"], row["runs"]) == ("par", 3)
    assert (row["mean"], row["low"]) == pytest.approx((expected.mean, expected.low))
    assert row["significant"] == expected.excludes_zero
    with pytest.raises(UsageError, match="has no value 'ugal'"):
        made.differences(value, "routing.algorithm", "ugal")
    with pytest.raises(UsageError, match=r"did you mean 'routing\.algorithm'"):
        made.differences(value, "routing.algoritm", "par")
