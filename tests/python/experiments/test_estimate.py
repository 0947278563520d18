"""The estimated cost of the missing runs of an experiment, by its finished runs."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import polars as pl
import pytest

from pantala.experiments.estimate import estimate

#: Cases: two routings x two pairs x two seeds.
POINTS = [(routing, pair, seed) for routing in (0, 1) for pair in (0, 1) for seed in (0, 1)]
PARTS = ("alone", "together")


def sweep_of(finished: dict[str, float], unknown: tuple[str, ...] = ()) -> Any:
    """Returns an experiment of 16 runs, of which some are finished, by their CPU time.

    A run is called after its case and part, as ``3 alone``; `unknown` runs have no identity yet.
    """
    rows = [(case, part, f"{case} {part}") for case in range(len(POINTS)) for part in PARTS]
    frame = pl.DataFrame(
        [(case, part, None if run in unknown else run) for case, part, run in rows],
        schema=["case", "part", "run"],
        orient="row",
    )
    entries = {
        run: {"run": run, "state": "done", "seconds": seconds, "peak_bytes": 1, "bytes": 1}
        for run, seconds in finished.items()
    }
    expansion = SimpleNamespace(without_seed=lambda case: POINTS[case][:2])
    runs = [run for _, _, run in rows if run not in unknown]
    listing = SimpleNamespace(frame=frame, expansion=expansion, runs=runs)
    missing = [run for run in runs if run not in finished]
    return SimpleNamespace(listing=listing, asked=listing, entries=entries, to_simulate=missing)


def seconds(finished: dict[str, float], unknown: tuple[str, ...] = ()) -> float:
    return estimate(cast("Any", sweep_of(finished, unknown))).seconds


def test_runs_that_differ_in_their_seed_cost_the_same() -> None:
    finished = {f"{case} {part}": 10.0**case for case in (0, 2, 4, 6) for part in PARTS}
    assert seconds(finished) == pytest.approx(2 * (1 + 100 + 1e4 + 1e6))


def test_a_run_costs_as_much_as_those_of_its_part_with_the_most_equal_values() -> None:
    finished = {"0 alone": 1.0, "0 together": 5.0, "4 alone": 100.0, "4 together": 700.0}
    # Cases 0 to 3 have the first routing, 4 to 7 the second; the pair of 2, 3, 6, 7 has no run.
    assert seconds(finished) == pytest.approx(3 * (1 + 5) + 3 * (100 + 700))


def test_the_basis_says_how_many_runs_have_no_finished_run_like_them() -> None:
    finished = {"0 alone": 1.0, "0 together": 5.0, "4 alone": 100.0, "4 together": 700.0}
    basis = estimate(cast("Any", sweep_of(finished))).basis
    # Runs of cases 1 and 5 differ from finished ones in their seed only.
    assert basis == "by the finished runs, of other cases for 8 of 12"
    like = {f"{case} {part}": 1.0 for case in (0, 2, 4, 6) for part in PARTS}
    assert estimate(cast("Any", sweep_of(like))).basis == "by the finished runs"


def test_a_run_whose_length_is_not_known_yet_counts() -> None:
    finished = {"0 alone": 1.0, "0 together": 5.0}
    assert seconds(finished, ("7 alone",)) == pytest.approx(7 * (1 + 5))


def test_a_part_without_a_finished_run_costs_as_much_as_the_others() -> None:
    assert seconds({"0 together": 5.0}) == pytest.approx(15 * 5.0)
