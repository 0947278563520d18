"""Warm-up and confidence intervals, on series with a known truth."""

from __future__ import annotations

import numpy as np
import pytest

from pantala.analysis.steady_state import estimate, warm_up


def noise(seed: int, length: int = 400, deviation: float = 0.05) -> np.ndarray:
    return np.random.default_rng(seed).normal(0.0, deviation, length)


def test_a_ramp_is_removed() -> None:
    series = 0.3 + noise(1)
    series[:60] = np.linspace(1.0, 0.3, 60) + noise(2, 60)
    assert 40 <= warm_up(series) <= 80
    found = estimate(series)
    assert found.steady
    assert found.mean == pytest.approx(0.3, abs=0.01)


def test_a_steady_series_keeps_most_values() -> None:
    cuts = [warm_up(0.3 + noise(seed)) for seed in range(20)]
    assert np.median(cuts) <= 40


def test_a_drift_is_not_steady() -> None:
    assert not estimate(np.linspace(0.5, 0.1, 400) + noise(3)).steady
    # A drift as small as the requested precision, in a series with little noise.
    assert not estimate(np.linspace(0.3, 0.305, 400) + noise(3, deviation=0.001)).steady


def test_a_steady_series_is_found_steady() -> None:
    assert sum(estimate(0.3 + noise(seed)).steady for seed in range(400)) >= 0.95 * 400


def test_the_interval_has_its_stated_coverage() -> None:
    inside = 0
    for seed in range(400):
        found = estimate(0.3 + noise(seed))
        inside += abs(found.mean - 0.3) <= found.half_width
    assert inside >= 0.97 * 400  # the wider of two intervals, after a data-dependent cut


def test_correlation_widens_the_interval() -> None:
    independent, correlated = noise(5, 4000), noise(5, 4000)
    for i in range(1, len(correlated)):
        correlated[i] += 0.95 * correlated[i - 1]
    correlated *= independent.std() / correlated.std()
    assert estimate(0.3 + correlated).half_width > 2 * estimate(0.3 + independent).half_width


def test_a_constant_has_an_interval_of_zero_width() -> None:
    found = estimate([0.25] * 400)
    assert (found.mean, found.half_width, found.relative, found.steady) == (0.25, 0.0, 0.0, True)
    assert estimate([0.0] * 400).relative == float("inf")
