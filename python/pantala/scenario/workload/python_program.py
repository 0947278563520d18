"""Programs of users in Python."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field, Strict

from pantala.scenario.base import PositiveDuration
from pantala.scenario.workload.front_end import FrontEnd
from pantala.units import Duration

__all__ = ["PythonProgram"]

#: The plans of programs that this process has recorded.
_plans: dict[Any, dict[str, Any]] = {}


class PythonProgram(FrontEnd):
    """A function in Python, which runs once per rank before the simulation.

    Its first argument is the communicator of all ranks, whose calls have the names of mpi4py.
    `pt.Program` makes the workload from a function.
    """

    kind: Literal["python"] = "python"
    """A program in Python."""
    file: str
    """The file of the function: beside the scenario file, or else in the current directory."""
    function: str = "program"
    """The name of the function."""
    arguments: dict[str, Any] = Field(default={})
    """The arguments of the function besides the communicator."""
    time_limit: PositiveDuration = Duration.parse("300 s")
    """The program is stopped if all ranks together take longer, in time of the computer."""
    operations_limit: Annotated[int, Strict(), Field(ge=1, le=2**48)] = 100_000_000
    """The program is stopped if all ranks together make more operations."""

    def __hash__(self) -> int:
        return hash((self.file, self.function, json.dumps(self.arguments, default=repr)))

    @property
    def application(self) -> str:
        """The name of the file, or of the function if a session defined it."""
        of_session = self.file.startswith("<") or "ipykernel" in self.file
        return self.function if of_session else Path(self.file).stem

    def as_plan(self, ranks: int) -> dict[str, Any]:
        """Returns the plan's workload object: the operation file of the program.

        Raises:
            ProgramError: the program fails.
            UsageError: the operation file cannot be written.
        """
        from pantala.programs.cache import keep
        from pantala.programs.loading import check_arguments, load
        from pantala.programs.recording import Limits, record

        function = load(self.file, self.function)
        check_arguments(function, self.file, self.function, self.arguments)
        key = (function, ranks, json.dumps(self.arguments, sort_keys=True, default=repr))
        known = _plans.get(key)
        if known is not None and Path(known["path"]).is_file():
            return dict(known)
        limits = Limits(int(self.time_limit) / 1e12, self.operations_limit)
        file, facts = keep(lambda path: record(function, dict(self.arguments), ranks, path, limits))
        _plans[key] = {"kind": "operations", "path": str(file), "hash": facts["hash"]}
        return dict(_plans[key])
