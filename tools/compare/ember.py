"""The end-to-end case: the benchmark study-1056 as one load file of SST's Ember."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pantala.runs.benchmark import bench_scenario

__all__ = ["BENCH", "CASE", "LOAD_FILE", "Study", "study"]

#: The benchmark, and its case with the router model and the routing of SST's fork.
BENCH, CASE = "study-1056", "sst_sc22"

LOAD_FILE = "study.load"

#: A double of Ember in bytes.
_DOUBLE = 8


@dataclass(frozen=True)
class Study:
    """A load file and the machine that it runs on.

    Attributes:
        text: the load file.
        preset: Pantala's name of the machine.
        model: Pantala's name of the router model.
        routing: Pantala's name of the routing.
        nodes: the number of nodes.
        topology: the parameters of SST's topology.
        network: the parameters of SST's network.
        learning: the parameters of q_adaptive, by Pantala's key.
    """

    text: str
    preset: str
    model: str
    routing: str
    nodes: int
    topology: dict[str, Any]
    network: dict[str, str]
    learning: dict[str, Any]

    def write(self, directory: Path) -> None:
        """Writes the load file into a directory."""
        (directory / LOAD_FILE).write_text(self.text, encoding="utf-8")


def study() -> Study:
    """Returns the benchmark as a load file; placements are written out as lists of nodes."""
    scenario = bench_scenario(BENCH, CASE)
    plan = scenario.resolved_plan()
    shape, links, router = plan["topology"], plan["links"], plan["router"]
    nodes = shape["p"] * shape["a"] * shape["g"]
    idle = set(range(nodes))
    blocks = [f"# The benchmark {BENCH} as a load file of SST's Ember."]
    for number, (job, planned) in enumerate(zip(scenario.jobs, plan["jobs"], strict=True)):
        used = plan.nodes(planned["name"])
        idle -= set(used)
        blocks.append(
            _job(number, used, ["Init", _motif(job.workload, planned["workload"]), "Fini"])
        )
    blocks.append(_job(len(scenario.jobs), sorted(idle), ["Null"]))
    return Study(
        text="\n\n".join(blocks) + "\n",
        preset=str(scenario.machine.preset),
        model=router["model"],
        routing=plan["routing"]["algorithm"],
        nodes=nodes,
        topology={
            "shape": f"{shape['p']}:{shape['a']}:{shape['links_per_pair']}:{shape['g']}",
            "num_groups": shape["g"],
            "routers_per_group": shape["a"],
            "hosts_per_router": shape["p"],
            "intergroup_links": shape["links_per_pair"],
        },
        network={
            "packetSize": f"{plan['packet_bytes']}B",
            "flitSize": f"{plan['flit_bytes']}B",
            "link_bw": f"{links['terminal']['bandwidth_bytes_per_s']}B/s",
            "xbar_bw": f"{router['crossbar_bandwidth_bytes_per_s']}B/s",
            "link_lat_host": f"{links['terminal']['latency_ps']}ps",
            "link_lat_local": f"{links['local']['latency_ps']}ps",
            "link_lat_global": f"{links['global']['latency_ps']}ps",
            "input_latency": f"{router['input_latency_ps']}ps",
            "output_latency": f"{router['output_latency_ps']}ps",
            "input_buf_size": f"{router['input_buffer_flits'] * plan['flit_bytes']}B",
            "output_buf_size": f"{router['output_buffer_flits'] * plan['flit_bytes']}B",
        },
        learning=plan["routing"]["q_adaptive"],
    )


def _job(number: int, nodes: Iterable[int], motifs: Iterable[str]) -> str:
    """Returns the lines of a job."""
    lines = [f"[JOB_ID] {number}", f"[NID_LIST] {','.join(map(str, nodes))}"]
    lines += [f"[MOTIF] {motif}" for motif in motifs]
    return "\n".join([*lines, "[NUM_CORES] 1"])


def _motif(given: Any, planned: dict[str, Any]) -> str:
    """Returns a workload as a motif with its arguments.

    Halo3D keeps the arguments of the benchmark, with the grid and the computing that they lead to.
    Uniform random traffic is the motif Random, which sends doubles to a random permutation of the
    ranks in each iteration.
    """
    if given.kind == "uniform_random":
        name, arguments = (
            "Random",
            {
                "iterations": planned["iterations"],
                "messagesize": planned["message_bytes"] // _DOUBLE,
                "compute": planned["compute_ps"] // 1_000,
                "wait2start": planned["start_delay_ps"] // 1_000,
            },
        )
    else:
        name = given.kind.removeprefix("ember.")
        arguments = given.model_dump(exclude_unset=True, exclude={"kind"})
        arguments |= dict(zip(("pex", "pey", "pez"), planned["grid"], strict=True))
        arguments |= {"computetime": planned["compute_ps"] // 1_000}
    return " ".join([name, *(f"{key}={value}" for key, value in arguments.items())])
