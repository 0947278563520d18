"""Writes run directories that look like real ones, so that figures and the report can be tested without the core.

The numbers come from a crude fluid model with random scatter; they are plausible and mean nothing.
`python tests/python/fake_run.py DIR [--kang]` writes one to look at.
"""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from fake_network import Floats, Integers, Machine, alltoall_flows, halo_flows
from pantala.catalogue.tables import TABLES
from pantala.plan import PLAN_VERSION
from pantala.results import InterferenceRun, Run

LINK_BYTES_PER_NS = 25.0
Json = dict[str, Any]


@dataclass(frozen=True)
class Job:
    """What the model needs to know of one job."""

    name: str
    ranks: int
    workload: Json
    iterations: int
    communication_ns: float
    compute_ns: float
    burst: bool
    slowed: float
    latency_ns: float


@dataclass(frozen=True)
class Study:
    """A machine, two jobs on it, and how to record them."""

    machine: Machine
    jobs: tuple[Job, ...]
    window_ns: float
    seed: int = 1
    packets: str = "sampled"
    routing: str = "ugal_g"
    nodes: dict[str, Integers] = field(default_factory=dict)

    def placed(self) -> Study:
        order = np.random.default_rng(self.seed).permutation(self.machine.nodes)
        at = 0
        for job in self.jobs:
            self.nodes[job.name] = order[at : at + job.ranks]
            at += job.ranks
        return self


def small_study(**options: Any) -> Study:
    """72 nodes in 9 groups, 36 + 32 ranks: quick enough for a test."""
    fft = {"kind": "fft3d", "grid": [6, 6], "row_message_bytes": 8192, "column_message_bytes": 8192, "iterations": 2}
    halo = {"kind": "halo3d", "grid": [2, 4, 4], "message_bytes": 65536, "iterations": 6, "compute_ps": 0}
    jobs = (
        Job("fft3d", 36, fft, 2, 160e3, 90e3, True, 1.9, 1500),
        Job("halo3d", 32, halo, 6, 210e3, 0, False, 1.04, 2600),
    )
    return Study(Machine(2, 4, 2), jobs, 5e3, **options).placed()


def kang_study(**options: Any) -> Study:
    """1,056 nodes and two jobs of 528 ranks, as in Kang et al."""
    fft = {
        "kind": "fft3d",
        "grid": [22, 24],
        "row_message_bytes": 51680,
        "column_message_bytes": 51680,
        "iterations": 4,
        "compute_forward_ps": 300_000_000,
        "compute_backward_ps": 300_000_000,
    }
    halo = {"kind": "halo3d", "grid": [6, 8, 11], "message_bytes": 192000, "iterations": 30, "compute_ps": 0}
    jobs = (
        Job("fft3d", 528, fft, 4, 1.9e6, 2.4e6, True, 2.37, 2300),
        Job("halo3d", 528, halo, 30, 3.6e6, 0, False, 1.05, 4200),
    )
    return Study(Machine(), jobs, 10e3, **options).placed()


def fake_interference(directory: Path, study: Study | None = None) -> InterferenceRun:
    """Write a whole study below `directory` and open it."""
    study = study or small_study()
    directory.mkdir(parents=True, exist_ok=True)
    parts, rows = [], []
    for job in study.jobs:
        _write_run(directory / f"alone-{job.name}", study, (job,))
        parts.append({"part": f"alone-{job.name}", "directory": f"alone-{job.name}", "jobs": [job.name]})
    _write_run(directory / "together", study, study.jobs)
    parts.append({"part": "together", "directory": "together", "jobs": [job.name for job in study.jobs]})
    together = pl.read_parquet(directory / "together" / "jobs.parquet")
    for index, job in enumerate(study.jobs):
        alone = pl.read_parquet(directory / f"alone-{job.name}" / "jobs.parquet").row(0, named=True)
        both = together.row(index, named=True)
        row: Json = {"job": index, "name": job.name}
        for key in ("mean", "std", "max"):
            row[f"alone_communication_time_{key}_ns"] = alone[f"communication_time_{key}_ns"]
            row[f"together_communication_time_{key}_ns"] = both[f"communication_time_{key}_ns"]
        row["slowdown"] = both["communication_time_mean_ns"] / alone["communication_time_mean_ns"]
        rows.append(row)
    pl.DataFrame(rows).with_columns(pl.col("job").cast(pl.UInt16)).write_parquet(directory / "slowdown.parquet")
    document = {"name": "interference", "complete": True, "parts": parts}
    (directory / "interference.json").write_text(json.dumps(document, indent=1))
    return InterferenceRun(directory)


