"""The placements that Python resolves: compact, dispersed, randomly numbered, hybrid.

They become lists of nodes in the plan, or one of the core's placements. The core then places the
other jobs on the nodes that are left.
"""

from pantala.placement.resolve import drawn, placements

__all__ = ["drawn", "placements"]
