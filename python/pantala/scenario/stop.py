"""The end of a run."""

from __future__ import annotations

from typing import Annotated

from pydantic import BeforeValidator

from pantala.models.base import Name
from pantala.models.keys import StopKeys

__all__ = ["Stop"]


class Stop(StopKeys):
    """The end of a run. Without a duration, a run ends when all targets have ended.

    The targets are all jobs that end by themselves, unless `target` names some of them.
    """

    target: Annotated[
        tuple[Name, ...],
        BeforeValidator(
            lambda value: (value,) if isinstance(value, str) else value,
            json_schema_input_type=Name | tuple[Name, ...],
        ),
    ] = ()
    """The job whose end ends the run, or a list of jobs. Default: all jobs that end by themselves:
    that are no patterns, do not repeat and have no `end`."""
