"""Programs of users in Python: a function per rank in the words of mpi4py.

The function runs once per rank before the simulation, in a process of its own. Its calls become an
operation file, which the simulation replays::

    def program(mpi, iterations):
        right, left = (mpi.rank + 1) % mpi.size, (mpi.rank - 1) % mpi.size
        for _ in range(iterations):
            with mpi.iteration():
                mpi.compute("10 us")
                mpi.sendrecv(right, "64 KiB", left)

    job = pt.Job(name="ring", ranks=16, workload=pt.Program(program, iterations=100))
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pantala.programs.communicator import CartesianCommunicator, Communicator
from pantala.programs.outputs import Output, outputs
from pantala.programs.requests import Request

if TYPE_CHECKING:
    from collections.abc import Callable

    from pantala.scenario.workload.python_program import PythonProgram

__all__ = ["CartesianCommunicator", "Communicator", "Output", "Program", "Request", "outputs"]


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
    from pantala.errors import UsageError
    from pantala.programs.loading import remember
    from pantala.scenario.workload.python_program import PythonProgram

    if not callable(function):
        raise UsageError(f"{function!r}: is no function; give a function of mpi and arguments")
    file, name = remember(function)
    return PythonProgram(file=file, function=name, arguments=arguments)
