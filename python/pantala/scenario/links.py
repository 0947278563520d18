"""The link classes of a machine: bandwidth and latency of each."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Annotated, Any, ClassVar

from pydantic import Field
from pydantic_core import PydanticCustomError

from pantala.models.base import Model, fault
from pantala.models.keys import LinkKeys
from pantala.scenario.presets import merge
from pantala.scenario.topology import INSIDE, TITLES

__all__ = ["Link", "Links", "faults_of_classes", "of_kind"]


class Link(LinkKeys):
    """A link class. Each link is a pair of directed channels with this bandwidth and latency."""

    from_preset: ClassVar[bool] = True


class Links(Model):
    """The link classes of a Dragonfly. The kind of topology sets the classes inside a group."""

    from_preset: ClassVar[bool] = True

    terminal: Link
    """Links between a node and its router: injection and ejection."""
    local: Link | None = None
    """Links between two routers of a group, in one dimension. In two dimensions, the default of row
    and column."""
    row: Link | None = None
    """Links between two routers in a row of a group. Only in two dimensions (Aries: rank 1, green).
    """
    column: Link | None = None
    """Links between two routers in a column of a group. Only in two dimensions (Aries: rank 2,
    black)."""
    global_: Annotated[Link, Field(alias="global")]
    """Links between two groups (Aries: rank 3, blue)."""

    def classes(self) -> dict[str, Link]:
        """Returns the given links by class."""
        return {
            name: link
            for name, link in (
                ("terminal", self.terminal),
                ("local", self.local),
                ("row", self.row),
                ("column", self.column),
                ("global", self.global_),
            )
            if link is not None
        }


def faults_of_classes(links: Mapping[str, Any] | Links, kind: str) -> Iterator[PydanticCustomError]:
    """Yields the faults of link classes inside a group that are missing or not allowed."""
    keys = links.classes() if isinstance(links, Links) else links
    wanted = INSIDE[kind]
    for name in sorted({name for inside in INSIDE.values() for name in inside}):
        there = keys.get(name) is not None
        if there and name not in wanted:
            yield fault(
                f"is not a link class of a {TITLES[kind]}",
                f"write {' and '.join(wanted)}",
                "links",
                name,
            )
        if name in wanted and not there:
            yield fault(
                "is missing",
                f"add links.{name} = {{ bandwidth = ..., latency = ... }}",
                "links",
                name,
            )


def of_kind(
    links: Mapping[str, Any] | Links, kind: object, *, only: bool = False
) -> dict[str, Any]:
    """Returns the keys of `links` for a kind of topology.

    In two dimensions, `local` becomes the default of row and column.

    Args:
        links: link classes, some or all.
        kind: the kind of topology.
        only: whether to leave out classes that the topology does not have.
    """
    keys = merge({}, links.classes() if isinstance(links, Links) else links)
    if kind == "dragonfly_2d" and keys.get("local") is not None:
        both = keys.pop("local")
        for name in INSIDE["dragonfly_2d"]:
            keys[name] = _over(both, keys.get(name))
    if only and isinstance(kind, str):
        foreign = {name for inside in INSIDE.values() for name in inside} - {*INSIDE.get(kind, ())}
        keys = {name: value for name, value in keys.items() if name not in foreign}
    return keys


def _over(below: object, above: object) -> object:
    if above is None:
        return below
    return (
        merge(below, above) if isinstance(below, Mapping) and isinstance(above, Mapping) else above
    )
