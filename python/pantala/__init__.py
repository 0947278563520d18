"""Pantala: who slows whom down on a Dragonfly, packet by packet.

A scenario says what runs on which machine; a run is its result, as tables and metrics::

    import pantala as pt

    scenario = pt.Scenario.from_toml("examples/interference.toml")
    study = pt.run(scenario, out="runs/interference")
    print(study.slowdown.collect())
    study.together.links.filter(pl.col("class") == "global").collect()

The same in commands: ``pantala run``, ``check``, ``curve``, ``topology``, ``report``.
"""

from importlib.metadata import PackageNotFoundError, version

from pantala.benchmark import bench
from pantala.capacity import Capacity
from pantala.errors import (
    Interrupted,
    PantalaError,
    RunDirectoryError,
    ScenarioError,
    SimulationError,
    UsageError,
)
from pantala.execution import run
from pantala.load_curve import curve
from pantala.metrics import Metric
from pantala.results import InterferenceRun, Run, load
from pantala.routings import ROUTINGS
from pantala.scenario import (
    AllreduceLoop,
    Collectives,
    ContiguousPlacement,
    Fft3d,
    Halo3d,
    Job,
    Link,
    Links,
    Machine,
    Mpi,
    Nic,
    NodesPlacement,
    Pattern,
    RandomPlacement,
    Record,
    Router,
    Routing,
    Scenario,
    Stop,
    Topology,
    UniformRandom,
    machine_presets,
    router_presets,
)
from pantala.scenario.json_schema import scenario_json_schema
from pantala.units import Bandwidth, Duration, Size

try:
    __version__ = version("pantala")
except PackageNotFoundError:  # run from the source tree, not installed
    __version__ = "0+unknown"

__all__ = [
    "ROUTINGS",
    "AllreduceLoop",
    "Bandwidth",
    "Capacity",
    "Collectives",
    "ContiguousPlacement",
    "Duration",
    "Fft3d",
    "Halo3d",
    "InterferenceRun",
    "Interrupted",
    "Job",
    "Link",
    "Links",
    "Machine",
    "Metric",
    "Mpi",
    "Nic",
    "NodesPlacement",
    "PantalaError",
    "Pattern",
    "RandomPlacement",
    "Record",
    "Router",
    "Routing",
    "Run",
    "RunDirectoryError",
    "Scenario",
    "ScenarioError",
    "SimulationError",
    "Size",
    "Stop",
    "Topology",
    "UniformRandom",
    "UsageError",
    "__version__",
    "bench",
    "curve",
    "load",
    "machine_presets",
    "router_presets",
    "run",
    "scenario_json_schema",
]
