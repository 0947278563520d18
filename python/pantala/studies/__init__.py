"""Studies: campaigns of runs that repeat a paper, and verdicts on the paper's claims.

A study is a folder with experiments, claims and measures: `read_study` reads it, `Campaign` runs it
and judges its claims. The studies of papers belong to `pantala.papers`. The study of Prisacari et
al. has a form of its own (`Study`): points that are simulated until they are precise, and the exact
loads of links.
"""

from __future__ import annotations

from pantala.studies.campaign import Campaign
from pantala.studies.definition import StudyDefinition, read_study
from pantala.studies.judgement import Judgement, Verdict
from pantala.studies.study import Options, Outcome, Study

__all__ = [
    "Campaign",
    "Judgement",
    "Options",
    "Outcome",
    "Study",
    "StudyDefinition",
    "Verdict",
    "read_study",
]
