"""Arguments and options of several commands."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from pantala.cli import complete

__all__ = ["Coarsen", "OptionalScenarioFile", "ScenarioFile", "Settings", "Threads", "Workers"]

ScenarioFile = Annotated[
    Path,
    typer.Argument(
        metavar="FILE",
        help="The scenario, a TOML file.",
        show_default=False,
        autocompletion=complete.scenarios,
    ),
]
OptionalScenarioFile = Annotated[
    Path | None,
    typer.Argument(
        metavar="FILE",
        help="A scenario, for its machine.",
        show_default=False,
        autocompletion=complete.scenarios,
    ),
]
Settings = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="KEY=VALUE",
        help="Another value, e.g. routing.algorithm=minimal or jobs.fft3d.ranks=64; repeatable.",
    ),
]
Coarsen = Annotated[
    int | None,
    typer.Option(
        "--coarsen",
        metavar="N",
        help="Simulate packets N times as long: 2, 4 or 8. Faster and less exact.",
        autocompletion=complete.of(("2", "4", "8")),
    ),
]
Threads = Annotated[
    str,
    typer.Option(
        "--threads",
        "-t",
        metavar="N",
        help="Threads, or auto for as many as pay; results do not depend on it.",
    ),
]
Workers = Annotated[
    int | None,
    typer.Option(
        "--workers",
        "-w",
        metavar="N",
        help="Processes at a time; one per core if not given.",
    ),
]
