"""The numbers behind the claims: times of applications, and traffic and saturation of links.

All rows of a table are means over the same seeds: those that every configuration has.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import product

import numpy as np
import polars as pl

from pantala.papers.yang2016.study.cells import CLASSES, medians, saturated, traffic
from pantala.papers.yang2016.study.platform import PLACEMENTS, ROUTINGS
from pantala.studies.evidence import Evidence
from pantala.studies.shared_seeds import means_in_words, shared_places

_NS_PER_MS = 1e6
_BYTES_PER_MB = 1e6
_NAMES = {
    "amg": "AMG",
    "samg": "sAMG",
    "multigrid": "MultiGrid",
    "crystal_router": "CrystalRouter",
}


def _mean(values: np.ndarray, seeds: list[int]) -> float | None:
    """Returns the mean over some places of the last axis; None if a value is not known."""
    mean = float(values[seeds].mean()) if seeds else np.nan
    return mean if np.isfinite(mean) else None


def _remark(e: Evidence, places: list[int]) -> str:
    return means_in_words([e.seeds[each] for each in places])


def times(e: Evidence) -> tuple[pl.DataFrame, str]:
    """Returns the median communication times over ranks, means over seeds, in ms."""
    alone: dict[str, np.ndarray] = {}
    for name in ("amg", "multigrid", "crystal_router"):
        alone |= medians(e, "workload1", f"alone-{name}")
    first, second, hybrid = (medians(e, each) for each in ("workload1", "workload2", "hybrid"))
    tables = (alone, first, second, hybrid)
    seeds = shared_places(*(each for table in tables for each in table.values()))

    def ms(found: Mapping[str, np.ndarray], name: str, *at: int) -> float | None:
        value = _mean(found[name][at], seeds) if name in found else None
        return None if value is None else value / _NS_PER_MS

    rows = []
    for name, (number, routing) in product(_NAMES, enumerate(ROUTINGS)):
        for place, placement in enumerate(PLACEMENTS):
            cells = [ms(found, name, place, number) for found in tables[:3]]
            rows.append((_NAMES[name], placement, routing, *cells))
        mixed = ms(hybrid, name, 0, number)
        rows.append((_NAMES[name], "hybrid", routing, None, mixed, None))
    rows = [row for row in rows if any(cell is not None for cell in row[3:])]
    schema: dict[str, type[pl.DataType]] = {
        "application": pl.String,
        "placement": pl.String,
        "routing": pl.String,
        "alone (ms)": pl.Float64,
        "workload I (ms)": pl.Float64,
        "workload II (ms)": pl.Float64,
    }
    return pl.DataFrame(rows, schema=schema, orient="row"), _remark(e, seeds)


def links(e: Evidence) -> tuple[pl.DataFrame, str]:
    """Returns traffic and saturation of the links of a class, means over seeds."""
    rows = []
    parts = list(product(("workload1", "workload2"), CLASSES))
    values = {part: [of(e, *part) for of in (traffic, saturated)] for part in parts}
    seeds = shared_places(*(each.sum(axis=-1) for of in values.values() for each in of))
    for (experiment, link_class), (carried, full) in values.items():
        for (place, placement), (number, routing) in product(
            enumerate(PLACEMENTS), enumerate(ROUTINGS)
        ):
            at = place, number
            sums = (
                carried[at].sum(axis=-1) / _BYTES_PER_MB,
                carried[at].max(axis=-1) / _BYTES_PER_MB,
                full[at].sum(axis=-1) / _NS_PER_MS,
                full[at].max(axis=-1) / _NS_PER_MS,
            )
            means = [_mean(each, seeds) for each in sums]
            if means[0] is not None:
                rows.append((experiment, link_class, placement, routing, *means))
    names = ("experiment", "links", "placement", "routing")
    numbers = ("traffic (MB)", "busiest (MB)", "saturation (ms)", "longest (ms)")
    schema: dict[str, type[pl.DataType]] = {
        **dict.fromkeys(names, pl.String),
        **dict.fromkeys(numbers, pl.Float64),
    }
    return pl.DataFrame(rows, schema=schema, orient="row"), _remark(e, seeds)


TABLES: Mapping[str, Callable[[Evidence], tuple[pl.DataFrame, str]]] = {
    "times": times,
    "links": links,
}
