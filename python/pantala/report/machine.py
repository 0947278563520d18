"""The machine, the routing and the jobs of a plan in readable units."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from pantala.catalogue.routings import ALGORITHMS
from pantala.core.ports import failed_words
from pantala.report.reported_run import MANY
from pantala.report.workload import application, picoseconds, workload_lines
from pantala.text.amounts import PAGE, TIMES, count, counted

__all__ = ["facts", "plan_text", "summary"]

Plan = Mapping[str, Any]


def summary(plan: Plan) -> str:
    """Returns the experiment in one line: jobs, machine, routing, seed."""
    nodes = _nodes(plan["topology"])
    named, more = plan["jobs"], ""
    if len(named) > MANY:
        named, more = named[: MANY - 1], f" + {len(named) - MANY + 1} more jobs"
    jobs = " + ".join(map(_named, named)) + more
    return (
        f"{jobs} on a Dragonfly of {count(nodes)} nodes · routing {plan['routing']['algorithm']} ·"
        f" seed {plan['seed']}"
    )


def _named(job: Plan) -> str:
    """Returns a job with its size, and with its application if that has another name."""
    name = application(job)
    ranks = counted(job["ranks"], "rank")
    return f"{job['name']} ({ranks})" if name == job["name"] else f"{job['name']} ({name}, {ranks})"


def facts(plan: Plan) -> dict[str, list[str]]:
    """Returns the main values of a plan by heading, in readable units."""
    router = plan["router"]
    return {
        "Machine": _machine(plan),
        "Links": [
            f"{name} {PAGE.bandwidth(link['bandwidth_bytes_per_s'])},"
            f" {picoseconds(link['latency_ps'])}"
            for name, link in plan["links"].items()
            if link is not None
        ],
        "Packets": _packets(plan),
        "Routers": [
            f"model {router['model']}, {_crossbar(router)}",
            (
                f"latency {picoseconds(router['input_latency_ps'])} in,"
                f" {picoseconds(router['output_latency_ps'])} out"
            ),
            (
                f"buffers per port and VC: {_flits(router['input_buffer_flits'])} in, "
                f"{_flits(router['output_buffer_flits'])} out"
            ),
        ],
        "Routing": _routings(plan),
        "MPI": [
            f"eager up to {PAGE.size(plan['mpi']['eager_threshold_bytes'], exact=True)}, rendezvous"
            " above"
        ],
        **{f"Job {job['name']}": _job(job) for job in plan["jobs"]},
        "Seed": [str(plan["seed"])],
    }


def _crossbar(router: Plan) -> str:
    """Returns the crossbar of a router; the plan has a bandwidth also for routers without one."""
    if router.get("input_queue") == "virtual_output":
        return "no crossbar"
    return f"crossbar {PAGE.bandwidth(router['crossbar_bandwidth_bytes_per_s'])}"


def _packets(plan: Plan) -> list[str]:
    """Returns the size of a packet, and the number of packets that a coarse packet stands for."""
    coarsen = (plan.get("detail") or {}).get("coarsen", 1)
    sentences = [
        f"{PAGE.size(plan['packet_bytes'], exact=True)} in flits of"
        f" {PAGE.size(plan['flit_bytes'], exact=True)}"
    ]
    size = PAGE.size(plan["packet_bytes"] // coarsen, exact=True)
    each = f"each stands for {coarsen} packets of {size} (detail.coarsen)"
    return sentences + [each] * (coarsen > 1)


def plan_text(plan: Plan) -> str:
    """Returns the plan as JSON, with every list of numbers on one line."""
    text = json.dumps(plan, indent=2)
    return re.sub(r"\[[\s\d,.\-]+\]", lambda found: " ".join(found[0].split()), text)


def _nodes(topology: Plan) -> int:
    return int(topology["p"] * topology["a"] * topology["g"])


def _machine(plan: Plan) -> list[str]:
    topology = plan["topology"]
    p, a, h, g = (topology[key] for key in "pahg")
    shape = f"{a} routers"
    if topology["kind"] == "dragonfly_2d":
        shape = f"{topology['rows']} {TIMES} {topology['columns']} routers"
    service = sum(last - first + 1 for first, last in plan.get("service_nodes", []))
    sentences = [
        (
            f"Dragonfly of {count(_nodes(topology))} nodes: {g} groups of {shape} with {p} nodes"
            f" and {h} global ports per router"
        ),
        _global_links(plan),
    ]
    if failed := plan.get("derived", {}).get("failed_links"):
        sentences.append(f"failed: {failed_words(failed)}")
    return sentences + [f"{count(service)} of the nodes are service nodes, without jobs"] * bool(
        service
    )


def _global_links(plan: Plan) -> str:
    """Returns the number and the source of the links between two groups."""
    topology, derived = plan["topology"], plan.get("derived", {})
    least = derived.get("links_per_pair", 0) or topology["links_per_pair"]
    most = derived.get("most_links_per_pair", least)
    links = f"{least}" if least == most else f"{least} to {most}"
    origin = f"global link arrangement {topology['global_arrangement']}"
    if "global_links" in topology:
        origin = "from a file of links"
    return f"{links} global {'link' if most == 1 else 'links'} between two groups, {origin}"


def _routings(plan: Plan) -> list[str]:
    """Returns the system's routing, and other routings of all-to-all collectives and jobs."""
    sentences = [
        f"{_routing(plan['routing'])}, {plan['routing']['virtual_channels']} virtual channels"
    ]
    apart = {"all-to-all collectives": plan.get("routing_all_to_all")}
    for job in plan["jobs"]:
        apart |= {
            job["name"]: job.get("routing"),
            f"{job['name']}, all-to-all": job.get("routing_all_to_all"),
        }
    return sentences + [
        f"{name}: {_routing(routing)}" for name, routing in apart.items() if routing is not None
    ]


#: The routings that compare two queues by a threshold.
_WITH_THRESHOLD = frozenset(each.name for each in ALGORITHMS if "threshold" in each.reads)


def _routing(routing: Plan) -> str:
    name = routing["algorithm"]
    if name == "aries":
        shift = ", ".join(map(str, routing["aries"]["shift"]))
        return f"{name}, shift {shift}, add {routing['aries']['add']}"
    if name in _WITH_THRESHOLD:
        return f"{name}, threshold {routing['threshold']:g}, bias {routing['bias_flits']} flits"
    return str(name)


def _job(job: Plan) -> list[str]:
    placement = job["placement"]["kind"].replace("_", " ")
    text = f"{counted(job['ranks'], 'rank')}, {placement} placement"
    if job["start_ps"]:
        text += f", starts at {picoseconds(job['start_ps'])}"
    if job.get("end_ps"):
        text += f", is stopped at {picoseconds(job['end_ps'])}"
    if job.get("repeat"):
        text += ", repeats its program"
    return [text, *workload_lines(job)]


def _flits(number: int) -> str:
    return f"{number} flits" if number else "unlimited"
