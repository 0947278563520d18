# `make generate` writes this file from the list in __init__.py; do not edit it.
from pantala.runs.benchmark import bench as bench
from pantala.text.capacity import Capacity as Capacity
from pantala.comparison.compare import compare as compare
from pantala.comparison.comparison import Comparison as Comparison
from pantala.errors import (
    Fault as Fault,
    Interrupted as Interrupted,
    PantalaError as PantalaError,
    ProgramError as ProgramError,
    RunDirectoryError as RunDirectoryError,
    ScenarioError as ScenarioError,
    ScenarioWarning as ScenarioWarning,
    SimulationError as SimulationError,
    UsageError as UsageError,
)
from pantala.api.run import run as run
from pantala.experiments.experiment import Experiment as Experiment
from pantala.experiments.runner import sweep as sweep
from pantala.runs.load_curve import curve as curve
from pantala.api.load import load as load
from pantala.metrics import Metric as Metric
from pantala.workloads.python_program import Program as Program
from pantala.results.run import Run as Run
from pantala.core.routings import ROUTINGS as ROUTINGS
from pantala.runs.saturation import saturation as saturation
from pantala.scenario.json_schema import scenario_json_schema as scenario_json_schema
from pantala.text.units import Bandwidth as Bandwidth, Duration as Duration, Size as Size
from pantala.scenario import *
from pantala.workloads import Compute as Compute, Workload as Workload
from pantala.workloads import Workloads as Workloads
from pantala.workloads.kinds import *

__version__: str
