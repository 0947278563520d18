"""Opens what any command has written: a run or an experiment."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from pantala.files.run_directory import (
    DESCRIPTION_FILE,
    EXPERIMENTS,
    INTERFERENCE_FILE,
    RUN_FILE,
)
from pantala.files.run_files import check_directory
from pantala.results.run import Run

if TYPE_CHECKING:
    from pantala.experiments.experiment import Experiment

__all__ = ["load"]


def load(path: str | Path) -> Run | Experiment:
    """Opens a run, or an experiment: an interference experiment or a sweep.

    Args:
        path: the directory; ``DIR/experiments/NAME`` names one of several experiments of a sweep.

    Raises:
        RunDirectoryError: the directory holds none of them, or is a file.
        UsageError: it holds several experiments.
    """
    place = Path(path)
    check_directory(place)
    is_named = (place / DESCRIPTION_FILE).is_file() and place.parent.name == EXPERIMENTS
    is_run = (place / RUN_FILE).is_file() and not (place / INTERFERENCE_FILE).is_file()
    if is_run and not is_named:
        return Run(place)
    # A run needs none of the models of scenarios.
    from pantala.experiments.experiment import Experiment
    from pantala.files.run_directory import experiment_names

    if is_named:
        return Experiment(place.parent.parent, place.name)
    found = (place / INTERFERENCE_FILE).is_file() or experiment_names(place)
    return Experiment(place) if found else Run(place)
