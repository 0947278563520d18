"""The links of a Dragonfly: as a table, as GraphML, and in numbers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import polars as pl
from pydantic import ValidationError
from pydantic_core import PydanticCustomError

from pantala.core import native
from pantala.core.ports import failed_counts, failed_words
from pantala.errors import PlanError, ScenarioError, UsageError
from pantala.models.faults import scenario_error
from pantala.scenario import Topology
from pantala.scenario.plan_faults import scenario_key
from pantala.scenario.presets import example, machine_preset, machine_presets, merge
from pantala.scenario.topology import over_preset

__all__ = [
    "error_of_network",
    "link_table",
    "longest_minimal_path",
    "summary",
    "topology",
]

_SOURCE = "pantala topology"
#: More links than any path has: no path.
_APART = 1 << 20
_SHAPE = ("kind", "p", "a", "rows", "columns", "h", "g")


def topology(given: Mapping[str, Any], preset: str | None = None) -> Topology:
    """Returns a topology of given numbers, of a preset, or of a preset changed by numbers.

    Args:
        given: keys of `Topology`.
        preset: a machine preset; kang2022 if nothing is given at all.

    Raises:
        ScenarioError: a number is missing or wrong.
        UsageError: there is no such preset.
    """
    if preset is None and not any(key in given for key in _SHAPE):
        preset = "kang2022"
    data = dict(given)
    if preset is not None:
        data = merge(over_preset(_preset(preset)["machine"]["topology"], given), given)
    try:
        return Topology.model_validate(data)
    except ValidationError as error:
        raise scenario_error(error, _SOURCE, data) from None


def _preset(name: str) -> dict[str, Any]:
    """Returns the keys of a machine preset.

    Raises:
        UsageError: there is no such preset, or it does not take these numbers.
    """
    try:
        return machine_preset(name)
    except PydanticCustomError as error:
        known = ", ".join(example(name) for name in machine_presets())
        words = error.context or {}
        remedy = (
            f"choose one of {known}"
            if words.get("message") == "is not a preset"
            else words.get("remedy", "")
        )
        raise UsageError(f"preset = '{name}': {words.get('message', error)}; {remedy}") from None


def link_table(chosen: Topology) -> pl.DataFrame:
    """Returns the directed links between routers, one row per link.

    Returns:
        link, class, source_router, source_port, source_group, target_router, target_port,
        target_group, parallel_index (the number among several links between the same routers or
        groups).

    Raises:
        ScenarioError: no such network can be built.
    """
    try:
        return pl.DataFrame(native.link_table(chosen.as_plan()))
    except PlanError as error:
        raise error_of_network(error) from None


def summary(chosen: Topology, table: pl.DataFrame) -> dict[str, str]:
    """Returns a topology in numbers, ready to print.

    Args:
        chosen: the topology.
        table: its `link_table`.
    """
    directed = dict(table.group_by("class").len().iter_rows())
    pairs = (
        table.filter(pl.col("class") == "global")
        .group_by("source_group", "target_group")
        .len()
        .select(
            pl.col("len").min().alias("least"),
            pl.col("len").max().alias("most"),
            pl.len().alias("pairs"),
        )
        .row(0, named=True)
    )
    ports = chosen.ports()
    spare = chosen.a * chosen.h * chosen.g - directed.get("global", 0)
    least, most = pairs["least"] or 0, pairs["most"] or 0
    if pairs["pairs"] < chosen.g * (chosen.g - 1):
        least = 0
    letters = {"p, a, h, g": f"{chosen.p}, {chosen.a}, {chosen.h}, {chosen.g}"}
    if chosen.kind == "dragonfly_2d":
        letters["rows and columns per group"] = f"{chosen.rows} and {chosen.columns}"
    numbers = {name: getattr(chosen, f"links_per_{name}_pair") for name in chosen.inside}
    several = {
        f"{name} links between two routers": str(links)
        for name, links in numbers.items()
        if links > 1
    }
    spread = "" if chosen.port_assignment == "consecutive" else f", {chosen.port_assignment}"
    arrangement = chosen.global_arrangement + (", mirrored" if chosen.mirrored else "") + spread
    if chosen.links_file is not None:
        arrangement = f"from {chosen.links_file}"
    failed = failed_words(failed_counts(chosen.as_plan()))
    longest = longest_minimal_path(chosen, table)
    return {
        **letters,
        "global link arrangement": arrangement,
        "nodes": f"{chosen.nodes:,}",
        "routers": f"{chosen.routers:,}",
        "groups": f"{chosen.g:,}",
        "ports per router": (
            f"{sum(ports.values())}: "
            + ", ".join(f"{number} {name}" for name, number in ports.items())
        ),
        **{
            f"{name} links": f"{directed.get(name, 0) // 2:,}"
            for name in (*chosen.inside, "global")
        },
        **several,
        "global links per pair of groups": f"{least}" if least == most else f"{least} to {most}",
        "global ports without a link": f"{spare:,}",
        **({"failed links": failed} if failed else {}),
        "longest minimal path, in links": "none joins all routers"
        if longest is None
        else str(longest),
    }


def longest_minimal_path(chosen: Topology, table: pl.DataFrame) -> int | None:
    """Returns the maximum number of links between routers on a minimal path.

    At most one of them is global. None if two groups have no link, or if no path inside a group
    joins two of its routers.

    Args:
        chosen: the topology.
        table: its `link_table`.
    """
    apart = _distances(chosen, table)
    longest = max(int(each.max()) for each in apart)
    ends = (
        table.filter(pl.col("class") == "global", pl.col("source_group") < pl.col("target_group"))
        .with_columns(pl.col("source_router", "target_router") % chosen.a)
        .group_by("source_group", "target_group")
        .agg("source_router", "target_router")
    )
    for group, other, here, there in ends.iter_rows():
        over = (  # by link, source router, destination router
            apart[group][here][:, :, None] + apart[other][there][:, None, :]
        )
        longest = max(longest, int(over.min(axis=0).max()) + 1)
    cut = ends.height < chosen.g * (chosen.g - 1) // 2
    return None if cut or longest >= _APART else longest


def _distances(chosen: Topology, table: pl.DataFrame) -> list[np.ndarray]:
    """Returns the links on a minimal path between the routers of each group, [router, router]."""
    place = np.arange(chosen.a)
    if chosen.kind == "dragonfly":
        joined = place[:, None] != place
    else:
        row, column = np.divmod(place, chosen.columns)
        joined = (row[:, None] == row) ^ (column[:, None] == column)
    usual = _hops(joined)
    distances = [usual] * chosen.g
    local = table.filter(pl.col("class") != "global").group_by("source_group")
    ports = chosen.ports()
    whole = chosen.a * (sum(ports.values()) - ports["terminal"] - ports["global"])
    groups = {int(group): rows for (group,), rows in local}
    for group in range(chosen.g):
        links = groups.get(group, table.clear())
        if links.height == whole:
            continue
        joined = np.zeros((chosen.a, chosen.a), dtype=bool)
        joined[links["source_router"] % chosen.a, links["target_router"] % chosen.a] = True
        distances[group] = _hops(joined)
    return distances


def _hops(joined: np.ndarray) -> np.ndarray:
    """Returns the links on shortest paths over these links; `_APART` where there is no path."""
    from scipy.sparse.csgraph import shortest_path

    hops = shortest_path(joined, unweighted=True)
    return np.where(np.isfinite(hops), hops, _APART).astype(np.int64)


def error_of_network(error: PlanError) -> ScenarioError:
    """Returns the error of a network that cannot be built, with the key of the topology."""
    key = scenario_key(error.key).removeprefix("machine.topology.")
    return ScenarioError(_SOURCE, key, error.value, error.message, error.remedy)
