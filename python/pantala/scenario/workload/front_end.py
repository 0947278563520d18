"""The base of workloads whose operations come from the user's own files."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

from pantala.scenario.base import Model

__all__ = ["FrontEnd"]


class FrontEnd(Model):
    """A workload whose operations come from the user's own files: traces, programs."""

    @property
    def application(self) -> str:
        """The name of the workload in tables, equal to its kind."""
        name: str = type(self).model_fields["kind"].default
        return name

    def own_ranks(self) -> int | None:
        """Returns the number of ranks that the files state, or None if any number is possible.

        Raises:
            UsageError: a file is missing or wrong.
        """
        return None

    @abstractmethod
    def as_plan(self, ranks: int) -> dict[str, Any]:
        """Returns the plan's workload object for a job of `ranks`."""
