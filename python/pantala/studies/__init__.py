"""Studies: campaigns of runs that repeat what a paper has found, with its figures and a verdict on
each claim.

::

    from pantala import studies

    study = studies.study("prisacari2015")
    study.run(studies.Options(out=Path("runs/prisacari2015"), quick=True))

The same as a command: ``pantala study run prisacari2015 --quick``.
"""

from pantala.studies.registry import Options, Outcome, Study, studies, study

__all__ = ["Options", "Outcome", "Study", "studies", "study"]
