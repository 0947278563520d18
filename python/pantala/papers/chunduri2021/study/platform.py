"""What the experiments share: machine, modes, applications, records and the background.

The paper runs on machines whose packets carry 64 bytes. Here packets are eight times as long, with
buffers of as many bytes as before and responses of the same share of the traffic, because whole
machines are simulated; `variations` repeats the central runs with packets of 64 bytes.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

__all__ = [
    "APPLICATIONS",
    "GROUPS",
    "KEEP",
    "MODES",
    "PRODUCTION",
    "RAYLEIGH",
    "application_axis",
    "ensemble",
    "inside_axis",
    "machine",
    "minimal_inside",
    "mode_axis",
    "placement_axis",
    "production",
    "workload",
]

#: The iterations of each application.
APPLICATIONS: dict[str, int] = {
    "milc": 2,
    "milcreorder": 2,
    "nek5000": 3,
    "hacc": 1,
    "qbox": 2,
    "rayleigh": 1,
}
#: The applications that run in production. An iteration of Rayleigh takes 80 ms beside a machine
#: that is full, which is out of reach.
PRODUCTION = ("milc", "milcreorder", "nek5000", "hacc", "qbox")
MODES = ("AD0", "AD1", "AD2", "AD3")
#: The groups that a job in production spans.
GROUPS = (1, 2, 5, 8, 12)
#: A rank's time to post a send. The paper's profiles have MPI_Isend as MILC's third call, which a
#: send that takes no time cannot be. The value is an assumption.
MPI = {"send_overhead": "100 ns"}
#: The start of a job in production. Until then the background fills the network.
WARM_UP = "100 us"
KEEP = ["jobs", "ranks", "calls", "system_windows"]
#: Keys of the case of Rayleigh, whose messages of 23 MB would be 1.6 million packets of 512 B each
#: per rank and iteration. Its buffers hold as many packets as those of the others.
RAYLEIGH: dict[str, Any] = {
    "machine.packet": "4 KiB",
    "machine.router.input_buffer": "32 KiB",
    "machine.router.output_buffer": "32 KiB",
    "machine.nic.response": "1 KiB",
}


def machine(name: str = "theta") -> dict[str, Any]:
    """Returns a machine with packets of 512 B."""
    return {
        "preset": name,
        "packet": "512 B",
        "router": {"input_buffer": "4 KiB", "output_buffer": "4 KiB"},
        "nic": {"response": "128 B"},
    }


def workload(kind: str, **keys: Any) -> dict[str, Any]:
    """Returns the workload of an application with the iterations of this study."""
    return {"kind": kind, "iterations": APPLICATIONS[kind], **keys}


def scenario(name: str, jobs: list[dict[str, Any]], **keys: Any) -> dict[str, Any]:
    """Returns a scenario on Theta that records what all measures read."""
    return {
        "name": f"chunduri2021-{name}",
        "machine": machine(),
        "mpi": MPI,
        "jobs": jobs,
        "record": {
            "window": "1 ms",
            "packets": "off",
            "messages": False,
            "iterations": False,
            "link_windows": False,
            "system": {},
        },
        **keys,
    }


def mode_axis(*modes: str, jobs: str = "", detours: bool = True) -> dict[str, Any]:
    """Returns an axis of modes, each for all calls (both of the paper's variables).

    Args:
        modes: the modes; all of them if none is given.
        jobs: the jobs with the mode, such as ``jobs.target.``; the whole scenario without it.
        detours: whether packets of all jobs may leave minimal paths inside a group. False in
            experiments whose runs are from before this was the default, until they are repeated.
    """
    inside = {} if detours else minimal_inside(jobs)
    return {
        "name": "mode",
        "cases": {
            mode: {
                f"{jobs}routing": f"aries_{mode.lower()}",
                f"{jobs}routing_all_to_all": f"aries_{mode.lower()}",
                **inside,
            }
            for mode in modes or MODES
        },
    }


def minimal_inside(*jobs: str) -> dict[str, Any]:
    """Returns the keys that keep packets on minimal paths inside a group.

    Args:
        jobs: the jobs with a routing of their own, such as ``jobs.target.``.
    """
    return {
        f"{of}{routing}.intra_group": "minimal"
        for of in ("", *jobs)
        for routing in ("routing", "routing_all_to_all")
    }


def inside_axis(*jobs: str) -> dict[str, Any]:
    """Returns the axis of an experiment that varies another: minimal paths inside groups.

    Args:
        jobs: the jobs with a routing of their own, such as ``jobs.target.``.
    """
    return {"name": "variation", "cases": {"minimal paths inside groups": minimal_inside(*jobs)}}


def placement_axis() -> dict[str, Any]:
    """Returns the placements of controlled and isolated runs: 1 to 2 groups, and all groups."""
    return {
        "name": "placement",
        "cases": {each: {"jobs.*.placement": each} for each in ("compact", "dispersed")},
    }


def ensemble(kind: str, nodes: int, most: int = 4096) -> list[dict[str, Any]]:
    """Returns jobs of one application and size that fill the machine."""
    return [{"name": kind, "ranks": nodes, "count": most // nodes, "workload": workload(kind)}]


def application_axis(kinds: Sequence[str], nodes: int, most: int = 4096) -> dict[str, Any]:
    """Returns an axis of applications, each as an ensemble."""
    return {
        "name": "application",
        "cases": {
            kind: {
                "jobs": ensemble(kind, nodes, most),
                **(RAYLEIGH if kind == "rayleigh" else {}),
            }
            for kind in kinds
        },
    }


#: The applications of the background. A run is much shorter than the computing of HACC and of
#: Rayleigh. So a job of either is in its computing or in its communication for the whole run, with
#: the shares of Table I.
_BACKGROUND = [
    *({"workload": {"kind": kind, "scaling": "weak"}} for kind in PRODUCTION if kind != "hacc"),
    *(
        {"workload": {"kind": kind, "scaling": "weak", **keys}, "weight": weight}
        for kind, mpi in (("hacc", 0.22), ("rayleigh", 0.28))
        for keys, weight in (({"compute": "1 us"}, mpi), ({}, 1 - mpi))
    ),
]


def target(kind: str, nodes: int = 256) -> dict[str, Any]:
    """Returns the job that a run in production is about.

    HACC does not compute before its messages: other jobs do not change this time, which the
    measures add.
    """
    keys = {"compute": "1 us"} if kind == "hacc" else {}
    return {
        "name": "target",
        "ranks": nodes,
        "start": WARM_UP,
        "workload": workload(kind, **keys),
    }


def production(name: str, jobs: list[dict[str, Any]], share: float = 0.9, **keys: Any) -> Any:
    """Returns a scenario with a background that fills a share of the machine, under AD0.

    The sizes of its jobs are those of Pantala's background, after Figure 1. A run ends with the
    window in which the target ends: with windows of 1 ms, one went on to 1 ms after its target had
    ended at 0.51 ms, and the links counted all of it.
    """
    background = {"share": share, "applications": _BACKGROUND}
    base = scenario(name, jobs, background=background, **keys)
    return {**base, "record": {**base["record"], "window": "20 us"}}


def spread_axis(groups: Sequence[int] = GROUPS) -> dict[str, Any]:
    """Returns an axis of placements: the number of groups that the target spans."""
    return {
        "name": "placement",
        "cases": {
            f"{each} groups": {"jobs.target.placement": {"kind": "dispersed", "groups": each}}
            for each in groups
        },
    }


def targets_axis(kinds: Sequence[str], nodes: Sequence[int] = (256,)) -> dict[str, Any]:
    """Returns an axis of targets: the application and its number of nodes."""
    return {
        "name": "application",
        "cases": {
            kind if len(nodes) == 1 else f"{kind}-{each}": {"jobs": [target(kind, each)]}
            for kind in kinds
            for each in nodes
        },
    }
