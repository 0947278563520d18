"""All faults of a table at once: unknown keys, faults between keys and faults of values.

Pydantic stops at the first fault that a validator raises before or after it validates the fields.
With `validated` a model reports the faults of all stages together.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, NoReturn, Protocol

from pydantic import ValidationError
from pydantic_core import ErrorDetails, InitErrorDetails, PydanticCustomError

from pantala.errors import nearest
from pantala.former_names import now_called

__all__ = ["Faults", "Reports", "fault", "refuse_all", "validated"]


def fault(message: str, remedy: str, *at: str | int) -> PydanticCustomError:
    """An error for a validator to raise.

    Args:
        message: what is wrong, to follow ``KEY = VALUE:``.
        remedy: what to do about it.
        at: the key at fault, from the model that raises down; none if it is the validated value
            itself.
    """
    return PydanticCustomError(
        "fault", "{message}; {remedy}", {"message": message, "remedy": remedy, "at": list(at)}
    )


class Faults(Exception):
    """Faults that a model's `complete` found, although the other fields are worth validating.

    Attributes:
        faults: the faults.
        data: the completed data.
        settled: keys of the model that have no further faults to report.
    """

    def __init__(
        self, faults: Iterable[PydanticCustomError], data: dict[str, Any], *settled: str
    ) -> None:
        self.faults = list(faults)
        self.data = data
        self.settled = settled


def refuse_all(faults: Iterable[PydanticCustomError]) -> None:
    """Refuses what a validator after the fields looks at, if there are faults.

    Raises:
        ValidationError: with all of them.
    """
    found = list(faults)
    if found:
        _refuse(found)


class Reports(Protocol):
    """A model that takes part: its known keys, and what it does before its fields are validated."""

    def known_keys(self) -> Mapping[str, str]:
        """The keys, as a scenario spells them, by every spelling."""

    def stated(self, data: Mapping[str, Any]) -> dict[str, Any]:
        """The data as `complete` takes it."""

    def complete(self, data: dict[str, Any]) -> dict[str, Any]:
        """The data with what a preset gives."""

    def between_keys(self, data: Mapping[str, Any]) -> Iterable[PydanticCustomError]:
        """Faults between keys, in data that need not be valid."""

    def between_fields(self, made: Any, data: Mapping[str, Any]) -> Iterable[PydanticCustomError]:
        """Faults of the validated table, given the data as they were."""


def validated(model: Reports, data: Mapping[str, Any], handler: Callable[[Any], Any]) -> Any:
    """Validates a table.

    Args:
        model: the model's class.
        data: the table, as it was given.
        handler: pydantic's validation of the fields, and the validators after it.

    Raises:
        ValidationError: with the faults of all stages.
    """
    known = model.known_keys()
    unknown = {str(key): nearest(str(key), known.values()) for key in data if key not in known}
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
    except (
        PydanticCustomError
    ) as one:  # without what it should have completed, every key would seem to be missing
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
    """A line of a validation's errors, to be raised again."""
    kind: str | PydanticCustomError = line["type"]
    context = line.get("ctx", {})
    if "message" in context:  # ours: of `fault`, or of a quantity
        kind = PydanticCustomError(line["type"], "{message}; {remedy}", context)
    return {"type": kind, "loc": line["loc"], "input": line["input"], "ctx": context}


def _unknown(key: str, meant: str | None, known: list[str]) -> PydanticCustomError:
    hint = f"did you mean '{meant}'?" if meant else f"known here: {', '.join(known)}"
    return fault("unknown key", now_called(key, known) or hint, key)
