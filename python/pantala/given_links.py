"""The topology of a plan, with links that a file gives and links that have failed, as numbers."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from functools import lru_cache
from hashlib import blake2b
from typing import TYPE_CHECKING, Any, NamedTuple

from pantala import native
from pantala.errors import PlanError, show
from pantala.link_files import End, Row, Shape, checked_links, ends_in, link_rows, parse_link

if TYPE_CHECKING:
    from pantala.scenario.failed_links import FailedLinks
    from pantala.scenario.topology import Topology

__all__ = ["failed_counts", "failed_words", "topology_plan"]

_FILE = "topology.links_file"
_FAILED = "topology.failed_links"


class _Link(NamedTuple):
    """A link of a network, from its lower end to its higher."""

    source: End
    target: End
    link_class: str


def topology_plan(topology: Topology) -> dict[str, Any]:
    """Returns the plan's `topology`.

    `global_links` has the global links of `links_file`. `failed_links` has one end of each link
    that has failed or that the file lacks.

    Raises:
        PlanError: a file cannot be read, or names links that the network cannot have.
    """
    plan = topology.as_plan()
    failed: set[End] = set()
    if topology.links_file is not None:
        links = _read(topology, plan)
        plan["global_links"] = _in_order(topology, links)
        there = {row.source for row in links} | {row.target for row in links}
        failed |= {
            link.source
            for link in _links(plan)
            if link.link_class != "global" and link.source not in there
        }
    if topology.failed_links is not None:
        failed |= _failed(topology, topology.failed_links, plan, failed)
    if failed:
        plan["failed_links"] = [list(end) for end in sorted(failed)]
    return plan


def failed_counts(topology: Topology) -> dict[str, int]:
    """Returns the number of failed links by link class, without classes that have none.

    Raises:
        PlanError: a file cannot be read, or names links that the network cannot have.
    """
    counts: dict[str, int] = {}
    ports = [name for name, count in topology.ports().items() for _ in range(count)]
    for _, port in topology_plan(topology).get("failed_links", ()):
        counts[ports[port]] = counts.get(ports[port], 0) + 1
    return counts


def failed_words(failed: Mapping[str, int]) -> str:
    """Returns the numbers of failed links in words: "3 local links and 1 global link".

    Args:
        failed: the number by link class, as in `derived.failed_links` of a resolved plan.
    """
    each = (f"{count:,} {name} link{'' if count == 1 else 's'}" for name, count in failed.items())
    return " and ".join(each)


def _read(topology: Topology, plan: Mapping[str, Any]) -> list[Row]:
    """Returns the links of the file, each once."""
    name = str(topology.links_file)
    local: dict[End, End] = {}
    for link in _links({**plan, "global_links": []}):
        local |= {link.source: link.target, link.target: link.source}
    shape = Shape(topology.routers, topology.a, topology.ports(), local)
    return checked_links(link_rows(name, _FILE), shape, name, _FILE)


def _in_order(topology: Topology, links: list[Row]) -> list[list[int]]:
    """Returns the global links as numbers, in the order of their parallel indices per pair."""
    ports = topology.ports()
    first = sum(ports.values()) - ports["global"]
    found = []
    for row in links:
        if row.source.port < first:
            continue
        low, high = sorted((row.source, row.target))
        groups = low.router // topology.a, high.router // topology.a
        index = 0 if row.parallel_index is None else row.parallel_index
        found.append((groups, index, [*low, *high]))
    return [ends for *_, ends in sorted(found)]


def _failed(
    topology: Topology, failed: FailedLinks, plan: Mapping[str, Any], absent: set[End]
) -> set[End]:
    """Returns the lower end of each link that has failed: the listed ones and the drawn ones."""
    links = _links(plan)
    by_end = {end: link.source for link in links for end in (link.source, link.target)}
    by_routers: dict[frozenset[int], set[End]] = {}
    for link in links:
        routers = frozenset((link.source.router, link.target.router))
        by_routers.setdefault(routers, set()).add(link.source)
    gone: set[End] = set()
    for key, value, place, named in _listed(failed):
        if isinstance(named, End):
            found = {by_end[named]} if named in by_end else set()
            message = f"router {named.router} has no link to a router at port {named.port}"
        else:
            found = by_routers.get(frozenset(named), set())
            message = f"no link joins routers {named[0]} and {named[1]}"
        if not found:
            remedy = "list the links with `pantala topology ... --links FILE`"
            raise PlanError(key, show(value), f"{place}{message}", remedy)
        gone |= found
    return gone | _drawn(
        topology, failed, [link for link in links if link.source not in absent | gone]
    )


def _listed(failed: FailedLinks) -> Iterator[tuple[str, str, str, End | tuple[int, int]]]:
    """Yields the listed links: key, value, place in the file, and the link."""
    for number, text in enumerate(failed.links):
        yield f"{_FAILED}.links[{number}]", text, "", parse_link(text)
    if failed.file is not None:
        key = f"{_FAILED}.file"
        for place, named in ends_in(failed.file, key):
            yield key, failed.file, f"{place}: ", named


def _drawn(topology: Topology, failed: FailedLinks, links: list[_Link]) -> set[End]:
    """Returns the links that are drawn among those that are left."""
    if not failed.draws:
        return set()
    if failed.link_class not in (*topology.inside, "global"):
        key, known = f"{_FAILED}.link_class", ", ".join((*topology.inside, "global"))
        message = "is no link class of this topology"
        raise PlanError(key, show(failed.link_class), message, f"choose one of {known}")
    ends = [link.source for link in links if link.link_class == failed.link_class]
    wanted = failed.count
    if wanted is None:
        wanted = int((failed.share or 0.0) * len(ends) + 0.5)
    if wanted > len(ends):
        message = f"is more than the {len(ends)} {failed.link_class} links"
        raise PlanError(f"{_FAILED}.count", str(wanted), message, "lower it")
    return set(sorted(ends, key=lambda end: _draw(failed.seed, end))[:wanted])


def _draw(seed: int, end: End) -> bytes:
    """Returns the place of a link in the random order of a seed."""
    return blake2b(f"{seed} {end.router} {end.port}".encode(), digest_size=16).digest()


def _links(plan: Mapping[str, Any]) -> tuple[_Link, ...]:
    """Returns all links between routers, each once."""
    return _links_of(json.dumps(plan, sort_keys=True))


@lru_cache(maxsize=8)
def _links_of(plan: str) -> tuple[_Link, ...]:
    table = native.link_table(json.loads(plan))
    names = ("source_router", "source_port", "target_router", "target_port", "class")
    rows = zip(*(table[name] for name in names), strict=True)
    links = (_Link(End(*row[:2]), End(*row[2:4]), row[4]) for row in rows)
    return tuple(link for link in links if link.source < link.target)
