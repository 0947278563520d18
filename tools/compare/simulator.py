"""The interface of a simulator: its configuration, its command and its packet-hops."""

from __future__ import annotations

import re
from collections.abc import Set
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from compare.description import Description
from compare.process import Failed, Process

__all__ = ["Moved", "Simulator", "number"]


@dataclass(frozen=True)
class Moved:
    """The work of a simulation.

    Attributes:
        packet_hops: traversals of links between routers, and ejections.
        network_cpu_seconds: CPU time of the simulation without set-up; None if the simulator does
            not report it.
    """

    packet_hops: float
    network_cpu_seconds: float | None = None


class Simulator(Protocol):
    """A simulator. Each adapter is one small file.

    Attributes:
        key: the name of its option and its key in a file of paths.
        title: its name in tables.
        install: how to install it.
        hops: the source of its packet-hops: "counted: ...", "its own statistics: ..." or "computed:
            ...".
        statuses: the exit statuses of its executable on success.
    """

    key: str
    title: str
    install: str
    hops: str
    statuses: Set[int]

    def differences(self, described: Description) -> list[str]:
        """Returns the differences between its machine or load and the description, in words.

        Raises:
            NotComparable: it cannot repeat the machine or the load at all.
        """
        ...

    def prepare(self, described: Description, directory: Path) -> list[str]:
        """Writes its configuration into a directory and returns the arguments of its executable.

        The executable runs in that directory.
        """
        ...

    def moved(self, described: Description, directory: Path, process: Process) -> Moved:
        """Returns the work of a run, read from its output and its files.

        Raises:
            Failed: they do not contain it.
        """
        ...


def number(pattern: str, text: str, of: str) -> float:
    """Returns the last number in a text that a regular expression's first group matches.

    Raises:
        Failed: there is no match.
    """
    found = re.findall(pattern, text, re.MULTILINE)
    if not found:
        raise Failed(
            f"{of} printed nothing like '{pattern}'; check that the adapter supports its version"
        )
    return float(found[-1])
