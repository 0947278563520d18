"""How a scenario shows itself in a notebook: as HTML."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pantala.catalogue.interference_modes import mode_of
from pantala.text.amounts import count
from pantala.text.notebook_page import page, table

if TYPE_CHECKING:
    from pantala.scenario.scenario import Scenario

__all__ = ["scenario_html"]


def scenario_html(scenario: Scenario) -> str:
    """Returns a scenario: its machine and routing, and a row per job."""
    machine = scenario.machine
    facts = {
        "machine": f"{count(machine.nodes)} nodes in {machine.topology.g} groups",
        "routing": str(scenario.routing.algorithm),
        "seed": str(scenario.seed),
        "interference": mode_of(scenario.interference) or "",
    }
    rows = [
        [
            job.name,
            ", ".join(_kind(workload) for workload in job.workloads),
            count(job.ranks),
            job.placement.kind,
        ]
        for job in scenario.jobs
    ]
    return page(
        f"Scenario {scenario.name}", facts, table(["job", "workload", "ranks", "placement"], rows)
    )


def _kind(workload: object) -> str:
    return str(getattr(workload, "kind", None) or getattr(workload, "motif", ""))
