"""Tables I and II: the values of the runs beside those of the paper.

All rows of a table are means over the same seeds: those that every application has.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import polars as pl

from pantala import papers
from pantala.metrics.traffic import peak_ingress_volume
from pantala.studies.evidence import Evidence
from pantala.studies.shared_seeds import means_in_words, shared_places

#: The cell in which each application of Table I runs alone: its pair and its name. UR and DL do not
#: run alone on 528 nodes.
ALONE = {
    "FFT3D": ("fft3d+halo3d", "fft3d"),
    "LU": ("lu+halo3d", "lu"),
    "Halo3D": ("fft3d+halo3d", "halo3d"),
    "LQCD": ("lqcd+halo3d", "lqcd"),
    "Stencil5D": ("stencil5d+halo3d", "stencil5d"),
    "CosmoFlow": ("cosmoflow+halo3d", "cosmoflow"),
    "LULESH": ("lulesh+halo3d", "lulesh"),
}
#: The paper's numbers of nodes in the mix, Table II.
NODES = {"FFT3D": 140, "CosmoFlow": 138, "LU": 140, "UR": 139, "LQCD": 256, "Stencil5D": 243}
#: A rank with at least this share of the messages of the busiest has all neighbours.
_ALL_NEIGHBOURS = 0.9


def mean(values: np.ndarray, places: list[int]) -> float | None:
    """Returns the mean over the seeds at some places; None if a value is not known."""
    found = float(values[places].mean()) if places else np.nan
    return found if np.isfinite(found) else None


def peak(e: Evidence, cell: Mapping[str, object], seeds: list[int]) -> float | None:
    """Returns the mean over some seeds of the peak ingress volume of a job alone."""
    rows = e.rows("pairs", "ranks")
    if rows.is_empty():
        return None
    own = rows.filter([pl.col(name) == value for name, value in cell.items() if name != "name"])
    parts = own.filter(pl.col("seed").is_in(seeds)).partition_by("seed")
    found = [peak_ingress_volume(each, _ALL_NEIGHBOURS) for each in parts]
    known = np.array([each for each in found if each is not None], dtype=float)
    return float(known.mean()) if known.size else None


def _alone(pair: str, name: str) -> dict[str, object]:
    return {"pair": pair, "routing.algorithm": "q_adaptive", "part": f"alone-{name}"}


def table_1(e: Evidence) -> tuple[pl.DataFrame, str]:
    """Returns the applications alone under Q-adaptive routing, means over seeds."""
    rows = []
    ends = [e.cell("pairs", "end_ns", _alone(*each), "jobs") for each in ALONE.values()]
    places = shared_places(*ends)
    seeds = [e.seeds[each] for each in places]
    for row in papers.table("kang2022").rows(1):
        paper, ours = row.paper, dict.fromkeys(("mb", "ms", "rate", "peak", "communication"))
        if row.application in ALONE:
            cell = _alone(*ALONE[row.application])

            def of(column: str, cell: Mapping[str, object] = cell) -> np.ndarray:
                return e.cell("pairs", column, cell, "jobs")

            sent, end = of("injected_bytes"), of("end_ns")
            ours = {
                "mb": mean(sent / 1e6, places),
                "ms": mean(end / 1e6, places),
                "rate": mean(sent / end, places),
                "peak": peak(e, cell, seeds),
                "communication": mean(of("communication_time_mean_ns") / 1e6, places),
            }
        rows.append(
            {
                "application": row.application,
                "wire MB": ours["mb"],
                "paper MB": paper["total_mb"],
                "execution ms": ours["ms"],
                "paper ms": paper["execution_ms"],
                "rate GB/s": ours["rate"],
                "paper GB/s": paper["injection_gb_per_s"],
                "peak ingress KB": None if ours["peak"] is None else ours["peak"] / 1e3,
                "paper KB": paper["peak_ingress_bytes"] / 1e3,
                "communication ms": ours["communication"],
                "paper communication ms": paper.get("communication_ms"),
            }
        )
    return pl.DataFrame(rows, infer_schema_length=None), means_in_words(seeds)


def table_2(e: Evidence) -> pl.DataFrame:
    """Returns the jobs of the mix with their numbers of nodes, which no seed changes."""
    rows = []
    for application, nodes in NODES.items():
        cell = {"routing.algorithm": "q_adaptive", "part": "together", "name": application.lower()}
        ranks = e.cell("mix", "ranks", cell, "jobs")
        known = ranks[np.isfinite(ranks)]
        ours = round(known[0]) if known.size else None
        rows.append({"application": application, "nodes": ours, "paper": nodes})
    return pl.DataFrame(rows, infer_schema_length=None)


TABLES: Mapping[str, Callable[[Evidence], Any]] = {"table-1": table_1, "table-2": table_2}
