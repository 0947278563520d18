"""Small traces in OTF2, written by its own library."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

otf2 = pytest.importorskip("otf2")

#: Ticks of 1 ns.
RESOLUTION = 10**9


class Tracer:
    """Writes the calls of the ranks of a small trace; every call takes 5 ns, after 10 ns."""

    def __init__(self, trace: Any, ranks: int) -> None:
        enums = otf2.enums
        self.definitions = d = trace.definitions
        machine = d.system_tree_node("machine")
        self.locations = []
        for rank in range(ranks):
            process = d.location_group(f"MPI Rank {rank}", system_tree_parent=machine)
            self.locations.append(d.location("Master thread", group=process))
        self.events = [trace.event_writer_from_location(each) for each in self.locations]
        kind, mpi = enums.GroupType, enums.Paradigm.MPI
        d.group("", group_type=kind.COMM_LOCATIONS, paradigm=mpi, members=self.locations)
        own = d.group("", group_type=kind.COMM_SELF, paradigm=mpi, members=[])
        self.own = d.comm("MPI_COMM_SELF", group=own)
        self.world = self.comm("MPI_COMM_WORLD", range(ranks))
        self.time = [0] * ranks
        for rank in range(ranks):
            self.call(rank, "MPI_Init")

    def comm(self, name: str, ranks: Any) -> Any:
        members = [self.locations[rank] for rank in ranks]
        enums = otf2.enums
        group = self.definitions.group(
            "", group_type=enums.GroupType.COMM_GROUP, paradigm=enums.Paradigm.MPI, members=members
        )
        return self.definitions.comm(name, group=group)

    def call(self, rank: int, name: str, *events: tuple[str, Any]) -> None:
        """Writes a call with its events: the name of a method of the library, and arguments."""
        region = self.definitions.region(name)
        self.time[rank] += 10
        self.events[rank].enter(self.time[rank], region)
        for kind, arguments in events:
            self.time[rank] += 1
            getattr(self.events[rank], kind)(self.time[rank], *arguments)
        self.time[rank] += 5
        self.events[rank].leave(self.time[rank], region)

    def collective(self, rank: int, name: str, comm: Any, root: int, sent: int, came: int) -> None:
        operation = getattr(otf2.enums.CollectiveOp, name.upper())
        self.call(
            rank,
            f"MPI_{name}",
            ("mpi_collective_begin", ()),
            ("mpi_collective_end", (operation, comm, root, sent, came)),
        )


def traced(
    folder: Path, ranks: int, write: Callable[[Tracer], None], creator: str = "Score-P 8.0"
) -> Path:
    """Returns the anchor file of a trace."""
    with otf2.writer.open(str(folder / "trace"), timer_resolution=RESOLUTION) as trace:
        trace.creator = creator
        tracer = Tracer(trace, ranks)
        write(tracer)
        for rank in range(ranks):
            tracer.call(rank, "MPI_Finalize")
    return folder / "trace" / "traces.otf2"