def fake_run(directory: Path, study: Study | None = None) -> Run:
    """Write one run of all jobs together and open it."""
    study = study or small_study()
    _write_run(directory, study, study.jobs)
    return Run(directory)


def _seed(study: Study, job: Job, purpose: int) -> int:
    return study.seed * 1000 + [j.name for j in study.jobs].index(job.name) * 10 + purpose


def _write_run(directory: Path, study: Study, jobs: tuple[Job, ...]) -> None:
    directory.mkdir(parents=True, exist_ok=True)
    machine, company = study.machine, len(jobs) > 1
    tables: dict[str, list[pl.DataFrame]] = {name: [] for name in TABLES}
    load_of: list[Floats] = []
    for index, job in enumerate(jobs):
        random = np.random.default_rng(_seed(study, job, company))
        factor = job.slowed if company else 1.0
        nodes = study.nodes[job.name]
        scatter = random.lognormal(0, 0.06 if company else 0.03, job.ranks)
        communication = job.communication_ns * factor * scatter / scatter.mean()
        end = float(communication.max() + job.compute_ns)
        detour = (0.34 if company else 0.18) + 0.04 * job.burst
        flows = _flows(job, nodes)
        load_of.append(job.iterations * machine.carry(*flows, detour, _seed(study, job, 5)))
        total = int(flows[2].sum() * job.iterations)
        tables["ranks"].append(_ranks(index, job, machine, nodes, communication, total))
        tables["iterations"].append(_iterations(index, job, communication))
        tables["messages"].append(_messages(index, job, random, end, factor))
        tables["packets"].append(_packets(index, nodes, job, random, end, factor))
        tables["job_windows"].append(_windows(index, job, study, company, end, total, random))
        tables["jobs"].append(_job(index, job, tables, communication, end, total))
    simulated = max(float(frame["end_ns"][0]) for frame in tables["jobs"])
    links, link_jobs = _links(machine, load_of, simulated)
    tables["links"], tables["link_jobs"] = [links], [link_jobs]
    tables["link_windows"] = [_link_windows(links, link_jobs, pl.concat(tables["job_windows"]))]
    if study.packets == "off":
        del tables["packets"]
    rows = {}
    for name, frames in tables.items():
        schema = TABLES[name].polars_schema
        empty = pl.DataFrame(schema=schema)
        frame = pl.concat([empty, *(part.select(pl.col(n).cast(t) for n, t in schema.items()) for part in frames)])
        frame.write_parquet(directory / f"{name}.parquet")
        rows[name] = frame.height
    document = _document(study, jobs, simulated, tables, rows)
    (directory / "run.json").write_text(json.dumps(document, indent=1))


def _flows(job: Job, nodes: Integers) -> tuple[Integers, Integers, Floats]:
    grid = job.workload["grid"]
    if job.workload["kind"] == "fft3d":
        return alltoall_flows(nodes, grid[0], grid[1], job.workload["row_message_bytes"])
    return halo_flows(nodes, tuple(grid), job.workload["message_bytes"])


