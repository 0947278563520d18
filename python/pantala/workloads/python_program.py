"""Programs of users in Python."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

from pydantic import Field, Strict
from typing_extensions import override

from pantala.errors import UsageError
from pantala.models.base import PositiveDuration, PositiveSize
from pantala.text.units import Duration
from pantala.workloads.front_end import FrontEnd

if TYPE_CHECKING:
    from pantala.programs.isolated_process import ApartProgram

__all__ = ["Program", "PythonProgram"]

#: The plans of programs that this process has recorded: without seed and job if they draw nothing.
_plans: dict[Any, dict[str, Any]] = {}


class PythonProgram(FrontEnd):
    """A function in Python, which runs once per rank before the simulation, in its own process.

    Its first argument is the communicator of all ranks, whose calls have the names of mpi4py.
    `pt.Program` makes the workload from a function.
    """

    kind: Literal["python"] = "python"
    """A program in Python."""
    draws: ClassVar[bool] = True
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
    memory_limit: PositiveSize | None = None
    """The program is stopped if its process grows by more; half of the free memory if not given."""

    def __hash__(self) -> int:
        return hash((self.file, self.function, json.dumps(self.arguments, default=repr)))

    @property
    def application(self) -> str:
        """The name of the file, or of the function if a session defined it."""
        of_session = self.file.startswith("<") or "ipykernel" in self.file
        return self.function if of_session else Path(self.file).stem

    @override
    def as_plan(self, ranks: int) -> dict[str, Any]:
        return self.seeded_plan(ranks, 1, "")

    def seeded_plan(self, ranks: int, seed: int, job: str) -> dict[str, Any]:
        """Returns the plan's workload object: the operation file of the program.

        Raises:
            ProgramError: the program fails, or programs are refused.
            UsageError: the operation file cannot be written.
        """
        from pantala.programs.cache import keep
        from pantala.programs.isolated_process import record_apart
        from pantala.programs.loading import text_of

        program = self._apart(ranks, seed, job)
        called: Any = program.given or (
            str(Path(self.file).absolute()),
            text_of(self.file),
            self.function,
        )
        key = (called, ranks, json.dumps(program.arguments, sort_keys=True, default=repr))
        drawn = (*key, seed, job)
        known = _plans.get(key) or _plans.get(drawn)
        if known is not None and Path(known["path"]).is_file():
            return dict(known)
        file, facts = keep(lambda path: record_apart(program, path))
        plan = {"kind": "operations", "path": str(file), "hash": facts["hash"]}
        _plans[drawn if facts["draws"] else key] = plan
        return dict(plan)

    def lines(
        self, ranks: int, seed: int, job: str, operations: Mapping[int, int]
    ) -> dict[int, str]:
        """Returns by rank the line of an operation; empty if the program does not run again.

        Args:
            ranks: the number of ranks.
            seed: the scenario's seed.
            job: the name of the job.
            operations: by rank, the number of the operation in the file of the program, from 0.
        """
        from pantala.programs.cache import directory
        from pantala.programs.isolated_process import lines_apart

        try:
            return lines_apart(self._apart(ranks, seed, job), operations, directory())
        except UsageError:
            return {}

    def _apart(self, ranks: int, seed: int, job: str) -> ApartProgram:
        """Returns the program as a process runs it.

        Raises:
            ProgramError: programs are refused.
        """
        from pantala.programs.isolated_process import ApartProgram
        from pantala.programs.limits import Limits, default_memory
        from pantala.programs.loading import given
        from pantala.system.permission import check_permitted

        function = given(self.file, self.function)
        if function is None:
            check_permitted(self.file)
        limits = Limits(
            int(self.time_limit) / 1e12,
            self.operations_limit,
            default_memory() if self.memory_limit is None else int(self.memory_limit),
        )
        arguments = dict(self.arguments)
        return ApartProgram(
            self.file, self.function, function, arguments, ranks, limits, (seed, job)
        )


def Program(function: Callable[..., object], /, **arguments: Any) -> PythonProgram:  # noqa: N802 - reads as a workload
    """Returns the workload that runs a Python function on every rank.

    The function runs in a fork of this process. It sees all variables of the session, but what it
    changes in them is lost when it ends.

    Args:
        function: the program of a rank. Its first argument is the `Communicator` of all ranks.
        arguments: the further arguments of the function.

    Raises:
        UsageError: `function` is no function.
    """
    from pantala.programs.loading import remember

    if not callable(function):
        raise UsageError(f"{function!r}: is no function; give a function of mpi and arguments")
    file, name = remember(function)
    return PythonProgram(file=file, function=name, arguments=arguments)
