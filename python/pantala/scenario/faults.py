"""From pydantic's list of errors to lines that name the key and the remedy."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from pantala.errors import Fault, ScenarioError, nearest, show
from pantala.former_names import now_called
from pantala.scenario.key_path import dotted

__all__ = ["scenario_error"]

#: Keys whose value is one of several tables told apart by `kind`: pydantic puts that kind into the
#: error's place.
_TAGGED = frozenset({"placement", "workload"})

_Words = Callable[[Mapping[str, Any]], tuple[str, str]]

#: Pydantic's error types in our words: message and remedy, from the error's context.
_WORDS: dict[str, _Words] = {
    "too_short": lambda _: ("has too few items", "add the others"),
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
    "list_type": lambda _: ("is not a list", "write e.g. [1, 2]"),
    "tuple_type": lambda _: ("is not a list", "write e.g. [1, 2]"),
    "finite_number": lambda _: ("is not a finite number", "write e.g. 0.5"),
    "string_pattern_mismatch": lambda _: (
        "is not a name",
        "use letters, digits, '.', '_' and '-' only",
    ),
    "string_too_long": lambda c: (f"is longer than {c['max_length']} characters", "shorten it"),
    "union_tag_not_found": lambda _: ("has no kind", "add kind = '...'"),
    "model_type": lambda _: ("is not a table", "write its keys below a [table] heading or in { }"),
    "model_attributes_type": lambda _: (
        "is not a table",
        "write its keys below a [table] heading or in { }",
    ),
}


def scenario_error(error: ValidationError, source: str, data: Mapping[str, Any]) -> ScenarioError:
    """The faults of a validation as one error, whose text is a line about the first one.

    Args:
        error: what pydantic found.
        source: the file, or another name for where the data is from.
        data: the data as it was given, for the values to show.
    """
    found = [_found(detail, data) for detail in error.errors(include_url=False)]
    given = {each.says for each in found if each.given}
    at_fault = {each.path for each in found}
    kept = [
        each.fault
        for each in found
        # A preset, or a table laid over another, passes a fault on: only the key that was given
        # counts.
        if (each.given or each.says not in given)
        # The fault of a table makes those of its keys.
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


def _found(detail: ErrorDetails, data: Mapping[str, Any]) -> _Found:
    context: Mapping[str, Any] = detail.get("ctx", {})
    kind, given = detail["type"], detail["input"]
    path = [*_place(detail["loc"]), *context.get("at", [])]
    if kind == "missing" and isinstance(path[-1], int):  # one of a list of fixed length
        path.pop()
        kind = "too_few"
    if kind in {"union_tag_invalid", "union_tag_not_found"} and isinstance(
        _at(data, path), Mapping
    ):
        path.append("kind")
    message, remedy = _say(kind, context, detail["msg"], given, path)
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
        if now := now_called(word, words):
            return "is not known", now
        close = nearest(word, words)
        hint = f"did you mean '{close}'? " if close and len(words) > 1 else ""
        return "is not known", f"{hint}known: {', '.join(words)}"
    if kind == "missing":
        if path == ["jobs"]:
            return "has no jobs", "add a [[jobs]] table"
        if path == ["routing"]:
            return "is missing", "add routing = '...'; `pantala routings` lists them"
        if path[0] == "machine":
            return "is missing", "add it, or name a machine that has it: preset = 'kang2022'"
        return "is missing", f"add {path[-1]} = ..."
    words_of = _WORDS.get(kind)
    return words_of(context) if words_of else (text[:1].lower() + text[1:], "change it")


def _place(loc: tuple[str | int, ...]) -> list[str | int]:
    """The key as it is written in the scenario: pydantic's place without the kinds of tagged
    tables.
    """
    path: list[str | int] = []
    skip = False
    for step in loc:
        if skip and isinstance(step, str):
            skip = False
            continue
        path.append(step)
        skip = step in _TAGGED
    return path


def _at(data: Any, path: list[str | int]) -> Any:
    """What is given at a path; a text on the way stands for its table; None if nothing is there."""
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
    """Whether the data have the key itself; a text that stands for its table does not count."""
    for step in path:
        try:
            data = data[step]
        except (KeyError, IndexError, TypeError):
            return False
    return True


def _value(data: Any, path: list[str | int], given: object, deeper: bool) -> str:
    """The value of a key: as it was given, else, if a preset gave it, as it was validated."""
    value = _at(data, path) if deeper or _is_given(data, path) else given
    if value is None or isinstance(value, BaseModel) or (isinstance(value, Mapping) and value):
        return ""
    return show(value)
