"""The machine, the routing and the jobs of a plan in readable units."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from pantala.report.words import TIMES, bandwidth, count, duration, size

__all__ = ["facts", "plan_text", "summary"]

Plan = Mapping[str, Any]


def summary(plan: Plan) -> str:
    """Put the study in one line: machine, routing, jobs."""
    topology = plan["topology"]
    nodes = topology["p"] * topology["a"] * topology["g"]
    jobs = " + ".join(f"{job['name']} ({count(job['ranks'])} ranks)" for job in plan["jobs"])
    return (
        f"{jobs} on a Dragonfly of {count(nodes)} nodes · routing {plan['routing']['algorithm']} · seed {plan['seed']}"
    )


def facts(plan: Plan) -> dict[str, list[str]]:
    """What a reader asks first about a run, line by line; the rest is in the plan itself."""
    topology, router, routing = plan["topology"], plan["router"], plan["routing"]
    return {
        "Machine": _machine(topology),
        "Links": [
            f"{name} {bandwidth(link['bandwidth_bytes_per_s'])}, {_picoseconds(link['latency_ps'])}"
            for name, link in plan["links"].items()
        ],
        "Packets": [f"{size(plan['packet_bytes'], exact=True)} in flits of {size(plan['flit_bytes'], exact=True)}"],
        "Routers": [
            f"model {router['model']}, crossbar {bandwidth(router['crossbar_bandwidth_bytes_per_s'])}",
            f"latency {_picoseconds(router['input_latency_ps'])} in, {_picoseconds(router['output_latency_ps'])} out",
            f"buffers per port and VC: {_flits(router['input_buffer_flits'])} in, "
            f"{_flits(router['output_buffer_flits'])} out",
        ],
        "Routing": [_routing(routing)],
        "MPI": [f"eager up to {size(plan['mpi']['eager_threshold_bytes'], exact=True)}, rendezvous above"],
        **{f"Job {job['name']}": _job(job) for job in plan["jobs"]},
        "Seed": [str(plan["seed"])],
    }


def plan_text(plan: Plan) -> str:
    """Write the plan as JSON, with every list of numbers on one line."""
    text = json.dumps(plan, indent=2)
    return re.sub(r"\[[\s\d,.\-]+\]", lambda found: " ".join(found[0].split()), text)


def _machine(topology: Plan) -> list[str]:
    p, a, h, g = (topology[key] for key in "pahg")
    return [
        f"Dragonfly of {count(p * a * g)} nodes: {g} groups of {a} routers with {p} nodes and {h} global links each",
        f"wiring {topology['wiring']}",
    ]


def _routing(routing: Plan) -> str:
    text = f"{routing['algorithm']}, {routing['virtual_channels']} virtual channels"
    if routing["algorithm"].startswith("ugal"):
        text += f", threshold {routing['threshold']:g}, bias {routing['bias_flits']} flits"
    return text


def _job(job: Plan) -> list[str]:
    told = f"{count(job['ranks'])} ranks, {job['placement']['kind']} placement"
    if job["start_ps"]:
        told += f", starts at {_picoseconds(job['start_ps'])}"
    return [told, _workload(job["workload"])]


def _workload(workload: Plan) -> str:
    told = [str(workload["kind"])]
    for key, value in workload.items():
        if key == "kind" or value in (None, False):
            continue
        words = key.removesuffix("_bytes").removesuffix("_ps").replace("_", " ")
        if key == "grid":
            value = f" {TIMES} ".join(map(str, value))
        elif key.endswith("_bytes"):
            value = size(value, exact=True)
        elif key.endswith("_ps"):
            value = _picoseconds(value)
        told.append(f"{words} {value}")
    return ", ".join(told)


def _picoseconds(ps: float) -> str:
    return duration(ps / 1000, exact=True) if ps else "0 ns"


def _flits(number: int) -> str:
    return f"{number} flits" if number else "unlimited"
