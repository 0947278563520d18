"""The scenario: typed models of what to run, read from TOML or made in Python."""

from pantala.scenario.job import (
    ComputeNoise,
    ContiguousPlacement,
    Job,
    NodesPlacement,
    RandomGroupsPlacement,
    RandomPlacement,
    RandomRoutersPlacement,
)
from pantala.scenario.links import Link, Links
from pantala.scenario.machine import Machine, Nic, Router
from pantala.scenario.mpi import Collectives, Mpi
from pantala.scenario.presets import machine_presets, router_presets
from pantala.scenario.routing import Aries, QAdaptive, Routing
from pantala.scenario.scenario import Record, Scenario, Stop
from pantala.scenario.topology import Topology
from pantala.scenario.workload import (
    AllreduceLoop,
    Application,
    Compute,
    CosmoFlow,
    Dl,
    Fft3d,
    Hacc,
    Halo3d,
    Lqcd,
    Lu,
    Lulesh,
    Milc,
    MilcReorder,
    Nek5000,
    Pattern,
    Qbox,
    Rayleigh,
    Stencil5d,
    UniformRandom,
)

__all__ = [
    "AllreduceLoop",
    "Application",
    "Aries",
    "Collectives",
    "Compute",
    "ComputeNoise",
    "ContiguousPlacement",
    "CosmoFlow",
    "Dl",
    "Fft3d",
    "Hacc",
    "Halo3d",
    "Job",
    "Link",
    "Links",
    "Lqcd",
    "Lu",
    "Lulesh",
    "Machine",
    "Milc",
    "MilcReorder",
    "Mpi",
    "Nek5000",
    "Nic",
    "NodesPlacement",
    "Pattern",
    "QAdaptive",
    "Qbox",
    "RandomGroupsPlacement",
    "RandomPlacement",
    "RandomRoutersPlacement",
    "Rayleigh",
    "Record",
    "Router",
    "Routing",
    "Scenario",
    "Stencil5d",
    "Stop",
    "Topology",
    "UniformRandom",
    "machine_presets",
    "router_presets",
]
