"""Operation files: the recorded operations of all ranks of a job."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

from pantala import native
from pantala.errors import UsageError
from pantala.scenario.workload.front_end import FrontEnd

__all__ = ["OperationFile"]


class OperationFile(FrontEnd):
    """The operations of a file: of an exported job, a converted trace or a capture."""

    kind: Literal["operations"] = "operations"
    """The operations of a file."""
    path: str
    """The file, absolute or relative to the working directory."""

    @property
    def application(self) -> str:
        """The name of the file."""
        return Path(self.path).stem

    def own_ranks(self) -> int:
        """Returns the number of ranks of the job in the file.

        Raises:
            UsageError: the file is no complete operation file.
        """
        ranks: int = self._facts()["job_ranks"]
        return ranks

    def as_plan(self, ranks: int) -> dict[str, Any]:
        """Returns the plan's workload object.

        Raises:
            UsageError: the file is no complete operation file.
        """
        return {"kind": "operations", "path": self.path, "hash": self._facts()["hash"]}

    def _facts(self) -> dict[str, Any]:
        try:
            return native.operation_file(self.path)
        except ValueError as error:
            raise UsageError(f"{self.path}: {error}") from None
