"""The items of a load file: a key in brackets in column 1, and words up to the next key.

A line with ``#`` in column 1 is a comment. Lines without a key continue the item above them.
``[VAR] name=value`` defines a variable for the lines below it, and ``{name}`` stands for its value.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from pantala.errors import nearest
from pantala.frontends.place import Place

__all__ = ["KEYS", "Item", "Word", "items_of"]

#: The keys of a load file.
KEYS = ("JOB_ID", "NID_LIST", "NUM_CORES", "PARAM", "MOTIF", "MOTIF_API", "VAR")
_KEY = re.compile(r"\[([^\]]*)\](.*)")
_NAME = re.compile(r"\{([^{}]*)\}")


@dataclass(frozen=True)
class Word:
    """Text without white space, and its place."""

    text: str
    place: Place


@dataclass(frozen=True)
class Item:
    """A key with its words.

    Attributes:
        key: one of `KEYS`.
        words: the words after it, from all its lines.
        place: the line of the key.
    """

    key: str
    words: tuple[Word, ...]
    place: Place

    @property
    def text(self) -> str:
        """The words with single spaces between them."""
        return " ".join(word.text for word in self.words)

    def only_word(self, example: str) -> Word:
        """Returns the item's one word.

        Raises:
            ScenarioError: there is none, or more than one.
        """
        if len(self.words) != 1:
            what = f"has {len(self.words)} values" if self.words else "has no value"
            raise self.place.error(f"[{self.key}] {what}", f"write e.g. [{self.key}] {example}")
        return self.words[0]


def items_of(text: str, file: str, variables: Mapping[str, str]) -> list[Item]:
    """Returns the items of a load file in order, without variables and comments.

    Args:
        text: the file's text.
        file: its name for errors.
        variables: values by name; they replace the values of ``[VAR]`` in the file.

    Raises:
        ScenarioError: a line is not of this form, a key is unknown, or a variable has no value.
    """
    known = dict(variables)
    used: set[str] = set()
    items: list[tuple[str, list[Word], Place]] = []
    for number, line in enumerate(text.splitlines(), 1):
        place = Place(file, number)
        if line.startswith("#") or not line.strip():
            continue
        match = _KEY.match(line)
        key = _key(match[1].strip(), place) if match else ""
        if key == "VAR" and match:
            name, value = _definition(match[2], place)
            value = _substituted(value, known, used, place)
            known.setdefault(name, value)
            continue
        rest = _substituted(match[2] if match else line, known, used, place)
        if match:
            items.append((key, [], place))
        elif not items:
            raise place.error(f"text before the first key: {rest.strip()}", "start with [JOB_ID] 0")
        elif (inner := _KEY.match(line.strip())) and inner[1].strip() in KEYS:
            message = f"[{inner[1].strip()}] does not start in column 1"
            raise place.error(message, "remove the white space before it")
        items[-1][1].extend(Word(word, place) for word in _words(rest))
    if unread := sorted(variables.keys() - used):
        message = f"the variable {unread[0]} is not used"
        raise Place(file).error(message, f"write {{{unread[0]}}} in the file, or remove --var")
    return [Item(key, tuple(words), place) for key, words, place in items]


def _words(text: str) -> Iterator[str]:
    """Yields the words of a text. White space inside brackets does not separate words."""
    joined = re.sub(r"\[[^\]]*\]|\([^)]*\)", lambda m: "".join(m[0].split()), text)
    yield from joined.split()


def _key(name: str, place: Place) -> str:
    if name in KEYS:
        return name
    close = nearest(name, KEYS)
    known = ", ".join(f"[{key}]" for key in KEYS)
    remedy = f"did you mean [{close}]?" if close else f"known keys: {known}"
    raise place.error(f"[{name}] is not a key of a load file", remedy)


def _definition(text: str, place: Place) -> tuple[str, str]:
    name, equals, value = text.strip().partition("=")
    if not equals or not name.strip():
        raise place.error(f"[VAR] {text.strip()}: is not name=value", "write e.g. [VAR] NODES=64")
    return name.strip(), value.strip()


def _substituted(text: str, known: Mapping[str, str], used: set[str], place: Place) -> str:
    """Returns a text with the values of its variables, and adds their names to `used`."""

    def value(match: re.Match[str]) -> str:
        name = match[1].strip()
        if name not in known:
            close = nearest(name, known)
            hint = f"did you mean {{{close}}}? " if close else ""
            remedy = f"{hint}define it above with [VAR] {name}=..., or give --var {name}=..."
            raise place.error(f"the variable {{{name}}} is not defined", remedy)
        used.add(name)
        return known[name]

    return _NAME.sub(value, text)
