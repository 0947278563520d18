"""Traces: recorded MPI calls or dependency graphs of a program."""

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
from pantala.workloads.operation_file import is_operation_file, operations_plan
from pantala.workloads.recorded_calls import RecordedCalls, path_fault

__all__ = ["Trace", "otf2_anchor"]


class Trace(RecordedCalls):
    """Trace: the recorded MPI calls of a program, or a dependency graph, replayed by the ranks.

    The format follows from the files. A job without `ranks` has as many ranks as the trace.
    """

    kind: Literal["trace"] = "trace"
    """The calls of a trace."""
    path: str
    """The trace. DUMPI: the .meta file, its directory, or the prefix of the ranks' files. GOAL: the
    file. Chakra: the prefix of the ranks' files NAME.RANK.et, or their directory. OTF2: the .otf2
    file, or its directory. The path is relative to the folder of the
    scenario file, or else to the current directory."""

    @classmethod
    def between_fields(cls, made: Any, data: Mapping[str, Any]) -> Iterator[PydanticCustomError]:
        """Yields a fault if the factor has no effect or the trace cannot be replayed."""
        yield from super().between_fields(made, data)
        if is_operation_file(made.path):
            yield fault(
                "is an operation file, such as a capture", 'set kind = "operations"', "path"
            )
            return
        remedy = ""
        try:
            if otf2_anchor(made.path) is None:
                native.trace_files(made.path)
                remedy = "correct the trace, or record it again"  # errors of its content say none
            made.own_ranks()
        except UsageError as error:
            yield path_fault(made.path, error, remedy)

    def own_ranks(self) -> int:
        """Returns the number of ranks of the trace.

        Raises:
            UsageError: no job can replay the trace.
        """
        if otf2_anchor(self.path):
            ranks: int = self._converted()[1]["ranks"]
            return ranks
        return _identity(self.path)[2]

    def _converted(self) -> tuple[Path, dict[str, Any]]:
        """Returns the operation file of a trace in OTF2 and its summary."""
        from pantala.traces.otf2 import converted

        return converted(
            otf2_anchor(self.path) or self.path,
            compute=self.compute == "recorded",
            compute_scale=self.compute_scale,
        )

    def as_plan(self, ranks: int) -> dict[str, Any]:
        """Returns the plan's workload object: for OTF2 the converted operation file.

        Warns:
            ScenarioWarning: the replay leaves out a part of the trace.
        """
        if anchor := otf2_anchor(self.path):
            converted, summary = self._converted()
            for message in summary["warnings"]:
                warnings.warn(ScenarioWarning(self.path, message), stacklevel=2)
            return operations_plan(str(converted), str(anchor)) | self.sizes_plan()
        form, digest, _, left_out = _identity(self.path)
        for message in left_out:
            warnings.warn(ScenarioWarning(self.path, message), stacklevel=2)
        return {
            "kind": self.kind,
            "format": form,
            "path": self.path,
            "hash": digest,
            **self.replay_plan(),
        }


def otf2_anchor(path: str) -> Path | None:
    """Returns the anchor file of a trace in OTF2, which may be given as its folder; else None."""
    given = Path(path)
    if given.suffix == ".otf2":
        return given
    anchors = sorted(given.glob("*.otf2")) if given.is_dir() else []
    return anchors[0] if len(anchors) == 1 else None


def _identity(path: str) -> tuple[str, str, int, tuple[str, ...]]:
    """Returns format, hash, number of ranks and warnings of a trace. Reads its files once."""
    seen = []
    for file in native.trace_files(path):
        state = Path(file).stat()
        seen.append((file, state.st_mtime_ns, state.st_size))
    return _identified(path, tuple(seen))


@lru_cache(maxsize=16)
def _identified(
    path: str, _files: tuple[tuple[str, int, int], ...]
) -> tuple[str, str, int, tuple[str, ...]]:
    return native.identify_trace(path)
