"""Operation files: the recorded operations of all ranks of a job."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal

from pydantic_core import PydanticCustomError

from pantala.core import native
from pantala.errors import ScenarioWarning, UsageError
from pantala.models.validation import fault
from pantala.workloads.recorded_calls import RecordedCalls, path_fault

__all__ = [
    "OperationFile",
    "captured_in",
    "is_operation_file",
    "operations_plan",
    "operations_summary",
]

#: The first bytes of an operation file.
_MAGIC = b"PANTOPS\0"


class OperationFile(RecordedCalls):
    """The operations of a file: of an exported job, a converted trace or a capture."""

    kind: Literal["operations"] = "operations"
    """The operations of a file."""
    path: str
    """The file: beside the scenario file, or else in the current directory."""

    @classmethod
    def between_fields(cls, made: Any, data: Mapping[str, Any]) -> Iterator[PydanticCustomError]:
        """Yields a fault if the factor has no effect or the file is no operation file."""
        yield from super().between_fields(made, data)
        given = Path(made.path)
        if not given.is_file():
            what = "is a folder" if given.is_dir() else "there is no such file"
            yield fault(what, "give the path of an operation file", "path")
        elif not is_operation_file(given):
            remedy = 'set kind = "trace" for a trace in another format'
            yield fault("is no operation file: its first bytes differ", remedy, "path")
        else:
            try:
                made.own_ranks()
            except UsageError as error:
                yield path_fault(made.path, error)

    @property
    def application(self) -> str:
        """The name of the file."""
        return Path(self.path).stem

    def own_ranks(self) -> int:
        """Returns the number of ranks of the job in the file.

        Raises:
            UsageError: the file is no complete operation file.
        """
        ranks: int = _facts(self.path)["job_ranks"]
        return ranks

    def as_plan(self, ranks: int) -> dict[str, Any]:
        """Returns the plan's workload object.

        Raises:
            UsageError: the file is no complete operation file.

        Warns:
            ScenarioWarning: the file is too large for a check of its calls.
        """
        return operations_plan(self.path) | self.replay_plan()


def operations_plan(path: str, trace: str | None = None) -> dict[str, Any]:
    """Returns the plan's workload object of an operation file of all ranks of its job.

    Args:
        path: the file.
        trace: the trace that the file was converted from. Messages name it.

    Raises:
        UsageError: the file is no complete operation file.

    Warns:
        ScenarioWarning: the file is too large for a check of its calls, or it notes what it lacks
            of the program that it was captured from.
    """
    try:
        facts = _facts(path)
    except UsageError as error:
        raise (error if trace is None else _converted_fault(path, trace, error)) from None
    named = trace or path
    if not facts["calls_checked"] and facts["ranks"] == facts["job_ranks"]:
        text = (
            f"has {facts['operations']} operations or too many different messages for a check "
            "before the run; the run finds whether sends, receives and collectives fit together"
        )
        warnings.warn(ScenarioWarning(named, text), stacklevel=2)
    plan: dict[str, Any] = {"kind": "operations", "path": path, "hash": facts["hash"]}
    for note in facts["notes"]:
        warnings.warn(ScenarioWarning(named, note), stacklevel=2)
    return plan | ({"notes": facts["notes"]} if facts["notes"] else {})


def _converted_fault(path: str, trace: str, error: UsageError) -> UsageError:
    """Returns the fault of a converted trace: of the trace's calls, or of the file in the cache."""
    reason, _, remedy = str(error).removeprefix(f"{path}: ").rpartition("; ")
    if remedy.startswith("complete the calls"):
        return UsageError(
            f"{trace}: {reason}; record the whole program, and check the calls of the trace with"
            " otf2-print"
        )
    return UsageError(
        f"{trace}: its converted file {path}: {reason or remedy}; remove that file, so that Pantala"
        " converts the trace again"
    )


def is_operation_file(path: str | Path) -> bool:
    """Returns whether a path is a file that starts as an operation file."""
    if not Path(path).is_file():
        return False
    with Path(path).open("rb") as file:
        return file.read(len(_MAGIC)) == _MAGIC


def captured_in(folder: Path) -> Path | None:
    """Returns the operation file in the folder of a capture; None if the folder is of none.

    Raises:
        UsageError: it has several, or only files of single ranks.
    """
    found = [path for path in sorted(folder.glob("*.operations")) if is_operation_file(path)]
    ranks = {*folder.glob("rank-*.operations"), *folder.glob("*/rank-*.operations")}
    whole = [path for path in found if path not in ranks]
    if len(whole) == 1:
        return whole[0]
    if whole:
        names = ", ".join(path.name for path in whole)
        raise UsageError(f"{folder}: has several operation files; name one of them: {names}")
    if any(folder.glob("*.unfinished")):
        raise UsageError(
            f"{folder}: has an unfinished capture; pantala capture salvage {folder} makes an"
            " operation file of it"
        )
    if ranks:
        raise UsageError(
            f"{folder}: has operations of single ranks; name the operation file of the capture"
        )
    return None


def operations_summary(path: str) -> dict[str, Any]:
    """Returns the summary of an operation file, for `pantala trace info`.

    Raises:
        UsageError: the file is no complete operation file.
    """
    try:
        return native.operation_file_summary(path)
    except ValueError as error:
        raise UsageError(f"{path}: {error}") from None


def _facts(path: str) -> dict[str, Any]:
    try:
        at = Path(path).stat()
        return _facts_of(path, at.st_mtime_ns, at.st_size)
    except OSError as error:
        raise UsageError(f"{path}: cannot be read: {error.strerror or error}") from None
    except ValueError as error:
        raise UsageError(f"{path}: {error}") from None


@lru_cache(maxsize=64)
def _facts_of(path: str, _changed_ns: int, _bytes: int) -> dict[str, Any]:
    """Returns the facts of a file. It is read and hashed once while it does not change."""
    return native.operation_file(path)
