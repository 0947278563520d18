"""The numbers behind the claims: times of applications, and traffic and saturation of links."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import product

import numpy as np
import polars as pl

from pantala.papers.yang2016.study.cells import CLASSES, medians, saturated, traffic
from pantala.papers.yang2016.study.platform import PLACEMENTS, ROUTINGS
from pantala.studies.evidence import Evidence

_NS_PER_MS = 1e6
_BYTES_PER_MB = 1e6
_NAMES = {
    "amg": "AMG",
    "samg": "sAMG",
    "multigrid": "MultiGrid",
    "crystal_router": "CrystalRouter",
}


def mean(values: np.ndarray) -> float | None:
    """Returns the mean over the seeds that have a value; None if none has."""
    known = values[np.isfinite(values)]
    return float(known.mean()) if known.size else None


def _ms(found: Mapping[str, np.ndarray], name: str, place: int, number: int) -> float | None:
    value = mean(found[name][place, number]) if name in found else None
    return None if value is None else value / _NS_PER_MS


def times(e: Evidence) -> pl.DataFrame:
    """Returns the median communication times over ranks, means over seeds, in ms."""
    alone: dict[str, np.ndarray] = {}
    for name in ("amg", "multigrid", "crystal_router"):
        alone |= medians(e, "workload1", f"alone-{name}")
    first, second, hybrid = (medians(e, each) for each in ("workload1", "workload2", "hybrid"))
    rows = []
    for name, (number, routing) in product(_NAMES, enumerate(ROUTINGS)):
        for place, placement in enumerate(PLACEMENTS):
            cells = [_ms(found, name, place, number) for found in (alone, first, second)]
            rows.append((_NAMES[name], placement, routing, *cells))
        mixed = _ms(hybrid, name, 0, number)
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
    return pl.DataFrame(rows, schema=schema, orient="row")


def links(e: Evidence) -> pl.DataFrame:
    """Returns traffic and saturation of the links of a class, means over seeds."""
    rows = []
    for experiment, link_class in product(("workload1", "workload2"), CLASSES):
        carried, full = (of(e, experiment, link_class) for of in (traffic, saturated))
        for (place, placement), (number, routing) in product(
            enumerate(PLACEMENTS), enumerate(ROUTINGS)
        ):
            at = place, number
            values = (
                carried[at].sum(axis=-1) / _BYTES_PER_MB,
                carried[at].max(axis=-1) / _BYTES_PER_MB,
                full[at].sum(axis=-1) / _NS_PER_MS,
                full[at].max(axis=-1) / _NS_PER_MS,
            )
            means = [mean(each) for each in values]
            if means[0] is not None:
                rows.append((experiment, link_class, placement, routing, *means))
    names = ("experiment", "links", "placement", "routing")
    numbers = ("traffic (MB)", "busiest (MB)", "saturation (ms)", "longest (ms)")
    schema: dict[str, type[pl.DataType]] = {
        **dict.fromkeys(names, pl.String),
        **dict.fromkeys(numbers, pl.Float64),
    }
    return pl.DataFrame(rows, schema=schema, orient="row")


TABLES: Mapping[str, Callable[[Evidence], pl.DataFrame]] = {"times": times, "links": links}
