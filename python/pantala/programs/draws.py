"""The random numbers of a Python program: they follow from the scenario's seed, job and rank."""

from __future__ import annotations

import contextlib
import hashlib
import random
import sys
from pathlib import Path
from types import TracebackType
from typing import Any

__all__ = ["Draws"]

#: In place of a rank: the loading of the program.
_LOADING = -1
# A program can replace functions of modules. These were bound before it began.
_seed, _getstate, _setstate = random.seed, random.getstate, random.setstate


class Draws:
    """The random numbers of the ranks of a job, as a context.

    Each rank begins with its own state of the modules `random` and `numpy.random`. The state of the
    caller returns at the end.

    Attributes:
        used: whether a rank has drawn a number or asked for its seed.
    """

    def __init__(self, seed: int, job: str) -> None:
        self.used = False
        self._seed, self._job = seed, job
        self._states: dict[int, Any] = {}
        self._entered: Any = None

    def __enter__(self) -> Draws:
        self._callers = _state()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        _set_state(self._callers)

    def seed_of(self, rank: int) -> int:
        """Returns the seed of a rank, from 0 to 2^63 - 1."""
        text = f"{self._seed}/{rank}/{self._job}".encode()
        return int.from_bytes(hashlib.blake2b(text, digest_size=8).digest(), "big") >> 1

    def before_loading(self, file: str) -> None:
        """Sets the state in which the file of a program is loaded, in a process of its own.

        A program that names NumPy gets it now, because an import seeds it from the machine.
        """
        with contextlib.suppress(OSError, ImportError):
            if b"numpy" in Path(file).read_bytes():
                import numpy.random  # noqa: F401
        self.enter(_LOADING)

    def after_loading(self) -> None:
        """Notes whether the program drew numbers while it was loaded."""
        self.leave(_LOADING, ended=True)

    def enter(self, rank: int) -> None:
        """Sets the state of a rank, which runs next."""
        if (state := self._states.pop(rank, None)) is not None:
            _set_state(state)
        else:
            seed = self.seed_of(rank)
            _seed(seed)
            if numpy := sys.modules.get("numpy.random"):
                numpy.seed(seed & 0xFFFF_FFFF)
        self._entered = _state()

    def leave(self, rank: int, *, ended: bool) -> None:
        """Keeps the state of a rank, which waits for others or has ended."""
        state = _state()
        self.used = self.used or not _equal(state, self._entered)
        if not ended:
            self._states[rank] = state


def _state() -> Any:
    numpy = sys.modules.get("numpy.random")
    return _getstate(), numpy.get_state(legacy=True) if numpy else None


def _set_state(state: Any) -> None:
    _setstate(state[0])
    if state[1] is not None:
        sys.modules["numpy.random"].set_state(state[1])


def _equal(one: Any, other: Any) -> bool:
    def plain(state: Any) -> Any:
        return state and (state[0], state[1].tobytes(), *state[2:])

    return bool(one[0] == other[0] and plain(one[1]) == plain(other[1]))
