"""Dispersed placement: as many nodes in each of many groups (Chunduri et al., IPDPS 2021, V.A)."""

from __future__ import annotations

from pantala.placement.free_nodes import FreeNodes, shuffled

__all__ = ["dispersed"]


def dispersed(
    free: FreeNodes, count: int, groups: int | None, seed: int, name: str
) -> list[int] | None:
    """Returns random free nodes of random groups, in the order of their numbers.

    Each group gives the same number of nodes, give or take one. A group with fewer free nodes gives
    all it has, and the others give more.

    Args:
        free: the free nodes, which stay as they are.
        count: the number of nodes of the job.
        groups: the number of groups; by default all groups with free nodes, at most `count`.
        seed: the scenario's seed.
        name: the job's name.

    Returns:
        The nodes, or None if no such number of groups has enough free nodes.
    """
    there = [group for group, nodes in enumerate(free.groups) if nodes]
    wanted = min(len(there), count) if groups is None else groups
    order = shuffled(there, seed, "dispersed groups", name)
    chosen = order[:wanted]
    if len(chosen) < wanted or wanted > count:
        return None
    missing = count - sum(len(free.groups[group]) for group in chosen)
    if missing > 0:  # the groups with most room hold the job, if any do
        chosen = sorted(order, key=lambda group: -len(free.groups[group]))[:wanted]
    shares = _shares([len(free.groups[group]) for group in chosen], count)
    if shares is None:
        return None
    taken: list[int] = []
    for group, share in zip(chosen, shares, strict=True):
        taken += shuffled(free.groups[group], seed, "dispersed nodes", name)[:share]
    return sorted(taken)


def _shares(room: list[int], count: int) -> list[int] | None:
    """Returns how many nodes each group gives, as equal as their room allows."""
    if sum(room) < count:
        return None
    shares = [0] * len(room)
    while count:
        least = min(share for share, size in zip(shares, room, strict=True) if share < size)
        for group, size in enumerate(room):
            if count and shares[group] == least and least < size:
                shares[group] += 1
                count -= 1
    return shares
