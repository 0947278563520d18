"""Numbers for readers: three significant digits, a unit, a separator between thousands."""

from __future__ import annotations

from collections.abc import Iterable
from decimal import Decimal

__all__ = [
    "TIMES",
    "bandwidth",
    "count",
    "duration",
    "fixed",
    "join",
    "percent",
    "significant",
    "size",
    "span",
]

# A no-break space keeps a number and its unit on one line.
_SPACE = "\u00a0"

#: The multiplication sign after a ratio: ``2.37 x``.
TIMES = "\N{MULTIPLICATION SIGN}"
_TIMES = ((1e9, "s"), (1e6, "ms"), (1e3, "µs"), (1.0, "ns"))
_HALF_PS = 0.0005
_SIZES = ((1e12, "TB"), (1e9, "GB"), (1e6, "MB"), (1e3, "kB"), (1.0, "B"))


def significant(value: float, digits: int = 3) -> str:
    """Returns `value` with a number of significant digits, never with an exponent."""
    if value == 0:
        return "0"
    whole = len(str(int(abs(value)))) if abs(value) >= 1 else 0
    if whole:
        return f"{value:,.{max(0, digits - whole)}f}"
    text = f"{value:#.{digits}g}"
    return f"{Decimal(text):f}".rstrip("0") if "e" in text else text


def _scaled(value: float, units: Iterable[tuple[float, str]], exact: bool) -> str:
    scale, unit = next(
        ((scale, unit) for scale, unit in units if abs(value) >= scale), (1.0, [*units][-1][1])
    )
    return (
        f"{value / scale:,.6g}{_SPACE}{unit}"
        if exact
        else f"{significant(value / scale)}{_SPACE}{unit}"
    )


def duration(ns: float, *, exact: bool = False) -> str:
    """Returns a duration as text: ``1.90 ms``.

    With `exact`, for a value that was set and not measured, trailing zeros are dropped: ``1.9 ms``.
    Simulated time counts picoseconds: less than half of one is what the arithmetic left over, 0 ns.
    """
    return _scaled(ns if abs(ns) >= _HALF_PS else 0.0, _TIMES, exact)


def span(longest_ns: float) -> tuple[float, str]:
    """Returns the divisor and the name of the unit that suits a column of durations."""
    return next(((scale, unit) for scale, unit in _TIMES if longest_ns >= scale), _TIMES[-1])


def size(number: float, *, exact: bool = False) -> str:
    """Returns a size in decimal units: ``23.6 GB``; `exact` as for `duration`."""
    return _scaled(number, _SIZES, exact)


def bandwidth(bytes_per_s: float) -> str:
    """Returns a bandwidth in bytes and in bits: ``25 GB/s (200 Gb/s)``."""
    return f"{size(bytes_per_s, exact=True)}/s ({bytes_per_s * 8 / 1e9:,.6g}{_SPACE}Gb/s)"


def count(number: int) -> str:
    """Returns a whole number with a separator between thousands: ``1,056``."""
    return f"{number:,}"


def percent(share: float) -> str:
    """Returns a share in per cent: ``32 %``, or ``3.2 %`` below ten."""
    return f"{100 * share:z.{1 if abs(share) < 0.0995 else 0}f}{_SPACE}%"


def fixed(value: float, largest: float) -> str:
    """Returns a number with the decimals that give the largest number of its column four digits."""
    whole = len(str(int(abs(largest))))
    return f"{value:z,.{max(0, min(3, 4 - whole))}f}"


def join(words: list[str]) -> str:
    """Returns words joined as in a sentence: ``a, b and c``."""
    return " and ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)
