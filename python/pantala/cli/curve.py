"""`pantala curve`: latency and accepted throughput against offered load."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from pantala.cli import complete
from pantala.cli.arguments import Coarsen, OptionalScenarioFile, Threads
from pantala.cli.tables import console, table
from pantala.text.plain_text import say

if TYPE_CHECKING:
    from rich.table import Table

    from pantala.runs.load_curve import CurvePoint
    from pantala.runs.saturation_load import Saturation

__all__ = ["HELP", "curve"]

HELP = """Measure latency and accepted throughput of synthetic traffic against offered load.

The machine comes from a scenario or from a preset. A preset is a router model or a machine.

A router model, e.g. booksim2, sets the machine, the injection, the warm-up and the measured window
of its simulator.

A machine, e.g. theta or prisacari2015(4,8,4), takes injection, warm-up and window from its router
model.
"""

_INJECTIONS = ("bernoulli", "periodic")
_COUNTS = ("window", "start")
_LOADS = "0.1,0.3,0.5,0.7,0.9"
_PATTERNS = ("uniform", "shift", "bit_complement", "next_group", "hotspot", "neighbor_3d")


def curve(
    file: OptionalScenarioFile = None,
    preset: Annotated[
        str | None,
        typer.Option(
            "--preset",
            help="Router model or machine of [b]pantala presets[/b]. Default: pantala.",
            autocompletion=complete.curve_presets,
        ),
    ] = None,
    routing: Annotated[
        str | None,
        typer.Option(
            "--routing",
            help=(
                "Routing algorithm of [b]pantala routings[/b], or its name in the preset's"
                " simulator. Default: the machine's own routing, or minimal."
            ),
            autocompletion=complete.routings,
        ),
    ] = None,
    pattern: Annotated[
        str,
        typer.Option(
            "--pattern",
            help=f"Destinations of packets: {', '.join(_PATTERNS)}.",
            autocompletion=complete.of(_PATTERNS),
        ),
    ] = "uniform",
    offset: Annotated[
        int | None,
        typer.Option("--offset", metavar="N", help="With shift: distance in ranks. Default: 1."),
    ] = None,
    hotspots: Annotated[
        str | None,
        typer.Option(
            "--hotspots", metavar="LIST", help="With hotspot: the hot ranks, e.g. 0,5. Default: 0."
        ),
    ] = None,
    hotspot_share: Annotated[
        float | None,
        typer.Option(
            "--hotspot-share",
            metavar="SHARE",
            help="With hotspot: share of packets to these ranks. Default: 0.1.",
        ),
    ] = None,
    grid: Annotated[
        str | None,
        typer.Option(
            "--grid",
            metavar="X,Y,Z",
            help="With neighbor_3d: process grid. Default: the grid nearest to a cube.",
        ),
    ] = None,
    dimension: Annotated[
        int | None,
        typer.Option(
            "--dimension",
            metavar="N",
            help="With neighbor_3d: dimension of the exchange, 0 (x), 1 (y) or 2 (z). Default: 2.",
        ),
    ] = None,
    message: Annotated[
        str | None,
        typer.Option(
            "--message",
            metavar="SIZE",
            help="With neighbor_3d: bytes to one neighbour before the other. Default: one packet.",
        ),
    ] = None,
    periodic: Annotated[
        bool | None,
        typer.Option(
            "--periodic", help="With neighbor_3d: the first and last rank of a line are neighbours."
        ),
    ] = None,
    include_self: Annotated[
        bool | None,
        typer.Option(
            "--include-self/--no-include-self",
            help="Ranks can send to themselves, or cannot. Default: as in the preset.",
        ),
    ] = None,
    loads: Annotated[
        str | None,
        typer.Option(
            "--loads",
            metavar="LIST",
            help="Offered loads, as fractions of terminal bandwidth. Default: 0.1,0.3,0.5,0.7,0.9;"
            " with --saturation only the loads of its bisection.",
        ),
    ] = None,
    saturation: Annotated[
        bool,
        typer.Option(
            "--saturation",
            help="Bracket the load above which the network accepts less than 0.97 of it.",
        ),
    ] = False,
    resolution: Annotated[
        str | None,
        typer.Option(
            "--resolution",
            metavar="SHARE",
            help="With --saturation: width of the bracket over its upper end. Default: 2%.",
        ),
    ] = None,
    seed: Annotated[int, typer.Option("--seed", metavar="N", help="Seed of random numbers.")] = 1,
    seeds: Annotated[
        int,
        typer.Option(
            "--seeds",
            metavar="N",
            help="Number of seeds per load, from --seed on. Means have 95 % intervals.",
        ),
    ] = 1,
    warmup: Annotated[
        str | None,
        typer.Option(
            "--warmup",
            metavar="TIME",
            help="Time before the measured window, e.g. 20us. Default: as in the preset.",
        ),
    ] = None,
    measure: Annotated[
        str | None,
        typer.Option(
            "--measure",
            metavar="TIME",
            help="Length of the measured window. Default: as in the preset.",
        ),
    ] = None,
    injection: Annotated[
        str | None,
        typer.Option(
            "--injection",
            help="Creation of packets: bernoulli (random) or periodic. Default: as in the preset.",
            autocompletion=complete.of(_INJECTIONS),
        ),
    ] = None,
    timeline: Annotated[
        str | None,
        typer.Option(
            "--timeline",
            metavar="TIME",
            help="Also print accepted throughput and non-minimal share per window of this length.",
        ),
    ] = None,
    drain: Annotated[
        bool | None,
        typer.Option(
            "--drain/--no-drain",
            help="Measure packets injected in the window and drain the network; or measure packets"
            " delivered in the window. Default: as in the preset.",
        ),
    ] = None,
    count_from: Annotated[
        str,
        typer.Option(
            "--count-from",
            help="Packets in the columns hops and non-minimal: those of the measured window, or all"
            " from the start of the simulation, as SST counts.",
            autocompletion=complete.of(_COUNTS),
        ),
    ] = "window",
    settings: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="KEY=VALUE",
            help="Set a key, e.g. machine.topology.g=9. Repeatable.",
        ),
    ] = None,
    coarsen: Coarsen = None,
    threads: Threads = "1",
    workers: Annotated[
        int | None,
        typer.Option(
            "--workers",
            "-w",
            metavar="N",
            help="Number of measurements at a time. Default: 1; with --threads auto one per core.",
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out",
            "-o",
            metavar="DIR",
            help="Keep the measurements in DIR. The same command then continues an interrupted"
            " curve.",
            autocompletion=complete.files,
        ),
    ] = None,
    as_json: Annotated[
        bool,
        typer.Option(
            "--json",
            help="Print a JSON list with one object per load; with --saturation an object with"
            " points and saturation.",
        ),
    ] = False,
    plot: Annotated[
        Path | None,
        typer.Option(
            "--plot",
            metavar="FILE",
            help="Draw the curve to this file (.svg, .png or .pdf).",
            autocompletion=complete.files,
        ),
    ] = None,
) -> None:
    """Measures a load-latency curve."""
    from pantala.cli.interruption import InterruptedCommand
    from pantala.cli.option_values import (
        check_workers_and_seed,
        parse_loads,
        parse_numbers,
        parse_settings,
        parse_share,
        parse_threads,
    )
    from pantala.errors import UsageError
    from pantala.runs.load_curve import curve as measure_curve
    from pantala.runs.load_curve import curve_setup
    from pantala.runs.saturation_load import saturation as bracket_saturation
    from pantala.scenario import Scenario
    from pantala.text.plain_console import PlainConsole

    if resolution is not None and not saturation:
        raise UsageError(f"--resolution {resolution}: needs --saturation")
    wanted = parse_loads(loads if loads is not None else "" if saturation else _LOADS)
    width = 0.02 if resolution is None else parse_share("--resolution", resolution)
    check_workers_and_seed(workers, seed)
    changes = parse_settings(settings)
    machine: Any = None
    route: Any = routing
    if file is not None:
        if preset is not None:
            raise UsageError(
                f"--preset {preset}: the scenario {file} has a machine of its own; give one of"
                " the two"
            )
        given = Scenario.from_toml(file).given
        machine = given["machine"]
        route = given.get("routing") if routing is None else routing
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
    habits: dict[str, Any] = {
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
        "changes": (
            {f"workload.{key}": value for key, value in workload.items() if value is not None}
            | changes
        ),
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
    points: list[CurvePoint] = []
    found: Saturation | None = None
    done: list[CurvePoint] = []
    with PlainConsole(stderr=True).status("measuring") as line:

        def on_point(point: CurvePoint) -> None:
            done.append(point)
            of = "" if saturation else f" of {len(wanted)}"
            line.update(f"{len(done)}{of} loads measured, the last one {point['load']:.4g}")

        try:
            if wanted or not saturation:
                points = measure_curve(**habits, **how, loads=wanted, on_point=on_point)
            if saturation:
                found = bracket_saturation(**habits, **how, resolution=width, on_point=on_point)
                known = {point["load"] for point in points}
                points += [each for each in found["points"] if each["load"] not in known]
                points.sort(key=lambda point: point["load"])
        except KeyboardInterrupt:
            if out is None:
                raise
            raise InterruptedCommand(
                f"interrupted; the measurements are in {out}; to continue, give the same command"
                " again"
            ) from None
    scenario = curve_setup(**habits).scenario
    if scenario.detail.coarsen > 1:
        said = PlainConsole(stderr=True) if as_json else console()
        said.print(
            scenario.resolve()["derived"]["coarsened"],
            highlight=False,
            markup=False,
            soft_wrap=True,
        )
    if sentence := _equal_seeds(points, seeds):
        said = PlainConsole(stderr=True) if as_json else console()
        said.print(sentence, highlight=False, markup=False, soft_wrap=True)
    if as_json:
        say(json.dumps(_document(points, found), indent=2))
    if as_json and plot is None:
        return
    algorithm = scenario.routing.algorithm
    route = routing if isinstance(routing, str) else algorithm
    if plot is not None:
        from pantala.figures import curve as draw
        from pantala.figures import save
        from pantala.figures.notes import write_below

        drawn = draw({f"{route}, {pattern}": points})
        if scenario.detail.coarsen > 1:
            write_below(drawn, f"coarsened by {scenario.detail.coarsen}")
        save(drawn, plot)
    if as_json:
        return
    output = console()
    name = file.stem if file is not None else preset or "pantala"
    output.print(_table(points, f"{name}: {route} routing, {pattern} traffic"))
    if found is not None:
        output.print(_told(found), highlight=False, markup=False, soft_wrap=True)
    if timeline is not None:
        output.print(_timeline(points))
    if plot is not None:
        output.print(f"figure: {plot}", highlight=False, markup=False, soft_wrap=True)


def _equal_seeds(points: list[CurvePoint], seeds: int) -> str:
    """Returns a sentence if seeds gave equal results; empty if not."""
    same = [f"{point['load']:.4g}" for point in points if point.get("seeds", seeds) < seeds]
    if not same:
        return ""
    return (
        f"At {', '.join(same)}, seeds gave equal results. Equal results count as one value: the"
        " seed decides nothing there."
    )


def _document(points: list[CurvePoint], found: Saturation | None) -> Any:
    """Returns what ``--json`` prints."""
    if found is None:
        return points
    bracket = {key: value for key, value in found.items() if key != "points"}
    return {"points": points, "saturation": bracket}


def _told(found: Saturation) -> str:
    """Returns the bracket of the saturation load as a line, and doubts in a second."""
    from pantala.runs.saturation_load import DOUBLINGS

    accepted = "" if found["accepted"] is None else f" (accepted {found['accepted']:.4g})"
    text = (
        "saturation load: none; the network accepts load 1"
        if found["high"] is None
        else f"saturation load: between {found['low']:.4g}{accepted} and {found['high']:.4g}"
    )
    if found["unsettled"]:
        loads = ", ".join(f"{load:.4g}" for load in found["unsettled"])
        text += (
            f"\nThe answer at {loads} is not certain: the network had not settled after a warm-up"
            f" {2**DOUBLINGS} times as long. Give a longer --warmup and --measure."
        )
    return text


_HEADINGS = (
    "load",
    "accepted",
    "state",
    "mean",
    "p50",
    "p95",
    "p99",
    "network",
    "hops",
    "non-minimal",
    "packets",
)


def _table(points: list[CurvePoint], title: str) -> Table:
    from pantala.runs.curve_states import MEANINGS, STATES
    from pantala.text.amounts import of_thousands

    caption = "columns mean to network: latencies in ns; loads: fractions of terminal bandwidth"
    shown_states = {point["state"] for point in points} - {"steady"}
    for state in STATES:
        if state in shown_states:
            caption += f"\n{state}: {MEANINGS[state]}"
    if "saturated" not in shown_states and any(point["saturated"] for point in points):
        caption += f"\n*: {MEANINGS['saturated']}"
    if any("intervals" in point for point in points):
        caption += "\n\N{PLUS-MINUS SIGN}: half of the 95 % interval over seeds"
    shown = table(title, _HEADINGS, caption, gap=1)
    for point in points:
        shown.add_row(
            f"{point['load']:.4g}",
            f"{point['accepted']:.3f}{_half(point, 'accepted', 3)}"
            f"{'*' if point['saturated'] else ' '}",
            point["state"],
            _number(point["latency_mean_ns"]) + _half(point, "latency_mean_ns", 1),
            _number(point["latency_p50_ns"]),
            _number(point["latency_p95_ns"]),
            _number(point["latency_p99_ns"]),
            _number(point["network_latency_mean_ns"]),
            _number(point["link_hops_mean"], 2),
            _number(point["nonminimal_share"], 3),
            of_thousands(point["packets"]),
        )
    return shown


def _timeline(points: list[CurvePoint]) -> Table:
    """Returns a table of accepted throughput and non-minimal share per load and window of time."""
    from pantala.text.amounts import time_text

    shown = table(
        "Over time", ("load", "from", "accepted", "non-minimal"), "with the warm-up", gap=2
    )
    for point in points:
        for window in point["timeline"]:
            start = time_text(window["window_start_ns"])
            share = _number(window["nonminimal_share"], 3)
            shown.add_row(f"{point['load']:g}", start, f"{window['accepted']:.3f}", share)
        shown.add_section()
    return shown


def _half(point: CurvePoint, key: str, decimals: int) -> str:
    """Returns half of an interval as text; empty if the point has none."""
    interval = point.get("intervals", {}).get(key)
    if interval is None:
        return ""
    return f" \N{PLUS-MINUS SIGN}{(interval[1] - interval[0]) / 2:.{decimals}f}"


def _number(value: float | None, decimals: int = 1) -> str:
    return "" if value is None else f"{value:.{decimals}f}"
