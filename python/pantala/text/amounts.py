"""Numbers for readers: counts, times, sizes and shares with a unit, for terminals and for pages.

A measured value has three significant digits, trailing zeros included: ``1.90 ms``. A value that
was set is `exact`: it has the digits that it was given, without trailing zeros: ``1.9 ms``. Units
are decimal, and thousands are separated. A terminal and a page differ in two characters only: see
`Medium`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

__all__ = [
    "PAGE",
    "PLAIN",
    "TIMES",
    "Medium",
    "clock",
    "count",
    "counted",
    "fixed",
    "join",
    "significant",
    "size_unit",
    "time_unit",
]

#: The multiplication sign after a ratio: ``2.37 x``.
TIMES = "\N{MULTIPLICATION SIGN}"
_TIMES = ((1e9, "s"), (1e6, "ms"), (1e3, "µs"), (1.0, "ns"))
_SIZES = ((1e12, "TB"), (1e9, "GB"), (1e6, "MB"), (1e3, "kB"), (1.0, "B"))
_THOUSANDS = ((1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k"), (1.0, ""))
_HALF_PS = 0.0005


@dataclass(frozen=True)
class Medium:
    """Where numbers are shown.

    Attributes:
        space: what stands between a number and its unit.
        microseconds: the unit's name.
    """

    space: str
    microseconds: str

    def duration(self, ns: float, *, exact: bool = False) -> str:
        """Returns a simulated time: ``1.90 ms``.

        Simulated time counts picoseconds: less than half of one is what the arithmetic left over,
        0 ns.
        """
        text = self._scaled(ns if abs(ns) >= _HALF_PS else 0.0, _TIMES, exact)
        return text.replace("µs", self.microseconds)

    def size(self, number: float, *, exact: bool = False) -> str:
        """Returns a size: ``23.6 GB``. Bytes below a thousand are whole if they are: ``40 B``."""
        whole = abs(number) < 1000 and number == int(number)
        return self._scaled(number, _SIZES, exact or whole)

    def rounded(self, number: float) -> str:
        """Returns a count with three digits: ``4.12 M``; a count below a thousand is whole."""
        whole = abs(number) < 1000 and number == int(number)
        return self._scaled(number, _THOUSANDS, whole).rstrip(self.space)

    def bandwidth(self, bytes_per_s: float) -> str:
        """Returns a bandwidth in bytes and in bits: ``25 GB/s (200 Gb/s)``."""
        bits = f"{bytes_per_s * 8 / 1e9:,.6g}{self.space}Gb/s"
        return f"{self.size(bytes_per_s, exact=True)}/s ({bits})"

    def percent(self, share: float) -> str:
        """Returns a share in per cent: ``32 %``, or ``3.2 %`` below ten."""
        return f"{100 * share:z.{1 if abs(share) < 0.0995 else 0}f}{self.space}%"

    def _scaled(self, value: float, units: Sequence[tuple[float, str]], exact: bool) -> str:
        rounded = abs(value if exact else float(f"{value:.3g}"))
        scale, unit = next(((scale, unit) for scale, unit in units if rounded >= scale), units[-1])
        if exact:
            return f"{value / scale:z,.6g}{self.space}{unit}"
        return f"{significant(value / scale)}{self.space}{unit}"


#: A terminal and its messages: ``1.90 us``, as a scenario has it.
PLAIN = Medium(" ", "us")
#: A page: a no-break space keeps a number and its unit on one line.
PAGE = Medium("\u00a0", "µs")


def significant(value: float, digits: int = 3) -> str:
    """Returns `value` with a number of significant digits, never with an exponent."""
    if value == 0:
        return "0"
    whole = len(str(int(abs(value)))) if abs(value) >= 1 else 0
    if whole:
        return f"{value:,.{max(0, digits - whole)}f}"
    text = f"{value:#.{digits}g}"
    return f"{Decimal(text):f}".rstrip("0") if "e" in text else text


def fixed(value: float, largest: float) -> str:
    """Returns a number with the decimals that give the largest number of its column four digits."""
    whole = len(str(int(abs(largest))))
    return f"{value:z,.{max(0, min(3, 4 - whole))}f}"


def time_unit(longest_ns: float) -> tuple[float, str]:
    """Returns the divisor and the name of the unit that suits a column or an axis of times."""
    return next(((scale, unit) for scale, unit in _TIMES if longest_ns >= scale), _TIMES[-1])


def size_unit(most: float) -> tuple[float, str]:
    """Returns the divisor and the name of the unit that suits a number of bytes."""
    return next(((scale, unit) for scale, unit in _SIZES if most >= scale), _SIZES[-1])


def count(number: int) -> str:
    """Returns a whole number with a separator between thousands: ``1,056``."""
    return f"{number:,}"


def counted(number: int, noun: str) -> str:
    """Returns a number of things in words, such as "1 run" or "1,200 runs"."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def clock(seconds: float) -> str:
    """Returns a duration of real time: ``1.2 s``, ``3 min 4 s``, ``2 h 5 min``."""
    if seconds < 60:
        return f"{seconds:.0f} s" if seconds >= 10 else f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes} min" if hours else f"{minutes} min {rest} s"


def join(words: list[str]) -> str:
    """Returns words joined as in a sentence: ``a, b and c``."""
    return " and ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)
