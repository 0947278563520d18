"""The metrics by name: each is a pure function with a unit, a source and one definition."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, TypeVar

from pantala.errors import UsageError, nearest

__all__ = ["MetricFunction", "Of", "all_functions", "function_named", "metric"]

Of = Literal["ranks", "links", "routers", "jobs", "samples"]
F = TypeVar("F", bound=Callable[..., Any])


@dataclass(frozen=True)
class MetricFunction:
    """A metric as a function of tables or numbers.

    Attributes:
        name: the name of its function.
        of: what its rows or arguments are.
        unit: the unit of its value; empty if it has none.
        source: the paper that defines it.
        compute: the function.
    """

    name: str
    of: Of
    unit: str
    source: str
    compute: Callable[..., Any]

    @property
    def text(self) -> str:
        """Its meaning in one sentence: the first paragraph of the function's docstring."""
        text = (inspect.getdoc(self.compute) or "").split("\n\n", 1)[0]
        return " ".join(text.split())

    @property
    def definition(self) -> str:
        """The whole docstring: formula, arguments, errors."""
        return inspect.getdoc(self.compute) or ""


_METRICS: dict[str, MetricFunction] = {}


def metric(*, of: Of, unit: str, source: str) -> Callable[[F], F]:
    """Enters a function into the catalogue of metrics."""

    def enter(function: F) -> F:
        name = function.__name__
        _METRICS[name] = MetricFunction(name, of, unit, source, function)
        return function

    return enter


def all_functions() -> list[MetricFunction]:
    """Returns the metrics in the order of their definition."""
    return list(_METRICS.values())


def function_named(name: str) -> MetricFunction:
    """Returns a metric.

    Raises:
        UsageError: there is no such metric.
    """
    if name in _METRICS:
        return _METRICS[name]
    close = nearest(name, _METRICS)
    hint = f"did you mean '{close}'?" if close else "`pantala metrics` lists them"
    raise UsageError(f"there is no metric '{name}'; {hint}")
