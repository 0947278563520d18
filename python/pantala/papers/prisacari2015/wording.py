"""Ranges of measured values in words, pattern by pattern."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from pantala.papers.prisacari2015.evidence import Result
from pantala.papers.prisacari2015.runs import PATTERNS
from pantala.text.amounts import PAGE

__all__ = ["by_pattern", "deviations", "each_pattern", "names", "ratios", "span"]


def span(values: Iterable[float]) -> str:
    """Returns the range of shares in per cent."""
    known = sorted(values)
    low, high = PAGE.percent(known[0]), PAGE.percent(known[-1])
    return low if low == high else f"{low} to {high}"


def each_pattern(
    results: Sequence[Result], text: Callable[[Sequence[Result]], str], between: str = ", "
) -> str:
    """Returns the name of each pattern that has results, with `text` of its results after it."""
    parts = []
    for pattern, title in PATTERNS.items():
        mine = [result for result in results if result.spec.pattern == pattern]
        if mine:
            parts.append(f"{title.lower()} {text(mine)}")
    return between.join(parts)


def by_pattern(results: Sequence[Result], value: Callable[[Result], float]) -> str:
    """Returns the range of a value over sizes, for each pattern."""
    return each_pattern(results, lambda mine: span(map(value, mine)))


def deviations(results: Sequence[Result], off: Callable[[Result], float]) -> str:
    """Returns the range of a deviation over sizes, for each pattern."""
    return each_pattern(
        results, lambda mine: f"{min(map(off, mine)):+.0%} to {max(map(off, mine)):+.0%}"
    )


def names(results: Sequence[Result]) -> str:
    """Returns the sizes of the runs, for each pattern."""
    return each_pattern(
        results, lambda mine: f"at {', '.join(dict.fromkeys(str(r.spec.size) for r in mine))}", "; "
    )


def ratios(results: Sequence[Result]) -> str:
    """Returns the range of T times p over sizes, for each pattern."""

    def of_pattern(mine: Sequence[Result]) -> str:
        values = [result.accepted * result.spec.size.p for result in mine]
        low, high = f"{min(values):.2f}", f"{max(values):.2f}"
        return low if low == high else f"{low} to {high}"

    return each_pattern(results, of_pattern)
