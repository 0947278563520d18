"""Draws the README's figure from an interference experiment: `make demo`, then `make figure`."""

from __future__ import annotations

import sys

import pantala as pt
from pantala import figures


def main(directory: str, file: str) -> None:
    """Draws throughput over time of every job, alone and together."""
    experiment = pt.load(directory)
    assert isinstance(experiment, pt.Experiment)
    figures.save(figures.throughput(experiment.together, experiment.alone), file, dpi=150)


if __name__ == "__main__":
    main(*sys.argv[1:])
