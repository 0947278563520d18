"""What no other form of a coNCePTuaL program can say, with its place in the program."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

__all__ = ["Refusal", "refusals"]

#: Comments and strings are skipped; a word is a keyword, a name, or part of a number.
_TOKEN = re.compile(
    r'#[^\n]*|"(?:\\.|[^"\\])*"|[A-Za-z_][A-Za-z0-9_]*|[0-9]+[A-Za-z0-9]*|\S', re.DOTALL
)
_TIMES = frozenset(
    f"{name}{ending}"
    for name in ("microsecond", "millisecond", "second", "minute", "hour", "day")
    for ending in ("", "s")
)
_COMPUTES = frozenset({"compute", "computes", "sleep", "sleeps"})
_TOUCHES = frozenset({"touch", "touches"})
_DRAWS = frozenset({"random_uniform", "random_gaussian", "random_poisson", "random_pareto"})
_REPETITIONS = frozenset({"repetition", "repetitions"})
#: Words that end a statement.
_ENDS = frozenset({"then", "{", "}", ".", "otherwise", "for", "let", "if"})


class Refusal(NamedTuple):
    """A statement that depends on the run.

    Attributes:
        line: its line in the program, from 1.
        column: its column, from 1.
        message: what it is and why no form can say it.
        remedy: what to do.
    """

    line: int
    column: int
    message: str
    remedy: str


def refusals(text: str) -> Iterator[Refusal]:
    """Yields the statements of a correct program that depend on the run, in its order.

    These are timed loops, and computing whose time a task draws. Random tasks are none: all tasks
    agree on them before the program runs.
    """
    tokens = [each for each in _TOKEN.finditer(text) if each[0][0] not in '#"']
    words = [each[0].lower() for each in tokens]
    for at, word in enumerate(words):
        before = words[at - 1] if at else ""
        if word == "for" and before not in _COMPUTES and _is_timed(words, at):
            yield _refusal(
                text,
                tokens[at].start(),
                "a timed loop repeats as often as fits into a time, and only a run knows that",
                "write a number of repetitions",
            )
        elif word in _COMPUTES or word in _TOUCHES:
            end = _end(words, at + 1 + (words[at + 1 : at + 2] == ["for"]))
            for place in range(at + 1, end):
                if words[place] in _DRAWS:
                    yield _refusal(
                        text,
                        tokens[place].start(),
                        f"each task draws its own number from {words[place].upper()} when it runs",
                        "write a number",
                    )


def _is_timed(words: list[str], at: int) -> bool:
    """Returns whether a loop counts time: a unit of time comes before a word for repetitions."""
    if words[at + 1 : at + 2] == ["each"]:
        return False
    for word in words[at + 1 :]:
        if word in _REPETITIONS:
            return False
        if word in _TIMES:
            return True
    return False


def _end(words: list[str], start: int) -> int:
    """Returns the end of a statement; a comma and an IF inside brackets belong to it."""
    depth = 0
    for at in range(start, len(words)):
        word = words[at]
        depth += (word == "(") - (word == ")")
        if depth <= 0 and word in _ENDS:
            return at
    return len(words)


def _refusal(text: str, offset: int, message: str, remedy: str) -> Refusal:
    line = text.count("\n", 0, offset) + 1
    column = offset - (text.rfind("\n", 0, offset) + 1) + 1
    return Refusal(line, column, message, remedy)
