"""Values of metrics in readable units, by the unit that a metric's name ends in."""

from __future__ import annotations

import math

from pantala.experiments.statistics import Interval
from pantala.progress import of_thousands, time_text

__all__ = ["quantity", "with_interval"]


def quantity(metric: str, value: float) -> str:
    """Returns a value with its unit: ``1.234 ms``, ``0.1234``."""
    if metric.endswith("_ns"):
        return f"{'-' if value < 0 else ''}{_time(abs(value))}"
    if metric.endswith("_bytes"):
        number = of_thousands(value)
        return f"{number}B" if number[-1].isalpha() else f"{number} B"
    if metric.endswith("_gb_per_s"):
        return f"{value:.4g} GB/s"
    return f"{value:,.0f}" if value == int(value) and abs(value) >= 1000 else f"{value:.4g}"


def with_interval(metric: str, found: Interval) -> str:
    """Returns a mean, and half the width of its interval in the same unit if there is one."""
    half = (found.high - found.low) / 2
    if not math.isfinite(half) or half == 0:
        return quantity(metric, found.mean)
    if metric.endswith(("_bytes", "_gb_per_s")):
        return f"{quantity(metric, found.mean)} ± {quantity(metric, half)}"
    if not metric.endswith("_ns"):
        return f"{quantity(metric, found.mean)} ± {half:.2g}"
    number, unit = _time(found.mean).split(" ")
    scale = found.mean / float(number)
    return f"{number} ± {half / scale:.2g} {unit}"


def _time(ns: float) -> str:
    """Returns a time as reports write it: µs, where scenarios have us."""
    return time_text(ns).replace(" us", " \N{MICRO SIGN}s")
