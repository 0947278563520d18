"""Numbers for readers: the rule of digits and units, in terminals and on pages."""

from __future__ import annotations

import pytest

from pantala.text.amounts import PAGE, PLAIN, fixed, significant, size_unit, time_unit


@pytest.mark.parametrize(
    ("ns", "text"),
    [
        (0.0, "0 ns"),
        (-1e-9, "0 ns"),
        (1e-9, "0 ns"),
        (-0.0, "0 ns"),
        (0.001, "0.00100 ns"),
        (-5.0, "-5.00 ns"),
        (490.72, "491 ns"),
        (999.7, "1.00 us"),
        (1234.5, "1.23 us"),
        (-1_900_000.0, "-1.90 ms"),
        (1_900_000.0, "1.90 ms"),
        (1.2e12, "1,200 s"),
    ],
)
def test_a_measured_time_has_three_digits(ns: float, text: str) -> None:
    """Trailing zeros are digits; a value that rounds to the next unit is given in it."""
    assert PLAIN.duration(ns) == text


def test_a_time_that_was_set_has_the_digits_that_it_was_given() -> None:
    """It has no trailing zeros."""
    assert PLAIN.duration(-0.0, exact=True) == "0 ns"
    assert PLAIN.duration(-1_900_000.0, exact=True) == "-1.9 ms"
    assert PLAIN.duration(123_456.0, exact=True) == "123.456 us"


@pytest.mark.parametrize(
    ("number", "size", "rounded"),
    [
        (0, "0 B", "0"),
        (40, "40 B", "40"),
        (0.5, "0.500 B", "0.500"),
        (999, "999 B", "999"),
        (999.6, "1.00 kB", "1.00 k"),
        (1000, "1.00 kB", "1.00 k"),
        (999_600, "1.00 MB", "1.00 M"),
        (4_123_000, "4.12 MB", "4.12 M"),
    ],
)
def test_sizes_and_counts_follow_the_same_rule(number: float, size: str, rounded: str) -> None:
    """Whole bytes and whole counts below a thousand have no decimals."""
    assert PLAIN.size(number) == size
    assert PLAIN.rounded(number) == rounded


def test_a_page_differs_in_two_characters_only() -> None:
    """A page has a no-break space and the micro sign."""
    for plain, page in (
        (PLAIN.duration(1900.0), PAGE.duration(1900.0)),
        (PLAIN.size(23.6e9), PAGE.size(23.6e9)),
        (PLAIN.percent(0.032), PAGE.percent(0.032)),
        (PLAIN.bandwidth(25e9), PAGE.bandwidth(25e9)),
    ):
        assert page.replace("\u00a0", " ").replace("\N{MICRO SIGN}s", "us") == plain
        assert " " not in page.replace(" (", "")


@pytest.mark.parametrize(
    ("value", "text"),
    [(-0.0, "0"), (1.5e-9, "0.0000000015"), (-1e-9, "-0.000000001"), (1e-5, "0.00001")],
)
def test_a_small_number_has_its_digits(value: float, text: str) -> None:
    """No number has an exponent."""
    assert significant(value) == text


def test_what_rounds_to_zero_has_no_sign() -> None:
    """A share or a number of a column is never "-0"."""
    assert PLAIN.percent(-0.0001) == "0.0 %"
    assert fixed(-0.0001, 100.0) == "0.0"


def test_a_column_has_one_unit() -> None:
    """The largest value chooses it."""
    assert time_unit(2500.0) == (1e3, "\N{MICRO SIGN}s")
    assert size_unit(10.0) == (1.0, "B")
