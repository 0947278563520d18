"""What is known of a run is found once: a report and the sentences after it ask many times."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, Concatenate, ParamSpec, TypeVar
from weakref import WeakKeyDictionary

__all__ = ["remembered"]

P = ParamSpec("P")
R = TypeVar("R")

#: The answers of each run. They go with the run.
_ANSWERS: WeakKeyDictionary[Any, dict[Any, Any]] = WeakKeyDictionary()


def remembered(
    function: Callable[Concatenate[Any, P], R],
) -> Callable[Concatenate[Any, P], R]:
    """Makes a function of a run and of plain values answer each question once per run.

    An answer must be small, because it stays in memory as long as the run, and the caller must not
    change it. The tables of a run do not change. A run that cannot be a weak key is asked each
    time. An error is not remembered.
    """

    @wraps(function)
    def asked(run: Any, /, *args: P.args, **kwargs: P.kwargs) -> R:
        try:
            answers = _ANSWERS.setdefault(run, {})
        except TypeError:
            return function(run, *args, **kwargs)
        key = (function, args, tuple(sorted(kwargs.items())))
        if key not in answers:
            answers[key] = function(run, *args, **kwargs)
        found: R = answers[key]
        return found

    return asked
