"""Scenarios: typed models of a simulation's input, read from TOML or made in Python."""

from typing import TYPE_CHECKING, Any

from pantala import workloads
from pantala.scenario.background import Background, BackgroundApplication, JobSize
from pantala.scenario.detail import Detail
from pantala.scenario.job import ComputeNoise, Job
from pantala.scenario.links import Link, Links
from pantala.scenario.machine import Machine, Nic, Router
from pantala.scenario.mpi import Collectives, Mpi
from pantala.scenario.placement import (
    CompactPlacement,
    ContiguousPlacement,
    DispersedPlacement,
    HybridPlacement,
    NodesPlacement,
    RandomGroupsPlacement,
    RandomPlacement,
    RandomRoutersPlacement,
)
from pantala.scenario.presets import machine_presets, mix_presets, router_presets
from pantala.scenario.record import (
    BlameRecord,
    CallEventRecord,
    PortRecord,
    Record,
    RouterRecord,
    SystemRecord,
)
from pantala.scenario.routing import Aries, QAdaptive, Routing
from pantala.scenario.scenario import Scenario
from pantala.scenario.skip import Skip
from pantala.scenario.snapshot import Snapshot, SnapshotApplication
from pantala.scenario.stop import Stop
from pantala.scenario.topology import Topology

if TYPE_CHECKING:
    from pantala.workloads import *

__all__ = [
    "Aries",
    "Background",
    "BackgroundApplication",
    "BlameRecord",
    "CallEventRecord",
    "Collectives",
    "CompactPlacement",
    "ComputeNoise",
    "ContiguousPlacement",
    "Detail",
    "DispersedPlacement",
    "HybridPlacement",
    "Job",
    "JobSize",
    "Link",
    "Links",
    "Machine",
    "Mpi",
    "Nic",
    "NodesPlacement",
    "PortRecord",
    "QAdaptive",
    "RandomGroupsPlacement",
    "RandomPlacement",
    "RandomRoutersPlacement",
    "Record",
    "Router",
    "RouterRecord",
    "Routing",
    "Scenario",
    "Skip",
    "Snapshot",
    "SnapshotApplication",
    "Stop",
    "SystemRecord",
    "Topology",
    "machine_presets",
    "mix_presets",
    "router_presets",
]
__all__ += workloads.__all__


def __getattr__(name: str) -> Any:
    """Returns a class of a workload, which is imported when it is first used."""
    return getattr(workloads, name)
