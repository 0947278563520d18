"""Skipping of time in which jobs repeat."""

from __future__ import annotations

import math
import re
from typing import Annotated, Any, ClassVar

from pydantic import AfterValidator, Field

from pantala.models.base import fault
from pantala.models.keys import SkipKeys

__all__ = ["Skip"]

_PERCENT = re.compile(r"(\d+(?:\.\d+)?)\s*%", re.ASCII)
#: The largest tolerance, and the smallest, in percent.
_MOST, _LEAST = 50, 0.0001


def _percent(text: str) -> float:
    """Returns the number of a percentage; nan if the text is none."""
    found = _PERCENT.fullmatch(text.strip())
    return float(found[1]) if found else float("nan")


def _checked(text: str) -> str:
    """Returns a tolerance.

    Raises:
        PydanticCustomError: the text is no percentage in range.
    """
    percent = _percent(text)
    remedy = 'write a percentage such as "1 %"'
    if text == "auto":
        raise fault("is a value of --skip only", 'write { tolerance = "1 %", if_worth = true }')
    if math.isnan(percent):
        raise fault("is not a percentage", remedy)
    if not _LEAST <= percent <= _MOST:
        raise fault(f"must be at least {_LEAST} % and at most {_MOST} %", remedy)
    return text


class Skip(SkipKeys):
    """Skipping of time in which all running jobs repeat and the network is steady.

    The run leaves out iterations, counts them at the rates of those that it has simulated, and
    states its error. docs/explanation/skipping.md has the method.
    """

    shorthand: ClassVar[str | None] = "tolerance"

    tolerance: Annotated[
        str, Field(json_schema_extra={"examples": ["1 %"]}), AfterValidator(_checked)
    ]
    """The error that the mean duration and communication time of a job's iterations may have before
    time is skipped, such as "1 %"."""

    @property
    def tolerance_share(self) -> float:
        """The tolerance as a share: 0.01 for "1 %"."""
        return _percent(self.tolerance) / 100

    def as_plan(self) -> dict[str, Any]:
        """Returns the table in the plan's form."""
        millionths = max(1, round(self.tolerance_share * 1_000_000))
        worth = {"if_worth": True} if self.if_worth else {}
        return {"tolerance_millionths": millionths, "minimum": self.minimum, **worth}
