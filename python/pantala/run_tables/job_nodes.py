"""The nodes and routers of a job, from the tables of a run or from its plan."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import polars as pl

__all__ = ["job_nodes"]


def job_nodes(ranks: pl.LazyFrame, plan: Mapping[str, Any], job: int) -> pl.DataFrame:
    """Returns `node` and `router` of each node of a job, sorted by node.

    Args:
        ranks: `Run.ranks`. Synthetic traffic has no rows there: its nodes come from the plan.
        plan: the resolved plan.
        job: the number of the job.
    """
    rows = ranks.filter(pl.col("job") == job).select("node", "router").unique().collect()
    if rows.is_empty():
        nodes = sorted(set(plan["jobs"][job].get("nodes", [])))
        per_router = int(plan["topology"]["p"])
        rows = pl.DataFrame(
            {"node": nodes, "router": [node // per_router for node in nodes]},
            schema={"node": pl.UInt32, "router": pl.UInt32},
        )
    return rows.sort("node")
