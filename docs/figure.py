"""Draws the figure of the README from an interference study: `make demo`, then `make figure`."""

from __future__ import annotations

import sys

import pantala as pt
from pantala import figures


def main(directory: str, file: str) -> None:
    """Draws throughput over time of every job, alone and together."""
    study = pt.load(directory)
    assert isinstance(study, pt.InterferenceRun)
    figures.save(figures.throughput(study.together, study.alone), file, dpi=150)


if __name__ == "__main__":
    main(*sys.argv[1:])
