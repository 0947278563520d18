"""The key `interference`: the runs of an interference experiment."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import BeforeValidator, Discriminator, Field, Tag

from pantala.catalogue.interference_modes import MODES, Mode, mode_of, names_targets
from pantala.errors import nearest
from pantala.models.base import Model, Name, fault
from pantala.models.faults import LIST, ONE
from pantala.scenario.job_copies import with_copies

if TYPE_CHECKING:
    from pantala.scenario.job import Job

__all__ = ["Interference", "Targets", "targets_of"]


class Targets(Model):
    """The jobs that an interference experiment is about; all other jobs are the background.

    Each target runs alone, then all jobs run together. Jobs of the background are never alone.
    """

    targets: Annotated[tuple[Name, ...], Field(min_length=1)]
    """The jobs whose slowdown is measured, by name. A job with `count` stands for its copies."""


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
    return LIST if names_targets(value) else ONE


#: A mode, ``true``, ``false`` or a table with targets.
Interference = Annotated[
    Annotated[bool | Mode, BeforeValidator(_checked, json_schema_input_type=bool | Mode), Tag(ONE)]
    | Annotated[Targets, Tag(LIST)],
    Discriminator(_form),
]
