"""`pantala curve`: latency and accepted throughput against offered load."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pantala.cli.arguments import Coarsen, OptionalScenarioFile, Settings, Threads
from pantala.cli.curve_options import (
    LOADS,
    AsJson,
    CountFrom,
    Dimension,
    Drain,
    FirstSeed,
    Grid,
    Hotspots,
    HotspotShare,
    IncludeSelf,
    Injection,
    Loads,
    Measure,
    MeasurementsOut,
    Message,
    Offset,
    Pattern,
    Periodic,
    Plot,
    Preset,
    Resolution,
    Routing,
    Seeds,
    Timeline,
    Warmup,
    WithSaturation,
    Workers,
)
from pantala.cli.tables import console
from pantala.text.plain_text import say

if TYPE_CHECKING:
    from pantala.runs.curve_points import CurvePoint
    from pantala.runs.saturation import Saturation
    from pantala.scenario import Scenario

__all__ = ["HELP", "curve"]

HELP = """Measure latency and accepted throughput of synthetic traffic against offered load.

The machine comes from a scenario or from a preset. A preset is a router model or a machine.

A router model, e.g. booksim2, sets the machine, the injection, the warm-up and the measured window
of its simulator.

A machine, e.g. theta or prisacari2015(4,8,4), takes injection, warm-up and window from its router
model.
"""


def curve(
    file: OptionalScenarioFile = None,
    preset: Preset = None,
    routing: Routing = None,
    pattern: Pattern = "uniform",
    offset: Offset = None,
    hotspots: Hotspots = None,
    hotspot_share: HotspotShare = None,
    grid: Grid = None,
    dimension: Dimension = None,
    message: Message = None,
    periodic: Periodic = None,
    include_self: IncludeSelf = None,
    loads: Loads = None,
    saturation: WithSaturation = False,
    resolution: Resolution = None,
    seed: FirstSeed = 1,
    seeds: Seeds = 1,
    warmup: Warmup = None,
    measure: Measure = None,
    injection: Injection = None,
    timeline: Timeline = None,
    drain: Drain = None,
    count_from: CountFrom = "window",
    settings: Settings = None,
    coarsen: Coarsen = None,
    threads: Threads = "1",
    workers: Workers = None,
    out: MeasurementsOut = None,
    as_json: AsJson = False,
    plot: Plot = None,
) -> None:
    """Measures a load-latency curve."""
    from pantala.cli.curve_tables import document
    from pantala.cli.option_values import (
        check_workers_and_seed,
        parse_loads,
        parse_numbers,
        parse_settings,
        parse_share,
        parse_threads,
    )
    from pantala.errors import UsageError
    from pantala.runs.curve_setup import curve_setup

    if resolution is not None and not saturation:
        raise UsageError(f"--resolution {resolution}: needs --saturation")
    wanted = parse_loads(loads if loads is not None else "" if saturation else LOADS)
    width = 0.02 if resolution is None else parse_share("--resolution", resolution)
    check_workers_and_seed(workers, seed)
    machine, route = _machine_and_routing(file, preset, routing)
    workload = {
        "offset": offset,
        "hotspots": None if hotspots is None else parse_numbers("--hotspots", hotspots),
        "hotspot_share": hotspot_share,
        "grid": None if grid is None else parse_numbers("--grid", grid),
        "dimension": dimension,
        "message": message,
        "periodic": periodic,
        "include_self": include_self,
    }
    settings_of_workload = {
        f"workload.{key}": value for key, value in workload.items() if value is not None
    }
    measured: dict[str, Any] = {
        "preset": preset,
        "machine": machine,
        "routing": route,
        "pattern": pattern,
        "seed": seed,
        "warmup": warmup,
        "measure": measure,
        "injection": injection,
        "timeline": timeline,
        "drain": drain,
        "count_from": count_from,
        "coarsen": coarsen,
        "changes": settings_of_workload | parse_settings(settings),
    }
    if plot is not None:
        from pantala.figures import check_place

        check_place(plot)  # before anything is measured
    how: dict[str, Any] = {
        "seeds": seeds,
        "threads": parse_threads(threads),
        "workers": workers,
        "out": out,
    }
    points, found = _measure(measured | how, wanted, width if saturation else None)
    scenario = curve_setup(**measured).scenario
    _say_what_is_approximate(scenario, points, seeds, as_json)
    if as_json:
        say(json.dumps(document(points, found), indent=2))
    name = routing if isinstance(routing, str) else scenario.routing.algorithm
    if plot is not None:
        _draw(points, f"{name}, {pattern}", scenario, plot)
    if not as_json:
        source = file.stem if file is not None else preset or "pantala"
        title = f"{source}: {name} routing, {pattern} traffic"
        _print(points, found, title, timeline is not None, plot)


def _machine_and_routing(
    file: Path | None, preset: str | None, routing: str | None
) -> tuple[Any, Any]:
    """Returns the machine of a scenario file, and its routing unless an option names another."""
    from pantala.errors import UsageError
    from pantala.scenario import Scenario

    if file is None:
        return None, routing
    if preset is not None:
        raise UsageError(
            f"--preset {preset}: the scenario {file} has a machine of its own; give one of the two"
        )
    given = Scenario.from_toml(file).given
    return given["machine"], given.get("routing") if routing is None else routing


def _measure(
    arguments: dict[str, Any], loads: list[float], resolution: float | None
) -> tuple[list[CurvePoint], Saturation | None]:
    """Measures the points, and the bracket of the saturation load if it has a resolution.

    Args:
        arguments: those of `pantala.curve` but for the loads.
        loads: the offered loads.
        resolution: the width of the bracket; None if it is not wanted.
    """
    from pantala.cli.interruption import InterruptedCommand
    from pantala.runs.load_curve import curve as measure_curve
    from pantala.runs.saturation import saturation as bracket_saturation
    from pantala.text.plain_console import PlainConsole

    points: list[CurvePoint] = []
    found: Saturation | None = None
    done: list[CurvePoint] = []
    with PlainConsole(stderr=True).status("measuring") as line:

        def on_point(point: CurvePoint) -> None:
            done.append(point)
            of = f" of {len(loads)}" if resolution is None else ""
            line.update(f"{len(done)}{of} loads measured, the last one {point['load']:.4g}")

        try:
            if loads or resolution is None:
                points = measure_curve(**arguments, loads=loads, on_point=on_point)
            if resolution is not None:
                found = bracket_saturation(**arguments, resolution=resolution, on_point=on_point)
                known = {point["load"] for point in points}
                points += [each for each in found["points"] if each["load"] not in known]
                points.sort(key=lambda point: point["load"])
        except KeyboardInterrupt:
            if arguments["out"] is None:
                raise
            raise InterruptedCommand(
                f"interrupted; the measurements are in {arguments['out']}; to continue, give the"
                " same command again"
            ) from None
    return points, found


def _say_what_is_approximate(
    scenario: Scenario, points: list[CurvePoint], seeds: int, as_json: bool
) -> None:
    """Prints that packets are coarse and that seeds gave equal results, if so."""
    from pantala.cli.curve_tables import equal_seeds
    from pantala.text.plain_console import PlainConsole

    sentences = [equal_seeds(points, seeds)]
    if scenario.detail.coarsen > 1:
        sentences.insert(0, scenario.resolve()["derived"]["coarsened"])
    shown = PlainConsole(stderr=True) if as_json else console()
    for sentence in filter(None, sentences):
        shown.print(sentence, highlight=False, markup=False, soft_wrap=True)


def _draw(points: list[CurvePoint], title: str, scenario: Scenario, plot: Path) -> None:
    """Draws the curve to a file."""
    from pantala.figures import curve as draw
    from pantala.figures import save
    from pantala.figures.notes import write_below

    drawn = draw({title: points})
    if scenario.detail.coarsen > 1:
        write_below(drawn, f"coarsened by {scenario.detail.coarsen}")
    save(drawn, plot)


def _print(
    points: list[CurvePoint],
    found: Saturation | None,
    title: str,
    timeline: bool,
    plot: Path | None,
) -> None:
    """Prints the table of points, and what else was asked for."""
    from pantala.cli.curve_tables import bracket_in_words, curve_table, timeline_table

    output = console()
    output.print(curve_table(points, title))
    if found is not None:
        output.print(bracket_in_words(found), highlight=False, markup=False, soft_wrap=True)
    if timeline:
        output.print(timeline_table(points))
    if plot is not None:
        output.print(f"figure: {plot}", highlight=False, markup=False, soft_wrap=True)