def _ranks(index: int, job: Job, machine: Machine, nodes: Integers, time: Floats, total: int) -> pl.DataFrame:
    router = nodes // machine.p
    collective = job.workload["kind"] == "fft3d"
    share = np.full(job.ranks, total // job.ranks)
    return pl.DataFrame(
        {
            "job": index,
            "rank": np.arange(job.ranks),
            "node": nodes,
            "router": router,
            "group": router // machine.a,
            "start_ns": 0.0,
            "end_ns": time + job.compute_ns,
            "communication_time_ns": time,
            "compute_time_ns": job.compute_ns,
            "send_ns": time * (0 if collective else 0.02),
            "recv_ns": time * (0 if collective else 0.01),
            "wait_ns": time * (0 if collective else 0.97),
            "collective_ns": time * collective,
            "messages_sent": share // 1000,
            "bytes_sent": share,
            "peak_ingress_bytes": share,
            "messages_received": share // 1000,
            "bytes_received": share,
        }
    )


def _iterations(index: int, job: Job, time: Floats) -> pl.DataFrame:
    rank, iteration = (x.ravel() for x in np.meshgrid(np.arange(job.ranks), np.arange(job.iterations), indexing="ij"))
    each = (time / job.iterations)[rank]
    length = each + job.compute_ns / job.iterations
    return pl.DataFrame(
        {
            "job": index,
            "rank": rank,
            "iteration": iteration,
            "start_ns": iteration * length,
            "end_ns": (iteration + 1) * length,
            "communication_time_ns": each,
        }
    )


def _messages(index: int, job: Job, random: np.random.Generator, end: float, factor: float) -> pl.DataFrame:
    count = job.ranks * 8
    source = random.integers(0, job.ranks, count)
    posted = random.uniform(0, end * 0.9, count)
    latency = job.latency_ns * 4 * factor * random.lognormal(0, 0.5, count)
    size = job.workload.get("message_bytes", job.workload.get("row_message_bytes"))
    return pl.DataFrame(
        {
            "job": index,
            "source_rank": source,
            "destination_rank": (source + 1) % job.ranks,
            "tag": 0,
            "bytes": size,
            "protocol": "rendezvous",
            "posted_ns": posted,
            "delivered_ns": posted + latency,
            "latency_ns": latency,
        }
    )


def _packets(
    index: int, nodes: Integers, job: Job, random: np.random.Generator, end: float, factor: float
) -> pl.DataFrame:
    count = 12 * job.ranks
    created = random.uniform(0, end * 0.95, count)
    queue = job.latency_ns * 0.3 * random.exponential(1, count)
    network = 500 + job.latency_ns * 0.5 * factor * random.lognormal(0, 0.7, count)
    return pl.DataFrame(
        {
            "job": index,
            "source_node": random.choice(nodes, count),
            "destination_node": random.choice(nodes, count),
            "bytes": 512,
            "created_ns": created,
            "injected_ns": created + queue,
            "delivered_ns": created + queue + network,
            "latency_ns": queue + network,
            "link_hops": random.integers(2, 6, count),
            "nonminimal": random.random(count) < 0.25,
        }
    )


def _windows(
    index: int, job: Job, study: Study, company: bool, end: float, total: int, random: np.random.Generator
) -> pl.DataFrame:
    start = np.arange(0, end, study.window_ns)
    length = np.minimum(study.window_ns, end - start)
    shape = random.lognormal(0, 0.05, len(start))
    if job.burst:
        period = end / job.iterations
        shape *= (start % period) > period * job.compute_ns / end
        if company:
            other = max(j.communication_ns * j.slowed + j.compute_ns for j in study.jobs if j is not job)
            shape *= np.where(start < other, 0.3, 1.0)
    shape = shape * length
    delivered = total * shape / shape.sum()
    keep = delivered > 0
    return pl.DataFrame(
        {
            "job": index,
            "window_start_ns": start[keep],
            "window_ns": length[keep],
            "injected_bytes": delivered[keep],
            "delivered_bytes": delivered[keep],
            "packets": delivered[keep] / 512,
            "latency_mean_ns": job.latency_ns * random.lognormal(0, 0.1, keep.sum()),
        }
    )


def _job(
    index: int, job: Job, tables: dict[str, list[pl.DataFrame]], time: Floats, end: float, total: int
) -> pl.DataFrame:
    packets = tables["packets"][-1]
    sources = {
        "packet": packets["latency_ns"],
        "network": packets["delivered_ns"] - packets["injected_ns"],
        "message": tables["messages"][-1]["latency_ns"],
    }
    row: Json = {
        "job": index,
        "name": job.name,
        "ranks": job.ranks,
        "start_ns": 0.0,
        "end_ns": end,
        "complete": True,
        "communication_time_mean_ns": float(time.mean()),
        "communication_time_std_ns": float(time.std()),
        "communication_time_max_ns": float(time.max()),
        "packets": total // 512,
        "mpi_bytes": total,
        "injected_bytes": total,
        "delivered_bytes": total,
    }
    for name, series in sources.items():
        row[f"{name}_latency_mean_ns"] = series.mean()
        for key, quantile in (("p50", 0.5), ("p95", 0.95), ("p99", 0.99)):
            row[f"{name}_latency_{key}_ns"] = series.quantile(quantile, "linear")
    row["link_hops_mean"] = packets["link_hops"].mean()
    row["nonminimal_share"] = packets["nonminimal"].mean()
    row |= {"responses": 0, **{f"pair_latency_{key}_ns": None for key in ("mean", "p50", "p95", "p99")}}
    return pl.DataFrame([row])


def _links(machine: Machine, load_of: list[Floats], simulated: float) -> tuple[pl.DataFrame, pl.DataFrame]:
    total = np.sum(load_of, axis=0)
    busy = total / LINK_BYTES_PER_NS
    load = busy / simulated
    links = machine.links().with_columns(
        packets=pl.Series(total // 512),
        bytes=pl.Series(total),
        busy_ns=pl.Series(busy),
        stall_ns=pl.Series(simulated * np.minimum(0.9, load**2 * 0.8)),
        load=pl.Series(load),
    )
    jobs = [pl.DataFrame({"link": np.arange(len(x)), "job": i, "bytes": x}) for i, x in enumerate(load_of)]
    return links, pl.concat(jobs).filter(pl.col("bytes") >= 1)


def _link_windows(links: pl.DataFrame, link_jobs: pl.DataFrame, windows: pl.DataFrame) -> pl.DataFrame:
    """Each job's bytes over a link, spread over time as the job's deliveries."""
    network = links.filter(pl.col("class").is_in(["local", "global"])).select("link")
    share = windows.with_columns(part=pl.col("delivered_bytes") / pl.col("delivered_bytes").sum().over("job"))
    return (
        link_jobs.join(network, on="link")
        .join(share.select("job", "window_start_ns", "part"), on="job")
        .group_by("link", "window_start_ns")
        .agg((pl.col("bytes") * pl.col("part")).sum().alias("bytes"))
        .sort("link", "window_start_ns")
    )


def _document(study: Study, jobs: tuple[Job, ...], simulated: float, tables: Any, rows: Json) -> Json:
    machine = study.machine
    link = {"bandwidth_bytes_per_s": 25_000_000_000}
    packets = sum(int(frame["packets"][0]) for frame in tables["jobs"])
    hops = int(packets * 4.1)
    plan: Json = {
        "plan_version": PLAN_VERSION,
        "name": "interference",
        "seed": study.seed,
        "topology": {
            "kind": "dragonfly",
            "p": machine.p,
            "a": machine.a,
            "h": machine.h,
            "g": machine.g,
            "links_per_pair": 1,
            "wiring": "absolute",
            "mirrored": False,
            "wiring_seed": 0,
        },
        "links": {
            name: {**link, "latency_ps": ps}
            for name, ps in (("terminal", 10_000), ("local", 30_000), ("global", 300_000))
        },
        "packet_bytes": 512,
        "flit_bytes": 128,
        "router": {
            "model": "pantala",
            "input_latency_ps": 10_000,
            "output_latency_ps": 10_000,
            "crossbar_bandwidth_bytes_per_s": 100_000_000_000,
            "input_buffer_flits": 120,
            "output_buffer_flits": 120,
            "arbiter": "round_robin",
        },
        "nic": {"buffer_packets": 30},
        "routing": {"algorithm": study.routing, "virtual_channels": 3, "threshold": 2.0, "bias_flits": 0},
        "mpi": {"eager_threshold_bytes": 12_000, "control_bytes": 64},
        "jobs": [
            {
                "name": job.name,
                "ranks": job.ranks,
                "start_ps": 0,
                "placement": {"kind": "random"},
                "nodes": study.nodes[job.name].tolist(),
                "workload": job.workload,
            }
            for job in jobs
        ],
        "stop": {"duration_ps": 0, "watchdog_ps": 100_000_000},
        "record": {"window_ps": int(study.window_ns * 1000), "packets": study.packets, "packet_sample": 100},
        "derived": {"nodes": machine.nodes, "routers": machine.routers, "groups": machine.g, "virtual_channels": 3},
    }
    return {
        "pantala": "0.1.0",
        "plan": plan,
        "complete": True,
        "reason": "finished",
        "simulated_ns": simulated,
        "counters": {
            "packets_injected": packets,
            "packets_delivered": packets,
            "packets_in_flight": 0,
            "packet_hops": hops,
        },
        "conservation": {"packets": True, "flits": True, "credits": True},
        "result_hash": f"{study.seed:016x}",
        "tables": rows,
        "provenance": {
            "host": "example",
            "started": "2026-01-01T00:00:00Z",
            "wall_seconds": 12.5,
            "cpu_seconds": 12.25,
            "packet_hops_per_cpu_second": hops / 12.25,
            "git": "0000000",
            "python": "3.11",
            "rustc": "1.85.0",
        },
    }


if __name__ == "__main__":
    fake_interference(Path(sys.argv[1]), kang_study() if "--kang" in sys.argv else small_study())
