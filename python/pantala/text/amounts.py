"""Amounts in words: counts, sizes and times with few digits, for people."""

from __future__ import annotations

__all__ = ["bytes_text", "clock", "counted", "of_thousands", "time_text"]


def counted(number: int, noun: str) -> str:
    """Returns a number of things in words, such as "1 run" or "1,200 runs"."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def of_thousands(value: float) -> str:
    """Returns a count with three digits: ``4.12 M``."""
    for scale, letter in ((1e12, " T"), (1e9, " G"), (1e6, " M"), (1e3, " k"), (1.0, "")):
        if abs(value) >= scale:
            digits = ".3g" if abs(value) < 999.5 * scale else ".0f"
            return f"{value / scale:{digits}}{letter}"
    return f"{value:.3g}"


def bytes_text(value: float) -> str:
    """Returns a size with three digits in a decimal unit: ``4.12 MB``."""
    number = of_thousands(value)
    return f"{number}B" if number[-1].isalpha() else f"{number} B"


def time_text(nanoseconds: float, digits: int = 4) -> str:
    """Returns a simulated time in a suitable unit: ``1.234 ms``."""
    for unit, scale in (("s", 1e9), ("ms", 1e6), ("us", 1e3)):
        if abs(nanoseconds) >= scale:
            return f"{nanoseconds / scale:.{digits}g} {unit}"
    return f"{nanoseconds + 0.0:.{digits}g} ns"  # -0.0 + 0.0 is 0.0


def clock(seconds: float) -> str:
    """Returns a duration of real time: ``1.2 s``, ``3 min 4 s``, ``2 h 5 min``."""
    if seconds < 60:
        return f"{seconds:.0f} s" if seconds >= 10 else f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes} min" if hours else f"{minutes} min {rest} s"
