"""The 48 tiles of an Aries router: the map from links to tiles, and the counters of each tile.

`docs/explanation/tiles.md` describes the map.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import polars as pl

from pantala.core.ports import port_counts
from pantala.errors import UsageError

__all__ = [
    "TILE_CLASSES",
    "has_tiles",
    "link_counters",
    "tile_counters",
    "tile_jobs",
    "tile_kinds",
    "tile_map",
]

#: Columns of the 6 x 8 tiles of a router. Rows 0 to 4 are network tiles, row 5 is processor tiles.
_COLUMNS = 8
#: First tile and number of tiles of each class, with the link classes that the tiles count.
TILE_CLASSES: dict[str, tuple[int, int, tuple[str, ...]]] = {
    "rank-1": (0, 15, ("row",)),
    "rank-2": (15, 15, ("column",)),
    "rank-3": (30, 10, ("global",)),
    "processor": (40, 8, ("injection", "ejection")),
}
_TILES = 48


def has_tiles(topology: Mapping[str, Any]) -> bool:
    """Returns whether the routers of a topology fit into the 48 tiles of an Aries router.

    Args:
        topology: `topology` of a resolved plan.
    """
    return _misfit(topology) is None


def tile_map(links: pl.DataFrame, topology: Mapping[str, Any]) -> pl.DataFrame:
    """Returns the tiles of all routers, each with the directed link that it counts.

    Args:
        links: rows of `Run.links`: `link`, `class`, `source_router`, `source_port`,
            `target_router`, `target_port`.
        topology: `topology` of the resolved plan.

    Returns:
        `router`, `tile` (0 to 47), `tile_row`, `tile_column`, `class` (a key of `TILE_CLASSES`),
        `link` and `link_class`, sorted by router and tile. Each directed link has exactly one tile.
        Both link columns are null for an unused tile.

    Raises:
        UsageError: the machine has no rows and columns, or more links than tiles.
    """
    misfit = _misfit(topology)
    if misfit:
        raise UsageError(misfit)
    sent = pl.col("class") != "injection"
    port = pl.when(sent).then("source_port").otherwise("target_port").cast(pl.Int64)
    first = TILE_CLASSES["processor"][0]
    counts = port_counts(topology)
    shifts, ports = {}, 0  # from the first port of a class to the first tile of the class
    for name, count in counts.items():
        shifts[name] = (
            next((tile for tile, _, of in TILE_CLASSES.values() if name in of), 0) - ports
        )
        ports += count
    shift = pl.col("class").replace_strict(shifts, default=0, return_dtype=pl.Int64)
    tile = (
        pl.when(pl.col("class").is_in(["injection", "ejection"]))
        .then(first + 2 * port + (pl.col("class") == "ejection"))
        .otherwise(port + shift)
    )
    used = links.select(
        router=pl.when(sent).then("source_router").otherwise("target_router").cast(pl.UInt32),
        tile=tile.cast(pl.UInt8),
        link="link",
        link_class="class",
    )
    routers = int(topology["g"]) * int(topology["rows"]) * int(topology["columns"])
    classes = [name for name, (_, count, _) in TILE_CLASSES.items() for _ in range(count)]
    tiles = pl.DataFrame(
        {
            "tile": range(_TILES),
            "tile_row": [each // _COLUMNS for each in range(_TILES)],
            "tile_column": [each % _COLUMNS for each in range(_TILES)],
            "class": classes,
        },
        schema_overrides={"tile": pl.UInt8, "tile_row": pl.UInt8, "tile_column": pl.UInt8},
    )
    every = pl.DataFrame({"router": pl.arange(routers, eager=True, dtype=pl.UInt32)})
    return (
        every.join(tiles, how="cross")
        .join(used, on=["router", "tile"], how="left")
        .sort("router", "tile")
    )


def link_counters(links: pl.DataFrame, flit_time_ps: Mapping[str, int]) -> pl.DataFrame:
    """Returns the counters of all directed links, in flits.

    Args:
        links: rows of `Run.links`.
        flit_time_ps: the time of a flit by link class (`derived.flit_time_ps` of the plan).

    Returns:
        `link`, `router` (the router that sends; for an injection link, the router that receives),
        `class` (the link class), `packets` and `bytes` (if the rows have them), `flits`,
        `stall_ns`, `stalled_flits` (stall time over the time of a flit), `stalls_to_flits` (null
        without a flit).
    """
    flit_ns = _flit_ns(flit_time_ps)
    return links.select(
        "link",
        pl.col("source_router").fill_null(pl.col("target_router")).alias("router"),
        "class",
        pl.col("^(packets|bytes)$"),  # both, if the table has them
        (pl.col("busy_ns") / flit_ns).round().cast(pl.UInt64).alias("flits"),
        "stall_ns",
        (pl.col("stall_ns") / flit_ns).alias("stalled_flits"),
    ).with_columns(
        stalls_to_flits=pl.when(pl.col("flits") > 0).then(pl.col("stalled_flits") / pl.col("flits"))
    )


def tile_counters(mapped: pl.DataFrame, counters: pl.DataFrame) -> pl.DataFrame:
    """Returns the counters of all tiles over a whole run.

    Args:
        mapped: the result of `tile_map`.
        counters: the result of `link_counters`.

    Returns:
        The columns of `tile_map`, and those of `link_counters` from `packets` on. The counters of
        an unused tile are null.
    """
    return mapped.join(counters.drop("router", "class"), "link", "left").sort("router", "tile")


def tile_kinds(
    mapped: pl.DataFrame, ports: pl.DataFrame, flit_time_ps: Mapping[str, int]
) -> pl.DataFrame:
    """Returns the flits and the stall of requests and responses on each connected tile.

    Args:
        mapped: the result of `tile_map`.
        ports: rows of `Run.port_windows` of one window length, split by kind.
        flit_time_ps: the time of a flit by link class.

    Returns:
        The columns of `tile_map`, `kind`, `packets`, `bytes`, `flits`, `stall_ns`,
        `stalled_flits`, sorted; a kind without traffic on a tile has zeros.

    Raises:
        UsageError: the rows are not split by kind, or have several window lengths.
    """
    if ports["window_ns"].n_unique() > 1:
        raise UsageError("the rows have several window lengths; filter by window_ns")
    if ports.filter(pl.col("kind").is_null())["packets"].sum():
        raise UsageError("the rows are not split by kind; add kind to record.ports.split")
    counted = ("packets", "bytes", "flits", "stall_ns")
    sums = ports.group_by("link", "kind").agg(pl.col(counted).sum())
    kinds = pl.DataFrame({"kind": ["request", "response"]})
    return (
        mapped.filter(pl.col("link").is_not_null())
        .join(kinds, how="cross")
        .join(sums, ["link", "kind"], "left")
        .with_columns(pl.col(counted).fill_null(0))
        .with_columns(stalled_flits=pl.col("stall_ns") / _flit_ns(flit_time_ps, "link_class"))
        .sort("router", "tile", "kind")
    )


def tile_jobs(
    mapped: pl.DataFrame, link_jobs: pl.DataFrame, flit_time_ps: Mapping[str, int]
) -> pl.DataFrame:
    """Returns the bytes and the stall of each job on each tile.

    Args:
        mapped: the result of `tile_map`.
        link_jobs: rows of `Run.link_jobs`: `link`, `job`, `bytes`, `stall_ns`.
        flit_time_ps: the time of a flit by link class.

    Returns:
        The columns of `tile_map`, `job`, `bytes`, `stall_ns`, `stalled_flits`, sorted. Stall
        belongs to the job of the waiting head.
    """
    stalled = pl.col("stall_ns") / _flit_ns(flit_time_ps, "link_class")
    return (
        mapped.join(link_jobs, on="link")
        .with_columns(stalled_flits=stalled)
        .sort("router", "tile", "job")
    )


def _flit_ns(flit_time_ps: Mapping[str, int], column: str = "class") -> pl.Expr:
    """Returns the time of a flit on a link of the class in a column."""
    times = {name: time / 1000 for name, time in flit_time_ps.items()}
    times |= dict.fromkeys(("injection", "ejection"), times["terminal"])
    return pl.col(column).replace_strict(times, default=None, return_dtype=pl.Float64)


def _misfit(topology: Mapping[str, Any]) -> str | None:
    """Returns why a router has no 48 tiles, in one line; None if it has."""
    remedy = "choose a machine like theta or cori"
    if topology.get("kind") != "dragonfly_2d":
        return (
            f"machine.topology.kind = '{topology.get('kind')}': tiles are for routers with rows and"
            f" columns (dragonfly_2d); {remedy}"
        )
    if int(topology["p"]) > 4:
        return (
            f"machine.topology.p = {topology['p']}: the 8 processor tiles of a router serve at most"
            f" 4 nodes; {remedy}"
        )
    ports = port_counts(topology)
    for name, (_, count, classes) in TILE_CLASSES.items():
        if ports.get(classes[0], 0) > count:
            return (
                f"machine.topology has {ports[classes[0]]} {classes[0]} ports per router: a router"
                f" has {count} {name} tiles; {remedy}"
            )
    return None
