"""From scenario to plan: the same run in integers (picoseconds, bytes, bytes a second), for the core.

A plan's keys are the scenario's, with the unit in the name where there is one; `scenario_key` leads back.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from pantala import native

if TYPE_CHECKING:
    from pantala.scenario import Job, Link, Machine, Routing, Scenario
    from pantala.scenario.job import Placement

__all__ = ["PLAN_VERSION", "build_plan", "only_jobs", "plan_text", "resolve_plan", "scenario_key"]

PLAN_VERSION = 3

_WIDTH = 110
_OF_MACHINE = frozenset({"topology", "service_nodes", "links", "packet_bytes", "flit_bytes", "router", "nic"})
_UNIT = re.compile(r"_(bytes_per_s|bytes|ps|fs|flits|packets)(?=$|\.|\[)")


def build_plan(scenario: Scenario) -> dict[str, Any]:
    """The plan of a scenario, every default filled in; the core chooses nodes and virtual channels."""
    record = scenario.record
    return {
        "plan_version": PLAN_VERSION,
        "name": scenario.name,
        "seed": scenario.seed,
        **_machine(scenario.machine),
        "routing": _routing(scenario.routing, scenario.machine),
        "routing_all_to_all": _routing(scenario.routing_all_to_all, scenario.machine),
        "allow_deadlock": scenario.allow_deadlock,
        "mpi": {
            "eager_threshold_bytes": int(scenario.mpi.eager_threshold),
            "control_bytes": int(scenario.mpi.control),
            "eager_completion": scenario.mpi.eager_completion,
            "send_overhead_ps": int(scenario.mpi.send_overhead),
            "receive_overhead_ps": int(scenario.mpi.receive_overhead),
            "gap_ps": int(scenario.mpi.gap),
            "gap_per_byte_fs": int(scenario.mpi.gap_per_byte),
            "call_overhead_ps": int(scenario.mpi.call_overhead),
            "copy_per_byte_fs": int(scenario.mpi.copy_per_byte),
            "registration_ps": int(scenario.mpi.registration),
            "registration_per_page_ps": int(scenario.mpi.registration_per_page),
            "match_delay_ps": int(scenario.mpi.match_delay),
            "host_to_nic_ps": int(scenario.mpi.host_to_nic),
            "nic_to_host_ps": int(scenario.mpi.nic_to_host),
            "memory_latency_ps": int(scenario.mpi.memory_latency),
            "memory_bandwidth_bytes_per_s": int(scenario.mpi.memory_bandwidth or 0),
            "collectives": scenario.mpi.collectives.model_dump(exclude={"preset"}),
        },
        "jobs": [_job(job, scenario.machine) for job in scenario.jobs],
        "stop": {
            "duration_ps": int(scenario.stop.duration or 0),
            "watchdog_ps": int(scenario.stop.watchdog),
        },
        "record": {
            "window_ps": int(record.window),
            "packets": record.packets,
            "packet_sample": record.packet_sample,
            "messages": record.messages,
            "iterations": record.iterations,
            "link_windows": record.link_windows,
            "q_tables": record.q_tables,
            "q_learning": record.q_learning,
        },
        "assumptions": scenario.assumptions(),
    }


def resolve_plan(plan: dict[str, Any]) -> dict[str, Any]:
    """The plan with nodes and virtual channels chosen, and under ``derived`` what follows from it.

    Raises:
        PlanError: the plan cannot be run.
    """
    return native.resolve(plan)


def only_jobs(resolved: dict[str, Any], names: list[str], part: str) -> dict[str, Any]:
    """A resolved plan with only some of its jobs, on the same nodes and with the same seed.

    Args:
        resolved: a plan whose jobs have their nodes.
        names: the jobs to keep.
        part: what to call it, after the plan's own name.
    """
    jobs = [job for job in resolved["jobs"] if job["name"] in names]
    return {**resolved, "name": f"{resolved['name']}/{part}", "jobs": jobs}


def scenario_key(plan_key: str) -> str:
    """The scenario's key for a plan's: ``links.local.latency_ps`` is ``machine.links.local.latency``."""
    key = _UNIT.sub("", plan_key)
    root = re.split(r"[.\[]", plan_key, maxsplit=1)[0]
    return f"machine.{key}" if root in _OF_MACHINE else key


def _machine(machine: Machine) -> dict[str, Any]:
    packet, flit = int(machine.packet), int(machine.flit)
    router = machine.router
    return {
        "topology": machine.topology.as_plan(),
        "service_nodes": [list(span) for span in machine.service_ranges()],
        "links": dict.fromkeys(("terminal", "local", "row", "column", "global"))
        | {name: _link(link) for name, link in machine.links.classes().items()},
        "packet_bytes": packet,
        "flit_bytes": flit,
        "router": {
            "model": router.model,
            "input_latency_ps": int(router.input_latency),
            "output_latency_ps": int(router.output_latency),
            "output_latency_at": router.output_latency_at,
            "switching": router.switching,
            "input_queue": router.input_queue,
            "crossbar_bandwidth_bytes_per_s": int(router.crossbar_bandwidth),
            "buffer_unit": router.buffer_unit,
            "input_buffer_flits": router.input_buffer.flits(packet, flit),
            "output_buffer_flits": router.output_buffer.flits(packet, flit),
            "hand_over": router.hand_over,
            "crossbar_clock": router.crossbar_clock,
            "crossbar_delay": router.crossbar_delay,
            "crossbar_contention": router.crossbar_contention,
            "input_vc_gap": router.input_vc_gap,
            "output_vc_gap": router.output_vc_gap,
            "arbiter": router.arbiter,
            "link_decision": router.link_decision,
            "credit_check": router.credit_check,
            "credit_return": router.credit_return,
            "output_release": router.output_release,
            "credit_latency": router.credit_latency,
            "credit_delay_ps": int(router.credit_delay) if router.credit_latency == "fixed" else 0,
        },
        "nic": {
            "buffer_packets": machine.nic.buffer.packets(packet, flit),
            "latency_from": machine.nic.latency_from,
            "responses": machine.nic.responses,
            "response_bytes": int(machine.nic.response or machine.flit),
            "injection_vc": machine.nic.injection_vc,
        },
    }


def _link(link: Link) -> dict[str, int]:
    return {"bandwidth_bytes_per_s": int(link.bandwidth), "latency_ps": int(link.latency)}


def _routing(routing: Routing | None, machine: Machine) -> dict[str, Any] | None:
    if routing is None:
        return None
    packet, flit = int(machine.packet), int(machine.flit)
    return {
        "algorithm": routing.kernel,
        "virtual_channels": routing.virtual_channels,
        "channels": routing.channels,
        "local_order": routing.local_order,
        "threshold": routing.threshold,
        "bias_flits": routing.bias.flits(packet, flit),
        "minimal_up_to_flits": routing.minimal_up_to.flits(packet, flit),
        "candidates_minimal": routing.candidates_minimal,
        "candidates_nonminimal": routing.candidates_nonminimal,
        "queue": routing.queue,
        "queue_scope": routing.queue_scope,
        "tie": routing.tie,
        "intermediate": routing.intermediate,
        "inside_group": routing.inside_group,
        "aries": routing.aries.model_dump(mode="json"),
        "q_adaptive": routing.q_adaptive.model_dump(mode="json"),
    }


def _job(job: Job, machine: Machine) -> dict[str, Any]:
    return {
        "name": job.name,
        "application": job.application,
        "ranks": job.ranks,
        "ranks_per_node": job.ranks_per_node,
        "start_ps": int(job.start),
        "compute_noise": job.compute_noise.model_dump(mode="json"),
        "placement": _placement(job.placement),
        "nodes": [],
        "routing": _routing(job.routing, machine),
        "routing_all_to_all": _routing(job.routing_all_to_all, machine),
        "workload": job.workload.as_plan(job.ranks),
    }


def _placement(placement: Placement) -> dict[str, Any]:
    return placement.model_dump(mode="json", exclude_none=True)


def plan_text(plan: dict[str, Any]) -> str:
    """A plan as JSON to read: a key a line, lists of numbers side by side."""
    return _text(plan, 0)


def _text(value: Any, depth: int) -> str:
    plain = json.dumps(value, ensure_ascii=False)
    if len(plain) + 2 * depth <= _WIDTH and not (isinstance(value, dict) and depth == 0):
        return plain
    inner, outer = "  " * (depth + 1), "  " * depth
    if isinstance(value, dict):
        items = [f"{inner}{json.dumps(key)}: {_text(item, depth + 1)}" for key, item in value.items()]
        return "{\n" + ",\n".join(items) + f"\n{outer}}}"
    if isinstance(value, list) and not any(isinstance(item, dict | list) for item in value):
        lines, line = [], ""
        for item in (json.dumps(item, ensure_ascii=False) for item in value):
            if line and len(inner) + len(line) + len(item) + 2 > _WIDTH:
                lines.append(f"{inner}{line}")
                line = ""
            line += f"{', ' if line else ''}{item}"
        lines.append(f"{inner}{line}")
        return "[\n" + ",\n".join(lines) + f"\n{outer}]"
    if isinstance(value, list):
        return "[\n" + ",\n".join(f"{inner}{_text(item, depth + 1)}" for item in value) + f"\n{outer}]"
    return plain
