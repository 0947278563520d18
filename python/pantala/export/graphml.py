"""Networks as GraphML, for NetworkX, igraph and Gephi: the links of a run, or of a topology."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree

import polars as pl

from pantala.errors import UsageError
from pantala.files.atomic_file import atomic_file
from pantala.planning.topology import link_table
from pantala.run_tables.link_classes import NETWORK

if TYPE_CHECKING:
    from pantala.results.run import Run
    from pantala.scenario import Topology

__all__ = ["write_graphml", "write_topology_graphml"]

#: The attributes of the edges of a run: columns of `links`, with their types in GraphML.
_TRAFFIC = {
    "class": "string",
    "packets": "long",
    "bytes": "long",
    "busy_ns": "double",
    "stall_ns": "double",
    "utilization": "double",
}
#: The attributes of the edges of a topology.
_PORTS = {"class": "string", "source_port": "int", "target_port": "int"}


def write_graphml(run: Run, path: Path) -> None:
    """Writes all routers and the directed links between them, for NetworkX, igraph or Gephi.

    Nodes have `group`. Edges have `class`, `packets`, `bytes`, `busy_ns`, `stall_ns` and
    `utilization`, the columns of `links`. The graph has `caveats`, what makes the run approximate
    or partial, one per line, if there are any.

    Args:
        run: the run.
        path: the file to write.

    Raises:
        UsageError: the file cannot be written.
        RunDirectoryError: the table `links` cannot be read.
    """
    links = run.links.filter(pl.col("class").is_in(NETWORK)).collect()
    # All routers of the machine: one whose links have all failed is in no row of `links`.
    routers, groups = (int(run.plan["derived"][key]) for key in ("routers", "groups"))
    group_of = [router * groups // routers for router in range(routers)]
    caveats = "\n".join(caveat.text for caveat in run.caveats)
    _write(path, group_of, links.iter_rows(named=True), _TRAFFIC, "directed", caveats)


def write_topology_graphml(chosen: Topology, path: Path) -> None:
    """Writes the routers of a topology and the links between them.

    Nodes have `group`. Edges, one per pair of directed links, have `class` (local, or row and
    column; global), `source_port` and `target_port`.

    Raises:
        ScenarioError: no such network can be built.
        UsageError: the file cannot be written.
    """
    one_way = (
        row
        for row in link_table(chosen).iter_rows(named=True)
        if (row["source_router"], row["source_port"]) <= (row["target_router"], row["target_port"])
    )
    group_of = [router // chosen.a for router in range(chosen.routers)]
    _write(path, group_of, one_way, _PORTS, "undirected")


def _write(
    path: Path,
    group_of: Sequence[int],
    links: Iterable[Mapping[str, Any]],
    attributes: Mapping[str, str],
    edges: str,
    caveats: str = "",
) -> None:
    """Writes a graph.

    Args:
        path: the file.
        group_of: the group of each router.
        links: the rows of the edges: ``link``, ``source_router``, ``target_router`` and attributes.
        attributes: the type of each attribute of an edge.
        edges: directed or undirected.
        caveats: what the reader must know of the graph.

    Raises:
        UsageError: the file cannot be written.
    """
    root = ElementTree.Element("graphml", xmlns="http://graphml.graphdrawing.org/xmlns")
    keys = [("group", "node", "int"), *((name, "edge", kind) for name, kind in attributes.items())]
    if caveats:
        keys.insert(0, ("caveats", "graph", "string"))
    for name, of, kind in keys:
        key = {"id": name, "for": of, "attr.name": name, "attr.type": kind}
        ElementTree.SubElement(root, "key", key)
    graph = ElementTree.SubElement(root, "graph", edgedefault=edges)
    if caveats:
        ElementTree.SubElement(graph, "data", key="caveats").text = caveats
    for router, group in enumerate(group_of):
        node = ElementTree.SubElement(graph, "node", id=f"r{router}")
        ElementTree.SubElement(node, "data", key="group").text = str(group)
    for row in links:
        ends = {"source": f"r{row['source_router']}", "target": f"r{row['target_router']}"}
        edge = ElementTree.SubElement(graph, "edge", {"id": f"l{row['link']}", **ends})
        for name in attributes:
            ElementTree.SubElement(edge, "data", key=name).text = str(row[name])
    ElementTree.indent(root)
    try:
        with atomic_file(path) as half:
            ElementTree.ElementTree(root).write(half, encoding="utf-8", xml_declaration=True)
    except OSError as error:
        reason = error.strerror or str(error)
        raise UsageError(f"{path}: cannot be written: {reason}; name another file") from None
