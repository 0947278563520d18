"""Text from outside, such as labels, file names and errors of programs, made safe to show."""

from __future__ import annotations

import re

__all__ = ["plain"]

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
