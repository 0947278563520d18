"""Opens what any command has written: a run or an experiment."""

from __future__ import annotations

from pathlib import Path

from pantala.experiments.experiment import Experiment
from pantala.experiments.listed_cases import experiment_names
from pantala.experiments.listing import DESCRIPTION_FILE, EXPERIMENTS
from pantala.files.run_directory import INTERFERENCE_FILE, RUN_FILE
from pantala.results.run import Run

__all__ = ["load"]


def load(path: str | Path) -> Run | Experiment:
    """Opens a run, or an experiment: an interference experiment or a sweep.

    Args:
        path: the directory; ``DIR/experiments/NAME`` names one of several experiments of a sweep.

    Raises:
        RunDirectoryError: the directory holds none of them.
        UsageError: it holds several experiments.
    """
    place = Path(path)
    if (place / DESCRIPTION_FILE).is_file() and place.parent.name == EXPERIMENTS:
        return Experiment(place.parent.parent, place.name)
    if (place / INTERFERENCE_FILE).is_file():
        return Experiment(place)
    is_run = (place / RUN_FILE).is_file()
    return Experiment(place) if not is_run and experiment_names(place) else Run(place)
