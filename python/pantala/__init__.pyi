# `make generate` writes this file from the list in __init__.py; do not edit it.
from pantala.benchmark import bench as bench
from pantala.capacity import Capacity as Capacity
from pantala.comparison.comparison import Comparison as Comparison, compare as compare
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
from pantala.execution import run as run
from pantala.experiments.dataset import Experiment as Experiment
from pantala.experiments.runner import sweep as sweep
from pantala.load_curve import curve as curve
from pantala.loading import load as load
from pantala.metrics import Metric as Metric
from pantala.programs import Program as Program
from pantala.results import InterferenceExperiment as InterferenceExperiment, Run as Run
from pantala.routings import ROUTINGS as ROUTINGS
from pantala.saturation_load import saturation as saturation
from pantala.scenario.json_schema import scenario_json_schema as scenario_json_schema
from pantala.units import Bandwidth as Bandwidth, Duration as Duration, Size as Size
from pantala.scenario import *
from pantala.scenario.workload import *
from pantala.scenario.workload.ember import *

__version__: str
