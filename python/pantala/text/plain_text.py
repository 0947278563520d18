"""Text from outside, such as labels, file names and errors of programs, made safe to show."""

from __future__ import annotations

import re
import sys
from typing import TextIO

__all__ = ["plain", "say", "say_document"]

#: Control characters except tab and line feed (C0, DEL, C1), marks that change the direction of
#: text (UAX #9), the separators of lines and paragraphs, and halves of surrogate pairs, which stand
#: for bytes of a file name that are no UTF-8.
_UNSAFE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\ud800-\udfff]"
)


def plain(text: str) -> str:
    r"""Returns a text in which no character controls a terminal or the direction of other text.

    Such a character becomes its escape sequence in Python, such as ``\x1b``. So a label or the text
    of an exception can neither colour, move nor hide what Pantala prints around it.
    """
    return _UNSAFE.sub(lambda found: ascii(found[0])[1:-1], text)


def say(text: str = "", *, file: TextIO | None = None, end: str = "\n") -> None:
    """Prints a text as `plain` returns it.

    Args:
        text: the text.
        file: the output; standard output if not given.
        end: what follows the text.
    """
    print(plain(text), end=end, file=sys.stdout if file is None else file)


def say_document(text: str) -> None:
    r"""Prints JSON or TOML; an unsafe character becomes their escape sequence, as ``\u009f``."""
    print(_UNSAFE.sub(lambda found: f"\\u{ord(found[0]):04x}", text), end="")
