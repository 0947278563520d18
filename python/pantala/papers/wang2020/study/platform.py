"""What the experiments of the study share: machines, routings, placements, jobs and their lengths.

The paper does not say how long its jobs run. Here each runs a few of its iterations; messages and
ranks are the paper's. The two training jobs compute 129 ms and then exchange. The other jobs start
when these exchange, so that all communicate at the same time; the time before is not of interest.
"""

from __future__ import annotations

from typing import Any

#: The networks, as the axis names them.
NETWORKS = {"1D": "wang2020_1d", "2D": "wang2020_2d"}
#: In two dimensions the virtual channels count local hops, as in the fork if a configuration does
#: not set df-dally-vc. Packets can wait for each other in a cycle then, so the preset does not have
#: them.
VIRTUAL_CHANNELS: dict[str, dict[str, Any]] = {"1D": {}, "2D": {"routing.vc_map": "codes"}}
PLACEMENTS = ("random", "random_routers", "random_groups")
#: The paper's minimal and adaptive routing.
ROUTINGS = ("codes_custom_min", "codes_custom_adp")
#: The jobs of Table III, in the order of their placement. Jobs of several workloads come first, so
#: that more of them have the same nodes in each and run alone once.
WORKLOADS = {
    "workload1": ("cosmoflow", "alexnet", "nn", "lammps", "ur"),
    "workload2": ("cosmoflow", "alexnet", "nn", "milc", "lammps"),
    "workload3": ("cosmoflow", "alexnet", "nn", "milc", "nekbone"),
}
ML = ("cosmoflow", "alexnet")
#: How many steps, updates or iterations each job runs, and what it would run by the models' inputs
#: or in a whole training; Table III of the study shows both.
LENGTHS = {
    "cosmoflow": 1,
    "alexnet": 1,
    "lammps": 10,
    "milc": 3,
    "nekbone": 8,
    "nn": 30,
    "ur": 50,
}
SEEDS = 2
#: The sums of these jobs have at most 48 B, or at least 28 MiB. For the former, CODES and MPICH use
#: recursive doubling, for the latter a reduce-scatter and an allgather (Rabenseifner).
COLLECTIVES = {"allreduce": "mpich"}

_INTERVAL = "129 ms"
#: Records that no experiment keeps: they would take a quarter of the time.
NO_DETAIL: dict[str, Any] = {
    "window": "1 ms",
    "packets": "off",
    "messages": False,
    "iterations": False,
    "link_windows": False,
}

#: A seventh of 235 MiB, rounded to a multiple of 4 B, as AlexNet's Allreduces.
_ALLREDUCE_BYTES = 35_202_196
#: AlexNet's Allreduces of an update here; a whole update has seven.
ALLREDUCES = 1


def _workloads(factor: int) -> dict[str, dict[str, Any]]:
    length = {name: factor * count for name, count in LENGTHS.items()}
    return {
        "cosmoflow": {
            "kind": "allreduce_loop",
            "message": "29517414 B",
            "compute": _INTERVAL,
            "iterations": length["cosmoflow"],
        },
        "alexnet": {
            "kind": "alexnet",
            "gradient": f"{ALLREDUCES * _ALLREDUCE_BYTES} B",
            "allreduces": ALLREDUCES,
            "tensors": 0,
            "agreements": 0,
            "iterations": length["alexnet"],
        },
        "lammps": {"kind": "lammps", "iterations": length["lammps"]},
        "milc": {"kind": "milc_swm", "grid": [8, 8, 8, 8], "iterations": length["milc"]},
        "nekbone": {"kind": "nekbone", "grid": [13, 13, 13], "iterations": length["nekbone"]},
        "nn": {
            "kind": "halo3d",
            "grid": [8, 8, 8],
            "message": "128 KiB",
            "periodic": True,
            "start_delay": "0 s",
            "iterations": length["nn"],
        },
        "ur": {
            "kind": "uniform_random",
            "message": "10 KiB",
            "compute": "1 ms",
            "iterations": length["ur"],
        },
    }


RANKS = {
    "cosmoflow": 1_024,
    "alexnet": 512,
    "lammps": 2_048,
    "milc": 4_096,
    "nekbone": 2_197,
    "nn": 512,
    "ur": 4_096,
}


def jobs(workload: str, factor: int = 1) -> list[dict[str, Any]]:
    """Returns the jobs of a workload.

    Args:
        workload: a key of `WORKLOADS`.
        factor: how many times as long they run.
    """
    of_jobs = _workloads(factor)
    return [
        {
            "name": name,
            "ranks": RANKS[name],
            "placement": "random",
            "workload": of_jobs[name],
            **({} if name in ML else {"start": _INTERVAL}),
        }
        for name in WORKLOADS[workload]
    ]


def scenario(workload: str, **more: Any) -> dict[str, Any]:
    """Returns the scenario of a workload: each job alone and all together, on the 1D network."""
    return {
        "name": f"wang2020-{workload}",
        "machine": NETWORKS["1D"],
        "routing": {"algorithm": ROUTINGS[1]},
        "mpi": {"collectives": COLLECTIVES},
        "jobs": jobs(workload),
        "interference": True,
        "record": {**NO_DETAIL, "rank_messages": True, "system": {}},
        **more,
    }


def network_axis(*networks: str) -> dict[str, Any]:
    """Returns the axis of networks."""
    cases = {each: {"machine": NETWORKS[each], **VIRTUAL_CHANNELS[each]} for each in networks}
    return {"name": "network", "cases": cases}


def placement_axis(*placements: str) -> dict[str, Any]:
    """Returns the axis of placements, one for all jobs."""
    cases = {each: {"jobs.*.placement": each} for each in placements}
    return {"name": "placement", "cases": cases}


#: The tables that claims, figures and tables read.
KEEP = ["jobs", "ranks", "calls", "rank_messages", "system_windows"]


def combinations(workload: str) -> dict[str, Any]:
    """Returns the experiment of a workload on both networks, in the paper's six combinations."""
    return {
        "scenario": scenario(workload),
        "axes": [
            network_axis(*NETWORKS),
            placement_axis(*PLACEMENTS),
            {"routing.algorithm": list(ROUTINGS)},
        ],
        "seeds": SEEDS,
        "keep": KEEP,
    }
