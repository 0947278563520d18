"""`pantala curve`: latency and accepted throughput against offered load."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from pantala.cli.tables import console, table

if TYPE_CHECKING:
    from rich.table import Table

    from pantala.load_curve import CurvePoint

__all__ = ["HELP", "curve"]

HELP = """Measure the field's basic curve: latency and accepted load of synthetic traffic against offered load.

A preset is a router model with the habits of its simulator: injection, warm-up, window; any of them can be changed.
"""


def curve(
    preset: Annotated[str, typer.Option("--preset", help="Router model, e.g. pantala or sst_sc22.")] = "pantala",
    routing: Annotated[
        str,
        typer.Option(
            "--routing", help="Routing algorithm, see [b]pantala routings[/b], or what the preset's simulator calls it."
        ),
    ] = "minimal",
    pattern: Annotated[
        str, typer.Option("--pattern", help="uniform, shift, bit_complement, next_group, hotspot or neighbor_3d.")
    ] = "uniform",
    loads: Annotated[
        str, typer.Option("--loads", metavar="LIST", help="Offered loads, as fractions of terminal bandwidth.")
    ] = "0.1,0.3,0.5,0.7,0.9",
    seed: Annotated[int, typer.Option("--seed", metavar="N", help="The seed.")] = 1,
    warmup: Annotated[
        str | None, typer.Option("--warmup", metavar="TIME", help="Simulated time before the measured window.")
    ] = None,
    measure: Annotated[
        str | None, typer.Option("--measure", metavar="TIME", help="Length of the measured window.")
    ] = None,
    injection: Annotated[str | None, typer.Option("--injection", help="bernoulli or periodic.")] = None,
    timeline: Annotated[
        str | None, typer.Option("--timeline", metavar="TIME", help="Accepted load and more, a window of this length.")
    ] = None,
    drain: Annotated[
        bool | None,
        typer.Option("--drain/--no-drain", help="Count what is injected in the window; then let the network empty."),
    ] = None,
    settings: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="KEY=VALUE", help="Another value, e.g. machine.topology.g=9; repeatable."),
    ] = None,
    threads: Annotated[
        int, typer.Option("--threads", "-t", metavar="N", help="Threads; results do not depend on it.")
    ] = 1,
    as_json: Annotated[bool, typer.Option("--json", help="Print a JSON list with an object a load.")] = False,
    plot: Annotated[
        Path | None, typer.Option("--plot", metavar="FILE", help="Draw the curve: .svg, .png or .pdf.")
    ] = None,
) -> None:
    """Measures a load-latency curve."""
    from rich.console import Console

    from pantala.cli.settings import parse_loads, parse_settings
    from pantala.load_curve import curve as measure_curve

    wanted = parse_loads(loads)
    changes = parse_settings(settings)
    if plot is not None:
        from pantala.figures import check_place

        check_place(plot)  # before anything is measured
    status = Console(stderr=True)
    with status.status(f"{len(wanted)} loads") as line:
        done: list[CurvePoint] = []

        def on_point(point: CurvePoint) -> None:
            done.append(point)
            line.update(f"{len(done)} of {len(wanted)} loads measured")

        points = measure_curve(
            preset=preset,
            routing=routing,
            pattern=pattern,
            loads=wanted,
            seed=seed,
            warmup=warmup,
            measure=measure,
            injection=injection,
            timeline=timeline,
            drain=drain,
            changes=changes,
            threads=threads,
            on_point=on_point,
        )
    if plot is not None:
        from pantala.figures import curve as draw
        from pantala.figures import save

        save(draw({f"{routing}, {pattern}": points}), plot)
    if as_json:
        print(json.dumps(points, indent=2))
    else:
        output = console()
        output.print(_table(points, f"{preset}: {routing} routing, {pattern} traffic"))
        if timeline is not None:
            output.print(_timeline(points))
        if plot is not None:
            output.print(f"figure: {plot}", highlight=False, markup=False, soft_wrap=True)


_HEADINGS = (
    "load",
    "accepted",
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
    from pantala.progress import of_thousands

    caption = "mean to network in ns; loads are fractions of terminal bandwidth"
    if any(point["saturated"] for point in points):
        caption += "\n* saturated: less than 0.97 of the load accepted"
    shown = table(title, _HEADINGS, caption, gap=1)
    for point in points:
        shown.add_row(
            f"{point['load']:g}",
            f"{point['accepted']:.3f}{'*' if point['saturated'] else ' '}",
            _number(point["latency_mean_ns"]),
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
    """Accepted load and non-minimal share, a row a window of time, two columns a load."""
    from pantala.progress import time_text

    loads = [f"{point['load']:g}" for point in points]
    headings = ("from", *(f"{word} at {load}" for load in loads for word in ("accepted", "non-minimal")))
    shown = table("Over time", headings, "the warm-up included", gap=2)
    for windows in zip(*(point["timeline"] for point in points), strict=True):
        cells = [text for w in windows for text in (f"{w['accepted']:.3f}", _number(w["nonminimal_share"], 3))]
        shown.add_row(time_text(windows[0]["window_start_ns"]), *cells)
    return shown


def _number(value: float | None, decimals: int = 1) -> str:
    return "" if value is None else f"{value:.{decimals}f}"
