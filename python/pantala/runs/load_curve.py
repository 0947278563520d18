"""Load curves: latency and accepted throughput against offered load."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pantala.core.extension import Threads, check_threads
from pantala.core.plan import Plan, ProgressCallback
from pantala.errors import PlanError, UsageError
from pantala.models.copied import python_value
from pantala.runs.curve_points import POINT_KEYS, CurvePoint, mean_point
from pantala.runs.curve_setup import CountFrom, CurveSetup, curve_setup, keys_of_the_curve
from pantala.runs.curve_states import state_of
from pantala.scenario import Machine, Scenario
from pantala.system.parallel import cores, on_threads
from pantala.text.units import Duration

if TYPE_CHECKING:
    from pantala.store.run_store import RunStore

__all__ = ["LoadMeasurement", "curve", "measure_point"]

#: The quantities that `count_from` is about.
COUNTED_FROM = ("link_hops_mean", "nonminimal_share")


def curve(
    *,
    preset: str | None = None,
    machine: str | Mapping[str, Any] | Machine | None = None,
    routing: str | Mapping[str, Any] | None = None,
    pattern: str = "uniform",
    loads: Sequence[float] = (0.1, 0.3, 0.5, 0.7, 0.9),
    seed: int = 1,
    warmup: str | Duration | None = None,
    measure: str | Duration | None = None,
    injection: str | None = None,
    timeline: str | Duration | None = None,
    drain: bool | None = None,
    count_from: CountFrom = "window",
    coarsen: int | None = None,
    changes: Mapping[str, Any] | None = None,
    seeds: int = 1,
    out: str | Path | None = None,
    threads: Threads = 1,
    workers: int | None = None,
    on_point: Callable[[CurvePoint], None] | None = None,
) -> list[CurvePoint]:
    """Measures latency and accepted throughput of synthetic traffic at several offered loads.

    ``polars.DataFrame(pt.curve(...))`` makes a table of the result.

    Args:
        preset: a router model, whose simulator gives the machine and the defaults of the other
            arguments, or a machine preset such as ``"theta"``. The default is ``"pantala"`` if
            there is no machine either.
        machine: a machine instead of a preset: its table or object. Its router model gives the
            defaults.
        routing: a routing algorithm by Pantala's name or by the name in the preset's simulator, or
            its table. The default is the machine's own routing, if it has one, or minimal.
        pattern: uniform, shift, bit_complement, next_group, hotspot or neighbor_3d.
        loads: offered loads, as fractions of the terminal bandwidth.
        seed: the seed; equal seeds give equal results.
        warmup: simulated time before the measured window, e.g. ``"20 us"``.
        measure: length of that window.
        injection: bernoulli or periodic.
        timeline: also return accepted throughput and non-minimal share in windows of this length.
        drain: whether latency covers the packets injected in the window, after which the sources
            stop and the network drains (BookSim2). Otherwise it covers the packets delivered in the
            window.
        count_from: whether `link_hops_mean` and `nonminimal_share` cover the packets of the
            "window", or all packets delivered from the "start" of the simulation to the window's
            end, as in SST.
        coarsen: simulate packets 2, 4 or 8 times as long: faster and less exact.
        changes: other values by dotted key, such as ``{"machine.topology.g": 9,
            "workload.include_self": True}``.
        seeds: the number of seeds per load, from `seed` on. With several, the values of a point are
            means, and ``intervals`` holds their 95 % intervals.
        out: a directory in which the measurements are kept; measurements that it has are not
            repeated. It can be the directory of an experiment.
        threads: the number of threads per point. With "auto", points are simulated in parallel, one
            per core; if there are more cores than points, a point gets the threads that pay.
            Results do not depend on it.
        workers: the number of measurements at a time, if it shall not follow from `threads`.
            Results do not depend on it.
        on_point: called with each point when it is measured; with "auto" the order may differ from
            the order of `loads`.

    Returns:
        One dictionary per load. Its ``load`` and ``accepted`` are fractions of the terminal
        bandwidth, and its latencies are in ns. A point is saturated if less than 0.97 of the
        offered load was accepted. Its ``state`` says what the window shows: steady, saturated,
        draining, collapsing, filling or learning.

    Raises:
        UsageError: an argument is wrong: there are no loads, a time has no unit, there is no such
            number of seeds, threads or workers, or both a preset and a machine are given.
        ScenarioError: a name or value is wrong, or the network cannot be built.
        SimulationError: the network stalled.
        RunDirectoryError: `out` cannot be written or holds something else.

    Warns:
        ScenarioWarning: it is measured, but packets could wait for each other in a cycle.
    """
    setup = curve_setup(
        preset=preset,
        machine=machine,
        routing=routing,
        pattern=pattern,
        seed=seed,
        warmup=warmup,
        measure=measure,
        injection=injection,
        timeline=timeline,
        drain=drain,
        count_from=count_from,
        coarsen=coarsen,
        changes=changes,
    )
    given = python_value(loads)
    if not isinstance(given, Sequence) or isinstance(given, str):
        raise UsageError(f"loads = {given!r}: is not a list of loads; write e.g. [0.1, 0.3, 0.5]")
    if not given:
        raise UsageError("there are no loads; give e.g. 0.1,0.3,0.5")
    measurement = LoadMeasurement(setup, seeds=seeds, out=out, threads=threads, workers=workers)
    return measurement.points(given, on_point)


class LoadMeasurement:
    """Measures loads with several seeds, in parallel, and keeps the measurements in a store."""

    def __init__(
        self,
        setup: CurveSetup,
        *,
        seeds: int = 1,
        out: str | Path | None = None,
        threads: Threads = 1,
        workers: int | None = None,
    ) -> None:
        """Checks the arguments, which are those of `curve`; measures nothing.

        Raises:
            UsageError: a number is wrong.
            RunDirectoryError: `out` cannot be written or holds something else.
        """
        check_threads(threads)
        if seeds < 1:
            raise UsageError(f"seeds = {seeds}: must be at least 1; write e.g. 5")
        if workers is not None and workers < 1:
            raise UsageError(f"workers = {workers}: must be at least 1; write 1 or more")
        self._setup = setup
        self._seeds = range(setup.scenario.seed, setup.scenario.seed + seeds)
        self._threads: Threads = threads
        self._workers = workers
        self._out = None if out is None else Path(out)
        self._store: RunStore | None = None
        #: The plan of the first point, whose network the others share.
        self._first: Plan | None = None

    def points(
        self, loads: Sequence[float], on_point: Callable[[CurvePoint], None] | None = None
    ) -> list[CurvePoint]:
        """Returns the points of some loads.

        Args:
            loads: offered loads; all are checked before the first is measured.
            on_point: called with each point when all its seeds are measured.
        """
        seeds = self._seeds
        scenarios = [
            self._setup.at_load(float(load), seed if number else None)
            for load in loads
            for number, seed in enumerate(seeds)
        ]
        with keys_of_the_curve():
            self._first = scenarios[0].resolved_plan()  # its warnings are those of every load
        self._begin()
        at_once = self._workers or (cores() if self._threads == "auto" else 1)
        at_once = min(len(scenarios), at_once)
        measured = partial(self._measured, scenarios, max(1, cores() // at_once))
        found: dict[int, CurvePoint] = {}
        points: dict[int, CurvePoint] = {}
        for number, point in on_threads(measured, range(len(scenarios)), at_once):
            found[number] = point
            place = number // len(seeds)
            mine = range(place * len(seeds), (place + 1) * len(seeds))
            if all(each in found for each in mine):
                points[place] = mean_point([found.pop(each) for each in mine])
                if on_point is not None:
                    on_point(points[place])
        return [points[place] for place in range(len(loads))]

    def _begin(self) -> None:
        if self._out is not None and self._store is None:
            from pantala.store.run_store import RunStore

            store = RunStore(self._out)
            store.check()
            store.begin()
            self._store = store

    def _measured(
        self,
        scenarios: Sequence[Scenario],
        processors: int,
        number: int,
        check: ProgressCallback,
    ) -> tuple[int, CurvePoint]:
        setup, scenario = self._setup, scenarios[number]
        plan = _resolved(scenario, self._first)

        def measure() -> dict[str, Any]:
            share = plan.threads(self._threads, processors)
            return measure_point(setup, scenario, check, share, plan)

        if self._store is None:
            return number, _as_point(measure(), setup)
        from pantala.runs.measurement import stored_measurement

        def waiting() -> None:
            check({})  # type: ignore[typeddict-item]

        found = stored_measurement(self._store, plan, setup.window(), measure, waiting)
        return number, _as_point(found, setup)


def measure_point(
    setup: CurveSetup,
    scenario: Scenario,
    on_progress: ProgressCallback | None = None,
    threads: Threads = 1,
    plan: Plan | None = None,
) -> dict[str, Any]:
    """Measures one load and returns the core's result with its cost. Ctrl-C ends it.

    Args:
        setup: the times of the measurement.
        scenario: the scenario with its load.
        on_progress: called about five times per second.
        threads: the number of threads, or "auto".
        plan: its resolved plan, if it is there.

    Raises:
        ScenarioError: the network cannot be built, or the routing cannot run on it.
        SimulationError: the network stalled.
    """
    plan = plan or _resolved(scenario)
    try:
        return plan.measure(
            int(setup.warmup),
            int(setup.measure),
            int(setup.timeline),
            on_progress or (lambda _: None),
            setup.drain,
            threads,
        )
    except PlanError as error:
        with keys_of_the_curve():
            raise scenario.error_of_plan(error) from None


def _resolved(scenario: Scenario, like: Plan | None = None) -> Plan:
    """Returns the resolved plan without warnings, which would repeat for every load."""
    try:
        return Plan(scenario.plan()) if like is None else like.like(scenario.plan())
    except PlanError as error:
        with keys_of_the_curve():
            raise scenario.error_of_plan(error) from None


def _as_point(measured: Mapping[str, Any], setup: CurveSetup) -> CurvePoint:
    spans, before = measured["spans"], measured["warmup_spans"]
    found = dict(measured) | {
        "state": state_of(
            measured["load"],
            spans,
            before,
            saturated=measured["saturated"],
            learns=setup.learns,
        )
    }
    if setup.count_from == "start":
        found |= {key: measured[f"{key}_from_start"] for key in COUNTED_FROM}
    keys = (*POINT_KEYS, "timeline") if setup.timeline else POINT_KEYS
    return {key: found[key] for key in keys}  # type: ignore[return-value]
