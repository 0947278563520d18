"""Numbers as a reader wants them: three digits, a unit, thousands apart."""

from __future__ import annotations

from collections.abc import Iterable

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

# A number and its unit stay on one line.
_SPACE = "\u00a0"

#: Said of a ratio: ``2.37 x``.
TIMES = "\N{MULTIPLICATION SIGN}"
_TIMES = ((1e9, "s"), (1e6, "ms"), (1e3, "µs"), (1.0, "ns"))
_SIZES = ((1e12, "TB"), (1e9, "GB"), (1e6, "MB"), (1e3, "kB"), (1.0, "B"))


def significant(value: float, digits: int = 3) -> str:
    """Write `value` with so many significant digits, never in powers of ten."""
    if value == 0:
        return "0"
    whole = len(str(int(abs(value)))) if abs(value) >= 1 else 0
    if whole:
        return f"{value:,.{max(0, digits - whole)}f}"
    text = f"{value:#.{digits}g}"
    return f"{float(text):f}".rstrip("0") if "e" in text else text


def _scaled(value: float, units: Iterable[tuple[float, str]], exact: bool) -> str:
    scale, unit = next(
        ((scale, unit) for scale, unit in units if value >= scale), (1.0, [*units][-1][1])
    )
    return (
        f"{value / scale:,.6g}{_SPACE}{unit}"
        if exact
        else f"{significant(value / scale)}{_SPACE}{unit}"
    )


def duration(ns: float, *, exact: bool = False) -> str:
    """Write a duration: ``1.90 ms``; `exact`, for what was set and not measured, drops idle zeros:
    ``1.9 ms``.
    """
    return _scaled(ns, _TIMES, exact)


def span(longest_ns: float) -> tuple[float, str]:
    """Return the divisor and the name of the unit in which a column of durations reads best."""
    return next(((scale, unit) for scale, unit in _TIMES if longest_ns >= scale), _TIMES[-1])


def size(number: float, *, exact: bool = False) -> str:
    """Write a size in decimal units: ``23.6 GB``; `exact` as for `duration`."""
    return _scaled(number, _SIZES, exact)


def bandwidth(bytes_per_s: float) -> str:
    """Write a bandwidth both ways in which the field does: ``25 GB/s (200 Gb/s)``."""
    return f"{size(bytes_per_s, exact=True)}/s ({bytes_per_s * 8 / 1e9:,.6g}{_SPACE}Gb/s)"


def count(number: int) -> str:
    """Write a whole number with thousands apart: ``1,056``."""
    return f"{number:,}"


def percent(share: float) -> str:
    """Write a share: ``32 %``, or ``3.2 %`` below ten."""
    return f"{100 * share:.{1 if abs(share) < 0.0995 else 0}f}{_SPACE}%"


def fixed(value: float, largest: float) -> str:
    """Write a number of a column with the decimals that give the column's largest number four
    digits.
    """
    whole = len(str(int(abs(largest))))
    return f"{value:,.{max(0, min(3, 4 - whole))}f}"


def join(words: list[str]) -> str:
    """Join words as a sentence does: ``a, b and c``."""
    return " and ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)
