"""Pantala: which job slows which on a Dragonfly network, simulated packet by packet.

A scenario describes jobs and a machine. A run has tables and metrics::

    import pantala as pt

    scenario = pt.Scenario.from_toml("examples/interference.toml")
    experiment = pt.run(scenario, out="runs/interference")
    print(experiment.slowdown.collect())
    experiment.together.links.filter(pl.col("class") == "global").collect()

The command line does the same: ``pantala run``, ``check``, ``curve``, ``topology``, ``report``.
"""

from __future__ import annotations

from importlib import import_module

#: The public names by the module that defines them; the models of a scenario come on top. This is
#: the only list: `make generate` writes `__init__.pyi` for type checkers from it. A module is
#: imported when one of its names is first used, so that `pantala bench` does not wait for tables
#: and figures.
_PUBLIC = {
    "pantala.runs.benchmark": ("bench",),
    "pantala.text.capacity": ("Capacity",),
    "pantala.comparison.compare": ("compare",),
    "pantala.comparison.comparison": ("Comparison",),
    "pantala.errors": (
        "Fault",
        "Interrupted",
        "PantalaError",
        "ProgramError",
        "RunDirectoryError",
        "ScenarioError",
        "ScenarioWarning",
        "SimulationError",
        "UsageError",
    ),
    "pantala.api.run": ("run",),
    "pantala.experiments.experiment": ("Experiment",),
    "pantala.experiments.runner": ("sweep",),
    "pantala.runs.load_curve": ("curve",),
    "pantala.api.load": ("load",),
    "pantala.metrics": ("Metric",),
    "pantala.workloads.python_program": ("Program",),
    "pantala.results.run": ("Run",),
    "pantala.core.routings": ("ROUTINGS",),
    "pantala.runs.saturation": ("saturation",),
    "pantala.scenario.json_schema": ("scenario_json_schema",),
    "pantala.text.units": (
        "Bandwidth",
        "Duration",
        "Size",
    ),
}
_MODULE_OF = {name: module for module, names in _PUBLIC.items() for name in names}
__all__ = sorted(["__version__", *_MODULE_OF])


def __getattr__(name: str) -> object:
    if name == "__version__":
        value: object = _version()
    elif name in _MODULE_OF:
        value = getattr(import_module(_MODULE_OF[name]), name)
    else:
        try:
            return import_module(f"pantala.{name}")  # pt.metrics, pt.figures, ...
        except ModuleNotFoundError as error:
            if error.name != f"pantala.{name}":
                raise
        if name not in _scenario_names():
            raise AttributeError(f"module 'pantala' has no attribute '{name}'")
        value = getattr(import_module("pantala.scenario"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__, *_scenario_names()})


def _scenario_names() -> list[str]:
    """Returns the names of `pantala.scenario`, which are names of `pantala` as well."""
    names: list[str] = import_module("pantala.scenario").__all__
    return names


def _version() -> str:
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("pantala")
    except PackageNotFoundError:  # run from the source tree, not installed
        return "0+unknown"
