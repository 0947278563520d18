"""The base of workloads that a user brings: programs, traces and operation files."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, ClassVar

from pantala.models.base import Model

__all__ = ["FrontEnd"]


class FrontEnd(Model):
    """A workload that a user brings."""

    @property
    def application(self) -> str:
        """The name of the workload in tables and figures; the kind if it has no other."""
        name: str = type(self).model_fields["kind"].default
        return name

    def own_ranks(self) -> int | None:
        """Returns the number of ranks that the files state, or None if any number is possible.

        Raises:
            UsageError: a file is missing or wrong.
        """
        return None

    def check(self, ranks: int) -> None:
        """Checks that the workload can run on this number of ranks.

        Raises:
            PydanticCustomError: it cannot.
        """

    draws: ClassVar[bool] = False
    """Whether a program of this kind can draw random numbers, which follow the scenario's seed."""

    def seeded_plan(self, ranks: int, seed: int, job: str) -> dict[str, Any]:
        """Returns the plan's workload object of a job.

        Args:
            ranks: the number of ranks.
            seed: the scenario's seed.
            job: the name of the job.
        """
        return self.as_plan(ranks)

    @abstractmethod
    def as_plan(self, ranks: int) -> dict[str, Any]:
        """Returns the plan's workload object for a job of `ranks`."""
