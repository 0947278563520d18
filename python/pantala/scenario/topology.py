"""The topology: what is wired to what."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, ClassVar, Literal

from pydantic import Field, model_validator
from pydantic_core import PydanticCustomError

from pantala.scenario.base import Count, Index
from pantala.scenario.keys import TopologyKeys
from pantala.scenario.validation import Faults, fault

__all__ = ["INSIDE", "TITLES", "Topology", "changes_shape", "over_preset"]

#: The classes of links inside a group, a kind of topology.
INSIDE: Mapping[str, tuple[str, ...]] = {"dragonfly": ("local",), "dragonfly_2d": ("row", "column")}

#: What a kind of topology is called in sentences.
TITLES: Mapping[str, str] = {
    "dragonfly": "one-dimensional Dragonfly",
    "dragonfly_2d": "two-dimensional Dragonfly",
}
_ONLY_1D = ("links_per_local_pair",)
_ONLY_2D = ("rows", "columns", "links_per_row_pair", "links_per_column_pair")
_CABLES = ("cables_per_pair", "links_per_cable")
_SHAPE = ("p", "a", "rows", "columns", "h", "g")


class Topology(TopologyKeys):
    """A Dragonfly: groups of routers, every two groups connected.

    In a one-dimensional one (`dragonfly`) all routers of a group are connected with each other:
    local links. In a two-dimensional one (`dragonfly_2d`, as Cray's Cascade and Aries) the routers
    of a group stand in rows and columns; those of a row are connected with each other, and those of
    a column: row links and column links.

    Sources: Kim et al., ISCA 2008, whose letters these are; Faanes et al., SC 2012, for two
    dimensions.
    """

    from_preset: ClassVar[bool] = True

    kind: Literal["dragonfly", "dragonfly_2d"] = "dragonfly"
    """dragonfly (one-dimensional groups) or dragonfly_2d (groups of rows and columns)."""
    a: Count = Field(default_factory=lambda: 1)  # see complete
    """Routers per group; in two dimensions rows * columns, and not to be given."""
    rows: Count = Field(default_factory=lambda: 1)  # see complete
    """Rows of a group, which is the number of routers in a column; two dimensions only."""
    columns: Count = Field(default_factory=lambda: 1)  # see complete
    """Columns of a group, which is the number of routers in a row; two dimensions only."""
    g: Count = Field(default_factory=lambda: 1)  # see complete
    """Groups: at most a*h + 1, which is the default; with fewer, pairs of groups can have several
    links."""
    cables_per_pair: Index = 0
    """Optical cables between two groups, if links are counted in cables: `links_per_pair` is then
    this times `links_per_cable`. 0 means that they are not."""
    links_per_cable: Count = 2
    """Global links in an optical cable; matters with `cables_per_pair` only."""

    @classmethod
    def complete(cls, data: dict[str, Any]) -> dict[str, Any]:
        """What follows from the keys given: rows and columns or `a`, all groups that fit, the links
        of the cables.
        """
        kind = data["kind"]
        if kind not in INSIDE:
            raise fault("is not known", f"known: {', '.join(INSIDE)}", "kind")
        if kind == "dragonfly":
            faults = list(
                _foreign(
                    data,
                    kind,
                    {"rows": 1, "columns": data.get("a")} | dict.fromkeys(_ONLY_2D[2:], 1),
                )
            )
            data |= {"rows": 1, "columns": data.get("a", 1)}
        else:
            faults = list(_foreign(data, kind, dict.fromkeys(_ONLY_1D, 1)))
            routers = (
                _product(data, "rows", "columns") or 1
            )  # or rows or columns are at fault, and will say so
            if data.setdefault("a", routers) != routers:
                faults.append(fault("follows from rows and columns", "remove it", "a"))
        data.setdefault("g", (_product(data, "a", "h") or 0) + 1)
        faults += _count_cables(data)
        if faults:
            raise Faults(faults, data)
        return data

    @classmethod
    def between_keys(cls, data: Mapping[str, Any]) -> Iterator[PydanticCustomError]:
        """The keys that this kind of group needs."""
        for key in ("a",) if data["kind"] == "dragonfly" else ("rows", "columns"):
            if key not in data:
                yield fault("is missing", f"add {key} = ...", key)

    @model_validator(mode="after")
    def _what_follows(self) -> Topology:
        self._follows(*(("rows", "columns") if self.kind == "dragonfly" else ("a",)))
        if self.g == self.a * self.h + 1:
            self._follows("g")
        if self.cables_per_pair:
            self._follows("links_per_pair")
        return self

    @property
    def routers(self) -> int:
        """Number of routers."""
        return self.a * self.g

    @property
    def nodes(self) -> int:
        """Number of nodes."""
        return self.p * self.a * self.g

    @property
    def inside(self) -> tuple[str, ...]:
        """The classes of links inside a group: local, or row and column."""
        return INSIDE[self.kind]

    def ports(self) -> dict[str, int]:
        """Ports of a router, a class of links, those that lead nowhere included."""
        inside = (
            {"local": (self.a - 1) * self.links_per_local_pair}
            if self.kind == "dragonfly"
            else {
                "row": (self.columns - 1) * self.links_per_row_pair,
                "column": (self.rows - 1) * self.links_per_column_pair,
            }
        )
        return {"terminal": self.p, **inside, "global": self.h}

    def as_plan(self) -> dict[str, Any]:
        """The plan's `topology`: cables are links by now."""
        return self.model_dump(exclude=set(_CABLES))


def over_preset(preset: Mapping[str, Any], given: Mapping[str, Any]) -> dict[str, Any]:
    """The keys of a preset's topology that still hold beside those given: another shape asks for
    other numbers.

    Another kind leaves nothing. A preset of all groups that fit stays one of all groups that fit.
    Links and cables between groups displace each other.
    """
    if given.get("kind", preset["kind"]) != preset["kind"]:
        return {}
    kept = dict(preset)
    routers = preset.get("a") or preset["rows"] * preset["columns"]
    if kept.get("g") == routers * preset["h"] + 1 and given.keys() & {"a", "rows", "columns", "h"}:
        del kept["g"]
    displaced = {"links_per_pair": _CABLES} | dict.fromkeys(_CABLES, ("links_per_pair",))
    for key, others in displaced.items():
        if key in given:
            kept = {name: value for name, value in kept.items() if name not in others}
    return kept


def changes_shape(given: Mapping[str, Any]) -> bool:
    """Whether the keys given make another number or order of nodes."""
    return bool(given.keys() & {"kind", *_SHAPE})


def _foreign(
    data: Mapping[str, Any], kind: str, implied: Mapping[str, Any]
) -> Iterator[PydanticCustomError]:
    """The keys of the other kind, unless they say what is so anyway."""
    other = next(name for name in INSIDE if name != kind)
    for key, value in implied.items():
        if key in data and data[key] != value:
            yield fault(
                f"is no key of a {TITLES[kind]}", f"remove it, or write kind = '{other}'", key
            )


def _product(data: Mapping[str, Any], *keys: str) -> int | None:
    """The product of two keys; None if one is missing or no positive number, which its field will
    say.
    """
    product = 1
    for key in keys:
        value = data.get(key)
        if not isinstance(value, int) or isinstance(value, bool) or value < 1:
            return None
        product *= value
    return product


def _count_cables(data: dict[str, Any]) -> Iterator[PydanticCustomError]:
    """Sets `links_per_pair` from the cables, if there are any; a fault if it says something
    else.
    """
    cables = data.get("cables_per_pair", 0)
    if not cables:
        return
    links = _product({"links_per_cable": 2} | data, "cables_per_pair", "links_per_cable")
    if links is None:
        return
    if data.get("links_per_pair", links) != links:
        told = " * ".join(_CABLES)
        yield fault(f"but {told} = {links}", "give either links or cables", "links_per_pair")
    data["links_per_pair"] = links
