"""Results in the formats of other tools: Perfetto, GraphML, xarray."""

from __future__ import annotations

from pantala.export.graphml import write_graphml
from pantala.export.perfetto import write_perfetto
from pantala.export.windows import to_xarray

__all__ = ["to_xarray", "write_graphml", "write_perfetto"]
