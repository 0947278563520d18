"""Values of metrics in readable units, by the unit that a metric's name ends in."""

from __future__ import annotations

import math

from pantala.analysis.statistics import Interval, Spread
from pantala.text.amounts import Medium, time_unit

__all__ = ["quantity", "with_interval", "with_spread"]

#: Terminals and pages show the same words: µs as on pages, and the space of terminals.
_SHOWN = Medium(" ", "\N{MICRO SIGN}s")


def quantity(metric: str, value: float) -> str:
    """Returns a value with its unit: ``1.23 ms``, ``0.1234``."""
    if metric.endswith("_ns"):
        return _SHOWN.duration(value)
    if metric.endswith("_bytes"):
        return _SHOWN.size(value)
    if metric.endswith("_gb_per_s"):
        return f"{value:.4g} GB/s"
    return f"{value:,.0f}" if value == int(value) and abs(value) >= 1000 else f"{value:.4g}"


def with_interval(metric: str, found: Interval) -> str:
    """Returns a mean, and half the width of its interval in the same unit if there is one."""
    return _plus_minus(metric, found.mean, (found.high - found.low) / 2)


def with_spread(metric: str, mean: float, found: Spread) -> str:
    """Returns a mean, the standard deviation in the same unit and the 95th percentile."""
    if found.deviation is None:
        return quantity(metric, mean)
    shown = _plus_minus(metric, mean, found.deviation)
    return f"{shown}, p95 {quantity(metric, found.p95)}"


def _plus_minus(metric: str, mean: float, half: float) -> str:
    """Returns a mean and a deviation from it in the same unit, if there is one."""
    if not math.isfinite(half) or half == 0:
        return quantity(metric, mean)
    if metric.endswith(("_bytes", "_gb_per_s")):
        return f"{quantity(metric, mean)} ± {quantity(metric, half)}"
    if not metric.endswith("_ns"):
        return f"{quantity(metric, mean)} ± {_two_digits(half)}"
    scale, unit = time_unit(abs(mean))
    shown = _two_digits(half / scale)
    decimals = len(shown.partition(".")[2]) if "e" not in shown else 3
    return f"{mean / scale:,.{decimals}f} ± {shown} {unit}"


def _two_digits(value: float) -> str:
    """Returns a number with two digits, without an exponent unless it is small."""
    text = f"{value:.2g}"
    return f"{float(text):.0f}" if "e+" in text else text
