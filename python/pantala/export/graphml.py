"""The network of a run as GraphML, with what its links carried."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING
from xml.etree import ElementTree

import polars as pl

from pantala.errors import UsageError
from pantala.files.atomic_file import atomic_file
from pantala.run_tables.link_classes import NETWORK

if TYPE_CHECKING:
    from pantala.results.run import Run

__all__ = ["write_graphml"]

#: The attributes of edges: columns of `links`, with their types in GraphML.
_EDGES = {
    "class": "string",
    "packets": "long",
    "bytes": "long",
    "busy_ns": "double",
    "stall_ns": "double",
    "utilization": "double",
}


def write_graphml(run: Run, path: Path) -> None:
    """Writes all routers and the directed links between them, for NetworkX, igraph or Gephi.

    Nodes have `group`. Edges have `class`, `packets`, `bytes`, `busy_ns`, `stall_ns` and
    `utilization`, the columns of `links`.

    Args:
        run: the run.
        path: the file to write.

    Raises:
        UsageError: the file cannot be written.
        RunDirectoryError: the table `links` cannot be read.
    """
    links = run.links.filter(pl.col("class").is_in(NETWORK)).collect()
    root = ElementTree.Element("graphml", xmlns="http://graphml.graphdrawing.org/xmlns")
    for name, of, kind in [("group", "node", "int"), *((n, "edge", k) for n, k in _EDGES.items())]:
        attributes = {"id": name, "for": of, "attr.name": name, "attr.type": kind}
        ElementTree.SubElement(root, "key", attributes)
    graph = ElementTree.SubElement(root, "graph", edgedefault="directed")
    # All routers of the machine: one whose links have all failed is in no row of `links`.
    routers, groups = (int(run.plan["derived"][key]) for key in ("routers", "groups"))
    for router in range(routers):
        node = ElementTree.SubElement(graph, "node", id=f"r{router}")
        ElementTree.SubElement(node, "data", key="group").text = str(router * groups // routers)
    for row in links.iter_rows(named=True):
        ends = {"source": f"r{row['source_router']}", "target": f"r{row['target_router']}"}
        edge = ElementTree.SubElement(graph, "edge", {"id": f"l{row['link']}", **ends})
        for name in _EDGES:
            ElementTree.SubElement(edge, "data", key=name).text = str(row[name])
    ElementTree.indent(root)
    try:
        with atomic_file(path) as half:
            ElementTree.ElementTree(root).write(half, encoding="utf-8", xml_declaration=True)
    except OSError as error:
        reason = error.strerror or str(error)
        raise UsageError(f"{path}: cannot be written: {reason}; choose another --out") from None
