"""The machinery of studies: points in parallel, steady states, directories, exact link loads.

A study is a campaign of runs that repeats a paper, with the paper's figures and a verdict on each
of its claims. The studies themselves belong to `pantala.papers`.
"""

from __future__ import annotations

from pantala.studies.study import Options, Outcome, Study

__all__ = ["Options", "Outcome", "Study"]
