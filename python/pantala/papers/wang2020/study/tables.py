"""The tables of the study: values of runs and of AlexNet's sources beside the paper's."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
import polars as pl

from pantala.papers.wang2020.study.cells import (
    ADAPTIVE,
    GROUPS,
    ONE,
    TOGETHER,
    links,
    of_jobs,
)
from pantala.papers.wang2020.study.platform import LENGTHS, RANKS, WORKLOADS
from pantala.papers.wang2020.study.sources import (
    SOURCES,
    calls,
    exists,
    received,
    transitions,
)
from pantala.studies.evidence import Evidence

#: The words for each job: what it repeats, and how often by the model's input or a whole training.
JOBS = {
    "cosmoflow": ("CosmoFlow", "steps", "not stated"),
    "alexnet": ("AlexNet", "updates", "279, each with 7 Allreduces"),
    "lammps": ("LAMMPS", "steps", "10"),
    "milc": ("MILC", "iterations", "50"),
    "nekbone": ("Nekbone", "iterations", "60"),
    "nn": ("NN", "exchanges", "not stated"),
    "ur": ("UR", "messages per rank", "not stated"),
}
_NETWORKS = {"1D": (33, 32, 8, 4), "2D": (22, 96, 4, 7)}
_PAPER_CALLS = {
    "MPI_Init": 512,
    "MPI_Bcast": 1_969,
    "MPI_Allreduce": 1_958,
    "MPI_Finalize": 512,
}
_PAPER_LOADS = {"1D": (1.26, 5.33, 313.23, 5_639.26), "2D": (0.92, 10.01, 65.39, 3_214.65)}
#: The updates that fit the bytes of Table V, and their size: 6.33e11 B / (285 x 9).
FITTING_UPDATES, FITTING_GRADIENT = 285, "246783626 B"


def mean(values: np.ndarray) -> float | None:
    """Returns the mean over the seeds that have a value; None if none has."""
    known = values[np.isfinite(values)]
    return float(known.mean()) if known.size else None


def begun(e: Evidence) -> bool:
    """Returns whether the study has runs; tables before the first run have the paper's values."""
    return not e.rows("workload3", "jobs").is_empty()


def lengths(e: Evidence) -> pl.DataFrame:
    """Returns the lengths of the jobs, and what changes if they double."""
    times = of_jobs(e, "workload3", "communication_time_max_ns")
    rows = []
    for name, (label, what, usual) in JOBS.items():
        as_here, twice = None, None
        if name in WORKLOADS["workload3"]:
            own = times[TOGETHER, name] / times[f"alone-{name}", name]
            as_here = mean(own[ONE, GROUPS, ADAPTIVE])
            cell = {"network": "1D", "placement": "random_groups", "name": name}
            together, alone = (
                e.cell("doubled", "communication_time_max_ns", {**cell, "part": part}, "jobs")
                for part in (TOGETHER, f"alone-{name}")
            )
            twice = mean(together / alone)
        rows.append(
            {
                "application": label,
                "ranks": RANKS[name],
                "here": LENGTHS[name],
                "of": what,
                "by the model's input or a whole training": usual,
                "slowdown of time": as_here,
                "slowdown if twice as long": twice,
            }
        )
    return pl.DataFrame(rows, infer_schema_length=None)


def control_flow(e: Evidence) -> pl.DataFrame:
    """Returns how often a call of AlexNet follows another one, by source."""
    found = {name: transitions(name) for name in SOURCES if begun(e) and exists(name)}
    pairs = dict.fromkeys(pair for each in found.values() for pair in each)
    rows = [
        {
            "call": one,
            "next": other,
            **{name: found.get(name, {}).get((one, other)) for name in SOURCES},
        }
        for one, other in pairs
    ]
    empty = {"call": pl.String, "next": pl.String, **dict.fromkeys(SOURCES, pl.Int64)}
    return pl.DataFrame(rows, schema=empty)


