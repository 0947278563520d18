"""The plan's placements of all jobs: what Python resolves, and what it leaves to the core."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from pantala import native
from pantala.errors import PlanError
from pantala.placement.compact import compact
from pantala.placement.dispersed import dispersed
from pantala.placement.free_nodes import FreeNodes, shuffled
from pantala.placement.hybrid import random_jobs

if TYPE_CHECKING:
    from pantala.scenario.machine import Machine

__all__ = ["drawn", "placements"]

#: The core's placement for a job that cannot be placed because all jobs together need more nodes
#: than there are. The core finds that before it places any job, and says so.
_ANY = {"kind": "random"}


def placements(plan: Mapping[str, Any], machine: Machine) -> list[dict[str, Any]]:
    """Returns the placement of each job in a plan, with kinds that the core knows.

    Lists of nodes and contiguous jobs with a first node keep their nodes. Then come, each in the
    order of the plan, compact jobs, jobs under a random numbering of groups, and dispersed jobs.
    The core places contiguous and random jobs on the nodes that are left.

    Args:
        plan: a plan whose placements have the kinds of a scenario.
        machine: the machine of the plan.

    Raises:
        PlanError: a job cannot get its nodes. The key is in the plan.
    """
    jobs = plan["jobs"]
    found = [dict(job["placement"]) for job in jobs]
    _hybrid(plan, found)
    if not any(_by_python(each) for each in found):
        return found
    free = FreeNodes(machine.nodes, machine.topology.g, machine.service_ranges())
    counts = [_nodes_of(job) for job in jobs]
    if sum(counts) > len(free):
        return [_ANY if _by_python(each) else each for each in found]
    for each, count in zip(found, counts, strict=True):
        free.take(_fixed(each, count, free))
    seed = plan["seed"]
    for kind in ("compact", "contiguous", "dispersed"):
        for number, each in enumerate(found):
            if each["kind"] == kind and _by_python(each):
                nodes = _placed(free, each, counts[number], seed, jobs, number)
                free.take(nodes)
                found[number] = {"kind": "nodes", "nodes": nodes}
    return found


def drawn(placements: Iterable[Mapping[str, Any]]) -> bool:
    """Returns whether a job's nodes in the plan, not only in the core, can follow from the seed.

    The intensity of a job, which hybrid placements compare, can contain random messages.

    Args:
        placements: placements with the kinds of a scenario.
    """
    return any(
        each["kind"] == "hybrid" or (each["kind"] != "compact" and _by_python(each))
        for each in placements
    )


def _by_python(placement: Mapping[str, Any]) -> bool:
    return placement["kind"] in {"compact", "dispersed"} or "numbering" in placement


def _nodes_of(job: Mapping[str, Any]) -> int:
    """Returns the number of nodes of a job in a plan."""
    if job["placement"]["kind"] == "ranks":
        return len(set(job["placement"]["nodes"]))
    ranks: int = job["ranks"]
    return -(-ranks // int(job["ranks_per_node"]))


def _fixed(placement: Mapping[str, Any], count: int, free: FreeNodes) -> Sequence[int]:
    """Returns the nodes that a placement names; none if it names no nodes."""
    if placement["kind"] in {"nodes", "ranks"}:
        nodes: list[int] = placement["nodes"]
        return nodes
    if placement["kind"] == "contiguous" and "first_node" in placement:
        first = placement["first_node"]
        following = (node for node in range(first, free.nodes) if node not in free.service)
        return [node for node, _ in zip(following, range(count), strict=False)]
    return ()


def _placed(
    free: FreeNodes,
    placement: Mapping[str, Any],
    count: int,
    seed: int,
    jobs: Sequence[Mapping[str, Any]],
    number: int,
) -> list[int]:
    """Returns the nodes of a job that Python places."""
    groups = placement.get("groups")
    if placement["kind"] == "compact":
        nodes = compact(free, count, groups)
    elif placement["kind"] == "dispersed":
        nodes = dispersed(free, count, groups, seed, jobs[number]["name"])
    else:
        nodes = _numbered(free, count, seed)
    if nodes is not None:
        return nodes
    key = f"jobs[{number}].placement"
    if groups is None:
        raise PlanError(
            f"{key}.kind",
            placement["kind"],
            f"no {count} consecutive nodes are free under this numbering",
            'take placement = "random_groups", or list this job first',
        )
    given = (f"{key}.groups", str(groups))
    if placement["kind"] == "dispersed" and groups > count:
        remedy = f"write at most {count}"
        raise PlanError(*given, f"are more groups than the job has nodes ({count})", remedy)
    there = sum(1 for group in free.groups if group)
    message = (
        f"no {groups} of the {there} groups with free nodes have {count} free nodes for this job"
    )
    if placement["kind"] == "compact":
        message = f"no range of {count} free nodes lies in so few groups"
    raise PlanError(*given, message, "raise the number, or remove it for the default")


def _numbered(free: FreeNodes, count: int, seed: int) -> list[int] | None:
    """Returns the first `count` nodes that follow each other in a random order of the groups.

    All jobs of a run have the same order. A service node separates nothing, a job's node does.
    """
    nodes: list[int] = []
    for group in shuffled(range(len(free.groups)), seed, "numbering of groups"):
        there = set(free.groups[group])
        for node in range(group * free.group_size, (group + 1) * free.group_size):
            if node in there:
                nodes.append(node)
                if len(nodes) == count:
                    return nodes
            elif node not in free.service:
                nodes.clear()
    return None


def _hybrid(plan: Mapping[str, Any], found: list[dict[str, Any]]) -> None:
    """Replaces hybrid placements by contiguous and random ones."""
    hybrid = {
        job["name"]: each.get("random_from")
        for job, each in zip(plan["jobs"], found, strict=True)
        if each["kind"] == "hybrid"
    }
    if not hybrid:
        return
    chosen = random_jobs(_intensity(plan, hybrid), hybrid)
    for job, each in zip(plan["jobs"], found, strict=True):
        if job["name"] in hybrid:
            each.clear()
            each["kind"] = "random" if job["name"] in chosen else "contiguous"


def _intensity(plan: Mapping[str, Any], names: Mapping[str, Any]) -> dict[str, float]:
    """Returns the bytes that a rank sends on average, by job; infinite if nobody knows them."""
    jobs = [{**job, "placement": _ANY} for job in plan["jobs"] if job["name"] in names]
    try:
        sent = native.expected_traffic({**plan, "jobs": jobs})
    except PlanError:  # a wrong workload, which the core reports with its key
        return dict.fromkeys(names, math.inf)
    return {
        job["name"]: sent[job["name"]]["bytes"] / job["ranks"] if job["name"] in sent else math.inf
        for job in jobs
    }
