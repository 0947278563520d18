"""A stand-in for the compiled core that "runs" plans immediately and fails on demand.

It serves tests of the Python layer around the core. Tests of the core use the core itself.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import polars as pl

from pantala.catalogue.tables import TABLES
from pantala.core.plan import Extend
from pantala.errors import PlanError, SimulationError
from pantala.scenario.plan import PLAN_VERSION

Json = dict[str, Any]


def _span(load: float) -> Json:
    """Returns one of the equal spans of a measurement, of a network in a steady state."""
    return {
        "accepted": min(load, 0.7),
        "nonminimal_share": 0.0,
        "latency_mean_ns": 500.0 + 100 * load,
        "packets": 100,
    }


@dataclass
class FakeCore:
    """Replaces the module `pantala._core`.

    Attributes:
        fail: called with the plan of each run after its tables are written; can raise.
        resolved: the names of the plans that were resolved.
        runs: the plans that were run.
        threads: the number of threads of each run and measurement.
        processors: the number of processors allowed by each request for "auto".
        measured: plan and times of each measurement.
        drained: whether each measurement drains.
        warnings: the warnings of every resolved plan.
        unfinished: whether the plan's duration truncates the jobs of every run.
    """

    VERSION: str = "0.1.0"
    PLAN_VERSION: int = PLAN_VERSION
    MAX_THREADS: int = 1024
    fail: Callable[[Json], None] = lambda plan: None
    resolved: list[str] = field(default_factory=list)
    runs: list[Json] = field(default_factory=list)
    threads: list[int] = field(default_factory=list)
    processors: list[int] = field(default_factory=list)
    measured: list[tuple[Json, int, int, int]] = field(default_factory=list)
    drained: list[bool] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    unfinished: bool = False

    def Plan(self, text: str) -> FakePlan:  # noqa: N802 - a class of the core
        plan = json.loads(text)
        self.resolved.append(plan["name"])
        topology = plan["topology"]
        nodes, used = topology["p"] * topology["a"] * topology["g"], 0
        for number, job in enumerate(plan["jobs"]):
            if used + job["ranks"] > nodes:
                raise PlanError(
                    f"jobs[{number}].ranks",
                    str(job["ranks"]),
                    f"only {nodes - used} nodes are free",
                    "ask for fewer",
                )
            if not job["nodes"]:
                job["nodes"] = list(range(used, used + job["ranks"]))
            used += job["ranks"]
        sizes = {"nodes": nodes, "routers": nodes // topology["p"], "ports_per_router": 15}
        derived = {**sizes, "virtual_channels": 3, "links": {"local": 1, "global": 1}} | (
            {"warnings": self.warnings} if self.warnings else {}
        )
        return FakePlan(self, plan | {"derived": derived})

    def run(
        self,
        plan: Json,
        directory: Path,
        threads: int,
        progress: Callable[[Json], None] | None,
        extend: Extend | None,
    ) -> str:
        if extend is not None:  # a probe, which says nothing of a core that simulates nothing
            raise PlanError("stop.duration_ps", "", "the fake core does not probe", "")
        self.threads.append(threads)
        assert not list(directory.iterdir())
        self.runs.append(plan)
        if progress is not None:
            entry = {
                "simulated_ns": 5e5,
                "packets_delivered": 10,
                "packet_hops": 40,
                "wall_seconds": 0.5,
            }
            progress(entry | {"ranks_done": 0, "ranks": 8, "fraction": 0.5})
        for name in TABLES:
            pl.DataFrame(self._rows(name, plan), schema=TABLES[name].polars_schema).write_parquet(
                directory / f"{name}.parquet"
            )
        document = {
            "pantala": self.VERSION,
            "plan": plan,
            "complete": not self.unfinished,
            "reason": "duration" if self.unfinished else "finished",
            "simulated_ns": 1e6,
            "counters": {"packets_delivered": 20, "packet_hops": 80},
            "provenance": {"setup_seconds": 0.0, "wall_seconds": 1.0, "peak_rss_bytes": 0},
            "result_hash": "0" * 64,
        }
        try:
            self.fail(plan)
        except (KeyboardInterrupt, SimulationError) as error:
            reason = "interrupted" if isinstance(error, KeyboardInterrupt) else "stalled"
            (directory / "run.json").write_text(
                json.dumps(document | {"complete": False, "reason": reason})
            )
            raise
        (directory / "run.json").write_text(json.dumps(document))
        return json.dumps(document)

    def measure(
        self,
        plan: Json,
        warmup_ps: int,
        measure_ps: int,
        timeline_ps: int,
        drain: bool,
        threads: int,
        progress: Callable[[Json], None] | None,
    ) -> str:
        self.threads.append(threads)
        self.measured.append((plan, warmup_ps, measure_ps, timeline_ps))
        self.drained.append(drain)
        load = plan["jobs"][0]["workload"]["load"]
        latencies = {
            f"{kind}_{word}_ns": 500.0 + 100 * load
            for kind in ("latency", "network_latency")
            for word in ("mean", "p50", "p95", "p99")
            if (kind, word) != ("network_latency", "p95")
        }
        return json.dumps(
            latencies
            | {
                "load": load,
                "accepted": min(load, 0.7),
                "saturated": load > 0.7,
                "link_hops_mean": 2.9,
            }
            | {"nonminimal_share": 0.0, "packets": 100, "bench": self._cost()}
            | {"link_hops_mean_from_start": 2.8, "nonminimal_share_from_start": 0.1}
            | dict.fromkeys(("spans", "warmup_spans"), [_span(load)] * 8)
            | {"timeline": [{"window_start_ns": 0.0, "accepted": load, "nonminimal_share": 0.0}]}
        )

    def threads_worth(self, plan: Json, processors: int) -> int:
        """Returns a number that differs from all defaults: all processors minus one job's share."""
        self.processors.append(processors)
        return min(processors, len(plan["jobs"]) + 6)

    def cost(self, plan: Json, threads: int, progress: Callable[[Json], None] | None) -> str:
        self.threads.append(threads)
        self.runs.append(plan)
        return json.dumps({"latency_mean_ns": 600.0, "accepted": 0.1, "bench": self._cost()})

    def deadlock(self, plan_json: str) -> str:
        """Returns a cycle for booksim_ugal and none for other routings.

        Like the core, it refuses q_adaptive on two dimensions.
        """
        plan = json.loads(plan_json)
        names = [plan["routing"]["algorithm"]]
        if "q_adaptive" in names and plan["topology"]["kind"] == "dragonfly_2d":
            raise PlanError(
                "routing.algorithm", "q_adaptive", "its table has no place for rows", "use another"
            )
        cycle = [
            {"router": 0, "port": 2, "class": "local", "vc": 0, "to_router": 1},
            {"router": 1, "port": 5, "class": "global", "vc": 0, "to_router": 0},
        ]
        cyclic = "booksim_ugal" in names
        found = {"routings": names, "virtual_channels": 3, "channels": 1234, "dependencies": 56789}
        return json.dumps(
            found | {"cycle": cycle if cyclic else None, "exception": names[0] if cyclic else None}
        )

    def ports(self, topology_json: str) -> dict[str, list[Any]]:
        """Returns the ports of such routers, without their links."""
        t = json.loads(topology_json)
        classes = ["terminal"] * t["p"] + ["local"] * (t["a"] - 1) + ["global"] * t["h"]
        rows = [(router, name) for router in range(t["a"] * t["g"]) for name in classes]
        routers, names = map(list, zip(*rows, strict=True))
        return {"router": routers, "class": names, "failed": [False] * len(rows)}

    def link_table(self, topology_json: str) -> dict[str, list[Any]]:
        """Returns a full mesh of the routers in a group, without links between groups."""
        t = json.loads(topology_json)
        rows = []
        for router in range(t["a"] * t["g"]):
            group, here = divmod(router, t["a"])
            for there in range(t["a"]):
                if there != here:
                    ports = t["p"] + there - (there > here), t["p"] + here - (here > there)
                    rows.append(
                        ("local", router, ports[0], group, group * t["a"] + there, ports[1], group)
                    )
        columns = [
            "class",
            "source_router",
            "source_port",
            "source_group",
            "target_router",
            "target_port",
            "target_group",
        ]
        table: dict[str, list[Any]] = {"link": list(range(len(rows)))}
        table |= {name: [row[i] for row in rows] for i, name in enumerate(columns)}
        return table | {"parallel_index": [0] * len(rows)}

    def write_link_table(self, topology_json: str, path: str) -> None:
        pl.DataFrame(self.link_table(topology_json)).write_parquet(path)

    def _cost(self) -> Json:
        cost = {
            "packets": 100,
            "packet_hops": 400,
            "events": 800,
            "cpu_seconds": 0.5,
            "wall_seconds": 0.5,
        }
        return cost | {
            "setup_seconds": 0.1,
            "bytes_per_node": 1000.0,
            "peak_rss_bytes": 10**6,
            "result_hash": "c0ffee",
        }

    def _rows(self, table: str, plan: Json) -> list[Json]:
        if table != "jobs":
            return []
        together = 1.5 if len(plan["jobs"]) > 1 else 1.0
        return [
            {
                "job": number,
                "name": job["name"],
                "ranks": job["ranks"],
                "start_ns": 0.0,
                "end_ns": None if self.unfinished else 1e6,
                "complete": not self.unfinished,
                "communication_time_mean_ns": 1000.0 * together,
                "communication_time_std_ns": 10.0,
                "communication_time_max_ns": 1100.0 * together,
                "packets": 20,
                "mpi_bytes": 20 * 512,
                "injected_bytes": 20 * 512,
                "delivered_bytes": 20 * 512,
            }
            for number, job in enumerate(plan["jobs"])
        ]


@dataclass
class FakePlan:
    """A resolved plan of the fake core."""

    core: FakeCore
    plan: Json

    def json(self) -> str:
        return json.dumps(self.plan)

    def like(self, text: str) -> FakePlan:
        return self.core.Plan(text)

    def subset(self, jobs: list[str], part: str) -> FakePlan:
        kept = [job for job in self.plan["jobs"] if job["name"] in jobs]
        named = {"name": f"{self.plan['name']}/{part}", "jobs": kept}
        return FakePlan(self.core, {**self.plan, **named})

    def with_(self, tables: str) -> FakePlan:
        return FakePlan(self.core, self.plan | json.loads(tables))

    def expected_traffic(self) -> str:
        return "{}"

    def __getattr__(self, name: str) -> Callable[..., Any]:
        """Returns a function of the core that takes the plan: run, measure, cost, threads_worth."""
        return partial(getattr(self.core, name), self.plan)
