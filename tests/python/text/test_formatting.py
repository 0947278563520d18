"""Numbers for readers, at the ends of their range."""

from __future__ import annotations

import pytest

from pantala.text.formatting import duration, fixed, percent, significant


@pytest.mark.parametrize(
    ("ns", "text"),
    [
        (-1e-9, "0 ns"),
        (1e-9, "0 ns"),
        (-0.0, "0 ns"),
        (0.001, "0.00100 ns"),
        (-5.0, "-5.00 ns"),
        (-1_900_000.0, "-1.90 ms"),
        (1_900_000.0, "1.90 ms"),
    ],
)
def test_a_duration_of_any_sign(ns: float, text: str) -> None:
    assert duration(ns).replace("\u00a0", " ") == text


def test_an_exact_duration_is_no_negative_zero() -> None:
    assert duration(-0.0, exact=True).replace("\u00a0", " ") == "0 ns"
    assert duration(-1_900_000.0, exact=True).replace("\u00a0", " ") == "-1.9 ms"


@pytest.mark.parametrize(
    ("value", "text"),
    [(-0.0, "0"), (1.5e-9, "0.0000000015"), (-1e-9, "-0.000000001"), (1e-5, "0.00001")],
)
def test_a_small_number_has_its_digits(value: float, text: str) -> None:
    assert significant(value) == text


def test_what_rounds_to_zero_has_no_sign() -> None:
    assert percent(-0.0001).replace("\u00a0", " ") == "0.0 %"
    assert fixed(-0.0001, 100.0) == "0.0"
