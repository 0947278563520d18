"""Caveats: what makes results approximate, partial or a single sample, in sentences.

`facts_of` reads the facts of one run from its plan and its results. `caveats_of` turns the facts of
one run, or of a set of runs, into sentences. Every output that shows results begins with them:
console, reports, figures.
"""

from pantala.caveats.caveat import Caveat
from pantala.caveats.facts import Facts, Overlap, facts_of, facts_of_run
from pantala.caveats.job_spans import beside_others, spans_of_run
from pantala.caveats.overlaps import MOSTLY
from pantala.caveats.words import ONE_SEED, Absent, caveats_of, equal_seeds

__all__ = [
    "MOSTLY",
    "ONE_SEED",
    "Absent",
    "Caveat",
    "Facts",
    "Overlap",
    "beside_others",
    "caveats_of",
    "equal_seeds",
    "facts_of",
    "facts_of_run",
    "spans_of_run",
]
