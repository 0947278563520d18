"""Compact placement: nodes of few groups (Chunduri et al., IPDPS 2021, V.A)."""

from __future__ import annotations

from pantala.placement.free_nodes import FreeNodes

__all__ = ["USUAL_GROUPS", "compact"]

#: The groups of a compact job in the paper's controlled runs: one or two.
USUAL_GROUPS = 2


def compact(free: FreeNodes, count: int, groups: int | None = None) -> list[int] | None:
    """Returns the first range of free nodes that lies in at most `groups` groups.

    A range has no free node between its nodes, but perhaps nodes of other jobs.

    Args:
        free: the free nodes, which stay as they are.
        count: the number of nodes of the job.
        groups: the largest number of groups; by default two. If no range lies in so few groups, a
            default gives the first range in the smallest number of groups, and a number gives none.
    """
    there = (group for group in free.groups if group)
    nodes, place = list(free), [number for number, group in enumerate(there) for _ in group]
    spans = [place[first + count - 1] - place[first] + 1 for first in range(len(nodes) - count + 1)]
    if not spans:
        return None
    most = USUAL_GROUPS if groups is None else groups
    first = next((first for first, span in enumerate(spans) if span <= most), None)
    if first is None:
        if groups is not None:
            return None
        first = spans.index(min(spans))
    return nodes[first : first + count]
