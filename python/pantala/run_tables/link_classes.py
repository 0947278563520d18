"""Groups of link classes."""

from __future__ import annotations

__all__ = ["INSIDE_GROUPS", "NETWORK"]

#: Classes of links inside a group: local in one dimension, row and column in two.
INSIDE_GROUPS = ("local", "row", "column")
#: Classes of links between routers.
NETWORK = (*INSIDE_GROUPS, "global")
