"""The topology: groups, routers, nodes and the links between them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, ClassVar, Literal

from pydantic import Field
from pydantic_core import PydanticCustomError

from pantala.core.ports import port_counts
from pantala.models.base import Count, Index
from pantala.models.keys import TopologyKeys
from pantala.models.validation import Faults, fault
from pantala.scenario.failed_links import FailedLinksTable
from pantala.scenario.link_files import links_in

__all__ = ["INSIDE", "TITLES", "Topology", "changes_shape", "over_preset"]

#: The link classes inside a group, by kind of topology.
INSIDE: Mapping[str, tuple[str, ...]] = {"dragonfly": ("local",), "dragonfly_2d": ("row", "column")}

#: The name of each kind of topology in sentences.
TITLES: Mapping[str, str] = {
    "dragonfly": "one-dimensional Dragonfly",
    "dragonfly_2d": "two-dimensional Dragonfly",
}
_ONLY_1D = ("links_per_local_pair",)
_ONLY_2D = ("rows", "columns", "links_per_row_pair", "links_per_column_pair")
_CABLES = ("cables_per_pair", "links_per_cable")
_SHAPE = ("p", "a", "rows", "columns", "h", "g")
#: The keys that say which global links there are. A file of links says so too.
_ARRANGEMENT = (
    "links_per_pair",
    "global_arrangement",
    "port_assignment",
    "mirrored",
    "global_arrangement_seed",
)
_GIVEN = ("links_file", "failed_links")


class Topology(TopologyKeys):
    """A Dragonfly: groups of routers with links between every two groups.

    In a one-dimensional group (`dragonfly`), local links connect every two routers. In a
    two-dimensional group (`dragonfly_2d`, as in Cray's Cascade and Aries), the routers form rows
    and columns. Row links connect every two routers of a row. Column links connect every two
    routers of a column.

    Sources: Kim et al., ISCA 2008, for the letters p, a, h and g; Faanes et al., SC 2012, for two
    dimensions.
    """

    from_preset: ClassVar[bool] = True

    kind: Literal["dragonfly", "dragonfly_2d"] = "dragonfly"
    """dragonfly (one-dimensional groups) or dragonfly_2d (groups of rows and columns)."""
    a: Count = Field(default_factory=lambda: 1)  # see complete
    """Routers per group. In two dimensions this is rows * columns and must not be given."""
    rows: Count = Field(default_factory=lambda: 1)  # see complete
    """Rows per group, equal to the routers per column. Only in two dimensions."""
    columns: Count = Field(default_factory=lambda: 1)  # see complete
    """Columns per group, equal to the routers per row. Only in two dimensions."""
    g: Count = Field(default_factory=lambda: 1)  # see complete
    """Groups: at most a*h + 1, which is the default. With fewer groups, a pair of groups can have
    several links."""
    cables_per_pair: Index = 0
    """Optical cables between two groups, to count links in cables: `links_per_pair` is then this
    number times `links_per_cable`. 0 means that links are not counted in cables."""
    links_per_cable: Count = 2
    """Global links per optical cable. Has an effect only with `cables_per_pair`."""
    links_file: str | None = None
    """A file with all links between routers: the table that `pantala topology --links` writes, a
    table of this form (.csv or .parquet) of any network of these groups, or a run directory. It
    replaces the global link arrangement. Links inside groups that it lacks have failed."""
    failed_links: FailedLinksTable | None = None
    """Links between routers that have failed: a list (`["3:12", "4-9"]`), a file, or links drawn at
    random (`{ share = 0.05, seed = 1 }`)."""

    @classmethod
    def complete(cls, data: dict[str, Any]) -> dict[str, Any]:
        """Returns the data with the keys that follow from others.

        These are `a` from rows and columns, the default number of groups, and the links of the
        cables.
        """
        kind = data["kind"]
        if kind not in INSIDE:
            raise fault("is not known", f"choose one of {', '.join(INSIDE)}", "kind")
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
            )  # None: the validation of rows or columns reports the fault
            if data.setdefault("a", routers) != routers:
                faults.append(fault("follows from rows and columns", "remove it", "a"))
        data.setdefault("g", (_product(data, "a", "h") or 0) + 1)
        faults += _count_cables(data)
        faults += _without_arrangement(data)
        if faults:
            raise Faults(faults, data)
        return data

    @classmethod
    def between_keys(cls, data: Mapping[str, Any]) -> Iterator[PydanticCustomError]:
        """Yields a fault for each missing key that this kind of group needs."""
        for key in ("a",) if data["kind"] == "dragonfly" else ("rows", "columns"):
            if key not in data:
                yield fault("is missing", f"add {key} = ...", key)

    @property
    def routers(self) -> int:
        """The number of routers."""
        return self.a * self.g

    @property
    def nodes(self) -> int:
        """The number of nodes."""
        return self.p * self.a * self.g

    @property
    def inside(self) -> tuple[str, ...]:
        """The link classes inside a group: local, or row and column."""
        return INSIDE[self.kind]

    def ports(self) -> dict[str, int]:
        """Returns the number of ports per router by link class, including unconnected ports.

        Raises:
            PlanError: no such network can be built.
        """
        return port_counts(self._numbers())

    def as_plan(self) -> dict[str, Any]:
        """Returns the plan's `topology`, with cables converted to links and the links of files.

        Raises:
            PlanError: a file cannot be read.
        """
        plan = self._numbers()
        if self.links_file is not None:
            plan["links_file"] = links_in(self.links_file, "topology.links_file")
        if self.failed_links is not None:
            plan["link_failures"] = self.failed_links.as_plan()
        return plan

    def _numbers(self) -> dict[str, Any]:
        return self.model_dump(exclude={*_CABLES, *_GIVEN})


def over_preset(preset: Mapping[str, Any], given: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the keys of a preset's topology that remain valid beside the given keys.

    Another kind keeps no key. If the preset has the largest number of groups, another shape has the
    largest number too. Links and cables between groups replace each other. A file of links replaces
    both, and the global link arrangement.
    """
    if given.get("kind", preset["kind"]) != preset["kind"]:
        return {}
    kept = dict(preset)
    routers = preset.get("a") or preset["rows"] * preset["columns"]
    if kept.get("g") == routers * preset["h"] + 1 and given.keys() & {"a", "rows", "columns", "h"}:
        del kept["g"]
    displaced: dict[str, tuple[str, ...]] = {
        "links_per_pair": _CABLES,
        **dict.fromkeys(_CABLES, ("links_per_pair",)),
        "links_file": (*_ARRANGEMENT, *_CABLES),
    }
    for key, others in displaced.items():
        if key in given:
            kept = {name: value for name, value in kept.items() if name not in others}
    return kept


def changes_shape(given: Mapping[str, Any]) -> bool:
    """Returns whether the given keys change the number or the order of nodes."""
    return bool(given.keys() & {"kind", *_SHAPE})


def _foreign(
    data: Mapping[str, Any], kind: str, implied: Mapping[str, Any]
) -> Iterator[PydanticCustomError]:
    """Yields the faults of keys of the other kind, unless they state the implied value."""
    other = next(name for name in INSIDE if name != kind)
    for key, value in implied.items():
        if key in data and data[key] != value:
            yield fault(
                f"is not a key of a {TITLES[kind]}", f"remove it, or write kind = '{other}'", key
            )


def _product(data: Mapping[str, Any], *keys: str) -> int | None:
    """Returns the product of two keys; None if one is missing or not a positive integer."""
    product = 1
    for key in keys:
        value = data.get(key)
        if not isinstance(value, int) or isinstance(value, bool) or value < 1:
            return None
        product *= value
    return product


def _without_arrangement(data: Mapping[str, Any]) -> Iterator[PydanticCustomError]:
    """Yields a fault for each key that a file of links leaves without effect."""
    if data.get("links_file") is None:
        return
    for key in (*_ARRANGEMENT, *_CABLES):
        default = Topology.model_fields[key].default
        if data.get(key, default) != default:
            yield fault("has no effect beside links_file", "remove it, or links_file", key)


def _count_cables(data: dict[str, Any]) -> Iterator[PydanticCustomError]:
    """Sets `links_per_pair` from the cables, and yields a fault if another value is given."""
    cables = data.get("cables_per_pair", 0)
    if not cables:
        return
    links = _product({"links_per_cable": 2} | data, "cables_per_pair", "links_per_cable")
    if links is None:
        return
    if data.get("links_per_pair", links) != links:
        text = " * ".join(_CABLES)
        yield fault(f"is not {text} = {links}", "give either links or cables", "links_per_pair")
    data["links_per_pair"] = links
