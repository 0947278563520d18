"""Calls of mpi4py whose results only the run can tell: a recorded program cannot have them."""

from __future__ import annotations

from typing import Any, NoReturn

from pantala.programs.values import refuse

__all__ = ["RefusedCalls"]


class RefusedCalls:
    """Calls that end the recording with an error that names them."""

    def probe(self, *_: Any, **__: Any) -> NoReturn:
        """Is refused."""
        refuse("probe", "which message has arrived")

    def iprobe(self, *_: Any, **__: Any) -> NoReturn:
        """Is refused."""
        refuse("iprobe", "whether a message has arrived")

    def test(self, *_: Any, **__: Any) -> NoReturn:
        """Is refused."""
        refuse("test", "whether a request is complete")

    def testall(self, *_: Any, **__: Any) -> NoReturn:
        """Is refused."""
        refuse("testall", "whether requests are complete")

    def testany(self, *_: Any, **__: Any) -> NoReturn:
        """Is refused."""
        refuse("testany", "which request is complete")

    def testsome(self, *_: Any, **__: Any) -> NoReturn:
        """Is refused."""
        refuse("testsome", "which requests are complete")

    def waitany(self, *_: Any, **__: Any) -> NoReturn:
        """Is refused."""
        refuse("waitany", "which request is complete first")

    def waitsome(self, *_: Any, **__: Any) -> NoReturn:
        """Is refused."""
        refuse("waitsome", "which requests are complete first")

    def Wtime(self) -> NoReturn:  # noqa: N802 - mpi4py's word
        """Is refused."""
        refuse("Wtime", "the time")
