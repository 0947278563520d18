"""Machines without links of a class: those of one dimension have no rows and columns."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from pantala.run_tables.run_like import RunLike

__all__ = ["has_links", "without_links"]


def has_links(run: RunLike, classes: Sequence[str]) -> bool:
    """Returns whether the machine of a run has links of these classes."""
    found = run.links.filter(pl.col("class").is_in(classes)).head(1)
    return not found.collect().is_empty()


def without_links(figure: str, classes: Sequence[str]) -> str:
    """Returns the message on a figure of links that the machine does not have."""
    return (
        f"figure {figure}: the machine has no links of the class {', '.join(classes)}; name another"
        " --class"
    )
