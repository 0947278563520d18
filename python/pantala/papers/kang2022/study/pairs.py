"""Each target beside one background, under four routings (Kang et al., SC 2022, V).

Target and background have half of the nodes each, LULESH 512 of them. The target comes first, so
that its nodes do not depend on the background. The backgrounds are those that the text names; the
sets of Figure 4 are only in its image.
"""

from __future__ import annotations

from typing import Any

_ROOTED = ("gather", "gatherv", "scatter", "scatterv")
#: What all experiments of the study share: the router and the MPI layer that the paper used. Axes
#: replace the routing.
PLATFORM: dict[str, Any] = {
    "machine": {"preset": "kang2022", "router": {"model": "sst_sc22"}},
    # No application gathers or scatters. The trees are those of the first runs, so that the runs of
    # all versions are the same cases.
    "mpi": {
        "preset": "sst_sc22",
        "collectives": dict.fromkeys(_ROOTED, "binomial_tree"),
    },
    "routing": {"algorithm": "par"},
}
ROUTING_AXIS = {"routing.algorithm": ["ugal_g", "ugal_n", "par", "q_adaptive"]}
RANKS = {"lulesh": 512}
KINDS = {"ur": "uniform_random"}
BACKGROUNDS = ("ur", "lu", "fft3d", "cosmoflow", "dl", "halo3d")
TARGETS = ("fft3d", "lu", "lqcd", "cosmoflow", "stencil5d", "lulesh")


def backgrounds(target: str) -> list[str]:
    """Returns the backgrounds of a target."""
    more = ["stencil5d"] if target == "lqcd" else []
    return [each for each in [*BACKGROUNDS, *more] if each != target]


def targets(target: str, background: str) -> list[str]:
    """Returns the jobs that run alone, too: claims on Figure 5 need Halo3D alone."""
    return [target, *[background] * ((target, background) == ("fft3d", "halo3d"))]


def job(name: str) -> dict[str, Any]:
    """Returns the table of an application."""
    return {
        "name": name,
        "ranks": RANKS.get(name, 528),
        "workload": {"kind": KINDS.get(name, name)},
    }


experiment = {
    "scenario": {
        **PLATFORM,
        "name": "kang2022-pairs",
        "jobs": [job("fft3d"), job("halo3d")],
        "record": {
            "window": "100 us",
            "latency_windows": "15 ms",
            "routing_windows": "15 ms",
            "system": {},
        },
    },
    "axes": [
        {
            "name": "pair",
            "cases": {
                f"{target}+{background}": {
                    "jobs": [job(target), job(background)],
                    "interference": {"targets": targets(target, background)},
                }
                for target in TARGETS
                for background in backgrounds(target)
            },
        },
        ROUTING_AXIS,
    ],
    "seeds": 3,
    "keep": [
        "jobs",
        "ranks",
        "calls",
        "link_jobs",
        "job_windows",
        "latency_windows",
        "routing_windows",
        "system_windows",
    ],
}
