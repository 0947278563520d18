"""Operation files: the recorded operations of all ranks of a job."""

from __future__ import annotations

from functools import lru_cache
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
    """The file: beside the scenario file, or else in the current directory."""

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
            at = Path(self.path).stat()
            return _facts_of(self.path, at.st_mtime_ns, at.st_size)
        except OSError as error:
            raise UsageError(f"{self.path}: cannot be read: {error.strerror or error}") from None
        except ValueError as error:
            raise UsageError(f"{self.path}: {error}") from None


@lru_cache(maxsize=64)
def _facts_of(path: str, _changed_ns: int, _bytes: int) -> dict[str, Any]:
    """Returns the facts of a file. It is read and hashed once while it does not change."""
    return native.operation_file(path)
