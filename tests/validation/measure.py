"""Pantala's repetition of the peers' runs, two at a time."""

from __future__ import annotations

import multiprocessing
import warnings
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from typing import Any

import pantala as pt
from pantala.runs.curve_points import CurvePoint
from pantala.runs.curve_setup import curve_setup
from pantala.runs.load_curve import measure_point

__all__ = ["accepted_over_time", "between", "missing", "point", "together"]


def missing(call: Mapping[str, Any]) -> str | None:
    """Returns why Pantala cannot make a call of `pantala.curve`, in one line; None if it can."""
    try:
        curve_setup(**call)
    except (pt.ScenarioError, pt.UsageError) as error:
        return str(error)
    return None


def point(call: Mapping[str, Any], load: float, since_start: frozenset[str]) -> dict[str, Any]:
    """Returns a point of `pantala.curve`, counted as the peer counts it.

    The quantities `since_start` count from time zero. A second run with a window from time zero
    measures them.
    """
    measured = _measured(call, load)
    ours = dict(measured)
    if since_start:
        setup = curve_setup(**call)
        whole = {"warmup": "1 ps", "measure": f"{int(setup.warmup + setup.measure) - 1} ps"}
        counted = _measured({**call, **whole}, load)
        ours |= {key: value for key, value in counted.items() if key in since_start}
    return ours


def accepted_over_time(
    call: Mapping[str, Any], load: float, until_us: int, step_us: int
) -> list[tuple[int, float]]:
    """Returns the accepted throughput per step of time, in pairs with the step's end in us."""
    times = {
        "warmup": "1 ps",
        "measure": f"{until_us * 1_000_000 - 1} ps",
        "timeline": f"{step_us} us",
    }
    measured = _measured({**call, **times}, load)
    return [
        (round(w["window_start_ns"] / 1_000) + step_us, w["accepted"]) for w in measured["timeline"]
    ]


def _measured(call: Mapping[str, Any], load: float) -> CurvePoint:
    """Returns a point of `pantala.curve`, without warnings about deadlock.

    BookSim2's ugal can deadlock in both simulators.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", pt.ScenarioWarning)
        (measured,) = pt.curve(**call, loads=[load])
    return measured


def between(call: Mapping[str, Any], nodes: tuple[int, int], load: float) -> dict[str, Any]:
    """Returns a point of `pantala.curve` with only two nodes, which send to each other.

    They send at a fixed interval.
    """
    setup = curve_setup(**{**call, "pattern": "shift", "injection": "periodic"})
    scenario = setup.scenario.replace(
        {
            "jobs.0.ranks": 2,
            "jobs.0.placement": {"kind": "nodes", "nodes": list(nodes)},
            "jobs.0.workload.load": load,
        }
    )
    return measure_point(replace(setup, scenario=scenario), scenario)


def together(
    tasks: Sequence[tuple[Callable[..., Any], tuple[Any, ...]]], processes: int = 2
) -> list[Any]:
    """Returns the results of the calls in their order; `processes` of them run at a time."""
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(processes, mp_context=context) as pool:
        futures = [pool.submit(function, *arguments) for function, arguments in tasks]
        return [future.result() for future in futures]
