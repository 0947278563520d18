"""The items of a load file: a key in brackets in column 1, and words up to the next key.

A line with ``#`` in column 1 is a comment. Lines without a key continue the item above them.
``[VAR] name=value`` defines a variable for the lines below it, and ``{name}`` stands for its value.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from pantala.errors import ScenarioError, nearest
from pantala.importers.place import Errors, Place

__all__ = ["KEYS", "Item", "Word", "items_of"]

#: The keys of a load file.
KEYS = ("JOB_ID", "NID_LIST", "NUM_CORES", "PARAM", "MOTIF", "MOTIF_API", "VAR")
_KEY = re.compile(r"\[([^\]]*)\](.*)")
_NAME = re.compile(r"\{([^{}]*)\}")
#: The longest line with the values of its variables, and all lines together, in characters.
_LONGEST_LINE, _LONGEST = 1 << 20, 64 << 20
#: The most words and motifs of a load file.
_MOST_WORDS, _MOST_MOTIFS = 1 << 20, 20_000


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


def items_of(text: str, file: str, variables: Mapping[str, str], errors: Errors) -> list[Item]:
    """Returns the items of a load file in order, without variables and comments.

    Args:
        text: the file's text.
        file: its name for errors.
        variables: values by name; they replace the values of ``[VAR]`` in the file.
        errors: gets an error for each line that is not of this form, unknown key, and variable
            without a value. Such items are left out.

    Raises:
        ScenarioError: the variables make the text too long, or it has too many words or motifs.
    """
    known = dict(variables)
    used: set[str] = set()
    items: list[tuple[str, list[Word], Place]] = []
    length = words = motifs = 0
    for number, line in enumerate(text.splitlines(), 1):
        place = Place(file, number)
        if line.startswith("#") or not line.strip():
            continue
        match = _KEY.match(line)
        if match:
            # Without a key, until the line is known to be right: continued lines belong to it.
            items.append(("", [], place))
        with errors.kept():
            key = _key(match[1].strip(), place) if match else ""
            if key == "VAR" and match:
                name, value = _definition(match[2], place)
                items.pop()
                try:
                    value = _substituted(value, known, used, place)
                except ScenarioError:
                    known.setdefault(name, "")  # no further errors about its uses
                    raise
                known.setdefault(name, value)
                continue
            if not match and not items:
                message = f"text before the first key: {line.strip()}"
                raise place.error(message, "start with [JOB_ID] 0")
            if not match and (inner := _KEY.match(line.strip())) and inner[1].strip() in KEYS:
                message = f"[{inner[1].strip()}] does not start in column 1"
                raise place.error(message, "remove the white space before it")
            rest = _substituted(match[2] if match else line, known, used, place)
            length += len(rest)
            added = [Word(word, place) for word in _words(rest)]
            items[-1][1].extend(added)
            words += len(added)
            motifs += key == "MOTIF"
            if match:
                items[-1] = (key, items[-1][1], place)
        if motifs > _MOST_MOTIFS:
            message = f"the load file has more than {_MOST_MOTIFS:,} motifs"
            raise place.error(message, "give fewer motifs more iterations")
        if words > _MOST_WORDS:
            message = f"the lines up to this one have more than {_MOST_WORDS:,} words"
            raise place.error(f"{message} with the values of their variables", "shorten them")
        if length > _LONGEST:
            message = f"the lines up to this one have more than {_LONGEST:,} characters"
            raise place.error(f"{message} with the values of their variables", "shorten them")
    for name in sorted(variables.keys() - used):
        errors.found.append(
            Place(file).error(
                f"the variable {name} is not used",
                f"write {{{name}}} in the file, or remove --var",
            )
        )
    return [Item(key, tuple(words), place) for key, words, place in items if key]


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
    length = len(text)

    def value(match: re.Match[str]) -> str:
        nonlocal length
        name = match[1].strip()
        if name not in known:
            close = nearest(name, known)
            hint = f"did you mean {{{close}}}? " if close else ""
            remedy = f"{hint}define it above with [VAR] {name}=..., or give --var {name}=..."
            raise place.error(f"the variable {{{name}}} is not defined", remedy)
        used.add(name)
        length += len(known[name])
        if length > _LONGEST_LINE:
            message = f"the line has more than {_LONGEST_LINE:,} characters with its variables"
            raise place.error(message, "shorten their values")
        return known[name]

    return _NAME.sub(value, text)
