"""What the experiments of the study share: machine, routings, placements, tables, traces."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from pantala.errors import UsageError

#: The environment variable with the directory of traces that replace the generated applications:
#: a folder of DUMPI files for each job, amg, multigrid and crystal_router.
TRACES = "PANTALA_YANG2016_TRACES"

#: The jobs of both workloads, in the order of their placement.
WORKLOADS = {
    "workload1": ("amg", "multigrid", "crystal_router"),
    "workload2": ("samg", "multigrid", "crystal_router"),
}
PLACEMENTS = ("contiguous", "random")
ROUTINGS = ("minimal", "codes_adp", "codes_padp")
#: What a router counts as congestion: packets in its own queues, packets behind its links, or both.
QUEUES = ("output_and_credits", "output", "credits")
#: The factor of sAMG's bytes.
SAMG = 100
SEEDS = 50
#: The tables that claims read.
KEEP = ["jobs", "ranks", "link_jobs", "port_windows"]


def scenario(workload: str, **more: Any) -> dict[str, Any]:
    """Returns the scenario of a workload on the paper's machine, with CODES' router."""
    return {
        "name": f"yang2016-{workload}",
        "machine": {"preset": "yang2016", "router": {"model": "codes_dally"}},
        "routing": {"algorithm": "codes_adp"},
        "jobs": jobs(workload),
        "record": {"ports": {"classes": ["injection", "local", "global"]}},
        **more,
    }


def jobs(workload: str) -> dict[str, Any] | list[dict[str, Any]]:
    """Returns the jobs of a workload: the published mix, or the traces of `TRACES`.

    sAMG is AMG's trace with a hundred times the bytes in every call, as in the paper (3.4).

    Raises:
        UsageError: a trace is missing.
    """
    given = os.environ.get(TRACES)
    if not given:
        return {"preset": f"yang2016.{workload}"}
    return [_recorded(name, Path(given).absolute() / name) for name in WORKLOADS[workload]]


def _recorded(name: str, folder: Path) -> dict[str, Any]:
    source = folder.parent / "amg" if name == "samg" else folder
    if not source.is_dir():
        raise UsageError(
            f"{TRACES} = '{source.parent}': has no folder {source.name};"
            " put the DUMPI files of this job there"
        )
    workload: dict[str, Any] = {"kind": "trace", "path": str(source), "compute": "none"}
    if name == "samg":
        workload["amplification"] = SAMG
    return {"name": name, "workload": workload}


def placement_axis(*placements: str) -> dict[str, Any]:
    """Returns an axis of placements. ``hybrid`` is contiguous for the first job only."""
    cases: dict[str, dict[str, Any]] = {
        "contiguous": {"jobs.*.placement": "contiguous"},
        "random": {"jobs.*.placement": "random"},
        "hybrid": {"jobs.*.placement": "random", "jobs.amg.placement": "contiguous"},
    }
    return {"name": "placement", "cases": {each: cases[each] for each in placements}}


def configurations(workload: str, **more: Any) -> dict[str, Any]:
    """Returns the experiment of a workload in the six configurations of Table 1."""
    return {
        "scenario": scenario(workload, **more),
        "axes": [placement_axis(*PLACEMENTS), {"routing.algorithm": list(ROUTINGS)}],
        "seeds": SEEDS,
        "keep": KEEP,
    }
