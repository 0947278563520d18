"""The base of all motifs of Ember, and the types of their parameters.

A class has the parameters of an Ember motif, with Ember's names and defaults. Sizes are in bytes or
in elements, times in ns, as Ember takes them. The plan holds a general motif of the core with
integers in bytes and ps.

Sources: SST elements (ember/mpi/motifs); for the motifs that Kang et al. (SC 2022) changed, the
branch df_interference_rl of SPEAR's fork, commit f7fb8ae.
"""

from __future__ import annotations

from abc import abstractmethod
from typing import Annotated, Any

from pydantic import Field, Strict

from pantala.models.base import Model, fault

__all__ = [
    "DOUBLE",
    "INT",
    "LONG",
    "EmberMotif",
    "Nanoseconds",
    "Number",
    "StartedMotif",
    "divides",
    "fits",
    "ps",
]

#: Bytes of Ember's data types.
INT, LONG, DOUBLE = 4, 8, 8

#: A time in ns, at most 11 days.
Nanoseconds = Annotated[int, Strict(), Field(ge=0, le=10**15)]
#: A number of at least zero, whole or not.
Number = Annotated[float, Field(ge=0.0, le=1e18, allow_inf_nan=False)]


class EmberMotif(Model):
    """A motif of Ember."""

    @property
    def application(self) -> str:
        """The name of the motif, equal to its kind."""
        name: str = type(self).model_fields["kind"].default
        return name

    def check(self, ranks: int) -> None:
        """Checks that the motif can run on this number of ranks.

        Raises:
            PydanticCustomError: it cannot.
        """

    @abstractmethod
    def as_plan(self, ranks: int) -> dict[str, Any]:
        """Returns the plan's workload object for a job of `ranks`."""


class StartedMotif(EmberMotif):
    """A motif with the start delay of Kang et al.'s fork."""

    wait2start: Nanoseconds = 1
    """Computing before the first iteration, in ns. Only in the fork of Kang et al."""

    def delay(self) -> dict[str, int]:
        """Returns the plan's key of the start delay."""
        return {"start_delay_ps": ps(self.wait2start)}


def ps(nanoseconds: float) -> int:
    """Returns a time in ps, from whole ns as Ember counts them."""
    return int(nanoseconds) * 1000


def fits(grid: tuple[int, ...], ranks: int, *names: str) -> None:
    """Checks that a grid has as many cells as the job has ranks.

    Raises:
        PydanticCustomError: it does not.
    """
    cells = 1
    for extent in grid:
        cells *= extent
    if cells != ranks:
        shown = " x ".join(map(str, grid))
        message = f"the grid {shown} has {cells} cells, but the job has {ranks} ranks"
        joined = ", ".join(names)
        raise fault(message, f"give {joined} the product {ranks}", names[0])


def divides(part: int, whole: int, names: tuple[str, str]) -> None:
    """Checks that a block divides an extent.

    Raises:
        PydanticCustomError: it does not.
    """
    if part < 1 or whole % part:
        message = f"does not divide {names[1]} = {whole}"
        raise fault(message, f"write a divisor of {whole}", names[0])
