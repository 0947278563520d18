"""Studies: campaigns of runs that repeat a paper, and verdicts on the paper's claims.

A study is a folder with experiments, claims and measures: `read_study` reads it, `Campaign` runs it
and judges its claims. The studies of papers belong to `pantala.papers`. `link_load` computes the
exact loads of links, which measures can compare with runs.
"""

from __future__ import annotations

from pantala.studies.campaign import Campaign
from pantala.studies.definition import StudyDefinition, read_study
from pantala.studies.judgement import Judgement, Verdict

__all__ = [
    "Campaign",
    "Judgement",
    "StudyDefinition",
    "Verdict",
    "read_study",
]
