"""Sizes and times that a Python program gives, and values that only the run can tell."""

from __future__ import annotations

import operator
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Any, NoReturn, TypeAlias

from pantala.text.units import Duration, Size, UnitError

__all__ = [
    "ANY",
    "DATA",
    "NULL",
    "RECEIVED",
    "WAITED",
    "Bytes",
    "RunDependentError",
    "Time",
    "Unknown",
    "blocks_of",
    "refuse",
    "size_of",
    "sizes_of",
    "time_of",
]

#: A number of bytes, or a text with a unit such as ``"64 KiB"``.
Bytes: TypeAlias = int | str
#: A time: seconds, or a text with a unit such as ``"10 us"``.
Time: TypeAlias = float | str

ANY = -1
NULL = -2

#: The bytes of the largest message, and the ps of the longest computation.
_LARGEST, _LONGEST = 1 << 48, 10**18


class RunDependentError(Exception):
    """A program asks for what only the run can tell."""


def refuse(call: str, what: str) -> NoReturn:
    """Refuses a call whose result only the run can tell.

    Raises:
        RunDependentError: always.
    """
    raise RunDependentError(
        f"{call}: only the run can tell {what}; a Python program runs before the simulation, so"
        " write a program whose calls do not depend on it"
    )


class Unknown:
    """The result of a call, which only the run can tell. Any use of it is refused."""

    __slots__ = ("_call",)

    def __init__(self, call: str) -> None:
        self._call = call

    def __repr__(self) -> str:
        return f"<the result of {self._call}, unknown before the run>"

    def _used(self, *_: object) -> NoReturn:
        refuse(self._call, "the data that arrives")

    def __getattr__(self, name: str) -> NoReturn:
        if name.startswith("__"):
            raise AttributeError(name)  # copy, inspect and notebooks ask for such names
        self._used()

    __bool__ = __len__ = __iter__ = __getitem__ = __contains__ = __call__ = _used
    __int__ = __float__ = __index__ = __neg__ = __abs__ = _used
    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = _used
    __truediv__ = __rtruediv__ = __floordiv__ = __rfloordiv__ = __mod__ = __rmod__ = _used
    __lt__ = __le__ = __gt__ = __ge__ = __eq__ = __ne__ = _used
    __hash__ = object.__hash__


DATA = {
    call: Unknown(call)
    for call in (
        *("recv", "sendrecv", "wait", "waitall", "bcast", "reduce", "allreduce", "gather"),
        *("scatter", "allgather", "alltoall", "reduce_scatter", "scan", "exscan"),
        *("gatherv", "scatterv", "allgatherv", "alltoallv", "barrier"),
    )
}
RECEIVED, WAITED = DATA["recv"], DATA["wait"]


def _read(kind: type[Size | Duration], text: str) -> int:
    """Returns a quantity with a unit, in bytes or ps."""
    try:
        return int(kind.parse(text))
    except UnitError as error:
        raise ValueError(f"{text!r} {error}") from None


@lru_cache(maxsize=4096)
def _text_size(text: str) -> int:
    return _read(Size, text)


@lru_cache(maxsize=4096)
def _text_time(text: str) -> int:
    return _read(Duration, text)


def size_of(value: Any) -> int:
    """Returns a size in bytes."""
    if isinstance(value, str):
        number = _text_size(value)
    elif isinstance(value, float) and value.is_integer():
        number = int(value)
    else:
        try:
            number = operator.index(value)
        except TypeError:
            raise ValueError(
                f"{value!r} is no size; give bytes, or a text such as '64 KiB'"
            ) from None
    if number < 0:
        raise ValueError(f"{value!r} is a negative size; give 0 or more bytes")
    if number > _LARGEST:
        raise ValueError(f"{value!r} is too large a size; a message has at most 2^48 bytes")
    return number


def time_of(value: Any) -> int:
    """Returns a time in ps."""
    if isinstance(value, str):
        number = _text_time(value)
    else:
        try:
            number = int(value) if isinstance(value, Duration) else round(float(value) * 1e12)
        except (TypeError, ValueError, OverflowError):
            raise ValueError(
                f"{value!r} is no time; give seconds, or a text such as '10 us'"
            ) from None
    if number < 0:
        raise ValueError(f"{value!r} is a negative time; give 0 or more seconds")
    if number > _LONGEST:
        raise ValueError(f"{value!r} is longer than any run; compute at most 10^18 ps (11 days)")
    return number


def _is_list(value: Any) -> bool:
    return isinstance(value, Iterable) and not isinstance(value, str)


def sizes_of(values: Sequence[Bytes]) -> list[int]:
    """Returns sizes in bytes."""
    if not _is_list(values):
        raise ValueError(f"{values!r} is no list of sizes; give a size for each rank")
    return [size_of(value) for value in values]


def blocks_of(counts: Bytes | Sequence[Bytes]) -> tuple[str, Sequence[int]]:
    """Returns the call of a reduce-scatter and its sizes: one for all ranks, or one for each."""
    if _is_list(counts):
        return "reduce_scatter", sizes_of(counts)  # type: ignore[arg-type]
    return "reduce_scatter_block", (size_of(counts),)
