"""The base of recorded calls: traces and operation files, with the computing between the calls."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Annotated, Any, Literal

from pydantic import Field
from pydantic_core import PydanticCustomError

from pantala.errors import UsageError
from pantala.models.base import Count
from pantala.models.validation import fault
from pantala.workloads.front_end import FrontEnd

__all__ = ["RecordedCalls", "path_fault"]

#: A factor from 0 to 1,000,000.
_Factor = Annotated[float, Field(ge=0.0, le=1e6, allow_inf_nan=False)]


class RecordedCalls(FrontEnd):
    """Recorded calls of a program, with the computing between them."""

    compute: Literal["recorded", "none"] = "recorded"
    """The computing between the recorded calls: recorded or none."""
    compute_scale: _Factor = 1.0
    """Factor of the recorded compute times, such as 0.5 for a machine of twice the speed."""
    amplification: Count = 1
    """Factor that multiplies the bytes of all messages and collectives. 100 makes AMG's trace the
    sAMG of Yang et al."""

    @classmethod
    def between_fields(cls, made: Any, data: Mapping[str, Any]) -> Iterator[PydanticCustomError]:
        """Yields a fault if the factor has no effect."""
        yield from super().between_fields(made, data)
        if made.compute == "none" and "compute_scale" in data:
            remedy = 'remove it, or set compute to "recorded"'
            yield fault('has no effect under compute = "none"', remedy, "compute_scale")

    def replay_plan(self) -> dict[str, Any]:
        """Returns the keys of the replay in the plan's workload object."""
        return {
            "compute": self.compute,
            "compute_scale_millionths": round(self.compute_scale * 1_000_000),
            **self.sizes_plan(),
        }

    def sizes_plan(self) -> dict[str, Any]:
        """Returns the key of the bytes in the plan's workload object, if they are multiplied."""
        return {} if self.amplification == 1 else {"amplification": self.amplification}


def path_fault(path: str, error: UsageError, remedy: str = "") -> PydanticCustomError:
    """Returns the fault of the key `path` for an error of its file.

    Args:
        path: the value of the key, which the fault names anyway.
        error: the error. Without `remedy`, its text ends with what to do, after a semicolon.
        remedy: what to do, if the error does not say it.
    """
    text = str(error).removeprefix(f"{path}: ")
    message, _, said = text.rpartition("; ")
    if remedy or not message:
        return fault(text, remedy or "correct the file, or record it again", "path")
    return fault(message, said, "path")
