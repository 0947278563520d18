"""The base of workloads that a user brings: programs, traces and operation files."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

from pantala.scenario.base import Model

__all__ = ["FrontEnd"]


class FrontEnd(Model):
    """A workload that a user brings."""

    @property
    @abstractmethod
    def application(self) -> str:
        """The name of the workload in tables and figures."""

    def check(self, ranks: int) -> None:
        """Checks that the workload can run on this number of ranks.

        Raises:
            PydanticCustomError: it cannot.
        """

    @abstractmethod
    def as_plan(self, ranks: int) -> dict[str, Any]:
        """Returns the plan's workload object for a job of `ranks`."""
