"""Pantala's repetition of a measured case, and its metrics under SST's names."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import polars as pl

import pantala as pt
from pantala.importers.ember import ember_scenario
from validation.ember.cases import Case

__all__ = ["measured", "replay", "scenario"]

#: The keys of the simulator that made the measurements.
_SST = {
    "machine.router": "sst_sc22",
    "machine.nic.latency_from": "nic",
    "mpi": "sst_sc22",
    "record.iterations": True,
}

#: Motifs that print one time over all their iterations, and the rank that prints it.
_PRINTED = {"PingPong": "first", "Barrier": "first", "Bcast": "last", "Alltoall": "first"}
#: The parameters in the name of Allreduce's files, and their defaults.
_ALLREDUCE = {"iterations": 1, "count": 1, "compute": 0}

_COMM = "communication_time_ns"

#: The motifs of a job: names and given parameters.
Motifs = Sequence[tuple[str, Mapping[str, Any]]]


def scenario(case: Case) -> tuple[pt.Scenario, list[Motifs]]:
    """Returns the scenario of a case and the motifs of each of its jobs."""
    loaded = ember_scenario(case.load_file)
    keys: dict[str, Any] = {**_SST, "routing.algorithm": case.routing}
    motifs: list[Motifs] = [
        [(motif.name, motif.given) for motif in job.working] for job in loaded.jobs if not job.idle
    ]
    return pt.Scenario(**loaded.tables).replace(keys), motifs


def replay(case: Case, changes: Mapping[str, Any] | None = None) -> dict[str, float]:
    """Runs a case, with changes of its scenario, and returns Pantala's metrics."""
    described, motifs = scenario(case)
    if changes:
        described = described.replace(changes)
    with tempfile.TemporaryDirectory() as folder:
        run = pt.run(described, Path(folder) / "run", progress=False, report=False)
        assert isinstance(run, pt.Run)
        assert run.complete, f"{case.name}: {run.document['diagnosis']}"
        return measured(run, motifs)


def measured(run: pt.Run, jobs: Iterable[Motifs]) -> dict[str, float]:
    """Returns the metrics of a run.

    Args:
        run: the run, with its table of iterations.
        jobs: the motifs of each job.
    """
    totals = run.jobs.collect().to_dicts()
    metrics = {"simulated_end": run.document["simulated_ns"] / 1e3, **_of_packets(totals, "")}
    if len(totals) > 1:
        for job in totals:
            metrics |= _of_packets([job], f"job{job['job']}.")
    metrics["router_packet_sends"] = run.document["counters"]["packet_hops"]
    rows = run.iterations.with_columns(duration=pl.col("end_ns") - pl.col("start_ns")).collect()
    for number, motifs in enumerate(jobs):
        for place, (motif, given) in enumerate(motifs):
            mine = rows.filter(pl.col("job") == number, pl.col("motif") == place)
            metrics |= _of_motif(mine.sort("iteration", "start_ns", "rank"), motif, given)
    return metrics


def _of_packets(jobs: list[dict[str, Any]], prefix: str) -> dict[str, float]:
    """Returns the metrics of the packets of some jobs, rows of `jobs.parquet`."""
    packets = sum(job["packets"] for job in jobs)
    means = {
        "mean_packet_latency": "packet_latency_mean_ns",
        "mean_link_hops": "link_hops_mean",
        "nonminimal_share": "nonminimal_share",
    }
    return {
        f"{prefix}packets": packets,
        f"{prefix}bytes": sum(job["injected_bytes"] for job in jobs),
        **{
            prefix + name: sum(job[column] * job["packets"] for job in jobs) / packets
            for name, column in means.items()
        },
    }


def _of_motif(rows: pl.DataFrame, motif: str, given: Mapping[str, Any]) -> dict[str, float]:
    """Returns the metrics of a motif from its rows of `iterations.parquet`.

    Args:
        rows: the rows of one motif of a job, in the order of iterations.
        motif: the name of the motif.
        given: its parameters in the load file.
    """
    if motif in _PRINTED:
        return _printed(rows, motif, given)
    name = _file_name(motif, given)
    first = int(rows["iteration"][0])
    found: dict[str, Any] = {}
    for key, some in rows.group_by("iteration", "phase", maintain_order=True):
        iteration, phase = key
        prefix = f"{name}.iter{iteration - first + 1}." + (f"{phase}." if phase else "")
        (zero,) = some.filter(pl.col("rank") == 0).to_dicts()
        found |= {
            f"{prefix}rank0.start": zero["start_ns"],
            f"{prefix}rank0.stop": zero["end_ns"],
            f"{prefix}rank0.comm": zero[_COMM],
            f"{prefix}comm.mean": some[_COMM].mean(),
            f"{prefix}comm.max": some[_COMM].max(),
            f"{prefix}duration.mean": some["duration"].mean(),
            f"{prefix}stop.mean": some["end_ns"].mean(),
            f"{prefix}stop.max": some["end_ns"].max(),
        }
    total = rows.group_by("rank").agg(pl.col(_COMM).sum())[_COMM]
    return found | {
        f"{name}.total.comm.mean": total.mean(),
        f"{name}.total.comm.max": total.max(),
        f"{name}.total.span.max": _span(rows),
    }


def _printed(rows: pl.DataFrame, motif: str, given: Mapping[str, Any]) -> dict[str, float]:
    """Returns the times that a motif prints after its last iteration."""
    reporting = rows["rank"].max() if _PRINTED[motif] == "last" else 0
    span = _span(rows.filter(pl.col("rank") == reporting))
    iterations = given.get("iterations", 1)
    if motif == "PingPong":
        name = f"PingPong.{given.get('messageSize', 1024)}B"
        return {f"{name}.total": span, f"{name}.one_way": span / iterations / 2}
    size = {"Barrier": None, "Bcast": 8 * given.get("count", 1), "Alltoall": given.get("bytes", 1)}
    name = motif if size[motif] is None else f"{motif}.{size[motif]}B"
    return {f"{name}.printed_latency": span / iterations / 1e3}


def _file_name(motif: str, given: Mapping[str, Any]) -> str:
    """Returns the name of a motif in SST's files of iterations."""
    if motif == "Allreduce":
        values = (given.get(key, usual) for key, usual in _ALLREDUCE.items())
        return "_".join([motif, *map(str, values)])
    if motif == "StencilNd":
        return f"Stencil{len(given['gridsize'])}d"
    return {"Alltoallv": "A2Av", "Halo3D26": "26Halo3D"}.get(motif, motif)


def _span(rows: pl.DataFrame) -> float:
    """Returns the time from the first start to the last end."""
    last, first = rows["end_ns"].max(), rows["start_ns"].min()
    assert isinstance(last, float)
    assert isinstance(first, float)
    return last - first
