"""Motif lines: ``[MOTIF] Name parameter=value ...`` as workloads of a scenario."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, get_args

from pydantic_core import PydanticCustomError

from pantala.errors import ScenarioError, nearest
from pantala.importers.ember.items import Item, Word
from pantala.importers.place import Place
from pantala.workloads.ember import MOTIFS, EmberMotif
from pantala.workloads.ember.refused import REFUSED

__all__ = ["NO_EFFECT", "MotifLine", "motif_of"]

#: Motifs without messages of their own. The MPI layer starts and ends every rank.
NO_EFFECT = ("Init", "Fini", "Null")
_TRUE, _FALSE = {"1", "true", "t", "yes", "y", "on"}, {"0", "false", "f", "no", "n", "off"}
_WHOLE = re.compile(r"[+-]?(?:\d{1,20}|0[xX][0-9a-fA-F]{1,16})")


@dataclass(frozen=True)
class MotifLine:
    """A motif of a job.

    Attributes:
        name: the motif's name in the load file.
        given: its parameters, as in a scenario.
        workload: the motif; None if it has no effect.
        place: the line.
    """

    name: str
    given: Mapping[str, Any]
    workload: EmberMotif | None
    place: Place

    def check(self, ranks: int) -> None:
        """Checks that the motif can run on this number of ranks.

        Raises:
            ScenarioError: it cannot.
        """
        if self.workload is None:
            return
        try:
            self.workload.check(ranks)
        except PydanticCustomError as error:
            context = error.context or {}
            key = ".".join(map(str, context.get("at", [])))
            raise self._error(key, context["message"], context["remedy"]) from None

    def _error(self, key: str, message: str, remedy: str) -> ScenarioError:
        value = getattr(self.workload, key, None) if key else None
        shown = f" {key}={value}" if value is not None else f" {key}" if key else ""
        return self.place.error(f"{self.name}{shown}: {message}", remedy)


def motif_of(item: Item) -> MotifLine:
    """Returns the motif of a line.

    Raises:
        ScenarioError: the motif or a parameter is unknown or not supported, or a value is wrong.
    """
    if not item.words:
        raise item.place.error("[MOTIF] names no motif", "write e.g. [MOTIF] PingPong iterations=4")
    first = item.words[0]
    name = _name(first)
    if name in NO_EFFECT:
        if len(item.words) > 1:
            extra = item.words[1]
            raise extra.place.error(f"{name} has no parameter {extra.text}", "remove it")
        return MotifLine(name, {}, None, first.place)
    motif = MOTIFS[name]
    given: dict[str, Any] = {}
    for word in item.words[1:]:
        key, value = _parameter(word, name, motif)
        if key in given:
            raise word.place.error(f"{name} has {key} twice", "remove one of them")
        given[key] = value
    if isinstance(given.get("graphfile"), str):
        beside = Path(item.place.file).parent / given["graphfile"]
        given["graphfile"] = str(beside) if beside.exists() else given["graphfile"]
    try:
        workload = motif(**given)
    except ScenarioError as error:
        at = next((w.place for w in item.words if w.text.startswith(f"{error.key}=")), first.place)
        value = f"={given[error.key]}" if error.key in given else ""
        remedy = error.remedy.replace(f"{error.key} = ", f"{error.key}=")
        raise at.error(f"{name} {error.key}{value}: {error.message}", remedy) from None
    return MotifLine(name, given, workload, first.place)


def _name(word: Word) -> str:
    if word.text.startswith("<"):
        message = f"{word.text}: Pantala has no generators but those of Ember's MPI motifs"
        raise word.place.error(message, "name a motif, e.g. [MOTIF] PingPong")
    library, dot, name = word.text.rpartition(".")
    if dot and library != "ember":
        message = f"{word.text}: Pantala has no motifs of the library {library}"
        raise word.place.error(message, "name a motif of Ember, e.g. PingPong")
    if name in REFUSED:
        reason, remedy = REFUSED[name]
        raise word.place.error(f"Pantala does not run the motif {name}: {reason}", remedy)
    if name.startswith("Shmem"):
        message = f"Pantala does not run the motif {name}: it uses SHMEM"
        raise word.place.error(message, "use a motif of MPI")
    if name not in MOTIFS and name not in NO_EFFECT:
        known = [*dict.fromkeys([*NO_EFFECT, *MOTIFS])]
        close = nearest(name, known)
        remedy = f"did you mean {close}?" if close else f"known motifs: {', '.join(known)}"
        raise word.place.error(f"Pantala does not know the motif {name}", remedy)
    return name


def _parameter(word: Word, name: str, motif: type[EmberMotif]) -> tuple[str, Any]:
    key, equals, text = word.text.partition("=")
    if not equals or not key or not text:
        message = f"{name}: {word.text} is not parameter=value"
        raise word.place.error(message, "write parameters without spaces, e.g. iterations=4")
    fields = {each: field for each, field in motif.model_fields.items() if each != "kind"}
    if key not in fields:
        same = [each for each in fields if each.lower() == key.lower()]
        close = same[0] if same else nearest(key, fields)
        known = f"its parameters: {', '.join(fields)}"
        remedy = f"did you mean {close}?" if close else f"remove it; {known}"
        raise word.place.error(f"{name} has no parameter {key}", remedy)
    types = _types(fields[key].annotation)
    value = _value(text, types)
    if value is None:
        kind, example = next(_KINDS[each] for each in _KINDS if each in types)
        message = f"{name} {key}={text}: is not {kind}"
        raise word.place.error(message, f"write e.g. {key}={example}")
    return key, value


_KINDS: Mapping[type, tuple[str, str]] = {
    tuple: ("a list of whole numbers", "[4,2,2]"),
    bool: ("true or false", "true"),
    float: ("a number", "1.5"),
    int: ("a whole number", "4"),
    str: ("text", "0,4-7"),
}


def _types(annotation: Any) -> set[type]:
    """Returns the simple types in an annotation: ``int``, ``bool``, ``tuple``, ..."""
    if annotation in _KINDS:
        return {annotation}
    if getattr(annotation, "__origin__", None) is tuple:
        return {tuple}
    return set().union(*(_types(each) for each in get_args(annotation)), set())


def _value(text: str, types: set[type]) -> Any:
    """Returns a parameter's value; None if it has the wrong type."""
    if tuple in types:
        inner = text[1:-1] if text.startswith("[") and text.endswith("]") else ""
        parts = [part.strip() for part in inner.split(",")]
        return [int(part, 0) for part in parts] if all(map(_WHOLE.fullmatch, parts)) else None
    if bool in types:
        lower = text.lower()
        return True if lower in _TRUE else False if lower in _FALSE else None
    if int in types and _WHOLE.fullmatch(text):
        return int(text, 16) if "x" in text.lower() else int(text)
    if float in types:
        try:
            return float(text)
        except ValueError:
            return None
    return text if str in types else None
