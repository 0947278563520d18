"""Routing deadlock: searches the channel-dependency graph of a plan and describes the result."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from pantala.core import native
from pantala.core.routings import ROUTINGS
from pantala.errors import PlanError
from pantala.scenario import Scenario
from pantala.text.amounts import counted

__all__ = ["deadlock", "deadlocks", "lines"]


def deadlock(scenario: Scenario) -> dict[str, Any]:
    """Searches the channel-dependency graph of a scenario; see `pantala.core.native.deadlock`.

    Channels are the virtual channels of every link. A channel depends on another if a packet can
    hold the first while it waits for the second. Without a cycle there is no deadlock (Dally and
    Seitz, 1987). All routings of the scenario share one graph.

    Raises:
        ScenarioError: the scenario cannot be run.
    """
    try:
        return native.deadlock(scenario.plan())
    except PlanError as error:
        raise scenario.error_of_plan(error) from None


def deadlocks(
    machine: Mapping[str, Any], changes: Mapping[str, Any] | None = None
) -> Iterator[tuple[str, dict[str, Any] | str]]:
    """Returns the result of `deadlock` for every routing on a machine.

    A routing that the machine cannot carry has the reason in place of the result.

    Args:
        machine: keys of a scenario's `machine`.
        changes: other values of the scenario, by dotted key.

    Raises:
        ScenarioError: the machine itself is wrong.
    """
    for routing in ROUTINGS:
        scenario = on_machine(machine, routing.name, changes)
        try:
            yield routing.name, native.deadlock(scenario.plan())
        except PlanError as error:
            if not error.key.startswith("routing"):
                raise scenario.error_of_plan(error) from None
            yield routing.name, error.message


def on_machine(
    machine: Mapping[str, Any], routing: str, changes: Mapping[str, Any] | None = None
) -> Scenario:
    """Returns a scenario for a machine, in which every packet class has one routing.

    Args:
        machine: keys of a scenario's `machine`.
        routing: a routing's name.
        changes: other values, by dotted key: ``{"routing.vc_map": "booksim2"}``.

    Raises:
        ScenarioError: the machine, the routing or a change is wrong.
    """
    work = {"kind": "pattern", "pattern": "uniform", "load": 0.5, "include_self": True}
    job = {"name": "any", "ranks": 1, "workload": work}
    data: dict[str, Any] = {
        "name": "deadlock",
        "machine": machine,
        "jobs": [job],
        "stop": {"duration": "1 us"},
    }
    data |= {"routing": routing, "routing_all_to_all": routing, "allow_deadlock": True}
    return Scenario.from_dict(data, source="pantala topology", changes=changes)


def lines(found: Mapping[str, Any], name: str = "") -> list[str]:
    """Returns the result in words: one line, and one more per channel of a cycle.

    Args:
        found: the result of `deadlock`.
        name: the name of the routings; their names in the plan if not given.
    """
    name = name or ", ".join(found["routings"])
    graph = (
        f"{found['channels']:,} channels, {found['dependencies']:,} dependencies,"
        f" {counted(found['virtual_channels'], 'virtual channel')} per port"
    )
    cycle = found["cycle"]
    if cycle is None:
        return [f"{name}: free of deadlock: no cycle; {graph}"]
    known = f" (known exception: {found['exception']})" if found["exception"] else ""
    sentences = [f"{name}: can deadlock{known}: {graph}; a cycle of {len(cycle)} channels:"]
    for channel in cycle:
        sentences.append(
            f"  {channel['class']} link from router {channel['router']} to router"
            f" {channel['to_router']} (port {channel['port']}), virtual channel {channel['vc']}"
        )
    return sentences
