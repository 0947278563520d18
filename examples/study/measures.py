"""The measures of the claims: arrays with a value per seed."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from pantala.studies.evidence import Evidence

Measures = Mapping[str, np.ndarray]


def slowdown(evidence: Evidence, routing: str) -> np.ndarray:
    """Returns the slowdown of FFT3D beside Halo3D, for each seed."""
    return evidence.cell("beside", "slowdown", {"routing.algorithm": routing, "name": "fft"})


def worst(evidence: Evidence) -> Measures:
    """Measures the larger slowdown of the two routings."""
    return {"slowdown": np.max([slowdown(evidence, each) for each in ("minimal", "par")], axis=0)}


def difference(evidence: Evidence) -> Measures:
    """Measures how much smaller the slowdown is under PAR."""
    return {"difference": slowdown(evidence, "minimal") - slowdown(evidence, "par")}


MEASURES: Mapping[str, Callable[[Evidence], Measures]] = {"EX-1": worst, "EX-2": difference}
