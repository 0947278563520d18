"""What the comparison needs of a simulator: its configuration, its command, and the packet-hops
that it moved.
"""

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
    """What a simulator did.

    Attributes:
        packet_hops: traversals of links between routers, and ejections.
        network_cpu_seconds: processor time of the simulation without set-up; None if the simulator
            does not tell.
    """

    packet_hops: float
    network_cpu_seconds: float | None = None


class Simulator(Protocol):
    """A simulator. The adapters are small: one file each.

    Attributes:
        key: its option and its key in a file of paths.
        title: its name in tables.
        install: how to install it.
        hops: where its packet-hops come from: "counted: ...", "its own statistics: ..." or
            "computed: ...".
        statuses: with which its executable exits where it succeeds.
    """

    key: str
    title: str
    install: str
    hops: str
    statuses: Set[int]

    def differences(self, described: Description) -> list[str]:
        """In words, where its machine or load is not the described one.

        Raises:
            NotComparable: it cannot repeat the machine or the load at all.
        """
        ...

    def prepare(self, described: Description, directory: Path) -> list[str]:
        """Writes its configuration into a directory; returns the arguments of its executable, which
        runs there.
        """
        ...

    def moved(self, described: Description, directory: Path, process: Process) -> Moved:
        """Reads what a run did from its output and its files.

        Raises:
            Failed: they do not say.
        """
        ...


def number(pattern: str, text: str, of: str) -> float:
    """The number that a regular expression's first group finds last in a text.

    Raises:
        Failed: it finds none.
    """
    found = re.findall(pattern, text, re.MULTILINE)
    if not found:
        raise Failed(
            f"{of} printed nothing like '{pattern}'; this adapter may not know its version"
        )
    return float(found[-1])
