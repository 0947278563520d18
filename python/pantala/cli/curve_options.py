"""The options of `pantala curve`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from pantala.cli import complete

__all__ = [
    "LOADS",
    "AsJson",
    "CountFrom",
    "Dimension",
    "Drain",
    "FirstSeed",
    "Grid",
    "HotspotShare",
    "Hotspots",
    "IncludeSelf",
    "Injection",
    "Loads",
    "Measure",
    "MeasurementsOut",
    "Message",
    "Offset",
    "Pattern",
    "Periodic",
    "Plot",
    "Preset",
    "Resolution",
    "Routing",
    "Seeds",
    "Timeline",
    "Warmup",
    "WithSaturation",
    "Workers",
]

_INJECTIONS = ("bernoulli", "periodic")
_COUNTS = ("window", "start")
LOADS = "0.1,0.3,0.5,0.7,0.9"
_PATTERNS = ("uniform", "shift", "bit_complement", "next_group", "hotspot", "neighbor_3d")

Preset = Annotated[
    str | None,
    typer.Option(
        "--preset",
        help="Router model or machine of [b]pantala presets[/b]. Default: pantala.",
        autocompletion=complete.curve_presets,
    ),
]
Routing = Annotated[
    str | None,
    typer.Option(
        "--routing",
        help=(
            "Routing algorithm of [b]pantala routings[/b], or its name in the preset's"
            " simulator. Default: the machine's own routing, or minimal."
        ),
        autocompletion=complete.routings,
    ),
]
Pattern = Annotated[
    str,
    typer.Option(
        "--pattern",
        help=f"Destinations of packets: {', '.join(_PATTERNS)}.",
        autocompletion=complete.of(_PATTERNS),
    ),
]
Offset = Annotated[
    int | None,
    typer.Option("--offset", metavar="N", help="With shift: distance in ranks. Default: 1."),
]
Hotspots = Annotated[
    str | None,
    typer.Option(
        "--hotspots", metavar="LIST", help="With hotspot: the hot ranks, e.g. 0,5. Default: 0."
    ),
]
HotspotShare = Annotated[
    float | None,
    typer.Option(
        "--hotspot-share",
        metavar="SHARE",
        help="With hotspot: share of packets to these ranks. Default: 0.1.",
    ),
]
Grid = Annotated[
    str | None,
    typer.Option(
        "--grid",
        metavar="X,Y,Z",
        help="With neighbor_3d: process grid. Default: the grid nearest to a cube.",
    ),
]
Dimension = Annotated[
    int | None,
    typer.Option(
        "--dimension",
        metavar="N",
        help="With neighbor_3d: dimension of the exchange, 0 (x), 1 (y) or 2 (z). Default: 2.",
    ),
]
Message = Annotated[
    str | None,
    typer.Option(
        "--message",
        metavar="SIZE",
        help="With neighbor_3d: bytes to one neighbour before the other. Default: one packet.",
    ),
]
Periodic = Annotated[
    bool | None,
    typer.Option(
        "--periodic", help="With neighbor_3d: the first and last rank of a line are neighbours."
    ),
]
IncludeSelf = Annotated[
    bool | None,
    typer.Option(
        "--include-self/--no-include-self",
        help="Ranks can send to themselves, or cannot. Default: as in the preset.",
    ),
]
Loads = Annotated[
    str | None,
    typer.Option(
        "--loads",
        metavar="LIST",
        help="Offered loads, as fractions of terminal bandwidth. Default: 0.1,0.3,0.5,0.7,0.9;"
        " with --saturation only the loads of its bisection.",
    ),
]
WithSaturation = Annotated[
    bool,
    typer.Option(
        "--saturation",
        help="Bracket the load above which the network accepts less than 0.97 of it.",
    ),
]
Resolution = Annotated[
    str | None,
    typer.Option(
        "--resolution",
        metavar="SHARE",
        help="With --saturation: width of the bracket over its upper end. Default: 2%.",
    ),
]
FirstSeed = Annotated[int, typer.Option("--seed", metavar="N", help="Seed of random numbers.")]
Seeds = Annotated[
    int,
    typer.Option(
        "--seeds",
        metavar="N",
        help="Number of seeds per load, from --seed on. Means have 95 % intervals.",
    ),
]
Warmup = Annotated[
    str | None,
    typer.Option(
        "--warmup",
        metavar="TIME",
        help="Time before the measured window, e.g. 20us. Default: as in the preset.",
    ),
]
Measure = Annotated[
    str | None,
    typer.Option(
        "--measure",
        metavar="TIME",
        help="Length of the measured window. Default: as in the preset.",
    ),
]
Injection = Annotated[
    str | None,
    typer.Option(
        "--injection",
        help="Creation of packets: bernoulli (random) or periodic. Default: as in the preset.",
        autocompletion=complete.of(_INJECTIONS),
    ),
]
Timeline = Annotated[
    str | None,
    typer.Option(
        "--timeline",
        metavar="TIME",
        help="Also print accepted throughput and non-minimal share per window of this length.",
    ),
]
Drain = Annotated[
    bool | None,
    typer.Option(
        "--drain/--no-drain",
        help="Measure packets injected in the window and drain the network; or measure packets"
        " delivered in the window. Default: as in the preset.",
    ),
]
CountFrom = Annotated[
    str,
    typer.Option(
        "--count-from",
        help="Packets in the columns hops and non-minimal: those of the measured window, or all"
        " from the start of the simulation, as SST counts.",
        autocompletion=complete.of(_COUNTS),
    ),
]
Workers = Annotated[
    int | None,
    typer.Option(
        "--workers",
        "-w",
        metavar="N",
        help="Number of measurements at a time. Default: 1; with --threads auto one per core.",
    ),
]
MeasurementsOut = Annotated[
    Path | None,
    typer.Option(
        "--out",
        "-o",
        metavar="DIR",
        help="Keep the measurements in DIR. The same command then continues an interrupted curve.",
        autocompletion=complete.files,
    ),
]
AsJson = Annotated[
    bool,
    typer.Option(
        "--json",
        help="Print a JSON list with one object per load; with --saturation an object with"
        " points and saturation.",
    ),
]
Plot = Annotated[
    Path | None,
    typer.Option(
        "--plot",
        metavar="FILE",
        help="Draw the curve to this file (.svg, .png or .pdf).",
        autocompletion=complete.files,
    ),
]
