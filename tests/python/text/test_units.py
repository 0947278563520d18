"""Quantities with units: parsed exactly, refused in one line, printed in their usual form."""

from __future__ import annotations

import contextlib
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pantala.text.capacity import Capacity
from pantala.text.units import Bandwidth, Duration, Quantity, Size, TimePerByte, UnitError

QUANTITIES = (Duration, Size, Bandwidth)
PREFIXES = {"": 1, "k": 10**3, "M": 10**6, "G": 10**9, "Ki": 2**10, "Mi": 2**20, "Gi": 2**30}


@pytest.mark.parametrize(
    ("kind", "text", "value"),
    [
        (Duration, "30 ns", 30_000),
        (Duration, "5.12ns", 5_120),
        (Duration, "10 µs", 10_000_000),
        (Duration, "1e-3 ms", 1_000_000),
        (Duration, "0 ns", 0),
        (Size, "512 B", 512),
        (Size, "15 KiB", 15_360),
        (Size, "1.15 MB", 1_150_000),
        (Size, "4096 b", 512),
        (Size, "3 kilobyte", 3_000),
        (Bandwidth, "200 Gb/s", 25_000_000_000),
        (Bandwidth, "200 Gbps", 25_000_000_000),
        (Bandwidth, "25 GB/s", 25_000_000_000),
        (Bandwidth, "2 GiB/s", 2**31),
        (Bandwidth, "25 kB/us", 25_000_000_000),
    ],
)
def test_text_becomes_an_exact_integer(kind: type[Quantity], text: str, value: int) -> None:
    assert kind.parse(text) == value


@pytest.mark.parametrize(
    ("kind", "value", "says"),
    [
        (Duration, "30", "has no unit; write e.g. '30 ns'"),
        (Duration, 30, "has no unit; write e.g. '30 ns'"),
        (Size, 0.5, "has no unit; write e.g. '512 B'"),
        (Size, "30 ns", "is a time, not a size"),
        (Bandwidth, "100 GB", "is a size, not a bandwidth"),
        (Duration, Size(3), "is a size, not a time"),
        (Size, "1 KB", "ambiguous unit 'KB'; write kB (1000 bytes), KiB (1024 bytes)"),
        (Size, "0.5 B", "is 0.5 bytes, not a whole number"),
        (Duration, "0.0001 ns", "is 0.1 picoseconds, not a whole number"),
        (Duration, "1e99 s", "more picoseconds than 63 bits count"),
        (Duration, "3 parsecs", "unknown unit 'parsecs'"),
        (Duration, "soon", "is not a time"),
        (Duration, "", "is not a time"),
        (Duration, "1 + 1 ns", "unknown unit"),
        (Duration, "__import__('os')", "is not a time"),
        (Duration, None, "is not a time"),
        (Duration, True, "is not a time"),
    ],
)
def test_invalid_quantities_are_rejected(kind: type[Quantity], value: object, says: str) -> None:
    with pytest.raises(UnitError) as refused:
        kind.parse(value)
    assert says in str(refused.value)


@given(kind=st.sampled_from(QUANTITIES), value=st.integers(-(2**63) + 1, 2**63 - 1))
def test_a_quantity_equals_its_parsed_text(kind: type[Quantity], value: int) -> None:
    assert kind.parse(str(kind(value))) == value


@given(
    mantissa=st.integers(0, 10**6),
    decimals=st.integers(0, 6),
    prefix=st.sampled_from(sorted(PREFIXES)),
    unit=st.sampled_from(["B", "b"]),
    space=st.sampled_from(["", " "]),
)
def test_sizes_are_exact_or_rejected(
    mantissa: int, decimals: int, prefix: str, unit: str, space: str
) -> None:
    digits = str(mantissa).rjust(decimals + 1, "0")
    number = f"{digits[: len(digits) - decimals]}.{digits[len(digits) - decimals :]}"
    exact = (
        Fraction(mantissa, 10**decimals) * PREFIXES[prefix] * (1 if unit == "B" else Fraction(1, 8))
    )
    text = f"{number}{space}{prefix}{unit}"
    if exact.denominator == 1:
        assert Size.parse(text) == exact.numerator
    else:
        with pytest.raises(UnitError, match="whole number"):
            Size.parse(text)


@pytest.mark.slow
@given(st.text(max_size=20))
def test_any_text_is_a_time_or_rejected(text: str) -> None:
    with contextlib.suppress(UnitError):
        Duration.parse(text)


@pytest.mark.parametrize(
    ("quantity", "text"),
    [
        (Duration(0), "0 ns"),
        (Duration(5_120), "5.12 ns"),
        (Duration(-30_000), "-30 ns"),
        (Size(15_360), "15 KiB"),
        (Size(51_680), "51.68 kB"),
        (Size(1_126_000), "1.126 MB"),
        (Bandwidth(12_500_000_000), "12.5 GB/s"),
    ],
)
def test_a_quantity_prints_in_its_usual_form(quantity: Quantity, text: str) -> None:
    assert str(quantity) == text
    assert f"{quantity}" == text
    assert repr(quantity) == f"{type(quantity).__name__}('{text}')"


@pytest.mark.parametrize(
    ("text", "flits"),
    [
        ("30 packets", 120),
        ("1 packet", 4),
        ("120 flits", 120),
        ("15 KiB", 120),
        ("15360 B", 120),
        ("unlimited", 0),
    ],
)
def test_a_buffer_size_becomes_flits(text: str, flits: int) -> None:
    capacity = Capacity.parse(text)
    assert capacity.flits(512, 128) == flits
    assert Capacity.parse(str(capacity)) == capacity


def test_a_buffer_holds_only_whole_flits_and_packets() -> None:
    with pytest.raises(UnitError, match="whole number of flits of 128 B"):
        Capacity.parse("100 B").flits(512, 128)
    with pytest.raises(UnitError, match="whole number of packets of 512 B"):
        Capacity.parse("5 flits").packets(512, 128)
    with pytest.raises(UnitError, match="must not be negative"):
        Capacity.parse("-1 KiB")
    with pytest.raises(UnitError, match="'30 packets', '120 flits' or '15 KiB'"):
        Capacity.parse(30)


@pytest.mark.parametrize(
    ("kind", "short", "long"),
    [
        (Duration, "3 ns", "3 nanoseconds"),
        (Duration, "3 us", "3 μs"),
        (Size, "3 GiB", "3 gibibyte"),
        (Size, "32 kb", "32 kilobits"),
        (Bandwidth, "8 Mb/s", "1 megabyte / second"),
        (Bandwidth, "3 GBps", "3 GB/s"),
        (TimePerByte, "3 ns/B", "3 second/gigabyte"),
    ],
)
def test_long_names_are_units_too(kind: type[Quantity], short: str, long: str) -> None:
    assert kind.parse(short) == kind.parse(long)


@pytest.mark.parametrize("unit", ["/", "/s", "B/", "B/s/s", "k", "ns ", "GB s^-1", "B*s"])
def test_other_spellings_are_no_units(unit: str) -> None:
    with pytest.raises(UnitError):
        Bandwidth.parse(f"1 {unit}")
