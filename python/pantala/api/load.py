"""Opens what any command has written: a run, an interference experiment or a sweep."""

from __future__ import annotations

from pathlib import Path

from pantala.experiments.experiment import Experiment
from pantala.experiments.listing import DESCRIPTION_FILE, EXPERIMENTS
from pantala.experiments.stored_experiment import experiment_names
from pantala.files.run_directory import INTERFERENCE_FILE, RUN_FILE
from pantala.results.interference_experiment import InterferenceExperiment, open_run
from pantala.results.run import Run

__all__ = ["load"]


def load(path: str | Path) -> Run | InterferenceExperiment | Experiment:
    """Opens a run directory, or the directory of an interference experiment or of a sweep.

    Args:
        path: the directory; ``DIR/experiments/NAME`` names one of several experiments of a sweep.

    Raises:
        RunDirectoryError: the directory holds none of them.
        UsageError: it holds several experiments.
    """
    place = Path(path)
    if (place / DESCRIPTION_FILE).is_file() and place.parent.name == EXPERIMENTS:
        return Experiment(place.parent.parent, place.name)
    alone = any((place / name).is_file() for name in (RUN_FILE, INTERFERENCE_FILE))
    return Experiment(place) if not alone and experiment_names(place) else open_run(place)
