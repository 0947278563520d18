"""The key `interference`: the runs of an interference experiment."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import BeforeValidator, Discriminator, Field, Tag

from pantala.errors import nearest
from pantala.models.base import Model, Name, fault
from pantala.models.faults import LIST, ONE
from pantala.scenario.job_copies import with_copies

if TYPE_CHECKING:
    from pantala.scenario.job import Job

__all__ = ["MODES", "Interference", "Mode", "Targets", "has_targets", "mode_of", "targets_of"]

Mode = Literal["together", "pairs", "leave_one_out"]
#: The ways to compare jobs. ``true`` is another word for the first.
MODES: tuple[Mode, ...] = ("together", "pairs", "leave_one_out")


class Targets(Model):
    """The jobs that an interference experiment is about; all other jobs are the background.

    Each target runs alone, then all jobs run together. Jobs of the background are never alone.
    """

    targets: Annotated[tuple[Name, ...], Field(min_length=1)]
    """The jobs whose slowdown is measured, by name. A job with `count` stands for its copies."""


def mode_of(value: object) -> Mode | None:
    """Returns the mode that a value of the key chooses; None for a single run."""
    if value is True or isinstance(value, Targets | Mapping):
        return "together"
    return next((mode for mode in MODES if mode == value), None)


def has_targets(value: object) -> bool:
    """Returns whether a value of the key names targets: a table, or what a column shows of it."""
    return isinstance(value, Targets | Mapping) or (isinstance(value, str) and "targets" in value)


def targets_of(value: object, jobs: Iterable[Job]) -> list[str] | None:
    """Returns the names of the targets, copies one by one; None if all jobs are compared.

    Args:
        value: the value of the key.
        jobs: the jobs of the scenario, before copies.
    """
    return with_copies(value.targets, jobs) if isinstance(value, Targets) else None


def _checked(value: object) -> object:
    if isinstance(value, bool) or mode_of(value):
        return value
    close = nearest(value, MODES) if isinstance(value, str) else None
    hint = f"did you mean '{close}'? " if close else ""
    choices = f"true, false, {', '.join(MODES)}"
    raise fault("is not known", f"{hint}choose one of {choices}, or write {{ targets = ['JOB'] }}")


def _form(value: Any) -> str:
    return LIST if isinstance(value, Targets | Mapping) else ONE


#: A mode, ``true``, ``false`` or a table with targets.
Interference = Annotated[
    Annotated[bool | Mode, BeforeValidator(_checked, json_schema_input_type=bool | Mode), Tag(ONE)]
    | Annotated[Targets, Tag(LIST)],
    Discriminator(_form),
]
