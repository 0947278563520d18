"""Collection of all faults of a table: unknown keys, faults between keys and faults of values.

Pydantic stops at the first fault that a validator raises before or after the validation of the
fields. With `validated` a model reports the faults of all stages together.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, NoReturn, Protocol

from pydantic import ValidationError
from pydantic_core import ErrorDetails, InitErrorDetails, PydanticCustomError

from pantala.errors import nearest

__all__ = ["UNKNOWN", "Faults", "Reports", "fault", "faults_below", "refuse_all", "validated"]

#: The message of a key that a table does not have.
UNKNOWN = "unknown key"


def fault(message: str, remedy: str, *at: str | int) -> PydanticCustomError:
    """Returns an error for a validator to raise.

    Args:
        message: what is wrong; it follows ``KEY = VALUE:``.
        remedy: what to do.
        at: the path of the key at fault, from the model that raises the error; empty for the
            validated value itself.
    """
    return PydanticCustomError(
        "fault", "{message}; {remedy}", {"message": message, "remedy": remedy, "at": list(at)}
    )


@contextmanager
def faults_below(*path: str | int) -> Iterator[None]:
    """Puts a path before the keys of the faults that are raised inside.

    Args:
        path: the keys from the model that raises the fault to the one that finds it.
    """
    try:
        yield
    except PydanticCustomError as error:
        context = error.context or {}
        raise fault(context["message"], context["remedy"], *path, *context["at"]) from None


class Faults(Exception):
    """Faults that a model's `complete` found before the other fields were validated.

    Attributes:
        faults: the faults.
        data: the completed data.
        settled: keys of the model with no further faults to report.
    """

    def __init__(
        self, faults: Iterable[PydanticCustomError], data: dict[str, Any], *settled: str
    ) -> None:
        self.faults = list(faults)
        self.data = data
        self.settled = settled


def refuse_all(faults: Iterable[PydanticCustomError]) -> None:
    """Raises the faults that a validator after the fields found, if there are any.

    Raises:
        ValidationError: with all faults.
    """
    found = list(faults)
    if found:
        _refuse(found)


class Reports(Protocol):
    """A model with known keys and with steps before the validation of its fields."""

    def known_keys(self) -> Mapping[str, str]:
        """Returns each accepted spelling of a key with the scenario's own spelling."""

    def stated(self, data: Mapping[str, Any]) -> dict[str, Any]:
        """Returns the data in the form that `complete` takes."""

    def complete(self, data: dict[str, Any]) -> dict[str, Any]:
        """Returns the data with the values of a preset."""

    def between_keys(self, data: Mapping[str, Any]) -> Iterable[PydanticCustomError]:
        """Returns the faults between keys, in data that can be invalid."""

    def between_fields(self, made: Any, data: Mapping[str, Any]) -> Iterable[PydanticCustomError]:
        """Returns the faults of the validated table, given the original data."""


def validated(model: Reports, data: Mapping[str, Any], handler: Callable[[Any], Any]) -> Any:
    """Returns the validated model of a table.

    Args:
        model: the model's class.
        data: the table as given.
        handler: pydantic's validation of the fields and the validators after it.

    Raises:
        ValidationError: with the faults of all stages.
    """
    known = model.known_keys()
    unknown = {str(key): _meant(str(key), known.values()) for key in data if key not in known}
    faults = [
        _unknown(key, meant, list(dict.fromkeys(known.values()))) for key, meant in unknown.items()
    ]
    settled: tuple[str, ...] = ()
    table = model.stated({key: value for key, value in data.items() if key in known})
    try:
        table = model.complete(table)
    except Faults as several:
        faults += several.faults
        table, settled = several.data, several.settled
    except PydanticCustomError as one:
        # Without the preset's values, every key would be reported as missing.
        _refuse([*faults, one])
    between = list(model.between_keys(table))
    try:
        made = handler(table)
    except ValidationError as error:
        if not faults and not between:
            raise
        misspelled = {(meant,) for meant in unknown.values()}
        lines = [
            _details(line)
            for line in error.errors(include_url=False)
            if line["loc"][:1] not in {(key,) for key in settled}
            and not (line["type"] == "missing" and line["loc"] in misspelled)
        ]
        _refuse(faults, lines, between)
    after = list(model.between_fields(made, data))
    if faults or between or after:
        _refuse(faults, [], [*between, *after])
    return made


def _refuse(
    before: Iterable[PydanticCustomError],
    fields: Iterable[InitErrorDetails] = (),
    after: Iterable[PydanticCustomError] = (),
) -> NoReturn:
    def lines(faults: Iterable[PydanticCustomError]) -> list[InitErrorDetails]:
        return [{"type": each, "loc": (), "input": None} for each in faults]

    raise ValidationError.from_exception_data("scenario", [*lines(before), *fields, *lines(after)])


def _details(line: ErrorDetails) -> InitErrorDetails:
    """Returns a line of a validation error in the form that can be raised again."""
    kind: str | PydanticCustomError = line["type"]
    context = line.get("ctx", {})
    if "message" in context:  # an error from `fault` or from a quantity
        kind = PydanticCustomError(line["type"], "{message}; {remedy}", context)
    return {"type": kind, "loc": line["loc"], "input": line["input"], "ctx": context}


def _meant(key: str, known: Collection[str]) -> str | None:
    """Returns the known key that is meant by another one, if that is clear."""
    named = {"file": "path", "path": "file"}.get(key)
    return named if named in known else nearest(key, known)


def _unknown(key: str, meant: str | None, known: list[str]) -> PydanticCustomError:
    hint = f"did you mean '{meant}'?" if meant else f"known here: {', '.join(known)}"
    return fault(UNKNOWN, hint, key)
