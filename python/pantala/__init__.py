"""Pantala: who slows whom down on a Dragonfly, packet by packet.

A scenario says what runs on which machine; a run is its result, as tables and metrics::

    import pantala as pt

    scenario = pt.Scenario.from_toml("examples/interference.toml")
    study = pt.run(scenario, out="runs/interference")
    print(study.slowdown.collect())
    study.together.links.filter(pl.col("class") == "global").collect()

The same in commands: ``pantala run``, ``check``, ``curve``, ``topology``, ``report``.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pantala.benchmark import bench
    from pantala.capacity import Capacity
    from pantala.errors import (
        Fault,
        Interrupted,
        PantalaError,
        RunDirectoryError,
        ScenarioError,
        ScenarioWarning,
        SimulationError,
        UsageError,
    )
    from pantala.execution import run
    from pantala.load_curve import curve
    from pantala.metrics import Metric
    from pantala.results import InterferenceRun, Run, load
    from pantala.routings import ROUTINGS
    from pantala.scenario import (
        AlexNet,
        AllreduceLoop,
        Amg,
        Aries,
        Collectives,
        Compute,
        ComputeNoise,
        ContiguousPlacement,
        CosmoFlow,
        CrystalRouter,
        Dl,
        Fft3d,
        Hacc,
        Halo3d,
        Job,
        Lammps,
        Link,
        Links,
        Lqcd,
        Lu,
        Lulesh,
        Machine,
        Milc,
        MilcReorder,
        MilcSwm,
        Mpi,
        MultiGrid,
        Nek5000,
        Nekbone,
        Nic,
        NodesPlacement,
        Pattern,
        QAdaptive,
        Qbox,
        RandomGroupsPlacement,
        RandomPlacement,
        RandomRoutersPlacement,
        Rayleigh,
        Record,
        Router,
        Routing,
        Scenario,
        Stencil5d,
        Stop,
        Topology,
        UniformRandom,
        machine_presets,
        mix_presets,
        router_presets,
    )
    from pantala.scenario.json_schema import scenario_json_schema
    from pantala.units import Bandwidth, Duration, Size

    __version__: str

__all__ = [
    "ROUTINGS",
    "AlexNet",
    "AllreduceLoop",
    "Amg",
    "Aries",
    "Bandwidth",
    "Capacity",
    "Collectives",
    "Compute",
    "ComputeNoise",
    "ContiguousPlacement",
    "CosmoFlow",
    "CrystalRouter",
    "Dl",
    "Duration",
    "Fault",
    "Fft3d",
    "Hacc",
    "Halo3d",
    "InterferenceRun",
    "Interrupted",
    "Job",
    "Lammps",
    "Link",
    "Links",
    "Lqcd",
    "Lu",
    "Lulesh",
    "Machine",
    "Metric",
    "Milc",
    "MilcReorder",
    "MilcSwm",
    "Mpi",
    "MultiGrid",
    "Nek5000",
    "Nekbone",
    "Nic",
    "NodesPlacement",
    "PantalaError",
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
    "Run",
    "RunDirectoryError",
    "Scenario",
    "ScenarioError",
    "ScenarioWarning",
    "SimulationError",
    "Size",
    "Stencil5d",
    "Stop",
    "Topology",
    "UniformRandom",
    "UsageError",
    "__version__",
    "bench",
    "curve",
    "load",
    "machine_presets",
    "mix_presets",
    "router_presets",
    "run",
    "scenario_json_schema",
]

#: Module to the names that live there. They are imported when they are asked for, so that `pantala bench` does not
#: wait for tables, models and figures that it has no use for.
_HOMES = {
    "pantala.benchmark": ("bench",),
    "pantala.capacity": ("Capacity",),
    "pantala.errors": (
        "Fault",
        "Interrupted",
        "PantalaError",
        "RunDirectoryError",
        "ScenarioError",
        "ScenarioWarning",
        "SimulationError",
        "UsageError",
    ),
    "pantala.execution": ("run",),
    "pantala.load_curve": ("curve",),
    "pantala.metrics": ("Metric",),
    "pantala.results": (
        "InterferenceRun",
        "Run",
        "load",
    ),
    "pantala.routings": ("ROUTINGS",),
    "pantala.scenario": (
        "AllreduceLoop",
        "Nekbone",
        "MultiGrid",
        "MilcSwm",
        "Lammps",
        "CrystalRouter",
        "Amg",
        "AlexNet",
        "Aries",
        "Collectives",
        "Compute",
        "ComputeNoise",
        "ContiguousPlacement",
        "Fft3d",
        "Hacc",
        "Halo3d",
        "Job",
        "Link",
        "Links",
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
        "Stop",
        "Topology",
        "UniformRandom",
        "machine_presets",
        "mix_presets",
        "router_presets",
        "CosmoFlow",
        "Dl",
        "Lqcd",
        "Lu",
        "Lulesh",
        "Stencil5d",
    ),
    "pantala.scenario.json_schema": ("scenario_json_schema",),
    "pantala.units": (
        "Bandwidth",
        "Duration",
        "Size",
    ),
}
_HOME_OF = {name: module for module, names in _HOMES.items() for name in names}


if not TYPE_CHECKING:  # type checkers read the imports above, and know which names there are

    def __getattr__(name: str) -> object:
        if name == "__version__":
            value: object = _version()
        elif name in _HOME_OF:
            value = getattr(import_module(_HOME_OF[name]), name)
        else:
            try:
                return import_module(f"pantala.{name}")  # pt.metrics, pt.figures, ...
            except ModuleNotFoundError as error:
                if error.name != f"pantala.{name}":
                    raise
            raise AttributeError(f"module 'pantala' has no attribute '{name}'")
        globals()[name] = value
        return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


def _version() -> str:
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("pantala")
    except PackageNotFoundError:  # run from the source tree, not installed
        return "0+unknown"
