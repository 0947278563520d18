"""Prisacari et al., HPSR 2015: bottlenecks inside groups under Valiant's routing, and two ways
round them.
"""

from pantala.studies.prisacari2015.campaign import run
from pantala.studies.registry import Study

__all__ = ["STUDY"]

STUDY = Study(
    name="prisacari2015",
    title=(
        "ValiantRestricted against ValiantAny under bit complement, shift and nearest neighbour, 42"
        " to 16,512 nodes"
    ),
    source="Prisacari et al., HPSR 2015",
    run=run,
)
