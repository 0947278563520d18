"""The links: how fast, and how long, a class of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Annotated, Any, ClassVar

from pydantic import Field
from pydantic_core import PydanticCustomError

from pantala.scenario.base import Model, fault
from pantala.scenario.keys import LinkKeys
from pantala.scenario.presets import merge
from pantala.scenario.topology import INSIDE, TITLES

__all__ = ["Link", "Links", "faults_of_classes", "of_kind"]


class Link(LinkKeys):
    """A class of links; every link is a pair of directed channels of this bandwidth and latency."""

    from_preset: ClassVar[bool] = True


class Links(Model):
    """The classes of links of a Dragonfly; which there are inside a group, its kind says."""

    from_preset: ClassVar[bool] = True

    terminal: Link
    """Between a node and its router: injection and ejection."""
    local: Link | None = None
    """Between two routers of a group, in one dimension. In two it stands for row and column, where
    they do not say otherwise themselves."""
    row: Link | None = None
    """Between two routers of a row of a group; two dimensions only (Aries: rank 1, green)."""
    column: Link | None = None
    """Between two routers of a column of a group; two dimensions only (Aries: rank 2, black)."""
    global_: Annotated[Link, Field(alias="global")]
    """Between two groups (Aries: rank 3, blue)."""

    def classes(self) -> dict[str, Link]:
        """The links there are, by class."""
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
    """The classes of links inside a group that the kind of topology does not have, or that are
    missing.
    """
    keys = links.classes() if isinstance(links, Links) else links
    wanted = INSIDE[kind]
    for name in sorted({name for inside in INSIDE.values() for name in inside}):
        there = keys.get(name) is not None
        if there and name not in wanted:
            yield fault(
                f"a {TITLES[kind]} has no such links",
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
    """The keys of `links` as a topology of this kind has them: in two dimensions `local` stands for
    row and column.

    Args:
        links: classes of links, some or all.
        kind: the kind of topology.
        only: whether to leave out classes that it does not have.
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
