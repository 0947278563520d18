"""Loops in a sequence of operations, so that repeated operations are written once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TypeAlias

__all__ = ["Loop", "Tree", "folded", "unrolled"]

#: A number of times, and the body that repeats.
Loop: TypeAlias = "tuple[int, Tree]"
#: Symbols (numbers from 0) and loops.
Tree: TypeAlias = "tuple[int | Loop, ...]"

#: Loops inside each other; Python allows twenty blocks.
_DEEPEST = 8
#: Earlier places of a symbol, and earlier loops, that a fold is tried at.
_TRIED = 4


def folded(nodes: Iterable[int | Loop]) -> Tree:
    """Returns a sequence with its repetitions as loops; unrolled, it is the sequence again.

    A repetition is folded as soon as its second copy is complete, so short bodies come first.
    """
    folder = _Folder()
    for node in _spliced(nodes):
        folder.push(folder.number(node))
        while folder.fold():
            pass
    return folder.tree(folder.out)


def _spliced(nodes: Iterable[int | Loop]) -> Iterator[int | Loop]:
    """Yields the body of a loop that runs once in place of the loop; nothing of one that never."""
    for node in nodes:
        if isinstance(node, tuple) and node[0] < 2:
            yield from _spliced(node[1] * node[0])
        else:
            yield node


def unrolled(tree: Tree) -> Iterator[int]:
    """Yields the symbols of a tree in order, with every repetition."""
    for node in tree:
        if isinstance(node, tuple):
            count, body = node
            for _ in range(count):
                yield from unrolled(body)
        else:
            yield node


class _Folder:
    """The sequence so far. A loop is a negative number, the same for equal loops."""

    def __init__(self) -> None:
        self.out: list[int] = []
        self._places: dict[int, list[int]] = {}
        self._loop_places: list[int] = []
        self._loops: list[tuple[int, tuple[int, ...], int]] = []
        self._numbers: dict[tuple[int, tuple[int, ...]], int] = {}

    def push(self, node: int) -> None:
        self._places.setdefault(node, []).append(len(self.out))
        if node < 0:
            self._loop_places.append(len(self.out))
        self.out.append(node)

    def number(self, node: int | Loop) -> int:
        """Returns a symbol itself, or the number of a loop."""
        if not isinstance(node, tuple):
            return node
        count, body = node
        return self._loop(count, tuple(self.number(each) for each in body))

    def fold(self) -> bool:
        """Folds the end if it repeats what stands before it; returns whether it does."""
        out = self.out
        if len(out) > 1 and out[-1] < 0 and out[-2] < 0:
            (one, body, _), (more, other, _) = (self._loops[-1 - each] for each in out[-2:])
            if body == other:
                self._replace(len(out) - 2, one + more, body)
                return True
        for place in self._loop_places[-_TRIED:][::-1]:
            count, body, _ = self._loops[-1 - out[place]]
            if len(out) - place - 1 == len(body) and tuple(out[place + 1 :]) == body:
                self._replace(place, count + 1, body)
                return True
        last = len(out) - 1
        for place in self._places[out[-1]][-2 : -2 - _TRIED : -1]:
            period = last - place
            start = len(out) - 2 * period
            if start < 0:
                return False
            if out[start : start + period] == out[start + period :]:
                body = tuple(out[start + period :])
                if self._depth(body) < _DEEPEST:
                    self._replace(start, 2, body)
                    return True
        return False

    def tree(self, nodes: Iterable[int]) -> Tree:
        """Returns nodes with loops in place of their numbers."""
        found: list[int | Loop] = []
        for node in nodes:
            if node < 0:
                count, body, _ = self._loops[-1 - node]
                found.append((count, self.tree(body)))
            else:
                found.append(node)
        return tuple(found)

    def _depth(self, body: tuple[int, ...]) -> int:
        return max((self._loops[-1 - node][2] for node in body if node < 0), default=0)

    def _replace(self, start: int, count: int, body: tuple[int, ...]) -> None:
        """Puts a loop in place of the end."""
        while len(self.out) > start:
            node = self.out.pop()
            self._places[node].pop()
            if node < 0:
                self._loop_places.pop()
        self.push(self._loop(count, body))

    def _loop(self, count: int, body: tuple[int, ...]) -> int:
        """Returns the number of a loop."""
        number = self._numbers.setdefault((count, body), -1 - len(self._loops))
        if number == -1 - len(self._loops):
            self._loops.append((count, body, 1 + self._depth(body)))
        return number