def table_2(e: Evidence) -> pl.DataFrame:
    """Returns the numbers of the networks; of the links, those of the runs."""
    counts = links(e, "workload3", "links")
    rows = []
    for place, (name, (groups, routers, nodes, channels)) in enumerate(_NETWORKS.items()):
        rows.append(
            {
                "network": name,
                "groups": groups,
                "routers per group": routers,
                "nodes per router": nodes,
                "nodes": groups * routers * nodes,
                "global channels per router": channels,
                "directed global links": mean(counts["global"][place]),
                "directed local links": mean(counts["local"][place]),
            }
        )
    return pl.DataFrame(rows, infer_schema_length=None)


def table_3(e: Evidence) -> pl.DataFrame:
    """Returns the jobs of each workload with their ranks."""
    rows = [
        {"workload": workload.removeprefix("workload"), **{
            JOBS[name][0]: RANKS[name] if name in names else None for name in JOBS
        }, "ranks": sum(RANKS[name] for name in names)}
        for workload, names in WORKLOADS.items()
    ]  # fmt: skip
    return pl.DataFrame(rows, infer_schema_length=None)


def table_4(e: Evidence) -> pl.DataFrame:
    """Returns the MPI calls of AlexNet by source."""
    found = {name: calls(name) for name in SOURCES if begun(e) and exists(name)}
    rows = [
        {"call": call, "paper": paper, **{name: found.get(name, {}).get(call) for name in SOURCES}}
        for call, paper in _PAPER_CALLS.items()
    ]
    return pl.DataFrame(rows, infer_schema_length=None)


def table_5(e: Evidence) -> pl.DataFrame:
    """Returns the bytes that AlexNet's ranks receive by source, in GB."""
    rows: list[dict[str, object]] = [
        {"source": "paper", **_in_gb({"rank 0": 6.33e11, "more": 2.47e8})}
    ]
    for name in SOURCES:
        there = begun(e) and exists(name)
        rows.append({"source": name, **_in_gb(_of_ranks(received(name)) if there else {})})
    fitting = _of_ranks(received("built in", FITTING_UPDATES, FITTING_GRADIENT)) if begun(e) else {}
    rows.append({"source": f"built in, {FITTING_UPDATES} updates", **_in_gb(fitting)})
    return pl.DataFrame(rows, infer_schema_length=None)


def _of_ranks(found: Mapping[str, int]) -> dict[str, float]:
    first = found["MPI_Allreduce of rank 0"] + found["MPI_Bcast of rank 0"]
    others = found["MPI_Allreduce of ranks 1 to 511"] + found["MPI_Bcast of ranks 1 to 511"]
    return {"rank 0": first, "more": others - first}


def _in_gb(found: Mapping[str, float]) -> dict[str, float | None]:
    names = {"rank 0": "rank 0 GB", "more": "ranks 1 to 511 more GB"}
    return {text: found[key] / 1e9 if key in found else None for key, text in names.items()}


def table_6(e: Evidence) -> pl.DataFrame:
    """Returns the loads of Table VI beside the paper's."""
    sums, counts = links(e, "workload3", "bytes"), links(e, "workload3", "links")
    rows = []
    for place, (name, paper) in enumerate(_PAPER_LOADS.items()):
        row: dict[str, object] = {"network": name}
        at = (place, GROUPS, ADAPTIVE)
        for kind, total, per_link in (("global", *paper[::2]), ("local", *paper[1::2])):
            loads, number = sums[kind][at], counts[kind][at]
            found, of_link = mean(loads / 1e12), mean(loads / number / 1e6)
            row |= {f"{kind} TB": found, f"paper {kind} TB": total}
            row |= {f"{kind} MB per link": of_link, f"paper {kind} MB per link": per_link}
        share = mean(sums["global"][at] / (sums["global"][at] + sums["local"][at]))
        row |= {"global share": share, "paper global share": 0.19 if name == "1D" else 0.08}
        rows.append(row)
    return pl.DataFrame(rows, infer_schema_length=None)


TABLES: Mapping[str, Callable[[Evidence], pl.DataFrame]] = {
    "lengths": lengths,
    "control-flow": control_flow,
    "table-2": table_2,
    "table-3": table_3,
    "table-4": table_4,
    "table-5": table_5,
    "table-6": table_6,
}
