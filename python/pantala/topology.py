"""How a Dragonfly is wired: its links as a table, as GraphML, in numbers."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import polars as pl
from pydantic import ValidationError

from pantala import native
from pantala.errors import PlanError, ScenarioError, UsageError
from pantala.plan import scenario_key
from pantala.scenario import Topology
from pantala.scenario.faults import first_fault
from pantala.scenario.presets import machine_preset, machine_presets, merge

__all__ = ["link_table", "summary", "topology", "write_graphml", "write_links"]

_SOURCE = "pantala topology"
_NUMBERS = ("p", "a", "h", "g")


def topology(given: Mapping[str, Any], preset: str | None = None) -> Topology:
    """A topology of its own numbers, of a preset, or of a preset changed by numbers.

    Args:
        given: keys of `Topology`.
        preset: a machine preset; kang2022 if nothing is given at all.

    Raises:
        ScenarioError: a number is missing or wrong.
        UsageError: there is no such preset.
    """
    if preset is None and not any(key in given for key in _NUMBERS):
        preset = "kang2022"
    if preset is not None and preset not in machine_presets():
        raise UsageError(f"preset = '{preset}': is not a machine; choose one of {', '.join(machine_presets())}")
    data = merge(machine_preset(preset)["machine"]["topology"] if preset else {}, given)
    try:
        return Topology.model_validate(data)
    except ValidationError as error:
        raise first_fault(error, _SOURCE, data) from None


def link_table(chosen: Topology) -> pl.DataFrame:
    """The directed links between routers, one row each.

    Returns:
        link, class, source_router, source_port, source_group, target_router, target_port, target_group,
        parallel_index (which of several links between the same routers or groups).

    Raises:
        ScenarioError: no such network can be wired.
    """
    try:
        return pl.DataFrame(native.link_table(chosen.model_dump()))
    except PlanError as error:
        raise _blame(error) from None


def write_links(chosen: Topology, path: Path) -> None:
    """Writes the link table to a Parquet file.

    Raises:
        ScenarioError: no such network can be wired.
        UsageError: the file cannot be written.
    """
    try:
        native.write_link_table(chosen.model_dump(), path)
    except PlanError as error:
        raise _blame(error) from None
    except OSError as error:
        raise _cannot_write(path, error) from None


def write_graphml(chosen: Topology, path: Path) -> None:
    """Writes routers and the links between them as GraphML, for NetworkX, igraph, Gephi.

    Nodes have `group`; edges, one a pair of directed links, have `class` (local or global), `source_port` and
    `target_port`.

    Raises:
        ScenarioError: no such network can be wired.
        UsageError: the file cannot be written.
    """
    table = link_table(chosen)
    root = ElementTree.Element("graphml", xmlns="http://graphml.graphdrawing.org/xmlns")
    attributes = {"group": ("node", "int"), "class": ("edge", "string")}
    attributes |= {"source_port": ("edge", "int"), "target_port": ("edge", "int")}
    for name, (of, kind) in attributes.items():
        ElementTree.SubElement(root, "key", {"id": name, "for": of, "attr.name": name, "attr.type": kind})
    graph = ElementTree.SubElement(root, "graph", edgedefault="undirected")
    for router in range(chosen.a * chosen.g):
        node = ElementTree.SubElement(graph, "node", id=f"r{router}")
        ElementTree.SubElement(node, "data", key="group").text = str(router // chosen.a)
    for row in table.iter_rows(named=True):
        here, there = (row["source_router"], row["source_port"]), (row["target_router"], row["target_port"])
        if here > there:  # the other direction of a link that is there already
            continue
        ends = {"id": f"l{row['link']}", "source": f"r{here[0]}", "target": f"r{there[0]}"}
        edge = ElementTree.SubElement(graph, "edge", ends)
        for key in ("class", "source_port", "target_port"):
            ElementTree.SubElement(edge, "data", key=key).text = str(row[key])
    ElementTree.indent(root)
    try:
        ElementTree.ElementTree(root).write(path, encoding="utf-8", xml_declaration=True)
    except OSError as error:
        raise _cannot_write(path, error) from None


def summary(chosen: Topology, table: pl.DataFrame) -> dict[str, str]:
    """A topology in numbers, ready to print.

    Args:
        chosen: the topology.
        table: its `link_table`.
    """
    classes = table.group_by("class").len()
    directed = dict(classes.iter_rows())
    pairs = (
        table.filter(pl.col("class") == "global")
        .group_by("source_group", "target_group")
        .len()
        .select(pl.col("len").min().alias("least"), pl.col("len").max().alias("most"), pl.len().alias("pairs"))
        .row(0, named=True)
    )
    ports = chosen.p + chosen.a - 1 + chosen.h
    spare = chosen.a * chosen.h * chosen.g - directed.get("global", 0)
    least, most = pairs["least"] or 0, pairs["most"] or 0
    return {
        "p, a, h, g": f"{chosen.p}, {chosen.a}, {chosen.h}, {chosen.g}",
        "wiring": chosen.wiring + (", mirrored" if chosen.mirrored else ""),
        "nodes": f"{chosen.p * chosen.a * chosen.g:,}",
        "routers": f"{chosen.a * chosen.g:,}",
        "groups": f"{chosen.g:,}",
        "ports a router": f"{ports}: {chosen.p} terminal, {chosen.a - 1} local, {chosen.h} global",
        "local links": f"{directed.get('local', 0) // 2:,}",
        "global links": f"{directed.get('global', 0) // 2:,}",
        "global links a pair of groups": f"{least}" if least == most else f"{least} to {most}",
        "global ports without a link": f"{spare:,}",
    }


def _blame(error: PlanError) -> ScenarioError:
    key = scenario_key(error.key).removeprefix("machine.topology.")
    return ScenarioError(_SOURCE, key, error.value, error.message, error.remedy)


def _cannot_write(path: Path, error: OSError) -> UsageError:
    return UsageError(f"{path}: cannot be written: {error.strerror or error}; name another file")
