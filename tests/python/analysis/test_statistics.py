"""Intervals cover what they should, and paired differences drop what pairs share."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import pantala as pt
from pantala.analysis.statistics import (
    Method,
    Precision,
    batches,
    marked,
    mean_interval,
    paired_difference,
)
from pantala.errors import UsageError
from pantala.experiments.description import describe
from pantala.experiments.runner import Sweep
from support import Ended
from sweeps import SCENARIO, scenario


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


@pytest.mark.parametrize("method", ["student", "bootstrap"])
def test_values_that_are_equal_up_to_rounding_have_an_interval_of_width_zero(
    method: Method,
) -> None:
    found = mean_interval([0.3, 0.1 + 0.2] * 25, method=method)
    assert found.low == found.high == found.mean == pytest.approx(0.3)


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


def stopped(row: np.ndarray, precision: float) -> tuple[int, bool]:
    """Returns the number of values at which a sweep stops, and whether its interval covers 1."""
    for count in batches(len(row)):
        found = mean_interval(row[:count].tolist())
        if found.relative <= precision:
            break
    return count, found.low <= 1 <= found.high


@pytest.mark.parametrize("spread", [0.02, 0.05])
def test_intervals_of_stopped_sweeps_still_cover_the_mean(spread: float) -> None:
    draw = np.random.default_rng(7).normal(1, spread, (800, 60))
    counts, covered = zip(*(stopped(row, 0.02) for row in draw), strict=True)
    assert np.mean(covered) > 0.95 - 0.012 - 3 * math.sqrt(0.05 * 0.95 / 800)
    assert min(counts) >= 10
    assert np.mean(counts) < 40  # (1.96 * 0.05 / 0.02)^2 = 24, and a little more


def test_batches_end_with_all_seeds() -> None:
    assert list(batches(3)) == [3]
    assert list(batches(10)) == [10]
    assert list(batches(22)) == [10, 15, 20, 22]


@given(st.lists(st.floats(-1e6, 1e6), max_size=30))
def test_marks_remove_nothing(values: list[float]) -> None:
    scores, beyond = marked(values)
    assert len(scores) == len(beyond) == len(values)
    assert all((abs(score) > 3) == mark for score, mark in zip(scores, beyond, strict=True))
    if len(values) <= 10:
        assert not any(beyond)


@pytest.mark.parametrize(("text", "share"), [("2%", 0.02), ("0.5 %", 0.005), (0.1, 0.1)])
def test_precisions(text: str | float, share: float) -> None:
    assert Precision.parse(text).relative == pytest.approx(share)


@pytest.mark.parametrize("text", ["2", "0", "-1%", "100%", "wide", "nan"])
def test_wrong_precisions(text: str) -> None:
    with pytest.raises(UsageError, match=r"is not between 0 and 1; write e\.g\. 2%"):
        Precision.parse(text)


def test_wrong_quantities_of_a_precision() -> None:
    with pytest.raises(UsageError, match="did you mean 'packet_latency_p99_ns'"):
        Precision.parse(0.1, "packet_latency_p99")
    with pytest.raises(UsageError, match="'name': the table jobs has no such number"):
        Precision.parse(0.1, "name")


@pytest.mark.native
@pytest.mark.parametrize("workers", [1, 2])
def test_a_sweep_stops_at_its_precision(tmp_path: Path, workers: int) -> None:
    axes = {"jobs.noise.placement": ["random", "contiguous"]}
    value = "communication_time_mean_ns"
    every = pt.sweep(scenario(), tmp_path / "all", axes=axes, seeds=22, workers=1)
    rows = every.table("jobs").collect()
    widest = {
        count: every_interval(rows.filter(pl.col("seed") <= count), value) for count in batches(22)
    }
    precision = (widest[10] + widest[15]) / 2 if widest[15] < widest[10] else widest[10] * 1.01
    expected = next(count for count in batches(22) if widest[count] <= precision)
    made = pt.sweep(
        scenario(),
        tmp_path / "precise",
        axes=axes,
        seeds=22,
        workers=workers,
        precision=precision,
    )
    assert made.cases["seed"].max() == expected
    assert (
        made.table("jobs")
        .collect()
        .equals(
            rows.filter(pl.col("seed") <= expected).with_columns(
                case=(pl.col("case").rank("dense") - 1).cast(pl.UInt32)
            )
        )
    )
    assert made.intervals(value)["relative"].max() <= precision
    # The same sweep again simulates nothing and is not a changed one.
    description = describe(scenario(), axes=axes, seeds=22, precision=Precision.parse(precision))
    again = Sweep(description, tmp_path / "precise")
    assert again.listing.changed == ""
    assert again.run(workers=1).done == 0
    assert again.description.seeds == expected


def every_interval(rows: pl.DataFrame, value: str) -> float:
    """Returns the relative half width of the widest interval."""
    groups = rows.group_by("jobs.noise.placement", "name").agg(value)[value].to_list()
    return max(mean_interval(values).relative for values in groups)


@pytest.mark.native
def test_the_command_says_where_it_stopped(tmp_path: Path, cli: Callable[..., Ended]) -> None:
    file = tmp_path / "tiny.toml"
    file.write_text(SCENARIO)
    options = ("--seeds", "12", "--workers", "1", "--out", tmp_path / "out")
    ended = cli("sweep", file, "--precision", "90%", *options)
    assert ended.status == 0, ended.err
    assert "10 seeds, then up to 12, until the interval of every communication_time" in ended.out
    assert "10 of 12 seeds: the interval of every" in ended.out
    experiment = tmp_path / "experiment.toml"
    experiment.write_text("scenario = 'tiny.toml'\nprecision = '80%'\n")
    ended = cli("sweep", experiment, *options)
    assert "10 of 12 seeds: the interval of every" in ended.out
    ended = cli("sweep", file, "--precision", "0.0001%", *options)
    assert "12 of 12 seeds: not reached that the interval of every" in ended.out
    assert pt.Experiment(tmp_path / "out").document["precision"]["relative"] == pytest.approx(1e-6)
    ended = cli("sweep", file, "--precision", "2%", "--out", tmp_path / "out")
    assert ended.status == 2
    assert "needs seeds; give their largest number" in ended.err
    ended = cli("sweep", file, "--precision-of", "packets", *options)
    assert ended.status == 2
    assert "needs a precision" in ended.err


def test_an_experiment_file_has_a_precision() -> None:
    tables = {"scenario": scenario(), "seeds": 20, "precision": "5%", "precision_of": "packets"}
    assert describe(tables).precision == Precision(0.05, "packets")
    given = describe(tables, precision=Precision(0.1)).precision
    assert given == Precision(0.1)
    for wrong, said in (
        ({"precision": 3.0}, "precision = 3.0: is not between 0 and 1"),
        ({"precision": [1]}, "are not a share and a column"),
        ({"precision_of": "packet"}, "did you mean 'packets'"),
        ({"seeds": 1}, "needs seeds"),
    ):
        with pytest.raises(UsageError, match=said):
            describe({**tables, **wrong}, source="file.toml")


@pytest.mark.native
def test_a_precision_of_what_no_job_has(tmp_path: Path) -> None:
    endless = scenario().replace(
        {
            f"jobs.{number}.workload": {"kind": "pattern", "pattern": "uniform", "load": 0.1}
            for number in (0, 1)
        }
        | {"stop.duration": "2 us"}
    )
    with pytest.raises(UsageError, match=r"communication_time_mean_ns: no job has one; name"):
        pt.sweep(endless, tmp_path, seeds=2, workers=1, precision="2%")
    made = pt.sweep(endless, tmp_path, seeds=2, workers=1, precision="90%", precision_of="packets")
    assert made.cases.height == 2


@pytest.mark.native
def test_outliers_are_marked_and_kept(tmp_path: Path) -> None:
    made = pt.sweep(scenario(), tmp_path, seeds=12, workers=1)
    value = "communication_time_mean_ns"
    rows = made.outliers(value)
    assert rows.height == 24
    assert rows.columns == ["seed", "part", "name", value, "z_score", "outlier", "run"]
    halo = rows.filter(name="halo")
    scores, beyond = marked(halo[value].to_list())
    assert (halo["z_score"].to_list(), halo["outlier"].to_list()) == (scores, beyond)
    counted = made.intervals(value).filter(name="halo")["outliers"][0]
    assert counted == sum(beyond)
