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

from pantala.programs.communicator import CartesianCommunicator, Communicator
from pantala.programs.outputs import Output, outputs
from pantala.programs.requests import Request

__all__ = ["CartesianCommunicator", "Communicator", "Output", "Request", "outputs"]
