"""Papers: one package for everything about a paper, and one registry of the packages.

A paper's package has an object `PAPER` and any of these parts: machine presets (`machines/*.toml`),
mixes of jobs (`mixes/*.toml`), the paper's table of applications (`table.py`), and a study that
repeats its runs and checks its claims (the folder `study`)::

    from pantala import papers
    from pantala.studies import Campaign

    campaign = Campaign(papers.study("kang2022"), Path("runs/kang2022"), quick=True)

The command ``pantala study run kang2022 --quick`` makes its runs.
"""

from __future__ import annotations

from pantala.papers.description import Paper
from pantala.papers.registry import paper, papers, studies, study, table, tables

__all__ = ["Paper", "paper", "papers", "studies", "study", "table", "tables"]
