"""The global variables of a Python program: each rank has its own, as the processes of MPI have.

All ranks run in one interpreter, so what a rank changes is kept for it and taken back for the next.
A change is found when the rank ends or waits: each variable that functions name is compared with a
copy of its first value. Not covered: class attributes, default arguments, closures, modules that a
function imports, and values that cannot be copied.
"""

from __future__ import annotations

import copy
import inspect
import sys
from array import array
from collections import Counter, OrderedDict, defaultdict, deque
from collections.abc import Callable, Iterator, Mapping
from enum import Enum
from itertools import repeat
from pathlib import Path
from types import CodeType, FunctionType, MethodType
from typing import Any

__all__ = ["OwnVariables"]

#: In place of a variable that does not exist.
_MISSING = object()
#: Types of values that change in place.
_CONTAINERS = (list, dict, set, bytearray, array, deque, defaultdict, Counter, OrderedDict)
#: Modules of installed packages are no part of the program.
_INSTALLED = ("site-packages", "dist-packages")


class OwnVariables:
    """The global variables of the ranks of a program.

    Args:
        function: the program of a rank. Its own module and those that it has imported from the same
            folder are covered.
    """

    def __init__(self, function: Callable[..., object]) -> None:
        found = list(_modules(function))
        own = {variables.get("__name__") for variables, _ in found}
        self._modules = [_Module(variables, names, own) for variables, names in found]

    def enter(self, rank: int) -> None:
        """Sets the variables of a rank, which runs next."""
        for module in self._modules:
            module.enter(rank)

    def leave(self, rank: int, *, ended: bool) -> None:
        """Keeps the variables of a rank, which waits for others or has ended."""
        for module in self._modules:
            module.leave(rank, ended=ended)


class _Module:
    """The variables of one module, of those that its functions name."""

    def __init__(self, variables: dict[str, Any], names: set[str], own: set[Any]) -> None:
        self._variables = variables
        self._first = {name: variables.get(name, _MISSING) for name in names}
        changing = {name: value for name, value in self._first.items() if _changes(value, own)}
        #: Copies of values that can change in place.
        self._copies = _copied(changing)
        self._of_ranks: dict[int, dict[str, Any]] = {}

    def enter(self, rank: int) -> None:
        self._set(self._of_ranks.pop(rank, {}))

    def leave(self, rank: int, *, ended: bool) -> None:
        changed = {}
        for name, first in self._first.items():
            now = self._variables.get(name, _MISSING)
            if now is not first or (name in self._copies and not _equal(now, self._copies[name])):
                changed[name] = now
        if not changed:
            return
        if not ended:
            self._of_ranks[rank] = changed
        # Together: two names of one object are two names of its copy.
        again = _copied({name: self._copies[name] for name in changed if name in self._copies})
        self._first |= again
        self._set({name: self._first[name] for name in changed})

    def _set(self, values: Mapping[str, Any]) -> None:
        for name, value in values.items():
            if value is _MISSING:
                self._variables.pop(name, None)
            else:
                self._variables[name] = value


def _modules(function: Callable[..., object]) -> Iterator[tuple[dict[str, Any], set[str]]]:
    """Yields the variables of the program's modules, each with the names that its code uses."""
    plain = _plain(function)
    if plain is None:
        return
    seen = [plain.__globals__]
    yield plain.__globals__, _names(plain.__globals__) | _names_of(plain.__code__)
    program = Path(plain.__code__.co_filename)
    if not program.is_file():
        return
    folder = program.resolve().parent
    for module in list(sys.modules.values()):
        file = getattr(module, "__file__", None)
        if not isinstance(file, str) or any(part in file for part in _INSTALLED):
            continue
        if Path(file).parent.resolve() == folder:
            variables = vars(module)
            if all(variables is not other for other in seen):
                seen.append(variables)
                yield variables, _names(variables)


def _plain(function: Callable[..., object]) -> FunctionType | None:
    """Returns the function of Python behind a callable."""
    inner: Any = function
    while hasattr(inner, "func"):  # functools.partial
        inner = inner.func
    inner = inspect.unwrap(inner)
    if isinstance(inner, MethodType):
        inner = inner.__func__
    if not isinstance(inner, FunctionType):
        inner = vars(type(inner)).get("__call__")
    return inner if isinstance(inner, FunctionType) else None


def _names(variables: Mapping[str, Any]) -> set[str]:
    """Returns the names that the functions and classes of a module use."""
    found: set[str] = set()
    for value in list(variables.values()):
        members = vars(value).values() if isinstance(value, type) else (value,)
        for member in members:
            inner = getattr(member, "__func__", getattr(member, "fget", member))
            if isinstance(inner, FunctionType) and inner.__globals__ is variables:
                found |= _names_of(inner.__code__)
    return found


def _names_of(code: CodeType) -> set[str]:
    found = set(code.co_names)
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            found |= _names_of(constant)
    return found


def _changes(value: object, own: set[Any]) -> bool:
    """Returns whether a value can change in place: a container, or an object of an own class."""
    kind = type(value)
    if kind in _CONTAINERS or (kind.__module__, kind.__name__) == ("numpy", "ndarray"):
        return True
    return kind.__module__ in own and not isinstance(value, Enum | type | FunctionType)


def _copied(values: Mapping[str, Any]) -> dict[str, Any]:
    """Returns copies of values, but for those that cannot be copied."""
    try:
        return copy.deepcopy(dict(values))
    except Exception:
        found = {}
        for name, value in values.items():
            try:
                found[name] = copy.deepcopy(value)
            except Exception:  # it stays one for all ranks
                continue
        return found


def _equal(one: Any, other: Any) -> bool:
    """Returns whether a value equals the copy that was made of it; if unknown, it does not."""
    try:
        if type(one) is type(other) and bool(one == other):
            return True
    except Exception:  # arrays have no truth
        pass
    try:
        return _same(one, other, set())
    except Exception:
        return False


def _same(one: Any, other: Any, seen: set[tuple[int, int]]) -> bool:
    """Returns whether two values have equal parts: also arrays, and objects without `__eq__`."""
    if one is other or (pair := (id(one), id(other))) in seen:
        return True
    kind = type(one)
    if kind is not type(other):
        return False
    seen.add(pair)  # both live as long as the comparison
    if isinstance(one, Mapping):
        return one.keys() == other.keys() and all(_same(one[key], other[key], seen) for key in one)
    if isinstance(one, list | tuple | deque):
        return len(one) == len(other) and all(map(_same, one, other, repeat(seen)))
    if (kind.__module__, kind.__name__) == ("numpy", "ndarray") and not one.dtype.hasobject:
        form = (one.dtype, one.shape)
        return form == (other.dtype, other.shape) and one.tobytes() == other.tobytes()
    if getattr(kind, "__eq__", None) is getattr(object, "__eq__", None):
        return bool(hasattr(one, "__dict__") and _same(vars(one), vars(other), seen))
    return bool(one == other)
