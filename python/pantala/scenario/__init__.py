"""The scenario: typed models of what to run, read from TOML or made in Python."""

from pantala.scenario.job import ContiguousPlacement, Job, NodesPlacement, RandomPlacement
from pantala.scenario.machine import Link, Links, Machine, Nic, Router, Topology
from pantala.scenario.mpi import Collectives, Mpi
from pantala.scenario.presets import machine_presets, router_presets
from pantala.scenario.routing import Routing
from pantala.scenario.scenario import Record, Scenario, Stop
from pantala.scenario.workload import AllreduceLoop, Fft3d, Halo3d, Pattern, UniformRandom

__all__ = [
    "AllreduceLoop",
    "Collectives",
    "ContiguousPlacement",
    "Fft3d",
    "Halo3d",
    "Job",
    "Link",
    "Links",
    "Machine",
    "Mpi",
    "Nic",
    "NodesPlacement",
    "Pattern",
    "RandomPlacement",
    "Record",
    "Router",
    "Routing",
    "Scenario",
    "Stop",
    "Topology",
    "UniformRandom",
    "machine_presets",
    "router_presets",
]
