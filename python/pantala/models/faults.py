"""Conversion of pydantic's errors to lines that name the key and the remedy."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from pantala.errors import Fault, ScenarioError, nearest, show
from pantala.models.key_path import dotted
from pantala.models.validation import UNKNOWN
from pantala.text.units import Size, UnitError

__all__ = ["LIST", "ONE", "scenario_error"]

#: Keys of tables that `kind` distinguishes. Pydantic puts the kind into the place of an error.
_TAGGED = frozenset({"placement"})

#: Keys that take one value, or a list or table, and what pydantic puts into the place of an error
#: for them.
_ONE_OR_LIST = frozenset({"interference", "nodes", "workload"})
ONE, LIST = "one", "list"

_Words = Callable[[Mapping[str, Any]], tuple[str, str]]

#: Pydantic does not say what the list holds.
_A_LIST = 'write e.g. [1, 2], or ["a", "b"] for names'
_A_TABLE = ("is not a table", "write its keys below a [table] heading or in { }")

#: Message and remedy per error type of pydantic, from the error's context.
_WORDS: dict[str, _Words] = {
    "too_short": lambda c: (
        ("has too few items", "add the others")
        if c["actual_length"]
        else ("is empty", "add an item, or remove the key")
    ),
    "too_few": lambda _: ("has too few items", "add the others"),
    "too_long": lambda c: (f"has more than {c['max_length']} items", "remove some"),
    "greater_than": lambda c: (f"must be more than {c['gt']:g}", "write a larger number"),
    "greater_than_equal": lambda c: (f"must be at least {c['ge']:g}", f"write {c['ge']:g} or more"),
    "less_than": lambda c: (f"must be less than {c['lt']:g}", "write a smaller number"),
    "less_than_equal": lambda c: (f"must be at most {c['le']}", f"write {c['le']} or less"),
    "int_type": lambda _: ("is not a whole number", "write e.g. 4"),
    "float_type": lambda _: ("is not a number", "write e.g. 0.5"),
    "bool_type": lambda _: ("is neither true nor false", "write true or false, without quotes"),
    "string_type": lambda _: ("is not text", "put it in quotes"),
    "list_type": lambda _: ("is not a list", _A_LIST),
    "tuple_type": lambda _: ("is not a list", _A_LIST),
    "finite_number": lambda _: ("is not a finite number", "write e.g. 0.5"),
    "string_pattern_mismatch": lambda _: (
        "is not a name",
        "begin with a letter or a digit, and use letters, digits, '.', '_' and '-' only",
    ),
    "string_too_long": lambda c: (f"is longer than {c['max_length']} characters", "shorten it"),
    "union_tag_not_found": lambda _: ("has no kind", "add kind = '...'"),
    "model_type": lambda _: _A_TABLE,
    "model_attributes_type": lambda _: _A_TABLE,
}


def scenario_error(
    error: ValidationError,
    source: str,
    data: Mapping[str, Any],
    homes: Mapping[str, str] = MappingProxyType({}),
) -> ScenarioError:
    """Returns one error with all faults of a validation; its text is a line about the first.

    Args:
        error: pydantic's error.
        source: the file, or another name for the origin of the data.
        data: the data as given, for the values in messages.
        homes: where keys belong that are wrong at the top level.
    """
    found = [_found(detail, data, homes) for detail in error.errors(include_url=False)]
    given = {each.says for each in found if each.given}
    at_fault = {each.path for each in found}
    kept = [
        each.fault
        for each in found
        # A fault also appears at keys that take the value from a preset or another table. Report
        # it only at the given key.
        if (each.given or each.says not in given)
        # A wrong table makes all its keys wrong.
        and not any(each.path[:length] in at_fault for length in range(1, len(each.path)))
    ]
    first, *others = dict.fromkeys(kept)
    return ScenarioError(source, first.key, first.value, first.message, first.remedy, others)


@dataclass(frozen=True)
class _Found:
    """A fault, its path, and whether the key was given."""

    path: tuple[str | int, ...]
    fault: Fault
    given: bool

    @property
    def says(self) -> tuple[str, ...]:
        return (self.fault.value, self.fault.message, self.fault.remedy)


def _found(detail: ErrorDetails, data: Mapping[str, Any], homes: Mapping[str, str]) -> _Found:
    context: Mapping[str, Any] = detail.get("ctx", {})
    kind, given = detail["type"], detail["input"]
    path = [*_place(detail["loc"]), *context.get("at", [])]
    if kind == "missing" and isinstance(path[-1], int):  # an item of a list of fixed length
        path.pop()
        kind = "too_few"
    if kind in {"union_tag_invalid", "union_tag_not_found"} and isinstance(
        _at(data, path), Mapping
    ):
        path.append("kind")
    message, remedy = _say(kind, context, detail["msg"], given, path)
    if message == UNKNOWN and len(path) == 1 and path[0] in homes:
        remedy = f"it belongs in {homes[path[0]]}"
    value = "" if kind == "missing" else _value(data, path, given, bool(context.get("at")))
    return _Found(tuple(path), Fault(dotted(path), value, message, remedy), _is_given(data, path))


def _say(
    kind: str, context: Mapping[str, Any], text: str, given: object, path: list[str | int]
) -> tuple[str, str]:
    if "message" in context:
        return context["message"], context["remedy"]
    if kind in {"literal_error", "union_tag_invalid"}:
        known = context["expected"] if kind == "literal_error" else context["expected_tags"]
        words = [word.strip(" '") for word in str(known).replace(" or ", ", ").split(",")]
        word = str(given if kind == "literal_error" else context["tag"])
        close = nearest(word, words)
        hint = f"did you mean '{close}'? " if close and len(words) > 1 else ""
        return "is not known", f"{hint}choose one of {', '.join(words)}"
    if kind == "missing":
        if path == ["jobs"]:
            return "has no jobs", "add a [[jobs]] table"
        if path == ["routing"]:
            return "is missing", "add routing = '...'; `pantala routings` lists them"
        if path == ["machine"]:
            return "is missing", "add machine = 'kang2022'; `pantala presets` lists machines"
        if path[0] == "machine":
            return "is missing", "add it, or take it from a preset: machine.preset = 'kang2022'"
        return "is missing", f"add {path[-1]} = ..."
    if kind in {"list_type", "tuple_type"} and isinstance(given, str):
        return "is not a list", f'write e.g. [1, 2], or ["{given}"] for names'
    if kind == "int_type" and isinstance(given, str):
        with suppress(UnitError):
            return "is not a whole number", f"write it without a unit: {int(Size.parse(given))}"
    words_of = _WORDS.get(kind)
    return words_of(context) if words_of else (text[:1].lower() + text[1:], "change it")


def _place(loc: tuple[str | int, ...]) -> list[str | int]:
    """Returns the key as written in the scenario: pydantic's place without the kinds of tables."""
    path: list[str | int] = []
    kind_next = False
    for step in loc:
        if kind_next and isinstance(step, str):
            kind_next = False
        elif not (step in (ONE, LIST) and path and path[-1] in _ONE_OR_LIST):
            path.append(step)
            kind_next = step in _TAGGED
    return path


def _at(data: Any, path: list[str | int]) -> Any:
    """Returns the value given at a path; None if nothing is there.

    A bare string on the way is the value of its table.
    """
    for step in path:
        if isinstance(data, str):
            return data
        if isinstance(data, BaseModel):
            data = getattr(data, str(step), None)
            continue
        try:
            data = data[step]
        except (KeyError, IndexError, TypeError):
            return None
    return data


def _is_given(data: Any, path: list[str | int]) -> bool:
    """Returns whether the data have the key itself; a bare string for a table does not count."""
    for step in path:
        try:
            data = data[step]
        except (KeyError, IndexError, TypeError):
            return False
    return True


def _value(data: Any, path: list[str | int], given: object, deeper: bool) -> str:
    """Returns the value of a key as text: as given, or as validated if a preset gave it."""
    value = _at(data, path) if deeper or _is_given(data, path) else given
    if value is None or isinstance(value, BaseModel) or (isinstance(value, Mapping) and value):
        return ""
    return show(value)
